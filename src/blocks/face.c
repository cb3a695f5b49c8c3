/* face.c - Newton's method on the face of the present signs (numbers penalised one by one) or nonzero blocks. With the numbers
 * E that are not 0, the intercept among them, and u = x_b/||x_b||
 *     M = A_E'(share phi'')A_E + gamma + lambda w_b/||x_b|| (I - u u')      the last term for blocks only
 *     x_E -= M^-1 (A_E'r + gamma x_E + lambda w_b u)                        lambda w_b sign(x) for numbers
 * A_E'(share phi'')A_E stays as it is from one step to the next, since the loss is a quadratic model. It is made of products of
 * columns, for each output, of chances for each pair of outputs (diag(q) - q q'). Where neither loss nor penalty joins
 * outputs, each has a system of its own. */
#include "blocks/blocks.h"

enum { FACE_MOST = SPD_DENSE_MOST, COLUMNS_MOST = 20000, ITERATIONS = 60, STEPS_MOST = 12, HALVINGS_MOST = 4 };
static const double BLAS = 0.25;   /* of a multiplication of a sweep: one of a product of matrices */
static const double RIDGE = 1e-12; /* relative to the mean of M's diagonal: of directions without curvature */

bool spd_block_face_new(spd_block_face *f, const spd_matrix *A, int64_t K) {
    const double all = (double)A->d * (double)K + (double)K;
    *f = (spd_block_face){.most = (int64_t)fmin(all, FACE_MOST), .columns = (int64_t)fmin((double)A->d, COLUMNS_MOST)};
    const int64_t square = f->most * f->most, size = (f->columns < f->most ? f->columns : f->most) + 1,
                  gram = spd_gram_work(size);
    f->at = SPD_NEW(int64_t, f->most);
    f->unknown = SPD_NEW(int32_t, f->columns * K + K);
    f->list = SPD_NEW(int32_t, f->columns);
    f->which = SPD_NEW(int32_t, f->columns);
    f->place = SPD_NEW(int32_t, A->d);
    f->apart = size;
    f->M = spd_alloc_raw(square, sizeof(double));
    f->H = spd_alloc_raw(square, sizeof(double));
    f->G = spd_alloc_raw(size * size, sizeof(double));
    f->work = SPD_NEW(double, gram);
    f->weight = SPD_NEW(double, A->n);
    f->g = SPD_NEW(double, f->columns *K + K);
    f->to = SPD_NEW(double, f->columns *K + K);
    f->x = SPD_NEW(double, f->columns *K + K);
    f->step = SPD_NEW(double, f->most);
    f->length = SPD_NEW(double, f->columns);
    f->right = SPD_NEW(double, 7 * (f->columns * K + K));
    return spd_packed_new(&f->rows, A) && f->at && f->unknown && f->list && f->which && f->place && f->M && f->H && f->G &&
           f->work && f->weight && f->g && f->to && f->x && f->step && f->right && f->length;
}

void spd_block_face_free(spd_block_face *f) {
    spd_packed_free(&f->rows);
    SPD_FREE_ALL(f->at, f->unknown, f->list, f->which, f->place, f->M, f->H, f->G, f->work, f->weight, f->g, f->to, f->x, f->step,
                 f->right, f->length);
    *f = (spd_block_face){0};
}

static bool joined(const spd_blocks *a) { return a->coupled || !a->single; }

/* The unknowns of the outputs from..end; the packed point is in f->x. */
static int64_t find_unknowns(spd_blocks *a, int64_t columns, int64_t from, int64_t end) {
    spd_block_face *f = &a->face;
    const int64_t K = a->p->K;
    int64_t N = 0;
    for (int64_t q = 0; q < columns * K + K; q++) {
        const bool intercept = q >= columns * K, in = q % K >= from && q % K < end;
        const bool some = intercept ? a->p->intercept : !a->single || f->x[q] != 0;
        f->unknown[q] = -1;
        if (!in || !some) continue;
        if (N < f->most) f->at[N] = q;
        f->unknown[q] = (int32_t)N++;
    }
    return N;
}

/* Adds sign times G to H, for outputs k and h; G is over the columns in f->which, then the intercept's. */
static void scatter(spd_blocks *a, int64_t columns, int64_t count, int64_t N, int64_t k, int64_t h, double sign) {
    spd_block_face *f = &a->face;
    const int64_t K = a->p->K, size = count + a->p->intercept;
    for (int64_t q = 0; q < size; q++) {
        const int64_t e = q < count ? f->which[q] : columns, uk = f->unknown[e * K + k], uh = f->unknown[e * K + h];
        for (int64_t s = 0; s <= q; s++) {
            const int64_t l = s < count ? f->which[s] : columns, vk = f->unknown[l * K + k], vh = f->unknown[l * K + h];
            const double value = sign * f->G[q * size + s];
            if (uk >= 0 && vh >= 0) f->H[uk > vh ? uk * N + vh : vh * N + uk] += value;
            if (k != h && s != q && uh >= 0 && vk >= 0) f->H[uh > vk ? uh * N + vk : vk * N + uh] += value;
        }
    }
}

/* H = A_E'(share phi'')A_E, the lower triangle. */
static void make_products(spd_blocks *a, int64_t columns, int64_t N, int64_t from, int64_t end) {
    spd_block_face *f = &a->face;
    const int64_t n = a->p->n, K = a->p->K;
    if (a->shared && !a->single) {
        spd_blocks_face_products(a, columns, N);
        return;
    }
    memset(f->H, 0, (size_t)(N * N) * sizeof *f->H);
    for (int64_t k = from; k < end; k++)
        for (int64_t h = a->coupled ? -1 : k; h <= k; h++) { /* -1: diag(q) */
            const int64_t other = h < 0 ? k : h;
            int64_t count = 0;
            for (int64_t e = 0; e < columns; e++)
                if (f->unknown[e * K + k] >= 0 || f->unknown[e * K + other] >= 0) {
                    f->which[count] = (int32_t)e;
                    f->list[count++] = a->columns[e];
                }
            for (int64_t i = 0; i < n; i++) f->weight[i] = a->Q[k * n + i] * (a->coupled && h >= 0 ? a->curve0[h * n + i] : 1);
            if (a->A.row) {
                spd_packed_fill(&f->rows, &a->A, f->list, count);
                spd_packed_gram(&f->rows, f->weight, count, a->p->intercept, f->G);
            } else
                spd_gram_dense(&a->A, f->weight, f->list, count, a->p->intercept, f->work, f->G);
            scatter(a, columns, count, N, k, other, a->coupled && h >= 0 ? -1 : 1);
        }
}

/* f->g: the slopes of the model with the penalty, packed; those of all columns in the list of now. */
static void find_slopes(spd_blocks *a, int64_t columns) {
    spd_block_face *f = &a->face;
    const int64_t n = a->p->n, K = a->p->K;
    const double lambda = spd_blocks_lambda(a);
    for (int64_t k = 0; k < K; k++) {
        spd_matrix_packed_dots(&a->A, 1, a->columns, columns, a->r + k * n, a->packed);
        for (int64_t e = 0; e < columns; e++) f->g[e * K + k] = a->packed[e] + a->p->gamma * f->x[e * K + k];
        f->g[columns * K + k] = spd_dot(n, a->r + k * n, a->one);
    }
    int64_t at = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b);
        const double limit = lambda * a->weight[b], *x = f->x + at, length = spd_norm2(numbers, x);
        for (int64_t e = 0; e < numbers; e++)
            f->g[at + e] += a->single ? (x[e] > 0 ? limit : x[e] < 0 ? -limit : 0) : limit * x[e] / length;
        at += numbers;
    }
}

/* M = H + gamma + the penalty's curvature */
static void make_matrix(spd_blocks *a, int64_t columns, int64_t N) {
    spd_block_face *f = &a->face;
    const double lambda = spd_blocks_lambda(a);
    double trace = 0;
    memcpy(f->M, f->H, (size_t)(N * N) * sizeof *f->M);
    for (int64_t u = 0; u < N; u++) trace += f->H[u * N + u];
    for (int64_t u = 0; u < N; u++)
        f->M[u * N + u] += RIDGE * trace / (double)N + (f->at[u] < columns * a->p->K ? a->p->gamma : 0);
    for (int64_t q = 0, at = 0; q < a->now.count && !a->single; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b), u = f->unknown[at];
        const double *x = f->x + at, length = spd_norm2(numbers, x), curve = lambda * a->weight[b] / length;
        for (int64_t e = 0; e < numbers; e++) {
            for (int64_t s = 0; s <= e; s++) f->M[(u + e) * N + u + s] -= curve * (x[e] / length) * (x[s] / length);
            f->M[(u + e) * N + u + e] += curve;
        }
        at += numbers;
    }
}

/* f->to = x less the step. False: M has no factor. */
static bool by_factor(spd_blocks *a, int64_t columns, int64_t N) {
    spd_block_face *f = &a->face;
    make_matrix(a, columns, N);
    if (!spd_cholesky(N, f->M)) return false;
    for (int64_t u = 0; u < N; u++) f->step[u] = f->g[f->at[u]];
    spd_cholesky_solve(N, f->M, f->step);
    for (int64_t u = 0; u < N; u++) f->to[f->at[u]] = f->x[f->at[u]] - f->step[u];
    return spd_all_finite(columns * a->p->K + a->p->K, f->to);
}

/* Numbers that would change their sign become 0. */
static void keep_signs(const spd_blocks *a, int64_t numbers) {
    const spd_block_face *f = &a->face;
    for (int64_t q = 0; q < numbers && a->single; q++)
        if (f->to[q] * f->x[q] <= 0) f->to[q] = 0;
}

/* Of a step by a factor, and of one by conjugate gradients if they take as many iterations as usual. */
static double cost(const spd_blocks *a, double *gradients) {
    const double K = (double)a->p->K, n = (double)a->p->n;
    double columns = 0, N = K, entries = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q];
        columns += (double)spd_blocks_features(a, b);
        for (int64_t j = a->first[b]; j < a->first[b + 1]; j++) entries += (double)spd_matrix_count(&a->A, a->feature[j]);
        if (a->single && a->coupled) N += (double)spd_count_nonzero(a->p->K, a->now.x + b * a->p->K);
    }
    if (!(a->single && a->coupled)) N += joined(a) ? columns * K : columns;
    *gradients = columns > (double)a->face.columns ? INFINITY : ITERATIONS * 2 * K * entries;
    if (spd_blocks_face_is_shared(a) && columns + 1 <= (double)a->face.most)
        return BLAS * (2 * columns * columns * columns / 3 + 3 * K * columns * columns);
    if (N > (double)a->face.most) return INFINITY;
    const double pairs = a->coupled ? K * (K + 1) / 2 + K : K, systems = joined(a) ? 1 : K;
    const double steps = a->single ? 1 : 2;    /* the length of a block is no quadratic function */
    const bool kept = a->shared && !a->single; /* the products are */
    const double gram = kept ? 0 : a->A.row ? (4 * entries + entries * entries / n / 2) : BLAS * n * columns * columns / 2;
    return pairs * (gram + columns * columns) + steps * systems * BLAS * (N * N * N / 3 + 8 * N * N);
}

double spd_blocks_face_cost(const spd_blocks *a) {
    double gradients, factor = cost(a, &gradients);
    return fmin(factor, gradients);
}

bool spd_blocks_face(spd_blocks *a, double accuracy) {
    spd_block_face *f = &a->face;
    const int64_t K = a->p->K, systems = joined(a) ? 1 : K;
    double gradients;
    const bool factor = cost(a, &gradients) <= gradients, shared = spd_blocks_face_is_shared(a);
    bool moved = false;
    for (int i = 0; i < STEPS_MOST && !spd_stop_now(a->stop); i++) {
        const int64_t columns = spd_blocks_list(a), version = a->version, numbers = columns * K + K;
        double off = 0;
        if (columns > f->columns) return moved;
        spd_blocks_pack(a, f->x);
        find_slopes(a, columns);
        memcpy(f->to, f->x, (size_t)numbers * sizeof *f->to);
        find_unknowns(a, columns, 0, K);
        for (int64_t q = 0; q < numbers; q++)
            if (f->unknown[q] >= 0) off = fmax(off, fabs(f->g[q]));
        if (off <= accuracy) return moved;
        if (factor && shared && !spd_blocks_face_shared(a, columns)) return moved;
        for (int64_t s = 0; s < systems && factor && !shared; s++) {
            const int64_t from = joined(a) ? 0 : s, end = joined(a) ? K : s + 1, N = find_unknowns(a, columns, from, end);
            if (N > f->most) return moved;
            if (N > 0 && (i == 0 || systems > 1)) make_products(a, columns, N, from, end);
            if (N > 0 && !by_factor(a, columns, N)) return moved;
        }
        if (!factor && !spd_block_face_gradients(a, columns, accuracy)) return moved;
        keep_signs(a, columns * K);
        bool lower = spd_blocks_try(a, f->x, f->to);
        for (int h = 0; h < HALVINGS_MOST && !lower; h++) {
            for (int64_t q = 0; q < numbers; q++) f->to[q] = 0.5 * (f->to[q] + f->x[q]);
            lower = spd_blocks_try(a, f->x, f->to);
        }
        if (!lower) return moved;
        moved = true;
        if (a->single || a->version != version) return moved; /* one step is all, or the face has changed */
    }
    return moved;
}

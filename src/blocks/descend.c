/* descend.c - minimises the quadratic model block by block:
 *     s_b = A_b'r + gamma x_b                                    slope of the smooth part
 *     x_b = argmin_y  s_b'(y - x_b) + (y - x_b)'(H_b + gamma)(y - x_b)/2 + lambda w_b ||y||
 * exactly, along the eigenvectors of H_b (Qin, Scheinberg, Goldfarb, Math. Prog. Comp. 2013); of a block too large for that, with
 * L instead of H_b, where L grows until  by'H_b by <= L ||by||^2  holds for the step that was made.
 * A zero block with ||s_b|| <= lambda w_b takes one product and nothing else. Sweeps over the active blocks alternate with
 * sweeps over the whole set, and jump ahead where they can (ahead.c). */
#include "blocks/blocks.h"

enum { ROUNDS_MOST = 100, SWEEPS_MOST = 2000, TRIES_MOST = 60 };
static const double TRIED = 0.15; /* part of the cost of a face that sweeps may have cost before Newton's method is tried there */

/* s = A_b'r + gamma x_b */
static void slopes(spd_blocks *a, int64_t b, const double *x, double *s) {
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t q = a->first[b]; q < a->first[b + 1]; q++, s += K, x += K) {
        const int64_t j = a->feature[q];
        int64_t k = 0;
        for (; !a->A.row && k + SPD_ABREAST <= K; k += SPD_ABREAST) {
            const double *row[SPD_ABREAST];
            for (int e = 0; e < SPD_ABREAST; e++) row[e] = a->r + (k + e) * n;
            spd_dense_rows_dots(n, row, a->A.val + a->A.ptr[j], s + k);
        }
        for (; k < K; k++) s[k] = spd_matrix_dot(&a->A, j, a->r + k * n);
        for (k = 0; k < K; k++) s[k] += a->p->gamma * x[k];
        a->count_work += (double)(K * spd_matrix_count(&a->A, j));
    }
}

/* By number: each has its own minimiser, unless the loss joins outputs. Returns how far the slopes were off. */
static double to_numbers(spd_blocks *a, int64_t b, double lambda) {
    const int64_t K = a->p->K;
    const double gamma = a->p->gamma;
    double off = 0;
    if (a->coupled) {
        const double *H = spd_blocks_square(a, b);
        spd_blocks_shrink_numbers(K, H, gamma, lambda, a->u, a->s, a->to);
        for (int64_t k = 0; k < K; k++) off = fmax(off, (H[k * K + k] + gamma) * fabs(a->to[k] - a->u[k]));
        return off;
    }
    spd_block_hessian H;
    spd_blocks_hessian(a, b, &H);
    for (int64_t k = 0; k < K; k++) {
        const double h = H.D[H.parts > 1 ? k : 0] + gamma, u = h * a->u[k] - a->s[k];
        a->to[k] = fabs(u) > lambda && h > 0 ? (u - copysign(lambda, u)) / h : 0;
        off = fmax(off, h * fabs(a->to[k] - a->u[k]));
    }
    return off;
}

/* out = V in, or V'in, for each output; packed rows by output on the side of x, output by output
 * on the side of the eigenvectors. */
static void turn(const spd_blocks *a, const spd_block_hessian *H, bool back, const double *in, double *out) {
    const int64_t outputs = a->coupled ? 1 : a->p->K, size = H->size;
    for (int64_t k = 0; k < outputs; k++) {
        const double *V = H->V ? H->V + (H->parts > 1 ? k * size * size : 0) : NULL;
        for (int64_t q = 0; q < size; q++) {
            double sum = 0;
            for (int64_t e = 0; e < size && V; e++)
                sum += back ? V[e * size + q] * in[k * size + e] : V[q * size + e] * in[e * outputs + k];
            if (!V) sum = in[back ? k * size + q : q * outputs + k];
            out[back ? q * outputs + k : k * size + q] = sum;
        }
    }
}

static double to_block(spd_blocks *a, int64_t b, const spd_block_hessian *H, double lambda) {
    const int64_t numbers = spd_blocks_numbers(a, b);
    const double gamma = a->p->gamma;
    double *D = a->by, *was = a->D, *s = a->t, off = 0;
    for (int64_t q = 0; q < numbers; q++) D[q] = H->D[H->parts > 1 || a->coupled ? q : q % H->size];
    turn(a, H, false, a->u, was);
    turn(a, H, false, a->s, s);
    for (int64_t q = 0; q < numbers; q++) s[q] = (D[q] + gamma) * was[q] - s[q];
    spd_blocks_shrink(numbers, D, gamma, lambda, s, s);
    for (int64_t q = 0; q < numbers; q++) off += (D[q] + gamma) * (D[q] + gamma) * (s[q] - was[q]) * (s[q] - was[q]);
    turn(a, H, true, s, a->to);
    return sqrt(off);
}

/* With L for H; r has moved afterwards. */
static double by_bound(spd_blocks *a, int64_t b, double lambda) {
    const int64_t numbers = spd_blocks_numbers(a, b), nK = a->p->n * a->p->K;
    const double gamma = a->p->gamma;
    if (a->bound[b] == 0) a->bound[b] = a->p->kappa_usual * a->norm[b] * a->norm[b] / (double)spd_blocks_features(a, b);
    for (int i = 0; i < TRIES_MOST; i++) {
        const double L = a->bound[b];
        for (int64_t q = 0; q < numbers; q++) a->D[q] = L;
        for (int64_t q = 0; q < numbers; q++) a->to[q] = (L + gamma) * a->u[q] - a->s[q];
        spd_blocks_shrink(numbers, a->D, gamma, lambda, a->to, a->to);
        double square = 0;
        for (int64_t q = 0; q < numbers; q++) {
            a->by[q] = a->to[q] - a->u[q];
            square += a->by[q] * a->by[q];
        }
        memset(a->v, 0, (size_t)nK * sizeof *a->v);
        spd_blocks_add(a, b, a->by, a->v);
        a->count_work += (double)numbers * (double)a->A.longest;
        const double curve = spd_blocks_curve(a, a->v);
        if (curve <= L * square) {
            spd_axpy(nK, 1, a->v, a->r);
            return (L + gamma) * sqrt(square);
        }
        a->bound[b] = fmax(2 * L, 1.1 * curve / square);
    }
    memcpy(a->to, a->u, (size_t)numbers * sizeof *a->to);
    return 0;
}

static double visit(spd_blocks *a, int64_t b, double lambda) {
    const int64_t numbers = spd_blocks_numbers(a, b);
    const double limit = lambda * a->weight[b];
    double off;
    spd_blocks_gather(a, b, a->now.x, a->u);
    slopes(a, b, a->u, a->s);
    if (!a->is_active[b] && (a->single ? spd_max_abs(numbers, a->s) : spd_norm2(numbers, a->s)) <= limit) return 0;
    spd_block_hessian H;
    bool moved = false;
    if (a->single)
        off = to_numbers(a, b, limit);
    else if (spd_blocks_hessian(a, b, &H))
        off = to_block(a, b, &H, limit);
    else {
        off = by_bound(a, b, limit);
        moved = true;
    }
    double most = 0;
    for (int64_t q = 0; q < numbers; q++) {
        a->by[q] = a->to[q] - a->u[q];
        most = fmax(most, fabs(a->by[q]));
    }
    if (most == 0) return 0;
    spd_blocks_activate(a, b);
    spd_blocks_scatter(a, b, a->to, a->now.x);
    if (!moved) spd_blocks_move(a, b, a->by);
    return off;
}

/* Newton's step of the intercept, which with chances leaves the sum of c as it is. */
static double visit_intercept(spd_blocks *a) {
    const int64_t n = a->p->n, K = a->p->K;
    double off = 0, *s = a->c_s, *by = a->c_by;
    if (!a->p->intercept) return 0;
    for (int64_t k = 0; k < K; k++) off = fmax(off, fabs(s[k] = spd_dot(n, a->r + k * n, a->one)));
    a->count_work += 3 * (double)(n * K);
    if (off == 0) return 0;
    memset(by, 0, (size_t)K * sizeof *by);
    for (int64_t q = 0; q < K; q++) { /* the flattest direction of chances is (1, ..., 1) */
        const double D = a->c_curve[q], *V = a->c_V + q * K;
        if (!(D > 0) || (a->coupled && q == 0)) continue;
        if (a->coupled)
            spd_axpy(K, -spd_dot(K, V, s) / D, V, by);
        else
            by[q] = -s[q] / D;
    }
    for (int64_t k = 0; k < K; k++) {
        a->now.c[k] += by[k];
        for (int64_t i = 0; i < n; i++) a->v[k * n + i] = by[k];
    }
    spd_blocks_curve(a, a->v);
    spd_axpy(n * K, 1, a->v, a->r);
    return off;
}

static double sweep(spd_blocks *a, const int32_t *list, int64_t count, double lambda) {
    double most = visit_intercept(a);
    for (int64_t q = 0; q < count; q++) most = fmax(most, visit(a, list[q], lambda) / a->weight[list[q]]);
    spd_blocks_tidy(a);
    return most;
}

/* Whether sweeps, each of which costs so much and brings what the slopes are off by from `before` to `off`, get to `enough` for less than
 * Newton's method does. */
static bool nearly_done(double before, double off, double enough, double each, double face) {
    return off < before && log(off / enough) * each < log(before / off) * face;
}

void spd_blocks_descend(spd_blocks *a, double accuracy) {
    const double lambda = spd_blocks_lambda(a), enough = accuracy * lambda;
    for (int round = 0; round < ROUNDS_MOST && !spd_blocks_over(a); round++) {
        if (sweep(a, a->set, a->set_count, lambda) <= enough) break;
        double off = INFINITY;
        for (int i = 0; i < SWEEPS_MOST && !spd_blocks_over(a); i++) {
            const double before = off, so_far = a->count_work, face = spd_blocks_face_cost(a);
            off = sweep(a, a->now.list, a->now.count, lambda);
            if (off <= enough) break;
            if (a->count_work >= TRIED * face && !nearly_done(before, off, enough, a->count_work - so_far, face)) {
                spd_blocks_face(a, enough);
                a->touched += a->count_work;
                a->count_work = 0;
                break;
            }
            spd_blocks_ahead(a);
        }
    }
    a->touched += a->count_work;
    a->count_work = 0;
}

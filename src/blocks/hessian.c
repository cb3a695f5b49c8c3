/* hessian.c - the quadratic model of the loss at a point, and its Hessian in one block:
 *     slopes of the model   phi'(z0) + phi''(z0) (z - z0),   r = share times them, kept up to date
 *     scalar loss           phi'' = diag,           H_b = one matrix A_b'Q_k A_b for each output
 *     square                phi'' = kappa,          the same matrix for all outputs
 *     chances q             phi'' = diag(q) - q q', H_b = sum_i share_i (a_i a_i') x (diag(q_i) - q_i q_i')
 * A Hessian is made when a block is first visited in a model, and kept as V diag(D) V' in a pool. Where the pool is full, all are
 * forgotten. */
#include "blocks/blocks.h"

enum { SIZE_MOST = 64, ROWS_AT_ONCE = 256 };
static const double FLAT = 1e-12; /* relative to the largest possible phi'' */

int64_t spd_blocks_hessian_most(void) { return SIZE_MOST; }

static void find_intercept_curvature(spd_blocks *a);

void spd_blocks_model(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, nK = n * p->K;
    const double least = FLAT * p->kappa_usual;
    spd_blocks_keep(a, &a->origin);
    memcpy(a->z0, a->z, (size_t)nK * sizeof *a->z);
    memcpy(a->slope0, a->slope, (size_t)nK * sizeof *a->slope);
    for (int64_t k = 0; k < p->K; k++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t q = k * n + i;
            const double curve = a->coupled ? fmax(a->curve[q], 0) : fmax(a->curve[q], least);
            a->curve0[q] = curve;
            a->Q[q] = a->stiff * a->share[i] * curve;
            a->r[q] = a->share[i] * a->slope[q];
        }
    spd_blocks_ahead_forget(a);
    if (a->number > 0 && a->shared) return;
    a->number++;
    a->pool_used = 0;
    if (p->intercept) find_intercept_curvature(a);
}

/* t_i = sum_l q_il v_il;   v_ik = Q_ik (v_ik - t_i) for chances */
SPD_WIDE static double curve_rows(int64_t n, int64_t K, int64_t from, int64_t count, bool coupled, const double *restrict q,
                                  const double *restrict Q, double *restrict v) {
    double t[ROWS_AT_ONCE], sum[8] = {0};
    memset(t, 0, sizeof t);
    for (int64_t k = 0; k < K && coupled; k++)
        for (int64_t i = 0; i < count; i++) t[i] += q[k * n + from + i] * v[k * n + from + i];
    for (int64_t k = 0; k < K; k++) {
        const int64_t at = k * n + from;
        for (int64_t i = 0; i < count; i++) {
            const double before = v[at + i], after = Q[at + i] * (before - t[i]);
            v[at + i] = after;
            sum[i & 7] += before * after;
        }
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

double spd_blocks_curve(const spd_blocks *a, double *v) {
    double sum = 0;
    for (int64_t from = 0; from < a->p->n; from += ROWS_AT_ONCE) {
        const int64_t count = from + ROWS_AT_ONCE < a->p->n ? ROWS_AT_ONCE : a->p->n - from;
        sum += curve_rows(a->p->n, a->p->K, from, count, a->coupled, a->curve0, a->Q, v);
    }
    return sum;
}

/* r_k += Q_k a (by_k - sum_l q_l by_l) for a dense column a, some rows of it. */
SPD_WIDE static void move_rows(int64_t n, int64_t K, int64_t from, int64_t count, const double *restrict q,
                               const double *restrict Q, const double *restrict column, const double *restrict by,
                               double *restrict r) {
    double t[ROWS_AT_ONCE];
    memset(t, 0, sizeof t);
    for (int64_t k = 0; k < K; k++)
        if (by[k] != 0)
            for (int64_t i = 0; i < count; i++) t[i] += q[k * n + from + i] * by[k];
    for (int64_t k = 0; k < K; k++) {
        const int64_t at = k * n + from;
        for (int64_t i = 0; i < count; i++) r[at + i] += Q[at + i] * column[from + i] * (by[k] - t[i]);
    }
}

static void move_coupled(spd_blocks *a, int64_t j, const double *by) {
    const int64_t n = a->p->n, K = a->p->K, at = a->A.ptr[j], count = a->A.ptr[j + 1] - at;
    const double *val = a->A.val + at;
    const int32_t *row = a->A.row ? a->A.row + at : NULL;
    for (int64_t from = 0; from < n && !row; from += ROWS_AT_ONCE)
        move_rows(n, K, from, from + ROWS_AT_ONCE < n ? ROWS_AT_ONCE : n - from, a->curve0, a->Q, val, by, a->r);
    for (int64_t q = 0; q < count && row; q++) {
        const double *chance = a->curve0 + row[q], *Q = a->Q + row[q];
        double t = 0, *r = a->r + row[q];
        for (int64_t k = 0; k < K; k++) t += chance[k * n] * by[k];
        for (int64_t k = 0; k < K; k++) r[k * n] += Q[k * n] * val[q] * (by[k] - t);
    }
}

void spd_blocks_move(spd_blocks *a, int64_t b, const double *by) {
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t q = a->first[b]; q < a->first[b + 1]; q++, by += K) {
        const int64_t j = a->feature[q];
        if (a->coupled) move_coupled(a, j, by);
        for (int64_t k = 0; k < K && !a->coupled; k++)
            if (by[k] != 0) spd_matrix_add_weighted(&a->A, j, by[k], a->Q + k * n, a->r + k * n);
        a->count_work += (double)(K * spd_matrix_count(&a->A, j));
    }
}

/* sum_i Q_i u_i v_i of two columns; v: scratch of zeros, n */
static double column_product(const spd_blocks *a, int64_t j, int64_t l, const double *Q, double *v) {
    if (j == l) return spd_matrix_square(&a->A, j, Q);
    spd_matrix_add_weighted(&a->A, l, 1, Q, v);
    const double product = spd_matrix_dot(&a->A, j, v);
    if (a->A.row)
        for (int64_t q = a->A.ptr[l]; q < a->A.ptr[l + 1]; q++) v[a->A.row[q]] = 0;
    else
        memset(v, 0, (size_t)a->p->n * sizeof *v);
    return product;
}

/* H of one column j times l for a coupled loss: out (K x K, rows `apart`) = sum_i share_i a_ij a_il (diag(q_i) - q_i q_i'). */
static void coupled_product(const spd_blocks *a, int64_t j, int64_t l, int64_t apart, double *out) {
    const int64_t n = a->p->n, K = a->p->K;
    double *v = a->v; /* of n, and K times n */
    memset(v, 0, (size_t)n * sizeof *v);
    spd_matrix_add(&a->A, l, 1, v);
    for (int64_t k = 0; k < K; k++)
        for (int64_t h = 0; h <= k; h++) {
            const int64_t at = a->A.ptr[j], count = a->A.ptr[j + 1] - at;
            const double *val = a->A.val + at, *Q = a->Q + k * n, *q = a->curve0 + h * n;
            double sum = 0;
            for (int64_t e = 0; e < count; e++) {
                const int64_t i = a->A.row ? a->A.row[at + e] : e;
                sum += val[e] * v[i] * Q[i] * ((h == k) - q[i]);
            }
            out[k * apart + h] = out[h * apart + k] = sum;
        }
}

/* What part of H is needed: of an output (scalar), or of all (coupled). */
static void fill(spd_blocks *a, int64_t b, int64_t k, int64_t size, double *H) {
    const int64_t K = a->p->K, features = spd_blocks_features(a, b);
    const int32_t *feature = a->feature + a->first[b];
    if (!a->coupled) memset(a->v, 0, (size_t)a->p->n * sizeof *a->v);
    for (int64_t q = 0; q < features; q++)
        for (int64_t s = 0; s <= q; s++) {
            if (a->coupled) {
                coupled_product(a, feature[q], feature[s], size, H + q * K * size + s * K);
                for (int64_t e = 0; e < K && s < q; e++)
                    for (int64_t h = 0; h < K; h++) H[(s * K + h) * size + q * K + e] = H[(q * K + e) * size + s * K + h];
            } else
                H[q * size + s] = H[s * size + q] = column_product(a, feature[q], feature[s], a->Q + k * a->p->n, a->v);
        }
    a->count_work += (double)(features * features) * (a->coupled ? (double)(K * K) : 1) * (double)a->A.longest / 2;
}

static double *take_place(spd_blocks *a, int64_t b, int64_t numbers) {
    if (a->pool_used + numbers > a->pool_size) {
        memset(a->made, 0, (size_t)a->count * sizeof *a->made);
        a->pool_used = 0;
    }
    a->place[b] = a->pool_used;
    a->pool_used += numbers;
    a->made[b] = a->number;
    return a->pool + a->place[b];
}

bool spd_blocks_hessian(spd_blocks *a, int64_t b, spd_block_hessian *out) {
    const int64_t K = a->p->K, features = spd_blocks_features(a, b);
    *out = (spd_block_hessian){.size = a->coupled ? features * K : features, .parts = a->coupled || a->shared ? 1 : K};
    if (out->size > SIZE_MOST) return false;
    const int64_t square = out->size > 1 ? out->size * out->size : 0, each = out->size + square;
    if (a->made[b] != a->number) {
        double *at = take_place(a, b, out->parts * each);
        for (int64_t k = 0; k < out->parts; k++) {
            double *D = at + k * out->size, *V = at + out->parts * out->size + k * square;
            fill(a, b, k, out->size, square > 0 ? V : D);
            if (square == 0) continue;
            memcpy(a->V, V, (size_t)square * sizeof *V);
            if (!spd_eigen(out->size, V, D, a->work)) return false;
            for (int64_t q = 0; q < out->size; q++) D[q] = fmax(D[q], FLAT * D[out->size - 1]);
        }
    }
    out->D = a->pool + a->place[b];
    out->V = square > 0 ? out->D + out->parts * out->size : NULL;
    return true;
}

const double *spd_blocks_square(spd_blocks *a, int64_t b) {
    if (a->made[b] != a->number) fill(a, b, 0, a->p->K, take_place(a, b, a->p->K * a->p->K));
    return a->pool + a->place[b];
}

/* Of a column of ones. With chances it has no curvature along (1, ..., 1). */
static void find_intercept_curvature(spd_blocks *a) {
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t k = 0; k < K; k++)
        for (int64_t h = 0; h <= k && a->coupled; h++) {
            const double *Q = a->Q + k * n, *q = a->curve0 + h * n;
            double sum = 0;
            for (int64_t i = 0; i < n; i++) sum += Q[i] * ((h == k) - q[i]);
            a->c_V[k * K + h] = a->c_V[h * K + k] = sum;
        }
    for (int64_t k = 0; k < K && !a->coupled; k++) a->c_curve[k] = spd_dot(n, a->Q + k * n, a->one);
    if (a->coupled && !spd_eigen(K, a->c_V, a->c_curve, a->work)) memset(a->c_curve, 0, (size_t)K * sizeof *a->c_curve);
}

/* face_shared.c - faces where phi'' is the same for all rows and outputs. Products of columns then stay what they are along the
 * whole path: those of columns that have been active are kept. And where a block is the row of one feature, the step of face.c
 * takes matrices as large as the number of active features E, not E K. With c_b = lambda w_b/||x_b||, u_b = x_b/||x_b|| and I
 * over the outputs
 *     M = P x I - sum_b c_b (e_b x u_b)(e_b x u_b)',   P = A_E'(share phi'')A_E + gamma + diag(c)
 * and by the formula of Woodbury, with Q = P^-1, C = diag(c) and U the rows u_b, where `.` multiplies entry by entry,
 *     M^-1 g = Q (g + diag(sqrt(c) v) U),   (I - C^(1/2) (Q . UU') C^(1/2)) v = C^(1/2) diag(U (Q g)')
 * The intercept is the first row of P; it has no c. */
#include <cblas.h>

#include "blocks/blocks.h"

static const double RIDGE = 1e-12; /* relative to the mean of the diagonal */

void spd_block_face_forget(spd_blocks *a) {
    spd_block_face *f = &a->face;
    for (int64_t q = 0; q < f->kept; q++) f->place[f->list[q]] = 0;
    f->kept = 0;
}

bool spd_blocks_face_is_shared(const spd_blocks *a) { return a->shared && !a->single && a->largest == 1 && a->p->K > 1; }

/* The products of a column with all that are kept. */
static void keep(spd_blocks *a, int32_t j) {
    spd_block_face *f = &a->face;
    const int64_t n = a->p->n, first = a->p->intercept;
    double *v = a->v, *row = f->G + (first + f->kept) * f->apart;
    memset(v, 0, (size_t)n * sizeof *v);
    spd_matrix_add_weighted(&a->A, j, 1, a->Q, v);
    f->list[f->kept++] = j;
    f->place[j] = (int32_t)f->kept;
    spd_matrix_packed_dots(&a->A, a->threads, f->list, f->kept, v, row + first);
    if (first) row[0] = spd_dot(n, v, a->one);
    for (int64_t q = 0; q < f->kept; q++) a->count_work += (double)spd_matrix_count(&a->A, f->list[q]);
}

/* Sees to it that the products of these columns are kept. */
static void keep_all(spd_blocks *a, int64_t columns) {
    spd_block_face *f = &a->face;
    int64_t fresh = 0;
    for (int64_t e = 0; e < columns; e++) fresh += f->place[a->columns[e]] == 0;
    if (a->p->intercept + f->kept + fresh > f->apart) spd_block_face_forget(a);
    if (f->kept == 0 && a->p->intercept) f->G[0] = spd_dot(a->p->n, a->Q, a->one);
    for (int64_t e = 0; e < columns; e++)
        if (f->place[a->columns[e]] == 0) keep(a, a->columns[e]);
}

/* The product of the columns e and s of the active ones. */
static double product(const spd_blocks *a, int64_t e, int64_t s) {
    const spd_block_face *f = &a->face;
    const int64_t first = a->p->intercept - 1, u = f->place[a->columns[e]], v = f->place[a->columns[s]];
    return f->G[((u > v ? u : v) + first) * f->apart + (u > v ? v : u) + first];
}

/* The same of a column of ones. */
static double product_of_ones(const spd_blocks *a, int64_t e) { return a->face.G[a->face.place[a->columns[e]] * a->face.apart]; }

void spd_blocks_face_products(spd_blocks *a, int64_t columns, int64_t N) {
    spd_block_face *f = &a->face;
    const int64_t K = a->p->K;
    keep_all(a, columns);
    memset(f->H, 0, (size_t)(N * N) * sizeof *f->H);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t e = 0; e < columns; e++)
            for (int64_t s = 0; s <= e; s++) f->H[(e * K + k) * N + s * K + k] = product(a, e, s);
        double *ones = f->H + (columns * K + k) * N;
        for (int64_t e = 0; e < columns && a->p->intercept; e++) ones[e * K + k] = product_of_ones(a, e);
        if (a->p->intercept) ones[columns * K + k] = f->G[0];
    }
}

/* f->M = the inverse of P. curve: c. */
static bool invert(spd_blocks *a, int64_t columns, const double *curve) {
    spd_block_face *f = &a->face;
    const int64_t first = a->p->intercept, N = columns + first;
    double trace = first ? f->G[0] : 0;
    if (first) f->M[0] = f->G[0];
    for (int64_t e = 0; e < columns; e++) {
        double *row = f->M + (first + e) * N;
        if (first) row[0] = product_of_ones(a, e);
        for (int64_t s = 0; s <= e; s++) row[first + s] = product(a, e, s);
        trace += row[first + e];
        row[first + e] += curve[e] + a->p->gamma;
    }
    for (int64_t u = 0; u < N; u++) f->M[u * N + u] += RIDGE * trace / (double)N;
    return spd_cholesky(N, f->M) && spd_cholesky_inverse(N, f->M);
}

/* f->H = the factor of I - C^(1/2)(Q . UU')C^(1/2) */
static bool factor_rest(spd_blocks *a, int64_t columns, const double *root, const double *U) {
    spd_block_face *f = &a->face;
    const int64_t first = a->p->intercept, N = columns + first, K = a->p->K;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)columns, (int)K, 1, U, (int)K, 0, f->H, (int)columns);
    for (int64_t e = 0; e < columns; e++) {
        const double *Q = f->M + (first + e) * N + first;
        double *row = f->H + e * columns;
        for (int64_t s = 0; s <= e; s++) row[s] *= -root[e] * root[s] * Q[s];
        row[e] += 1 + RIDGE;
    }
    return spd_cholesky(columns, f->H);
}

/* out = f->M in, N x K */
static void apply(const spd_blocks *a, int64_t N, const double *in, double *out) {
    const int rows = (int)N, K = (int)a->p->K;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, K, rows, 1, a->face.M, rows, in, K, 0, out, K);
}

bool spd_blocks_face_shared(spd_blocks *a, int64_t columns) {
    spd_block_face *f = &a->face;
    const int64_t K = a->p->K, first = a->p->intercept, N = columns + first;
    const double lambda = spd_blocks_lambda(a);
    double *g = f->right, *W = g + N * K, *U = W + N * K, *v = U + columns * K, *root = v + columns, *curve = f->length;
    if (N > f->most) return false;
    keep_all(a, columns);
    if (first) memcpy(g, f->g + columns * K, (size_t)K * sizeof *g);
    memcpy(g + first * K, f->g, (size_t)(columns * K) * sizeof *g);
    for (int64_t e = 0; e < columns; e++) { /* a block is a column */
        const double length = spd_norm2(K, f->x + e * K);
        curve[e] = lambda * a->weight[a->now.list[e]] / length;
        root[e] = sqrt(curve[e]);
        for (int64_t k = 0; k < K; k++) U[e * K + k] = f->x[e * K + k] / length;
    }
    if (!invert(a, columns, curve) || !factor_rest(a, columns, root, U)) return false;
    apply(a, N, g, W);
    for (int64_t e = 0; e < columns; e++) v[e] = root[e] * spd_dot(K, U + e * K, W + (first + e) * K);
    spd_cholesky_solve(columns, f->H, v);
    for (int64_t e = 0; e < columns; e++) spd_axpy(K, root[e] * v[e], U + e * K, g + (first + e) * K);
    apply(a, N, g, W);
    for (int64_t q = 0; q < columns * K; q++) f->to[q] = f->x[q] - W[first * K + q];
    for (int64_t k = 0; k < K && first; k++) f->to[columns * K + k] = f->x[columns * K + k] - W[k];
    return spd_all_finite(columns * K + K, f->to);
}

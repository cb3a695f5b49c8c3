/* gram.c - squared loss with few columns: slopes by H = A'SA, S = diag(share), instead of by rows (Friedman, Hastie, Tibshirani,
 * J. Stat. Softw. 2010, "covariance updates"). The intercept, if any, is the last column, of ones. With t_i = phi'(o_i) = o_i -
 * b_i
 *     A_j'S alpha = q_j + sum_k H_jk x_k,   q = A'S t,   alpha = A x + c + o - b
 * so that one column's step changes all slopes in O(d), whatever n is, and a proof takes no pass over the data for its gradient.
 * A path makes H at once. One lambda rarely takes as many passes as H would, so that it goes by columns until they have cost
 * more: whatever the problem is, that is at most a few times what the better of the two costs.
 *
 * What rounding may do to a slope. N_j = sqrt(A_j'S A_j) is the norm of a column, 1 for the intercept.
 *     |H^_jk - H_jk| <= gamma_h N_j N_k     h: terms in one partial sum, in whatever order BLAS adds them, and partial sums
 *     |q^_j - q_j|   <= gamma_l N_j ||t||   l: terms in one lane of a column's product with S t; both by Cauchy-Schwarz
 * and k products are added to q^_j, k the number of nonzero x_k: in all at most
 *     gamma_{h+l+k} N_j T,   T = ||t|| + sum_k N_k |x_k|,   ||t||^2 = t'S t */
#include <cblas.h>
#include <float.h>

#include "lasso/lasso.h"
#include "problem/rows.h"

enum { ROWS = 256, OPERATIONS = 64, TILE = 32 }; /* rows in a partial sum; roundings of a term, and a few more */
static const double COLUMNS_A_ROW = 1;           /* columns for each row: with more, few of them are ever active */
static const double PASSES_MOST = 50;            /* over sparse data that H may cost: a path takes about that many */

/* sum_i (entries of row i)^2, for a sparse A. */
static double pairs(const spdhg_problem *p) {
    double sum = 0;
    spd_row row;
    for (int64_t i = 0; i < p->n; i++) {
        spd_pass_row_in_memory(p, i, &row); /* its length alone */
        sum += (double)row.nnz * (double)row.nnz;
    }
    return sum;
}

double spd_gram_cost(const spdhg_problem *p, int64_t most) {
    if (!spd_loss_is_square(p->loss) || p->d + 1 > most || (double)p->d > COLUMNS_A_ROW * (double)p->n) return INFINITY;
    /* as many as a dense H has. BLAS makes it in a fraction of their time, but most fits are about to end by then */
    if (spd_problem_full(p)) return (double)p->n * (double)p->d * (double)p->d;
    const double cost = 0.5 * pairs(p);
    return cost <= PASSES_MOST * (double)p->nnz ? cost : INFINITY;
}

int64_t spd_gram_work(int64_t size) { return ROWS * (size + 1); }

/* H += P P' for 256 rows at a time, P = sqrt(Q) A of these rows. */
void spd_gram_dense(const spd_matrix *A, const double *Q, const int32_t *list, int64_t count, bool ones, double *work,
                    double *H) {
    const int64_t size = count + ones;
    double *root = work, *P = work + ROWS;
    memset(H, 0, (size_t)(size * size) * sizeof *H);
    for (int64_t from = 0; from < A->n; from += ROWS) {
        const int64_t rows = from + ROWS < A->n ? ROWS : A->n - from;
        for (int64_t i = 0; i < rows; i++) root[i] = sqrt(Q[from + i]);
        for (int64_t j = 0; j < count; j++) {
            const double *val = A->val + A->ptr[list ? list[j] : j] + from;
            for (int64_t i = 0; i < rows; i++) P[j * ROWS + i] = root[i] * val[i];
        }
        if (ones) memcpy(P + count * ROWS, root, (size_t)rows * sizeof *root);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)size, (int)rows, 1, P, ROWS, 1, H, (int)size);
    }
}

static void add_sparse(const spd_lasso *a) {
    const spd_gram *g = &a->gram;
    const int64_t d = a->p->d, D = g->size;
    const bool open = spd_pass_begin(a->p);
    spd_row row;
    for (int64_t i = 0; i < a->p->n; i++) {
        spd_pass_row(a->p, open, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) {
            const double t = a->share[i] * row.val[q];
            double *H = g->H.val + row.idx[q] * D;
            for (int64_t k = 0; k <= q; k++) H[row.idx[k]] += t * row.val[k];
            if (D > d) g->H.val[d * D + row.idx[q]] += t;
        }
        if (D > d) g->H.val[d * D + d] += a->share[i];
    }
    spd_pass_end(a->p, open);
}

/* The upper triangle from the lower one, by tiles that fit the cache. */
static void mirror(int64_t n, double *H) {
    for (int64_t J = 0; J < n; J += TILE)
        for (int64_t K = 0; K <= J; K += TILE)
            for (int64_t j = J; j < n && j < J + TILE; j++)
                for (int64_t k = K; k < j && k < K + TILE; k++) H[k * n + j] = H[j * n + k];
}

bool spd_gram_new(spd_lasso *a) {
    const int64_t D = a->p->d + a->p->intercept;
    a->gram = (spd_gram){.H = {.n = D, .d = D, .ptr = SPD_NEW(int64_t, D + 1), .val = spd_alloc_raw(D * D, sizeof(double))},
                         .q = SPD_NEW(double, D),
                         .s = SPD_NEW(double, D),
                         .work = spd_alloc_raw(a->A.row ? 0 : spd_gram_work(D), sizeof(double))};
    const spd_gram *g = &a->gram;
    if (!g->H.ptr || !g->H.val || !g->q || !g->s || !g->work) return false;
    for (int64_t j = 0; j <= D; j++) g->H.ptr[j] = j * D;
    return true;
}

void spd_gram_make(spd_lasso *a) {
    spd_gram *g = &a->gram;
    const int64_t n = a->p->n, d = a->p->d, D = g->size = g->H.d;
    if (a->A.row) {
        memset(g->H.val, 0, (size_t)(D * D) * sizeof *g->H.val);
        add_sparse(a);
    } else
        spd_gram_dense(&a->A, a->share, NULL, d, D > d, g->work, g->H.val);
    mirror(D, g->H.val);
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *offset = spd_problem_offset(a->p, i);
        const double t = a->p->loss->slope(offset ? offset[0] : 0, a->p->b[i], a->p->loss_arg);
        a->r[i] = a->share[i] * t;
        square += a->r[i] * t;
    }
    g->target = sqrt(square) * (1 + 1e-9) + DBL_MIN;
    spd_matrix_dots(&a->A, a->threads, NULL, d, a->r, g->q);
    if (D > d) g->q[d] = spd_sum_lanes(n, a->r);
}

void spd_gram_when_due(spd_lasso *a) {
    if (a->gram.size > 0 || !(a->touched + a->work > a->gram_cost)) return;
    spd_gram_make(a);
    spd_gram_slopes(a, a->gram.s);
}

void spd_gram_free(spd_gram *g) {
    SPD_FREE_ALL(g->H.ptr, g->H.val, g->q, g->s, g->work);
    *g = (spd_gram){0};
}

void spd_gram_slopes(const spd_lasso *a, double *s) {
    const spd_gram *g = &a->gram;
    double *x = a->face;
    for (int64_t k = 0; k < a->now.count; k++) x[k] = a->now.x[a->now.list[k]];
    memcpy(s, g->q, (size_t)g->size * sizeof *s);
    spd_matrix_combine(&g->H, a->now.list, a->now.count, x, s);
    if (g->size > a->p->d) spd_gram_move(g, a->p->d, a->now.c, s);
}

void spd_gram_move(const spd_gram *g, int64_t j, double by, double *s) { spd_axpy(g->size, by, g->H.val + j * g->size, s); }

double spd_gram_error(const spd_lasso *a, double *size) {
    const double n = (double)a->A.n, longest = (double)a->A.longest, k = (double)a->now.count;
    double T = a->gram.target + fabs(a->now.c) * (1 + 1e-9), sum = 1 + fabs(a->now.c);
    for (int64_t q = 0; q < a->now.count; q++) {
        T += a->A.norm[a->now.list[q]] * fabs(a->now.x[a->now.list[q]]);
        sum += fabs(a->now.x[a->now.list[q]]);
    }
    *size = sum;
    return ((a->A.row ? longest : ROWS + n / ROWS) + longest / 4 + k + OPERATIONS) * T;
}

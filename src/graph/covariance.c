/* covariance.c - parts of S = factor (X'X - N m m') without a d x d matrix.
 * Sparse rows use Gustavson's products,
 *     x_i'x_j = sum over the rows k of column i of x_ki x_kj,
 * which cost sum_k nnz(x_k)^2 for all of S. */
#include "graph/graph.h"

/* The upper triangle of the component's products; entries of other components in the same rows are skipped. */
static void sparse_block(const spd_columns *c, const int32_t *list, int64_t p, const int32_t *home, const int32_t *place,
                         double *S) {
    const spd_csr *A = &c->by_row;
    const int32_t here = home[list[0]];
    for (int64_t a = 0; a < p; a++) {
        const int32_t i = list[a];
        double *s = S + a * p;
        for (int64_t q = c->ptr[i]; q < c->ptr[i + 1]; q++) {
            const double x = A->val[c->where[q]];
            const int64_t end = A->ptr[c->row[q] + 1];
            for (int64_t e = c->where[q] + 1; e < end; e++)
                if (home[A->idx[e]] == here) s[place[A->idx[e]]] += x * A->val[e];
        }
        for (int64_t b = a + 1; b < p; b++) s[b] -= (double)c->rows * c->mean[i] * c->mean[list[b]];
    }
}

static spdhg_status dense_block(const spd_columns *c, const int32_t *list, int64_t p, double *S, spdhg_error *err) {
    if (p == c->features) {
        spd_gram_rows(c->rows, p, c->X, 0, p, S);
        return SPDHG_OK;
    }
    double *part = spd_alloc_raw(c->rows * p, sizeof *part);
    if (!part) return spd_fail_memory(err, 8.0 * (double)c->rows * (double)p);
    for (int64_t k = 0; k < c->rows; k++)
        for (int64_t a = 0; a < p; a++) part[k * p + a] = c->X[k * c->features + list[a]];
    spd_gram_rows(c->rows, p, part, 0, p, S);
    spd_free(part);
    return SPDHG_OK;
}

spdhg_status spd_covariance_block(const spd_columns *c, const int32_t *list, int64_t p, const int32_t *home, const int32_t *place,
                                  double *S, spdhg_error *err) {
    for (int64_t a = 0; a < p * p; a++) S[a] = 0;
    if (c->X)
        SPD_TRY(dense_block(c, list, p, S, err));
    else
        sparse_block(c, list, p, home, place, S);
    for (int64_t a = 0; a < p; a++) {
        S[a * p + a] = c->variance[list[a]];
        for (int64_t b = a + 1; b < p; b++) S[b * p + a] = S[a * p + b] = spd_columns_scale(c, S[a * p + b]);
    }
    return SPDHG_OK;
}

static void dense_times(const spd_columns *c, int64_t count, const int32_t *list, const double *coefficient, double *out) {
    for (int64_t i = 0; i < c->rows; i++) {
        const double *x = c->X + i * c->features;
        double sum = 0;
        for (int64_t k = 0; k < count; k++) sum += coefficient[k] * x[list[k]];
        spd_axpy(c->features, sum, x, out);
    }
}

/* First t = X_list coefficient, which is 0 except in the rows of these columns; then X't over those rows. */
static void sparse_times(const spd_columns *c, int64_t count, const int32_t *list, const double *coefficient, double *t,
                         double *out) {
    const spd_csr *A = &c->by_row;
    double mean = 0;
    for (int64_t k = 0; k < count; k++) {
        for (int64_t q = c->ptr[list[k]]; q < c->ptr[list[k] + 1]; q++) t[c->row[q]] += coefficient[k] * A->val[c->where[q]];
        mean += coefficient[k] * c->mean[list[k]];
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t q = c->ptr[list[k]]; q < c->ptr[list[k] + 1]; q++) {
            const int32_t row = c->row[q];
            const double at = t[row];
            if (at == 0) continue; /* already handled with an earlier column */
            t[row] = 0;
            for (int64_t e = A->ptr[row]; e < A->ptr[row + 1]; e++) out[A->idx[e]] += at * A->val[e];
        }
    if (mean != 0) spd_axpy(c->features, -(double)c->rows * mean, c->mean, out);
}

void spd_covariance_times(const spd_columns *c, int64_t count, const int32_t *list, const double *coefficient, double *work,
                          double *out) {
    for (int64_t j = 0; j < c->features; j++) out[j] = 0;
    if (c->X)
        dense_times(c, count, list, coefficient, out);
    else
        sparse_times(c, count, list, coefficient, work, out);
    spd_scale(c->features, c->factor, out);
}

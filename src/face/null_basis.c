/* null_basis.c - orthonormal columns N with F N = 0:
 *   rows of one or two entries                           one column per connected component
 *   rows with different last columns (chain, trend)      reflections or, with many features, elimination
 *   other rows                                           eigenvectors of F'F */
#include "face/nullspace.h"

static const double BASIS_MOST = 5e7; /* entries of a basis by elimination */

spdhg_status spd_null_join(spd_joins *g, const spdhg_problem *p, const bool *counts, spdhg_error *err) {
    SPD_TRY(spd_joins_new(g, p->d, err));
    for (spd_rows r = spd_rows_of(p); spd_null_rows_next(&r, counts);) spd_joins_row(g, &r.row, 1, 0);
    return SPDHG_OK;
}

/* F'F with its eigenvectors as rows and the number of eigenvalues that are 0. */
spdhg_status spd_null_eigenvectors(const spdhg_problem *p, const bool *counts, double **vectors, int64_t *zeros,
                                   spdhg_error *err) {
    const int64_t d = p->d;
    if (d > SPD_DENSE_MOST)
        return spd_fail(err, SPDHG_USAGE,
                        "the null space of this structure can be computed for up to %d features, the data has %lld (give the "
                        "largest lambda)",
                        SPD_DENSE_MOST, (long long)d);
    double *G = SPD_NEW(double, d *d), *value = SPD_NEW(double, d), *work = SPD_NEW(double, spd_eigen_work(d));
    spdhg_status status = G && value && work ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)d * (double)d);
    for (spd_rows r = spd_rows_of(p); status == SPDHG_OK && spd_null_rows_next(&r, counts);)
        for (int64_t a = 0; a < r.row.n; a++)
            for (int64_t b = 0; b < r.row.n; b++) G[r.row.idx[a] * d + r.row.idx[b]] += r.row.val[a] * r.row.val[b];
    if (status == SPDHG_OK && !spd_eigen(d, G, value, work))
        status = spd_fail(err, SPDHG_NUMERICAL, "no eigenvectors of F'F could be found");
    for (*zeros = 0; status == SPDHG_OK && *zeros < d && value[*zeros] <= 1e-12 * value[d - 1];) ++*zeros;
    spd_free(value);
    spd_free(work);
    if (status != SPDHG_OK) {
        spd_free(G);
        G = NULL;
    }
    *vectors = G;
    return status;
}

spdhg_status spd_null_components(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err) {
    spd_joins g;
    SPD_TRY(spd_null_join(&g, p, counts, err));
    double *square = SPD_NEW(double, p->d);
    int64_t *column = SPD_NEW(int64_t, p->d), free_features = 0;
    spdhg_status status = square && column ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)p->d);
    for (int64_t j = 0; status == SPDHG_OK && j < p->d; j++) {
        double ratio;
        const int64_t r = spd_joins_find(&g, j, &ratio);
        if (spd_joins_is_zero(&g, r)) continue;
        if (r == j) column[j] = null->k++; /* the smallest of its set, which comes first */
        square[r] += ratio * ratio;
        free_features++;
    }
    if (status == SPDHG_OK) status = spd_csr_new(&null->N, p->d, null->k, free_features, err);
    for (int64_t j = 0, at = 0; status == SPDHG_OK && j < p->d; null->N.ptr[++j] = at) {
        double ratio;
        const int64_t r = spd_joins_find(&g, j, &ratio);
        if (spd_joins_is_zero(&g, r)) continue;
        null->N.idx[at] = (int32_t)column[r];
        null->N.val[at++] = ratio / sqrt(square[r]);
    }
    spd_free(square);
    spd_free(column);
    spd_joins_free(&g);
    return status;
}

/* A dense d x k matrix as rows. */
static spdhg_status dense_basis(spd_nullspace *null, int64_t d, spdhg_error *err) {
    SPD_TRY(spd_csr_new(&null->N, d, null->k, d * null->k, err));
    for (int64_t j = 0; j < d; j++) {
        for (int64_t q = 0; q < null->k; q++) null->N.idx[j * null->k + q] = (int32_t)q;
        null->N.ptr[j + 1] = (j + 1) * null->k;
    }
    return SPDHG_OK;
}

/* Gram-Schmidt, applied twice because of rounding; V: k x d. */
static void orthonormalise(int64_t k, int64_t d, double *V) {
    for (int64_t a = 0; a < k; a++) {
        spd_scale(d, 1 / spd_norm2(d, V + a * d), V + a * d);
        for (int round = 0; round < 2; round++)
            for (int64_t b = 0; b < a; b++) spd_axpy(d, -spd_dot(d, V + a * d, V + b * d), V + b * d, V + a * d);
        spd_scale(d, 1 / spd_norm2(d, V + a * d), V + a * d);
    }
}

/* Columns that are the last of no counted row are free; the others follow from
 *     x_last = -(the rest of the row)/its last entry
 * A row that does not count but ends in a free column also extends the vectors begun before it. The span is the same, and
 * piecewise polynomials do not grow from one piece to the next. V: k x d. */
static void follow(const spdhg_problem *p, const int64_t *pivot, const int64_t *extend, double *V) {
    int64_t begun = 0;
    for (int64_t j = 0; j < p->d; j++) {
        const int64_t number = pivot[j] ? pivot[j] : extend[j];
        spd_csr_row row = {0};
        if (number) {
            int64_t e;
            const spd_term *t = spd_null_term(p, number - 1, &e);
            spd_csr_take(&t->F->F, e, &row);
        }
        for (int64_t a = 0; a < begun && row.n > 0; a++) {
            double sum = 0, *x = V + a * p->d;
            for (int64_t q = 0; q + 1 < row.n; q++) sum += row.val[q] * x[row.idx[q]];
            x[j] = -sum / row.val[row.n - 1];
        }
        if (pivot[j] == 0) V[begun++ * p->d + j] = 1;
    }
}

/* The k rows of V become the columns of N. */
static spdhg_status transpose(spd_nullspace *null, int64_t d, const double *V, spdhg_error *err) {
    const spdhg_status status = dense_basis(null, d, err);
    for (int64_t i = 0; status == SPDHG_OK && i < null->k * d; i++) null->N.val[i] = V[i % null->k * d + i / null->k];
    return status;
}

spdhg_status spd_null_eliminated(spd_nullspace *null, const spdhg_problem *p, const int64_t *pivot, spdhg_error *err) {
    null->k = spd_null_free_columns(p, pivot);
    if ((double)null->k * (double)p->d > BASIS_MOST)
        return spd_fail(err, SPDHG_USAGE,
                        "the null space of the structure has %lld dimensions, too many to write it out (give the largest lambda)",
                        (long long)null->k);
    double *V = SPD_NEW(double, null->k * p->d);
    int64_t *extend = SPD_NEW(int64_t, p->d);
    spdhg_status status = V && extend ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)null->k * (double)p->d);
    if (status == SPDHG_OK) {
        for (spd_rows r = spd_rows_of(p); spd_null_rows_next(&r, NULL);)
            if (r.row.n > 1 && r.row.val[r.row.n - 1] != 0) extend[r.row.idx[r.row.n - 1]] = 1 + r.number;
        follow(p, pivot, extend, V);
        orthonormalise(null->k, p->d, V);
        status = transpose(null, p->d, V, err);
    }
    spd_free(V);
    spd_free(extend);
    return status;
}

spdhg_status spd_null_complement(spd_nullspace *null, const spdhg_problem *p, const bool *counts, int64_t k, spdhg_error *err) {
    const int64_t d = p->d, r = d - k;
    double *A = SPD_NEW(double, r *d), *V = SPD_NEW(double, k *d), *work = SPD_NEW(double, spd_complement_work(d));
    spdhg_status status = A && V && work ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)d * (double)d);
    int64_t at = 0;
    null->k = k;
    for (spd_rows row = spd_rows_of(p); status == SPDHG_OK && spd_null_rows_next(&row, counts); at++)
        for (int64_t q = 0; q < row.row.n; q++) A[at * d + row.row.idx[q]] = row.row.val[q];
    if (status == SPDHG_OK && !spd_complement(r, d, A, V, work))
        status = spd_fail(err, SPDHG_NUMERICAL, "the null space of the structure could not be found");
    if (status == SPDHG_OK) status = transpose(null, d, V, err);
    spd_free(A);
    spd_free(V);
    spd_free(work);
    return status;
}

spdhg_status spd_null_eigen(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err) {
    double *V;
    SPD_TRY(spd_null_eigenvectors(p, counts, &V, &null->k, err));
    const spdhg_status status = transpose(null, p->d, V, err);
    spd_free(V);
    return status;
}

/* nullspace.c - the null space of the stacked F = [F_1; F_2; ...], ALGORITHMS B6: a value per connected component for rows of one
 * or two entries; by elimination for rows whose last columns differ (chain, trend); else from the eigenvectors of F'F. */
#include "tune/tune.h"

enum { DENSE_MOST = 1500 };
static const double BASIS_MOST = 5e7; /* numbers of a basis by elimination */

typedef enum method { COMPONENTS, ELIMINATION, DENSE } method;

/* The rows that count, as (term, row) in the order of the stack. */
typedef struct rows {
    const spdhg_problem *p;
    const bool *counts;
    int64_t t, e, at; /* next */
    int64_t n;        /* entries of the row last given */
    const int32_t *idx;
    const double *val;
    int64_t number; /* of the row last given, in the whole stack */
    int32_t own;
    double one;
} rows;

static rows all_rows(const spdhg_problem *p, const bool *counts) { return (rows){.p = p, .counts = counts, .one = 1}; }

static bool next_row(rows *r) {
    for (; r->t < r->p->terms; r->t++, r->e = 0) {
        const spd_term *t = &r->p->term[r->t];
        while (r->e < t->m) {
            const spd_csr *F = &t->F->F;
            const int64_t e = r->e++, number = r->at++;
            if (t->lambda_given == 0 || (r->counts && !r->counts[number])) continue;
            const bool identity = spd_csr_is_identity(F);
            r->number = number;
            r->own = (int32_t)e;
            r->n = identity ? 1 : F->ptr[e + 1] - F->ptr[e];
            r->idx = identity ? &r->own : F->idx + F->ptr[e];
            r->val = identity ? &r->one : F->val + F->ptr[e];
            if (r->n > 0) return true;
        }
    }
    return false;
}

/* pivot[j] = 1 + number of the row whose last column is j, 0 if there is none. */
static method choose(const spdhg_problem *p, const bool *counts, int64_t *pivot) {
    bool small = true, echelon = true;
    memset(pivot, 0, (size_t)p->d * sizeof *pivot);
    for (rows r = all_rows(p, counts); next_row(&r);) {
        const int32_t last = r.idx[r.n - 1];
        for (int64_t q = 0; q < r.n; q++) small = small && r.val[q] != 0;
        small = small && r.n <= 2;
        echelon = echelon && pivot[last] == 0 && r.val[r.n - 1] != 0;
        pivot[last] = 1 + r.number;
    }
    return small ? COMPONENTS : echelon ? ELIMINATION : DENSE;
}

static spdhg_status join_all(spd_joins *g, const spdhg_problem *p, const bool *counts, spdhg_error *err) {
    SPD_TRY(spd_joins_new(g, p->d, err));
    double ratio;
    for (rows r = all_rows(p, counts); next_row(&r);)
        if (r.n == 1)
            g->zero[spd_joins_find(g, r.idx[0], &ratio)] = true;
        else
            spd_joins_add(g, r.idx[0], r.idx[1], r.val[0], r.val[1]);
    return SPDHG_OK;
}

/* F'F with its eigenvectors as rows and the number of eigenvalues that are 0. */
static spdhg_status eigenvectors(const spdhg_problem *p, const bool *counts, double **vectors, int64_t *zeros, spdhg_error *err) {
    const int64_t d = p->d;
    if (d > DENSE_MOST)
        return spd_fail(err, SPDHG_USAGE,
                        "the null space of a structure like this can be found for up to %d features, the data has %lld (give the "
                        "largest lambda)",
                        DENSE_MOST, (long long)d);
    double *G = SPD_NEW(double, d *d), *value = SPD_NEW(double, d), *work = SPD_NEW(double, spd_eigen_work(d));
    spdhg_status status = G && value && work ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)d * (double)d);
    for (rows r = all_rows(p, counts); status == SPDHG_OK && next_row(&r);)
        for (int64_t a = 0; a < r.n; a++)
            for (int64_t b = 0; b < r.n; b++) G[r.idx[a] * d + r.idx[b]] += r.val[a] * r.val[b];
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

static spdhg_status components_basis(spd_nullspace *null, const spdhg_problem *p, spdhg_error *err) {
    spd_joins g;
    SPD_TRY(join_all(&g, p, NULL, err));
    double *square = SPD_NEW(double, p->d);
    int64_t *column = SPD_NEW(int64_t, p->d), free_features = 0;
    spdhg_status status = square && column ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)p->d);
    for (int64_t j = 0; status == SPDHG_OK && j < p->d; j++) {
        double ratio;
        const int64_t r = spd_joins_find(&g, j, &ratio);
        if (g.zero[r]) continue;
        if (r == j) column[j] = null->k++; /* the smallest of its set: seen first */
        square[r] += ratio * ratio;
        free_features++;
    }
    if (status == SPDHG_OK) status = spd_csr_new(&null->N, p->d, null->k, free_features, err);
    for (int64_t j = 0, at = 0; status == SPDHG_OK && j < p->d; null->N.ptr[++j] = at) {
        double ratio;
        const int64_t r = spd_joins_find(&g, j, &ratio);
        if (g.zero[r]) continue;
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

/* Gram and Schmidt, twice for rounding; V has k rows of d numbers. */
static void orthonormalise(int64_t k, int64_t d, double *V) {
    for (int64_t a = 0; a < k; a++) {
        spd_scale(d, 1 / spd_norm2(d, V + a * d), V + a * d);
        for (int round = 0; round < 2; round++)
            for (int64_t b = 0; b < a; b++) spd_axpy(d, -spd_dot(d, V + a * d, V + b * d), V + b * d, V + a * d);
        spd_scale(d, 1 / spd_norm2(d, V + a * d), V + a * d);
    }
}

static const spd_term *term_of(const spdhg_problem *p, int64_t number, int64_t *e) {
    const spd_term *t = p->term;
    for (*e = number; *e >= t->m; t++) *e -= t->m;
    return t;
}

/* Columns that end no row are free, the others follow: x_last = -(the rest of the row)/its last entry. V: k rows of d numbers. */
static void follow(const spdhg_problem *p, const int64_t *pivot, double *V) {
    int64_t free_column = 0;
    for (int64_t j = 0; j < p->d; j++) {
        if (pivot[j] == 0) V[free_column++ * p->d + j] = 1;
        if (pivot[j] == 0) continue;
        int64_t e;
        const spd_csr *F = &term_of(p, pivot[j] - 1, &e)->F->F;
        const int64_t last = F->ptr[e + 1] - 1;
        for (int64_t a = 0; a < free_column; a++) {
            double sum = 0, *x = V + a * p->d;
            for (int64_t q = F->ptr[e]; q < last; q++) sum += F->val[q] * x[F->idx[q]];
            x[j] = -sum / F->val[last];
        }
    }
}

static spdhg_status eliminated_basis(spd_nullspace *null, const spdhg_problem *p, const int64_t *pivot, spdhg_error *err) {
    for (int64_t j = 0; j < p->d; j++) null->k += pivot[j] == 0;
    if ((double)null->k * (double)p->d > BASIS_MOST)
        return spd_fail(err, SPDHG_USAGE,
                        "the null space of the structure has %lld dimensions, too many to write it out (give the largest lambda)",
                        (long long)null->k);
    double *V = SPD_NEW(double, null->k * p->d);
    if (!V) return spd_fail_memory(err, 8.0 * (double)null->k * (double)p->d);
    follow(p, pivot, V);
    orthonormalise(null->k, p->d, V);
    const spdhg_status status = dense_basis(null, p->d, err);
    for (int64_t i = 0; status == SPDHG_OK && i < null->k * p->d; i++) null->N.val[i] = V[i % null->k * p->d + i / null->k];
    spd_free(V);
    return status;
}

static spdhg_status eigen_basis(spd_nullspace *null, const spdhg_problem *p, spdhg_error *err) {
    double *V;
    SPD_TRY(eigenvectors(p, NULL, &V, &null->k, err));
    const spdhg_status status = dense_basis(null, p->d, err);
    for (int64_t i = 0; status == SPDHG_OK && i < null->k * p->d; i++) null->N.val[i] = V[i % null->k * p->d + i / null->k];
    spd_free(V);
    return status;
}

spdhg_status spd_nullspace_new(spd_nullspace *null, const spdhg_problem *p, spdhg_error *err) {
    *null = (spd_nullspace){0};
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda_given > 0 && spd_csr_is_identity(&p->term[t].F->F)) return spd_csr_new(&null->N, p->d, 0, 0, err);
    int64_t *pivot = SPD_NEW(int64_t, p->d);
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    const method how = choose(p, NULL, pivot);
    const spdhg_status status = how == COMPONENTS    ? components_basis(null, p, err)
                                : how == ELIMINATION ? eliminated_basis(null, p, pivot, err)
                                                     : eigen_basis(null, p, err);
    spd_free(pivot);
    if (status != SPDHG_OK) spd_nullspace_free(null);
    return status;
}

spdhg_status spd_nullspace_dimension(const spdhg_problem *p, const bool *counts, int64_t *k, spdhg_error *err) {
    int64_t *pivot = SPD_NEW(int64_t, p->d);
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    const method how = choose(p, counts, pivot);
    spdhg_status status = SPDHG_OK;
    *k = 0;
    if (how == COMPONENTS) {
        spd_joins g;
        status = join_all(&g, p, counts, err);
        for (int64_t j = 0; status == SPDHG_OK && j < p->d; j++) *k += g.root[j] == j && !g.zero[j];
        if (status == SPDHG_OK) spd_joins_free(&g);
    } else if (how == ELIMINATION)
        for (int64_t j = 0; j < p->d; j++) *k += pivot[j] == 0;
    else {
        double *V;
        status = eigenvectors(p, counts, &V, k, err);
        spd_free(V);
    }
    spd_free(pivot);
    return status;
}

/* From the last column to the first: the row that ends there is the last one with an entry in it. */
static void eliminate(const spdhg_problem *p, const int64_t *pivot, double *y, double *v) {
    const int64_t K = p->K;
    for (int64_t j = p->d - 1; j >= 0; j--) {
        if (pivot[j] == 0) continue;
        int64_t e;
        const spd_term *t = term_of(p, pivot[j] - 1, &e);
        const spd_csr *F = &t->F->F;
        const bool identity = spd_csr_is_identity(F);
        double *ye = y + t->first + e * K;
        for (int64_t k = 0; k < K; k++) ye[k] = -v[j * K + k] / (identity ? 1 : F->val[F->ptr[e + 1] - 1]);
        for (int64_t q = identity ? 0 : F->ptr[e]; !identity && q < F->ptr[e + 1]; q++)
            spd_axpy(K, F->val[q], ye, v + F->idx[q] * K);
        if (identity) spd_axpy(K, 1, ye, v + j * K);
    }
}

spdhg_status spd_nullspace_eliminate(const spdhg_problem *p, const double *g, double *y, double *v, bool *unique,
                                     spdhg_error *err) {
    int64_t *pivot = SPD_NEW(int64_t, p->d), rows_counted = 0, pivots = 0;
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    choose(p, NULL, pivot);
    for (rows r = all_rows(p, NULL); next_row(&r);) rows_counted += r.val[r.n - 1] != 0 ? 1 : p->d + 1;
    for (int64_t j = 0; j < p->d; j++) pivots += pivot[j] > 0;
    *unique = pivots == rows_counted;
    memset(y, 0, (size_t)(p->m * p->K) * sizeof *y);
    memcpy(v, g, (size_t)p->dK * sizeof *v);
    if (*unique) eliminate(p, pivot, y, v);
    spd_free(pivot);
    return SPDHG_OK;
}

void spd_nullspace_free(spd_nullspace *null) {
    spd_csr_free(&null->N);
    *null = (spd_nullspace){0};
}

/* null_rows.c - the rows of the stacked F = [F_1; F_2; ...] that count, how their null space is found, and F'y = -g by
 * elimination where every column ends at most one row. */
#include "face/nullspace.h"

spd_null_rows spd_null_rows_all(const spdhg_problem *p, const bool *counts) {
    return (spd_null_rows){.p = p, .counts = counts, .one = 1};
}

bool spd_null_rows_next(spd_null_rows *r) {
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
spd_null_method spd_null_choose(const spdhg_problem *p, const bool *counts, int64_t *pivot) {
    bool small = true, echelon = true;
    memset(pivot, 0, (size_t)p->d * sizeof *pivot);
    for (spd_null_rows r = spd_null_rows_all(p, counts); spd_null_rows_next(&r);) {
        const int32_t last = r.idx[r.n - 1];
        for (int64_t q = 0; q < r.n; q++) small = small && r.val[q] != 0;
        small = small && r.n <= 2;
        echelon = echelon && pivot[last] == 0 && r.val[r.n - 1] != 0;
        pivot[last] = 1 + r.number;
    }
    return small ? SPD_NULL_COMPONENTS : echelon ? SPD_NULL_ELIMINATION : SPD_NULL_DENSE;
}

int64_t spd_null_free_columns(const spdhg_problem *p, const int64_t *pivot) {
    int64_t count = 0;
    for (int64_t j = 0; j < p->d; j++) count += pivot[j] == 0;
    return count;
}

const spd_term *spd_null_term(const spdhg_problem *p, int64_t number, int64_t *e) {
    const spd_term *t = p->term;
    for (*e = number; *e >= t->m; t++) *e -= t->m;
    return t;
}

/* From the last column to the first: the row that ends there is the last one with an entry in it. */
static void eliminate(const spdhg_problem *p, const int64_t *pivot, double *y, double *v) {
    const int64_t K = p->K;
    for (int64_t j = p->d - 1; j >= 0; j--) {
        if (pivot[j] == 0) continue;
        int64_t e;
        const spd_term *t = spd_null_term(p, pivot[j] - 1, &e);
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
    spd_null_choose(p, NULL, pivot);
    for (spd_null_rows r = spd_null_rows_all(p, NULL); spd_null_rows_next(&r);)
        rows_counted += r.val[r.n - 1] != 0 ? 1 : p->d + 1;
    for (int64_t j = 0; j < p->d; j++) pivots += pivot[j] > 0;
    *unique = pivots == rows_counted;
    memset(y, 0, (size_t)(p->m * p->K) * sizeof *y);
    memcpy(v, g, (size_t)p->dK * sizeof *v);
    if (*unique) eliminate(p, pivot, y, v);
    spd_free(pivot);
    return SPDHG_OK;
}

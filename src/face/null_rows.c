/* null_rows.c - the rows of the stacked F = [F_1; F_2; ...] that count, the choice of a method for their null space, and F'y = -g
 * by elimination if every column is the last one of at most one row. */
#include "face/nullspace.h"

bool spd_null_rows_next(spd_rows *r, const bool *counts) {
    while (spd_rows_next(r))
        if (r->term->lambda_given != 0 && (!counts || counts[r->number]) && r->row.n > 0) return true;
    return false;
}

/* pivot[j] = 1 + index of the row whose last column is j, 0 if there is none. */
spd_null_method spd_null_choose(const spdhg_problem *p, const bool *counts, int64_t *pivot) {
    bool small = true, echelon = true;
    memset(pivot, 0, (size_t)p->d * sizeof *pivot);
    for (spd_rows r = spd_rows_of(p); spd_null_rows_next(&r, counts);) {
        const int32_t last = r.row.idx[r.row.n - 1];
        for (int64_t q = 0; q < r.row.n; q++) small = small && r.row.val[q] != 0;
        small = small && r.row.n <= 2;
        echelon = echelon && pivot[last] == 0 && r.row.val[r.row.n - 1] != 0;
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

/* From the last column to the first: only the row that ends in a column still has an unknown y there. */
static void eliminate(const spdhg_problem *p, const int64_t *pivot, double *y, double *v) {
    const int64_t K = p->K;
    for (int64_t j = p->d - 1; j >= 0; j--) {
        if (pivot[j] == 0) continue;
        int64_t e;
        const spd_term *t = spd_null_term(p, pivot[j] - 1, &e);
        spd_csr_row row;
        spd_csr_take(&t->F->F, e, &row);
        double *ye = y + t->first + e * K;
        for (int64_t k = 0; k < K; k++) ye[k] = -v[j * K + k] / row.val[row.n - 1];
        for (int64_t q = 0; q < row.n; q++) spd_axpy(K, row.val[q], ye, v + row.idx[q] * K);
    }
}

spdhg_status spd_nullspace_eliminate(const spdhg_problem *p, const double *g, double *y, double *v, bool *unique,
                                     spdhg_error *err) {
    int64_t *pivot = SPD_NEW(int64_t, p->d), rows_counted = 0, pivots = 0;
    if (!pivot) return spd_fail_memory(err, 8.0 * (double)p->d);
    spd_null_choose(p, NULL, pivot);
    for (spd_rows r = spd_rows_of(p); spd_null_rows_next(&r, NULL);) rows_counted += r.row.val[r.row.n - 1] != 0 ? 1 : p->d + 1;
    for (int64_t j = 0; j < p->d; j++) pivots += pivot[j] > 0;
    *unique = pivots == rows_counted;
    memset(y, 0, (size_t)(p->m * p->K) * sizeof *y);
    memcpy(v, g, (size_t)p->dK * sizeof *v);
    if (*unique) eliminate(p, pivot, y, v);
    spd_free(pivot);
    return SPDHG_OK;
}

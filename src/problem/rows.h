/* rows.h - the rows of F = [F_1; F_2; ...] one after the other, as slices of columns and values.
 *     for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
 *         for (int64_t q = 0; q < r.row.n; q++) ... r.row.val[q] x[r.row.idx[q]] */
#ifndef SPD_ROWS_H
#define SPD_ROWS_H
#include <float.h>

#include "problem/problem.h"

typedef struct spd_rows {
    const spd_term *term, *end;
    int64_t e;      /* row within the term */
    int64_t at;     /* position in y of its first of K entries */
    int64_t number; /* row within the whole stack */
    int64_t K;
    spd_csr_row row; /* not to be copied: see la.h */
} spd_rows;

static inline spd_rows spd_rows_of(const spdhg_problem *p) {
    return (spd_rows){
        .term = p->term, .end = p->terms ? p->term + p->terms : p->term, .e = -1, .at = -p->K, .number = -1, .K = p->K};
}

static inline spd_rows spd_rows_of_term(const spdhg_problem *p, const spd_term *t) {
    return (spd_rows){.term = t, .end = t + 1, .e = -1, .at = t->first - p->K, .number = t->first / p->K - 1, .K = p->K};
}

/* False: no rows are left. */
static inline bool spd_rows_next(spd_rows *r) {
    r->e++;
    r->at += r->K;
    r->number++;
    while (r->term < r->end && r->e >= r->term->m) {
        r->term++;
        r->e = 0;
    }
    if (r->term == r->end) return false;
    spd_csr_take(&r->term->F->F, r->e, &r->row);
    return true;
}

/* Zero in the sense of docs/problem.md: |F_e x| <= 8 eps |F_e||x|, so that rounding in the product is not taken for structure. */
static inline double spd_zero_within(double x_norm) { return 8 * DBL_EPSILON * x_norm; }
/* A sum over the rows of A (ranks/ranks.h), to be completed. */
static inline spd_row_sum spd_sum_of_rows(const spdhg_problem *p, int64_t shards, int64_t width, int64_t stride,
                                          spd_add_rows *add, void *context) {
    return (spd_row_sum){
        .ranks = p->ranks, .rows = p->n, .shards = shards, .width = width, .stride = stride, .add = add, .context = context};
}

/* ---- objective.c: rows of A in ascending order, from one thread. Of data that was given by columns (data/by_columns.c) only a
 * stretch of rows is in memory at a time. What begin returns is handed to the others; end ends the pass. */
bool spd_pass_begin(const spdhg_problem *p);
void spd_pass_row_in_memory(const spdhg_problem *p, int64_t i, spd_row *row); /* without a look at whether it is */
static inline void spd_pass_to(const spdhg_problem *p, bool open, int64_t id) {
    if (open) spd_data_pass_to(p->data, id);
    spd_data_need(p->data, id, 1);
}
static inline void spd_pass_row(const spdhg_problem *p, bool open, int64_t i, spd_row *row) {
    spd_pass_to(p, open, spd_problem_id(p, i));
    spd_pass_row_in_memory(p, i, row);
}
static inline void spd_pass_end(const spdhg_problem *p, bool open) {
    if (open) spd_data_pass_end(p->data);
}
/* The columns as they were given, if they are those of the problem (all rows, no value changed); otherwise NULL. */
const spd_columns_given *spd_problem_columns_given(const spdhg_problem *p);

#endif

/* nullspace.h - the x whose F_t x is 0 in all rows of all terms with lambda_given > 0, or in the rows with counts[e] (rows of
 * all terms one after the other). One output; the K outputs of x are alike. Rows of one or two entries: connected components.
 * Rows with different last columns: elimination. Else a dense matrix, up to SPD_DENSE_MOST features; SPDHG_USAGE beyond. */
#ifndef SPD_NULLSPACE_H
#define SPD_NULLSPACE_H
#include "problem/rows.h"

typedef struct spd_nullspace {
    int64_t k; /* dimension */
    spd_csr N; /* d x k, orthonormal columns */
} spd_nullspace;
/* counts NULL: all rows. SPDHG_USAGE when about more than `most` multiplications are needed; INFINITY: no such limit. */
spdhg_status spd_nullspace_new(spd_nullspace *null, const spdhg_problem *p, const bool *counts, double most, spdhg_error *err);
spdhg_status spd_nullspace_dimension(const spdhg_problem *p, const bool *counts, int64_t *k, spdhg_error *err);
void spd_nullspace_free(spd_nullspace *null);
/* y (m x K) with F'y = -g where rows have different last columns: then it is unique; *unique says if so. v: d x K work, left with
 * g + F'y. */
spdhg_status spd_nullspace_eliminate(const spdhg_problem *p, const double *g, double *y, double *v, bool *unique,
                                     spdhg_error *err);

/* ---- null_rows.c: the rows that count, in the order of the stack, and what can be done with them. */
typedef enum spd_null_method { SPD_NULL_COMPONENTS, SPD_NULL_ELIMINATION, SPD_NULL_DENSE } spd_null_method;

bool spd_null_rows_next(spd_rows *r, const bool *counts); /* to the next row that counts and has entries */
/* pivot[j] = 1 + number of the row whose last column is j, 0 if there is none. */
spd_null_method spd_null_choose(const spdhg_problem *p, const bool *counts, int64_t *pivot);
int64_t spd_null_free_columns(const spdhg_problem *p, const int64_t *pivot);       /* columns that end no row */
const spd_term *spd_null_term(const spdhg_problem *p, int64_t number, int64_t *e); /* of a row of the stack, and its row there */

/* ---- null_basis.c: orthonormal columns, by the method chosen; null is empty before. */
spdhg_status spd_null_join(spd_joins *g, const spdhg_problem *p, const bool *counts, spdhg_error *err);
spdhg_status spd_null_components(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err);
spdhg_status spd_null_eliminated(spd_nullspace *null, const spdhg_problem *p, const int64_t *pivot, spdhg_error *err);
/* The same space, k free columns: exact to rounding however the rows are conditioned, but dense. */
spdhg_status spd_null_complement(spd_nullspace *null, const spdhg_problem *p, const bool *counts, int64_t k, spdhg_error *err);
spdhg_status spd_null_eigen(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err);
/* The rows of *vectors are eigenvectors of F'F (freed by the caller), the first *zeros of them those of eigenvalue 0. */
spdhg_status spd_null_eigenvectors(const spdhg_problem *p, const bool *counts, double **vectors, int64_t *zeros,
                                   spdhg_error *err);
#endif

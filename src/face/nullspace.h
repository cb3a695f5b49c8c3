/* nullspace.h - the x whose F_t x is 0 in all rows of all terms with lambda_given > 0, or in the rows with counts[e] (rows of all
 * terms stacked). For one output; the K outputs of x are alike. There are three methods:
 *   rows of one or two entries         connected components
 *   rows with different last columns   elimination
 *   other rows                         a dense matrix, up to SPD_DENSE_MOST features; SPDHG_USAGE beyond */
#ifndef SPD_NULLSPACE_H
#define SPD_NULLSPACE_H
#include "problem/rows.h"

typedef struct spd_nullspace {
    int64_t k; /* dimension */
    spd_csr N; /* d x k, orthonormal columns */
} spd_nullspace;
/* counts NULL: all rows. SPDHG_USAGE if more than about `most` multiplications are needed; INFINITY: no such limit. */
spdhg_status spd_nullspace_new(spd_nullspace *null, const spdhg_problem *p, const bool *counts, double most, spdhg_error *err);
spdhg_status spd_nullspace_dimension(const spdhg_problem *p, const bool *counts, int64_t *k, spdhg_error *err);
void spd_nullspace_free(spd_nullspace *null);
/* y (m x K) with F'y = -g. It is unique if the rows have different last columns, which *unique tells; otherwise y is set
 * to 0. v: d x K work, set to g + F'y. */
spdhg_status spd_nullspace_eliminate(const spdhg_problem *p, const double *g, double *y, double *v, bool *unique,
                                     spdhg_error *err);

/* ---- null_rows.c: iterates over the rows that count, in the order of the stack, and chooses a method for them. */
typedef enum spd_null_method { SPD_NULL_COMPONENTS, SPD_NULL_ELIMINATION, SPD_NULL_DENSE } spd_null_method;

bool spd_null_rows_next(spd_rows *r, const bool *counts); /* advances to the next row that counts and has entries */
/* pivot[j] = 1 + index of the row whose last column is j, 0 if there is none. */
spd_null_method spd_null_choose(const spdhg_problem *p, const bool *counts, int64_t *pivot);
int64_t spd_null_free_columns(const spdhg_problem *p, const int64_t *pivot);       /* last columns of no row */
const spd_term *spd_null_term(const spdhg_problem *p, int64_t number, int64_t *e); /* term of a stacked row; *e: its row there */

/* ---- null_basis.c: orthonormal columns by each method; null must be empty before. */
spdhg_status spd_null_join(spd_joins *g, const spdhg_problem *p, const bool *counts, spdhg_error *err);
spdhg_status spd_null_components(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err);
spdhg_status spd_null_eliminated(spd_nullspace *null, const spdhg_problem *p, const int64_t *pivot, spdhg_error *err);
/* The same space with k free columns: accurate to rounding even for ill-conditioned rows, but dense. */
spdhg_status spd_null_complement(spd_nullspace *null, const spdhg_problem *p, const bool *counts, int64_t k, spdhg_error *err);
spdhg_status spd_null_eigen(spd_nullspace *null, const spdhg_problem *p, const bool *counts, spdhg_error *err);
/* The rows of *vectors are eigenvectors of F'F; the first *zeros of them have eigenvalue 0. The caller frees *vectors. */
spdhg_status spd_null_eigenvectors(const spdhg_problem *p, const bool *counts, double **vectors, int64_t *zeros,
                                   spdhg_error *err);
#endif

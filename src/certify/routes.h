/* routes.h - routes along rows of F by which the residual of v reaches a row that can absorb it (routes.c). */
#ifndef SPD_ROUTES_H
#define SPD_ROUTES_H
#include "problem/problem.h"

enum { SPD_GROUNDED = -1, SPD_UNREACHED = -2, SPD_BY_INTERCEPT = -3 };
typedef struct spd_routes {
    int64_t bases;     /* components of columns whose residual no row absorbs, so that alpha has to */
    bool joined;       /* some base stands for several columns */
    int32_t *order;    /* columns, each after the one it sends to */
    int32_t *to;       /* the column j sends to; -1: none */
    int64_t *at;       /* first entry of y for the row it sends along; -1: j is the root of a base */
    double *size;      /* |F_ej| of that row */
    int32_t *base;     /* index of its base, the intercept last; SPD_GROUNDED: a row with one entry absorbs everything */
    int64_t *row;      /* the row of A that absorbs what arrives at j (anchors.c); -1: none; NULL: no row of A does */
    signed char *sign; /* of j in the direction of its base, along which F x = 0 */
} spd_routes;
bool spd_routes_is_link(const spd_csr_row *row); /* two entries of equal size */
/* anchor: for each column a row of A with one entry, -1: none; NULL: no rows of A are used. weight: w_i a_ij / W of each. */
bool spd_routes_new(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight);
bool spd_routes_end_at_once(const spd_routes *r, int64_t d); /* at rows of F with one entry, all of one size */
void spd_routes_absorb(const spd_routes *r, const spdhg_problem *p, const double *v, double *y); /* y_e += v_j/F_ej there */
bool spd_routes_none(spd_routes *r, const spdhg_problem *p); /* every column is a base: only alpha absorbs */
/* Sends excess (d x K), known up to an error of doubt, along the routes and adds it up on the way.
 * dy (m x K, 0 before) receives the most that each row carries. */
void spd_routes_carry(const spd_routes *r, int64_t d, int64_t K, double *excess, double *doubt, double *dy);
void spd_routes_free(spd_routes *r);
#endif

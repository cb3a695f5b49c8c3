/* routes.h - ways along rows of F by which what is left of v reaches a place that can take it (routes.c). */
#ifndef SPD_ROUTES_H
#define SPD_ROUTES_H
#include "problem/problem.h"

enum { SPD_GROUNDED = -1, SPD_UNREACHED = -2, SPD_BY_INTERCEPT = -3 };
typedef struct spd_routes {
    int64_t bases;     /* components of columns from which no row takes anything: there alpha has to */
    bool joined;       /* some base stands for several columns */
    int32_t *order;    /* columns, each behind the one it sends to */
    int32_t *to;       /* the column j sends to; -1: none */
    int64_t *at;       /* first place in y of the row it sends along; -1: j is a base's root */
    double *size;      /* |F_ej| of that row */
    int32_t *base;     /* number of its base, the intercept's last; SPD_GROUNDED: a row with one entry takes it all */
    int64_t *row;      /* the row of A that takes what arrives at j (anchors.c); -1: none; NULL: no row does */
    signed char *sign; /* of j in the direction of its base, along which F is 0 */
} spd_routes;
bool spd_routes_is_link(const spd_csr_row *row); /* two entries of equal size */
/* anchor: of each column a row of A with one entry, -1: none; NULL: no rows of A are used. weight: w_i |a_ij| / W of each, with
 * the sign of a_ij. */
bool spd_routes_new(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight);
/* excess (d x K), known up to doubt, is sent along, and added up on the way: dy (m x K, 0 before) = the most that each row carries. */
void spd_routes_carry(const spd_routes *r, int64_t d, int64_t K, double *excess, double *doubt, double *dy);
void spd_routes_free(spd_routes *r);
#endif

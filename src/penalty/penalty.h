/* penalty.h - the table of penalties r(z) = max { <y,z> : y in Y }. The struct is public (spdhg_penalty in spdhg.h): a user can
 * define a penalty in the same way. Different blocks do not constrain each other's y. */
#ifndef SPD_PENALTY_H
#define SPD_PENALTY_H
#include "core/core.h"

typedef spdhg_penalty spd_penalty;

extern const spd_penalty spd_penalty_l1, spd_penalty_group, spd_penalty_linf, spd_penalty_nuclear;

const spd_penalty *const *spd_penalty_table(int *entries);
spdhg_status spd_penalty_find(const char *name, const spd_penalty **out, spdhg_error *err);
double spd_penalty_inner_one(const spd_penalty *r, int64_t rows, int64_t K); /* the Euclidean unit ball is in Y */
spdhg_status spd_penalty_check(const spd_penalty *r, spdhg_error *err);      /* it has all that it must have */
/* simplex.c, shared with the sets: exact projections in expected O(n), also with ties and zeros; work has n entries. */
void spd_project_l1_ball(int64_t n, double radius, double *v, double *work); /* onto { ||v||_1 <= radius } */
void spd_project_simplex(int64_t n, double radius, double *v, double *work); /* onto { v >= 0, sum v = radius } */
#endif

/* l1ball.c - X = { ||x||_1 <= R }, the constrained form of the lasso.
 * Support function: R max |u_j|. */
#include "la/la.h"
#include "penalty/penalty.h"
#include "set/set.h"

static const char *check(const double *R) { return R[0] > 0 && isfinite(R[0]) ? NULL : "the radius R must be a number above 0"; }

static void project(int64_t n, const double *R, double *x, double *work) { spd_project_l1_ball(n, R[0], x, work); }

static double diameter(int64_t n, const double *R) { return n > 0 ? 2 * R[0] : 0; }

static double support(int64_t n, const double *R, const double *u) { return R[0] * spd_max_abs(n, u); }

const spd_set_kind spd_set_l1ball = {.name = "l1ball",
                                     .help = "sum of absolute values at most R; l1ball:R",
                                     .args = 1,
                                     .check = check,
                                     .project = project,
                                     .diameter = diameter,
                                     .support = support,
                                     .bounded = true};

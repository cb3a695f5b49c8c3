/* ball.c - X = { ||x||_2 <= R }.
 * Support function: R ||u||_2. */
#include "la/la.h"
#include "set/set.h"

static const char *check(const double *R) { return R[0] > 0 && isfinite(R[0]) ? NULL : "the radius R must be a number above 0"; }

static void project(int64_t n, const double *R, double *x, double *work) {
    (void)work;
    const double length = spd_norm2(n, x);
    if (length > R[0]) spd_scale(n, R[0] / length, x);
}

static double diameter(int64_t n, const double *R) { return n > 0 ? 2 * R[0] : 0; }

static double support(int64_t n, const double *R, const double *u) { return R[0] * spd_norm2(n, u); }

const spd_set_kind spd_set_ball = {.name = "ball",
                                   .help = "Euclidean norm at most R; ball:R",
                                   .args = 1,
                                   .check = check,
                                   .project = project,
                                   .diameter = diameter,
                                   .support = support,
                                   .bounded = true};

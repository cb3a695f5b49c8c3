/* ball.c - X = { ||x||_2 <= R }.
 * Support function: R ||u||_2. */
#include <float.h>

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

/* Relative to R: if x is this near to the boundary, the sign of the multiplier tells whether it is on it. */
static const double NEAR = 1e-6;

static spd_set_side side(int64_t n, const double *R, const double *x, double *s) {
    memcpy(s, x, (size_t)n * sizeof *s);
    return spd_norm2(n, x) < (1 - NEAR) * R[0] ? SPD_SIDE_NONE : SPD_SIDE_OUTWARD;
}

/* With the multiplier tau >= 0 of ||P|| <= R
 *     h*(-v) <= ||v||^2 / (2 (gamma + tau)) + tau R^2/2
 * so that the bracket is at most
 *     ||v + (gamma + tau) x||^2 / (2 (gamma + tau)) + tau (R^2 - ||x||^2)/2
 * for any tau >= 0. */
static double bracket(int64_t n, const double *R, double gamma, const double *x, const double *v, const double *e, double *work) {
    const double off = spd_norm2(n, e), length = spd_norm2(n, x);
    const double tau = fmax((spd_norm2(n, v) + off) / R[0] - gamma, 0), all = gamma + tau;
    if (!(all > 0)) return 0;
    for (int64_t j = 0; j < n; j++) work[j] = v[j] + all * x[j];
    const double rounded = ((double)n + 8) * DBL_EPSILON;
    const double miss = spd_norm2(n, work) + off + 4 * DBL_EPSILON * (spd_norm2(n, v) + all * length);
    return (miss * (miss / (2 * all)) + 0.5 * tau * fmax((R[0] - length) * (R[0] + length), 0)) * (1 + rounded) +
           rounded * tau * R[0] * R[0];
}

const spd_set_kind spd_set_ball = {.name = "ball",
                                   .help = "Euclidean norm at most R; ball:R",
                                   .args = 1,
                                   .check = check,
                                   .project = project,
                                   .diameter = diameter,
                                   .support = support,
                                   .bracket = bracket,
                                   .side = side,
                                   .bounded = true,
                                   .symmetric = true,
                                   .length = true};

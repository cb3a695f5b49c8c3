/* simplex.c - X = { x >= 0, sum x = R }: mixtures, portfolios.
 * Support function: R max u_j. */
#include "penalty/penalty.h"
#include "set/set.h"

static const char *check(const double *R) { return R[0] > 0 && isfinite(R[0]) ? NULL : "the sum R must be a number above 0"; }

static void project(int64_t n, const double *R, double *x, double *work) { spd_project_simplex(n, R[0], x, work); }

static double diameter(int64_t n, const double *R) { return n > 1 ? M_SQRT2 * R[0] : 0; }

static double support(int64_t n, const double *R, const double *u) {
    double top = n > 0 ? u[0] : 0;
    for (int64_t j = 1; j < n; j++) top = u[j] > top ? u[j] : top;
    return R[0] * top;
}

const spd_set_kind spd_set_simplex = {.name = "simplex",
                                      .help = "no coefficient below 0, their sum is R; simplex:R",
                                      .args = 1,
                                      .check = check,
                                      .project = project,
                                      .diameter = diameter,
                                      .support = support,
                                      .bounded = true};

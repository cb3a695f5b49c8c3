/* box.c - X = { LO <= x_j <= HI }, either side may be infinite.
 * Support function: sum_j max(LO u_j, HI u_j), where an infinite side counts only if u_j points towards it. */
#include "set/set.h"

static const char *check(const double *arg) {
    return arg[0] <= arg[1] && arg[0] < INFINITY && arg[1] > -INFINITY ? NULL
                                                                       : "LO must not exceed HI, and numbers must lie between";
}

static void project(int64_t n, const double *arg, double *x, double *work) {
    (void)work;
    for (int64_t j = 0; j < n; j++) x[j] = x[j] < arg[0] ? arg[0] : x[j] > arg[1] ? arg[1] : x[j];
}

static double diameter(int64_t n, const double *arg) { return n > 0 ? sqrt((double)n) * (arg[1] - arg[0]) : 0; }

static double support(int64_t n, const double *arg, const double *u) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += u[j] > 0 ? arg[1] * u[j] : u[j] < 0 ? arg[0] * u[j] : 0;
    return sum;
}

static double bracket(int64_t n, const double *arg, double gamma, const double *x, const double *v, const double *e,
                      double *work) {
    (void)work;
    return spd_sides_bracket(n, arg[0], arg[1], gamma, x, v, e);
}

static void sides(const double *arg, double *low, double *high) {
    *low = arg[0];
    *high = arg[1];
}

const spd_set_kind spd_set_box = {.name = "box",
                                  .help = "every coefficient between LO and HI (-inf and inf allowed); box:LO,HI",
                                  .args = 2,
                                  .check = check,
                                  .project = project,
                                  .diameter = diameter,
                                  .support = support,
                                  .bracket = bracket,
                                  .separable = true,
                                  .bounded = true,
                                  .sides = sides};

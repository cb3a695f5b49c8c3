/* nonneg.c - X = { x >= 0 }.
 * Support function: 0 if u <= 0, infinite otherwise. */
#include "set/set.h"

static void project(int64_t n, const double *arg, double *x, double *work) {
    (void)arg, (void)work;
    for (int64_t j = 0; j < n; j++) x[j] = x[j] < 0 ? 0 : x[j];
}

static double diameter(int64_t n, const double *arg) {
    (void)n, (void)arg;
    return INFINITY;
}

static double support(int64_t n, const double *arg, const double *u) {
    (void)arg;
    for (int64_t j = 0; j < n; j++)
        if (!(u[j] <= 0)) return INFINITY;
    return 0;
}

static double bracket(int64_t n, const double *arg, double gamma, const double *x, const double *v, const double *e,
                      double *work) {
    (void)arg, (void)work;
    return spd_sides_bracket(n, 0, INFINITY, gamma, x, v, e);
}

static void sides(const double *arg, double *low, double *high) {
    (void)arg;
    *low = 0;
    *high = INFINITY;
}

const spd_set_kind spd_set_nonneg = {.name = "nonneg",
                                     .help = "no coefficient below 0",
                                     .project = project,
                                     .diameter = diameter,
                                     .support = support,
                                     .bracket = bracket,
                                     .separable = true,
                                     .sides = sides};

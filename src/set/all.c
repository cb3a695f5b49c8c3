/* all.c - X = R^n, no restriction.
 * Support function: 0 at u = 0, infinite elsewhere. */
#include "la/la.h"
#include "set/set.h"

static void project(int64_t n, const double *arg, double *x, double *work) { (void)n, (void)arg, (void)x, (void)work; }

static double diameter(int64_t n, const double *arg) {
    (void)n, (void)arg;
    return INFINITY;
}

static double support(int64_t n, const double *arg, const double *u) {
    (void)arg;
    return spd_count_nonzero(n, u) == 0 ? 0 : INFINITY;
}

static double bracket(int64_t n, const double *arg, double gamma, const double *x, const double *v, const double *e,
                      double *work) {
    (void)arg, (void)work;
    return spd_sides_bracket(n, -INFINITY, INFINITY, gamma, x, v, e);
}

const spd_set_kind spd_set_all = {.name = "all",
                                  .help = "no restriction",
                                  .project = project,
                                  .diameter = diameter,
                                  .support = support,
                                  .bracket = bracket,
                                  .separable = true,
                                  .whole = true,
                                  .symmetric = true};

/* sides.c - the bracket of sets that bound each coordinate separately (set.h). P = -v/gamma, clipped to low and high. If P is not
 * clipped the bracket is
 *     (v + gamma x)^2 / (2 gamma)
 * and if P is at the side s
 *     (x - s) ((v + gamma s) + gamma (x - s)/2)
 * It is convex in v, so that its maximum over [v - e, v + e] is at one of the ends. */
#include <float.h>

#include "set/set.h"

static double at(double low, double high, double gamma, double x, double v) {
    if (gamma == 0) return v > 0 ? v * (x - low) : v < 0 ? v * (x - high) : 0;
    const double P = -v / gamma, s = P < low ? low : high;
    if (P >= low && P <= high) return (v + gamma * x) * ((v + gamma * x) / (2 * gamma));
    return (x - s) * ((v + gamma * s) + 0.5 * gamma * (x - s));
}

double spd_sides_bracket(int64_t n, double low, double high, double gamma, const double *x, const double *v, const double *e) {
    const double side = fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        const double off = e[j] + 4 * DBL_EPSILON * (fabs(v[j]) + gamma * (fabs(x[j]) + side));
        const double down = at(low, high, gamma, x[j], v[j] - off), up = at(low, high, gamma, x[j], v[j] + off);
        if (isnan(down) || isnan(up)) return INFINITY;
        sum += fmax(fmax(down, up), 0) * (1 + 8 * DBL_EPSILON);
    }
    return sum * (1 + (double)n * DBL_EPSILON);
}

/* sides.h - a set X that bounds every coefficient between low <= 0 and high >= 0, either of which may be infinite. x_j at a
 * side other than 0 is active, but moves only if its slope points into X; it is no unknown of a face. */
#ifndef SPD_LASSO_SIDES_H
#define SPD_LASSO_SIDES_H
#include "lasso/lasso.h"

static inline double spd_lasso_inside(const spd_lasso *a, double x) { return x < a->low ? a->low : x > a->high ? a->high : x; }

/* How far x_j may go on the side of this sign. */
static inline double spd_lasso_reach(const spd_lasso *a, double sign) { return sign > 0 ? a->high : -a->low; }

/* The size of a slope of the loss that pulls x_j = 0 into X; above lambda, x_j = 0 is wrong. A NaN stays one. */
static inline double spd_lasso_pull(const spd_lasso *a, double g) {
    const double up = (a->high > 0 ? -1 : 0) * g, down = (a->low < 0 ? 1 : 0) * g;
    return up > down ? up : down;
}

static inline bool spd_lasso_at_side(const spd_lasso *a, double x) { return x != 0 && (x == a->low || x == a->high); }

/* How far the slope of f, lambda |x_j| with it, is from that of the optimum at x_j != 0; g: of the loss. */
static inline double spd_lasso_slope_off(const spd_lasso *a, double x, double g) {
    const double s = g + a->p->gamma * x + copysign(spd_lasso_lambda(a), x);
    return spd_lasso_at_side(a, x) ? fmax(x > 0 ? s : -s, 0) : fabs(s);
}
#endif

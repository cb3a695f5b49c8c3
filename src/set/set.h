/* set.h - closed convex sets X for x (all d*K numbers of it together). */
#ifndef SPD_SET_H
#define SPD_SET_H
#include <float.h>

#include "core/core.h"

/* h(x) = (gamma/2)||x||^2 on X. With h*(u) = max { <u,P> - h(P) : P in X },
 *     h(x) + <v,x> + h*(-v)   is never negative for x in X, and 0 where x is the maximiser P.
 * `bracket` bounds it from above, rounding counted, for every v' with |v'_j - v_j| <= e_j. */
typedef struct spd_set_kind {
    const char *name, *help;
    int args;                                                               /* numbers behind ':' separated by ',' */
    const char *(*check)(const double *arg);                                /* NULL, or what is wrong */
    void (*project)(int64_t n, const double *arg, double *x, double *work); /* work has n numbers */
    double (*diameter)(int64_t n, const double *arg);                       /* INFINITY if unbounded */
    double (*support)(int64_t n, const double *arg, const double *u);       /* max { <u,x> : x in X } */
    double (*bracket)(int64_t n, const double *arg, double gamma, const double *x, const double *v, const double *e,
                      double *work); /* work has 2 n numbers; INFINITY where -v' may lie outside of dom h* */
    bool separable;                  /* projection acts on each number by itself */
    bool bounded;                    /* for finite arguments; isfinite(diameter) also knows of box:-inf,1 */
} spd_set_kind;

extern const spd_set_kind spd_set_all, spd_set_ball, spd_set_box, spd_set_nonneg, spd_set_l1ball, spd_set_simplex;
const spd_set_kind *const *spd_set_table(int *entries);
typedef struct spd_set {
    const spd_set_kind *kind;
    double arg[2];
} spd_set;
/* That bracket for one coordinate between low and high. P = -v/gamma cut off at them; inside it is (v + gamma x)^2 / (2 gamma), at
 * the side s it is (x - s) ((v + gamma s) + gamma (x - s)/2). It is convex in v, so the ends of v - e .. v + e have the largest. */
static inline double spd_side_bracket_at(double low, double high, double gamma, double x, double v) {
    if (gamma == 0) return v > 0 ? v * (x - low) : v < 0 ? v * (x - high) : 0;
    const double P = -v / gamma, s = P < low ? low : high;
    if (P >= low && P <= high) return (v + gamma * x) * ((v + gamma * x) / (2 * gamma));
    return (x - s) * ((v + gamma * s) + 0.5 * gamma * (x - s));
}
static inline double spd_side_bracket(double low, double high, double gamma, double x, double v, double e) {
    const double side = fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
    const double off = e + 4 * DBL_EPSILON * (fabs(v) + gamma * (fabs(x) + side));
    const double down = spd_side_bracket_at(low, high, gamma, x, v - off), up = spd_side_bracket_at(low, high, gamma, x, v + off);
    const double most = fmax(fmax(down, up), 0) * (1 + 8 * DBL_EPSILON);
    return isnan(down) || isnan(up) ? INFINITY : most;
}
/* Between which every number of x has to be; infinite where it may be anything, 0 and up for the simplex. */
void spd_set_sides(const spd_set *set, double *low, double *high);
/* x, in X but for rounding, into X: zeros stay zeros. work has n numbers. */
void spd_set_round(const spd_set *set, int64_t n, double *x, double *work);
spdhg_status spd_set_find(const char *spec, spd_set *out, spdhg_error *err);
#endif

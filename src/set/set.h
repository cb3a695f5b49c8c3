/* set.h - closed convex sets X for x (all its d K entries together). */
#ifndef SPD_SET_H
#define SPD_SET_H
#include "core/core.h"

/* h(x) = (gamma/2)||x||^2 on X. With
 *     h*(u) = max { <u,P> - h(P) : P in X }
 * the bracket
 *     h(x) + <v,x> + h*(-v)
 * is never negative for x in X, and 0 if x is the maximiser P. `bracket` bounds it from above, including rounding, for every v'
 * with |v'_j - v_j| <= e_j. */
typedef enum spd_set_side { SPD_SIDE_NONE, SPD_SIDE_OUTWARD, SPD_SIDE_FIXED } spd_set_side; /* x is inside; tau >= 0; any tau */
typedef struct spd_set_kind {
    const char *name, *help;
    int args;                                                               /* numbers after ':', separated by ',' */
    const char *(*check)(const double *arg);                                /* NULL, or what is wrong */
    void (*project)(int64_t n, const double *arg, double *x, double *work); /* work: n doubles */
    double (*diameter)(int64_t n, const double *arg);                       /* INFINITY if unbounded */
    double (*support)(int64_t n, const double *arg, const double *u);       /* max { <u,x> : x in X } */
    double (*bracket)(int64_t n, const double *arg, double gamma, const double *x, const double *v, const double *e,
                      double *work); /* work: 2 n doubles; INFINITY where -v' may lie outside dom h* */
    /* The multiplier tau of X, for sets that couple entries of x. If x is on the boundary, the best x satisfies
     *     v + gamma x + tau s = 0
     * except for entries that are held (s_j = 0). NULL: there is none. */
    spd_set_side (*side)(int64_t n, const double *arg, const double *x, double *s);
    void (*sides)(const double *arg, double *low, double *high);          /* bounds of every entry; NULL: unbounded */
    void (*round)(int64_t n, const double *arg, double *x, double *work); /* as spd_set_round; NULL: the projection */
    bool separable;                                                       /* the projection acts on each entry separately */
    bool whole;                                                           /* X = R^n */
    bool symmetric;                                                       /* X = -X for all arguments */
    bool length;                                                          /* X = { ||x||_2 <= arg[0] } */
    bool sum_of_sizes; /* X = { sum |x_j| <= arg[0] }: its corners have zeros */
    bool sum;          /* sum x_j = arg[0] for all x in X */
    bool bounded;      /* for finite arguments; isfinite(diameter) also handles box:-inf,1 */
} spd_set_kind;

extern const spd_set_kind spd_set_all, spd_set_ball, spd_set_box, spd_set_nonneg, spd_set_l1ball, spd_set_simplex;
const spd_set_kind *const *spd_set_table(int *entries);
typedef struct spd_set {
    const spd_set_kind *kind;
    double arg[2];
} spd_set;
spd_set spd_set_whole(void);
/* sides.c: the bracket if every coordinate is between low and high. */
double spd_sides_bracket(int64_t n, double low, double high, double gamma, const double *x, const double *v, const double *e);
/* Bounds on every entry of x; infinite if there are none, 0 and infinity for the simplex. */
void spd_set_sides(const spd_set *set, double *low, double *high);
/* Moves x, which is in X up to rounding, into X: zeros stay zeros. work: n doubles. */
void spd_set_round(const spd_set *set, int64_t n, double *x, double *work);
spdhg_status spd_set_find(const char *spec, spd_set *out, spdhg_error *err);
#endif

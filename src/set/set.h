/* set.h - closed convex sets X for x (all d*K numbers of it together). */
#ifndef SPD_SET_H
#define SPD_SET_H
#include "core/core.h"

typedef struct spd_set_kind {
    const char *name, *help;
    int args;                                                               /* numbers behind ':' separated by ',' */
    const char *(*check)(const double *arg);                                /* NULL, or what is wrong */
    void (*project)(int64_t n, const double *arg, double *x, double *work); /* work has n numbers */
    double (*diameter)(int64_t n, const double *arg);                       /* INFINITY if unbounded */
    double (*support)(int64_t n, const double *arg, const double *u);       /* max { <u,x> : x in X } */
    bool separable;                                                         /* projection acts on each number by itself */
    bool bounded; /* for finite arguments; isfinite(diameter) also knows of box:-inf,1 */
} spd_set_kind;

extern const spd_set_kind spd_set_all, spd_set_ball, spd_set_box, spd_set_nonneg, spd_set_l1ball, spd_set_simplex;
const spd_set_kind *const *spd_set_table(int *entries);
typedef struct spd_set {
    const spd_set_kind *kind;
    double arg[2];
} spd_set;
/* Between which every number of x has to be; infinite where it may be anything, 0 and up for the simplex. */
void spd_set_sides(const spd_set *set, double *low, double *high);
/* x, in X but for rounding, into X: zeros stay zeros. work has n numbers. */
void spd_set_round(const spd_set *set, int64_t n, double *x, double *work);
spdhg_status spd_set_find(const char *spec, spd_set *out, spdhg_error *err);
#endif

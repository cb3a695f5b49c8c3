/* working_set.h - which entries of F x may become nonzero. */
#ifndef SPD_WORKING_SET_H
#define SPD_WORKING_SET_H
#include "face/tree_flow.h"

/* Where a solver is, and scratch it lends. */
typedef struct spd_iterate {
    double *x, *y, *Fx;
    const double *g;                   /* gradient of the smooth part at x */
    double *Ftrial, *term, *scratch_n; /* scratch: m x K; the penalties'; (x, c) */
    spd_stop *stop;                    /* asked on the way to what is opened */
} spd_iterate;

/* Improves y on the entries that are zero at x (b->Fx, set by the caller) so that g + F'y falls; then opens the entries whose
 * dual wants out of its ball, at most so many that `most` unknowns result, and those that are not zero already. False if these
 * alone are more, or, with ridge, nearly fill it and others want in. */
bool spd_working_set(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, const spd_tree_flow *flow,
                     double *work);
/* For a start whose F x is zero almost nowhere, such as a stochastic method leaves: where `most` unknowns do not hold it, x moves
 * to the nearest point with F x = 0 wherever y lies inside its ball, if that one fits; true then. */
bool spd_working_set_enter(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, double *work);
int64_t spd_working_set_work(const spdhg_problem *p);
#endif

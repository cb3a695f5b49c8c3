/* working_set.h - which entries of F x may become nonzero. */
#ifndef SPD_WORKING_SET_H
#define SPD_WORKING_SET_H
#include "face/tree_flow.h"

/* The solver's current point, and scratch that it provides. */
typedef struct spd_iterate {
    double *x, *y, *Fx;
    const double *g;                   /* gradient of the smooth part at x */
    double *Ftrial, *term, *scratch_n; /* scratch: m x K; the penalties'; (x, c) */
    spd_stop *stop;                    /* asked in the loops */
} spd_iterate;

/* Improves y on the entries that are zero at x (b->Fx, set by the caller) to reduce ||g + F'y||. Then opens the nonzero entries
 * and those whose dual step leaves its ball, as long as at most `most` unknowns result. False if the nonzero entries alone need
 * more or, with a ridge, nearly as many while others should open as well. full: `most` keeps entries closed that should open. */
bool spd_working_set(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, const spd_tree_flow *flow,
                     double *work, bool *full);
/* For a start whose F x is zero almost nowhere, such as the result of a stochastic method. If it needs more than `most` unknowns,
 * x moves to the nearest point with F x = 0 wherever y lies inside its ball, if that point fits. True if x moved. */
bool spd_working_set_enter(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, double *work);
int64_t spd_working_set_work(const spdhg_problem *p);
#endif

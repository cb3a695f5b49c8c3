/* zeros.h - which entries of F x are zero at the minimiser, read off an x or a y near it. open (m x K): 1 where an entry may be
 * other than 0; both functions only add to it. work: spd_problem_term_work numbers. */
#ifndef SPD_ZEROS_H
#define SPD_ZEROS_H
#include "problem/problem.h"

/* How long a part of F x (l1: a number; group: a group) is at most where it counts as zero: absolute, or relative to the largest
 * number of its term, whichever is more. Penalties whose parts do not vanish: all is open. */
typedef struct spd_small {
    double absolute, relative;
} spd_small;
void spd_zeros_of_primal(const spdhg_problem *p, const double *Fx, spd_small small, double *open, double *work);
/* Where y is inside of its ball strictly, by `margin` of lambda, F x is 0, whatever the norm; without lambda it is nowhere. */
void spd_zeros_of_dual(const spdhg_problem *p, const double *y, double margin, double *open, double *work);
/* By how much a converged y that is inside is inside: its error is far below, what it decides is checked afterwards. */
#define SPD_STRICTLY 1e-7
#endif

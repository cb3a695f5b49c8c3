/* zeros.h - which entries of F x are zero at the minimiser, judged from an x or a y near it. open (m x K): 1 where an entry may
 * be nonzero; both functions only add to it. work: spd_problem_term_work doubles. */
#ifndef SPDHG_ZEROS_H
#define SPDHG_ZEROS_H
#include "problem/problem.h"

/* The largest norm of a part of F x (l1: an entry; group: a group) that counts as zero: absolute, or relative to the largest
 * entry of its term, whichever is larger. Everything is open for penalties whose parts do not vanish. */
typedef struct spd_small {
    double absolute, relative;
} spd_small;
void spd_zeros_of_primal(const spdhg_problem *p, const double *Fx, spd_small small, double *open, double *work);
/* F x is taken as 0 where y is strictly inside its ball, by `margin` lambda, whatever the norm; nowhere if lambda is 0. */
void spd_zeros_of_dual(const spdhg_problem *p, const double *y, double margin, double *open, double *work);
/* The margin for a converged y: its error is far smaller, and decisions based on it are checked afterwards. */
#define SPD_STRICTLY 1e-7
#endif

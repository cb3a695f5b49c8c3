/* recession.h - directions along which f never rises: F u = 0 and no loss grows. Along them f may fall for ever, so that there is
 * no minimiser but only an infimum. */
#ifndef SPD_RECESSION_H
#define SPD_RECESSION_H
#include "problem/problem.h"

/* ---- forced.c: without ridge, X = R^d and F x = 0 for some x other than 0; nothing is found where it is not so. */
typedef struct spd_recession {
    uint8_t *forced; /* not 0 for the rows whose alpha must be 0; NULL: there are none */
    double *push;    /* with it: an x that brings their loss near 0 and leaves the penalty and all other rows alone */
    bool unattained; /* f falls for ever along some direction, from every x: no minimiser exists */
} spd_recession;
spdhg_status spd_recession_find(spd_recession *r, const spdhg_problem *p, spdhg_error *err);
void spd_recession_free(spd_recession *r);

/* ---- separate.c: logistic loss, one output, X = R^d, no ridge. *found: (u, *c) separates the rows, F u = 0 but for rounding,
 * and every row's loss there is at most exp(-50); u is along the point with F u = 0 that is nearest to x. */
spdhg_status spd_recession_separate(const spdhg_problem *p, int threads, const double *x, double *u, double *c, bool *found,
                                    spdhg_error *err);
#endif

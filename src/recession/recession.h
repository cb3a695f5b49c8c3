/* recession.h - directions along which f never increases: F u = 0, and no loss increases. If f decreases forever along one of
 * them, there is no minimiser, only an infimum. */
#ifndef SPD_RECESSION_H
#define SPD_RECESSION_H
#include "problem/problem.h"

/* ---- forced.c: requires no ridge, an X that is unbounded and separable, and F x = 0 for some x other than 0; otherwise
 * nothing is found. */
typedef struct spd_recession {
    uint8_t *forced; /* nonzero for rows whose alpha must be 0; NULL: there are none */
    double *push; /* allocated with forced: an x that brings their losses near 0 and does not affect the penalty or other rows */
    bool unattained; /* f decreases forever along some direction, from every x: no minimiser exists */
} spd_recession;
spdhg_status spd_recession_find(spd_recession *r, const spdhg_problem *p, spdhg_error *err);
void spd_recession_free(spd_recession *r);

/* ---- separate.c: logistic or softmax loss, X = R^d, no ridge. *found: (u, c) separates the rows, F u = 0 up to rounding, and
 * every row's loss there is about exp(-50). u is a multiple of the point nearest to x with F u = 0. c: before, the iterate's. */
spdhg_status spd_recession_separate(const spdhg_problem *p, int threads, const double *x, double *u, double *c, bool *found,
                                    spdhg_error *err);
#endif

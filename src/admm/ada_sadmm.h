/* ada_sadmm.h - what the two adaptive stochastic ADMMs share: the constants, and the diagonal metric of the intercept. */
#ifndef SPD_ADA_SADMM_H
#define SPD_ADA_SADMM_H
#include "admm/admm.h"

enum { SPD_ADA_ETA, SPD_ADA_A, SPD_ADA_RHO, SPD_ADA_PARAMS }; /* the first parameters of both */

typedef struct spd_ada_sadmm {
    spd_admm admm;
    double eta, a;
    double *squares_c; /* state, taken by the caller: sums of squares of the intercept's gradients */
} spd_ada_sadmm;

void spd_ada_start(spd_run *run, spd_ada_sadmm *self, const double *x0, const double *c0, const double *y0);
void spd_ada_intercept(spd_ada_sadmm *self, const spdhg_problem *p); /* c_{t+1} */
#endif

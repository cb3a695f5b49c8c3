/* alm_ssn.h - what alm_ssn.c and its line search share. */
#ifndef SPD_ALM_SSN_H
#define SPD_ALM_SSN_H
#include "newton/newton.h"

/* Numbers of the state. INNER: Newton steps made in this outer iteration; FIRST: the first gradient's norm. */
enum { SPD_ALM_RHO, SPD_ALM_SIG, SPD_ALM_DAMP, SPD_ALM_INNER, SPD_ALM_GOAL, SPD_ALM_FIRST, SPD_ALM_SCALARS };

typedef struct spd_alm_ssn {
    spd_newton base;
    double *centre, *scalar;           /* state: x_j; the numbers above */
    double *D, *S;                     /* state: the metric of x; that of F x, m x K */
    double *recent;                    /* state: diag(A'CA/W) of this outer iteration's start */
    double *v, *pi;                    /* work: y + rho F x and its projection, m x K */
    double *grad, *dx, *diagonal, *cg; /* work */
    double *Fp, *Fu;                   /* work: m x K */
} spd_alm_ssn;

/* ---- alm_ssn_search.c */
/* v = y + rho S F x, pi = Pi(v); env = (v'pi - ||pi||^2/2 - ||y||^2/2)/(rho S) up to a constant that all x share. */
double spd_alm_envelope(spd_alm_ssn *self, const spdhg_problem *p, const double *Fx);
/* x += t dx: Armijo on Psi, then on while halving lowers it, for kinks make the first t that is good enough far from the best.
 * False if no t is accepted. */
bool spd_alm_search(spd_alm_ssn *self, spd_run *run, double slope);
#endif

/* alm_ssn.h - shared by alm_ssn.c and its line search. */
#ifndef SPD_ALM_SSN_H
#define SPD_ALM_SSN_H
#include "newton/newton.h"

/* Scalars of the state. INNER: Newton steps made in this outer iteration. FIRST: norm of its first gradient. */
enum { SPD_ALM_RHO, SPD_ALM_SIG, SPD_ALM_DAMP, SPD_ALM_INNER, SPD_ALM_GOAL, SPD_ALM_FIRST, SPD_ALM_SCALARS };

typedef struct spd_alm_ssn {
    spd_newton base;
    double *centre, *scalar;           /* state: x_j; the scalars above */
    double *D, *S;                     /* state: the metric of x; the metric of Fx, m x K */
    double *recent;                    /* state: diag(A'CA/W) at the start of this outer iteration */
    double *v, *pi;                    /* work: y + rho S F x and its projection, m x K */
    double *grad, *dx, *diagonal, *cg; /* work */
    double *Fp, *Fu;                   /* work: m x K */
} spd_alm_ssn;

/* ---- alm_ssn_search.c */
/* v = y + rho S F x,  pi = Pi(v). Returns, up to a constant that is the same for every x,
 *   env = (v'pi - ||pi||^2/2 - ||y||^2/2)/(rho S) */
double spd_alm_envelope(spd_alm_ssn *self, const spdhg_problem *p, const double *Fx);
/* x += t dx. Armijo's rule on Psi finds t; t is then halved as long as that lowers Psi further, because kinks can leave the
 * first acceptable t far from the best one. False if no t is accepted. */
bool spd_alm_search(spd_alm_ssn *self, spd_run *run, double slope);
#endif

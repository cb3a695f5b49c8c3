/* sgadm.h - the step shared by SGADM and the deterministic GADM: z first, then x linearised, then the multiplier.
 *     z^{k+1} = prox_{lambda r/rho}( F x^k + y^k/rho )
 *     x^{k+1} = Pi_X[ x^k - eta ( g + F'(y^k + rho (F x^k - z^{k+1})) ) ]
 *     y^{k+1} = y^k + rho (F x^{k+1} - z^{k+1})
 * By Moreau's identity
 *     y^k + rho (F x^k - z^{k+1}) = Pi_{lambda Y}(y^k + rho F x^k) =: yhat
 * which is in the dual ball. y^{k+1} need not be, so that yhat is averaged and returned. */
#ifndef SPD_SGADM_H
#define SPD_SGADM_H
#include "admm/admm.h"

typedef struct spd_sgadm {
    spd_admm admm;
    double C; /* L + rho ||F||^2 */
} spd_sgadm;

enum { SPD_SGADM_PARAM_RHO, SPD_SGADM_PARAM_L, SPD_SGADM_PARAMS };
extern const spd_param spd_sgadm_param[SPD_SGADM_PARAMS];

void spd_sgadm_start(spd_run *run, const double *x0, const double *c0, const double *y0);
void spd_sgadm_advance(spd_sgadm *self, const spdhg_problem *p, double eta); /* g, gc hold the gradient of l and the ridge */
#endif

/* primal_dual.h - shared by PD3O, Condat-Vu and the variance-reduced forms: the state and the steps T = diag(tau), S = diag(s).
 *
 *     minimise over x in X   l(x) + (gamma/2)||x||^2 + max { <y, F x> : y in lambda Y }
 *
 * PD3O (Yan 2018) in the metric T, S; G is the gradient of the smooth part at x, exact or estimated, the same in both lines:
 *     x   = Pi_X(q)
 *     y+  = Pi_{lambda Y}( y + S F (2x - q - T(G + F'y)) )
 *     q+  = x - T(G + F'y+)
 * With X = R^d we have q = x, and this is PAPC (Loris-Verhoeven): SPDHG with one predictor. F'y is kept as u, so that a step has
 * one product with F and one with F'. The intercept c is a coordinate outside F, X and gamma:
 *     c+  = c - tau_c G_c
 *
 * Both projections stay exact if tau varies with j only where X is separable, and s is constant within a block of r. */
#ifndef SPD_PRIMAL_DUAL_H
#define SPD_PRIMAL_DUAL_H
#include "solver/solver.h"

/* The first member of each method's own structure, so that a run's `self` can be read as an spd_primal_dual. */
typedef struct spd_primal_dual {
    double *q, *c, *y, *u;                           /* state; q is x in Condat-Vu */
    double *tau, *s;                                 /* state (constant): d x K steps, then the intercept's; m steps */
    double *x, *g, *gc, *v, *Fv, *projection, *term; /* work: x = Pi_X(q), gradient, a point of R^d and its image */
    double *gradient_work;                           /* work of spd_problem_gradient */
    double *h, *columns, *power, *sums;              /* work for start: d + 1 curvatures, columns of H, power vectors; d + m */
} spd_primal_dual;

enum { SPD_PD_PARAM_L, SPD_PD_PARAM_PRECONDITION, SPD_PD_PARAM_FLOOR, SPD_PD_PARAMS };
#define SPD_PD_PARAM_ROWS                                                                                                        \
    {"L", NAN, 0, INFINITY,                                                                                                      \
     "curvature of the smooth part, with precondition=1 relative to the preconditioner; default: estimated"},                    \
        {"precondition", 0, 0, 1, "1: diagonal steps from the columns of the data and the rows of F instead of two numbers"}, {  \
        "floor", NAN, 1e-12, 1, "with precondition=1: smallest column curvature over the largest; default: by rule, 1e-4 to 1"   \
    }

void spd_pd_layout(spd_run *run);
/* Projects x0 onto X and y0 onto lambda Y and sets u = F'y; afterwards the two functions below set the steps. */
void spd_pd_start(spd_run *run, spd_primal_dual *a, const double *x0, const double *c0, const double *y0);
void spd_pd_primal(spd_primal_dual *a, const spdhg_problem *p); /* x = Pi_X(q) */
void spd_pd_dual(spd_primal_dual *a, const spdhg_problem *p);   /* y = Pi_{lambda Y}(y + S F v), u = F'y */
void spd_pd_pd3o(spd_primal_dual *a, const spdhg_problem *p);   /* the lines y+, q+, c+ above; g, gc hold G */
void spd_pd_output(const spd_run *run, double *x, double *c, double *y);
int64_t spd_pd_dual_cost(const spdhg_problem *p);
const char *spd_pd_refuses(const spdhg_problem *p);

/* ---- primal_dual_steps.c */
/* h_j = L D_j: diag(h) bounds the curvature for a gradient estimated from `batch` rows (INFINITY: all rows). */
void spd_pd_curvature(spd_run *run, spd_primal_dual *a, double batch);
void spd_pd_pd3o_steps(spd_run *run, spd_primal_dual *a, double theta); /* tau = theta/h, then s so that ||S^1/2 F T^1/2|| <= 1 */
void spd_pd_condat_vu_steps(spd_run *run, spd_primal_dual *a);          /* T^-1 - F'SF >= diag(h)/2 */
#endif

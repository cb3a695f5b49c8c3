/* newton_model.h - the quadratic model of one proximal Newton step, restricted to x = B t, and its solution. */
#ifndef SPD_NEWTON_MODEL_H
#define SPD_NEWTON_MODEL_H
#include "face/tied_coordinates.h"
#include "newton/newton.h"

/* minimise over u = B t in X:
 *   g'(u-x) + (t - t_x)'H(t - t_x)/2 + lambda r(F u)
 * A set X other than R^d requires t = x. */
typedef struct spd_newton_model {
    spd_newton *b;           /* x, g, penalty, value; y is the dual of the model, input and output */
    double enough;           /* as in spd_run */
    spd_tied B, zeros;       /* work; zeros: the zeros of z */
    double *z, *rho;         /* state of the solver: copy of Fx in the splitting; penalty parameter (0: not set yet) */
    double *zX, *yX;         /* state: copy of x in X and its multiplier; empty for X = R^d */
    double *H, *LH, *M, *LM; /* work: Hessian, its factor, B'F'SFB, factor of H + rho M; lower triangles */
    double *t, *tx, *tg, *rhs, *e, *solved, *kept; /* work, as long as t: solution, x, B'g, right side, residuals, a copy of t */
    double *u, *full;                              /* work, as long as (x, c): B t; scratch */
    int32_t *touched;                              /* work: a list of unknowns */
    double *Fu, *v, *old, *scale, *open, *kept_y;  /* work, m x K; scale: S */
} spd_newton_model;

/* FROM: number of coefficients from which a working set pays. MOST: largest size of a working set. */
enum { SPD_TIED_FROM = 800, SPD_WORKING_MOST = 2000 };
/* prox_newton.c: whether zeros of Fx can shrink the working set enough to pay. */
bool spd_newton_model_ties(const spdhg_problem *p);
bool spd_newton_model_bounded(const spdhg_problem *p); /* X is not R^d */
void spd_newton_model_layout(spd_run *run, spd_newton_model *a, spd_newton *b, int64_t most);
/* ---- newton_model_regularise.c. bound: bound on the curvature of the loss (spd_problem_curvature_columns). units: scratch of
 * the same length. False: there is no curvature at all. */
bool spd_newton_model_regularise(spd_newton_model *a, const spdhg_problem *p, const double *bound, double *units);
/* Solves the model until its duality gap is a hundredth of the decrease it promises or, near the end, a tenth of `enough`.
 * Sets t, u, Fu, y, z. False if a matrix was not definite. solved: whether it got there before its iterations
 * ran out. */
bool spd_newton_model_solve(spd_newton_model *a, const spdhg_problem *p, bool *solved);
/* out = B'F'y */
void spd_newton_model_transposed(spd_newton_model *a, const spdhg_problem *p, const double *y, double *out);
void spd_newton_model_multiply(const spd_newton_model *a, const double *t, double *Ht); /* H t */
/* Gap of the model at (t, y), and the decrease it promises; u and Fu must belong to t. */
double spd_newton_model_gap(spd_newton_model *a, const spdhg_problem *p, double *decrease);
/* ---- newton_model_ssn.c */
/* Makes a few semismooth Newton steps from (u, y). False, with all restored, if they do not lower the gap. Overwrites LM. */
bool spd_newton_model_newton(spd_newton_model *a, const spdhg_problem *p, double *gap, double *decrease);
/* x = the point nearest to u at which Fx is zero wherever z is zero. */
void spd_newton_model_exact_zeros(spd_newton_model *a, const spdhg_problem *p, double *x);
#endif

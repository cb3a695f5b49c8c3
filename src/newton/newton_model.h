/* newton_model.h - the quadratic model of one proximal Newton step, on x = B t, and its solution. */
#ifndef SPD_NEWTON_MODEL_H
#define SPD_NEWTON_MODEL_H
#include "face/tied_coordinates.h"
#include "newton/newton.h"

/*   minimise over u = B t in X   g'(u-x) + (t - t_x)'H(t - t_x)/2 + lambda r(F u);   X other than R^d only with t = x    */
typedef struct spd_newton_model {
    spd_newton *b;           /* x, g, penalty, value; y is the dual of the model, in and out */
    double enough;           /* as in spd_run */
    spd_tied B, zeros;       /* work; zeros: those of z */
    double *z, *rho;         /* state of the solver: copy of F x in the splitting; penalty parameter (0: not set yet) */
    double *zX, *yX;         /* state: copy of x in X and its multiplier; nothing for X = R^d */
    double *H, *LH, *M, *LM; /* work: Hessian, its factor, B'F'SFB, factor of H + rho M; lower */
    double *t, *tx, *tg, *rhs, *e, *solved, *kept; /* work, numbers of t: solution, x, B'g, right side, residuals, a copy of t */
    double *u, *full;                              /* work, numbers of (x, c): B t; scratch */
    int32_t *touched;                              /* work: a list of unknowns */
    double *Fu, *v, *old, *scale, *open, *kept_y;  /* work, m x K; scale: S */
} spd_newton_model;

/* Coefficients from which a working set pays; numbers it may have. */
enum { SPD_TIED_FROM = 800, SPD_WORKING_MOST = 2000 };
/* prox_newton.c: zeros of F x can make a working set of so many coefficients that it pays. */
bool spd_newton_model_ties(const spdhg_problem *p);
bool spd_newton_model_bounded(const spdhg_problem *p); /* X is not R^d */
void spd_newton_model_layout(spd_run *run, spd_newton_model *a, spd_newton *b, int64_t most);
/* ---- newton_model_regularise.c: bound: of the curvature of the loss (spd_problem_curvature_columns), units: as many numbers of
 * scratch. False: there is no curvature at all. */
bool spd_newton_model_regularise(spd_newton_model *a, const spdhg_problem *p, const double *bound, double *units);
/* Solves it until its duality gap is a hundredth of the decrease it promises, near the end a tenth of `enough`: t, u, Fu, y, z.
 * False if a matrix was not definite; solved: whether it got there before its iterations were used up. */
bool spd_newton_model_solve(spd_newton_model *a, const spdhg_problem *p, bool *solved);
/* out = B'F'y */
void spd_newton_model_transposed(spd_newton_model *a, const spdhg_problem *p, const double *y, double *out);
void spd_newton_model_multiply(const spd_newton_model *a, const double *t, double *Ht); /* H t */
/* Gap of the model at (t, y), u and Fu belong to t; and the decrease it promises. */
double spd_newton_model_gap(spd_newton_model *a, const spdhg_problem *p, double *decrease);
/* ---- newton_model_ssn.c */
/* A few semismooth Newton steps from (u, y); false (and all as before) if they do not lower the gap. LM is lost. */
bool spd_newton_model_newton(spd_newton_model *a, const spdhg_problem *p, double *gap, double *decrease);
/* x = the point nearest to u where F x is zero wherever z is. */
void spd_newton_model_exact_zeros(spd_newton_model *a, const spdhg_problem *p, double *x);
#endif

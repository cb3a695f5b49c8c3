/* admm.h - shared by the ADMM family: minimise l(x) + lambda r(z) subject to F x = z, with multiplier w and penalty rho.
 *
 * Every method here ends a step with the same tail once x^{k+1} is known (docs/algorithms.md, "The ADMM family"):
 *     z^{k+1} = prox_{lambda r/rho}( F x^{k+1} - w^k/rho )
 *     w^{k+1} = w^k - rho (F x^{k+1} - z^{k+1})
 * With y = -w and Moreau's identity that is, for every norm r,
 *     y^{k+1} = Pi_{lambda Y}( y^k + rho F x^{k+1} )
 *     z^{k+1} = F x^{k+1} - (y^{k+1} - y^k)/rho
 * so that the multiplier is always in the dual ball, ready for a certificate. The intercept c is a coordinate outside F. */
#ifndef SPD_ADMM_H
#define SPD_ADMM_H
#include "admm/star_system.h"
#include "solver/solver.h"

enum { SPD_ADMM_TOTAL, SPD_ADMM_SCALARS }; /* TOTAL: the sum of the weights of the iterates */

/* The first member of each method's own structure, so that a run's `self` can be read as an spd_admm. */
typedef struct spd_admm {
    double rho;
    double *x, *c, *z, *y;                  /* state: the iterate */
    double *x_sum, *c_sum, *y_sum, *scalar; /* state: sums for the uniform average */
    double *g, *gc;                         /* work: stochastic gradient, d x K and K */
    double *Fx;                             /* state: F x of the current x, set by start and tail */
    double *v;                              /* work: m x K */
    double *slope, *projection, *term;      /* work: batch slopes; d x K for sets; for the penalties */
    double *smoothness;                     /* work of spd_run_smoothness */
} spd_admm;

void spd_admm_layout(spd_run *run, spd_admm *a);
/* Projects x0 onto X and y0 onto lambda Y, sets z = F x0 and the sums to 0; the caller must have set rho. */
void spd_admm_start(spd_run *run, spd_admm *a, const double *x0, const double *c0, const double *y0);
/* g = batch gradient of the loss (plus ridge x if ridge is not 0), gc that of the intercept. */
void spd_admm_gradient(spd_admm *a, const spdhg_problem *p, const spd_batch *batch, double ridge);
void spd_admm_tail(spd_admm *a, const spdhg_problem *p); /* y, z from the new x */
/* g += F'( y + rho (F x - z) ): the gradient of the augmented term at x, for methods that linearise it. */
void spd_admm_add_augmented(spd_admm *a, const spdhg_problem *p, double *g);
/* b += F'( rho z - y ): the contribution of the augmented term to the right-hand side, for methods that solve for x. */
void spd_admm_add_target(spd_admm *a, const spdhg_problem *p, double *b);
/* The given rho or, if that is NAN, L/||F||^2: the augmented term is then as steep as the loss; 1 without F. */
double spd_admm_rho(const spdhg_problem *p, double given, double L);
void spd_admm_average(spd_admm *a, const spdhg_problem *p);
void spd_admm_average_dual(spd_admm *a, const spdhg_problem *p, const double *y); /* the same with another y */
/* The two halves of a weighted average: x and c now; y, and the weight of both. */
void spd_admm_add_primal(spd_admm *a, const spdhg_problem *p, double weight);
void spd_admm_add_dual(spd_admm *a, const spdhg_problem *p, double weight, const double *y);
/* The uniform average of x, c, y; the start before the first step. `last`: the last iterate instead. */
void spd_admm_output_average(const spd_run *run, double *x, double *c, double *y);
void spd_admm_output_last(const spd_run *run, double *x, double *c, double *y);
const char *spd_admm_accepts(const spdhg_problem *p); /* accepts every problem: NULL */
/* For methods whose x-step is a linear system: X must be all of R^d. */
const char *spd_admm_refuses_sets(const spdhg_problem *p);
int64_t spd_admm_dual_cost(const spdhg_problem *p);

/* The end of a table entry: the functions that a file of this room defines under these names, and the shared ones. */
#define SPD_ADMM_KIND(type)                                                                                                      \
    .self_size = sizeof(type), .layout = layout, .start = start, .step = step, .output = spd_admm_output_average,                \
    .dual_cost = spd_admm_dual_cost

/* ---- admm_system.c: ( diag(h) + rho F'F ) x = b for K outputs, by elimination, eigenvectors or warm-started conjugate
 * gradients. */
typedef struct spd_admm_system {
    const spdhg_problem *problem;
    /* state (constant) */
    spd_csr N;            /* the rows of F with several entries, their columns numbered within ... */
    int32_t *touched;     /* ... the N.n features that occur in them */
    double *single;       /* rho times the squares of the rows with one entry, d entries */
    int32_t *heavy;       /* rows of N with so many entries that the diagonal is a poor preconditioner; K = 1 */
    int64_t heavies;      /* number of heavy rows */
    int64_t met;          /* heavy rows found so far, during the start */
    double *gram;         /* diagonal of rho N'N without the heavy rows */
    double *Q, *e;        /* full: rho N'N; spectral: eigenvectors (rows) and eigenvalues of rho F'F of the touched features */
    bool full, spectral;  /* few features; few features and a constant h */
    bool starlike;        /* N is like a star, so that ... */
    spd_star_system star; /* ... solves the system; K = 1 */
    /* work */
    double *h, *b;            /* d x K; h positive, b the right-hand side: filled in by the caller */
    int32_t *place;           /* index of a feature among the touched ones, or -1; for the start */
    double *Np;               /* N.m x K */
    double *x, *right;        /* for the touched features, as the next two: ... */
    double *fixed, *diagonal; /* h + single; the whole diagonal */
    double *G, *t;            /* heavies^2, heavies: 1/rho + U'D^{-1}U, its factor; a vector of that size */
    double *spread;           /* a heavy row divided by the diagonal, 0 elsewhere */
    double *scratch;
    double rho, tolerance;
    spd_stop *stop; /* the run's */
} spd_admm_system;
/* uniform: the caller's h is the same number for all coefficients. */
void spd_admm_system_layout(spd_run *run, spd_admm_system *s, bool uniform);
void spd_admm_system_start(spd_admm_system *s, const spd_run *run, double rho, double tolerance);
void spd_admm_system_solve(spd_admm_system *s, double *x); /* x: start and result */
#endif

/* admm.h - what the ADMM family shares: minimise l(x) + lambda r(z) subject to F x = z, multiplier w, penalty rho.
 *
 * Every method here ends a step with the same tail once x^{k+1} is known (docs/algorithms.md, "The ADMM family"):
 *     z^{k+1} = prox_{lambda r/rho}( F x^{k+1} - w^k/rho ),   w^{k+1} = w^k - rho (F x^{k+1} - z^{k+1})
 * With y = -w and Moreau's identity that is, for every norm r,
 *     y^{k+1} = Pi_{lambda Y}( y^k + rho F x^{k+1} ),         z^{k+1} = F x^{k+1} - (y^{k+1} - y^k)/rho
 * so the multiplier is always in the dual ball, ready for a certificate. The intercept c is a coordinate that F does not touch.
 */
#ifndef SPD_ADMM_H
#define SPD_ADMM_H
#include "admm/star_system.h"
#include "solver/solver.h"

enum { SPD_ADMM_TOTAL, SPD_ADMM_SCALARS }; /* TOTAL: iterates in the sums */

/* The first member of what each method keeps, so that a run's `self` is one of these. */
typedef struct spd_admm {
    double rho;
    double *x, *c, *z, *y;                  /* state: the iterate */
    double *x_sum, *c_sum, *y_sum, *scalar; /* state: sums for the uniform average */
    double *g, *gc;                         /* work: stochastic gradient, d x K and K */
    double *Fx;                             /* state: F x of the current x, which start and tail leave there */
    double *v;                              /* work: m x K */
    double *slope, *projection, *term;      /* work: batch slopes; d x K for sets; the penalties' own */
} spd_admm;

void spd_admm_layout(spd_run *run, spd_admm *a);
/* x0 projected onto X, y0 onto lambda Y, z = F x0, sums 0; rho is the caller's to set before. */
void spd_admm_start(spd_run *run, spd_admm *a, const double *x0, const double *c0, const double *y0);
/* g = batch gradient of the loss (+ ridge x if ridge is not 0), gc the intercept's. */
void spd_admm_gradient(spd_admm *a, const spdhg_problem *p, const spd_batch *batch, double ridge);
void spd_admm_tail(spd_admm *a, const spdhg_problem *p); /* y, z from the new x */
/* g += F'( y + rho (F x - z) ): the gradient of the augmented term at x, for methods that linearise it. */
void spd_admm_add_augmented(spd_admm *a, const spdhg_problem *p, double *g);
/* b += F'( rho z - y ): what the augmented term adds to the right-hand side, for methods that solve for x. */
void spd_admm_add_target(spd_admm *a, const spdhg_problem *p, double *b);
/* The one given, or where that is NAN L/||F||^2: the augmented term as steep as the loss; 1 without F. */
double spd_admm_rho(const spdhg_problem *p, double given, double L);
void spd_admm_average(spd_admm *a, const spdhg_problem *p);
void spd_admm_average_dual(spd_admm *a, const spdhg_problem *p, const double *y); /* the same with another y */
/* The uniform average of x, c, y; the start before the first step. `last`: the last iterate instead. */
void spd_admm_output_average(const spd_run *run, double *x, double *c, double *y);
void spd_admm_output_last(const spd_run *run, double *x, double *c, double *y);
const char *spd_admm_accepts(const spdhg_problem *p); /* everything: NULL */
/* For methods whose x-step is a linear system: X must be all of R^d. */
const char *spd_admm_refuses_sets(const spdhg_problem *p);
int64_t spd_admm_dual_cost(const spdhg_problem *p);

/* The end of a table entry: what a file of this room calls by these names, and what all share. */
#define SPD_ADMM_KIND(type)                                                                                                      \
    .self_size = sizeof(type), .layout = layout, .start = start, .step = step, .output = spd_admm_output_average,                \
    .dual_cost = spd_admm_dual_cost

/* ---- admm_system.c: ( diag(h) + rho F'F ) x = b for K outputs, by elimination, eigenvectors or warm-started conjugate
 * gradients.
 */
typedef struct spd_admm_system {
    const spdhg_problem *problem;
    /* state (constant) */
    spd_csr N;            /* the rows of F with several entries, their columns numbered among ... */
    int32_t *touched;     /* ... the N.n features in them */
    double *single;       /* rho times the squares of the rows with one entry, d numbers */
    int32_t *heavy;       /* rows of N with so many entries that they spoil the diagonal as a preconditioner; K = 1 */
    int64_t heavies;      /* so many */
    int64_t met;          /* of them, so far: for the start */
    double *gram;         /* diagonal of rho N'N without them */
    double *Q, *e;        /* full: rho N'N; spectral: eigenvectors (rows) and eigenvalues of rho F'F of the touched features */
    bool full, spectral;  /* the features are few; and h is one number */
    bool starlike;        /* so that ... */
    spd_star_system star; /* ... solves it; K = 1 */
    /* work */
    double *h, *b;            /* d x K; h positive, b the right-hand side: the caller fills them */
    int32_t *place;           /* of a feature among the touched, or -1; for the start */
    double *Np;               /* N.m x K */
    double *x, *right;        /* of the touched features, as the next two: ... */
    double *fixed, *diagonal; /* h + single; the whole diagonal */
    double *G, *t;            /* heavies^2, heavies: 1/rho + U'D^{-1}U, its factor; a vector of theirs */
    double *spread;           /* a heavy row over its diagonal, 0 elsewhere */
    double *scratch;
    double rho, tolerance;
    spd_stop *stop; /* the run's */
} spd_admm_system;
/* uniform: the caller's h is one number for all coefficients. */
void spd_admm_system_layout(spd_run *run, spd_admm_system *s, bool uniform);
void spd_admm_system_start(spd_admm_system *s, const spd_run *run, double rho, double tolerance);
void spd_admm_system_solve(spd_admm_system *s, double *x); /* x: start and result */
#endif

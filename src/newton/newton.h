/* newton.h - shared by the second-order solvers: the iterate as one vector (x, c), loss, slopes, curvatures, gradient and line
 * search. */
#ifndef SPD_NEWTON_H
#define SPD_NEWTON_H
#include "interior/interior.h"
#include "solver/solver.h"

/* The first member of each solver's own structure, so that a run's `self` can be read as an spd_newton. */
typedef struct spd_newton {
    double *x, *y;              /* state: (x, c), the K intercepts after the d K coefficients; y */
    double *value, *penalty;    /* work: f and lambda r(Fx) at x, one number each */
    double *g;                  /* work: gradient of the smooth part, intercept last; length n */
    double *score, *move;       /* work: n_rows x K: z_i at x; change of z_i along the direction */
    double *curve, *alpha;      /* work: n_rows x K: phi''(z_i) (coupled losses: z_i itself), phi'(z_i) */
    double *Fx, *Ftrial, *term; /* work */
    double *scratch;            /* work: for the collectives */
    double *scratch_n;          /* work: length n */
    spd_stop *stop;             /* the run's */
} spd_newton;

void spd_newton_layout(spd_run *run, spd_newton *b);
void spd_newton_start(spd_run *run, spd_newton *b, const double *x0, const double *c0, const double *y0);
void spd_newton_output(const spd_run *run, double *x, double *c, double *y);
/* Computes scores, value, penalty, g = grad l + gamma x and curvatures at x. best_c: first sets the intercept to the best one
 * for x. Counts as two passes, 2 n rows. Reuses what an evaluation at this x has computed already; the numbers are the same. */
void spd_newton_gradient(spd_run *run, spd_newton *b, bool best_c);
/* x += t dx with the largest t = 1, 1/2, ... for which f falls by 1e-4 t |delta|. Fu = F(x + dx). False if no t qualifies. */
bool spd_newton_line_search(spd_run *run, spd_newton *b, const double *dx, const double *Fu, double delta, int halvings);
/* move = A dx + dc, the change of the scores along the line search; counts as a pass. */
void spd_newton_direction_scores(spd_run *run, spd_newton *b, const double *dx);
/* Mean loss at scores z + t move. */
double spd_newton_loss(spd_run *run, const spd_newton *b, double t);

/* ---- metric.c: weights D of x and S of Fx, m x K. */
/* Computes S from D. All entries of a block that the penalty couples get the same weight, so that its ball stays a ball. */
void spd_metric_rows(const spdhg_problem *p, const double *D, double *S);
double spd_metric_norm(const spdhg_problem *p, const double *D, const double *S, double *sums); /* sums: scratch, d x K */
/* out (d + 1, the intercept last) = bound for columns in small units and 0 for the others. bound is the largest curvature the
 * loss can have along a column (spd_problem_curvature_columns). */
void spd_metric_small_units(const spdhg_problem *p, const double *bound, double f, double *out);
void spd_metric_add_squares(const spdhg_problem *p, const double *weight, double *out); /* out += diag(F' weight F) */
/* Since f >= 0, no step lowers f by more than f. A model
 *   g'd + d'Hd/2
 * that promises more along d = -D^-1 g, with D the diagonal of H, has too little curvature. This happens where the curvature of
 * the loss has no bound. H (its lower triangle) is then multiplied by the factor that reduces the promise to f. work: 2n. */
void spd_newton_stiffen(const spdhg_problem *p, double f, int64_t n, const double *g, double *H, double *work);

/* ---- interior_newton.c, for the two interior-point solvers. Sets bend and pull of a. bend: the largest curvature of each
 * coordinate (for a loss with a narrow kink: over a width of 1). pull: the penalty on it, squared. */
void spd_interior_newton_scales(spd_interior *a);
#endif

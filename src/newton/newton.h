/* newton.h - what the second-order solvers share: the iterate as one vector (x, c), loss, slopes, curvatures, gradient, line
 * search. */
#ifndef SPD_NEWTON_H
#define SPD_NEWTON_H
#include "solver/solver.h"

/* The first member of what each of them keeps, so that a run's `self` is one of these. */
typedef struct spd_newton {
    double *x, *y;              /* state: (x, c) with the K intercepts behind the d K coefficients; y */
    double *value, *penalty;    /* work: f and lambda r(Fx) at x, one number each */
    double *g;                  /* work: gradient of the smooth part, intercept last; n numbers */
    double *score, *move;       /* work: n_rows x K: z_i at x; change of z_i along the direction */
    double *curve, *alpha;      /* work: n_rows x K: phi''(z_i) (coupled losses: z_i itself), phi'(z_i) */
    double *Fx, *Ftrial, *term; /* work */
    double *scratch;            /* work: of the collectives */
    double *scratch_n;          /* work: n numbers */
    spd_stop *stop;             /* the run's */
} spd_newton;

void spd_newton_layout(spd_run *run, spd_newton *b);
void spd_newton_start(spd_run *run, spd_newton *b, const double *x0, const double *c0, const double *y0);
void spd_newton_output(const spd_run *run, double *x, double *c, double *y);
/* Scores, value, penalty, g = grad l + gamma x, curvatures at x; best_c: the intercept becomes the best for x first. Two passes'
 * worth: counts 2 n rows. What an evaluation has found already is taken from there: the same numbers. */
void spd_newton_gradient(spd_run *run, spd_newton *b, bool best_c);
/* x += t dx with the largest t = 1, 1/2, ... such that f falls by 1e-4 t |delta|; Fu = F(x + dx). False if none does. */
bool spd_newton_line_search(spd_run *run, spd_newton *b, const double *dx, const double *Fu, double delta, int halvings);
/* move = A dx + dc: what the line search goes along; counts a pass. */
void spd_newton_direction_scores(spd_run *run, spd_newton *b, const double *dx);
/* Mean loss at scores z + t move. */
double spd_newton_loss(spd_run *run, const spd_newton *b, double t);

/* ---- metric.c: weights D of x and S of F x, m x K. */
/* S from D; one number for each block a penalty couples: its ball must stay one. */
void spd_metric_rows(const spdhg_problem *p, const double *D, double *S);
double spd_metric_norm(const spdhg_problem *p, const double *D, const double *S, double *sums); /* sums: scratch, d x K */
/* out (d + 1, the last of the intercept) = bound, the most curvature that the loss can have along a column
 * (spd_problem_curvature_columns), for columns in small units; 0 for the others. */
void spd_metric_small_units(const spdhg_problem *p, const double *bound, double f, double *out);
void spd_metric_add_squares(const spdhg_problem *p, const double *weight, double *out); /* out += diag(F' weight F) */
/* f >= 0: no step lowers it by more than f. A model g'd + d'Hd/2 that promises more, along d = -D^-1 g with D the diagonal of H, has too
 * little curvature, which happens where the loss has no bound of it: H (its lower triangle) is multiplied by what brings the promise
 * down to f. work: 2n. */
void spd_newton_stiffen(const spdhg_problem *p, double f, int64_t n, const double *g, double *H, double *work);
#endif

/* spdhg.h - the state that SPDHG, its fast forms and LPDHG share, in the letters of the paper's Algorithm 1. */
#ifndef SPD_SPDHG_SOLVER_H
#define SPD_SPDHG_SOLVER_H
#include "primal_dual/step_rule.h"
#include "solver/solver.h"

typedef enum spd_form {
    SPD_FORM_PLAIN, /* the algorithm line by line: the reference for tests */
    SPD_FORM_FUSED, /* dual half-step fused, every feature touched */
    SPD_FORM_LAZY   /* features outside the support of F are touched only when the batch has them; x is in the problem's places */
} spd_form;

/* Scalars of the state. */
enum {
    SPD_TOTAL,  /* sum of the weights of the average so far; 0: no step yet */
    SPD_SHRINK, /* lazy: an idle x_j is shrink * x[j] */
    SPD_SWEEP,  /* lazy: sum over steps of weight * shrink since the last flush; the sum of an idle one is sweep * x[j] + x_sum[j]
                 */
    SPD_SQUARE, /* lazy, ball: sum of x[j]^2 over the idle ones */
    SPD_TOUCHED, /* lazy, ball: entries changed since SQUARE was last summed afresh */
    SPD_SCALARS
};

typedef struct spd_spdhg {
    const spd_step_rule *rule;
    spd_form form;
    double L, mu, s, scale;
    double *x, *c, *y, *x_sum, *c_sum, *y_sum, *scalar; /* state; the sums divided by TOTAL are the averages */
    double *g, *gc, *z, *slope, *projection, *term;     /* work */
    double *smoothness;                                 /* work of spd_run_smoothness */
} spd_spdhg;

enum { SPD_SPDHG_PARAM_S, SPD_SPDHG_PARAM_L, SPD_SPDHG_PARAM_SCALE, SPD_SPDHG_PARAM_PLAIN, SPD_SPDHG_PARAMS };
extern const spd_param spd_spdhg_param[SPD_SPDHG_PARAMS];

void spd_spdhg_layout(spd_run *run);
void spd_spdhg_start(spd_run *run, const double *x0, const double *c0, const double *y0);
void spd_spdhg_output(const spd_run *run, double *x, double *c, double *y);
const char *spd_spdhg_refuses(const spdhg_problem *p);
int64_t spd_spdhg_dual_cost(const spdhg_problem *p);

/* The two lines of the algorithm, shared with LPDHG. */
double spd_spdhg_beta(const spd_spdhg *self, int64_t k);                            /* beta^{k+1} */
void spd_spdhg_dual_update(spd_spdhg *self, const spdhg_problem *p);                /* y^{k+1} */
void spd_spdhg_primal_update(spd_spdhg *self, const spdhg_problem *p, double beta); /* x^{k+1}; g, gc hold the gradient of l */
void spd_spdhg_average(spd_spdhg *self, const spdhg_problem *p, double weight);

/* ---- spdhg_fast.c */
void spd_spdhg_fused_step(spd_run *run, int64_t k, const spd_batch *batch);
void spd_spdhg_descend(int64_t n, double keep, double beta, const double *g, double *x); /* x = keep x - beta g */
/* The step of the intercept from the slopes of the batch, its sum and the total weight. */
void spd_spdhg_finish(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta, double weight);

/* ---- spdhg_lazy.c */
spd_form spd_spdhg_choose_form(const spd_run *run);
void spd_spdhg_lazy_step(spd_run *run, int64_t k, const spd_batch *batch);
#endif

/* spdc.h - what SPDC, its adaptive form and RPDG share: x by the proximal step of the penalty with an extrapolation, one dual
 * number alpha_i per row. They differ in how a drawn row finds its next alpha and in their constants. */
#ifndef SPD_SPDC_H
#define SPD_SPDC_H
#include "solver/solver.h"

typedef struct spd_spdc {
    double tau, sigma, theta;
    double M;                                           /* N/B, the number of batches */
    double *x, *c, *x_bar, *c_bar, *alpha, *u, *uc, *y; /* state; y only for the output */
    double *score;                                      /* state of RPDG: where the gradient of each row was taken */
    double *g, *gc, *next, *prox, *term, *gradient;     /* work */
} spd_spdc;

typedef struct spd_spdc_rule {
    void (*constants)(spd_run *run, spd_spdc *self); /* tau, sigma, theta; x and M are known */
    void (*next)(const spd_run *run, const spd_row *row, double *next);
    bool follows; /* tau and theta follow the rows drawn */
    bool scores;  /* keeps scores */
} spd_spdc_rule;

double spd_spdc_rows(const spd_run *run);    /* the effective number of rows */
double spd_spdc_longest(const spd_run *run); /* R */
void spd_spdc_layout(spd_run *run);
void spd_spdc_start(spd_run *run, const double *x0, const double *c0, const double *y0);
spd_step spd_spdc_step(spd_run *run, int64_t k, const spd_batch *batch);
void spd_spdc_output(const spd_run *run, double *x, double *c, double *y);
const char *spd_spdc_refuses(const spdhg_problem *p);

#define SPD_SPDC_KIND                                                                                                            \
    .self_size = sizeof(spd_spdc), .refuses = spd_spdc_refuses, .layout = spd_spdc_layout, .start = spd_spdc_start,              \
    .step = spd_spdc_step, .output = spd_spdc_output
#endif

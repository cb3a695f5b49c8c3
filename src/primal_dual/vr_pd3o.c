/* vr_pd3o.c - PD3O with variance-reduced gradients: SAGA (Defazio, Bach, Lacoste-Julien 2014) and loopless SVRG (Kovalev,
 * Horvath, Richtarik 2020) in the splitting of Yan, as combined by Salim, Condat, Mishchenko and Richtarik (2022).
 *
 *   alpha_i = phi_i'(z_i(x^0)) of every row,  gb = (1/W) sum_i w_i alpha_i a_i.  For k = 0, 1, 2, ...
 *     x = Pi_X(q);  draw I, |I| = B;  n_i = phi_i'(z_i(x)) for i in I
 *     G = gb + (1/B) sum_{i in I} omega_i (n_i - alpha_i) a_i + gamma x
 *     y, q, c: the lines of PD3O with this G
 *     SAGA:   for i in I: gb += (w_i/W)(n_i - alpha_i) a_i, alpha_i = n_i
 *     L-SVRG: with probability B/N: all alpha_i = phi_i'(z_i(x)), and gb
 *   Output x = Pi_X(q), y
 *
 * Weights: if rows are drawn with probability w_i/W, omega_i = 1 makes G unbiased; with shuffling, omega_i = N w_i/W does. Both
 * keep gb the weighted mean of the table. A row that is twice in I changes the table once: the second time n_i = alpha_i. For
 * linear models the reference point of L-SVRG is its N K slopes, so that a step reads a row once.
 * Steps tau = theta/L. theta = 1/4 is proved: with D the Bregman distance to x* and e the error of the table
 *     E||G - G*||^2 <= 4 L D + 2 e^2
 *     E e+^2        <= (1-p) e^2 + 2 p L D
 * which gives a Lyapunov function that decreases for theta <= 1/(2+2).
 * SAGA sums its table afresh every 50 epochs, so that rounding does not accumulate in gb. */
#include "primal_dual/primal_dual.h"

typedef struct vr_pd3o {
    spd_primal_dual pd;
    bool svrg;
    int64_t period;             /* SAGA: steps between fresh sums */
    double *alpha, *gb, *gbc;   /* state: table n x K, its weighted mean in R^d and for the intercept */
    double *slope, *change, *z; /* work: n_i of the batch; weighted n_i - alpha_i; length K */
} vr_pd3o;

enum { PARAM_THETA = SPD_PD_PARAMS, PARAMS };
static const spd_param param[PARAMS] = {
    SPD_PD_PARAM_ROWS,
    {"theta", 0.25, 1e-6, 1, "primal step times L; 1/4 is proved, 1/3 works in practice"},
};
enum { EPOCHS_BETWEEN_SUMS = 50 };

static void layout(spd_run *run) {
    vr_pd3o *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_pd_layout(run);
    self->alpha = spd_arena_take(&run->state, p->n * p->K);
    self->gb = spd_arena_take(&run->state, p->dK);
    self->gbc = spd_arena_take(&run->state, p->K);
    self->slope = spd_arena_take(&run->work, run->batch * p->K);
    self->change = spd_arena_take(&run->work, run->batch * p->K);
    self->z = spd_arena_take(&run->work, p->K);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    vr_pd3o *self = run->self;
    self->svrg = run->kind->variant != NULL;
    self->period = EPOCHS_BETWEEN_SUMS * run->problem->n / run->batch + 1;
    spd_pd_start(run, &self->pd, x0, c0, y0);
    spd_pd_curvature(run, &self->pd, (double)run->batch);
    spd_pd_pd3o_steps(run, &self->pd, run->param[PARAM_THETA]);
}

/* Computes the whole table at x: one pass over the data. */
static void refresh(spd_run *run, vr_pd3o *self) {
    const spdhg_problem *p = run->problem;
    spd_problem_gradient(p, run->threads, self->pd.x, self->pd.c, self->gb, self->gbc, self->alpha, self->pd.gradient_work);
    run->rows_visited += p->n;
}

static void add_row(const spdhg_problem *p, vr_pd3o *self, const spd_row *row, const double *change) {
    const double share = spd_problem_share(p, row->id);
    const spd_batch one = {.size = 1, .row = row};
    spd_batch_add(p, &one, change, share, self->gb);
    spd_axpy(p->K, share, change, self->gbc);
}

static void sum_afresh(spd_run *run, vr_pd3o *self) {
    const spdhg_problem *p = run->problem;
    memset(self->gb, 0, (size_t)p->dK * sizeof *self->gb);
    memset(self->gbc, 0, (size_t)p->K * sizeof *self->gbc);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        add_row(p, self, &row, self->alpha + i * p->K);
    }
    run->rows_visited += p->n;
}

/* g, gc = G at x. */
static void estimate(vr_pd3o *self, const spdhg_problem *p, const spd_batch *batch) {
    spd_primal_dual *a = &self->pd;
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        double *slope = self->slope + i * K, *change = self->change + i * K;
        spd_row_slope(p, row, a->x, a->c, self->z, slope);
        for (int64_t k = 0; k < K; k++) change[k] = row->weight / (double)batch->size * (slope[k] - self->alpha[row->id * K + k]);
    }
    for (int64_t i = 0; i < p->dK; i++) a->g[i] = self->gb[i] + p->gamma * a->x[i];
    spd_batch_add(p, batch, self->change, 1, a->g);
    spd_batch_sum(p, batch, self->change, a->gc);
    spd_axpy(K, 1, self->gbc, a->gc);
}

static void keep_slopes(vr_pd3o *self, const spdhg_problem *p, const spd_batch *batch) {
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = self->slope + i * K;
        double *alpha = self->alpha + row->id * K;
        for (int64_t k = 0; k < K; k++) self->z[k] = slope[k] - alpha[k];
        add_row(p, self, row, self->z);
        memcpy(alpha, slope, (size_t)K * sizeof *alpha);
    }
}

/* Whether step k ends with a new reference point: a random choice that depends on seed and k alone. */
static bool tossed(const spd_run *run, int64_t k) {
    uint64_t bits[2];
    spd_random(run->seed, SPD_STREAM_COIN, (uint64_t)k, bits);
    return spd_uniform(bits[0]) * (double)run->problem->n < (double)run->batch;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    vr_pd3o *self = run->self;
    const spdhg_problem *p = run->problem;
    const bool again = self->svrg && tossed(run, k);
    spd_pd_primal(&self->pd, p);
    if (k == 0) refresh(run, self);
    estimate(self, p, batch);
    if (again) refresh(run, self); /* here, where c still belongs to x; G has been computed */
    spd_pd_pd3o(&self->pd, p);
    if (!self->svrg) keep_slopes(self, p, batch);
    if (!self->svrg && (k + 1) % self->period == 0) sum_afresh(run, self);
    return SPD_CONTINUE;
}

#define VR_PD3O_KIND(identifier, text, title, which, paper)                                                                      \
    const spd_solver_kind identifier = {.name = text,                                                                            \
                                        .what = title,                                                                           \
                                        .reference = paper,                                                                      \
                                        .param = param,                                                                          \
                                        .params = PARAMS,                                                                        \
                                        .variant = which,                                                                        \
                                        .self_size = sizeof(vr_pd3o),                                                            \
                                        .refuses = spd_pd_refuses,                                                               \
                                        .layout = layout,                                                                        \
                                        .start = start,                                                                          \
                                        .step = step,                                                                            \
                                        .output = spd_pd_output,                                                                 \
                                        .dual_cost = spd_pd_dual_cost,                                                           \
                                        .batch_auto = true}

VR_PD3O_KIND(
    spd_solver_saga_pd3o, "saga-pd3o", "PD3O with SAGA's gradients, N scalars, constant steps, last iterate", NULL,
    "Salim, Condat, Mishchenko, Richtarik: Dualize, split, randomize, JOTA 2022; Defazio, Bach, Lacoste-Julien: SAGA, 2014");
VR_PD3O_KIND(
    spd_solver_lsvrg_pd3o, "lsvrg-pd3o", "PD3O with loopless SVRG's gradients, N scalars, constant steps, last iterate", "svrg",
    "Salim, Condat, Mishchenko, Richtarik: Dualize, split, randomize, JOTA 2022; Kovalev, Horvath, Richtarik: L-SVRG, 2020");

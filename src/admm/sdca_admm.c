/* sdca_admm.c - stochastic dual coordinate ascent with ADMM of Suzuki (ICML 2014), derived from its formulation with our letters.
 *
 * Dual: minimise (1/W) sum_i w_i phi_i*(alpha_i) + ||s||^2/(2 gamma) over alpha, s and y in lambda Y,
 *       subject to R = (1/W) sum_i w_i alpha_i a_i' + F'y + s = 0.
 * The ridge is one more term of the penalty, (gamma/2)||I x||^2, and s is its dual (gamma x at the end; 0 for gamma = 0). The
 * multiplier of R = 0 is x itself: the augmented Lagrangian has - <x, R> + (rho/2)||R||^2. For t = 1, 2, ...
 *
 *     q = x - rho R;  eta_y = ||F||^2 + 1 (the 1 is the ridge's I, 0 for gamma = 0); the y-step, linearised:
 *         y+ = Pi_{lambda Y}( y + F q/(rho eta_y) )
 *         s+ = (rho eta_y s + q)/(rho eta_y + 1/gamma)
 *         R' = R with y+, s+
 *     for the B rows i of the batch, all from R':  eta_a = (1 + 2c) B max||a_i||^2
 *         alpha_i+ = argmin phi_i*(alpha) - <a_i'(x - rho R') + o_i, alpha> + (rho eta_a w_i/(2W)) ||alpha - alpha_i||^2
 *     x+ = x - c rho ( R+ - (1 - B/N) R ),   R+ with y+, s+ and alpha+
 *   Output the last x, whose distance to the optimum falls linearly when the dual is (locally) strongly convex
 *
 * Suzuki's sums are N times ours (his rho is rho/N, his y is N y). The step of his multiplier is gamma rho (N R+ - (N - N/K) R)
 * with K = N/B blocks, so that gamma = c/N. Taken from his theorem, not derived: c = 1/4 and eta_a > (1 + 2c(1 - 1/K)) lmax. His
 * blocks are fixed; here a batch is drawn, and a row drawn twice is one coordinate. Weighted rows are drawn by weight, which has
 * the same fixed point but no theorem. alpha_i+ is computed by Newton (loss/prox.c), also for softmax. The intercept is a
 * coordinate outside F and the ridge: its R_c is (1/W) sum_i w_i alpha_i. The default
 *     rho = N/(B kappa max||a_i||^2)
 * makes the proximal term of a dual coordinate as curved as phi*. Start: alpha_i = phi_i'(a_i'x + c + o_i), s = gamma x, by one
 * pass over the rows. alpha takes N K numbers. */
#include "admm/admm.h"

typedef struct sdca_admm {
    double rho, damping, eta_y, eta_a;
    double *x, *c, *y, *s, *alpha, *R, *Rc; /* state */
    double *q, *qc, *before, *before_c;     /* work: x - rho R; R at the start of the step */
    double *Fq, *y_change, *next, *prox, *term, *gradient;
} sdca_admm;

enum { PARAM_RHO, PARAM_C, PARAMS };
static const spd_param param[PARAMS] = {
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: 4 sqrt(rows) / (curvature bound * max ||a_i||^2)"},
    {"c", 0.25, 1e-6, 1, "damping of the multiplier's step; 1/4 in the theory, 1 is usually faster"},
};

static void layout(spd_run *run) {
    sdca_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t K = p->K, mK = p->m * K;
    self->x = spd_arena_take(&run->state, p->dK);
    self->c = spd_arena_take(&run->state, K);
    self->y = spd_arena_take(&run->state, mK);
    self->s = spd_arena_take(&run->state, p->dK);
    self->alpha = spd_arena_take(&run->state, p->n * K);
    self->R = spd_arena_take(&run->state, p->dK);
    self->Rc = spd_arena_take(&run->state, K);
    self->q = spd_arena_take(&run->work, p->dK);
    self->qc = spd_arena_take(&run->work, K);
    self->before = spd_arena_take(&run->work, p->dK);
    self->before_c = spd_arena_take(&run->work, K);
    self->Fq = spd_arena_take(&run->work, mK);
    self->y_change = spd_arena_take(&run->work, mK);
    self->next = spd_arena_take(&run->work, run->batch * K);
    self->prox = spd_arena_take(&run->work, spd_row_prox_work(p));
    self->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    self->gradient = spd_arena_take(&run->work, spd_problem_gradient_work(p));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    sdca_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double rho = run->param[PARAM_RHO], norm = spd_problem_structure_norm(p), batch = (double)run->batch;
    const double longest = p->row_norm2_max > 0 ? p->row_norm2_max : 1;
    self->damping = run->param[PARAM_C];
    self->rho = isnan(rho) ? 4 * sqrt((double)p->n) / (p->kappa * longest) : rho;
    self->eta_y = norm * norm + (p->gamma > 0 ? 1 : 0);
    self->eta_a = (1 + 2 * self->damping) * batch * longest;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, self->x, self->c, self->y, self->term);
    if (spd_count_nonzero(p->dK, self->x) > 0 || spd_count_nonzero(p->K, self->c) > 0) {
        spd_problem_gradient(p, run->threads, self->x, self->c, self->R, p->intercept ? self->Rc : NULL, self->alpha,
                             self->gradient);
        run->rows_visited += p->n;
    }
    spd_problem_add_transposed(p, self->y, self->R);
    spd_axpy(p->dK, p->gamma, self->x, self->s);
    spd_axpy(p->dK, 1, self->s, self->R);
    spd_run_log(run, "%s: rho = %.6g, c = %.6g, batch %lld", run->kind->name, self->rho, self->damping, (long long)run->batch);
}

/* q = x - rho R: the multiplier for the next block of the dual. */
static void look_ahead(sdca_admm *self, const spdhg_problem *p) {
    for (int64_t j = 0; j < p->dK; j++) self->q[j] = self->x[j] - self->rho * self->R[j];
    for (int64_t k = 0; k < p->K; k++) self->qc[k] = self->c[k] - self->rho * self->Rc[k];
}

/* Computes y+, s+ and adds their change to R. */
static void penalty_step(sdca_admm *self, const spdhg_problem *p) {
    const int64_t mK = p->m * p->K;
    const double stiff = self->rho * self->eta_y;
    spd_problem_apply(p, self->q, self->Fq);
    for (int64_t e = 0; e < mK; e++) self->y_change[e] = -self->y[e];
    spd_axpy(mK, 1 / stiff, self->Fq, self->y);
    spd_problem_project_dual(p, self->y, self->term);
    spd_axpy(mK, 1, self->y, self->y_change);
    spd_problem_add_transposed(p, self->y_change, self->R);
    for (int64_t j = 0; j < p->dK; j++) {
        const double next = p->gamma * (stiff * self->s[j] + self->q[j]) / (p->gamma * stiff + 1);
        self->R[j] += next - self->s[j];
        self->s[j] = next;
    }
}

/* Computes alpha+ of the batch, all from the same point, and adds their change to R. */
static void loss_step(sdca_admm *self, const spdhg_problem *p, const spd_batch *batch) {
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        spd_row_prox(p, row, self->rho * self->eta_a * spd_problem_share(p, row->id), self->q, self->qc,
                     self->alpha + row->id * K, self->next + i * K, self->prox);
    }
    spd_batch_replace(p, batch, self->next, self->alpha, self->R, self->Rc);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    sdca_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double old = 1 - (double)batch->size / (double)p->n, length = self->damping * self->rho;
    memcpy(self->before, self->R, (size_t)p->dK * sizeof(double));
    memcpy(self->before_c, self->Rc, (size_t)p->K * sizeof(double));
    look_ahead(self, p);
    penalty_step(self, p);
    look_ahead(self, p);
    loss_step(self, p, batch);
    for (int64_t j = 0; j < p->dK; j++) self->x[j] -= length * (self->R[j] - old * self->before[j]);
    for (int64_t j = 0; j < p->K; j++) self->c[j] -= length * (self->Rc[j] - old * self->before_c[j]);
    return SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const sdca_admm *self = run->self;
    spd_run_give(run, self->x, self->c, self->y, x, c, y);
}

static const char *refuses(const spdhg_problem *p) {
    return p->set.kind->whole ? NULL : "x is the multiplier of its dual problem and cannot be kept in a set X; use --set all";
}

const spd_solver_kind spd_solver_sdca_admm = {
    .name = "sdca-admm",
    .what = "stochastic dual coordinate ascent with ADMM, N dual variables, last iterate",
    .reference = "Suzuki: Stochastic dual coordinate ascent with alternating direction method of multipliers, ICML 2014",
    .param = param,
    .params = PARAMS,
    .self_size = sizeof(sdca_admm),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output,
    .dual_cost = spd_admm_dual_cost};

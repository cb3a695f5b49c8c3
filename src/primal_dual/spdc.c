/* spdc.c - stochastic primal-dual coordinate method of Zhang and Xiao (ICML 2015), their mini-batch Algorithm 2.
 *
 *   min over x, max over alpha of (1/N) sum_i ( alpha_i a_i'x - phi_i*(alpha_i) ) + g(x),  g(x) = (gamma/2)||x||^2 + lambda r(x)
 *   For t = 0, 1, ...  with a batch of B rows and u = (1/N) sum_i alpha_i a_i':
 *     alpha_i+ = argmax_alpha alpha (a_i'xbar + o_i) - phi_i*(alpha) - (alpha - alpha_i)^2/(2 sigma)   for the rows of the batch
 *     x+ = argmin_x g(x) + < u + (1/B) sum_{batch} (alpha_i+ - alpha_i) a_i', x > + ||x - x_t||^2/(2 tau)
 *     u+ = u + (1/N) sum_{batch} (alpha_i+ - alpha_i) a_i'
 *     xbar+ = x+ + theta (x+ - x_t)
 *   Output the last x
 *
 * With R = max ||a_i||, M = N/B, and kappa, gamma for their 1/gamma, lambda:
 *     tau   = sqrt(1/(kappa gamma M))/(2R)
 *     sigma = sqrt(kappa gamma M)/(2R)
 *     theta = 1 - 1/(M + R sqrt(kappa M/gamma))
 * The x-step is, by Moreau,
 *     v  = (x_t - tau <...>)/(1 + tau gamma),   t = tau/(1 + tau gamma)
 *     y  = Pi_{lambda Y}(v/t)
 *     x+ = v - t y
 * where y is the dual of the penalty. This is why F must be the identity: the proximal step of r(F x) has no closed form, which
 * is the very reason for SPDHG. alpha_i+ is computed by Newton (loss/prox.c) with q = 1/sigma. Weighted rows are drawn by weight:
 * 1/N in u becomes w_i/W, and N in the steps W/min w_i, because the rarest coordinate contracts slowest (derived here; equal
 * weights give the original). A row drawn twice counts twice in x+ and once in u. The intercept is a coordinate with g = 0, which
 * is not strongly convex, so that the linear rate is not proven with it. Start: alpha_i = phi_i'(a_i'x + c + o_i), xbar = x, by
 * one pass over the rows. alpha takes N K numbers; a step costs O(d).
 *
 * `spdc-adaptive` is the method of Zhu and Storkey (ECML 2015): each row has the dual step of its own length R_i = ||a_i||, and
 * tau and theta follow the longest row of the batch, R_t = max R_i:
 *     sigma_i = sqrt(kappa gamma M)/(2 R_i)
 *     tau_t   = sqrt(1/(kappa gamma M))/(2 R_t)
 *     theta_t = 1 - 1/(M + R_t sqrt(kappa M/gamma))
 * Where all rows have the same length it is spdc. */
#include "primal_dual/spdc.h"

enum { PARAM_TAU, PARAM_SIGMA, PARAM_THETA, PARAMS };
static const spd_param param[PARAMS] = {
    {"tau", NAN, 1e-300, 1e300, "primal step; default: sqrt(B/(N kappa gamma))/(2 max ||a_i||)"},
    {"sigma", NAN, 1e-300, 1e300, "dual step; default: sqrt(N kappa gamma/B)/(2 max ||a_i||)"},
    {"theta", NAN, 0, 1, "extrapolation; default: 1 - 1/(N/B + max ||a_i|| sqrt(N kappa/(B gamma)))"},
};

static const spd_spdc_rule *rule_of(const spd_run *run) { return run->kind->variant; }

void spd_spdc_layout(spd_run *run) {
    spd_spdc *self = run->self;
    const spdhg_problem *p = run->problem;
    self->x = spd_arena_take(&run->state, p->dK);
    self->c = spd_arena_take(&run->state, p->K);
    self->x_bar = spd_arena_take(&run->state, p->dK);
    self->c_bar = spd_arena_take(&run->state, p->K);
    self->alpha = spd_arena_take(&run->state, p->n * p->K);
    self->score = rule_of(run)->scores ? spd_arena_take(&run->state, p->n * p->K) : NULL;
    self->u = spd_arena_take(&run->state, p->dK);
    self->uc = spd_arena_take(&run->state, p->K);
    self->y = spd_arena_take(&run->state, p->m * p->K);
    self->g = spd_arena_take(&run->work, p->dK);
    self->gc = spd_arena_take(&run->work, p->K);
    self->next = spd_arena_take(&run->work, run->batch * p->K);
    self->prox = spd_arena_take(&run->work, spd_row_prox_work(p));
    self->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    self->gradient = spd_arena_take(&run->work, spd_problem_gradient_work(p));
}

double spd_spdc_rows(const spd_run *run) {
    const spdhg_problem *p = run->problem;
    double least = INFINITY;
    if (!p->weight || run->sampling == SPDHG_SAMPLING_SHUFFLE) return (double)p->n;
    for (int64_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0) least = fmin(least, p->weight[i]);
    return p->W / least; /* the weight of the rarest one */
}

double spd_spdc_longest(const spd_run *run) {
    const spdhg_problem *p = run->problem;
    const double longest = run->sampling == SPDHG_SAMPLING_IID ? p->row_norm2_max : p->weight_factor_max;
    return longest > 0 ? sqrt(longest) : 1;
}

/* tau and theta for rows of length R. */
static void follow(const spd_run *run, spd_spdc *self, double R) {
    const spdhg_problem *p = run->problem;
    const double M = self->M;
    self->tau = sqrt(1 / (p->kappa * p->gamma * M)) / (2 * R);
    self->theta = 1 - 1 / (M + R * sqrt(p->kappa * M / p->gamma));
}

static void set_constants(spd_run *run, spd_spdc *self) {
    const spdhg_problem *p = run->problem;
    const double R = spd_spdc_longest(run);
    follow(run, self, R);
    self->sigma = sqrt(p->kappa * p->gamma * self->M) / (2 * R);
}

static void take_params(spd_run *run, spd_spdc *self) {
    const double tau = run->param[PARAM_TAU], sigma = run->param[PARAM_SIGMA], theta = run->param[PARAM_THETA];
    set_constants(run, self);
    if (!isnan(tau)) self->tau = tau;
    if (!isnan(sigma)) self->sigma = sigma;
    if (!isnan(theta)) self->theta = theta;
}

void spd_spdc_start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_spdc *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, self->x, self->c, self->y, self->term);
    memcpy(self->x_bar, self->x, (size_t)p->dK * sizeof(double));
    memcpy(self->c_bar, self->c, (size_t)p->K * sizeof(double));
    spd_problem_gradient(p, run->threads, self->x, self->c, self->u, p->intercept ? self->uc : NULL, self->alpha, self->gradient);
    run->rows_visited += p->n;
    self->M = spd_spdc_rows(run) / (double)run->batch;
    rule_of(run)->constants(run, self);
    spd_run_log(run, "%s: tau = %.6g, theta = %.9g, batch %lld", run->kind->name, self->tau, self->theta, (long long)run->batch);
    if (p->intercept)
        spd_run_log(run, "%s: the free intercept is not strongly convex; the linear rate is not proven with it", run->kind->name);
}

/* ---- how a row finds its next alpha; RPDG has a third way */

static void proximal(const spd_run *run, const spd_row *row, double *next) {
    spd_spdc *self = run->self;
    const double *alpha = self->alpha + row->id * run->problem->K;
    spd_row_prox(run->problem, row, 1 / self->sigma, self->x_bar, self->c_bar, alpha, next, self->prox);
}

static double length_of(const spdhg_problem *p, const spd_row *row) {
    const double square = (spd_dot(row->nnz, row->val, row->val) + p->intercept) * row->weight;
    return square > 0 ? sqrt(square) : 1;
}

static void proximal_by_length(const spd_run *run, const spd_row *row, double *next) {
    spd_spdc *self = run->self;
    self->sigma = sqrt(run->problem->kappa * run->problem->gamma * self->M) / (2 * length_of(run->problem, row));
    proximal(run, row, next);
}

/* ---- the step */

/* alpha+ of the batch; g = u + (1/B) sum of the changes, then u+. */
static void dual_step(const spd_run *run, spd_spdc *self, const spd_batch *batch) {
    const spdhg_problem *p = run->problem;
    const int64_t K = p->K;
    memcpy(self->g, self->u, (size_t)p->dK * sizeof(double));
    memcpy(self->gc, self->uc, (size_t)K * sizeof(double));
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const spd_batch one = {.size = 1, .row = row};
        const double *alpha = self->alpha + row->id * K, share = row->weight / (double)batch->size;
        double *next = self->next + i * K;
        rule_of(run)->next(run, row, next);
        spd_batch_add(p, &one, next, share, self->g);
        spd_batch_add(p, &one, alpha, -share, self->g);
        for (int64_t k = 0; k < K && p->intercept; k++) self->gc[k] += share * (next[k] - alpha[k]);
    }
    spd_batch_replace(p, batch, self->next, self->alpha, self->u, self->uc);
}

/* x+ by Moreau, F = I: g becomes v, y = Pi(v/t), x+ = v - t y; then the extrapolation. */
static void primal_step(spd_spdc *self, const spdhg_problem *p) {
    const double keep = 1 / (1 + self->tau * p->gamma), t = self->tau * keep;
    for (int64_t j = 0; j < p->dK; j++) self->g[j] = keep * (self->x[j] - self->tau * self->g[j]);
    for (int64_t j = 0; j < p->m * p->K; j++) self->y[j] = self->g[j] / t;
    spd_problem_project_dual(p, self->y, self->term);
    for (int64_t j = 0; j < p->dK; j++) {
        const double next = self->g[j] - (p->m > 0 ? t * self->y[j] : 0);
        self->x_bar[j] = next + self->theta * (next - self->x[j]);
        self->x[j] = next;
    }
    for (int64_t k = 0; k < p->K && p->intercept; k++) {
        const double next = self->c[k] - self->tau * self->gc[k];
        self->c_bar[k] = next + self->theta * (next - self->c[k]);
        self->c[k] = next;
    }
}

spd_step spd_spdc_step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    if (rule_of(run)->follows) {
        double R = 0;
        for (int64_t i = 0; i < batch->size; i++) R = fmax(R, length_of(run->problem, &batch->row[i]));
        follow(run, run->self, R);
    }
    dual_step(run, run->self, batch);
    primal_step(run->self, run->problem);
    return SPD_CONTINUE;
}

void spd_spdc_output(const spd_run *run, double *x, double *c, double *y) {
    const spd_spdc *self = run->self;
    spd_run_give(run, self->x, self->c, self->y, x, c, y);
}

const char *spd_spdc_refuses(const spdhg_problem *p) {
    if (!(p->gamma > 0)) return "its step sizes need a strongly convex problem: --gamma above 0";
    if (p->terms > 1 || (p->terms == 1 && !spd_csr_is_identity(&p->term[0].F->F)))
        return "it needs the proximal step of the penalty r(F x), which has no closed form unless F is the identity: "
               "use --structure identity without --also-sparse, or a solver that handles F separately, such as spdhg";
    if (!p->set.kind->whole) return "the proximal step of the penalty within a set X has no closed form; use --set all";
    return NULL;
}

static const spd_spdc_rule rule = {.constants = take_params, .next = proximal},
                           adaptive = {.constants = set_constants, .next = proximal_by_length, .follows = true};

const spd_solver_kind spd_solver_spdc = {
    .name = "spdc",
    .what = "stochastic primal-dual coordinate for F = identity and gamma > 0, N dual variables, last iterate",
    .reference = "Zhang, Xiao: Stochastic primal-dual coordinate method, ICML 2015, Alg. 2",
    .param = param,
    .params = PARAMS,
    .variant = &rule,
    .step = spd_spdc_step,
    SPD_SPDC_KIND};

const spd_solver_kind spd_solver_spdc_adaptive = {
    .name = "spdc-adaptive",
    .what = "SPDC with a dual step length for each row; the primal step follows the rows drawn, last iterate",
    .reference = "Zhu, Storkey: Adaptive stochastic primal-dual coordinate descent, ECML 2015",
    .variant = &adaptive,
    .step = spd_spdc_step,
    SPD_SPDC_KIND};

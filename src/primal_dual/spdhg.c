/* spdhg.c - stochastic primal-dual hybrid gradient: Algorithm 1 of Qiao, Lin, Qin, Lu, with the step sizes of its Table 1.
 *
 *   Initialize x^0, y^0.  For k = 0, 1, 2, ...
 *     choose a sample xi^{k+1} at random (here: a mini-batch)
 *     y^{k+1} = argmax_{y in lambda Y} <y, F x^k> - ||y - y^k||^2/(2s)  =  Pi_{lambda Y}( y^k + s F x^k )
 *     x^{k+1} = Pi_X[ x^k - beta^{k+1} ( grad l(x^k, xi^{k+1}) + F'y^{k+1} ) ]
 *   Output xbar = sum_k alpha^{k+1} x^{k+1},  ybar = sum_k alpha^{k+1} y^{k+1}
 *
 * l contains (gamma/2)||x||^2, linearised with the rest, so that L contains gamma and mu = gamma. The intercept c takes the same
 * gradient step without penalty, ridge or projection. Dual step by default (docs/problem.md, Solvers):
 *     s = max_{y in lambda Y}||y|| / bound(||F||)
 *     s = L / bound(||F||)^2                          constant rule
 * The step below is the plain form. spdhg_fast.c (fused) and spdhg_lazy.c compute the same iterates in less time. */
#include "primal_dual/spdhg.h"

const spd_param spd_spdhg_param[SPD_SPDHG_PARAMS] = {
    {"s", NAN, 0, INFINITY, "dual step; default: largest ||y|| in the dual ball / bound of ||F||"},
    {"L", NAN, 0, INFINITY,
     "smoothness constant, a number or expected, mean or max (over the rows); default: expected, mean for the sc rules, max "
     "for a loss with unbounded slopes"},
    {"scale", 1, 1e-12, 1e12, "factor of the primal steps; the theory has 1"},
    {"plain", 0, 0, 1, "1: the plain form of the step instead of the fused or lazy one (same iterates, slower)"},
};

const char *spd_spdhg_refuses(const spdhg_problem *p) {
    (void)p;
    return NULL;
}

static const char *refuses_without_ridge(const spdhg_problem *p) {
    return p->gamma > 0 ? NULL : "its step sizes need a strongly convex problem: --gamma above 0";
}

int64_t spd_spdhg_dual_cost(const spdhg_problem *p) {
    int64_t cost = 2 * p->supports;
    for (int64_t t = 0; t < p->terms; t++) cost += 2 * spd_csr_nnz(&p->term[t].F->F) + 2 * p->term[t].m;
    return cost * p->K;
}

void spd_spdhg_layout(spd_run *run) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    self->x = spd_arena_take(&run->state, p->dK);
    self->c = spd_arena_take(&run->state, p->K);
    self->y = spd_arena_take(&run->state, p->m * p->K);
    self->x_sum = spd_arena_take(&run->state, p->dK);
    self->c_sum = spd_arena_take(&run->state, p->K);
    self->y_sum = spd_arena_take(&run->state, p->m * p->K);
    self->scalar = spd_arena_take(&run->state, SPD_SCALARS);
    self->g = spd_arena_take(&run->work, p->dK);
    self->gc = spd_arena_take(&run->work, p->K);
    self->z = spd_arena_take(&run->work, p->m * p->K);
    self->slope = spd_arena_take(&run->work, (run->batch + 1) * p->K);
    self->projection = spd_arena_take(&run->work, p->dK);
    self->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    self->smoothness = spd_arena_take(&run->work, spd_problem_smoothness_work(p));
}

static void set_constants(spd_run *run, spd_spdhg *self) {
    const spdhg_problem *p = run->problem;
    const double s = run->param[SPD_SPDHG_PARAM_S], norm = spd_problem_structure_norm(p);
    self->rule = run->kind->variant;
    self->mu = p->gamma;
    self->scale = run->kind->params > SPD_SPDHG_PARAM_SCALE ? run->param[SPD_SPDHG_PARAM_SCALE] : 1;
    self->L = spd_run_smoothness(run, run->param[SPD_SPDHG_PARAM_L], self->smoothness);
    const double by_rule = self->rule == &spd_rule_constant ? self->L / (norm * norm) : spd_problem_dual_radius(p) / norm;
    self->s = !isnan(s) ? s : norm > 0 ? by_rule : 0;
    spd_run_log(run, "%s: L = %.6g, mu = %.6g, s = %.6g, batch %lld", run->kind->name, self->L, self->mu, self->s,
                (long long)run->batch);
    if (p->intercept && self->rule->strongly_convex)
        spd_run_log(run, "%s: the free intercept is not strongly convex; this step rule has no guarantee for it",
                    run->kind->name);
}

void spd_spdhg_start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    set_constants(run, self);
    self->form = run->kind->full_information ? SPD_FORM_PLAIN : spd_spdhg_choose_form(run);
    spd_run_clear(run);
    spd_run_take(run, NULL, c0, y0, self->x, self->c, self->y, self->term); /* x is set below, in the problem's places */
    for (int64_t j = 0; j < p->d && x0; j++) {
        const int64_t at = self->form == SPD_FORM_LAZY ? p->place[j] : j;
        memcpy(self->x + at * p->K, x0 + j * p->K, (size_t)p->K * sizeof *x0);
    }
    p->set.kind->project(p->dK, p->set.arg, self->x, self->projection);
    self->scalar[SPD_SHRINK] = 1;
    self->scalar[SPD_TOUCHED] = (double)p->dK; /* makes the first lazy step sum SQUARE */
}

double spd_spdhg_beta(const spd_spdhg *self, int64_t k) { return self->scale * self->rule->beta(k, self->L, self->mu); }

void spd_spdhg_dual_update(spd_spdhg *self, const spdhg_problem *p) {
    spd_problem_apply(p, self->x, self->z);
    spd_axpy(p->m * p->K, self->s, self->z, self->y);
    spd_problem_project_dual(p, self->y, self->term);
}

void spd_spdhg_primal_update(spd_spdhg *self, const spdhg_problem *p, double beta) {
    spd_axpy(p->dK, p->gamma, self->x, self->g);
    spd_problem_add_transposed(p, self->y, self->g);
    spd_axpy(p->dK, -beta, self->g, self->x);
    p->set.kind->project(p->dK, p->set.arg, self->x, self->projection);
    if (p->intercept) spd_axpy(p->K, -beta, self->gc, self->c);
}

void spd_spdhg_average(spd_spdhg *self, const spdhg_problem *p, double weight) {
    spd_axpy(p->dK, weight, self->x, self->x_sum);
    spd_axpy(p->K, weight, self->c, self->c_sum);
    spd_axpy(p->m * p->K, weight, self->y, self->y_sum);
    self->scalar[SPD_TOTAL] += weight;
}

static void plain_step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_batch_slopes(p, batch, self->x, self->c, self->slope);
    memset(self->g, 0, (size_t)p->dK * sizeof(double));
    spd_batch_add(p, batch, self->slope, 1, self->g);
    spd_batch_sum(p, batch, self->slope, self->gc);
    spd_spdhg_dual_update(self, p);
    spd_spdhg_primal_update(self, p, spd_spdhg_beta(self, k));
    spd_spdhg_average(self, p, self->rule->weight(k));
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    switch (((const spd_spdhg *)run->self)->form) {
    case SPD_FORM_PLAIN: plain_step(run, k, batch); break;
    case SPD_FORM_FUSED: spd_spdhg_fused_step(run, k, batch); break;
    case SPD_FORM_LAZY: spd_spdhg_lazy_step(run, k, batch); break;
    }
    return SPD_CONTINUE;
}

void spd_spdhg_output(const spd_run *run, double *x, double *c, double *y) {
    const spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const double total = self->scalar[SPD_TOTAL];
    const bool average = total > 0; /* before the first step: the start itself */
    const double over = average ? 1 / total : 1;
    const bool lazy = self->form == SPD_FORM_LAZY;
    for (int64_t j = 0; j < p->d; j++) {
        const int64_t at = lazy ? p->place[j] : j;
        const double sweep = lazy && at >= p->supports ? self->scalar[SPD_SWEEP] : 0;
        for (int64_t k = 0; k < p->K; k++) {
            const double now = self->x[at * p->K + k];
            x[j * p->K + k] = average ? over * (sweep * now + self->x_sum[at * p->K + k]) : now;
        }
    }
    for (int64_t k = 0; k < p->K; k++) c[k] = average ? over * self->c_sum[k] : self->c[k];
    for (int64_t e = 0; e < p->m * p->K; e++) y[e] = average ? over * self->y_sum[e] : self->y[e];
}

#define SPDHG_KIND(identifier, text, title, rule, constant, refusal)                                                             \
    const spd_solver_kind identifier = {.name = text,                                                                            \
                                        .what = title,                                                                           \
                                        .reference = "Qiao, Lin, Qin, Lu: On stochastic primal-dual hybrid gradient, Alg. 1",    \
                                        .param = spd_spdhg_param,                                                                \
                                        .params = SPD_SPDHG_PARAMS,                                                              \
                                        .variant = &rule,                                                                        \
                                        .gradient_only = true,                                                                   \
                                        .smoothness = constant,                                                                  \
                                        .self_size = sizeof(spd_spdhg),                                                          \
                                        .refuses = refusal,                                                                      \
                                        .layout = spd_spdhg_layout,                                                              \
                                        .start = spd_spdhg_start,                                                                \
                                        .step = step,                                                                            \
                                        .output = spd_spdhg_output,                                                              \
                                        .dual_cost = spd_spdhg_dual_cost}

SPDHG_KIND(spd_solver_spdhg, "spdhg", "stochastic PDHG, steps 1/(sqrt(k+1)+L), uniform average", spd_rule_gc, SPD_L_EXPECTED,
           spd_spdhg_refuses);
SPDHG_KIND(spd_solver_spdhg_sc1, "spdhg-sc1", "stochastic PDHG for gamma > 0, steps 1/(gamma(k+1)+L), uniform average",
           spd_rule_sc1, SPD_L_MEAN, refuses_without_ridge);
SPDHG_KIND(spd_solver_spdhg_sc2, "spdhg-sc2", "stochastic PDHG for gamma > 0, steps 2/(gamma(k+2)+2L), weights k+1", spd_rule_sc2,
           SPD_L_MEAN, refuses_without_ridge);
SPDHG_KIND(spd_solver_spdhg_sc1h, "spdhg-sc1h", "as spdhg-sc1 with steps 1/(gamma(k+1)/2+L): O(log t/t) with high probability",
           spd_rule_sc1h, SPD_L_MEAN, refuses_without_ridge);
SPDHG_KIND(spd_solver_spdhg_sc2h, "spdhg-sc2h", "as spdhg-sc2 with steps 4/(gamma(k+2)+4L): O(1/t) with high probability",
           spd_rule_sc2h, SPD_L_MEAN, refuses_without_ridge);

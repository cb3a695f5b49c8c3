/* spdhg_free.c - SPDHG with steps that need no constant: neither L nor mu nor sigma, for streams and for losses without a bound.
 * The x-step is "distance over gradients" of Ivgi, Hinder and Carmon (ICML 2023), the y-step that of spdhg.c.
 *
 *   r_0 = reach, G_{-1} = 0.  For k = 0, 1, 2, ...
 *     y^{k+1} = Pi_{lambda Y}( y^k + s F x^k )
 *     h^k = grad l(x^k, xi^{k+1}) + F'y^{k+1},   G_k = G_{k-1} + ||h^k||^2,   eta_k = r_k / sqrt(G_k)
 *     x^{k+1} = Pi_X[ x^k - eta_k h^k ],   r_{k+1} = max( r_k, ||x^{k+1} - x^0|| )
 *   Output xbar = sum_k r_k x^k / sum_k r_k,  ybar = sum_k r_k y^{k+1} / sum_k r_k
 *
 * The intercept c is one more coordinate of x, without penalty, ridge or set. docs/theory.md has the bound that holds with high
 * probability, all of whose terms but two can be read off the run. */
#include "primal_dual/spdhg.h"

enum { GRADIENTS, DISTANCE, SCALARS }; /* G_k, r_k */

typedef struct spdhg_free {
    spd_spdhg common; /* first, so that the functions of spdhg.c work on it */
    double *x0, *c0, *scalar;
} spdhg_free;

enum { PARAM_REACH = SPD_SPDHG_PARAM_S + 1, PARAMS };
static const spd_param param[PARAMS] = {
    {"s", NAN, 0, INFINITY, "dual step; default: largest ||y|| in the dual ball / bound of ||F||"},
    {"reach", NAN, 1e-300, INFINITY,
     "length of the first step; enters the bound through a logarithm; default: 1e-6 (1 + ||x0||)"},
};

static void layout(spd_run *run) {
    spdhg_free *self = run->self;
    spd_spdhg_layout(run);
    self->x0 = spd_arena_take(&run->state, run->problem->dK);
    self->c0 = spd_arena_take(&run->state, run->problem->K);
    self->scalar = spd_arena_take(&run->state, SCALARS);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spdhg_free *self = run->self;
    spd_spdhg *common = &self->common;
    const spdhg_problem *p = run->problem;
    const double s = run->param[SPD_SPDHG_PARAM_S], reach = run->param[PARAM_REACH], norm = spd_problem_structure_norm(p);
    common->s = !isnan(s) ? s : norm > 0 ? spd_problem_dual_radius(p) / norm : 0;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, common->x, common->c, common->y, common->term);
    p->set.kind->project(p->dK, p->set.arg, common->x, common->projection);
    memcpy(self->x0, common->x, (size_t)p->dK * sizeof *self->x0);
    memcpy(self->c0, common->c, (size_t)p->K * sizeof *self->c0);
    self->scalar[DISTANCE] = isnan(reach) ? 1e-6 * (1 + spd_norm2(p->dK, common->x)) : reach;
    spd_run_log(run, "%s: s = %.6g, reach = %.6g, batch %lld", run->kind->name, common->s, self->scalar[DISTANCE],
                (long long)run->batch);
}

static double distance(int64_t n, const double *a, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    spdhg_free *self = run->self;
    spd_spdhg *common = &self->common;
    const spdhg_problem *p = run->problem;
    double *h = common->g;
    spd_batch_slopes(p, batch, common->x, common->c, common->slope);
    spd_spdhg_dual_update(common, p);
    memset(h, 0, (size_t)p->dK * sizeof *h);
    spd_batch_add(p, batch, common->slope, 1, h);
    spd_batch_sum(p, batch, common->slope, common->gc);
    spd_axpy(p->dK, p->gamma, common->x, h);
    spd_problem_add_transposed(p, common->y, h);
    const double r = self->scalar[DISTANCE], square = p->intercept ? spd_dot(p->K, common->gc, common->gc) : 0;
    const double G = self->scalar[GRADIENTS] += spd_dot(p->dK, h, h) + square, eta = G > 0 ? r / sqrt(G) : 0;
    spd_spdhg_average(common, p, r);
    spd_axpy(p->dK, -eta, h, common->x);
    p->set.kind->project(p->dK, p->set.arg, common->x, common->projection);
    if (p->intercept) spd_axpy(p->K, -eta, common->gc, common->c);
    self->scalar[DISTANCE] = fmax(r, sqrt(distance(p->dK, common->x, self->x0) + distance(p->K, common->c, self->c0)));
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_spdhg_free = {.name = "spdhg-free",
                                               .what = "stochastic PDHG, steps by distance over gradients: no constant needed",
                                               .reference = "Ivgi, Hinder, Carmon: DoG is SGD's best friend, ICML 2023",
                                               .param = param,
                                               .params = PARAMS,
                                               .gradient_only = true,
                                               .any_curvature = true,
                                               .corners = true,
                                               .self_size = sizeof(spdhg_free),
                                               .refuses = spd_spdhg_refuses,
                                               .layout = layout,
                                               .start = start,
                                               .step = step,
                                               .output = spd_spdhg_output,
                                               .dual_cost = spd_spdhg_dual_cost};

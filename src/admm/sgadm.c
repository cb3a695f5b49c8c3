/* sgadm.c - stochastic gradient-based ADMM of Gao, Jiang and Zhang (J. Sci. Comput. 2018, arXiv 2014); the step is in sgadm.h.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l + (gamma/2)||.||^2 at x_t
 *     z_{t+1}, x_{t+1}, y_{t+1}: the shared step with eta_t = 1/(sqrt(t) + C),  C = L + rho ||F||^2
 *   Output the uniform averages of x_{t+1} and yhat_{t+1}
 *
 * For gamma > 0, eta_t = 1/(gamma t + C), as in the related methods here; the paper treats the convex case only. */
#include "admm/sgadm.h"

const spd_param spd_sgadm_param[SPD_SGADM_PARAMS] = {
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"L", NAN, 0, INFINITY,
     "smoothness constant in the step, a number or expected, mean or max (over the rows); default: expected, mean for "
     "gamma > 0, max for a loss with unbounded slopes"},
};

static void layout(spd_run *run) { spd_admm_layout(run, &((spd_sgadm *)run->self)->admm); }

void spd_sgadm_start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_sgadm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double L = spd_run_smoothness(run, run->param[SPD_SGADM_PARAM_L], self->admm.smoothness),
                 norm = spd_problem_structure_norm(p);
    self->admm.rho = spd_admm_rho(p, run->param[SPD_SGADM_PARAM_RHO], L);
    self->C = L + self->admm.rho * norm * norm;
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_run_log(run, "%s: C = %.6g, rho = %.6g, batch %lld", run->kind->name, self->C, self->admm.rho, (long long)run->batch);
}

void spd_sgadm_advance(spd_sgadm *self, const spdhg_problem *p, double eta) {
    spd_admm *a = &self->admm;
    const int64_t mK = p->m * p->K;
    double *yhat = a->v;
    for (int64_t e = 0; e < mK; e++) yhat[e] = a->y[e] + a->rho * a->Fx[e];
    spd_problem_project_dual(p, yhat, a->term);
    for (int64_t e = 0; e < mK; e++) a->z[e] = a->Fx[e] + (a->y[e] - yhat[e]) / a->rho;
    spd_problem_add_transposed(p, yhat, a->g);
    spd_axpy(p->dK, -eta, a->g, a->x);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
    if (p->intercept) spd_axpy(p->K, -eta, a->gc, a->c);
    spd_problem_apply(p, a->x, a->Fx);
    for (int64_t e = 0; e < mK; e++) a->y[e] += a->rho * (a->Fx[e] - a->z[e]);
    spd_admm_average_dual(a, p, yhat);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_sgadm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double t = (double)k + 1;
    spd_admm_gradient(&self->admm, p, batch, p->gamma);
    spd_sgadm_advance(self, p, 1 / ((p->gamma > 0 ? p->gamma * t : sqrt(t)) + self->C));
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_sgadm = {
    .name = "sgadm",
    .what = "stochastic gradient-based ADMM, z first, uniform average",
    .reference = "Gao, Jiang, Zhang: On the information-adaptive variants of the ADMM, J. Sci. Comput. 2018",
    .param = spd_sgadm_param,
    .params = SPD_SGADM_PARAMS,
    .self_size = sizeof(spd_sgadm),
    .gradient_only = true,
    .smoothness = SPD_L_BY_RIDGE,
    .refuses = spd_admm_accepts,
    .layout = layout,
    .start = spd_sgadm_start,
    .step = step,
    .output = spd_admm_output_average,
    .dual_cost = spd_admm_dual_cost};

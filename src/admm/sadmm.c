/* sadmm.c - stochastic ADMM of Ouyang, He, Tran and Gray (ICML 2013) with the exact x-step; y = -w as in admm.h. For t = 1, 2,
 * ...
 *
 *   g_t = stochastic gradient of l + (gamma/2)||.||^2 at x_t
 *   x_{t+1} = argmin_x <g_t, x> + (rho/2)||F x - z_t + y_t/rho||^2 + ||x - x_t||^2/(2 eta_{t+1})
 *           : ( I/eta + rho F'F ) x_{t+1} = x_t/eta - g_t + F'(rho z_t - y_t)
 *   z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of x_1, ..., x_t
 *
 *   smooth convex:    eta_t = 1/(L + theta sqrt(t))    (theta = sigma sqrt(2)/D_X in their theorem)
 *   strongly convex:  eta_t = 1/(L + gamma t)          (their 1/(gamma t) is L = 0, whose first steps are as long as 1/gamma)
 *
 * `sadmm-sc2` is the method of Azadi and Sra (ICML 2014) for the strongly convex case, the source of the weights of SPDHG-SC2:
 *     eta_{t+1} = 2/(gamma (t+1) + 2L)                   (theirs is L = 0)
 *   Output sum_t t x_t / sum_t t and sum_t t y_{t+1} / sum_t t: x before the step, as in their theorem, y behind it */
#include "admm/admm.h"

typedef struct sadmm {
    spd_admm admm;
    spd_admm_system system;
    double L, theta;
} sadmm;

enum { PARAM_RHO, PARAM_L, PARAM_THETA, PARAM_CG_TOL, PARAMS };
static const spd_param param[PARAMS] = {
    {"rho", 1, 1e-12, 1e12, "penalty parameter of the augmented Lagrangian"},
    {"L", NAN, 0, INFINITY,
     "smoothness constant in the step, a number or expected, mean or max (over the rows); default: expected, mean for "
     "gamma > 0, max for a loss with unbounded slopes"},
    {"theta", 1, 0, INFINITY, "growth of 1/eta with sqrt(t) when gamma = 0"},
    {"cg_tol", 1e-10, 1e-16, 0.1, "relative residual at which the inner linear solve stops"},
};

static const char weighted; /* its address marks sadmm-sc2 */

static void layout(spd_run *run) {
    sadmm *self = run->self;
    spd_admm_layout(run, &self->admm);
    spd_admm_system_layout(run, &self->system, true);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    sadmm *self = run->self;
    self->L = spd_run_smoothness(run, run->param[PARAM_L], self->admm.smoothness);
    self->theta = run->param[PARAM_THETA];
    self->admm.rho = run->param[PARAM_RHO];
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_admm_system_start(&self->system, run, self->admm.rho, run->param[PARAM_CG_TOL]);
    spd_run_log(run, "%s: L = %.6g, rho = %.6g, batch %lld", run->kind->name, self->L, self->admm.rho, (long long)run->batch);
}

static bool is_weighted(const spd_run *run) { return run->kind->variant == &weighted; }

static double eta(const spd_run *run, int64_t k) {
    const sadmm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double t = (double)k + 1;
    if (is_weighted(run)) return 2 / (p->gamma * (t + 1) + 2 * self->L);
    return 1 / (self->L + (p->gamma > 0 ? p->gamma * t : self->theta * sqrt(t)));
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    sadmm *self = run->self;
    spd_admm *a = &self->admm;
    spd_admm_system *s = &self->system;
    const spdhg_problem *p = run->problem;
    const double over = 1 / eta(run, k);
    if (is_weighted(run)) spd_admm_add_primal(a, p, (double)k + 1);
    spd_admm_gradient(a, p, batch, p->gamma);
    for (int64_t q = 0; q < p->dK; q++) {
        s->h[q] = over;
        s->b[q] = over * a->x[q] - a->g[q];
    }
    spd_admm_add_target(a, p, s->b);
    spd_admm_system_solve(s, a->x);
    if (p->intercept) spd_axpy(p->K, -1 / over, a->gc, a->c);
    spd_admm_tail(a, p);
    if (!is_weighted(run)) spd_admm_add_primal(a, p, 1);
    spd_admm_add_dual(a, p, is_weighted(run) ? (double)k + 1 : 1, a->y);
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_sadmm = {
    .name = "sadmm",
    .what = "stochastic ADMM, exact x-step, uniform average",
    .reference = "Ouyang, He, Tran, Gray: Stochastic alternating direction method of multipliers, ICML 2013",
    .param = param,
    .params = PARAMS,
    .gradient_only = true,
    .smoothness = SPD_L_BY_RIDGE,
    .refuses = spd_admm_refuses_sets,
    SPD_ADMM_KIND(sadmm)};

static const char *refuses_without_ridge(const spdhg_problem *p) {
    return p->gamma > 0 ? spd_admm_refuses_sets(p) : "its step sizes need a strongly convex problem: --gamma above 0";
}

const spd_solver_kind spd_solver_sadmm_sc2 = {
    .name = "sadmm-sc2",
    .what = "stochastic ADMM for gamma > 0, exact x-step, average weighted by t",
    .reference = "Azadi, Sra: Towards an optimal stochastic alternating direction method of multipliers, ICML 2014",
    .param = param,
    .params = PARAMS,
    .variant = &weighted,
    .gradient_only = true,
    .smoothness = SPD_L_BY_RIDGE,
    .refuses = refuses_without_ridge,
    SPD_ADMM_KIND(sadmm)};

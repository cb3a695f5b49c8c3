/* opg_admm.c - online proximal gradient ADMM of Suzuki (ICML 2013): everything except the penalty is linearised; y = -w as in
 * admm.h.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l + (gamma/2)||.||^2 at x_t
 *     x_{t+1} = argmin_{x in X} <g_t, x> + (rho/2)||F x - z_t + y_t/rho||^2 + ||x - x_t||^2_{G_t}/(2 eta_t)
 *               with G_t = gam_t I - rho eta_t F'F and gam_t = 1 + rho eta_t ||F||^2, so that G_t >= I
 *             = Pi_X[ x_t - (eta_t/gam_t) ( g_t + F'(y_t + rho (F x_t - z_t)) ) ]
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 *   gamma = 0:  eta_t = 1/(L + sqrt(t)/eta0)
 *   gamma > 0:  eta_t = 1/(L + t/eta0)
 * The paper has L = 0, that is eta0/sqrt(t) and eta0/t. The first steps can then be far longer than 1/L, and the method diverges
 * for losses with unbounded slopes. */
#include "admm/admm.h"

typedef struct opg_admm {
    spd_admm admm;
    double L, growth, norm2; /* growth = 1/eta0; norm2 bounds ||F||^2 */
} opg_admm;

enum { PARAM_ETA0, PARAM_RHO, PARAM_L, PARAMS };
static const spd_param param[PARAMS] = {
    {"eta0", NAN, 1e-12, 1e12, "1/eta grows as sqrt(t)/eta0, or t/eta0 when gamma > 0; default: 1, or 1/gamma when gamma > 0"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"L", NAN, 0, INFINITY, "offset of 1/eta; default: curvature bound * max ||a_i||^2 + gamma; 0: the steps of the paper"},
};

static void layout(spd_run *run) { spd_admm_layout(run, &((opg_admm *)run->self)->admm); }

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    opg_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double L = spd_problem_lipschitz(p, run->sampling), norm = spd_problem_structure_norm(p);
    const double eta0 = run->param[PARAM_ETA0], rho = run->param[PARAM_RHO], given = run->param[PARAM_L];
    self->L = isnan(given) ? L : given;
    self->growth = !isnan(eta0) ? 1 / eta0 : p->gamma > 0 ? p->gamma : 1;
    self->norm2 = norm * norm;
    self->admm.rho = spd_admm_rho(p, rho, L);
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_run_log(run, "%s: L = %.6g, eta0 = %.6g, rho = %.6g, batch %lld", run->kind->name, self->L, 1 / self->growth,
                self->admm.rho, (long long)run->batch);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    opg_admm *self = run->self;
    spd_admm *a = &self->admm;
    const spdhg_problem *p = run->problem;
    const double t = (double)k + 1, over_eta = self->L + self->growth * (p->gamma > 0 ? t : sqrt(t));
    spd_admm_gradient(a, p, batch, p->gamma);
    spd_admm_add_augmented(a, p, a->g);
    spd_axpy(p->dK, -1 / (over_eta + a->rho * self->norm2), a->g, a->x);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
    if (p->intercept) spd_axpy(p->K, -1 / over_eta, a->gc, a->c); /* F does not touch c: gam = 1 there */
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_opg_admm = {
    .name = "opg-admm",
    .what = "online proximal gradient ADMM, linearised x-step, uniform average",
    .reference = "Suzuki: Dual averaging and proximal gradient descent for online ADMM, ICML 2013",
    .param = param,
    .params = PARAMS,
    .gradient_only = true,
    .refuses = spd_admm_accepts,
    SPD_ADMM_KIND(opg_admm)};

/* rda_admm.c - regularised dual averaging ADMM of Suzuki (ICML 2013); y = -w as in admm.h, bars are means over the steps 1..t.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l at x_t
 *     x_{t+1} = argmin_{x in X} <gbar_t, x> + <ybar_t + rho (F xbar_t - zbar_t), F x> + (rho/2t)||F x||^2 + (gamma/2)||x||^2
 *               + ||x - x_1||^2_{G_t}/(2 eta_t)
 *               with G_t = gam_t I - (rho eta_t/t) F'F and gam_t = 1 + rho (eta_t/t) ||F||^2
 *             = Pi_X[ ( b_t x_1 - S_t ) / ( gamma t + b_t ) ]
 *               with the running sum S_t = sum_{tau <= t} g_tau + F'( y_tau + rho (F x_tau - z_tau) )
 *               and b_t = t/eta_t + rho ||F||^2
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 *   gamma = 0:  t/eta_t = L + sqrt(t)/eta0          (the paper's eta_t = eta0 sqrt(t) is L = 0)
 *   gamma > 0:  t/eta_t = L + (1 + log t)/eta0      (beta_t of Xiao 2010 for strongly convex regularisers such as the ridge)
 * Two changes are our own: L, without which the first steps may be far longer than 1/L; and the centre x_1 instead of 0, so that
 * a warm start is not forgotten (the same for the usual start x_1 = 0). The intercept has no ridge: it always takes
 * t/eta_t = L + sqrt(t)/eta0, with eta0 = 1 if none was given. */
#include "admm/admm.h"

typedef struct rda_admm {
    spd_admm admm;
    double L, growth, growth_c, norm2; /* growth = 1/eta0; norm2 bounds ||F||^2 */
    double *S, *Sc, *x1, *c1;          /* state: the running sums; the centre */
} rda_admm;

enum { PARAM_ETA0, PARAM_RHO, PARAM_L, PARAMS };
static const spd_param param[PARAMS] = {
    {"eta0", NAN, 1e-12, 1e12,
     "t/eta grows as sqrt(t)/eta0, or (1 + log t)/eta0 when gamma > 0; default: 1, or 1/gamma when gamma > 0"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"L", NAN, 0, INFINITY, "offset of t/eta; default: curvature bound * max ||a_i||^2 + gamma; 0: the steps of the paper"},
};

static void layout(spd_run *run) {
    rda_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_admm_layout(run, &self->admm);
    self->S = spd_arena_take(&run->state, p->dK);
    self->Sc = spd_arena_take(&run->state, p->K);
    self->x1 = spd_arena_take(&run->state, p->dK);
    self->c1 = spd_arena_take(&run->state, p->K);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    rda_admm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double L = spd_problem_lipschitz(p, run->sampling), norm = spd_problem_structure_norm(p);
    const double eta0 = run->param[PARAM_ETA0], rho = run->param[PARAM_RHO], given = run->param[PARAM_L];
    self->L = isnan(given) ? L : given;
    self->growth = !isnan(eta0) ? 1 / eta0 : p->gamma > 0 ? p->gamma : 1;
    self->growth_c = isnan(eta0) ? 1 : 1 / eta0;
    self->norm2 = norm * norm;
    self->admm.rho = spd_admm_rho(p, rho, L);
    spd_admm_start(run, &self->admm, x0, c0, y0);
    memcpy(self->x1, self->admm.x, (size_t)p->dK * sizeof(double));
    memcpy(self->c1, self->admm.c, (size_t)p->K * sizeof(double));
    spd_run_log(run, "%s: L = %.6g, eta0 = %.6g, rho = %.6g, batch %lld", run->kind->name, self->L, 1 / self->growth,
                self->admm.rho, (long long)run->batch);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    rda_admm *self = run->self;
    spd_admm *a = &self->admm;
    const spdhg_problem *p = run->problem;
    const double t = (double)k + 1, grown = p->gamma > 0 ? 1 + log(t) : sqrt(t);
    const double b = self->L + self->growth * grown + a->rho * self->norm2, b_c = self->L + self->growth_c * sqrt(t);
    spd_admm_gradient(a, p, batch, 0);
    spd_axpy(p->dK, 1, a->g, self->S);
    spd_admm_add_augmented(a, p, self->S);
    for (int64_t j = 0; j < p->dK; j++) a->x[j] = (b * self->x1[j] - self->S[j]) / (p->gamma * t + b);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
    if (p->intercept) {
        spd_axpy(p->K, 1, a->gc, self->Sc);
        for (int64_t i = 0; i < p->K; i++) a->c[i] = self->c1[i] - self->Sc[i] / b_c;
    }
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_rda_admm = {
    .name = "rda-admm",
    .what = "regularised dual averaging ADMM, linearised x-step, uniform average",
    .reference = "Suzuki: Dual averaging and proximal gradient descent for online ADMM, ICML 2013",
    .param = param,
    .params = PARAMS,
    .gradient_only = true,
    .refuses = spd_admm_accepts,
    SPD_ADMM_KIND(rda_admm)};

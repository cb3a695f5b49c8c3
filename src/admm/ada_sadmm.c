/* ada_sadmm.c - adaptive stochastic ADMM with a diagonal metric (Zhao, Yang, Zhang, Li, ICML 2015); y = -w as in admm.h.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l at x_t
 *     s_{t,j} = sqrt( sum_{tau <= t} g_{tau,j}^2 )
 *     H_t = a I + diag(s_t)
 *     x_{t+1} = argmin_x <g_t, x> + (gamma/2)||x||^2 + (rho/2)||F x - z_t + y_t/rho||^2 + ||x - x_t||^2_{H_t}/(2 eta)
 *             : ( H_t/eta + gamma I + rho F'F ) x_{t+1} = H_t x_t/eta - g_t + F'(rho z_t - y_t)
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 * eta is constant: the growth of H_t makes the steps decay. The ridge is in the system and not in g_t (either is sound, both
 * would count it twice), so that s_t changes only where the drawn rows have entries. The intercept is one more coordinate of
 * H. */
#include "admm/ada_sadmm.h"

typedef struct ada_sadmm {
    spd_ada_sadmm shared;
    spd_admm_system system;
    double *squares; /* state: sums of squares of the gradients */
} ada_sadmm;

enum { PARAM_CG_TOL = SPD_ADA_PARAMS, PARAMS };
static const spd_param param[PARAMS] = {
    {"eta", 1, 1e-12, 1e12, "length of the steps; the theory has max ||x_t - x*||_inf / sqrt(2)"},
    {"a", NAN, 1e-12, 1e12,
     "added to the metric; default: eta * curvature bound * max ||a_i||^2, so that no step is longer than 1/L"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"cg_tol", 1e-10, 1e-16, 0.1, "relative residual at which the inner linear solve stops"},
};

static void layout(spd_run *run) {
    ada_sadmm *self = run->self;
    spd_admm_layout(run, &self->shared.admm);
    spd_admm_system_layout(run, &self->system, false);
    self->squares = spd_arena_take(&run->state, run->problem->dK);
    self->shared.squares_c = spd_arena_take(&run->state, run->problem->K);
}

void spd_ada_start(spd_run *run, spd_ada_sadmm *self, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    const double L = spd_problem_lipschitz(p, run->sampling) - p->gamma, *param_of = run->param, a = param_of[SPD_ADA_A];
    self->eta = param_of[SPD_ADA_ETA];
    self->a = !isnan(a) ? a : L > 0 ? self->eta * L : 1;
    self->admm.rho = spd_admm_rho(p, param_of[SPD_ADA_RHO], L);
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_run_log(run, "%s: eta = %.6g, a = %.6g, rho = %.6g, batch %lld", run->kind->name, self->eta, self->a, self->admm.rho,
                (long long)run->batch);
}

void spd_ada_intercept(spd_ada_sadmm *self, const spdhg_problem *p) {
    spd_admm *a = &self->admm;
    for (int64_t i = 0; i < p->K && p->intercept; i++) {
        self->squares_c[i] += a->gc[i] * a->gc[i];
        a->c[i] -= self->eta / (self->a + sqrt(self->squares_c[i])) * a->gc[i];
    }
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    ada_sadmm *self = run->self;
    spd_ada_start(run, &self->shared, x0, c0, y0);
    spd_admm_system_start(&self->system, run, self->shared.admm.rho, run->param[PARAM_CG_TOL]);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    ada_sadmm *self = run->self;
    spd_admm *a = &self->shared.admm;
    spd_admm_system *s = &self->system;
    const spdhg_problem *p = run->problem;
    spd_admm_gradient(a, p, batch, 0);
    for (int64_t q = 0; q < p->dK; q++) {
        self->squares[q] += a->g[q] * a->g[q];
        const double over = (self->shared.a + sqrt(self->squares[q])) / self->shared.eta;
        s->h[q] = over + p->gamma;
        s->b[q] = over * a->x[q] - a->g[q];
    }
    spd_admm_add_target(a, p, s->b);
    spd_admm_system_solve(s, a->x);
    spd_ada_intercept(&self->shared, p);
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_ada_sadmm_diag = {.name = "ada-sadmm-diag",
                                                   .what = "adaptive stochastic ADMM, diagonal metric, uniform average",
                                                   .reference =
                                                       "Zhao, Yang, Zhang, Li: Adaptive stochastic ADMM, ICML 2015 (PMLR 37)",
                                                   .param = param,
                                                   .params = PARAMS,
                                                   .gradient_only = true,
                                                   .refuses = spd_admm_refuses_sets,
                                                   SPD_ADMM_KIND(ada_sadmm)};

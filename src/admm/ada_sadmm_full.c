/* ada_sadmm_full.c - adaptive stochastic ADMM with a full metric (Zhao, Yang, Zhang, Li, ICML 2015); y = -w as in admm.h.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l at x_t
 *     G_t = sum_{tau <= t} g_tau g_tau'
 *     H_t = a I + G_t^{1/2}
 *     ( H_t/eta + gamma I + rho F'F ) x_{t+1} = H_t x_t/eta - g_t + F'(rho z_t - y_t)
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 * x is one vector of D = d K entries. The eigenvalues and eigenvectors of G_t are updated from those of G_{t-1} (eigen_add.c: a
 * step costs a few products of D x D matrices) and computed afresh from G_t every RENEW steps, so that rounding does not
 * accumulate. The system is solved by Cholesky. Ridge as in ada_sadmm.c. The intercept, which is not in F or the ridge, has its
 * own diagonal metric. */
#include <float.h>

#include "admm/ada_sadmm.h"

enum { MOST_COEFFICIENTS = 2000, RENEW = 1000 };

typedef struct ada_full {
    spd_ada_sadmm shared;
    double *G, *V, *e;             /* state: D x D; its eigenvectors in rows, D x D; its eigenvalues */
    double *gram;                  /* state: rho F'F (lower half), constant */
    double *b, *root, *M, *square; /* work: right-hand side; roots of e; D x D each: H/eta + gamma I + rho F'F */
    double *eigen;                 /* work */
} ada_full;

static const spd_param param[SPD_ADA_PARAMS] = {
    {"eta", 1, 1e-12, 1e12, "length of the steps; the theory has max ||x_t - x*||_2 / sqrt(2)"},
    {"a", NAN, 1e-12, 1e12,
     "added to the metric; default: eta * curvature bound * max ||a_i||^2, so that no step is longer than 1/L"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
};

static void layout(spd_run *run) {
    ada_full *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t D = p->dK, work = spd_eigen_work(D), add_work = spd_eigen_add_work(D);
    spd_admm_layout(run, &self->shared.admm);
    self->G = spd_arena_take(&run->state, D * D);
    self->V = spd_arena_take(&run->state, D * D);
    self->e = spd_arena_take(&run->state, D);
    self->shared.squares_c = spd_arena_take(&run->state, p->K);
    self->gram = spd_arena_take(&run->state, D * D);
    self->b = spd_arena_take(&run->work, D);
    self->root = spd_arena_take(&run->work, D);
    self->M = spd_arena_take(&run->work, D * D);
    self->square = spd_arena_take(&run->work, D * D);
    self->eigen = spd_arena_take(&run->work, work > add_work ? work : add_work);
}

static double as_it_is(const spd_term *term) {
    (void)term;
    return 1;
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    ada_full *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_ada_start(run, &self->shared, x0, c0, y0);
    for (int64_t i = 0; i < p->dK; i++) self->V[i * p->dK + i] = 1;
    spd_problem_add_gram(p, as_it_is, p->dK, self->gram);
    spd_scale(p->dK * p->dK, self->shared.admm.rho, self->gram);
}

/* Adds g g' to G, V and e; false if LAPACK fails, as it does for numbers that are not finite. */
static bool add_gradient(ada_full *self, int64_t D, int64_t k) {
    const double *g = self->shared.admm.g;
    for (int64_t i = 0; i < D; i++)
        if (g[i] != 0) spd_axpy(D, g[i], g, self->G + i * D);
    if ((k + 1) % RENEW != 0) return spd_eigen_add(D, self->V, self->e, g, self->eigen);
    memcpy(self->V, self->G, (size_t)(D * D) * sizeof(double));
    return spd_eigen(D, self->V, self->e, self->eigen);
}

/* M = G^{1/2}/eta. G has rank at most t. Rounding turns an eigenvalue 0 into about 1e-16 of the largest, whose root would be 1e-8
 * of the largest, so that such eigenvalues are set to 0. */
static void take_root(ada_full *self, int64_t D) {
    const double noise = (double)D * DBL_EPSILON * spd_max_abs(D, self->e);
    for (int64_t i = 0; i < D; i++) self->root[i] = self->e[i] > noise ? sqrt(self->e[i]) / self->shared.eta : 0;
    spd_recompose(D, self->V, self->root, self->M, self->square);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    ada_full *self = run->self;
    spd_admm *a = &self->shared.admm;
    const spdhg_problem *p = run->problem;
    const int64_t D = p->dK;
    const double ridge = self->shared.a / self->shared.eta;
    spd_admm_gradient(a, p, batch, 0);
    if (!add_gradient(self, D, k)) return SPD_FAILED;
    take_root(self, D);
    for (int64_t q = 0; q < D; q++) self->b[q] = ridge * a->x[q] + spd_dot(D, self->M + q * D, a->x) - a->g[q];
    spd_admm_add_target(a, p, self->b);
    spd_axpy(D * D, 1, self->gram, self->M);
    for (int64_t q = 0; q < D; q++) self->M[q * D + q] += ridge + p->gamma;
    if (!spd_cholesky(D, self->M)) return SPD_FAILED;
    memcpy(a->x, self->b, (size_t)D * sizeof(double));
    spd_cholesky_solve(D, self->M, a->x);
    spd_ada_intercept(&self->shared, p);
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

/* Products of D x D matrices dominate a step: about 5 D^3 operations. */
static int64_t dual_cost(const spdhg_problem *p) { return 5 * p->dK * p->dK * p->dK + spd_admm_dual_cost(p); }

static const char *refuses(const spdhg_problem *p) {
    if (p->dK > MOST_COEFFICIENTS)
        return "its metric is a dense matrix with a row for each coefficient: at most 2000 coefficients (features times "
               "outputs); use "
               "ada-sadmm-diag";
    return spd_admm_refuses_sets(p);
}

const spd_solver_kind spd_solver_ada_sadmm_full = {
    .name = "ada-sadmm-full",
    .what = "adaptive stochastic ADMM, full metric, up to 2000 coefficients, uniform average",
    .reference = "Zhao, Yang, Zhang, Li: Adaptive stochastic ADMM, ICML 2015 (PMLR 37)",
    .param = param,
    .params = SPD_ADA_PARAMS,
    .self_size = sizeof(ada_full),
    .gradient_only = true,
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = spd_admm_output_average,
    .dual_cost = dual_cost};

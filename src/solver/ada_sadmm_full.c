/* ada_sadmm_full.c - adaptive stochastic ADMM with a full metric (Zhao, Yang, Zhang, Li, ICML 2015); y = -w as in admm.h.
 *
 *   For t = 1, 2, ...
 *     g_t = stochastic gradient of l at x_t;   G_t = sum_{tau <= t} g_tau g_tau';   H_t = a I + G_t^{1/2}
 *     ( H_t/eta + gamma I + rho F'F ) x_{t+1} = H_t x_t/eta - g_t + F'(rho z_t - y_t)
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 * x is one vector of D = d K numbers. G_t = V diag(e) V' by LAPACK, O(D^3): every step when D <= 100, else every `refresh` steps
 * with H_t kept in between (refresh = 1: the paper). H_t is applied as a I + V diag(sqrt e) V' inside conjugate gradients that
 * start at x_t. Ridge as in ada_sadmm.c. The intercept, which F and ridge do not touch, has a diagonal metric of its own. */
#include <float.h>

#include "solver/admm.h"

enum { MOST_COEFFICIENTS = 2000, ALWAYS_FRESH = 100 };

typedef struct ada_full {
    spd_admm admm;
    const spdhg_problem *problem;
    double eta, a, tolerance;
    int64_t refresh;
    double *G, *V, *root;           /* state: D x D; its eigenvectors in rows, D x D; the roots of its eigenvalues */
    double *squares_c, *gram;       /* state: sums of squares of the intercept's gradients; diagonal of F'F, constant */
    double *b, *diagonal, *Fp, *cg; /* work: right-hand side, diagonal of the system, F p, conjugate gradients' own */
    double *eigen;                  /* work */
} ada_full;

enum { PARAM_ETA, PARAM_A, PARAM_RHO, PARAM_CG_TOL, PARAM_REFRESH, PARAMS };
static const spd_param param[PARAMS] = {
    {"eta", 1, 1e-12, 1e12, "length of the steps; the theory has max ||x_t - x*||_2 / sqrt(2)"},
    {"a", NAN, 1e-12, 1e12,
     "added to the metric; default: eta * curvature bound * max ||a_i||^2, so that no step is longer than 1/L"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"cg_tol", 1e-10, 1e-16, 0.1, "relative residual at which the inner linear solve stops"},
    {"refresh", 1, 1, 1e9, "steps between two matrix roots when there are more than 100 coefficients"},
};

static void layout(spd_run *run) {
    ada_full *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_admm_layout(run, &self->admm);
    self->G = spd_arena_take(&run->state, p->dK * p->dK);
    self->V = spd_arena_take(&run->state, p->dK * p->dK);
    self->root = spd_arena_take(&run->state, p->dK);
    self->squares_c = spd_arena_take(&run->state, p->K);
    self->gram = spd_arena_take(&run->state, p->d);
    self->b = spd_arena_take(&run->work, p->dK);
    self->diagonal = spd_arena_take(&run->work, p->dK);
    self->Fp = spd_arena_take(&run->work, p->m * p->K);
    self->cg = spd_arena_take(&run->work, 4 * p->dK);
    self->eigen = spd_arena_take(&run->work, spd_eigen_work(p->dK));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    ada_full *self = run->self;
    const spdhg_problem *p = run->problem;
    const double L = spd_problem_lipschitz(p, run->sampling) - p->gamma, rho = run->param[PARAM_RHO], a = run->param[PARAM_A];
    self->problem = p;
    self->eta = run->param[PARAM_ETA];
    self->a = !isnan(a) ? a : L > 0 ? self->eta * L : 1;
    self->tolerance = run->param[PARAM_CG_TOL];
    self->refresh = p->dK <= ALWAYS_FRESH ? 1 : (int64_t)run->param[PARAM_REFRESH];
    self->admm.rho = isnan(rho) ? spd_admm_default_rho(p, L) : rho;
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_problem_gram_diagonal(p, self->gram);
    spd_run_log(run, "%s: eta = %.6g, a = %.6g, rho = %.6g, batch %lld", run->kind->name, self->eta, self->a, self->admm.rho,
                (long long)run->batch);
}

/* to += (H/eta) x */
static void add_metric(const ada_full *self, const double *x, double *to) {
    const int64_t D = self->problem->dK;
    spd_axpy(D, self->a / self->eta, x, to);
    for (int64_t i = 0; i < D; i++) {
        const double *v = self->V + i * D;
        if (self->root[i] > 0) spd_axpy(D, self->root[i] / self->eta * spd_dot(D, v, x), v, to);
    }
}

/* Ax = (H/eta + gamma I + rho F'F) x */
static void apply(const void *context, const double *x, double *Ax) {
    const ada_full *self = context;
    const spdhg_problem *p = self->problem;
    spd_problem_apply(p, x, self->Fp);
    spd_scale(p->m * p->K, self->admm.rho, self->Fp);
    for (int64_t q = 0; q < p->dK; q++) Ax[q] = p->gamma * x[q];
    add_metric(self, x, Ax);
    spd_problem_add_transposed(p, self->Fp, Ax);
}

static void fill_diagonal(ada_full *self) {
    const spdhg_problem *p = self->problem;
    for (int64_t q = 0; q < p->dK; q++)
        self->diagonal[q] = self->a / self->eta + p->gamma + self->admm.rho * self->gram[q / p->K];
    for (int64_t i = 0; i < p->dK; i++) {
        const double *v = self->V + i * p->dK, factor = self->root[i] / self->eta;
        for (int64_t q = 0; q < p->dK; q++) self->diagonal[q] += factor * v[q] * v[q];
    }
}

/* V and root from G; false if LAPACK fails, as it does for numbers that are not finite. G has rank t at most: an eigenvalue that
 * rounding made of 0, about 1e-16 of the largest, would have a root of 1e-8, so those are 0. */
static bool take_root(ada_full *self) {
    const int64_t D = self->problem->dK;
    memcpy(self->V, self->G, (size_t)(D * D) * sizeof(double));
    if (!spd_eigen(D, self->V, self->root, self->eigen)) return false;
    const double noise = (double)D * DBL_EPSILON * self->root[D - 1];
    for (int64_t i = 0; i < D; i++) self->root[i] = self->root[i] > noise ? sqrt(self->root[i]) : 0;
    return true;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    ada_full *self = run->self;
    spd_admm *a = &self->admm;
    const spdhg_problem *p = run->problem;
    spd_admm_gradient(a, p, batch, 0);
    for (int64_t i = 0; i < p->dK; i++)
        if (a->g[i] != 0) spd_axpy(p->dK, a->g[i], a->g, self->G + i * p->dK);
    if (k % self->refresh == 0 && !take_root(self)) return SPD_FAILED;
    for (int64_t q = 0; q < p->dK; q++) self->b[q] = -a->g[q];
    add_metric(self, a->x, self->b);
    spd_admm_add_target(a, p, self->b);
    fill_diagonal(self);
    const spd_cg cg = {.apply = apply, .context = self, .diagonal = self->diagonal, .tolerance = self->tolerance, .most = 1000};
    spd_cg_solve(&cg, p->dK, self->b, a->x, self->cg);
    for (int64_t i = 0; i < p->K && p->intercept; i++) {
        self->squares_c[i] += a->gc[i] * a->gc[i];
        a->c[i] -= self->eta / (self->a + sqrt(self->squares_c[i])) * a->gc[i];
    }
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    spd_admm_output_average(run, &((const ada_full *)run->self)->admm, x, c, y);
}

/* The matrix root is what a step costs: about 9 D^3 operations. */
static int64_t dual_cost(const spdhg_problem *p) { return 9 * p->dK * p->dK * p->dK + spd_admm_dual_cost(p); }

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
    .params = PARAMS,
    .self_size = sizeof(ada_full),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output,
    .dual_cost = dual_cost};

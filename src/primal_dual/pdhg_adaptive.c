/* pdhg_adaptive.c - adaptive primal-dual hybrid gradient of Goldstein, Li, Yuan, Esser and Studer (NIPS 2015; arXiv 1305.0546):
 * steps that balance the two residuals, with backtracking in place of a bound on the norm of the matrix.
 *
 * Here the matrix K has the rows sqrt(p_i) a_i', p_i = w_i/W, and those of F; the dual d has the parts sqrt(p_i) alpha_i and y:
 *   min over x in X, max over alpha, y in lambda Y
 *       sum_i p_i ( alpha_i (a_i'x + o_i) - phi_i*(alpha_i) ) + y'Fx + (gamma/2)||x||^2
 *
 *   1  x+     = Pi_X( (x - tau (sum_i p_i alpha_i a_i + F'y)) / (1 + tau gamma) )
 *   2  alpha+ = argmax alpha (a_i'(2x+ - x) + o_i) - phi_i*(alpha) - (alpha - alpha_i)^2/(2 sigma)   for all rows
 *      y+     = Pi_{lambda Y}( y + sigma F (2x+ - x) )
 *   3  b = 2 tau sigma <d+ - d, K(x+ - x)> / ( c (sigma ||x+ - x||^2 + tau ||d+ - d||^2) )
 *      b > 1: tau, sigma times shrink/b, and again from 1
 *   4  P = (x - x+)/tau - K'(d - d+),   D = (d - d+)/sigma - K(x - x+)
 *      ||P|| > s ||D|| delta:  tau = tau/(1-a), sigma = sigma (1-a), a = a decay
 *      ||P|| < s ||D|| / delta: tau = tau (1-a), sigma = sigma/(1-a), a = a decay
 *   Output the last x, y
 *
 * tau and sigma start at tau sigma = rank/trace of K'K, which is at least 1/||K||^2: backtracking finds the rest. Norms are
 * Euclidean. The proximal step of each row's phi* takes the place of that of the whole loss, which has no closed form; so any F,
 * X and r are accepted, and no constant L is needed. A try costs one pass over the data. The intercept is a coordinate of x
 * without ridge and X. */
#include "problem/rows.h"
#include "solver/solver.h"

typedef struct pdhg {
    double *x, *c, *alpha, *y, *z, *Fx, *u, *steps; /* state: z = A x + c + o, u = K'd with the intercept's last; steps below */
    double *x_next, *c_next, *alpha_next, *y_next, *z_next, *Fx_next, *u_next, *prox, *projection, *term, *at; /* work */
} pdhg;

enum { TAU, SIGMA, STRENGTH, STEPS };
enum { PARAM_TAU, PARAM_SIGMA, PARAM_A, PARAM_DECAY, PARAM_DELTA, PARAM_S, PARAM_C, PARAM_SHRINK, PARAMS };
static const spd_param param[PARAMS] = {
    {"tau", NAN, 1e-300, 1e300, "first primal step; default: sqrt(rank/trace) of A'A/W + F'F"},
    {"sigma", NAN, 1e-300, 1e300, "first dual step; default: rank/trace/tau"},
    {"a", 0.5, 0, 0.99, "first strength of an adaptation; 0: constant steps, shortened where they are too long"},
    {"decay", 0.95, 0, 0.999, "of the strength with every adaptation"},
    {"delta", 1.5, 1, INFINITY, "ratio of the residuals above which the steps adapt"},
    {"s", 1, 1e-300, 1e300, "weight of the dual residual"},
    {"c", 0.75, 1e-3, 1, "part of the stability condition that is used; 1: all"},
    {"shrink", 0.95, 1e-3, 1, "further factor of steps that were too long"},
};

static void layout(spd_run *run) {
    pdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t nK = p->n * p->K, mK = p->m * p->K, uK = p->dK + p->K;
    double **const state[] = {&self->x, &self->c, &self->alpha, &self->y, &self->z, &self->Fx, &self->u, &self->steps};
    double **const next[] = {&self->x_next, &self->c_next,  &self->alpha_next, &self->y_next,
                             &self->z_next, &self->Fx_next, &self->u_next,     &self->at};
    const int64_t size[] = {p->dK, p->K, nK, mK, nK, mK, uK, STEPS}, work[] = {p->dK, p->K, nK, mK, nK, mK, uK, p->K};
    for (int i = 0; i < 8; i++) {
        *state[i] = spd_arena_take(&run->state, size[i]);
        *next[i] = spd_arena_take(&run->work, work[i]);
    }
    self->prox = spd_arena_take(&run->work, spd_loss_prox_work(p->K));
    self->projection = spd_arena_take(&run->work, p->dK);
    self->term = spd_arena_take(&run->work, spd_problem_term_work(p));
}

/* u = K'd, the intercept's part last. */
static void transpose(const spdhg_problem *p, const double *alpha, const double *y, double *u) {
    memset(u, 0, (size_t)(p->dK + p->K) * sizeof *u);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        const spd_batch one = {.size = 1, .row = &row};
        spd_batch_add(p, &one, alpha + i * p->K, spd_problem_share(p, i), u);
        if (p->intercept) spd_axpy(p->K, spd_problem_share(p, i), alpha + i * p->K, u + p->dK);
    }
    spd_problem_add_transposed(p, y, u);
}

static void first_steps(spd_run *run, pdhg *self) {
    const spdhg_problem *p = run->problem;
    double trace = p->row_norm2_mean, rank = fmin((double)p->d + p->intercept, (double)(p->n + p->m));
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) trace += spd_dot(r.row.n, r.row.val, r.row.val);
    const double product = trace > 0 ? rank / trace : 1, tau = run->param[PARAM_TAU], sigma = run->param[PARAM_SIGMA];
    self->steps[TAU] = !isnan(tau) ? tau : isnan(sigma) ? sqrt(product) : product / sigma;
    self->steps[SIGMA] = isnan(sigma) ? product / self->steps[TAU] : sigma;
    self->steps[STRENGTH] = run->param[PARAM_A];
}

static void scores(const spdhg_problem *p, const double *x, const double *c, double *z) {
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        spd_row_score(p, &row, x, z + i * p->K);
        for (int64_t k = 0; k < p->K; k++) z[i * p->K + k] += c[k];
    }
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    pdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, self->x, self->c, self->y, self->term);
    p->set.kind->project(p->dK, p->set.arg, self->x, self->projection);
    first_steps(run, self);
    scores(p, self->x, self->c, self->z);
    for (int64_t i = 0; i < p->n; i++)
        spd_loss_slope(p->loss, p->loss_arg, p->K, self->z + i * p->K, p->b + i * p->targets, self->alpha + i * p->K);
    spd_problem_apply(p, self->x, self->Fx);
    transpose(p, self->alpha, self->y, self->u);
    run->rows_visited += p->n;
    spd_run_log(run, "%s: tau = %.6g, sigma = %.6g", run->kind->name, self->steps[TAU], self->steps[SIGMA]);
}

/* Lines 1 and 2. */
static void attempt(pdhg *self, const spdhg_problem *p) {
    const double tau = self->steps[TAU], sigma = self->steps[SIGMA];
    for (int64_t j = 0; j < p->dK; j++) self->x_next[j] = (self->x[j] - tau * self->u[j]) / (1 + tau * p->gamma);
    p->set.kind->project(p->dK, p->set.arg, self->x_next, self->projection);
    for (int64_t k = 0; k < p->K; k++) self->c_next[k] = self->c[k] - (p->intercept ? tau * self->u[p->dK + k] : 0);
    scores(p, self->x_next, self->c_next, self->z_next);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t q = i * p->K;
        for (int64_t k = 0; k < p->K; k++) self->at[k] = 2 * self->z_next[q + k] - self->z[q + k] + self->alpha[q + k] / sigma;
        spd_loss_prox(p->loss, p->loss_arg, p->K, 1 / sigma, self->at, p->b + i * p->targets, self->alpha_next + q, self->prox);
    }
    spd_problem_apply(p, self->x_next, self->Fx_next);
    for (int64_t q = 0; q < p->m * p->K; q++) self->y_next[q] = self->y[q] + sigma * (2 * self->Fx_next[q] - self->Fx[q]);
    spd_problem_project_dual(p, self->y_next, self->term);
    transpose(p, self->alpha_next, self->y_next, self->u_next);
}

/* What lines 3 and 4 are made of. */
typedef struct sizes {
    double primal, dual, product; /* ||x+ - x||^2, ||d+ - d||^2, <d+ - d, K(x+ - x)> */
    double P, D;                  /* squares of the residuals */
} sizes;

static void add_primal(sizes *s, double change, double residual) {
    s->primal += change * change;
    s->P += residual * residual;
}

static void add_dual(sizes *s, double share, double change, double moved, double sigma) {
    const double residual = moved - change / sigma;
    s->dual += share * change * change;
    s->product += share * change * moved;
    s->D += share * residual * residual;
}

static sizes measure(const pdhg *self, const spdhg_problem *p) {
    const double tau = self->steps[TAU], sigma = self->steps[SIGMA];
    sizes s = {0};
    for (int64_t j = 0; j < p->dK; j++) {
        const double change = self->x_next[j] - self->x[j];
        add_primal(&s, change, self->u_next[j] - self->u[j] - change / tau);
    }
    for (int64_t k = 0; k < p->K && p->intercept; k++) {
        const double change = self->c_next[k] - self->c[k];
        add_primal(&s, change, self->u_next[p->dK + k] - self->u[p->dK + k] - change / tau);
    }
    for (int64_t q = 0; q < p->n * p->K; q++)
        add_dual(&s, spd_problem_share(p, q / p->K), self->alpha_next[q] - self->alpha[q], self->z_next[q] - self->z[q], sigma);
    for (int64_t q = 0; q < p->m * p->K; q++)
        add_dual(&s, 1, self->y_next[q] - self->y[q], self->Fx_next[q] - self->Fx[q], sigma);
    return s;
}

/* Line 4. */
static void balance(const double *given, double *steps, const sizes *s) {
    const double P = sqrt(s->P), D = given[PARAM_S] * sqrt(s->D), a = steps[STRENGTH], delta = given[PARAM_DELTA];
    if (P <= D * delta && P >= D / delta) return;
    const double factor = P > D * delta ? 1 / (1 - a) : 1 - a;
    steps[TAU] *= factor;
    steps[SIGMA] /= factor;
    steps[STRENGTH] *= given[PARAM_DECAY];
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k, (void)batch;
    pdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    double *steps = self->steps;
    attempt(self, p);
    run->rows_visited += p->n;
    const sizes s = measure(self, p);
    const double bound = run->param[PARAM_C] * (steps[SIGMA] * s.primal + steps[TAU] * s.dual);
    const double b = bound > 0 ? 2 * steps[TAU] * steps[SIGMA] * s.product / bound : 0;
    if (b > 1) {
        for (int i = TAU; i <= SIGMA; i++) steps[i] *= run->param[PARAM_SHRINK] / b;
        return SPD_CONTINUE;
    }
    balance(run->param, steps, &s);
    double *const old[] = {self->x, self->c, self->alpha, self->y, self->z, self->Fx, self->u};
    const double *const now[] = {self->x_next, self->c_next,  self->alpha_next, self->y_next,
                                 self->z_next, self->Fx_next, self->u_next};
    const int64_t nK = p->n * p->K, mK = p->m * p->K, size[] = {p->dK, p->K, nK, mK, nK, mK, p->dK + p->K};
    for (int i = 0; i < 7; i++) memcpy(old[i], now[i], (size_t)size[i] * sizeof(double));
    return SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const pdhg *self = run->self;
    spd_run_give(run, self->x, self->c, self->y, x, c, y);
}

static const char *refuses(const spdhg_problem *p) {
    (void)p;
    return NULL;
}

const spd_solver_kind spd_solver_pdhg_adaptive = {
    .name = "pdhg-adaptive",
    .what = "primal-dual hybrid gradient on A and F, full passes, steps that balance the residuals, last iterate",
    .reference = "Goldstein, Li, Yuan, Esser, Studer: Adaptive primal-dual splitting methods, NIPS 2015",
    .param = param,
    .params = PARAMS,
    .full_information = true,
    .self_size = sizeof(pdhg),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output};

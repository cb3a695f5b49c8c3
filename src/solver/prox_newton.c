/* prox_newton.c - proximal Newton with an ADMM inner solver (ALGORITHMS B4), for models of up to about 1500 numbers, X separable.
 *
 *   outer: g = grad l(x) + gamma x,  H = Hessian + gamma I + del I,  del = (tr/n) max(1e-10, 1e-3 ||g + F'y||)   (0 if gamma > 0,
 * no intercept) inner: minimise g'(u-x) + (u-x)'H(u-x)/2 + lambda r(Fu), warm started with the last (y, z): u = (H + rho
 * F'F)^{-1} ( H x - g + F'(rho z - y) ) v = y + rho (1.6 F u - 0.6 z),   y = Pi_{lambda Y}(v),   z = (v - y)/rho until the
 * duality gap of the quadratic model, e'H^{-1}e/2 + lambda r(Fu) - y'Fu with e = g + H(u-x) + F'y, is a tenth of the decrease it
 * promises; rho is balanced by the residuals step:  x += t (u - x), t = 1, 1/2, ... until f falls by 1e-4 t Delta,  Delta =
 * g'(u-x) + lambda r(Fu) - lambda r(Fx)
 *
 * X = box or nonneg: one more block u in X, split like F u with y_X, z_X = Pi_X; the candidate is then Pi_X(u), and x stays in X.
 * One step of the loop is one outer iteration. The intercept is the last coordinate(s): in H, in neither F nor gamma.
 * The dual point is the inner y: in its ball by construction. */
#include <cblas.h>

#include "solver/newton.h"

enum { INNER_MOST = 2000, HALVINGS_MOST = 40, UNKNOWNS_MOST = 1500 };
static const double RELAX = 1.6;

typedef struct prox_newton {
    spd_newton base;
    double *z, *rho;                         /* state: copy of F x in the inner splitting; penalty parameter (0: not set yet) */
    double *zX, *yX;                         /* state: copy of x in X and its multiplier; not used for X = R^d */
    double *H, *LH, *M, *LM;                 /* work: Hessian, its factor, F'F, factor of H + rho M; n x n, lower */
    double *u, *dx, *rhs, *e, *Fu, *v, *old; /* work */
    double *candidate, *Fc;                  /* work: Pi_X(u) and F of it */
} prox_newton;

static const char *refuses(const spdhg_problem *p) {
    if (!p->set.kind->separable) return "it works for --set all, box and nonneg only";
    if (spd_problem_normal_size(p) > UNKNOWNS_MOST)
        return "it factors a dense matrix: at most 1500 coefficients (features times outputs)";
    return NULL;
}

static void layout(spd_run *run) {
    prox_newton *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    spd_newton_layout(run, &self->base);
    self->z = spd_arena_take(&run->state, mK);
    self->rho = spd_arena_take(&run->state, 1);
    self->zX = spd_arena_take(&run->state, p->dK);
    self->yX = spd_arena_take(&run->state, p->dK);
    self->H = spd_arena_take(&run->work, n * n);
    self->LH = spd_arena_take(&run->work, n * n);
    self->M = spd_arena_take(&run->work, n * n);
    self->LM = spd_arena_take(&run->work, n * n);
    self->u = spd_arena_take(&run->work, n);
    self->dx = spd_arena_take(&run->work, n);
    self->rhs = spd_arena_take(&run->work, n);
    self->e = spd_arena_take(&run->work, n);
    self->candidate = spd_arena_take(&run->work, n);
    self->Fc = spd_arena_take(&run->work, mK);
    self->Fu = spd_arena_take(&run->work, mK);
    self->v = spd_arena_take(&run->work, mK);
    self->old = spd_arena_take(&run->work, mK);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    prox_newton *self = run->self;
    spd_newton_start(run, &self->base, x0, c0, y0);
    const spdhg_problem *p = run->problem;
    p->set.kind->project(p->dK, p->set.arg, self->base.x, self->base.scratch_n);
    memcpy(self->zX, self->base.x, (size_t)p->dK * sizeof *self->zX);
    spd_problem_apply(p, self->base.x, self->z);
}

static bool bounded(const spdhg_problem *p) { return p->set.kind != &spd_set_all; }

/* H += gamma I on the features and del I on everything; returns the trace before. */
static double regularise(prox_newton *self, const spdhg_problem *p, double residual) {
    const int64_t n = spd_problem_normal_size(p);
    double trace = 0;
    for (int64_t q = 0; q < n; q++) trace += self->H[q * n + q];
    /* Losses with straight pieces may have no curvature here at all: a small part of what they can have keeps steps sane. */
    const double least = 1e-4 * p->kappa * p->row_norm2_max;
    const bool strong = p->gamma > 0 && !p->intercept, flat = trace < 1e-4 * least;
    const double del = strong ? 0 : fmax(trace, least) / (double)n * (flat ? 1 : fmax(1e-10, 1e-3 * residual));
    for (int64_t q = 0; q < n; q++) self->H[q * n + q] += del + (q < p->dK ? p->gamma : 0);
    return trace;
}

static void multiply(int64_t n, const double *A, const double *x, double *Ax) {
    cblas_dsymv(CblasRowMajor, CblasLower, (int)n, 1, A, (int)n, x, 1, 0, Ax, 1);
}

static bool factor_with_rho(prox_newton *self, int64_t n) {
    for (int64_t i = 0; i < n * n; i++) self->LM[i] = self->H[i] + self->rho[0] * self->M[i];
    return spd_cholesky(n, self->LM);
}

/* One inner iteration: u, y, z. rhs = H x - g is constant. */
static void inner_iteration(prox_newton *self, const spdhg_problem *p) {
    spd_newton *b = &self->base;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    const double rho = self->rho[0];
    for (int64_t i = 0; i < mK; i++) self->v[i] = rho * self->z[i] - b->y[i];
    memcpy(self->u, self->rhs, (size_t)n * sizeof *self->u);
    spd_problem_add_transposed(p, self->v, self->u);
    for (int64_t q = 0; q < p->dK && bounded(p); q++) self->u[q] += rho * self->zX[q] - self->yX[q];
    spd_cholesky_solve(n, self->LM, self->u);
    spd_problem_apply(p, self->u, self->Fu);
    memcpy(self->old, self->z, (size_t)mK * sizeof *self->old);
    for (int64_t i = 0; i < mK; i++) self->v[i] = b->y[i] + rho * (RELAX * self->Fu[i] + (1 - RELAX) * self->z[i]);
    memcpy(b->y, self->v, (size_t)mK * sizeof *b->y);
    spd_problem_project_dual(p, b->y, b->term);
    for (int64_t i = 0; i < mK; i++) self->z[i] = (self->v[i] - b->y[i]) / rho;
    if (!bounded(p)) return;
    for (int64_t q = 0; q < p->dK; q++) {
        self->yX[q] += rho * (RELAX * self->u[q] + (1 - RELAX) * self->zX[q]);
        self->zX[q] = self->yX[q] / rho;
    }
    p->set.kind->project(p->dK, p->set.arg, self->zX, b->scratch_n);
    spd_axpy(p->dK, -rho, self->zX, self->yX);
}

/* candidate = Pi_X(u), dx = candidate - x, Fc = F candidate. */
static void make_candidate(prox_newton *self, const spdhg_problem *p) {
    const int64_t n = spd_problem_normal_size(p);
    memcpy(self->candidate, self->u, (size_t)n * sizeof *self->u);
    p->set.kind->project(p->dK, p->set.arg, self->candidate, self->base.scratch_n);
    for (int64_t q = 0; q < n; q++) self->dx[q] = self->candidate[q] - self->base.x[q];
    spd_problem_apply(p, self->candidate, self->Fc);
}

/* Gap of the quadratic model at (candidate, y), and the decrease it promises. */
static double model_gap(prox_newton *self, const spdhg_problem *p, double *decrease) {
    spd_newton *b = &self->base;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    double *Hd = self->e;
    make_candidate(self, p);
    multiply(n, self->H, self->dx, Hd);
    const double linear = spd_dot(n, b->g, self->dx), square = spd_dot(n, self->dx, Hd);
    const double penalty = spd_problem_penalty(p, self->Fc, b->term);
    double slack = penalty - spd_dot(mK, b->y, self->Fc);
    if (bounded(p)) slack += p->set.kind->support(p->dK, p->set.arg, self->yX) - spd_dot(p->dK, self->yX, self->candidate);
    *decrease = -(linear + 0.5 * square + penalty - b->penalty[0]);
    for (int64_t q = 0; q < n; q++) self->e[q] = Hd[q] + b->g[q];
    spd_problem_add_transposed(p, b->y, self->e);
    if (bounded(p)) spd_axpy(p->dK, 1, self->yX, self->e);
    memcpy(b->scratch_n, self->e, (size_t)n * sizeof *self->e);
    spd_cholesky_solve(n, self->LH, b->scratch_n);
    return 0.5 * spd_dot(n, self->e, b->scratch_n) + slack;
}

/* rho from the balance of primal and dual residual; true if it changed. */
static bool balance(prox_newton *self, const spdhg_problem *p) {
    spd_newton *b = &self->base;
    const int64_t mK = p->m * p->K;
    for (int64_t i = 0; i < mK; i++) {
        self->v[i] = self->Fu[i] - self->z[i];
        self->old[i] = self->z[i] - self->old[i];
    }
    const double primal = spd_norm2(mK, self->v) / fmax(fmax(spd_norm2(mK, self->Fu), spd_norm2(mK, self->z)), 1e-300);
    memset(self->e, 0, (size_t)p->dK * sizeof *self->e);
    spd_problem_add_transposed(p, self->old, self->e);
    const double moved = self->rho[0] * spd_norm2(p->dK, self->e);
    memset(self->e, 0, (size_t)p->dK * sizeof *self->e);
    spd_problem_add_transposed(p, b->y, self->e);
    const double dual = moved / fmax(spd_norm2(p->dK, self->e), 1e-300);
    if (!(primal > 10 * dual || dual > 10 * primal)) return false;
    self->rho[0] *= fmin(10, fmax(0.1, sqrt(primal / fmax(dual, 1e-300))));
    self->rho[0] = fmin(fmax(self->rho[0], 1e-12), 1e12);
    return true;
}

static double one(const spd_term *t) {
    (void)t;
    return 1;
}

/* Solves the quadratic model: candidate, Fc, dx = candidate - x as the last look at the gap left them; false if a matrix was not
 * definite. */
static bool inner_solve(prox_newton *self, const spdhg_problem *p, double trace) {
    spd_newton *b = &self->base;
    const int64_t n = spd_problem_normal_size(p);
    memcpy(self->LH, self->H, (size_t)(n * n) * sizeof *self->LH);
    if (!spd_cholesky(n, self->LH)) return false;
    memset(self->M, 0, (size_t)(n * n) * sizeof *self->M);
    spd_problem_add_gram(p, one, n, self->M);
    for (int64_t q = 0; q < p->dK && bounded(p); q++) self->M[q * n + q] += 1;
    double gram = 0;
    for (int64_t q = 0; q < n; q++) gram += self->M[q * n + q];
    if (self->rho[0] == 0) self->rho[0] = gram > 0 && trace > 0 ? trace / gram : 1;
    if (!factor_with_rho(self, n)) return false;
    multiply(n, self->H, b->x, self->rhs);
    spd_axpy(n, -1, b->g, self->rhs);
    for (int it = 1; it <= INNER_MOST; it++) {
        inner_iteration(self, p);
        if (it > 2 && it % 10 != 0) continue;
        double decrease;
        const double gap = model_gap(self, p, &decrease);
        if (gap <= fmax(0.1 * decrease, 1e-16 * fabs(b->value[0])) || (p->m == 0 && !bounded(p))) return true;
        if (it % 10 == 0 && balance(self, p) && !factor_with_rho(self, n)) return false;
    }
    return true;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k, (void)batch;
    prox_newton *self = run->self;
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    spd_newton_gradient(run, b);
    spd_problem_normal_matrix(p, run->threads, b->curve, self->H, b->scratch);
    run->rows_visited += p->n;
    memcpy(self->e, b->g, (size_t)n * sizeof *self->e);
    spd_problem_add_transposed(p, b->y, self->e);
    const double trace = regularise(self, p, spd_norm2(n, self->e));
    if (!inner_solve(self, p, trace)) return SPD_FAILED;
    const double delta = spd_dot(n, b->g, self->dx) + spd_problem_penalty(p, self->Fc, b->term) - b->penalty[0];
    const bool moved = spd_newton_line_search(run, b, self->dx, self->Fc, delta, HALVINGS_MOST);
    p->set.kind->project(p->dK, p->set.arg, b->x, b->scratch_n); /* what rounding may have pushed out */
    return moved ? SPD_CONTINUE : SPD_STALLED;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    spd_newton_output(run, &((const prox_newton *)run->self)->base, x, c, y);
}

const spd_solver_kind spd_solver_prox_newton = {
    .name = "prox-newton",
    .what = "proximal Newton, dense Hessian, ADMM inner solver; exact, for up to 1500 coefficients",
    .reference = "Lee, Sun, Saunders: Proximal Newton-type methods, SIAM J. Optim. 2014",
    .full_information = true,
    .exact = true,
    .self_size = sizeof(prox_newton),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output};

/* cd_newton.c - proximal Newton by columns for F = identity (newGLMNET: Yuan, Ho, Lin, JMLR 2012), X = R^d:
 *
 *   outer: g = grad l(x) + gamma x;  the working set holds the nonzero columns and those whose g is outside lambda Y
 *   inner: minimise g'dx + dx'H dx/2 + lambda r(x + dx) by block coordinate descent over the set (descent.c)
 *   step:  x += s dx, s = 1, 1/2, ... until f falls by 1e-4 s Delta,  Delta = g'dx + lambda r(x + dx) - lambda r(x)
 *
 * One step of the loop is one outer iteration. No matrix is formed, so solutions may have any number of nonzeros and columns may
 * have any scale. y = Pi(-g) is the dual point that belongs to x. A sweep over the set counts as the fraction of a pass that its
 * columns hold of A. */
#include "newton/descent.h"

enum { HALVINGS_MOST = 40 };
static const double DAMP_FIRST = 1e-3, DAMP_LEAST = 1e-8, REST_MOST = 0.1, REST_LEAST = 0.01;

typedef struct cd_newton {
    spd_newton base;
    spd_descent model;
    double *damp;    /* state: damping of the model's curvature */
    double *promise; /* state: the decrease the last model promised, as a fraction of f; 0: there was no model */
} cd_newton;

static const char *refuses(const spdhg_problem *p) {
    if (!p->set.kind->whole) return "it works for X = R^d only; use --set all";
    if (p->terms != 1 || !spd_csr_is_identity(&p->term[0].F->F))
        return "the step of a column has no closed form unless F is the identity, and the only term";
    if (!spd_descent_l1(p) && (!p->term[0].penalty->length || p->term[0].largest > 1))
        return "it works for l1, and for groups that are each one feature's coefficients";
    return p->loss->value || p->loss->chance_k ? NULL : "it does not support the curvature of this loss";
}

static void layout(spd_run *run) {
    cd_newton *self = run->self;
    spd_newton_layout(run, &self->base);
    spd_descent_layout(run, &self->model, &self->base);
    self->damp = spd_arena_take(&run->state, 1);
    self->promise = spd_arena_take(&run->state, 1);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_newton_start(run, &((cd_newton *)run->self)->base, x0, c0, y0);
}

/* The step length s along dx decides how far the next model is trusted. */
static void adapt(double *damp, double s) {
    if (s < 0.5) *damp = fmin(fmax(4 * *damp, DAMP_FIRST), 1);
    if (s == 1) *damp = *damp > DAMP_LEAST ? 0.25 * *damp : 0;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k, (void)batch;
    cd_newton *self = run->self;
    spd_newton *b = &self->base;
    spd_descent *a = &self->model;
    const spdhg_problem *p = run->problem;
    spd_newton_gradient(run, b, true);
    for (int64_t q = 0; q < p->dK; q++) b->y[q] = -b->g[q];
    spd_problem_project_dual(p, b->y, b->term);
    spd_descent_model(a, p, *self->damp);
    spd_descent_solve(a, p, *self->promise > 0 ? fmin(fmax(sqrt(*self->promise), REST_LEAST), REST_MOST) : REST_MOST);
    run->rows_visited += (int64_t)(a->touched / (double)(p->nnz + (p->intercept ? p->n : 0)) * (double)p->n);
    double *u = b->scratch_n;
    for (int64_t q = 0; q < p->dK; q++) u[q] = a->dx[q] == -b->x[q] ? 0 : b->x[q] + a->dx[q];
    const double delta = spd_dot(spd_problem_normal_size(p), b->g, a->dx) + spd_problem_penalty(p, u, b->term) - b->penalty[0];
    *self->promise = fmax(-delta, 0) / fabs(*b->value);
    int64_t most = 0;
    for (int64_t q = 1; q < p->dK; q++)
        if (fabs(a->dx[q]) > fabs(a->dx[most])) most = q;
    const double before = b->x[most];
    const bool moved = spd_newton_line_search(run, b, a->dx, u, delta, HALVINGS_MOST);
    if (spd_stop_now(run->stop)) return SPD_CONTINUE; /* an unsolved model says nothing about convergence */
    if (!moved && -delta <= 1e-15 * fabs(*b->value)) return SPD_STALLED;
    adapt(self->damp, !moved ? 0 : b->x[most] == before + a->dx[most] ? 1 : (b->x[most] - before) / a->dx[most]);
    return moved || *self->damp < 1 ? SPD_CONTINUE : SPD_GIVES_UP;
}

const spd_solver_kind spd_solver_cd_newton = {
    .name = "cd-newton",
    .what = "proximal Newton by coordinate descent; exact, for penalties on the coefficients themselves",
    .reference = "Yuan, Ho, Lin: An improved GLMNET for l1-regularized logistic regression, JMLR 2012",
    SPD_EXACT_KIND(cd_newton),
    .refuses = refuses,
    .step = step,
    .output = spd_newton_output};

/* interior_newton.c - proximal Newton whose models are solved by an interior-point method (interior.h): any X, dense factors.
 *
 *   model: g = grad l(x) + gamma x
 *          H = Hessian + gamma I + del D,  D its diagonal
 *          del = 1e-14 (0 if gamma > 0 and there is no intercept), more after a step without progress
 *          minimise g'(u-x) + (u-x)'H(u-x)/2 + lambda r(Fu) over u in X
 *          For huber and the hinges, once a step is short or few rows have curvature, the model is the problem itself: their
 *          losses are made of linear and quadratic pieces.
 *   step:  x += s (u - x), s = 1, 1/2, ... until f falls by 1e-4 s Delta
 *
 * Meant for problems on which proximal Newton by ADMM is slow: sets X whose sides bind on columns of very different size, and
 * losses whose curvature is in few rows (smooth-hinge of a small width). */
#include "newton/newton.h"

static const double ENOUGH = 1e-22, DEL = 1e-14, DEL_GROWS = 1e4;
enum { HALVINGS_MOST = 40, IDLE_MOST = 3, MODELS_MOST = 8, STEPS_MOST = 200 };

typedef struct interior {
    spd_newton base;
    spd_interior model;
    double *idle;    /* state: consecutive steps that moved nothing */
    double *pieces;  /* state: 1 once the rows of the loss themselves are in the model */
    double *dx, *Fu; /* work */
} interior;

static void layout(spd_run *run) {
    interior *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_layout(run, &self->base);
    spd_interior_layout(&self->model, p, run->threads, NULL, &run->work, &run->work);
    self->idle = spd_arena_take(&run->state, 1);
    self->pieces = spd_arena_take(&run->state, 1);
    self->dx = spd_arena_take(&run->work, p->dK + p->K);
    self->Fu = spd_arena_take(&run->work, p->m * p->K);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    interior *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_start(run, &self->base, x0, c0, y0);
    p->set.kind->project(p->dK, p->set.arg, self->base.x, self->base.scratch_n);
    *self->idle = *self->pieces = 0;
}

/* P and q of the loss at x; nothing to do where the model is the loss itself. */
static void make_model(spd_run *run, interior *self) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    spd_interior *a = &self->model;
    const int64_t n = a->n;
    if (a->rows) return;
    spd_problem_normal_matrix(p, run->threads, b->curve, a->P, b->scratch, run->stop);
    run->rows_visited += p->n;
    const double del = p->gamma > 0 && !p->intercept && *self->idle == 0 ? 0 : DEL * pow(DEL_GROWS, *self->idle);
    for (int64_t i = 0; i < n; i++) a->P[i * n + i] = (1 + del) * a->P[i * n + i] + (i < p->dK ? p->gamma : 0);
    spd_symmetric_apply(n, a->P, b->x, a->q);
    for (int64_t i = 0; i < n; i++) a->q[i] = b->g[i] - a->q[i];
}

void spd_interior_newton_scales(spd_interior *a) {
    const spdhg_problem *p = a->p;
    double *columns = a->column;
    const bool corners = spd_problem_has_corners(p), bounded = isfinite(p->kappa) || corners;
    if (spd_interior_is_free(a)) return; /* the scales are not used */
    if (bounded) spd_problem_curvature_columns(p, a->threads, columns, a->scratch);
    const double slopes =
        p->loss->value ? p->loss->slope(INFINITY, 1, p->loss_arg) - p->loss->slope(-INFINITY, 1, p->loss_arg) : 1;
    const double narrow = corners ? slopes : bounded ? fmin(1, slopes / p->kappa) : 1;
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t e = 0; e < p->term[t].m * p->K; e++) a->weight[p->term[t].first + e] = p->term[t].lambda * p->term[t].lambda;
    memset(a->pull, 0, (size_t)a->n * sizeof *a->pull);
    spd_metric_add_squares(p, a->weight, a->pull);
    for (int64_t j = 0; j < p->dK; j++) {
        a->bend[j] = bounded ? narrow * columns[j / p->K] + p->gamma : a->stack ? 1 : a->P[j * (a->n + 1)];
        if (!(a->bend[j] > 0)) a->bend[j] = 1;
        if (corners) a->pull[j] += slopes * slopes * columns[j / p->K]; /* such a loss rises in proportion to a step */
    }
}

/* Whether the step was shorter than dx. */
static bool far_from(int64_t n, const double *x, const double *u, const double *dx) {
    for (int64_t i = 0; i < n; i++)
        if (fabs(u[i] - x[i]) > 0.25 * fabs(dx[i])) return true;
    return false;
}

/* By how much the model is to be stiffer. No loss is negative, so that a model cannot keep a promise of more than f; it is one of
 * a loss whose curvature rises along the step (poisson). What penalty and X leave of the gradient only the model itself knows. */
static double stiffness(const spd_run *run, interior *self, bool near) {
    const spdhg_problem *p = run->problem;
    const spd_newton *b = &self->base;
    spd_interior *a = &self->model;
    if (isfinite(p->kappa) || a->rows) return 1;
    if (!near) return DEL_GROWS;
    spd_problem_apply(p, a->best_u, self->Fu);
    for (int64_t i = 0; i < a->n; i++) self->dx[i] = a->best_u[i] - b->x[i];
    spd_symmetric_apply(a->n, a->P, self->dx, a->fix);
    const double promise = *b->penalty - spd_problem_penalty(p, self->Fu, b->term) - spd_dot(a->n, b->g, self->dx) -
                           0.5 * spd_dot(a->n, self->dx, a->fix);
    return isfinite(promise) ? fmax(promise / fabs(*b->value), 1) : DEL_GROWS;
}

/* From x, or from the point of X nearest to 0: on its way into the interior of X an x at its side may lose far more than f. */
static bool minimise(spd_run *run, interior *self, bool cold) {
    spd_newton *b = &self->base;
    spd_interior *a = &self->model;
    const double f = fabs(*b->value);
    spd_interior_newton_scales(a);
    memcpy(a->u, b->x, (size_t)a->n * sizeof *a->u);
    const bool near = spd_interior_solve(a, cold ? spd_interior_place(a, true, b->term) : f, ENOUGH * f);
    run->rows_visited += a->rows ? 6 * a->steps * run->problem->n : 0;
    return near;
}

/* u = the minimiser of the model in X, and its y; false if it was not found. */
static bool find_minimiser(spd_run *run, interior *self) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    spd_interior *a = &self->model;
    a->rows = *self->pieces == 1;
    a->stop = run->stop;
    make_model(run, self);
    bool near = minimise(run, self, false);
    if (!near && a->rows && !spd_stop_now(run->stop)) near = minimise(run, self, true);
    const double factor = stiffness(run, self, near);
    if (factor > 1 && !spd_stop_now(run->stop)) {
        spd_scale(a->n * a->n, factor, a->P);
        spd_symmetric_apply(a->n, a->P, b->x, a->q);
        for (int64_t i = 0; i < a->n; i++) a->q[i] = b->g[i] - a->q[i];
        near = minimise(run, self, false);
    }
    if (near) spd_set_round(&p->set, p->dK, a->best_u, b->scratch_n);
    return near;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    interior *self = run->self;
    spd_newton *b = &self->base;
    spd_interior *a = &self->model;
    const spdhg_problem *p = run->problem;
    const int64_t n = a->n;
    spd_newton_gradient(run, b, true);
    if (a->pieces && (k == MODELS_MOST || 4 * spd_count_nonzero(p->n * p->K, b->curve) < n)) *self->pieces = 1;
    if (!find_minimiser(run, self)) {
        if (spd_stop_now(run->stop)) return SPD_CONTINUE;
        *self->idle += 1;
        if (a->pieces) *self->pieces = 1;
        return *self->idle < IDLE_MOST ? SPD_CONTINUE : SPD_GIVES_UP;
    }
    memcpy(b->y, a->best_y, (size_t)(p->m * p->K) * sizeof *b->y);
    spd_problem_project_dual(p, b->y, b->term);
    spd_problem_apply(p, a->best_u, self->Fu);
    for (int64_t i = 0; i < n; i++) self->dx[i] = a->best_u[i] - b->x[i];
    const double delta = spd_dot(n, b->g, self->dx) + spd_problem_penalty(p, self->Fu, b->term) - *b->penalty;
    const bool moved = spd_newton_line_search(run, b, self->dx, self->Fu, a->rows ? 0 : delta, HALVINGS_MOST);
    spd_set_round(&p->set, p->dK, b->x, b->scratch_n); /* rounding may have pushed x out of X */
    run->own_alpha = a->rows && a->pieces ? a->best_alpha : NULL;
    if (a->pieces && far_from(n, b->x, a->best_u, self->dx)) *self->pieces = 1;
    *self->idle = moved ? 0 : *self->idle + 1;
    if (k + 1 == STEPS_MOST) return SPD_GIVES_UP;
    return *self->idle < IDLE_MOST ? SPD_CONTINUE : SPD_STALLED;
}

const spd_solver_kind spd_solver_interior = {
    .name = "interior",
    .what = "proximal Newton, dense Hessian, interior-point inner solver; exact, any set X, for up to " SPD_TEXT(
        SPD_DENSE_MOST) " coefficients",
    .reference = "Mehrotra: On the implementation of a primal-dual interior point method, SIAM J. Optim. 1992",
    SPD_EXACT_KIND(interior),
    .holds_rows = true,
    .refuses = spd_interior_refuses,
    .step = step,
    .output = spd_newton_output};

/* prox_newton.c - proximal Newton (ALGORITHMS B4): prox-newton for up to 1500 coefficients, X separable; ws-newton, X = R^d,
 * which from 800 on works on x = B t, where B keeps at zero the entries of F x that are zero and whose duals are inside their
 * balls (tied_coordinates.h), so that t has at most 2000 numbers.
 *
 *   outer: g = grad l(x) + gamma x,  H = B'(Hessian + gamma I)B + del D,  D its diagonal without gamma,
 *          del = max(1e-10, 1e-3 ||B'(g + F'y)||_{D^-1}) (0 if gamma > 0, no intercept): columns of any scale
 *   inner: minimise g'(u-x) + (u-x)'H(u-x)/2 + lambda r(Fu) over u = B t in X (newton_model.c), warm started with the last (y, z)
 *   zeros: X = R^d: u moves to the nearest point where F u is zero exactly where z is, if that keeps half of the decrease
 *   step:  x += s (u - x), s = 1, 1/2, ... until f falls by 1e-4 s Delta,  Delta = g'(u-x) + lambda r(Fu) - lambda r(Fx)
 *
 * One step of the loop is one outer iteration. The intercept is the last coordinate(s): in H, in neither F nor gamma.
 * The dual point is the inner y: in its ball by construction; along a path with alpha + C A dx, which the model takes for the
 * slopes at u. Where the solution needs more than 2000 numbers it says STALLED; where its models are not solved or lead nowhere,
 * GIVES_UP. */
#include "face/working_set.h"
#include "interior/interior.h"
#include "newton/newton_model.h"

static const double LEAST_PROMISE = 1e-12; /* of f: a step that promises more and gets nowhere comes of a bad model */
static const double LEAST_CURVED = 1e-14;  /* of the mean curvature: a column that has less has none */
static const double WITHIN = 0.05;         /* how far the curvature of a row may be from the one it has in H */
enum { HALVINGS_MOST = 40, WHOLE_MOST = 1500, IDLE_MOST = 10, TREMBLES_MOST = 50, UNSOLVED_MOST = 4, STEPS_MOST = 100 };

extern const spd_solver_kind spd_solver_ws_newton;

typedef struct prox_newton {
    spd_newton base;
    spd_newton_model model;
    double *idle;       /* state: steps in a row that moved nothing */
    double *unsolved;   /* state: models in a row whose solution was not found, or says little for want of curvature */
    double *known;      /* state: 1 once the next three are */
    double *bound;      /* state: of the curvature of the loss along every feature and the intercept */
    double *hessian;    /* state, t = x only: of the loss, as it was when ... */
    double *kept;       /* state: ... the curvatures were these */
    double *small;      /* work: the part of `bound` that is of columns in small units */
    double *dx, *set;   /* work: direction; scratch of the working set and its Hessian */
    spd_tree_flow flow; /* work: the same */
} prox_newton;

/* The interior-point method waits: it solves what is not easy for this one, so that there is no need to insist. */
static bool interior_waits(const spd_run *run) { return run->rescued && spd_interior_rescues(run->problem); }

/* What semismooth Newton can go on with, too: there is no need to stay with models that ADMM does not solve (F of dependent rows).
 */
static bool alternative(const spd_run *run) {
    const spdhg_problem *p = run->problem;
    return (p->set.kind == &spd_set_all && spd_problem_can_slide(p)) || interior_waits(run);
}

/* A working set can be small only where zeros of F x make zeros or ties of x. */
static bool makes_zeros(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool known = p->term[t].penalty == &spd_penalty_l1 || p->term[t].penalty == &spd_penalty_group;
        if (known && p->term[t].lambda > 0 && (spd_csr_is_identity(F) || p->term[t].pairs)) return true;
    }
    return false;
}

bool spd_newton_model_ties(const spdhg_problem *p) {
    return p->set.kind == &spd_set_all && makes_zeros(p) && spd_problem_normal_size(p) > SPD_TIED_FROM;
}

static bool factorable(const spdhg_problem *p) { return spd_problem_normal_size(p) <= WHOLE_MOST; }

/* t = x. ws-newton from TIED_FROM coefficients on makes fewer numbers of them: there the curves cross (bench/scaling). */
static bool whole(const spd_run *run) {
    return factorable(run->problem) && !(run->kind == &spd_solver_ws_newton && spd_newton_model_ties(run->problem));
}

static const char *refuses(const spdhg_problem *p) {
    if (!p->set.kind->separable) return "it works for --set all, box and nonneg only";
    return factorable(p) ? NULL : "it factors a dense matrix: at most 1500 coefficients (features times outputs)";
}

static const char *working_set_refuses(const spdhg_problem *p) {
    if (p->set.kind != &spd_set_all) return "it works for X = R^d only; use --set all";
    if (!factorable(p) && !makes_zeros(p))
        return "beyond 1500 coefficients (features times outputs) it needs an l1 or group penalty on single coefficients or "
               "pairs; use alm-ssn";
    return NULL;
}

static void layout(spd_run *run) {
    prox_newton *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), s = n < SPD_WORKING_MOST ? n : SPD_WORKING_MOST;
    spd_newton_layout(run, &self->base);
    spd_newton_model_layout(run, &self->model, &self->base, s);
    self->idle = spd_arena_take(&run->state, 1);
    self->unsolved = spd_arena_take(&run->state, 1);
    self->known = spd_arena_take(&run->state, 1);
    self->bound = spd_arena_take(&run->state, p->d + 1);
    self->hessian = spd_arena_take(&run->state, whole(run) ? n * n : 0);
    self->kept = spd_arena_take(&run->state, whole(run) ? p->n * p->K : 0);
    self->small = spd_arena_take(&run->work, p->d + 1);
    self->dx = spd_arena_take(&run->work, n);
    const int64_t hessian = spd_tied_hessian_work(p, s), pricing = spd_working_set_work(p);
    self->set = spd_arena_take(&run->work, whole(run) ? 0 : hessian > pricing ? hessian : pricing);
    if (!whole(run)) spd_tree_flow_layout(&self->flow, p, &run->work);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    prox_newton *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_start(run, &self->base, x0, c0, y0);
    p->set.kind->project(p->dK, p->set.arg, self->base.x, self->base.scratch_n);
    *self->idle = *self->unsolved = 0;
    self->model.enough = run->enough;
    if (spd_newton_model_bounded(p)) memcpy(self->model.zX, self->base.x, (size_t)p->dK * sizeof *self->base.x);
    spd_problem_apply(p, self->base.x, self->model.z);
}

/* small: the curvature that the loss can have along each unknown in small units, 0 for the others. */
static void gather_small(prox_newton *self, const spdhg_problem *p, double *small) {
    const spd_tied *B = &self->model.B;
    const double *unit = self->small;
    spd_metric_small_units(p, self->bound, self->base.value[0], self->small);
    memset(small, 0, (size_t)B->size * sizeof *small);
    for (int64_t q = 0; q < p->dK; q++)
        if (B->label[q] >= 0) small[B->label[q]] += B->coef[q] * B->coef[q] * unit[q / p->K];
    for (int64_t k = 0; k < p->K && p->intercept; k++) small[B->size - p->K + k] = unit[p->d];
}

/* The curvature of an unknown, or the mean where there is none; a column in small units has some. */
static double curved(const spd_newton_model *a, int64_t q, double small, double mean) {
    const double own = a->H[q * a->B.size + q];
    if (own > LEAST_CURVED * mean) return own;
    return small > 0 ? fmax(own, LEAST_CURVED * small) : mean * a->B.weight[q];
}

/* H += gamma B'B on the features and del D on everything. False: there is no curvature at all. */
static bool regularise(prox_newton *self, const spdhg_problem *p) {
    spd_newton_model *a = &self->model;
    double *small = a->solved;
    const int64_t n = a->B.size, features = n - (p->intercept ? p->K : 0);
    double trace = 0, square = 0;
    for (int64_t q = 0; q < n; q++) trace += a->H[q * n + q];
    spd_newton_model_transposed(a, p, a->b->y, a->e);
    spd_axpy(n, 1, a->tg, a->e);
    /* Losses with straight pieces may have no curvature here at all: a small part of what they can have keeps steps sane. */
    const double least = 1e-4 * p->kappa * p->row_norm2_max;
    const bool strong = p->gamma > 0 && !p->intercept, flat = trace < 1e-4 * least;
    const double mean = fmax(trace, least) / (double)n;
    gather_small(self, p, small);
    for (int64_t q = 0; q < n; q++) square += a->e[q] * a->e[q] / curved(a, q, small[q], mean);
    const double del = strong ? 0 : flat ? 1 : fmax(1e-10, 1e-3 * sqrt(square));
    for (int64_t q = 0; q < n; q++)
        a->H[q * n + q] += del * curved(a, q, small[q], mean) + (q < features ? p->gamma : 0) * a->B.weight[q];
    return !flat;
}

/* dx = u - x and Delta. */
static double promise(prox_newton *self, const spdhg_problem *p) {
    const int64_t n = spd_problem_normal_size(p);
    for (int64_t q = 0; q < n; q++) self->dx[q] = self->model.u[q] - self->base.x[q];
    return spd_dot(n, self->base.g, self->dx) + spd_problem_penalty(p, self->model.Fu, self->base.term) - self->base.penalty[0];
}

/* u to where F u is zero exactly where z is; back if that costs more than half of what was promised. */
static double with_exact_zeros(prox_newton *self, const spdhg_problem *p) {
    spd_newton_model *a = &self->model;
    const double before = promise(self, p);
    if (spd_newton_model_bounded(p)) return before;
    spd_newton_model_exact_zeros(a, p, a->u);
    spd_problem_apply(p, a->u, a->Fu);
    const double after = promise(self, p);
    if (after <= 0.5 * before + 1e-15 * fabs(self->base.value[0])) return after;
    spd_tied_expand(&a->B, p, a->t, a->u);
    spd_problem_apply(p, a->u, a->Fu);
    return promise(self, p);
}

/* alpha + C A dx, C the curvatures in H: A'alpha is what the model takes for the gradient at u, so that with the model's y the
 * bracket of v is as small as the model's own residual, and the first is of fourth order in dx. */
static void offer(prox_newton *self, spd_run *run) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    const double *curve = whole(run) ? self->kept : b->curve;
    if (!p->loss->value || run->enough == 0) return;
    for (int64_t i = 0; i < p->n * p->K; i++) b->alpha[i] += curve[i] * b->move[i];
    run->offer = b->alpha;
}

static spd_iterate iterate(const spd_newton *b) {
    return (spd_iterate){.x = b->x,
                         .y = b->y,
                         .Fx = b->Fx,
                         .g = b->g,
                         .Ftrial = b->Ftrial,
                         .term = b->term,
                         .scratch_n = b->scratch_n,
                         .stop = b->stop};
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    prox_newton *self = run->self;
    spd_newton *b = &self->base;
    spd_newton_model *a = &self->model;
    const spdhg_problem *p = run->problem;
    const spd_iterate here = iterate(b);
    if (k == 0 && !whole(run) && spd_working_set_enter(p, &here, &a->B, SPD_WORKING_MOST, self->set)) run->seen = (spd_seen){0};
    spd_newton_gradient(run, b, true);
    if (*self->known == 0) spd_problem_curvature_columns(p, self->bound);
    if (whole(run)) {
        spd_tied_whole(&a->B, p);
        const int64_t n = a->B.size;
        *self->known = spd_problem_normal_update(p, run->threads, b->curve, WITHIN, *self->known == 0, self->hessian, self->kept,
                                                 b->move, b->scratch, run->stop);
        if (*self->known == 0) return SPD_CONTINUE; /* stopped */
        memcpy(a->H, self->hessian, (size_t)(n * n) * sizeof *a->H);
    } else {
        const bool fits = spd_working_set(p, &here, &a->B, SPD_WORKING_MOST, &self->flow, self->set);
        if (spd_stop_now(run->stop)) return SPD_CONTINUE;
        if (!fits) return SPD_STALLED;
        if (!spd_tied_hessian(&a->B, p, b->curve, a->H, self->set, run->stop)) return SPD_CONTINUE;
    }
    *self->known = 1;
    run->rows_visited += p->n;
    spd_tied_gather(&a->B, p, b->g, a->tg);
    spd_tied_nearest(&a->B, p, b->x, a->tx);
    const bool bent = regularise(self, p);
    bool solved;
    const bool definite = spd_newton_model_solve(a, p, &solved), stopped = spd_stop_now(run->stop);
    if (!definite) return stopped ? SPD_CONTINUE : alternative(run) ? SPD_GIVES_UP : SPD_FAILED;
    *self->unsolved = (solved && bent) || stopped ? 0 : *self->unsolved + 1;
    if (*self->unsolved > (spd_newton_model_bounded(p) ? 0 : UNSOLVED_MOST) && whole(run) && alternative(run))
        return SPD_GIVES_UP;
    const double delta = with_exact_zeros(self, p);
    if (stopped && !(delta < 0)) return SPD_CONTINUE;
    const bool moved = spd_newton_line_search(run, b, self->dx, a->Fu, delta, HALVINGS_MOST);
    if (spd_stop_now(run->stop)) return SPD_CONTINUE; /* the model may not have been solved: nothing follows from it */
    offer(self, run);
    p->set.kind->project(p->dK, p->set.arg, b->x, b->scratch_n); /* what rounding may have pushed out */
    /* Promises below rounding: after many such steps in a row x only trembles. On a working set y may still gain. */
    const bool trembles = whole(run) && fabs(delta) <= 1e-16 * fabs(b->value[0]);
    if (!moved && whole(run) && fabs(delta) > LEAST_PROMISE * fabs(b->value[0]) && run->rescued) return SPD_GIVES_UP;
    *self->idle = moved && !trembles ? 0 : *self->idle + 1;
    const bool on = (moved || !whole(run)) && *self->idle < (whole(run) ? TREMBLES_MOST : IDLE_MOST);
    if (interior_waits(run) && (!on || k + 1 == STEPS_MOST)) return SPD_GIVES_UP;
    return on ? SPD_CONTINUE : SPD_STALLED;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    spd_newton_output(run, &((const prox_newton *)run->self)->base, x, c, y);
}

static const double *hessian(const spd_run *run, const double **curve) {
    const prox_newton *self = run->self;
    *curve = self->kept;
    return whole(run) && *self->known == 1 ? self->hessian : NULL;
}

#define PROX_NEWTON                                                                                                              \
    .reference = "Lee, Sun, Saunders: Proximal Newton-type methods, SIAM J. Optim. 2014", .full_information = true,              \
    .exact = true, .self_size = sizeof(prox_newton), .layout = layout, .start = start, .step = step, .output = output,           \
    .hessian = hessian

const spd_solver_kind spd_solver_prox_newton = {
    .name = "prox-newton",
    .what = "proximal Newton, dense Hessian, ADMM inner solver; exact, for up to 1500 coefficients",
    .refuses = refuses,
    PROX_NEWTON};

const spd_solver_kind spd_solver_ws_newton = {
    .name = "ws-newton",
    .what = "proximal Newton on a working set, ADMM inner solver; exact, for solutions of up to 2000 numbers",
    .refuses = working_set_refuses,
    PROX_NEWTON};

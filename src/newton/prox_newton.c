/* prox_newton.c - proximal Newton (docs/algorithms.md).
 * prox-newton: up to SPD_DENSE_MOST coefficients, X separable.
 * ws-newton:   X = R^d. From 800 coefficients on it works on x = B t. B keeps at zero the entries of Fx that are zero and whose
 *              duals are inside their balls (tied_coordinates.h), so that t has at most 2000 entries.
 *
 *   outer: g = grad l(x) + gamma x
 *          H = B'(Hessian + gamma I)B + del D (newton_model_regularise.c)
 *   inner: minimise g'(u-x) + (u-x)'H(u-x)/2 + lambda r(Fu) over u = B t in X (newton_model.c), warm started with the last (y, z)
 *   zeros: X = R^d: u moves to the nearest point where Fu is zero exactly where z is, if that keeps half of the decrease
 *   step:  x += s (u - x), s = 1, 1/2, ... until f falls by 1e-4 s Delta
 *          Delta = g'(u-x) + lambda r(Fu) - lambda r(Fx)
 *
 * One step of the loop is one outer iteration. The intercepts are the last coordinates: part of H, but not of F or gamma.
 * The dual point is the inner y, which is in its ball by construction; along a path it comes with alpha + C A dx, the model's
 * slopes at u. The solver returns STALLED where the solution needs more than 2000 entries, and GIVES_UP where its models are
 * not solved or lead nowhere. */
#include <float.h>

#include "face/working_set.h"
#include "newton/newton_model.h"

static const double LEAST_PROMISE = 1e-12; /* relative to f: a step that promises more and does not move comes from a bad model */
static const double WITHIN = 0.05, CONFINED = 1e-4; /* a row's curvature from that in H; a promise that ends a full set */
enum { HALVINGS_MOST = 40, IDLE_MOST = 10, FULL_MOST = 3, TREMBLES_MOST = 50, UNSOLVED_MOST = 4, STEPS_MOST = 100 };

extern const spd_solver_kind spd_solver_ws_newton;

typedef struct prox_newton {
    spd_newton base;
    spd_newton_model model;
    double *idle;       /* state: consecutive steps that moved nothing, or next to nothing on a full working set */
    double *unsolved;   /* state: consecutive models without a solution, or too flat for it to mean much */
    double *known;      /* state: 1 once the next three are set */
    double *bound;      /* state: bound on the curvature of the loss along every feature and the intercept */
    double *hessian;    /* state, t = x only: Hessian of the loss, computed ... */
    double *kept;       /* state: ... with these curvatures */
    double *small;      /* work: the part of `bound` for columns in small units */
    double *dx, *set;   /* work: direction; scratch of the working set and its Hessian */
    spd_tree_flow flow; /* work: for the working set */
} prox_newton;

/* Whether another method can take over, semismooth Newton or the one that waits. There is then no need to stay with models that
 * ADMM does not solve (F with dependent rows). */
static bool alternative(const spd_run *run) {
    const spdhg_problem *p = run->problem;
    return (p->set.kind->whole && spd_problem_can_differentiate(p)) || run->rescue == SPD_RELIEVED;
}

/* A working set can be small only if zeros of Fx imply zeros or ties of x. */
static bool makes_zeros(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool zeros = p->term[t].penalty->zeros != SPDHG_ZEROS_NONE;
        if (zeros && p->term[t].lambda > 0 && (spd_csr_is_identity(F) || p->term[t].pairs)) return true;
    }
    return false;
}

bool spd_newton_model_ties(const spdhg_problem *p) {
    return p->set.kind->whole && makes_zeros(p) && spd_problem_normal_size(p) > SPD_TIED_FROM;
}

static bool factorable(const spdhg_problem *p) { return !spd_problem_refuses_factor(p); }

/* Whether t = x. From TIED_FROM coefficients on ws-newton reduces their number: there the run times cross (bench/scaling). */
static bool whole(const spd_run *run) {
    return factorable(run->problem) && !(run->kind == &spd_solver_ws_newton && spd_newton_model_ties(run->problem));
}

static const char *refuses(const spdhg_problem *p) {
    if (!p->set.kind->separable) return "it works for --set all, box and nonneg only";
    return spd_problem_refuses_factor(p);
}

static const char *working_set_refuses(const spdhg_problem *p) {
    if (!p->set.kind->whole) return "it works for X = R^d only; use --set all";
    if (!factorable(p) && !makes_zeros(p))
        return "beyond " SPD_TEXT(SPD_DENSE_MOST) " coefficients (features times outputs) it needs an l1 or group penalty on "
                                                  "single coefficients or pairs; use alm-ssn";
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
    const int64_t hessian = spd_tied_hessian_work(p, s, run->threads), pricing = spd_working_set_work(p);
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

/* Computes dx = u - x; returns Delta. */
static double promise(prox_newton *self, const spdhg_problem *p) {
    const int64_t n = spd_problem_normal_size(p);
    for (int64_t q = 0; q < n; q++) self->dx[q] = self->model.u[q] - self->base.x[q];
    return spd_dot(n, self->base.g, self->dx) + spd_problem_penalty(p, self->model.Fu, self->base.term) - self->base.penalty[0];
}

/* Moves u to where Fu is zero exactly where z is; undone if that costs more than half of the promised decrease. */
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

/* Computes alpha + C A dx, where C holds the curvatures in H. The model takes A'alpha for the gradient at u. With the model's y
 * the bracket of v is therefore as small as the residual of the model, and the first bracket is of fourth order in dx. */
static void set_own_alpha(prox_newton *self, spd_run *run) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    const double *curve = whole(run) ? self->kept : b->curve;
    if (!p->loss->value || run->enough == 0) return;
    for (int64_t i = 0; i < p->n * p->K; i++) b->alpha[i] += curve[i] * b->move[i];
    run->own_alpha = b->alpha;
}

static spd_iterate iterate(const spd_newton *b) {
    return (spd_iterate){b->x, b->y, b->Fx, b->g, b->Ftrial, b->term, b->scratch_n, b->stop};
}

/* Updates H of all coefficients where it has changed. False: stopped. */
static bool write_whole(prox_newton *self, spd_run *run) {
    spd_newton *b = &self->base;
    spd_newton_model *a = &self->model;
    const spdhg_problem *p = run->problem;
    spd_tied_whole(&a->B, p);
    *self->known = spd_problem_normal_update(p, run->threads, b->curve, WITHIN, *self->known == 0, self->hessian, self->kept,
                                             b->move, b->scratch, run->stop);
    if (*self->known == 0) return false;
    memcpy(a->H, self->hessian, (size_t)(a->B.size * a->B.size) * sizeof *a->H);
    return true;
}

/* Computes the working set and its H. False: *end says why. full: more zeros should open than the working set has room for. */
static bool write_tied(prox_newton *self, spd_run *run, const spd_iterate *here, bool *full, spd_step *end) {
    const spdhg_problem *p = run->problem;
    spd_tied *B = &self->model.B;
    const bool fits = spd_working_set(p, here, B, SPD_WORKING_MOST, &self->flow, self->set, full);
    if (spd_stop_now(run->stop)) return false;
    if (!fits) *end = SPD_STALLED;
    const int64_t n = spd_problem_normal_size(p), most = n < SPD_WORKING_MOST ? n : SPD_WORKING_MOST;
    if (!fits || !spd_tied_hessian(B, p, run->threads, self->base.curve, most, self->model.H, self->set, run->stop)) return false;
    *self->known = 1;
    return true;
}

/* Builds, regularises and solves the model at x. False: *end says why. */
static bool solve_model(prox_newton *self, spd_run *run, spd_step *end) {
    spd_newton_model *a = &self->model;
    const spdhg_problem *p = run->problem;
    spd_tied_gather(&a->B, p, self->base.g, a->tg);
    spd_tied_nearest(&a->B, p, self->base.x, a->tx);
    const bool bent = spd_newton_model_regularise(a, p, self->bound, self->small);
    bool solved;
    const bool definite = spd_newton_model_solve(a, p, &solved), stopped = spd_stop_now(run->stop);
    if (!definite && !stopped) *end = alternative(run) ? SPD_GIVES_UP : SPD_FAILED;
    if (!definite) return false;
    *self->unsolved = (solved && bent) || stopped ? 0 : *self->unsolved + 1;
    const int most = spd_newton_model_bounded(p) ? 0 : UNSOLVED_MOST;
    if (!(*self->unsolved > most && whole(run) && alternative(run))) return true;
    *end = SPD_GIVES_UP;
    return false;
}

/* The verdict on a step that promised delta. A full working set that promises little is near its optimum, not the problem's. */
static spd_step judge(prox_newton *self, const spd_run *run, int64_t k, bool moved, bool full, double delta) {
    const double f = fabs(self->base.value[0]);
    /* The promise is below rounding: after many such steps in a row x no longer changes. On a working set y may still improve. */
    const bool trembles = fabs(delta) <= (whole(run) ? 1e-16 : full ? CONFINED : -1) * f;
    if (!moved && whole(run) && fabs(delta) > LEAST_PROMISE * f && run->rescue != SPD_ALONE) return SPD_GIVES_UP;
    *self->idle = moved && !trembles ? 0 : *self->idle + 1;
    const bool on = (moved || !whole(run)) && *self->idle < (whole(run) ? TREMBLES_MOST : full ? FULL_MOST : IDLE_MOST);
    if (run->rescue == SPD_RELIEVED && (!on || k + 1 == STEPS_MOST)) return SPD_GIVES_UP;
    return on ? SPD_CONTINUE : SPD_STALLED;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    prox_newton *self = run->self;
    spd_newton *b = &self->base;
    spd_newton_model *a = &self->model;
    const spdhg_problem *p = run->problem;
    const spd_iterate here = iterate(b);
    bool full = false;
    spd_step end = SPD_CONTINUE; /* a step that ends early was stopped by the caller unless this says otherwise */
    if (k == 0 && !whole(run) && spd_working_set_enter(p, &here, &a->B, SPD_WORKING_MOST, self->set))
        run->evaluation = (spd_evaluation){0};
    spd_newton_gradient(run, b, true);
    if (*self->known == 0) spd_problem_curvature_columns(p, run->threads, self->bound, b->scratch);
    if (!(whole(run) ? write_whole(self, run) : write_tied(self, run, &here, &full, &end))) return end;
    run->rows_visited += p->n;
    if (!solve_model(self, run, &end)) return end;
    const double delta = with_exact_zeros(self, p);
    if (spd_stop_now(run->stop) && !(delta < 0)) return SPD_CONTINUE;
    const bool moved = spd_newton_line_search(run, b, self->dx, a->Fu, delta, HALVINGS_MOST);
    if (spd_stop_now(run->stop)) return SPD_CONTINUE; /* an unsolved model says nothing about convergence */
    set_own_alpha(self, run);
    p->set.kind->project(p->dK, p->set.arg, b->x, b->scratch_n); /* rounding may have pushed x out of X */
    return judge(self, run, k, moved, full, delta);
}

static const double *hessian(const spd_run *run, const double **curve) {
    const prox_newton *self = run->self;
    *curve = self->kept;
    return whole(run) && *self->known == 1 ? self->hessian : NULL;
}

#define PROX_NEWTON                                                                                                              \
    .reference = "Lee, Sun, Saunders: Proximal Newton-type methods, SIAM J. Optim. 2014", SPD_EXACT_KIND(prox_newton),           \
    .step = step, .output = spd_newton_output, .hessian = hessian

const spd_solver_kind spd_solver_prox_newton = {
    .name = "prox-newton",
    .what = "proximal Newton, dense Hessian, ADMM inner solver; exact, for up to " SPD_TEXT(SPD_DENSE_MOST) " coefficients",
    .refuses = refuses,
    PROX_NEWTON};

const spd_solver_kind spd_solver_ws_newton = {
    .name = "ws-newton",
    .what = "proximal Newton on a working set, ADMM inner solver; exact, for solutions with up to 2000 unknowns",
    .refuses = working_set_refuses,
    PROX_NEWTON};

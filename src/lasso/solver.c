/* solver.c - one fit by columns (once.h). */
#include "lasso/once.h"
#include "lasso/sides.h"

/* What Newton's method with a Hessian of all columns would take, steps and passes; where another solver is next in line, this one
 * hands over after as much work. With more columns than that method takes and a loss that is not
 * quadratic, after the passes alone. */
static const double STEPS_QUADRATIC = 2, STEPS_OTHER = 6, PASSES_LEAST = 200;
static const double LAST = 1e-13; /* slopes that are off by less, relative to lambda, are right to their last digits */

typedef struct lasso_run {
    double *x, *y; /* state: d + 1 with the intercept; d */
    double *term;
} lasso_run;

static spdhg_status prepare(spd_run *run, spdhg_error *err) {
    spd_lasso *a;
    SPD_TRY(spd_lasso_new(&a, run->problem, false, run->threads, err));
    run->prepared = a;
    run->prepared_bytes = spd_lasso_bytes(run->problem);
    return SPDHG_OK;
}

static void release(void *prepared) { spd_lasso_free(prepared); }

static void layout(spd_run *run) {
    lasso_run *self = run->self;
    self->x = spd_arena_take(&run->state, run->problem->d + 1);
    self->y = spd_arena_take(&run->state, run->problem->d);
    self->term = spd_arena_take(&run->work, spd_problem_term_work(run->problem));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    lasso_run *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, p->intercept ? c0 : NULL, y0, self->x, self->x + p->d, self->y, self->term);
}

static double work_of_others(const spdhg_problem *p) {
    const double d = (double)p->d, steps = p->loss->quadratic ? STEPS_QUADRATIC : STEPS_OTHER;
    if (!p->loss->quadratic && spd_problem_normal_size(p) > SPD_DENSE_MOST) return PASSES_LEAST * (double)p->nnz;
    return fmax(steps * ((double)p->n * spd_problem_normal_cost(p) + d * d * d / 12), PASSES_LEAST * (double)p->nnz);
}

/* lambda_max at x = 0; NAN elsewhere. */
static double largest(const spd_lasso *a) {
    double most = 0;
    for (int64_t j = 0; j < a->p->d; j++) most = fmax(most, spd_lasso_pull(a, a->g[j]));
    return a->now.count == 0 ? most : NAN;
}

static void solve(void *engine, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    spd_lasso_solve(engine, tol, plain, stop, out);
}

/* Whether the answer is one to the last digits of its slopes. */
static bool is_exact(const void *engine) {
    const spd_lasso *a = engine;
    const double lambda = spd_lasso_lambda(a);
    double off = a->p->intercept ? fabs(spd_dot(a->p->n, a->share, a->slope)) : 0;
    for (int64_t q = 0; q < a->examined_count; q++) { /* the active columns, and all that may be in the wrong place */
        const int32_t j = a->examined[q];
        const double x = a->now.x[j];
        off = fmax(off, x != 0 ? spd_lasso_slope_off(a, x, a->g[j]) : spd_lasso_pull(a, a->g[j]) - lambda);
    }
    return off <= LAST * lambda;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    lasso_run *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_lasso *a = run->prepared;
    spd_lasso_forget(a);
    spd_lasso_start(a, self->x, self->x[p->d], INFINITY);
    a->stop = run->stop;
    const spd_once once = {.engine = a,
                           .solve = solve,
                           .is_exact = is_exact,
                           .times = &a->times,
                           .lambda = &a->lambda,
                           .touched = &a->touched,
                           .swept = &a->work,
                           .most = &a->most,
                           .allowed = &a->allowed,
                           .z = a->z,
                           .z0 = a->z0,
                           .largest = largest(a),
                           .pass = (double)p->nnz,
                           .others = work_of_others(p)};
    const spd_step said = spd_once_step(run, k, &once);
    memcpy(self->x, a->now.x, (size_t)p->d * sizeof *self->x);
    self->x[p->d] = a->now.c;
    spd_lasso_dual(a, self->y);
    return said;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const lasso_run *self = run->self;
    spd_run_give(run, self->x, self->x + run->problem->d, self->y, x, c, y);
}

const spd_solver_kind spd_solver_lasso = {
    .name = "lasso",
    .what = "coordinate descent with Newton steps on the face, by columns; exact, for l1 of the coefficients",
    .reference = "Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models, J. Stat. Softw. 2010",
    .holds_rows = true,
    .refuses = spd_lasso_refuses,
    SPD_PREPARED_KIND(lasso_run)};

/* solver.c - one fit by columns: the path's engine (solve.c) from a start of the caller's to the problem's own lambda.
 *
 *   from x = 0, where the loss is not quadratic: lambda_max/2, lambda_max/4, ... down to lambda, each roughly. A model made far
 *   from the answer takes in columns that leave again; one made at twice the lambda rarely does
 *   then lambda itself, proven by phi'(z), and after the proof to all digits, which takes at most two models more
 *
 * One step is the whole solve: it usually ends the run. */
#include "solver/solver.h"
#include "lasso/sides.h"

enum { STEPS_MOST = 3, HALVINGS_MOST = 20, DIGITS_MOST = 5 }; /* below a millionth of lambda_max all columns have come in */
/* What Newton's method with a Hessian of all columns would take, steps and passes; where another solver is next in line, this one
 * hands over after as much work. With more columns than that method takes and a loss that is not quadratic, after the passes alone. */
static const double STEPS_QUADRATIC = 2, STEPS_OTHER = 6, PASSES_LEAST = 200;
static const double ROUGH = 1e-2;   /* relative gap on the way down */
static const double TIGHTER = 1e-2; /* times the tolerance: the next step, if rounding has made the last proof too weak */
static const double USUAL = 1e-6;   /* without a tolerance */
static const double STILL = 1e-8;   /* a step that moves the scores by less leaves the square of it */
static const double LAST = 1e-13;   /* slopes that are off by less, relative to lambda, are right to their last digits */

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

/* Halves lambda from where x = 0 is optimal; the strong rule leaves out no column in longer steps. */
static void come_down(spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a);
    spd_lasso_answer answer;
    double largest = 0;
    for (int64_t j = 0; j < a->p->d; j++) largest = fmax(largest, spd_lasso_pull(a, a->g[j]));
    a->lambda = largest;
    const int all = (int)fmin(floor(log2(largest / lambda)), 1000), least = all > HALVINGS_MOST ? all - HALVINGS_MOST : 0;
    for (int halvings = all; halvings > least && !spd_lasso_over(a); halvings--) {
        a->times = ldexp(1, halvings);
        spd_lasso_solve(a, ROUGH, false, a->stop, &answer);
    }
    a->times = 1;
}

/* How far the last model has moved the scores. */
static double moved(const spd_lasso *a) {
    double most = 0;
    for (int64_t i = 0; i < a->p->n; i++) most = fmax(most, fabs(a->z[i] - a->z0[i]));
    return most;
}

/* Whether the answer is one to the last digits of its slopes. */
static bool is_exact(const spd_lasso *a) {
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
    spd_lasso_answer answer, finer;
    spd_lasso_forget(a);
    spd_lasso_start(a, self->x, self->x[p->d], INFINITY);
    a->stop = run->stop;
    a->most = run->followed ? work_of_others(p) : INFINITY;
    a->allowed = run->rows_left * ((double)p->nnz / (double)p->n);
    if (a->now.count == 0 && !p->loss->quadratic) come_down(a);
    spd_lasso_solve(a, (run->goal > 0 ? run->goal : USUAL) * pow(TIGHTER, (double)k), true, run->stop, &answer);
    bool moves = answer.proven && !(p->loss->quadratic && is_exact(a)); /* a step on the right face has made it so */
    for (int i = 0; i < DIGITS_MOST && moves; i++) {
        spd_lasso_solve(a, 0, true, run->stop, &finer);
        moves = !p->loss->quadratic && moved(a) > STILL * (1 + spd_max_abs(p->n, a->z));
    }
    memcpy(self->x, a->now.x, (size_t)p->d * sizeof *self->x);
    self->x[p->d] = a->now.c;
    spd_lasso_dual(a, self->y);
    run->settled = answer.proven && !moves && !spd_lasso_over(a);
    run->cut = a->touched + a->work > a->allowed;
    const double rows = a->touched / fmax((double)p->nnz, 1) * (double)p->n;
    run->rows_visited += (int64_t)ceil(run->cut ? fmax(rows, run->rows_left) : rows); /* other work counts as rows at the limit */
    if (run->cut || spd_stop_now(run->stop)) return SPD_CONTINUE;                     /* what was stopped shows nothing */
    return answer.proven && k + 1 < STEPS_MOST ? SPD_CONTINUE : SPD_GIVES_UP;
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

/* solver.c - one fit by blocks of columns: the path's engine (solve.c) from a start of the caller's to the problem's own lambda.
 *
 *   from x = 0, where the loss is not quadratic: lambda_max/2, lambda_max/4, ... down to lambda, each roughly
 *   then lambda itself, proven by phi'(z), and after the proof to all digits
 *
 * One step is the whole solve: it usually ends the run. */
#include "solver/solver.h"
#include "blocks/blocks.h"

enum { STEPS_MOST = 3, HALVINGS_MOST = 20, DIGITS_MOST = 5 };
/* Where another solver is next in line, this one hands over after as much work as Newton's method with a Hessian of all coefficients
 * would take, or after so many passes over the data. */
static const double STEPS = 6, PASSES_LEAST = 500;
static const double ROUGH = 1e-2;   /* relative gap on the way down */
static const double TIGHTER = 1e-2; /* times the tolerance: the next step, if rounding has made the last proof too weak */
static const double USUAL = 1e-6;   /* without a tolerance */
static const double STILL = 1e-8;   /* a step that moves the scores by less leaves the square of it */

typedef struct blocks_run {
    double *x, *y; /* state: dK + K with the intercept; m K */
    double *term;
} blocks_run;

static spdhg_status prepare(spd_run *run, spdhg_error *err) {
    spd_blocks *a;
    SPD_TRY(spd_blocks_new(&a, run->problem, run->threads, err));
    run->prepared = a;
    run->prepared_bytes = spd_blocks_bytes(run->problem);
    return SPDHG_OK;
}

static void release(void *prepared) { spd_blocks_free(prepared); }

static void layout(spd_run *run) {
    blocks_run *self = run->self;
    const spdhg_problem *p = run->problem;
    self->x = spd_arena_take(&run->state, p->dK + p->K);
    self->y = spd_arena_take(&run->state, p->m * p->K);
    self->term = spd_arena_take(&run->work, spd_problem_term_work(p));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    blocks_run *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, p->intercept ? c0 : NULL, y0, self->x, self->x + p->dK, self->y, self->term);
}

static double work_of_others(const spdhg_problem *p) {
    const double N = (double)p->dK;
    if (spd_problem_normal_size(p) > SPD_DENSE_MOST) return PASSES_LEAST * (double)(p->nnz * p->K);
    return fmax(STEPS * ((double)p->n * spd_problem_normal_cost(p) + N * N * N / 12), PASSES_LEAST * (double)(p->nnz * p->K));
}

/* Halves lambda from where x = 0 is optimal. */
static void come_down(spd_blocks *a) {
    const double lambda = spd_blocks_lambda(a);
    spd_lasso_answer answer;
    double largest = 0;
    for (int64_t b = 0; b < a->count; b++) largest = fmax(largest, a->score[b]);
    a->lambda = largest;
    const int all = (int)fmin(floor(log2(largest / lambda)), 1000), least = all > HALVINGS_MOST ? all - HALVINGS_MOST : 0;
    for (int halvings = all; halvings > least && !spd_blocks_over(a); halvings--) {
        a->times = ldexp(1, halvings);
        spd_blocks_solve(a, ROUGH, false, a->stop, &answer);
    }
    a->times = 1;
}

/* How far the last model has moved the scores. */
static double moved(const spd_blocks *a) {
    double most = 0;
    for (int64_t i = 0; i < a->p->n * a->p->K; i++) most = fmax(most, fabs(a->z[i] - a->z0[i]));
    return most;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    blocks_run *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_blocks *a = run->prepared;
    spd_lasso_answer answer, finer;
    spd_blocks_forget(a);
    spd_blocks_start(a, self->x, self->x + p->dK, INFINITY);
    a->stop = run->stop;
    a->most = run->followed ? work_of_others(p) : INFINITY;
    a->allowed = run->rows_left * ((double)(p->nnz * p->K) / (double)p->n);
    if (a->now.count == 0 && !p->loss->quadratic) come_down(a);
    spd_blocks_solve(a, (run->goal > 0 ? run->goal : USUAL) * pow(TIGHTER, (double)k), true, run->stop, &answer);
    bool moves = answer.proven;
    for (int i = 0; i < DIGITS_MOST && moves; i++) {
        spd_blocks_solve(a, 0, true, run->stop, &finer);
        moves = !p->loss->quadratic && moved(a) > STILL * (1 + spd_max_abs(p->n * p->K, a->z));
    }
    memcpy(self->x, a->now.x, (size_t)p->dK * sizeof *self->x);
    memcpy(self->x + p->dK, a->now.c, (size_t)p->K * sizeof *self->x);
    spd_blocks_dual(a, self->y);
    run->settled = answer.proven && !moves && !spd_blocks_over(a);
    run->cut = a->touched + a->count_work > a->allowed;
    const double rows = a->touched / fmax((double)(p->nnz * p->K), 1) * (double)p->n;
    run->rows_visited += (int64_t)ceil(run->cut ? fmax(rows, run->rows_left) : rows); /* other work counts as rows at the limit */
    if (run->cut || spd_stop_now(run->stop)) return SPD_CONTINUE;                     /* what was stopped shows nothing */
    return answer.proven && k + 1 < STEPS_MOST ? SPD_CONTINUE : SPD_GIVES_UP;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const blocks_run *self = run->self;
    spd_run_give(run, self->x, self->x + run->problem->dK, self->y, x, c, y);
}

const spd_solver_kind spd_solver_blocks = {
    .name = "blocks",
    .what =
        "descent by blocks of columns with Newton steps on the face; exact, for groups of features, several outputs, weighted l1",
    .reference =
        "Simon, Friedman, Hastie: A blockwise descent algorithm for group-penalized multiresponse regression, arXiv:1311.6529",
    SPD_EXACT_KIND(blocks_run),
    .holds_rows = true,
    .refuses = spd_blocks_refuses,
    .prepare = prepare,
    .release = release,
    .step = step,
    .output = output};

/* solver.c - one fit by blocks of columns (lasso/once.h). */
#include "blocks/blocks.h"
#include "lasso/once.h"

/* Where another solver is next in line, this one hands over after as much work as Newton's method with a Hessian of all
 * coefficients would take, or after so many passes over the data. */
static const double STEPS = 6, PASSES_LEAST = 500;

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

/* lambda_max at x = 0; NAN elsewhere. */
static double largest(const spd_blocks *a) {
    double most = 0;
    for (int64_t b = 0; b < a->count; b++) most = fmax(most, a->score[b]);
    return a->now.count == 0 ? most : NAN;
}

static void solve(void *engine, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    spd_blocks_solve(engine, tol, plain, stop, out);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    blocks_run *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_blocks *a = run->prepared;
    spd_blocks_forget(a);
    spd_blocks_start(a, self->x, self->x + p->dK, INFINITY);
    a->stop = run->stop;
    const spd_once once = {.engine = a,
                           .solve = solve,
                           .times = &a->times,
                           .lambda = &a->lambda,
                           .touched = &a->touched,
                           .swept = &a->count_work,
                           .most = &a->most,
                           .allowed = &a->allowed,
                           .z = a->z,
                           .z0 = a->z0,
                           .largest = largest(a),
                           .pass = (double)(p->nnz * p->K),
                           .others = work_of_others(p)};
    const spd_step said = spd_once_step(run, k, &once);
    memcpy(self->x, a->now.x, (size_t)p->dK * sizeof *self->x);
    memcpy(self->x + p->dK, a->now.c, (size_t)p->K * sizeof *self->x);
    spd_blocks_dual(a, self->y);
    return said;
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
    .holds_rows = true,
    .refuses = spd_blocks_refuses,
    SPD_PREPARED_KIND(blocks_run)};

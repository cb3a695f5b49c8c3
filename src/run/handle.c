/* handle.c - the public handle: a problem, a plan, options, parameters, a start and, after run, a solution. */
#include "problem/sample.h"
#include "run/loop.h"

enum { EPOCHS_DEFAULT = 10, EPOCHS_MOST = 10000 }; /* MOST: ends runs whose tolerance cannot be reached */

static const double DEFAULT_TOL = 1e-6;

/* A default tolerance for solvers that can prove it: auto and the exact ones. If the caller has given a limit, or named a solver
 * with a default limit, the tolerance only ends the run early: missing it is not a failure. */
static void default_tolerance(spdhg_solver *s, const char *name) {
    spdhg_options *o = &s->options;
    const spd_solver_kind *kind = spd_solver_find(name);
    const bool automatic = strcmp(name, "auto") == 0;
    s->may_miss = o->epochs > 0 || o->seconds > 0 || !automatic;
    if (o->epochs == 0 && o->seconds == 0 && !automatic) o->epochs = EPOCHS_DEFAULT;
    o->tol = automatic || (kind && kind->exact) ? DEFAULT_TOL : 0;
}

static spdhg_status take_options(spdhg_solver *s, const char *name, const spdhg_options *options, spdhg_error *err) {
    s->options = (spdhg_options)SPDHG_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_options, &s->options, options, err));
    spdhg_options *o = &s->options;
    if (!(o->epochs >= 0) || !(o->seconds >= 0) || !(o->tol >= 0 || o->tol == SPDHG_TOL_DEFAULT) || !(o->every >= 0) ||
        !isfinite(o->epochs + o->seconds + o->tol + o->every))
        return spd_fail(err, SPDHG_USAGE, "epochs, seconds, tolerance and trace interval must be finite and not negative");
    s->counted = o->epochs > 0;
    if (o->tol == SPDHG_TOL_DEFAULT) default_tolerance(s, name);
    if (o->epochs == 0 && o->seconds == 0) o->epochs = o->tol > 0 ? EPOCHS_MOST : EPOCHS_DEFAULT;
    s->threads = spd_threads(o->threads);
    return SPDHG_OK;
}

static spdhg_status check_batch(const spdhg_solver *s, spdhg_error *err) {
    const int64_t batch = s->options.batch, rows = s->problem->n;
    if (batch >= SPDHG_BATCH_DEFAULT && (batch <= rows || rows == 0)) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "batch %lld is outside 1..%lld (the rows)", (long long)batch, (long long)rows);
}

/* The batch asked for, the automatic one, or the one the algorithm prefers. */
int64_t spd_solver_batch(const spdhg_solver *s, const spd_solver_kind *kind) {
    const int64_t asked = s->options.batch;
    if (kind->full_information) return 1;
    if (asked != SPDHG_BATCH_AUTO && asked != SPDHG_BATCH_DEFAULT) return asked;
    const bool automatic = kind->dual_cost && (asked == SPDHG_BATCH_AUTO || kind->batch_auto);
    return automatic ? spd_batch_auto(s->problem, kind->dual_cost(s->problem)) : 1;
}

/* Refuses before any large allocation: counts data, evaluation, certificate and the arenas of the main stage. Others are left out
 * if they need too much. */
static spdhg_status check_memory(spdhg_solver *s, spdhg_error *err) {
    const spdhg_problem *p = s->problem;
    const double numbers = (double)spd_problem_value_work(p) + (double)spd_problem_gradient_work(p) +
                           3.0 * (double)p->n * (double)p->K + 12.0 * (double)p->dK + 12.0 * (double)p->m * (double)p->K;
    for (int i = 0; i < s->plan.stages && s->options.max_memory > 0; i++) {
        const spd_solver_kind *kind = s->plan.stage[i].kind;
        double param[SPD_PARAMS_MAX];
        spd_run run;
        spd_solver_params(s, kind, param);
        SPD_TRY(spd_run_new(&run, kind, p, param, s->options.sampling, spd_solver_batch(s, kind), 1, NULL, err));
        const double bytes = spd_data_bytes(p->data) + spd_run_bytes(&run) + 8 * numbers;
        spd_run_free(&run);
        if (!(bytes > (double)s->options.max_memory)) continue;
        if (&s->plan.stage[i] == spd_plan_main(&s->plan))
            return spd_fail(err, SPDHG_MEMORY, "solver %s needs about %.3g MB, the limit is %.3g MB (--max-memory)", kind->name,
                            bytes / 1e6, (double)s->options.max_memory / 1e6);
        spd_plan_leave_out(&s->plan, i--);
    }
    return SPDHG_OK;
}

static spdhg_status prepare(spdhg_solver *s, const char *name, const spdhg_options *options, bool near, spdhg_error *err) {
    spdhg_problem *p = s->problem;
    SPD_TRY(take_options(s, name, options, err));
    p->ranks = s->options.ranks;
    p->threads = s->threads;
    SPD_TRY(spd_problem_freeze(p, err));
    SPD_TRY(check_batch(s, err));
    SPD_TRY(spd_plan_make(&s->plan, name, p, err));
    if (near) spd_plan_begin_with_main(&s->plan);
    SPD_TRY(check_memory(s, err));
    s->x = SPD_NEW(double, p->dK);
    s->c = SPD_NEW(double, p->K);
    s->given = SPD_NEW(double, p->K);
    s->y = SPD_NEW(double, p->m * p->K);
    if (!s->x || !s->c || !s->given || !s->y) return spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
    return spd_evaluator_new(&s->evaluator, p, NULL, s->threads, err);
}

/* near: the start will be near the solution. */
static spdhg_status make(spdhg_solver **out, const char *solver, spdhg_problem *problem, const spdhg_options *options, bool near,
                         spdhg_error *err) {
    *out = NULL;
    spdhg_solver *s = SPD_NEW(spdhg_solver, 1);
    if (!s) return spd_fail_memory(err, sizeof *s);
    const double from = spd_now();
    s->problem = problem;
    s->clock = spd_now;
    spdhg_status status = prepare(s, solver, options, near, err);
    status = spd_ranks_settle(s->options.ranks, status, err);
    if (status != SPDHG_OK) {
        spdhg_solver_free(s);
        return status;
    }
    s->setup = spd_now() - from;
    *out = s;
    return SPDHG_OK;
}

spdhg_status spdhg_solver_new(spdhg_solver **out, const char *solver, spdhg_problem *problem, const spdhg_options *options,
                              spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    return make(out, solver, problem, options, false, err);
}

spdhg_status spd_solver_new_near(spdhg_solver **out, const char *solver, spdhg_problem *problem, const spdhg_options *options,
                                 spdhg_error *err) {
    return make(out, solver, problem, options, true, err);
}

spdhg_status spdhg_solver_start(spdhg_solver *s, const double *x, const double *c, const double *y, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_solver_start(s, x, c, y, err));
    if (c) spd_problem_c_inward(s->problem, s->x, s->c);
    return SPDHG_OK;
}

spdhg_status spd_solver_start(spdhg_solver *s, const double *x, const double *c, const double *y, spdhg_error *err) {
    const spdhg_problem *p = s->problem;
    if ((x && !spd_all_finite(p->dK, x)) || (c && !spd_all_finite(p->K, c)) || (y && !spd_all_finite(p->m * p->K, y)))
        return spd_fail(err, SPDHG_DATA, "the start is not finite");
    s->evaluator.evaluation = (spd_evaluation){0};
    if (x) memcpy(s->x, x, (size_t)p->dK * sizeof *x);
    if (c) memcpy(s->c, c, (size_t)p->K * sizeof *c);
    if (y) memcpy(s->y, y, (size_t)(p->m * p->K) * sizeof *y);
    return SPDHG_OK;
}

spdhg_status spdhg_solver_test(spdhg_solver *s, const spdhg_data *test, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spd_evaluator next;
    SPD_TRY(spd_evaluator_new(&next, s->problem, test, s->threads, err));
    spd_evaluator_free(&s->evaluator);
    s->evaluator = next;
    return SPDHG_OK;
}

void spd_solver_keep(spdhg_solver *s, const spd_solver_kind *kind, const double *x, const double *c, const double *y,
                     const spdhg_point *point) {
    const spdhg_problem *p = s->problem;
    memmove(s->x, x, (size_t)p->dK * sizeof *x); /* it may be the start itself */
    memmove(s->c, c, (size_t)p->K * sizeof *c);
    memmove(s->y, y, (size_t)(p->m * p->K) * sizeof *y);
    s->has_run = true;
    memcpy(s->given, c, (size_t)p->K * sizeof *c);
    spd_problem_c_outward(p, x, s->given);
    s->evaluator.evaluation.c = s->c;
    s->solution = (spdhg_solution){.features = p->d,
                                   .outputs = p->K,
                                   .dual = p->m * p->K,
                                   .x = s->x,
                                   .c = s->given,
                                   .y = s->y,
                                   .objective = point->objective,
                                   .train_loss = point->train_loss,
                                   .penalty = point->penalty,
                                   .gap = spd_evaluate_gap(&s->evaluator),
                                   .gap_relative = spd_evaluate_relative(&s->evaluator, point),
                                   .gap_radius = s->evaluator.gap.radius,
                                   .gap_kind = spd_gap_kind_name(s->evaluator.gap.kind),
                                   .test_loss = point->test_loss,
                                   .test_score = point->test_score,
                                   .epochs = point->epoch,
                                   .seconds = point->seconds,
                                   .iterations = point->iteration,
                                   .solver = kind->name};
}

double spd_trace_interval(double epochs) { return epochs > 50 ? ceil(epochs / 50) : 1; }

const spdhg_solution *spdhg_solver_solution(const spdhg_solver *s) { return &s->solution; }

const spdhg_point *spdhg_solver_trace(const spdhg_solver *s, int64_t *points) {
    *points = s->trace.points;
    return s->trace.point;
}

void spd_solver_keep_running(spdhg_solver *s, double seconds) {
    s->keeps = true;
    s->options.seconds = seconds;
}

void spd_solver_expect(spdhg_solver *s) { s->expects = s->settled = true; }
void spd_solver_tolerate(spdhg_solver *s, double tol) { s->options.tol = tol; }
const double *spd_solver_intercept(const spdhg_solver *s) { return s->c; }
const double *spd_solver_slopes(const spdhg_solver *s) { /* the last evaluation may have been of another point */
    return s->evaluator.evaluation.c == s->c ? s->evaluator.evaluation.slope : NULL;
}
const spdhg_problem *spd_solver_problem(const spdhg_solver *s) { return s->problem; }
const spdhg_options *spd_solver_options(const spdhg_solver *s) { return &s->options; }
void spd_solver_compare(spdhg_solver *s, double (*clock)(void)) {
    s->clock = clock;
    s->compared = true;
}
spdhg_outcome spd_solver_outcome(const spdhg_solver *s) { return s->outcome; }
void spd_solver_interrupted(spdhg_solver *s) { s->outcome = SPDHG_OUTCOME_INTERRUPTED; }

void spdhg_solver_free(spdhg_solver *s) {
    if (!s) return;
    spd_ranks_watch(s->options.ranks, NULL);
    spd_evaluator_free(&s->evaluator);
    spd_run_free(&s->kept);
    spd_trace_clear(&s->trace);
    spd_free(s->x);
    spd_free(s->c);
    spd_free(s->given);
    spd_free(s->y);
    spd_free(s);
}

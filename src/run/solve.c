/* solve.c - from a plan to an answer: runs the stages one after the other in the loop of run.c, then finds the exact zeros and
 * last digits of the answer and concludes its outcome. */
#include "run/loop.h"

static spdhg_status open_checkpoint(const spdhg_solver *s, spd_checkpoint *saved, spdhg_error *err) {
    bool previous;
    SPD_TRY(spd_loop_open(s, saved, &previous, err));
    if (previous) {
        char sentence[400];
        snprintf(sentence, sizeof sentence, "%.200s is damaged: continuing from the checkpoint before it, %.100s.previous",
                 s->options.resume, s->options.resume);
        spd_loop_notice(s, sentence);
    }
    return SPDHG_OK;
}

/* Epochs for a stage out of those left: the last stage takes all if the caller gave a number. */
static double epochs_of_stage(const spdhg_solver *s, int stage, double left) {
    const double planned = s->plan.stage[stage].epochs;
    if (stage + 1 < s->plan.stages && planned > 0) return fmin(planned, left);
    return isfinite(left) ? left : planned;
}

/* The answer of the stage that has proven most. Where no stage proves enough, a later one may well end at an x that has the same
 * f and of which less is known. */
typedef struct best_known {
    double *x, *c, *y;
    const spd_solver_kind *kind;
    double objective, relative;
} best_known;

static void copy_answer(const spdhg_solver *s, double *const to[3], double *const from[3]) {
    const spdhg_problem *p = s->problem;
    const int64_t count[] = {p->dK, p->K, p->m * p->K};
    for (int i = 0; i < 3; i++) memcpy(to[i], from[i], (size_t)count[i] * sizeof(double));
}

static bool remember(best_known *b, const spdhg_solver *s) {
    const spdhg_problem *p = s->problem;
    if (!s->has_run || !(s->solution.gap_relative < (b->x ? b->relative : INFINITY))) return true;
    if (!b->x) *b = (best_known){.x = SPD_NEW(double, p->dK), .c = SPD_NEW(double, p->K), .y = SPD_NEW(double, p->m * p->K)};
    if (!b->x || !b->c || !b->y) return false;
    copy_answer(s, (double *const[]){b->x, b->c, b->y}, (double *const[]){s->x, s->c, s->y});
    b->kind = spd_solver_find(s->solution.solver);
    b->objective = s->solution.objective;
    b->relative = s->solution.gap_relative;
    return true;
}

static spdhg_status recall(const best_known *b, spdhg_solver *s, spdhg_error *err) {
    if (!b->x || s->trace.points == 0 || !(b->relative < s->solution.gap_relative)) return SPDHG_OK;
    if (b->objective > s->solution.objective + s->options.tol * fabs(s->solution.objective)) return SPDHG_OK;
    spdhg_point point = s->trace.point[s->trace.points - 1];
    s->evaluator.certifier.worth = INFINITY;
    s->evaluator.certifier.refines = true;
    spd_evaluate(&s->evaluator, b->x, b->c, b->y, &point);
    spd_solver_keep(s, b->kind, b->x, b->c, b->y, &point);
    return spd_trace_add(&s->trace, &point, err);
}

/* A stage that was called off before its first step leaves the answer so far, or the start. */
static spdhg_status stay(spdhg_solver *s, const spd_solver_kind *kind, spdhg_error *err) {
    const spdhg_problem *p = s->problem;
    s->outcome = spd_outcome_of_rest(s);
    if (s->has_run) return SPDHG_OK;
    double *work = SPD_NEW(double, p->dK);
    if (!work) return spd_fail_memory(err, 8.0 * (double)p->dK);
    p->set.kind->project(p->dK, p->set.arg, s->x, work);
    spd_free(work);
    spdhg_point point = {.seconds = spd_now() - s->started};
    spd_limits_grant(s);
    spd_evaluate(&s->evaluator, s->x, s->c, s->y, &point);
    spd_solver_keep(s, kind, s->x, s->c, s->y, &point);
    return spd_trace_add(&s->trace, &point, err);
}

static spdhg_status run_plan(spdhg_solver *s, spdhg_error *err) {
    spd_loop loop = {.solver = s, .saved_at = s->started};
    best_known best = {0};
    spd_checkpoint saved = {0};
    spdhg_status status = s->options.resume ? open_checkpoint(s, &saved, err) : SPDHG_OK;
    const int first = (int)saved.stage;
    for (int i = first; i < s->plan.stages && status == SPDHG_OK && s->outcome == SPDHG_OUTCOME_DONE; i++) {
        const double left = s->options.epochs > 0 ? s->options.epochs - loop.epochs_before : INFINITY;
        if (left <= 0 || (i > first && spd_limits_reached(s))) { /* the earlier stages have used them up */
            s->outcome = spd_outcome_of_rest(s);
            break;
        }
        loop.stage = i;
        status = spd_loop_stage(&loop, epochs_of_stage(s, i, left), &saved, err);
        if (loop.unready) status = stay(s, s->plan.stage[i].kind, err);
        if (s->outcome == SPDHG_OUTCOME_DIVERGED && s->has_run && i + 1 < s->plan.stages) s->outcome = SPDHG_OUTCOME_DONE;
        const bool relieved = s->plan.stage[i].rescue == SPD_RELIEVED && s->outcome == SPDHG_OUTCOME_DONE;
        if (status == SPDHG_OK && relieved && !remember(&best, s)) status = spd_fail_memory(err, 8.0 * (double)s->problem->dK);
    }
    if (status == SPDHG_OK && spd_outcome_is_open(s->outcome)) status = recall(&best, s, err);
    SPD_FREE_ALL(best.x, best.c, best.y);
    spd_checkpoint_free(&saved);
    return status;
}

/* Evaluates the start; converged if it is the solution already. */
static spdhg_status look_at_start(spdhg_solver *s, spdhg_error *err) {
    spd_certifier *c = &s->evaluator.certifier;
    spdhg_point point = {0};
    c->worth = INFINITY;
    c->enough = s->options.tol;
    c->refines = c->factored = false;
    c->lent = NULL;
    c->last = c->fall = NAN;
    spd_evaluate(&s->evaluator, s->x, s->c, s->y, &point);
    if (!(s->evaluator.gap.kind == SPD_GAP_CERTIFIED && spd_evaluate_relative(&s->evaluator, &point) <= s->options.tol))
        return SPDHG_OK;
    SPD_TRY(spd_trace_add(&s->trace, &point, err));
    spd_solver_keep(s, spd_plan_main(&s->plan)->kind, s->x, s->c, s->y, &point);
    s->outcome = SPDHG_OUTCOME_CONVERGED;
    return SPDHG_OK;
}

static void describe(spdhg_solver *s) {
    spdhg_solution *a = &s->solution;
    const bool strong = s->problem->gamma > 0 && s->evaluator.gap.kind == SPD_GAP_CERTIFIED;
    a->structure_nonzeros = spd_evaluate_structure_nonzeros(&s->evaluator, s->x);
    a->x_radius = strong ? spd_evaluate_radius(&s->evaluator, s->x) : NAN;
    a->certified_signs = strong ? spd_evaluate_signs(&s->evaluator, s->x, a->x_radius) : 0;
    a->nonzeros = spd_count_nonzero(s->problem->dK, s->x);
}

static spdhg_status run(spdhg_solver *s, spdhg_outcome *outcome, spdhg_error *err) {
    spd_limits_start(s);
    s->outcome = SPDHG_OUTCOME_DONE;
    spd_trace_clear(&s->trace);
    s->evaluator.certifier.best_dual = -INFINITY; /* lambda may have changed */
    if (s->plan.why[0]) spd_loop_log(s, s->plan.why);
    spd_solver_start_far(s);
    spdhg_status status = spd_solver_start_low(s, err);
    if (status == SPDHG_OK && s->expects && !s->has_run && s->options.tol > 0) status = look_at_start(s, err);
    if (status == SPDHG_OK && s->outcome == SPDHG_OUTCOME_DONE) status = run_plan(s, err);
    if (status == SPDHG_OK) status = spd_solver_finish(s, err);
    spd_outcome_conclude(s);
    describe(s);
    if (status == SPDHG_OK) status = spd_data_good(s->problem->data, err);
    if (status == SPDHG_OK && outcome) *outcome = s->outcome;
    return status;
}

spdhg_status spdhg_solver_run(spdhg_solver *s, spdhg_outcome *outcome, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    int lock = -1;
    const bool locks = s->options.checkpoint && spdhg_ranks_rank(s->options.ranks) == 0;
    spdhg_status status = locks ? spd_checkpoint_lock(s->options.checkpoint, &lock, err) : SPDHG_OK;
    if (status == SPDHG_OK) status = run(s, outcome, err);
    if (locks) spd_checkpoint_unlock(s->options.checkpoint, lock);
    return spd_ranks_settle(s->options.ranks, status, err);
}

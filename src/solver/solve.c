/* solve.c - from a plan to an answer: its stages one after the other, each by the loop of run.c; then the exact zeros and last
 * digits of the answer, and what is said of it. */
#include "solver/loop.h"

static spdhg_status open_checkpoint(const spdhg_solver *s, spd_checkpoint *saved, spdhg_error *err) {
    bool previous;
    SPD_TRY(spd_loop_open(s, saved, &previous, err));
    if (previous) spd_loop_log((void *)(uintptr_t)s, "the checkpoint is damaged; going on from the one before it");
    return SPDHG_OK;
}

/* Where nothing else was asked for, an exact solver starts far along the directions that f never rises along. */
static void start_far(spdhg_solver *s) {
    const double *push = s->evaluator.certifier.push;
    const spd_solver_kind *last = s->plan.stage[s->plan.stages - 1].kind;
    if (!push || !last->exact || s->compared || s->has_run || s->options.resume || spd_max_abs(s->problem->dK, s->x) > 0) return;
    memcpy(s->x, push, (size_t)s->problem->dK * sizeof *push);
    if (s->evaluator.certifier.unattained)
        spd_loop_log(s, "some coefficients may grow without end: no minimiser exists, only an infimum");
}

/* Of those that are left: the last stage takes them all if a number was asked for. */
static double epochs_of_stage(const spdhg_solver *s, int stage, double left) {
    const double planned = s->plan.stage[stage].epochs;
    if (stage + 1 < s->plan.stages && planned > 0) return fmin(planned, left);
    return isfinite(left) ? left : planned;
}

static spdhg_status run_plan(spdhg_solver *s, spdhg_error *err) {
    spd_loop loop = {.solver = s, .saved_at = s->started};
    spd_checkpoint saved = {0};
    spdhg_status status = s->options.resume ? open_checkpoint(s, &saved, err) : SPDHG_OK;
    const int first = (int)saved.stage;
    for (int i = first; i < s->plan.stages && status == SPDHG_OK && s->outcome == SPDHG_OUTCOME_DONE; i++) {
        const double left = s->options.epochs > 0 ? s->options.epochs - loop.epochs_before : INFINITY;
        if (left <= 0 || (i > first && spd_limits_reached(s))) { /* the stages before have used them up */
            if (s->options.tol > 0) s->outcome = SPDHG_OUTCOME_LIMIT;
            if (s->ended == SPD_CALLED_OFF) s->outcome = SPDHG_OUTCOME_INTERRUPTED;
            break;
        }
        loop.stage = i;
        status = spd_loop_stage(&loop, epochs_of_stage(s, i, left), &saved, err);
    }
    spd_checkpoint_free(&saved);
    return status;
}

static spdhg_status polish(spdhg_solver *s, spdhg_error *err) {
    const spd_solver_kind *last = s->has_run ? spd_solver_find(s->solution.solver) : NULL;
    spd_limits_grant(s);
    if (last && (last->exact || s->plan.stages > 1)) SPD_TRY(spd_solver_snap(s, err));
    if (last && last->exact) SPD_TRY(spd_solver_face(s, err));
    return SPDHG_OK;
}

/* The outcome, once the answer is final: polishing may have proven what the steps had not. A run that its caller stopped stays so.
 * Within a radius will do: more cannot be had any more. */
static void conclude(spdhg_solver *s) {
    const bool open = s->outcome == SPDHG_OUTCOME_DONE || s->outcome == SPDHG_OUTCOME_LIMIT || s->outcome == SPDHG_OUTCOME_STALLED;
    if (open && s->has_run && s->options.tol > 0 && s->solution.gap_relative <= s->options.tol) s->outcome = SPDHG_OUTCOME_CONVERGED;
    if (s->outcome == SPDHG_OUTCOME_CONVERGED && s->evaluator.certifier.unattained) s->outcome = SPDHG_OUTCOME_INFIMUM;
    if (s->may_miss && (s->outcome == SPDHG_OUTCOME_LIMIT || s->outcome == SPDHG_OUTCOME_STALLED)) s->outcome = SPDHG_OUTCOME_DONE;
}

static void describe(spdhg_solver *s) {
    spdhg_solution *a = &s->solution;
    const bool strong = s->problem->gamma > 0 && s->evaluator.gap.kind == SPD_GAP_CERTIFIED;
    a->structure_nonzeros = spd_evaluate_structure_nonzeros(&s->evaluator, s->x);
    a->x_radius = strong ? spd_evaluate_radius(&s->evaluator, s->x, a->objective) : NAN;
    a->certified_signs = strong ? spd_evaluate_signs(&s->evaluator, s->x, a->x_radius) : 0;
    a->nonzeros = spd_count_nonzero(s->problem->dK, s->x);
}

spdhg_status spdhg_solver_run(spdhg_solver *s, spdhg_outcome *outcome, spdhg_error *err) {
    spd_limits_start(s);
    s->outcome = SPDHG_OUTCOME_DONE;
    spd_trace_clear(&s->trace);
    s->evaluator.certifier.best_dual = -INFINITY; /* lambda may have changed */
    if (s->plan.why[0]) spd_loop_log(s, s->plan.why);
    start_far(s);
    spdhg_status status = run_plan(s, err);
    if (status == SPDHG_OK) status = polish(s, err);
    conclude(s);
    describe(s);
    if (status == SPDHG_OK && outcome) *outcome = s->outcome;
    return status;
}

/* solve.c - from a plan to an answer: runs the stages one after the other in the loop of run.c, then finds the exact zeros and
 * last digits of the answer and concludes its outcome. */
#include "run/loop.h"

static spdhg_status open_checkpoint(const spdhg_solver *s, spd_checkpoint *saved, spdhg_error *err) {
    bool previous;
    SPD_TRY(spd_loop_open(s, saved, &previous, err));
    if (previous) spd_loop_log((void *)(uintptr_t)s, "the checkpoint is damaged; continuing from the previous one");
    return SPDHG_OK;
}

/* Epochs for a stage out of those left: the last stage takes all if the caller gave a number. */
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
        if (left <= 0 || (i > first && spd_limits_reached(s))) { /* the earlier stages have used them up */
            s->outcome = spd_outcome_of_rest(s);
            break;
        }
        loop.stage = i;
        status = spd_loop_stage(&loop, epochs_of_stage(s, i, left), &saved, err);
        if (s->outcome == SPDHG_OUTCOME_DIVERGED && s->has_run && i + 1 < s->plan.stages) s->outcome = SPDHG_OUTCOME_DONE;
    }
    spd_checkpoint_free(&saved);
    return status;
}

static void describe(spdhg_solver *s) {
    spdhg_solution *a = &s->solution;
    const bool strong = s->problem->gamma > 0 && s->evaluator.gap.kind == SPD_GAP_CERTIFIED;
    a->structure_nonzeros = spd_evaluate_structure_nonzeros(&s->evaluator, s->x);
    a->x_radius = strong ? spd_evaluate_radius(&s->evaluator, s->x) : NAN;
    a->certified_signs = strong ? spd_evaluate_signs(&s->evaluator, s->x, a->x_radius) : 0;
    a->nonzeros = spd_count_nonzero(s->problem->dK, s->x);
}

spdhg_status spdhg_solver_run(spdhg_solver *s, spdhg_outcome *outcome, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spd_limits_start(s);
    s->outcome = SPDHG_OUTCOME_DONE;
    spd_trace_clear(&s->trace);
    s->evaluator.certifier.best_dual = -INFINITY; /* lambda may have changed */
    if (s->plan.why[0]) spd_loop_log(s, s->plan.why);
    spd_solver_start_far(s);
    spdhg_status status = run_plan(s, err);
    if (status == SPDHG_OK) status = spd_solver_finish(s, err);
    spd_outcome_conclude(s);
    describe(s);
    if (status == SPDHG_OK && outcome) *outcome = s->outcome;
    return status;
}

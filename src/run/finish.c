/* finish.c - the end of a run: decides whether exact zeros and last digits of the answer (face/answer.h) are kept. They are kept
 * if f does not rise, so that the gap does not either. After a method that is not exact they are also kept where f rises but the
 * answer is still proven to the tolerance: of two good enough answers the one with zeros is preferred. */
#include "face/answer.h"
#include "run/loop.h"

static const double SAME_VALUE = 4e-15; /* relative: objectives closer than this differ by rounding only */

/* Whether the point just evaluated is proven to the tolerance; was_proven: whether the answer so far is. */
static bool is_proven(const spdhg_solver *s, const spdhg_point *point) {
    return s->evaluator.gap.kind == SPD_GAP_CERTIFIED && spd_evaluate_relative(&s->evaluator, point) <= s->options.tol;
}

static bool was_proven(const spdhg_solver *s) {
    return strcmp(s->solution.gap_kind, spd_gap_kind_name(SPD_GAP_CERTIFIED)) == 0 && s->solution.gap_relative <= s->options.tol;
}

static bool good_enough(const spdhg_solver *s, const spdhg_point *point) {
    return !spd_solver_find(s->solution.solver)->exact && s->outcome == SPDHG_OUTCOME_CONVERGED && is_proven(s, point);
}

static spdhg_status propose(void *context, const double *x, double *c, bool *kept, spdhg_error *err) {
    spdhg_solver *s = context;
    const spdhg_point before = s->trace.point[s->trace.points - 1];
    spdhg_point point = before;
    spd_evaluate(&s->evaluator, x, c, s->y, &point);
    *kept = point.objective <= before.objective + SAME_VALUE * fabs(before.objective) || good_enough(s, &point);
    *kept = *kept && (is_proven(s, &point) || !was_proven(s)); /* last digits are not worth the loss of a proof */
    if (!*kept) return SPDHG_OK;
    spd_solver_keep(s, spd_solver_find(s->solution.solver), x, c, s->y, &point);
    return spd_trace_add(&s->trace, &point, err);
}

/* Evaluates the solution again, because the evaluator still describes the last trial. */
static void keep_old(void *context, double *c) {
    spdhg_solver *s = context;
    spdhg_point point = s->trace.point[s->trace.points - 1];
    memcpy(c, s->c, (size_t)s->problem->K * sizeof *c);
    spd_evaluate(&s->evaluator, s->x, c, s->y, &point);
    s->evaluator.evaluation.c = s->c; /* c is the caller's scratch */
}

spdhg_status spd_solver_finish(spdhg_solver *s, spdhg_error *err) {
    const spd_solver_kind *last = s->has_run ? spd_solver_find(s->solution.solver) : NULL;
    const bool close =
        s->outcome == SPDHG_OUTCOME_CONVERGED || s->outcome == SPDHG_OUTCOME_STALLED; /* not after a run that was cut short */
    const spd_answer answer = {.p = s->problem,
                               .threads = s->threads,
                               .x = s->x,
                               .c = s->c,
                               .y = s->y,
                               .passes = s->solution.epochs,
                               .factors = last && last->hessian ? (double)s->solution.iterations : 0,
                               .stop = &s->stop,
                               .propose = propose,
                               .keep_old = keep_old,
                               .context = s};
    if (!last || s->trace.points == 0) return SPDHG_OK;
    spd_limits_grant(s);
    if (last->exact || s->plan.stages > 1) SPD_TRY(spd_answer_exact_zeros(&answer, err));
    const bool smooth = !spd_problem_has_corners(s->problem); /* digits by Newton's method need slopes */
    return last->exact && close && smooth && !s->settled ? spd_answer_last_digits(&answer, s->options.tol, err) : SPDHG_OK;
}

/* outcome.c - the only place that decides what a run has achieved and whether it continues, from the result of the last step, the
 * proven gap, the options and the limits (limits.c). */
#include "run/loop.h"

bool spd_outcome_is_last(const spd_loop *l) {
    const spd_plan *plan = &l->solver->plan;
    const spd_rescue rescue = plan->stage[l->stage].rescue;
    const bool handed_over = l->said == SPD_GIVES_UP || (l->said == SPD_STALLED && rescue == SPD_RELIEVED);
    return l->stage + 1 == plan->stages || (rescue != SPD_ALONE && !handed_over);
}

/* A point counts as diverged if it is that many times further above the least loss than the start and x = 0 are. A run can
 * recover from FAR, but not end there; it cannot recover from HOPELESS. */
static const double FAR = 1e4, HOPELESS = 1e12;

static bool above_start(const spd_loop *l, double objective, double times) {
    const spdhg_solver *s = l->solver;
    const spd_certifier *c = &s->evaluator.certifier;
    if (s->trace.points == 0) return false; /* the start itself, which may be far above f(0) if 0 is not in X */
    const spd_gap *gap = &s->evaluator.gap; /* of this point: if f is nowhere in X below half of it, it is not astray */
    if (gap->kind == SPD_GAP_CERTIFIED && gap->gap < 0.5 * (objective - c->least)) return false;
    const double first = s->trace.point[0].objective;
    const double start = fmax(isfinite(first) ? first : c->start_value, c->start_value) - c->least;
    return objective - c->least > times * fmax(start, c->reference);
}

bool spd_outcome_far(const spd_loop *l, double objective) { return above_start(l, objective, FAR); }
bool spd_outcome_hopeless(const spd_loop *l, double objective) {
    return !isfinite(objective) || above_start(l, objective, HOPELESS);
}

/* The answer so far is proven to the tolerance, but only among the points within its radius. */
static bool only_within_radius(const spdhg_solver *s) {
    return s->has_run && !isnan(s->solution.gap_radius) && s->solution.gap_relative <= s->options.tol;
}

/* A rescue looks for more than is known of the answer it began with. A lower f alone is not more: at twins, two columns that
 * differ by rounding, f falls by less than was proven, and what of it is proven is luck. It is more if the point is proven for
 * all x, or as much within a radius as large, or lies below everything within the radius. */
bool spd_outcome_astray(const spd_loop *l, double objective) {
    const spdhg_solver *s = l->solver;
    const spdhg_solution *a = &s->solution;
    const spd_gap *gap = &s->evaluator.gap;
    if (l->stage == 0 || s->plan.stage[l->stage - 1].rescue == SPD_ALONE) return false;
    if (objective > a->objective + s->options.tol * fabs(a->objective)) return true;
    if (!only_within_radius(s) || objective < a->objective - a->gap) return false;
    const double wanted = s->options.tol * spd_gap_scale(&s->evaluator.certifier, objective);
    return gap->kind == SPD_GAP_CERTIFIED       ? gap->gap > wanted
           : gap->kind == SPD_GAP_WITHIN_RADIUS ? gap->gap > a->gap || gap->radius < a->gap_radius
                                                : true;
}

/* The start is proven for all x to the tolerance. The steps of an exact solver do not follow it closely, and might only lose it.
 * Along a path the start is the answer for another lambda: steps bring its last digits. */
bool spd_outcome_starts_well(const spd_loop *l) {
    const spdhg_solver *s = l->solver;
    return l->run.kind->exact && !s->compared && !s->keeps && !l->thin && !l->astray && s->options.tol > 0 &&
           s->evaluator.gap.kind == SPD_GAP_CERTIFIED && s->solution.gap_relative <= s->options.tol;
}

spdhg_outcome spd_outcome_of_kept(const spd_loop *l) {
    const spdhg_solver *s = l->solver;
    const bool wants_gap = s->options.tol > 0, last = l->stage + 1 == s->plan.stages,
               rescue = last && l->stage > 0 && s->plan.stage[l->stage - 1].rescue != SPD_ALONE;
    if (s->has_run && wants_gap && s->solution.gap_relative <= s->options.tol) return SPDHG_OUTCOME_CONVERGED;
    if (s->has_run && rescue) return wants_gap ? SPDHG_OUTCOME_STALLED : SPDHG_OUTCOME_DONE;
    return SPDHG_OUTCOME_DIVERGED;
}

spdhg_outcome spd_outcome_of_stage(const spd_loop *l, bool over) {
    const spdhg_solver *s = l->solver;
    const spd_step said = l->said;
    const bool wants_gap = s->options.tol > 0, last = spd_outcome_is_last(l); /* an earlier stage passes its result on */
    if (s->ended == SPD_CALLED_OFF) return SPDHG_OUTCOME_INTERRUPTED;
    if (said == SPD_FAILED || (over && last && l->far)) return spd_outcome_of_kept(l);
    const bool small = wants_gap && s->solution.gap_relative <= s->options.tol, certified = isnan(s->solution.gap_radius),
               more = spd_certifier_may_prove(&s->evaluator.certifier);
    if (small && (certified || !more || (over && last)))
        return SPDHG_OUTCOME_CONVERGED; /* within a radius: only if no better proof is possible */
    if ((said == SPD_STALLED || said == SPD_GIVES_UP) && wants_gap && last) return SPDHG_OUTCOME_STALLED;
    return over && wants_gap && last ? SPDHG_OUTCOME_LIMIT : SPDHG_OUTCOME_DONE;
}

spdhg_outcome spd_outcome_of_rest(const spdhg_solver *s) {
    if (s->ended == SPD_CALLED_OFF) return SPDHG_OUTCOME_INTERRUPTED;
    return s->options.tol > 0 ? SPDHG_OUTCOME_LIMIT : s->outcome;
}

bool spd_outcome_is_open(spdhg_outcome outcome) {
    return outcome == SPDHG_OUTCOME_DONE || outcome == SPDHG_OUTCOME_LIMIT || outcome == SPDHG_OUTCOME_STALLED;
}

void spd_outcome_conclude(spdhg_solver *s) {
    if (spd_outcome_is_open(s->outcome) && s->has_run && s->options.tol > 0 && s->solution.gap_relative <= s->options.tol)
        s->outcome = SPDHG_OUTCOME_CONVERGED;
    if (s->outcome == SPDHG_OUTCOME_CONVERGED && s->evaluator.recession.unattained) s->outcome = SPDHG_OUTCOME_INFIMUM;
    if (s->may_miss && (s->outcome == SPDHG_OUTCOME_LIMIT || s->outcome == SPDHG_OUTCOME_STALLED))
        s->outcome = SPDHG_OUTCOME_DONE;
}

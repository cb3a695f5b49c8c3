/* infimum.c - runs whose f falls for ever along some direction (recession.h): they start far along it, or, where the iterate of
 * an exact solver has every row on its right side, end there, instead of Newton's walk by about 1 a step. */
#include "recession/recession.h"
#include "run/loop.h"

static const double ZERO = 1e-13; /* of f(0): more than this f is not, what rounding leaves of F u included */

void spd_solver_start_far(spdhg_solver *s) {
    const double *push = s->evaluator.recession.push;
    const spd_solver_kind *last = s->plan.stage[s->plan.stages - 1].kind;
    if (!push || !last->exact || s->compared || s->has_run || s->options.resume || spd_max_abs(s->problem->dK, s->x) > 0) return;
    memcpy(s->x, push, (size_t)s->problem->dK * sizeof *push);
    if (s->evaluator.recession.unattained)
        spd_loop_log(s, "some coefficients may grow without end: no minimiser exists, only an infimum");
}

/* The loss of every row is below log 2. */
static bool all_right(const spdhg_solver *s) {
    const spdhg_problem *p = s->problem;
    for (int64_t i = 0; i < p->n; i++)
        if (spd_problem_weight(p, i) > 0 && !(fabs(s->evaluator.slope[i]) < 0.5)) return false;
    return true;
}

static bool worth_a_try(const spd_loop *l, spdhg_outcome outcome) {
    const spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    return spd_outcome_is_open(outcome) && p->gamma == 0 && p->loss->value && spd_problem_falls(p) && p->set.kind->whole &&
           l->run.kind->exact && !s->compared && !l->thin && s->evaluator.certifier.identity < 0 &&
           all_right(s); /* F = identity: u = 0 */
}

/* (u, c) evaluated, and kept if that is the proof: f there against 0. y is 0. */
static spdhg_status go_far(spd_loop *l, const double *u, double *c, const double *y, spdhg_outcome *outcome, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    spdhg_point point = s->trace.point[s->trace.points - 1];
    s->evaluator.certifier.worth = INFINITY;
    spd_evaluate(&s->evaluator, u, c, y, &point);
    l->run.seen = (spd_seen){0}; /* it was of the iterate */
    if (!(point.objective <= fmin(s->solution.objective, ZERO * s->evaluator.certifier.start_value))) {
        memcpy(c, s->c, sizeof *c);
        spd_evaluate(&s->evaluator, s->x, c, s->y, &point); /* as it was */
        s->evaluator.seen.c = s->c;
        return SPDHG_OK;
    }
    *outcome = SPDHG_OUTCOME_CONVERGED;
    s->evaluator.recession.unattained = true;
    spd_solver_keep(s, l->run.kind, u, c, y, &point);
    return spd_trace_add(&s->trace, &point, err);
}

spdhg_status spd_loop_separate(spd_loop *l, spdhg_outcome *outcome, spdhg_error *err) {
    const spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    if (!worth_a_try(l, *outcome)) return SPDHG_OK;
    double *u = SPD_NEW(double, p->d), *y = SPD_NEW(double, p->m), c = 0;
    bool found = false;
    spdhg_status status = u && y ? spd_recession_separate(p, s->threads, s->x, u, &c, &found, err)
                                 : spd_fail_memory(err, 8.0 * (double)(p->d + p->m));
    if (status == SPDHG_OK && found) status = go_far(l, u, &c, y, outcome, err);
    spd_free(u);
    spd_free(y);
    return status;
}

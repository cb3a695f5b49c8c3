/* infimum.c - problems whose f keeps falling along some direction (recession.h). The run starts far along that direction or, once
 * the iterate of an exact solver has every row on its right side, jumps there and ends. Newton's method would advance by only
 * about 1 a step. */
#include "recession/recession.h"
#include "run/loop.h"

static const double ZERO = 1e-13; /* relative to f(0): f counts as 0 up to this, which covers the rounding errors in F u */

void spd_solver_start_far(spdhg_solver *s) {
    const double *push = s->evaluator.recession.push;
    const spd_solver_kind *last = s->plan.stage[s->plan.stages - 1].kind;
    if (!push || !last->exact || s->compared || s->has_run || s->options.resume || spd_max_abs(s->problem->dK, s->x) > 0) return;
    memcpy(s->x, push, (size_t)s->problem->dK * sizeof *push);
    s->problem->set.kind->project(s->problem->dK, s->problem->set.arg, s->x, NULL); /* sides away from 0 */
    if (s->evaluator.recession.unattained)
        spd_loop_log(s, "some coefficients may grow without end: no minimiser exists, only an infimum");
}

/* Whether the loss of every row is below log 2. */
static bool all_right(const spdhg_solver *s) {
    const spdhg_problem *p = s->problem;
    for (int64_t i = 0; i < p->n; i++)
        if (spd_problem_weight(p, i) > 0 && !(spd_max_abs(p->K, s->evaluator.slope + i * p->K) < 0.5)) return false;
    return true;
}

static bool worth_a_try(const spd_loop *l, spdhg_outcome outcome) {
    const spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    return spd_outcome_is_open(outcome) && p->gamma == 0 && (p->K == 1 || !p->loss->value) && spd_problem_falls(p) &&
           p->set.kind->whole && l->run.kind->exact && !s->compared && !l->thin && !s->evaluator.certifier.absorbs &&
           all_right(s); /* where rows of F absorb: u = 0 */
}

/* Evaluates (u, c) and keeps it if f there proves the infimum 0. y is 0. */
static spdhg_status go_far(spd_loop *l, const double *u, double *c, const double *y, spdhg_outcome *outcome, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    spdhg_point point = s->trace.point[s->trace.points - 1];
    s->evaluator.certifier.worth = INFINITY;
    spd_evaluate(&s->evaluator, u, c, y, &point);
    l->run.evaluation = (spd_evaluation){0}; /* it belonged to the iterate */
    if (!(point.objective <= fmin(s->solution.objective, ZERO * s->evaluator.certifier.start_value))) {
        memcpy(c, s->c, (size_t)s->problem->K * sizeof *c);
        spd_evaluate(&s->evaluator, s->x, c, s->y, &point); /* restores the evaluation */
        s->evaluator.evaluation.c = s->c;
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
    double *u = SPD_NEW(double, p->dK), *y = SPD_NEW(double, p->m * p->K), *c = SPD_NEW(double, p->K);
    bool found = false;
    if (c) memcpy(c, s->c, (size_t)p->K * sizeof *c);
    spdhg_status status = u && y && c ? spd_recession_separate(p, s->threads, s->x, u, c, &found, err)
                                      : spd_fail_memory(err, 8.0 * (double)((p->d + p->m + 1) * p->K));
    if (status == SPDHG_OK && found) status = go_far(l, u, c, y, outcome, err);
    SPD_FREE_ALL(u, y, c);
    return status;
}

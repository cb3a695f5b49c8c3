/* proof_budget.c - what the proof at a point of a run may cost, and what it may use: the solver's Hessian, and the decrease of f
 * so far. Far from the end of a run to a tolerance, a proof that needs a factorisation does not pay. */
#include "run/loop.h"

static const double COMPARED_WORTH = 1e-3; /* relative gap: the optimum is known, most points are far from it */
static const double RUN_WORTH = 1e3;       /* multiples of the tolerance */

void spd_loop_proof_budget(spd_loop *l, bool final) {
    const spdhg_solver *s = l->solver;
    const spd_solver_kind *kind = l->run.kind;
    const int64_t points = s->trace.points;
    const spdhg_point *point = s->trace.point;
    spd_certifier *c = &l->solver->evaluator.certifier;
    const bool before_the_end = s->options.tol > 0 && kind->exact && !final;
    c->worth = s->compared ? COMPARED_WORTH : before_the_end ? RUN_WORTH * s->options.tol : INFINITY;
    c->enough = s->options.tol;
    c->refines = s->options.tol > 0 && (final || l->said != SPD_CONTINUE); /* the stage can do no more */
    c->factored = false; /* it belongs to another point, and after an interruption it may not exist */
    c->lent = kind->hessian && !l->thin ? kind->hessian(&l->run, &c->lent_curve) : NULL;
    c->last = points > 0 ? point[points - 1].objective : NAN;
    c->fall = points > 1 ? point[points - 2].objective - point[points - 1].objective : NAN;
}

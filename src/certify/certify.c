/* certify.c - the gap at a point. Where it is not small enough, f is recomputed in twice the precision, another alpha is tried,
 * and then another certifier: it leaves all of v to alpha, or takes R^d for a bounded X. */
#include "certify/certify.h"

static const double GAINED = 0.5; /* a gap reduced to this part, or less, is worth twice the precision */

static void start_from_slopes(spd_certifier *c, const spd_trial *at) {
    const spdhg_problem *p = c->problem;
    spd_problem_losses(p, c->threads, &(spd_scores){.z = at->z}, c->alpha, NULL, c->work);
}

/* Where the step of Newton's method begins: at the solver's y; there, with y kept at the sides of its ball, which rounding of F x
 * or an x that the loss hardly holds may have mistaken; or at y = 0, where a smaller y than the solver's will do, and is rounded
 * less. */
typedef enum spd_way { MOVED, STILL, FRESH, WAYS } spd_way;

/* The gap that the step proves; INFINITY: none. */
static double step_from_slopes(spd_certifier *c, const spd_trial *at, const double *y, spd_way way) {
    const spdhg_problem *p = c->problem;
    spd_repair r = {0};
    start_from_slopes(c, at);
    for (int64_t i = 0; i < p->n && c->forced; i++)
        if (c->forced[i]) c->alpha[i] = 0;
    for (int64_t e = 0; e < p->m * p->K; e++) c->y[e] = way == FRESH ? 0 : y[e];
    const bool found = spd_dual_newton(c, at, way == STILL) && spd_dual_inside(c, at->x) &&
                       (!c->exact || spd_dual_without_ridge(c, at->x, at->z, 0));
    const double gap = found ? spd_dual_prove(c, at, 0, true, &r) : INFINITY;
    c->gradient = false;
    return gap;
}

/* alpha = phi'(z) is not good enough, but another alpha may be. */
static void refine_dual(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out) {
    const double before = out->kind == SPD_GAP_CERTIFIED ? out->gap : INFINITY,
                 wanted = c->enough * spd_gap_scale(c, at->objective);
    double gap = INFINITY;
    spd_way best = MOVED, last = MOVED;
    for (spd_way way = MOVED; way < WAYS && !(gap <= wanted); way++) {
        const double found = step_from_slopes(c, at, y, last = way);
        best = found < gap ? way : best;
        gap = fmin(gap, found);
    }
    if (gap < before) {
        if (best != last) step_from_slopes(c, at, y, best);
        out->kind = SPD_GAP_CERTIFIED;
        out->gap = gap;
        out->radius = NAN;
        out->source = SPD_GAP_BY_POINT;
        return;
    }
    start_from_slopes(c, at);
    spd_dual_gap_at(c, at, y, out);
}

/* At a corner of the loss phi'(z) says nothing: f in twice the precision is held against the best dual point so far, or against
 * the least loss. Without a gain the best dual point still proves what was proven: gap.c keeps it
 * at every point of such a loss. */
static void best_finely(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out) {
    const bool known = c->best_dual > -INFINITY, slopes = c->slopes;
    spd_trial fine;
    spd_gap found;
    if (!spd_fine_trial_make(c, at, &fine)) return;
    if (known) spd_dual_recall(c, c->best_alpha, c->best_dual_y);
    c->slopes = slopes && !known;
    spd_dual_gap_at(c, &fine, known ? c->best_dual_y : y, &found);
    c->slopes = slopes;
    if (found.kind == SPD_GAP_CERTIFIED && (out->kind != SPD_GAP_CERTIFIED || found.gap < GAINED * out->gap))
        *out = found;
    else if (known && out->kind == SPD_GAP_CERTIFIED && out->source == SPD_GAP_BY_POINT)
        out->source = SPD_GAP_BY_BEST;
    else if (slopes) {
        start_from_slopes(c, at);
        spd_dual_gap_at(c, at, y, out);
    }
}

/* A better alpha for the rows at their corners, from the best dual point so far. */
static void refine_corners(spd_certifier *c, const spd_trial *at, spd_gap *out) {
    spd_trial fine;
    spd_repair r = {0};
    if (!(c->best_dual > -INFINITY) || !spd_fine_trial_make(c, at, &fine)) return;
    spd_dual_recall(c, c->best_alpha, c->best_dual_y);
    const bool found = spd_dual_newton(c, &fine, false) && spd_dual_inside(c, at->x) &&
                       (!c->exact || spd_dual_without_ridge(c, at->x, fine.z, 0));
    const double gap = found ? spd_dual_prove(c, &fine, 0, true, &r) : INFINITY;
    if (gap < (out->kind == SPD_GAP_CERTIFIED ? out->gap : INFINITY)) {
        *out = (spd_gap){.kind = SPD_GAP_CERTIFIED,
                         .gap = gap,
                         .radius = NAN,
                         .source = SPD_GAP_BY_POINT,
                         .objective = fine.objective,
                         .loss = fine.loss,
                         .penalty = fine.penalty};
        return;
    }
    spd_dual_recall(c, c->best_alpha, c->best_dual_y);
    if (out->kind == SPD_GAP_CERTIFIED && out->source == SPD_GAP_BY_POINT) out->source = SPD_GAP_BY_BEST;
}

/* If rounding of f dominates the gap, f is recomputed in twice the precision, and with it alpha = phi'(z). A small gain is
 * discarded, so that the objective stays as it was. */
static void certify_here(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out) {
    const double error = spd_dual_gap_at(c, at, y, out), wanted = c->enough * spd_gap_scale(c, at->objective);
    const bool refines = c->refines && spd_dual_newton_may(c);
    const spd_gap before = *out;
    spd_trial fine;
    if (spd_problem_has_corners(c->problem)) {
        const bool certified = out->kind == SPD_GAP_CERTIFIED;
        if (!(certified && (out->gap <= wanted || error <= SPD_GAP_SHARE * out->gap))) best_finely(c, at, y, out);
        if (refines && !(out->kind == SPD_GAP_CERTIFIED && out->gap <= wanted)) refine_corners(c, at, out);
        return;
    }
    if (!c->slopes || (out->kind == SPD_GAP_CERTIFIED && out->gap <= wanted) || !(refines || error > SPD_GAP_SHARE * out->gap))
        return;
    if (!spd_fine_trial_make(c, at, &fine)) return;
    if (before.source != SPD_GAP_BY_POINT && !refines) { /* a bound that was known won: it may win again, at no cost */
        spd_dual_gap_at(c, &fine, NULL, out);
        const bool clear = isfinite(c->brackets) && out->gap <= fmin(c->brackets, GAINED * before.gap);
        if (clear || out->gap <= wanted) return;
    }
    start_from_slopes(c, &fine);
    spd_dual_gap_at(c, &fine, y, out);
    if (refines && !(out->kind == SPD_GAP_CERTIFIED && out->gap <= wanted)) refine_dual(c, &fine, y, out);
    if (out->gap < GAINED * before.gap || (out->kind == SPD_GAP_CERTIFIED && before.kind != SPD_GAP_CERTIFIED)) return;
    start_from_slopes(c, at);
    spd_dual_gap_at(c, at, y, out);
}

/* Whether rows of F are part of the routes, and a matrix for all columns is small. */
static bool may_leave_all(const spd_certifier *c) {
    return c->exact && !c->only_alpha && !c->routes.row && c->routes.bases < c->problem->d && spd_dual_newton_may(c);
}

/* Where X is bounded, without ridge, v_j costs as much as X is wide: too much where rounding v_j of 1e140 leaves 1e107. A bound for
 * X = R^d, where v is repaired to 0, is one for X too. */
static bool may_widen(const spd_certifier *c) {
    return !c->exact && !c->asked && c->problem->gamma == 0 && !c->problem->set.kind->whole && spd_dual_newton_may(c);
}

static spdhg_status make_other(spd_certifier *other, const spd_certifier *c, spdhg_error *err) {
    if (c->exact) return spd_certifier_new(other, c->problem, c->threads, c->forced, true, err);
    spdhg_problem *wide = SPD_NEW(spdhg_problem, 1);
    if (!wide) return spd_fail_memory(err, sizeof *wide);
    *wide = *c->problem;
    wide->set = spd_set_whole();
    const spdhg_status status = spd_certifier_new(other, wide, c->threads, NULL, false, err);
    if (status != SPDHG_OK) spd_free(wide);
    other->wide = status == SPDHG_OK ? wide : NULL;
    other->asked = c->problem;
    return status;
}

static spd_certifier *other_of(spd_certifier *c) {
    spdhg_error err;
    if (c->other || !(may_leave_all(c) || may_widen(c))) return c->other;
    spd_certifier *other = SPD_NEW(spd_certifier, 1);
    if (other && make_other(other, c, &err) != SPDHG_OK) {
        spd_free(other);
        other = NULL;
    }
    return c->other = other;
}

bool spd_certifier_may_prove(const spd_certifier *c) {
    return !c->exact || c->base.n == 0 || (c->base.G && !c->base.hopeless) || (!c->tried && may_leave_all(c));
}

/* The other certifier takes the place of c, with the better of the two lower bounds. */
static void change_places(spd_certifier *c, spd_certifier *other) {
    const spdhg_problem *p = c->problem;
    const int64_t numbers = p->n * p->K + p->m * p->K;
    if (c->best_dual > other->best_dual) {
        other->best_dual = c->best_dual;
        memcpy(other->best_alpha, c->best_alpha, (size_t)numbers * sizeof *c->best_alpha);
    }
    spd_balance_free(&c->balance); /* made anew when needed: it points into its certifier */
    spd_balance_free(&other->balance);
    const spd_certifier before = *c;
    *c = *other;
    *other = before;
    c->other = other;
    other->other = NULL;
}

/* What the other certifier needs to judge the same point. corners: alpha is that of the best dual point. */
static void prepare_other(const spd_certifier *c, spd_certifier *other, const spd_trial *at, bool corners) {
    other->tried = true;
    other->stop = c->stop;
    other->best_dual = -INFINITY; /* lambda may have changed since it was computed */
    other->reference = c->reference;
    other->worth = c->worth;
    other->enough = c->enough;
    other->last = c->last;
    other->fall = c->fall;
    other->slopes = !corners;
    other->refines = true;
    other->factored = false;
    other->lent = NULL; /* lent to c; from an earlier exchange it may point to a stage that has ended */
    if (corners)
        memcpy(other->alpha, c->best_alpha, (size_t)(c->problem->n * c->problem->K) * sizeof *c->alpha);
    else
        start_from_slopes(other, at);
}

void spd_certify(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out) {
    certify_here(c, at, y, out);
    const double wanted = c->enough * spd_gap_scale(c, at->objective);
    const bool corners = spd_problem_has_corners(c->problem) && c->best_dual > -INFINITY; /* only the solver knew alpha */
    if ((out->kind == SPD_GAP_CERTIFIED && out->gap <= wanted) || !(c->slopes || corners) || !c->refines) return;
    spd_certifier *other = other_of(c);
    c->tried = true;
    if (!other) return;
    spd_gap found;
    prepare_other(c, other, at, corners);
    certify_here(other, at, corners ? c->best_dual_y : y, &found);
    if (found.kind != SPD_GAP_CERTIFIED || (out->kind == SPD_GAP_CERTIFIED && !(found.gap < out->gap))) return;
    *out = found;
    change_places(c, other);
}

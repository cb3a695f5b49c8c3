/* gap.c - the duality gap, summed bracket by bracket (certify.h) so that nothing cancels, plus what rounding and the repair to an
 * exactly feasible dual point may add. The lower bound that a dual point gives, whatever x is, is computed at a fixed point of X:
 *   f(fixed point) - gap(fixed point)
 * The best such bound is kept. */
#include <float.h>

#include "certify/certify.h"

static const double RADIUS_FACTOR = 10; /* if nothing is proven for all x, the gap is for ||u|| <= 10 ||x|| */
static const double NEAR = 0.01;        /* of the wanted gap: expected f - f* below which a proof is tried early */
static const double SUDDEN = 0.1;       /* relative to the previous decrease: faster than linear convergence */
static const double OUTSIDE = 1e-12;    /* relative to x: the accuracy of a projection */

/* A gap, and how much of it is due to rounding. */
typedef struct sum {
    double gap, rounding;
} sum;

/* Bound on the rounding errors of the losses, the penalty, the ridge, and their sums. */
static double error_of_objective(const spd_certifier *c, const spd_trial *at, bool moved, double first, bool by_rows) {
    const spdhg_problem *p = c->problem;
    return spd_dual_error_of_loss(c, at, moved, first, by_rows) +
           (at->fine ? at->fine->structure : spd_dual_error_of_structure(c, at->x, at->Fx)) +
           spd_dual_error_of_writing(c, at->x, false) +
           spd_rounding((double)(p->dK + p->m * p->K) + 32) * fabs(at->objective - at->loss) +
           4 * DBL_EPSILON * fabs(at->objective) + (double)(p->n + p->m + p->d) * (double)p->K * DBL_MIN;
}

/* The three brackets at a point and their rounding errors. R > 0: within that radius; else for all x. moved: alpha is not
 * phi'(z). */
static sum add_up(spd_certifier *c, const spd_trial *at, const spd_repair *r, double R, bool moved, bool by_rows) {
    const spdhg_problem *p = c->problem;
    const bool counts = moved || isinf(p->kappa); /* else rounding of alpha only contributes u^2 */
    const double first = counts ? spd_dual_fenchel(c, at->z) : 0, third = spd_dual_penalty_bracket(c, at->Fx);
    const double second = R > 0      ? spd_bracket_within_radius(c, at->x, R)
                          : c->exact ? spd_bracket_without_ridge(c, at->x)
                                     : p->set.kind->bracket(p->dK, p->set.arg, p->gamma, at->x, c->v, c->e, c->work);
    const double brackets = first + second + spd_dual_error_of_writing(c, at->x, true) + third;
    const double rounding = error_of_objective(c, at, counts, first, by_rows) + 4 * c->loose * (1 + first) +
                            spd_dual_repair_cost(c, r, at->z, at->loss, at->objective + brackets);
    const double all = brackets + rounding;
    return (sum){.gap = isfinite(all) ? all * (1 + 1e-14) : INFINITY, .rounding = rounding};
}

/* Tries the cheap computation first, then v in twice the precision, then a correction of alpha and y. */
double spd_dual_prove(spd_certifier *c, const spd_trial *at, double R, bool moved, spd_repair *r) {
    const double goal = c->enough * spd_gap_scale(c, at->objective);
    const bool all = c->exact && !(R > 0);
    sum s = {.gap = INFINITY, .rounding = INFINITY};
    c->brackets = INFINITY;
    spd_dual_measure_columns(c);
    for (int round = 0; round < (all ? 3 : 2); round++) {
        if (round == 0) {
            spd_dual_error_of_v(c);
            if (c->low) continue; /* v must be computed in twice the precision */
        } else if (round == 2 && !spd_dual_can_correct(c))
            break;
        else if ((round == 2 && !spd_dual_correct(c, at->z)) || !spd_dual_fine_v(c))
            return INFINITY;
        s = (sum){.gap = INFINITY, .rounding = INFINITY};
        if (!all) spd_dual_repair_intercept(c, r);
        if (all && !spd_dual_repair_all(c, at->x, r)) continue;
        s = add_up(c, at, r, R, moved, round > 0);
        if (s.gap <= goal || s.rounding <= SPD_GAP_SHARE * (s.gap - s.rounding) || R > 0) break;
    }
    c->brackets = isfinite(s.gap) ? s.gap - s.rounding : INFINITY;
    return s.gap;
}

/* Estimate of f - f*. With Newton's method a decrease e of f is followed by d ~ C e^2, and the next one is C d^2 = d (d/e)^2. */
static double left_over(const spd_certifier *c, double objective) {
    const double now = c->last - objective, part = now / c->fall;
    return now > 0 && part > 0 && part < SUDDEN ? now * part * part : INFINITY;
}

static void refresh_v(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    memcpy(c->v, c->g, (size_t)p->dK * sizeof *c->v);
    memcpy(c->v0, c->gc, (size_t)p->K * sizeof *c->v0);
    spd_problem_add_transposed(p, c->y, c->v);
}

/* alpha of the point, balanced, and g. True if it is no longer phi'(z). */
static bool choose_alpha(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    for (int64_t i = 0; i < p->n && c->forced; i++)
        if (c->forced[i]) c->alpha[i] = 0;
    c->low = NULL;
    const bool balanced = p->intercept && spd_dual_balance(c), moved = balanced || c->forced || !c->slopes;
    c->gradient = !moved;
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    return moved;
}

/* y of the point, projected and polished, and v. */
static void choose_y(spd_certifier *c, const spd_trial *at, const double *y) {
    const spdhg_problem *p = c->problem;
    memcpy(c->y, y, (size_t)(p->m * p->K) * sizeof *y);
    spd_problem_project_dual(p, c->y, c->work);
    spd_dual_polish(
        c, 0.5 * p->gamma * spd_dot(p->dK, at->x, at->x) + spd_dot(p->dK, c->g, at->x) + spd_problem_penalty(p, at->Fx, c->work),
        spd_gap_scale(c, at->objective));
    refresh_v(c);
}

/* f at the fixed point of X; lambda may have changed since the last time. */
static spd_trial origin_of(spd_certifier *c) {
    const double penalty = spd_problem_penalty(c->problem, c->origin_Fx, c->work);
    return (spd_trial){.x = c->origin,
                       .z = c->origin_z,
                       .Fx = c->origin_Fx,
                       .loss = c->origin_loss,
                       .penalty = penalty,
                       .objective = c->origin_loss + c->origin_ridge + penalty};
}

/* Keeps the current dual point if the lower bound that it is known to give is the best so far. */
static void keep(spd_certifier *c, double bound) {
    const spdhg_problem *p = c->problem;
    if (!(bound > c->best_dual)) return;
    c->best_dual = bound;
    spd_parallel_copy(c->threads, p->n * p->K, c->alpha, c->best_alpha);
    memcpy(c->best_dual_y, c->y, (size_t)(p->m * p->K) * sizeof *c->y);
}

/* Computes the lower bound of the current dual point, whose repair is r, at the fixed point of X, and keeps it in the same way. known:
 * a bound that this dual point is known to give, or -INFINITY. */
static void keep_best(spd_certifier *c, const spd_repair *r, double known) {
    const spd_trial origin = origin_of(c);
    const double there = nextafter(origin.objective - add_up(c, &origin, r, 0, true, false).gap, -INFINITY);
    keep(c, fmax(there, known));
}

/* The gap for all x. If the system that moves alpha and y is too large to factor, conjugate gradients may leave a larger v than
 * a good y had. The unmoved point is therefore repaired first, and kept if it is better. */
static double prove_everywhere(spd_certifier *c, const spd_trial *at, spd_repair *r) {
    const double goal = c->enough * spd_gap_scale(c, at->objective);
    if (!c->absorbs && !c->M) {
        const double gap = spd_dual_prove(c, at, 0, true, r);
        if (gap <= goal) return gap;
        if (isfinite(gap) && at->objective - gap > c->best_dual) keep_best(c, r, -INFINITY);
    }
    return spd_dual_without_ridge(c, at->x, at->z, 0.1 * goal) ? spd_dual_prove(c, at, 0, true, r) : INFINITY;
}

/* Without ridge or bound, the gap within a radius comes first. It shows whether the costly gap for all x is worth computing. */
static void prove_exactly(spd_certifier *c, const spd_trial *at, bool moved, spd_repair *r, spd_gap *out) {
    const spdhg_problem *p = c->problem;
    const double radius = RADIUS_FACTOR * fmax(spd_norm2(p->dK, at->x), 1e-3);
    const bool judge = c->slopes; /* any other alpha is only tried for all x */
    const double within = judge ? spd_dual_prove(c, at, radius, moved, r) : 0;
    const double scale = spd_gap_scale(c, at->objective);
    const bool worth = within <= c->worth * scale || left_over(c, at->objective) <= NEAR * c->enough * scale;
    if (worth) out->gap = prove_everywhere(c, at, r);
    const bool says_nothing = !(out->gap <= fmax(within, scale)); /* a gap larger than f */
    if (judge && says_nothing) *out = (spd_gap){.kind = SPD_GAP_WITHIN_RADIUS, .gap = within, .radius = radius};
}

bool spd_dual_inside(spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->asked ? c->asked : c->problem;
    memcpy(c->P, x, (size_t)p->dK * sizeof *x);
    p->set.kind->project(p->dK, p->set.arg, c->P, c->work);
    spd_axpy(p->dK, -1, x, c->P);
    return spd_norm2(p->dK, c->P) <= OUTSIDE * spd_norm2(p->dK, x);
}

/* The gap proven by the dual point made from y. Its lower bound is kept if the gap is too large and the run goes on, and if alpha
 * is not phi'(z): only the solver knows it, and other points need the bound later. */
static spd_gap of_this_point(spd_certifier *c, const spd_trial *at, const double *y, double wanted, bool *member) {
    spd_gap out = {.kind = SPD_GAP_CERTIFIED, .gap = INFINITY, .radius = NAN};
    spd_repair r = {0};
    const bool moved = choose_alpha(c);
    if (spd_dual_is_far(c, at)) {
        *member = spd_dual_inside(c, at->x);
        return (spd_gap){.kind = SPD_GAP_NONE, .gap = INFINITY, .radius = NAN};
    }
    choose_y(c, at, y);
    if (c->exact)
        prove_exactly(c, at, moved, &r, &out);
    else
        out.gap = spd_dual_prove(c, at, 0, moved, &r);
    *member = spd_dual_inside(c, at->x);
    if (!isfinite(out.gap) || !*member) return (spd_gap){.kind = SPD_GAP_NONE, .gap = INFINITY, .radius = NAN};
    const double bound = at->objective - out.gap;
    const double known = c->slopes ? -INFINITY : nextafter(bound, -INFINITY);
    if (out.kind == SPD_GAP_CERTIFIED && out.gap <= wanted)
        keep(c, known);
    else if (out.kind == SPD_GAP_CERTIFIED && bound > c->best_dual)
        keep_best(c, &r, known);
    return out;
}

/* The gap proven by the best lower bound so far, or by the losses' least value. *error: the rounding error of f included in
 * it. */
static spd_gap of_best_bound(const spd_certifier *c, const spd_trial *at, double wanted, double *error) {
    const double lowest = c->least - 4 * spd_rounding((double)c->problem->n) * fabs(c->least), known = fmax(c->best_dual, lowest);
    const double rough = error_of_objective(c, at, false, 0, false);
    const bool fine = rough > SPD_GAP_SHARE * fmax(wanted, at->objective - known);
    *error = (fine ? error_of_objective(c, at, false, 0, true) : rough) + 2 * DBL_EPSILON * fabs(known);
    return (spd_gap){.kind = SPD_GAP_CERTIFIED,
                     .gap = fmax(at->objective - known, 0) + *error,
                     .radius = NAN,
                     .source = c->best_dual > lowest ? SPD_GAP_BY_BEST : SPD_GAP_BY_ZERO};
}

double spd_dual_gap_at(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out) {
    const double wanted = c->enough * spd_gap_scale(c, at->objective);
    bool member = true;
    double error = 0;
    c->brackets = y ? INFINITY : c->brackets;
    *out = y ? of_this_point(c, at, y, wanted, &member) : (spd_gap){.kind = SPD_GAP_NONE, .gap = INFINITY, .radius = NAN};
    if (member) {
        const spd_gap best = of_best_bound(c, at, wanted, &error);
        const bool certified = out->kind == SPD_GAP_CERTIFIED;
        const double much = certified ? out->gap : out->gap + error;
        /* A gap for all x is preferred to one within a radius if it is small enough. */
        const bool better = out->kind == SPD_GAP_NONE || best.gap <= much || (!certified && best.gap <= wanted);
        if (isfinite(best.gap) && better) *out = best;
    }
    out->objective = at->objective;
    out->loss = at->loss;
    out->penalty = at->penalty;
    return error;
}

void spd_dual_recall(spd_certifier *c, const double *alpha, const double *y) {
    const spdhg_problem *p = c->problem;
    c->low = NULL; /* it belongs to another alpha */
    c->gradient = false;
    memcpy(c->alpha, alpha, (size_t)(p->n * p->K) * sizeof *alpha);
    memcpy(c->y, y, (size_t)(p->m * p->K) * sizeof *y);
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    refresh_v(c);
}

void spd_certify_known(spd_certifier *c, const double *alpha, const double *y) {
    const spd_trial origin = origin_of(c);
    spd_repair r;
    spd_dual_recall(c, alpha, y);
    if (isfinite(spd_dual_prove(c, &origin, 0, true, &r))) keep_best(c, &r, -INFINITY);
}

/* gap.c - the duality gap, bracket by bracket (certify.h), so that nothing cancels, with what rounding and the way to an exactly
 * feasible dual point may add. The bound that a dual point gives by itself is its gap at a fixed point of X, taken from f there; the
 * best one is kept. */
#include <float.h>

#include "certify/certify.h"

static const double RADIUS_FACTOR = 10; /* where nothing else is possible the statement is about ||u|| <= 10 ||x|| */
static const double NEAR = 0.01;        /* of the gap wanted: what is expected to be left when a proof is tried early */
static const double SUDDEN = 0.1;       /* of the fall before: faster than linear */
static const double OUTSIDE = 1e-12;    /* of x: a projection is this exact */
static const double SHARE = 0.1;        /* of a gap may be rounding before it is bounded more finely */

/* What a dual point is compared with. */
typedef struct point {
    const double *x, *z, *Fx;
    double loss, objective;
} point;

/* A gap, and how much of it is there because numbers are rounded. */
typedef struct sum {
    double gap, rounding;
} sum;

/* h(x) + h*(-v) + v'x at the repaired v: 0 where X has no bound; on the bounded side of a half-line v keeps its sign. */
static double exact_bracket(const spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double total = 0, low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK && (isfinite(low) || isfinite(high)); q++) {
        const double v = isfinite(low) ? c->v[q] : -c->v[q], way = isfinite(low) ? x[q] - low : high - x[q];
        total += fmax(fmax(v - c->e[q], 0) * way, (fmax(v, 0) + c->e[q]) * way);
    }
    return spd_bracket(total * (1 + spd_rounding((double)p->dK + 8)));
}

/* v'x + max over u in X, ||u|| <= R of -v'u. The maximum is at most R ||v||, and at most R ||the part of v that an unbounded side
 * lets grow|| with -v_j side_j for every other coordinate. */
static double radius_bracket(const spd_certifier *c, const double *x, double R) {
    const spdhg_problem *p = c->problem;
    double total = 0, off = 0, size = 0, low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double side = c->v[q] > 0 ? low : high, way = isfinite(side) ? x[q] - side : x[q];
        c->P[q] = spd_dual_excess(p, c->v[q]);
        total += c->v[q] * way;
        size += fabs(c->v[q] * x[q]) + fabs(c->v[q] * way);
        off += c->e[q] * (fabs(x[q]) + fabs(way));
    }
    const double most = fmin(total + R * spd_norm2(p->dK, c->P), spd_dot(p->dK, c->v, x) + R * spd_norm2(p->dK, c->v));
    const double few = spd_rounding((double)p->dK + 16);
    return spd_bracket(most) * (1 + few) + few * size + off + R * spd_norm2(p->dK, c->e);
}

/* Losses, penalty and ridge, and the sums they are parts of. */
static double error_of_objective(const spd_certifier *c, const point *at, double first, bool by_rows) {
    const spdhg_problem *p = c->problem;
    return spd_dual_error_of_loss(c, at->x, at->z, at->loss, first, by_rows) + spd_dual_error_of_structure(c, at->x, at->Fx) +
           spd_rounding((double)(p->dK + p->m * p->K) + 32) * fabs(at->objective - at->loss) +
           4 * DBL_EPSILON * fabs(at->objective) + (double)(p->n + p->m + p->d) * (double)p->K * DBL_MIN;
}

/* The three brackets at a point and their rounding. R > 0: within that radius; else of all x. moved: alpha is not phi'(z). */
static sum add_up(spd_certifier *c, const point *at, const spd_repair *r, double R, bool moved, bool by_rows) {
    const spdhg_problem *p = c->problem;
    const bool counts = moved || isinf(p->kappa); /* else what rounding of alpha makes of it is u^2, and nothing */
    const double first = counts ? spd_dual_fenchel(c, at->z) : 0, third = spd_dual_penalty_bracket(c, at->Fx);
    const double second = R > 0      ? radius_bracket(c, at->x, R)
                          : c->exact ? exact_bracket(c, at->x)
                                     : p->set.kind->bracket(p->dK, p->set.arg, p->gamma, at->x, c->v, c->e, c->work);
    const double brackets = first + second + third;
    const double rounding = error_of_objective(c, at, first, by_rows) + 4 * c->loose * (1 + first) +
                            spd_dual_repair_cost(c, r, at->z, at->loss, at->objective + brackets);
    const double all = brackets + rounding;
    return (sum){.gap = isfinite(all) ? all * (1 + 1e-14) : INFINITY, .rounding = rounding};
}

/* Repair and sum for the alpha and y at hand; v is theirs. What is cheap first. */
static double prove(spd_certifier *c, const point *at, double R, bool moved, spd_repair *r) {
    const double goal = c->enough * fabs(at->objective);
    const bool all = c->exact && !(R > 0);
    sum s = {.gap = INFINITY, .rounding = INFINITY};
    spd_dual_measure_columns(c);
    for (int round = 0; round < (all ? 3 : 2); round++) {
        if (round == 0)
            spd_dual_error_of_v(c);
        else if (round == 2 && !spd_dual_can_correct(c))
            break;
        else if ((round == 2 && !spd_dual_correct(c, at->z)) || !spd_dual_fine_v(c))
            return INFINITY;
        s = (sum){.gap = INFINITY, .rounding = INFINITY};
        if (!all) spd_dual_repair_intercept(c, r);
        if (all && !spd_dual_repair_all(c, r)) continue;
        s = add_up(c, at, r, R, moved, round > 0);
        if (s.gap <= goal || s.rounding <= SHARE * (s.gap - s.rounding) || R > 0) break;
    }
    return s.gap;
}

/* What is probably left of f - f*: where f falls by d after e, as d ~ C e^2 with Newton's method, next by C d^2 = d (d/e)^2. */
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

/* alpha and y of the point: balanced, projected, polished. True if alpha is no longer phi'(z). */
static bool choose_dual(spd_certifier *c, const point *at, const double *y) {
    const spdhg_problem *p = c->problem;
    for (int64_t i = 0; i < p->n && c->forced; i++)
        if (c->forced[i]) c->alpha[i] = 0;
    const bool balanced = p->intercept && spd_dual_balance(c), moved = balanced || c->forced || !c->slopes;
    c->gradient = !moved;
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    memcpy(c->y, y, (size_t)(p->m * p->K) * sizeof *y);
    spd_problem_project_dual(p, c->y, c->work);
    spd_dual_polish(
        c, 0.5 * p->gamma * spd_dot(p->dK, at->x, at->x) + spd_dot(p->dK, c->g, at->x) + spd_problem_penalty(p, at->Fx, c->work),
        fabs(at->objective));
    refresh_v(c);
    return moved;
}

/* f at the fixed point of X; lambda may have changed since the last time. */
static point origin_of(spd_certifier *c) {
    const double penalty = spd_problem_penalty(c->problem, c->origin_Fx, c->work);
    return (point){c->origin, c->origin_z, c->origin_Fx, c->origin_loss, c->origin_loss + c->origin_ridge + penalty};
}

/* The bound of the dual point at hand, whose repair is r, by itself: kept with it if it is the best. */
static void keep_best(spd_certifier *c, const spd_repair *r) {
    const spdhg_problem *p = c->problem;
    const point origin = origin_of(c);
    const double bound = nextafter(origin.objective - add_up(c, &origin, r, 0, true, false).gap, -INFINITY);
    if (!(bound > c->best_dual)) return;
    c->best_dual = bound;
    memcpy(c->best_alpha, c->alpha, (size_t)(p->n * p->K) * sizeof *c->alpha);
    memcpy(c->best_dual_y, c->y, (size_t)(p->m * p->K) * sizeof *c->y);
}

/* The whole statement, of all x. Where the system that moves alpha and y is too large to factor, conjugate gradients may leave
 * more of v than a good y had: the repair of the point as it is comes first, and is kept should it be better. */
static double prove_everywhere(spd_certifier *c, const point *at, spd_repair *r) {
    const double goal = c->enough * fabs(at->objective);
    if (c->identity < 0 && !c->M) {
        const double gap = prove(c, at, 0, true, r);
        if (gap <= goal) return gap;
        if (isfinite(gap) && at->objective - gap > c->best_dual) keep_best(c, r);
    }
    return spd_dual_make_exact(c, at->x, at->z, 0.1 * goal) ? prove(c, at, 0, true, r) : INFINITY;
}

/* Without ridge or bound the statement within a radius comes first, and tells whether the whole one is worth its price. */
static void prove_exactly(spd_certifier *c, const point *at, bool moved, spd_repair *r, spd_gap *out) {
    const spdhg_problem *p = c->problem;
    const double radius = RADIUS_FACTOR * fmax(spd_norm2(p->dK, at->x), 1e-3);
    const bool judge = c->slopes; /* another alpha is tried for the whole proof only */
    const double within = judge ? prove(c, at, radius, moved, r) : 0;
    const bool worth =
        within <= c->worth * fabs(at->objective) || left_over(c, at->objective) <= NEAR * c->enough * fabs(at->objective);
    if (worth) out->gap = prove_everywhere(c, at, r);
    if (judge && !isfinite(out->gap)) *out = (spd_gap){.kind = SPD_GAP_WITHIN_RADIUS, .gap = within, .radius = radius};
}

/* x is a point of X but for what rounding may do to a norm or a sum. The brackets mean nothing for another. */
static bool inside(spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    memcpy(c->P, x, (size_t)p->dK * sizeof *x);
    p->set.kind->project(p->dK, p->set.arg, c->P, c->work);
    spd_axpy(p->dK, -1, x, c->P);
    return spd_norm2(p->dK, c->P) <= OUTSIDE * spd_norm2(p->dK, x);
}

/* What the dual point made of y proves. A bound that it gives by itself is kept where the run goes on. */
static spd_gap of_this_point(spd_certifier *c, const point *at, const double *y, double wanted, bool *member) {
    spd_gap out = {.kind = SPD_GAP_CERTIFIED, .gap = INFINITY, .radius = NAN};
    spd_repair r = {0};
    const bool moved = choose_dual(c, at, y);
    if (c->exact)
        prove_exactly(c, at, moved, &r, &out);
    else
        out.gap = prove(c, at, 0, moved, &r);
    *member = inside(c, at->x);
    if (!isfinite(out.gap) || !*member) return (spd_gap){.kind = SPD_GAP_NONE, .gap = INFINITY, .radius = NAN};
    if (out.kind == SPD_GAP_CERTIFIED && out.gap > wanted && at->objective - out.gap > c->best_dual) keep_best(c, &r);
    return out;
}

/* What the best bound so far proves, or the least that the losses can be; *error: of f, which is in it. */
static spd_gap of_best_bound(const spd_certifier *c, const point *at, double wanted, double *error) {
    const double lowest = c->least - 4 * spd_rounding((double)c->problem->n) * fabs(c->least), known = fmax(c->best_dual, lowest);
    const double rough = error_of_objective(c, at, 0, false);
    const bool fine = rough > SHARE * fmax(wanted, at->objective - known);
    *error = (fine ? error_of_objective(c, at, 0, true) : rough) + 2 * DBL_EPSILON * fabs(known);
    return (spd_gap){.kind = SPD_GAP_CERTIFIED,
                     .gap = fmax(at->objective - known, 0) + *error,
                     .radius = NAN,
                     .source = c->best_dual > lowest ? SPD_GAP_BY_BEST : SPD_GAP_BY_ZERO};
}

void spd_certify(spd_certifier *c, const double *x, const double *y, const double *z, const double *Fx, double loss,
                 double objective, spd_gap *out) {
    const point at = {x, z, Fx, loss, objective};
    const double wanted = c->enough * fabs(objective);
    bool member;
    *out = of_this_point(c, &at, y, wanted, &member);
    if (!member) return;
    double error;
    const spd_gap best = of_best_bound(c, &at, wanted, &error);
    const bool certified = out->kind == SPD_GAP_CERTIFIED;
    const double much = certified ? out->gap : out->gap + error;
    /* A bound for all x is worth more than one within a radius, if it is small enough. */
    const bool better = out->kind == SPD_GAP_NONE || best.gap <= much || (!certified && best.gap <= wanted);
    if (isfinite(best.gap) && better) *out = best;
}

void spd_certify_known(spd_certifier *c, const double *alpha, const double *y) {
    const spdhg_problem *p = c->problem;
    const point origin = origin_of(c);
    spd_repair r;
    memcpy(c->alpha, alpha, (size_t)(p->n * p->K) * sizeof *alpha);
    memcpy(c->y, y, (size_t)(p->m * p->K) * sizeof *y);
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    refresh_v(c);
    if (isfinite(prove(c, &origin, 0, true, &r))) keep_best(c, &r);
}

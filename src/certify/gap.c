/* gap.c - the duality gap, bracket by bracket (certify.h), so that nothing cancels; a lower bound of f follows as f - gap, the
 * best is kept. That difference does cancel: far out f and gap are large and rounding alone may lift the bound above f*. */
#include "certify/certify.h"
#include "recession/recession.h"

enum { WRITTEN_OUT_MOST = 1500 };       /* unknowns up to which the correction's matrix is written out and factored */
static const double RADIUS_FACTOR = 10; /* where nothing else is possible the statement is about ||u|| <= 10 ||x|| */
static const double NEAR = 0.01;        /* of the gap wanted: what is expected to be left when a proof is tried early */
static const double SUDDEN = 0.1;       /* of the fall before: faster than linear */
static const double ROUNDING = 1e-13;   /* of f and gap, generously: sums over blocks of 2048 rows */

/* h(x) + h*(-v) + v'x. gamma > 0: with P = Pi_X(-v/gamma) it is (x - P)'(v + gamma (x + P)/2), no cancellation. */
static double ridge_bracket(spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    if (p->gamma > 0) {
        for (int64_t q = 0; q < p->dK; q++) c->P[q] = -c->v[q] / p->gamma;
        p->set.kind->project(p->dK, p->set.arg, c->P, c->work);
        for (int64_t q = 0; q < p->dK; q++) sum += (x[q] - c->P[q]) * (c->v[q] + 0.5 * p->gamma * (x[q] + c->P[q]));
        return spd_bracket(sum);
    }
    if (!p->set.kind->separable) {
        for (int64_t q = 0; q < p->dK; q++) c->P[q] = -c->v[q];
        return spd_bracket(spd_dot(p->dK, c->v, x) + p->set.kind->support(p->dK, p->set.arg, c->P));
    }
    /* Per coordinate: the bounded side's distance times |v|; on an unbounded side v is rounding, charged twice its product with
     * x. */
    double low, high;
    spd_dual_sides(p, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double side = c->v[q] > 0 ? low : high;
        sum += isfinite(side) ? fmax(c->v[q] * (x[q] - side), 0) : 2 * fabs(c->v[q] * x[q]);
    }
    return spd_bracket(sum);
}

/* lambda r(Fx) - y'Fx */
static double penalty_bracket(spd_certifier *c, const double *Fx) {
    const spdhg_problem *p = c->problem;
    return spd_bracket(spd_problem_penalty(p, Fx, c->work) - spd_dot(p->m * p->K, c->y, Fx));
}

/* v'x + max over u in X, ||u|| <= R of -v'u. The maximum is at most R ||v||, and at most R ||the part of v that an unbounded side
 * lets grow|| with -v_j side_j for every other coordinate. */
static double radius_bracket(const spd_certifier *c, const double *x, double R) {
    const spdhg_problem *p = c->problem;
    double square = 0, sum = 0, low, high;
    spd_dual_sides(p, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double out = spd_dual_excess(p, c->v[q]), side = c->v[q] > 0 ? low : high;
        square += out * out;
        sum += c->v[q] * (isfinite(side) ? x[q] - side : x[q]);
    }
    return spd_bracket(fmin(sum + R * sqrt(square), spd_dot(p->dK, c->v, x) + R * spd_norm2(p->dK, c->v)));
}

/* What is probably left of f - f*: where f falls by d after e, as d ~ C e^2 with Newton's method, next by C d^2 = d (d/e)^2. */
static double left_over(const spd_certifier *c, double objective) {
    const double now = c->last - objective, share = now / c->fall;
    return now > 0 && share > 0 && share < SUDDEN ? now * share * share : INFINITY;
}

static void refresh_v(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    memcpy(c->v, c->g, (size_t)p->dK * sizeof *c->v);
    spd_problem_add_transposed(p, c->y, c->v);
}

void spd_certify(spd_certifier *c, const double *x, const double *y, const double *z, const double *Fx, double objective,
                 spd_gap *out) {
    const spdhg_problem *p = c->problem;
    const int64_t mK = p->m * p->K;
    *out = (spd_gap){.kind = SPD_GAP_CERTIFIED, .gap = INFINITY, .radius = NAN};
    for (int64_t i = 0; i < p->n && c->forced; i++)
        if (c->forced[i]) c->alpha[i] = 0;
    const bool balanced = p->intercept && spd_dual_balance(c);
    const bool moved = balanced || c->forced || !c->slopes; /* alpha is not phi'(z) */
    c->gradient = !moved;
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    memcpy(c->y, y, (size_t)mK * sizeof *y);
    spd_problem_project_dual(p, c->y, c->work);
    spd_dual_polish(c, 0.5 * p->gamma * spd_dot(p->dK, x, x) + spd_dot(p->dK, c->g, x) + spd_problem_penalty(p, Fx, c->work),
                    fabs(objective));
    refresh_v(c);
    if (!c->exact || p->set.kind == &spd_set_all || p->set.kind == &spd_set_nonneg || p->set.kind == &spd_set_box) {
        const double radius = RADIUS_FACTOR * fmax(spd_norm2(p->dK, x), 1e-3);
        const bool judge = c->exact && c->slopes; /* another alpha is tried for the whole proof only */
        const double within =
            judge ? (moved ? spd_dual_fenchel(c, z) : 0) + radius_bracket(c, x, radius) + penalty_bracket(c, Fx) : 0;
        const bool worth = within <= c->worth * fabs(objective) || left_over(c, objective) <= NEAR * c->enough * fabs(objective);
        if (!c->exact || (worth && spd_dual_make_exact(c, x, z)))
            out->gap = (c->exact || moved ? spd_dual_fenchel(c, z) : 0) + ridge_bracket(c, x) + penalty_bracket(c, Fx);
        if (judge && !isfinite(out->gap)) *out = (spd_gap){.kind = SPD_GAP_WITHIN_RADIUS, .gap = within, .radius = radius};
    }
    if (!isfinite(out->gap)) out->kind = SPD_GAP_NONE;
    if (out->kind == SPD_GAP_CERTIFIED)
        c->best_dual = fmax(c->best_dual, objective - out->gap - ROUNDING * (fabs(objective) + out->gap));
    const double since = objective - c->best_dual; /* infinite: no bound yet */
    if (isfinite(since) && (out->kind != SPD_GAP_CERTIFIED || since < out->gap))
        *out = (spd_gap){.kind = SPD_GAP_CERTIFIED, .gap = fmax(since, 0), .radius = NAN};
    if (objective - c->least < out->gap) /* alpha = 0 and y = 0 are always feasible; what is said of a radius may be more */
        *out = (spd_gap){.kind = SPD_GAP_CERTIFIED, .gap = fmax(objective - c->least, 0), .radius = NAN};
}

static bool unbounded_without_ridge(const spdhg_problem *p) {
    return p->gamma == 0 && !isfinite(p->set.kind->diameter(p->dK, p->set.arg));
}

/* Sizes: work serves the pieces one after the other (block sums, projections, penalties, conjugate gradients, balancing). */
static int64_t work_size(const spdhg_problem *p) {
    int64_t most = spd_problem_blocks(p) * (1 + p->K) + 4 * (p->dK + p->K);
    return most > spd_problem_term_work(p) ? most : spd_problem_term_work(p);
}

static double value_at_zero(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    memset(c->v, 0, (size_t)p->dK * sizeof *c->v);
    if (p->data->offset) spd_problem_scores(p, c->threads, c->v, c->alpha); /* else 0, as it was made */
    return spd_problem_losses(p, c->threads, &(spd_scores){.z = c->alpha}, NULL, NULL, c->work);
}

spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, spdhg_error *err) {
    *c = (spd_certifier){
        .problem = p, .threads = threads, .identity = -1, .best_dual = -INFINITY, .worth = INFINITY, .last = NAN, .fall = NAN};
    const int64_t n = spd_problem_normal_size(p), nK = p->n * p->K, mK = p->m * p->K;
    c->exact = unbounded_without_ridge(p);
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_is_identity(&p->term[t].F->F) && p->term[t].lambda > 0) c->identity = t;
    const bool system = c->exact && c->identity < 0, written_out = system && n <= WRITTEN_OUT_MOST;
    int64_t inner = spd_problem_gradient_work(p);
    if (written_out && spd_problem_normal_work(p, threads) > inner) inner = spd_problem_normal_work(p, threads);
    c->alpha = SPD_NEW(double, nK);
    c->y = SPD_NEW(double, mK);
    c->best_y = SPD_NEW(double, mK);
    c->Fq = SPD_NEW(double, 3 * mK);
    c->g = SPD_NEW(double, p->dK);
    c->gc = SPD_NEW(double, p->K);
    c->v = SPD_NEW(double, p->dK);
    c->P = SPD_NEW(double, p->dK);
    c->work = SPD_NEW(double, work_size(p));
    c->curve = SPD_NEW(double, system ? nK : 0);
    c->t = SPD_NEW(double, system ? nK : 0);
    c->p = SPD_NEW(double, n + p->K);
    c->r = SPD_NEW(double, n + p->K);
    c->Mwork = SPD_NEW(double, inner);
    if (system) {
        c->size = SPD_NEW(double, n);
        c->scale = SPD_NEW(double, n);
        c->q = SPD_NEW(double, n);
        c->tied = SPD_NEW(int32_t, p->d);
    }
    if (written_out) c->M = SPD_NEW(double, n *n);
    c->kept = SPD_NEW(double, written_out ? nK : 0);
    c->saved = SPD_NEW(double, written_out ? nK + mK : 0);
    const bool good = c->alpha && c->y && c->best_y && c->Fq && c->g && c->gc && c->v && c->P && c->work && c->curve && c->t &&
                      c->p && c->r && c->Mwork && c->kept && c->saved && (c->M || !written_out) &&
                      (!system || (c->size && c->scale && c->q && c->tied));
    if (!good) {
        spd_certifier_free(c);
        return spd_fail_memory(err, 8.0 * (double)(3 * nK + 6 * p->dK + inner));
    }
    if (system) spd_dual_find_ties(p, c->tied);
    c->least = spd_dual_least(c);
    c->start_value = value_at_zero(c);
    const bool free = c->exact && c->identity < 0; /* F = identity leaves no direction with F u = 0 */
    const spdhg_status status = free ? spd_recession_forced(p, &c->forced, &c->push, &c->unattained, err) : SPDHG_OK;
    if (status != SPDHG_OK) spd_certifier_free(c);
    return status;
}

void spd_certifier_free(spd_certifier *c) {
    double *const arrays[] = {c->alpha, c->y, c->best_y, c->Fq,    c->g, c->gc,   c->v,     c->P, c->work, c->curve,
                              c->t,     c->p, c->r,      c->Mwork, c->M, c->size, c->scale, c->q, c->kept, c->saved};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) spd_free(arrays[i]);
    spd_free(c->tied);
    spd_free(c->forced);
    spd_free(c->push);
    *c = (spd_certifier){0};
}

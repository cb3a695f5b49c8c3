/* solve.c - one lambda after the other (Friedman, Hastie, Tibshirani 2010; Tibshirani et al., JRSS B 2012), each proven.
 *
 *   set:    the active columns and those with |g_j| >= 2 lambda - lambda_before (the strong rule)
 *   start:  the last solution, extrapolated along the path
 *   repeat: make the quadratic model at x and minimise it over the set (model.c); the scores of the new x, afresh
 *           alpha = the slopes of the model there, whose gradient A'alpha is right to the accuracy of the minimisation; where
 *           they differ from phi'(z), in the second order of the step, they cost the fourth order of the step in the gap if the
 *           first bracket of alpha is small: examine all other columns, prove the gap; done if it is small
 *
 * With squared loss the model is f itself, and gram.c may have the slopes. One model is usually enough. A gap that is too large
 * asks for a more accurate minimisation, a column that violates the optimality conditions for a larger set. */
#include "lasso/sides.h"

enum { MODELS_MOST = 60, HALVINGS_MOST = 40, STALLS_MOST = 4 }; /* faces that bring the proof no nearer */
static const double ROUGH = 1e-2;                               /* slopes, relative to lambda, of the sweeps between them */
static const double ACCURACY_MOST = 1e-2, ACCURACY_LEAST = 1e-13, SHARE_OF_GAP = 0.2;
static const double DAMP_FIRST = 1e-3, DAMP_LEAST = 1e-8;
static const double CLOSE = 1e-6, INSIDE = 0.05; /* relative to lambda, as in face/settled.c */

static void add_to_set(spd_lasso *a, int32_t j) {
    if (a->in_set[j]) return;
    a->in_set[j] = true;
    a->set[a->size++] = j;
}

static void choose_set(spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a), strong = isfinite(a->lambda) ? fmin(2 * lambda - a->lambda, lambda) : 0;
    for (int64_t q = 0; q < a->size; q++) a->in_set[a->set[q]] = false;
    a->size = 0;
    for (int64_t q = 0; q < a->now.count; q++) add_to_set(a, a->now.list[q]);
    for (int64_t q = 0; q < a->examined_count; q++)
        if (spd_lasso_pull(a, a->g[a->examined[q]]) >= strong) add_to_set(a, a->examined[q]);
}

/* x(lambda) and c(lambda) are smooth between their kinks, for squared loss straight: continues
 * their line, and that of the scores. Zeros stay 0. */
static void look_ahead(spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a), further = (a->lambda - lambda) / a->fallen;
    if (lambda == a->lambda) return;  /* the same once more */
    if (!isfinite(a->lambda)) return; /* where it starts is no solution */
    if (!(a->fallen > 0) || !(lambda < a->lambda)) {
        spd_lasso_keep(a, &a->before);
        memcpy(a->z_before, a->z, (size_t)a->p->n * sizeof *a->z);
        return;
    }
    for (int64_t i = 0; i < a->p->n; i++) {
        const double z = a->z[i];
        a->z[i] += further * (z - a->z_before[i]);
        a->z_before[i] = z;
    }
    /* before and now change places, entry by entry */
    for (int64_t q = 0; q < a->before.count; q++) {
        const int32_t j = a->before.list[q];
        if (a->is_active[j]) continue;
        spd_matrix_add(&a->A, j, further * a->before.x[j], a->z);
        a->before.x[j] = 0;
    }
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        const double x = a->now.x[j], ahead = x + further * (x - a->before.x[j]);
        a->before.x[j] = x;
        a->before.list[q] = j;
        a->now.x[j] = ahead * x > 0 ? spd_lasso_inside(a, ahead) : 0;
        if (a->now.x[j] != ahead) spd_matrix_add(&a->A, j, a->now.x[j] - ahead, a->z);
    }
    a->before.count = a->now.count;
    const double c = a->now.c;
    a->now.c = c + further * (c - a->before.c);
    a->before.c = c;
    spd_lasso_tidy(a);
}

/* x = origin + t (x - origin) with the largest t = 1/2, 1/4, ... at which f is below f0. */
static bool halve(spd_lasso *a, double f0) {
    for (int64_t q = 0; q < a->origin.count; q++) { /* columns that have become 0 take part */
        const int32_t j = a->origin.list[q];
        if (a->is_active[j]) continue;
        a->is_active[j] = true;
        a->now.list[a->now.count++] = j;
    }
    for (int i = 0; i < HALVINGS_MOST; i++) {
        for (int64_t q = 0; q < a->now.count; q++) {
            const int32_t j = a->now.list[q];
            a->now.x[j] = spd_lasso_inside(a, a->origin.x[j] + 0.5 * (a->now.x[j] - a->origin.x[j]));
        }
        a->now.c = a->origin.c + 0.5 * (a->now.c - a->origin.c);
        if (spd_lasso_evaluate(a) < f0) {
            spd_lasso_tidy(a);
            return true;
        }
    }
    return false;
}

/* Whether the zeros of x are those of the optimum, by the conditions of face/settled.c: g is the gradient there up to the
 * accuracy that the nonzero columns show. */
static bool is_settled(const spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a);
    double off = 0, most = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        off = fmax(off, spd_lasso_slope_off(a, a->now.x[j], a->g[j]) / lambda);
    }
    for (int64_t q = 0; q < a->examined_count; q++)
        if (!a->is_active[a->examined[q]]) most = fmax(most, spd_lasso_pull(a, a->g[a->examined[q]]) / lambda);
    return off <= CLOSE ? most <= 1 + CLOSE : off <= INSIDE && most <= 1 - 2 * off;
}

/* Whether phi'(z) and alpha, which differ in the second order of the step, give the active columns the same slopes up to `off`
 * lambda. */
static bool is_accurate(spd_lasso *a, double off) {
    double square = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        const double by = a->slope[i] - a->alpha[i];
        a->r[i] = a->share[i] * by;
        square += a->r[i] * by;
    }
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        const double most = off * spd_lasso_lambda(a);
        if (a->A.norm[j] * sqrt(square) > most && fabs(spd_matrix_dot(&a->A, j, a->r)) > most) return false;
    }
    return true;
}

/* The slopes of the model at the new scores, or phi' where they have left its range. */
static void find_dual(spd_lasso *a, bool plain) {
    const spdhg_problem *p = a->p;
    if (plain) {
        memcpy(a->alpha, a->slope, (size_t)p->n * sizeof *a->alpha);
        return;
    }
    for (int64_t i = 0; i < p->n; i++) a->alpha[i] = a->slope0[i] + a->curve0[i] * (a->z[i] - a->z0[i]);
    for (int64_t i = 0; i < p->n && p->loss->slack; i++)
        if (!(p->loss->slack(a->alpha[i], p->b[i], p->loss_arg) > 0) &&
            !isfinite(p->loss->conjugate(a->alpha[i], p->b[i], p->loss_arg)))
            a->alpha[i] = a->slope[i];
}

/* The first bracket to the second order of alpha - phi'(z), so that the exact one need not be found twice. */
static double expected_bracket(const spd_lasso *a) {
    double sum = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        const double by = a->slope[i] - a->alpha[i];
        if (by != 0) sum += a->share[i] * by * by / a->curve[i];
    }
    return 0.5 * sum;
}

void spd_lasso_dual(spd_lasso *a, double *y) {
    const double lambda = spd_lasso_lambda(a);
    for (int64_t i = 0; i < a->p->n; i++) a->r[i] = a->share[i] * a->slope[i];
    spd_matrix_dots(&a->A, a->threads, NULL, a->p->d, a->r, y);
    for (int64_t j = 0; j < a->p->d; j++) y[j] = fmax(fmin(-(y[j] + a->p->gamma * a->now.x[j]), lambda), -lambda);
}

void spd_lasso_solve(spd_lasso *a, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    const double lambda = spd_lasso_lambda(a), from = a->lambda;
    if (lambda != from) a->ratio = lambda < from && isfinite(from) ? lambda / from : 0.5;
    const double rest = lambda * (2 * a->ratio - 1); /* what the next strong rule needs, if lambda falls as before */
    double accuracy = ACCURACY_MOST, gap = INFINITY;
    bool done = false, moved = true, direct = true;
    int stalled = 0;
    *out = (spd_lasso_answer){.gap = INFINITY, .relative = INFINITY};
    a->stop = stop;
    choose_set(a);
    look_ahead(a);
    double f = spd_lasso_evaluate_scores(a);
    for (int i = 0; i < MODELS_MOST && !done && isfinite(f) && !spd_lasso_over(a); i++) {
        const double goal = tol * fmax(fabs(f), a->reference), before = f;
        accuracy = fmax(fmin(accuracy, SHARE_OF_GAP * goal / (a->penalty + goal)), ACCURACY_LEAST);
        spd_lasso_model(a);
        const bool by_factor = direct && spd_lasso_direct(a);
        if (!by_factor) spd_lasso_descend(a, direct || stalled > STALLS_MOST ? accuracy : fmax(accuracy, ROUGH));
        moved = true;
        f = spd_lasso_evaluate(a);
        if (!(f <= before + 1e-13 * fabs(before))) {
            if (a->kept)
                spd_factor_drop(&a->factor);
            else
                a->damp = fmin(fmax(4 * a->damp, DAMP_FIRST), 1);
            if (!halve(a, before)) break;
            f = a->loss + a->ridge + a->penalty;
            continue;
        }
        a->damp = a->damp > DAMP_LEAST ? 0.25 * a->damp : 0;
        const bool gram = a->gram.size > 0;
        find_dual(a, plain || gram);
        if (!plain && !gram && !(expected_bracket(a) <= goal) && !(spd_lasso_first_bracket(a, 1) <= goal)) {
            spd_factor_insufficient(a);
            continue;
        }
        bool added = gram ? spd_lasso_prove_by_gram(a, rest, out) : spd_lasso_prove(a, rest, out);
        if (gram && !added && !(out->relative <= tol) && out->gap > 0.5 * gap)
            added = spd_lasso_prove(a, rest, out); /* no nearer than before: with less rounding */
        moved = false;
        out->proven = out->relative <= tol;
        done = out->proven && is_accurate(a, sqrt(tol)); /* f is off by the square of what its slopes are off by */
        if (added || done) continue;
        const bool stalls = out->gap > (by_factor ? 0.5 : 0.9) * gap;
        if (accuracy == ACCURACY_LEAST ? stalls || !by_factor : stalls && !by_factor) break; /* rounding */
        gap = out->gap;
        if (!by_factor && (direct || stalled > STALLS_MOST)) accuracy *= 0.1;
        if (by_factor && stalls) gap = INFINITY;
        stalled += by_factor && stalls;
        direct = !(by_factor && stalls) && stalled <= STALLS_MOST;
        spd_factor_insufficient(a);
    }
    if (moved) { /* a proof is about the point it was made at */
        find_dual(a, plain);
        spd_lasso_prove(a, rest, out);
        out->proven = out->relative <= tol;
    }
    out->settled = out->proven && is_settled(a);
    if (lambda != from) a->fallen = isfinite(from) ? from - lambda : 0;
    a->lambda = lambda;
}

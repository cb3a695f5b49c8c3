/* solve.c - one lambda after the other (Friedman, Hastie, Tibshirani 2010; Tibshirani et al., JRSS B 2012), each proven.
 *
 *   set:    the active columns and those with |g_j| >= 2 lambda - lambda_before (the strong rule)
 *   start:  the last solution, extrapolated along the path
 *   repeat: make the quadratic model at x and minimise it over the set (model.c); the scores of the new x, afresh
 *           alpha = the slopes of the model there, whose gradient A'alpha is right to the accuracy of the minimisation; where they
 *           differ from phi'(z), in the second order of the step, they cost the fourth order of the step in the gap
 *           if the first bracket of alpha is small: look at all other columns, prove the gap; done if it is small
 *
 * One model is usually enough. A gap that is too large asks for a more accurate minimisation, a column that violates the optimality
 * conditions for a larger set. */
#include "lasso/lasso.h"

enum { MODELS_MOST = 60, HALVINGS_MOST = 40, FACE_MOST = 1500 };
static const double ACCURACY_MOST = 1e-2, ACCURACY_LEAST = 1e-13, SHARE_OF_GAP = 0.2;
static const double CLOSE = 1e-6, INSIDE = 0.05; /* relative to lambda, as in face/settled.c */

const char *spd_lasso_refuses(const spdhg_problem *p) {
    if (!p->set.kind->whole) return "it works for X = R^d only";
    if (p->terms != 1 || !spd_csr_is_identity(&p->term[0].F->F) || !p->term[0].penalty->sum_of_sizes)
        return "it works for l1 of the coefficients only";
    if (p->K != 1 || !p->loss->value) return "it works for one output only";
    return NULL;
}

double spd_lasso_bytes(const spdhg_problem *p) { return spd_matrix_bytes(p) + 100.0 * (double)p->d + 100.0 * (double)p->n; }

static bool new_point(spd_sparse_point *s, int64_t d) {
    *s = (spd_sparse_point){.x = SPD_NEW(double, d), .list = SPD_NEW(int32_t, d)};
    return s->x && s->list;
}

static void free_point(spd_sparse_point *s) { SPD_FREE_ALL(s->x, s->list); }

static bool allocate(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, d = p->d, most = d < FACE_MOST ? d : FACE_MOST;
    double **const rows[] = {&a->share,  &a->one,    &a->z, &a->slope, &a->curve, &a->z0,
                             &a->slope0, &a->curve0, &a->Q, &a->r,     &a->alpha, &a->known_alpha};
    double **const columns[] = {&a->h, &a->g, &a->known};
    bool good = spd_matrix_new(&a->A, p) && spd_products_new(&a->products, n, d, most) && spd_factor_new(&a->factor, d, most);
    good = new_point(&a->now, d) && good;
    good = new_point(&a->origin, d) && good;
    good = new_point(&a->before, d) && good;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) good = (*rows[i] = SPD_NEW(double, n)) && good;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) good = (*columns[i] = SPD_NEW(double, d)) && good;
    a->is_active = SPD_NEW(bool, d);
    a->in_set = SPD_NEW(bool, d);
    a->set = SPD_NEW(int32_t, d);
    a->look = SPD_NEW(int32_t, d);
    a->h_of = SPD_NEW(int64_t, d);
    a->g_of = SPD_NEW(int64_t, d);
    a->face = spd_alloc_raw(spd_lasso_face_work(n, d), sizeof(double));
    a->partial = SPD_NEW(double, spd_problem_blocks(p) * 4 + 16);
    return good && a->is_active && a->in_set && a->set && a->look && a->h_of && a->g_of && a->face && a->partial;
}

spdhg_status spd_lasso_new(spd_lasso **out, const spdhg_problem *p, int threads, spdhg_error *err) {
    spd_lasso *a = *out = SPD_NEW(spd_lasso, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    a->p = p;
    a->threads = threads;
    if (!allocate(a)) {
        spd_lasso_free(a);
        *out = NULL;
        return spd_fail_memory(err, spd_lasso_bytes(p));
    }
    a->factor.iterations = 16;
    double least = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *offset = spd_problem_offset(p, i);
        a->share[i] = spd_problem_share(p, i);
        a->one[i] = 1;
        a->z[i] = offset ? offset[0] : 0;
        a->offset = fmax(a->offset, fabs(a->z[i]));
        if (a->share[i] > 0) least -= a->share[i] * p->loss->conjugate(0, p->b[i], p->loss_arg);
    }
    a->least = least;
    const double start = spd_problem_losses(p, threads, &(spd_scores){.z = a->z, .c = p->constant}, NULL, NULL, a->partial);
    a->reference = 0x1p-53 / 1e-6 * (isfinite(start) ? start : 0);
    return SPDHG_OK;
}

void spd_lasso_free(spd_lasso *a) {
    if (!a) return;
    spd_matrix_free(&a->A);
    spd_products_free(&a->products);
    spd_factor_free(&a->factor);
    free_point(&a->now);
    free_point(&a->origin);
    free_point(&a->before);
    SPD_FREE_ALL(a->share, a->one, a->z, a->slope, a->curve, a->z0, a->slope0, a->curve0, a->Q, a->r, a->alpha, a->known_alpha,
                 a->h, a->g, a->known, a->is_active, a->in_set, a->set, a->look, a->h_of, a->g_of, a->face, a->partial);
    spd_free(a);
}

/* Scores, loss, slopes and curvatures at (x, c), from the nonzero columns alone; afresh, so that rounding errors do not add up. */
static double evaluate(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    double square = 0, size = 0;
    for (int64_t i = 0; i < p->n; i++) a->z[i] = p->data->offset ? spd_problem_offset(p, i)[0] : 0;
    double *packed = a->face;
    for (int64_t q = 0; q < a->now.count; q++) {
        const double x = packed[q] = a->now.x[a->now.list[q]];
        square += x * x;
        size += fabs(x);
    }
    spd_matrix_combine(&a->A, a->now.list, a->now.count, packed, a->z);
    if (p->intercept) spd_problem_shift(p, &a->now.c, a->z);
    a->loss = spd_problem_losses(p, a->threads, &(spd_scores){.z = a->z}, a->slope, a->curve, a->partial);
    a->ridge = 0.5 * p->gamma * square;
    a->penalty = spd_lasso_lambda(a) * size;
    return a->loss + a->ridge + a->penalty;
}

void spd_lasso_start(spd_lasso *a, const double *x, double c, double lambda) {
    const int64_t n = a->p->n, d = a->p->d;
    memset(a->is_active, 0, (size_t)d * sizeof *a->is_active);
    memcpy(a->now.x, x, (size_t)d * sizeof *x);
    a->now.c = c;
    a->now.count = 0;
    for (int64_t j = 0; j < d; j++)
        if (x[j] != 0) {
            a->is_active[j] = true;
            a->now.list[a->now.count++] = (int32_t)j;
        }
    evaluate(a);
    a->proof++;
    a->known_size = 0;
    for (int64_t i = 0; i < n; i++) {
        a->known_alpha[i] = a->slope[i];
        a->r[i] = a->share[i] * a->slope[i];
        a->known_size = fmax(a->known_size, fabs(a->slope[i]));
    }
    spd_matrix_dots(&a->A, a->threads, NULL, d, a->r, a->known);
    memcpy(a->g, a->known, (size_t)d * sizeof *a->g);
    for (int64_t j = 0; j < d; j++) a->g_of[j] = a->proof;
    a->looked = 0;
    a->lambda = lambda;
    a->fallen = 0;
}

static void choose_set(spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a), strong = isfinite(a->lambda) ? fmin(2 * lambda - a->lambda, lambda) : 0;
    for (int64_t q = 0; q < a->size; q++) a->in_set[a->set[q]] = false;
    a->size = 0;
    for (int64_t j = 0; j < a->p->d; j++)
        if (a->is_active[j] || (a->g_of[j] == a->proof && fabs(a->g[j]) >= strong)) {
            a->in_set[j] = true;
            a->set[a->size++] = (int32_t)j;
        }
}

/* x(lambda) and c(lambda) are smooth between their kinks, for squared loss straight: continues their line. Zeros stay 0. */
static void look_ahead(spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a), further = (a->lambda - lambda) / a->fallen;
    if (lambda == a->lambda) return; /* the same once more */
    if (!(a->fallen > 0) || !(lambda < a->lambda)) {
        spd_lasso_keep(a, &a->before);
        return;
    }
    /* before and now change places, entry by entry */
    for (int64_t q = 0; q < a->before.count; q++) {
        const int32_t j = a->before.list[q];
        if (!a->is_active[j]) a->before.x[j] = 0;
    }
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        const double x = a->now.x[j], ahead = x + further * (x - a->before.x[j]);
        a->before.x[j] = x;
        a->before.list[q] = j;
        a->now.x[j] = ahead * x > 0 ? ahead : 0;
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
            a->now.x[j] = a->origin.x[j] + 0.5 * (a->now.x[j] - a->origin.x[j]);
        }
        a->now.c = a->origin.c + 0.5 * (a->now.c - a->origin.c);
        if (evaluate(a) < f0) {
            spd_lasso_tidy(a);
            return true;
        }
    }
    return false;
}

/* Whether the zeros of x are those of the optimum, by the conditions of face/settled.c: g is the gradient there up to the accuracy
 * that the nonzero columns show. */
static bool is_settled(const spd_lasso *a) {
    const double lambda = spd_lasso_lambda(a);
    double off = 0, most = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        off = fmax(off, fabs(a->g[j] + a->p->gamma * a->now.x[j] + copysign(lambda, a->now.x[j])) / lambda);
    }
    for (int64_t j = 0; j < a->p->d; j++)
        if (a->g_of[j] == a->proof && !a->is_active[j]) most = fmax(most, fabs(a->g[j]) / lambda);
    return off <= CLOSE ? most <= 1 + CLOSE : off <= INSIDE && most <= 1 - 2 * off;
}

void spd_lasso_dual(spd_lasso *a, double *y) {
    const double lambda = spd_lasso_lambda(a);
    for (int64_t i = 0; i < a->p->n; i++) a->r[i] = a->share[i] * a->slope[i];
    spd_matrix_dots(&a->A, a->threads, NULL, a->p->d, a->r, y);
    for (int64_t j = 0; j < a->p->d; j++) y[j] = fmax(fmin(-(y[j] + a->p->gamma * a->now.x[j]), lambda), -lambda);
}

void spd_lasso_solve(spd_lasso *a, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    const spdhg_problem *p = a->p;
    const double lambda = spd_lasso_lambda(a), from = a->lambda;
    if (lambda != from) a->ratio = lambda < from && isfinite(from) ? lambda / from : 0.5;
    const double rest = lambda * (2 * a->ratio - 1); /* what the next strong rule needs, if lambda falls as before */
    double accuracy = ACCURACY_MOST;
    *out = (spd_lasso_answer){.gap = INFINITY, .relative = INFINITY};
    a->stop = stop;
    choose_set(a);
    look_ahead(a);
    double f = evaluate(a);
    for (int i = 0; i < MODELS_MOST && !out->proven && isfinite(f) && !spd_stop_now(stop); i++) {
        const double goal = tol * fmax(fabs(f), a->reference), before = f;
        accuracy = fmax(fmin(accuracy, SHARE_OF_GAP * goal / (a->penalty + goal)), ACCURACY_LEAST);
        spd_lasso_model(a);
        spd_lasso_descend(a, accuracy);
        f = evaluate(a);
        if (!(f <= before + 1e-13 * fabs(before))) {
            if (!halve(a, before)) break;
            f = a->loss + a->ridge + a->penalty;
            continue;
        }
        for (int64_t k = 0; k < p->n; k++) a->alpha[k] = plain ? a->slope[k] : a->slope0[k] + a->curve0[k] * (a->z[k] - a->z0[k]);
        if (!plain && !(spd_lasso_first_bracket(a, 1) <= goal)) continue;
        const bool added = spd_lasso_prove(a, rest, out);
        out->proven = out->relative <= tol;
        if (!added && accuracy == ACCURACY_LEAST) break;
        if (!added) accuracy *= 0.1;
    }
    out->settled = out->proven && is_settled(a);
    if (lambda != from) a->fallen = isfinite(from) ? from - lambda : 0;
    a->lambda = lambda;
}

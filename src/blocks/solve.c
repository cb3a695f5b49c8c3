/* solve.c - one lambda after the other, as lasso/solve.c does it, for blocks (Simon, Friedman, Hastie, arXiv:1311.6529).
 *
 *   set:    the active blocks and those with ||g_b|| >= w_b (2 lambda - lambda_before) (the strong rule)
 *   start:  the last solution, extrapolated along the path
 *   repeat: make the quadratic model at x and minimise it over the set; f at the new x, afresh
 *           alpha = the slopes of the model there
 *           if the first bracket of alpha is small: look at all blocks, prove the gap; done if it is small */
#include "blocks/blocks.h"

enum { MODELS_MOST = 60, HALVINGS_MOST = 40 };
static const double ACCURACY_MOST = 1e-2, ACCURACY_LEAST = 1e-13, SHARE_OF_GAP = 0.2;
static const double ROUGH = 1e-3; /* accuracy of a first look at a model */
static const double STIFFER = 2, STIFF_MOST = 64;
static const double CLOSE = 1e-6, INSIDE = 0.05; /* relative to lambda, as in face/settled.c */

static void add_to_set(spd_blocks *a, int64_t b) {
    if (a->in_set[b]) return;
    a->in_set[b] = true;
    a->set[a->set_count++] = (int32_t)b;
}

static void choose_set(spd_blocks *a) {
    const double lambda = spd_blocks_lambda(a), strong = isfinite(a->lambda) ? fmin(2 * lambda - a->lambda, lambda) : 0;
    for (int64_t q = 0; q < a->set_count; q++) a->in_set[a->set[q]] = false;
    a->set_count = 0;
    for (int64_t q = 0; q < a->now.count; q++) add_to_set(a, a->now.list[q]);
    for (int64_t b = 0; b < a->count; b++)
        if (a->score[b] >= strong) add_to_set(a, b);
}

/* x(lambda) and c(lambda) are smooth between their kinks: continues their line. Zeros stay 0. */
static void look_ahead(spd_blocks *a) {
    const int64_t K = a->p->K;
    const double lambda = spd_blocks_lambda(a), further = (a->lambda - lambda) / a->fallen;
    if (lambda == a->lambda) return; /* the same once more */
    const bool known = a->fallen > 0 && lambda < a->lambda;
    spd_blocks_keep(a, &a->origin);
    for (int64_t q = 0; q < a->origin.count && known; q++)
        for (int64_t e = a->first[a->origin.list[q]]; e < a->first[a->origin.list[q] + 1]; e++)
            for (int64_t k = 0; k < K; k++) {
                const int64_t at = a->feature[e] * K + k;
                const double x = a->now.x[at], to = x + further * (x - a->before.x[at]);
                a->now.x[at] = !a->single || to * x > 0 ? to : 0;
            }
    for (int64_t k = 0; k < K && known; k++) a->now.c[k] += further * (a->now.c[k] - a->before.c[k]);
    const spd_block_point before = a->before;
    a->before = a->origin;
    a->origin = before;
    spd_blocks_tidy(a);
}

/* x = origin + t (x - origin) with the largest t = 1/2, 1/4, ... at which f is below f0. */
static bool halve(spd_blocks *a, double f0) {
    const int64_t K = a->p->K;
    for (int64_t q = 0; q < a->origin.count; q++) spd_blocks_activate(a, a->origin.list[q]);
    for (int i = 0; i < HALVINGS_MOST; i++) {
        for (int64_t q = 0; q < a->now.count; q++)
            for (int64_t e = a->first[a->now.list[q]]; e < a->first[a->now.list[q] + 1]; e++)
                for (int64_t k = 0; k < K; k++) {
                    const int64_t at = a->feature[e] * K + k;
                    a->now.x[at] = a->origin.x[at] + 0.5 * (a->now.x[at] - a->origin.x[at]);
                }
        for (int64_t k = 0; k < K; k++) a->now.c[k] = a->origin.c[k] + 0.5 * (a->now.c[k] - a->origin.c[k]);
        if (spd_blocks_evaluate(a) < f0) {
            spd_blocks_tidy(a);
            return true;
        }
    }
    return false;
}

/* How far the slopes of a block, or of number k of it, are from those of the optimum, relative to lambda w_b. */
static double slope_off(spd_blocks *a, int64_t b) {
    const int64_t numbers = spd_blocks_numbers(a, b);
    const double limit = spd_blocks_lambda(a) * a->weight[b];
    double off = 0;
    spd_blocks_gather(a, b, a->now.x, a->u);
    spd_blocks_gather(a, b, a->g, a->s);
    const double length = spd_norm2(numbers, a->u);
    for (int64_t q = 0; q < numbers; q++) {
        const double s = a->s[q] + a->p->gamma * a->u[q];
        if (a->single)
            off = fmax(off, a->u[q] != 0 ? fabs(s + copysign(limit, a->u[q])) : 0);
        else
            off += (s + limit * a->u[q] / length) * (s + limit * a->u[q] / length);
    }
    return (a->single ? off : sqrt(off)) / limit;
}

/* Whether the zeros of x are those of the optimum, by the conditions of face/settled.c. */
static bool is_settled(spd_blocks *a) {
    const double lambda = spd_blocks_lambda(a);
    double off = 0, most = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q], j = a->feature[a->first[b]];
        off = fmax(off, slope_off(a, b));
        for (int64_t k = 0; k < a->p->K && a->single; k++)
            if (a->now.x[j * a->p->K + k] == 0) most = fmax(most, fabs(a->g[j * a->p->K + k]) / (lambda * a->weight[b]));
    }
    for (int64_t b = 0; b < a->count; b++)
        if (!a->is_active[b]) most = fmax(most, a->score[b] / lambda);
    return off <= CLOSE ? most <= 1 + CLOSE : off <= INSIDE && most <= 1 - 2 * off;
}

/* The slopes of the model at the new scores, or phi' of a row where they have left its range. */
static void find_dual(spd_blocks *a, bool plain) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, K = p->K;
    memcpy(a->alpha, a->slope, (size_t)(n * K) * sizeof *a->alpha);
    for (int64_t q = 0; q < n * K && !plain && !a->coupled; q++) {
        const double alpha = a->slope0[q] + a->stiff * a->curve0[q] * (a->z[q] - a->z0[q]), b = a->b[q];
        const bool outside = p->loss->slack && !(p->loss->slack(alpha, b, p->loss_arg) > 0) &&
                             !isfinite(p->loss->conjugate(alpha, b, p->loss_arg));
        if (!outside) a->alpha[q] = alpha;
    }
    for (int64_t i = 0; i < n && !plain && a->coupled; i++) {
        double mean = 0, *alpha = a->c_s;
        for (int64_t k = 0; k < K; k++) mean += a->curve0[k * n + i] * (a->z[k * n + i] - a->z0[k * n + i]);
        for (int64_t k = 0; k < K; k++)
            alpha[k] = a->slope0[k * n + i] + a->stiff * a->curve0[k * n + i] * (a->z[k * n + i] - a->z0[k * n + i] - mean);
        if (!isfinite(p->loss->conjugate_k(alpha, K, p->b[i]))) continue;
        for (int64_t k = 0; k < K; k++) a->alpha[k * n + i] = alpha[k];
    }
}

/* Whether phi'(z) and alpha give the active blocks the same slopes up to `off` lambda, by Cauchy and Schwarz. */
static bool is_accurate(const spd_blocks *a, double off) {
    const int64_t n = a->p->n;
    double square = 0, most = 0;
    for (int64_t q = 0; q < n * a->p->K; q++) {
        const double by = a->slope[q] - a->alpha[q];
        square += a->share[q % n] * by * by;
    }
    for (int64_t q = 0; q < a->now.count; q++) most = fmax(most, a->norm[a->now.list[q]] / a->weight[a->now.list[q]]);
    return most * sqrt(square) <= off * spd_blocks_lambda(a);
}

void spd_blocks_dual(spd_blocks *a, double *y) {
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t i = 0; i < n; i++) a->r[k * n + i] = a->share[i] * a->slope[k * n + i];
        spd_matrix_dots(&a->A, a->threads, NULL, a->p->d, a->r + k * n, a->columns_g);
        for (int64_t j = 0; j < a->p->d; j++) y[j * K + k] = -(a->columns_g[j] + a->p->gamma * a->now.x[j * K + k]);
    }
    for (int64_t b = 0; b < a->count; b++)
        for (int64_t q = a->first[b]; q < a->first[b + 1]; q++) spd_scale(K, 1 / a->weight[b], y + a->feature[q] * K);
    const double lambda = a->p->term[0].lambda;
    if (lambda > 0) spd_problem_project_dual(a->p, y, a->columns_g);
}

/* Slopes off by this much, relative to lambda, make a gap well below the goal: without ridge it is that times the penalty, with
 * ridge the sum of their squares over 2 gamma. */
static double accuracy_for(const spd_blocks *a, double goal) {
    const double lambda = spd_blocks_lambda(a);
    double numbers = 1;
    for (int64_t q = 0; q < a->now.count; q++) numbers += (double)spd_blocks_numbers(a, a->now.list[q]);
    return fmax(SHARE_OF_GAP * goal / (a->penalty + goal), sqrt(2 * a->p->gamma * SHARE_OF_GAP * goal / numbers) / lambda);
}

/* Minimises the model from a point where f is `before`, alpha follows. First roughly: that shows whether the model is good
 * enough to prove the goal. *f: there. False: it is not, or f has not fallen; then x has moved to where it has. */
static bool minimise(spd_blocks *a, double accuracy, double goal, bool plain, double before, double *f) {
    const double rough = a->shared || plain ? accuracy : fmax(accuracy, ROUGH);
    spd_blocks_model(a);
    for (double to = rough;; to = accuracy) {
        spd_blocks_descend(a, to);
        *f = spd_blocks_evaluate(a);
        if (!(*f <= before + 1e-13 * fabs(before))) {
            a->stiff = fmin(STIFFER * a->stiff, STIFF_MOST);
            *f = halve(a, before) ? a->loss + a->ridge + a->penalty : NAN;
            return false;
        }
        find_dual(a, plain);
        if (!plain && !a->shared && !(spd_blocks_first_bracket(a, 1) <= goal)) break;
        if (to == accuracy || spd_blocks_over(a)) {
            a->stiff = fmax(a->stiff / STIFFER, 1);
            return true;
        }
    }
    a->stiff = fmax(a->stiff / STIFFER, 1);
    return false;
}

void spd_blocks_solve(spd_blocks *a, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    const double lambda = spd_blocks_lambda(a), from = a->lambda;
    double finer = 1, gap = INFINITY;
    bool done = false, moved = true;
    *out = (spd_lasso_answer){.gap = INFINITY, .relative = INFINITY};
    a->stop = stop;
    choose_set(a);
    look_ahead(a);
    double f = spd_blocks_evaluate(a);
    for (int i = 0; i < MODELS_MOST && !done && isfinite(f) && !spd_blocks_over(a); i++) {
        const double goal = tol * fmax(fabs(f), a->reference);
        const double accuracy = fmax(fmin(finer * accuracy_for(a, goal), ACCURACY_MOST), ACCURACY_LEAST);
        moved = true;
        if (!minimise(a, accuracy, goal, plain, f, &f)) continue;
        const bool added = spd_blocks_prove(a, out);
        moved = false;
        out->proven = out->relative <= tol;
        done = out->proven && is_accurate(a, sqrt(tol));
        if (added || done) continue;
        if (accuracy == ACCURACY_LEAST && out->gap > 0.9 * gap) break; /* rounding */
        gap = out->gap;
        finer *= 0.1;
    }
    if (moved && isfinite(f)) { /* a proof is about the point it was made at */
        find_dual(a, plain);
        spd_blocks_prove(a, out);
        out->proven = out->relative <= tol;
    }
    out->settled = out->proven && is_settled(a);
    if (lambda != from) a->fallen = isfinite(from) ? from - lambda : 0;
    a->lambda = lambda;
}

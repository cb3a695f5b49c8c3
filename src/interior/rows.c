/* rows.c - the rows of a loss whose conjugate is quadratic on an interval (interior.h):
 *     phi(z) = max over low <= alpha <= high of alpha (z - b) - alpha^2/(2 kappa)
 *     z - b - alpha/kappa = s_high - s_low
 * With kappa = infinity phi has a corner at z = b: s_high and s_low are then the distances of z to either side of it.
 * The distances are w/W (alpha - low) and w/W (high - alpha), so that the products are in units of f. Rows of a smooth loss have
 * no pairs: alpha = phi'(z) and C = phi''(z) at u, and alpha changes by C dz. */
#include "interior/interior.h"

enum { HALVINGS = 200 };
static const double OFF = 1e-8;       /* relative to the interval: least distance from its ends */
static const double ROUNDING = 1e-14; /* relative error of a loss */

static double share(const spdhg_problem *p, int64_t i) { return spd_problem_share(p, i / p->K); }

/* The interval of slopes, from the limit at -infinity to that at +infinity. Rows without weight have no bounds. */
static void sides(const spdhg_problem *p, int64_t i, double *low, double *high) {
    const bool counts = share(p, i) > 0;
    *low = counts ? p->loss->slope(-INFINITY, p->b[i], p->loss_arg) : -INFINITY;
    *high = counts ? p->loss->slope(INFINITY, p->b[i], p->loss_arg) : INFINITY;
}

void spd_interior_rows_score(spd_interior *a) {
    const spdhg_problem *p = a->p;
    if (!a->rows) return;
    spd_problem_scores(p, a->threads, a->u, a->short_of);
    if (p->intercept) spd_problem_shift(p, a->u + p->dK, a->short_of);
    if (a->pieces)
        spd_axpy(p->n * p->K, -1, p->b, a->short_of);
    else
        a->loss = spd_problem_losses(p, a->threads, &(spd_scores){.z = a->short_of}, a->alpha, a->curve, a->scratch);
}

/* The alpha with z - b - alpha/kappa + m/(alpha - low) - m/(high - alpha) = 0, by bisection: the left side decreases. */
static double middle(double short_of, double kappa, double m, double low, double high) {
    double left = isfinite(low) ? low : fmin(-1, kappa * short_of - 1),
           right = isfinite(high) ? high : fmax(1, kappa * short_of + 1);
    if (isinf(low)) left = fmin(left, (isfinite(high) ? high : 0) - 1 - sqrt(m * kappa));
    if (isinf(high)) right = fmax(right, (isfinite(low) ? low : 0) + 1 + sqrt(m * kappa));
    for (int i = 0; i < HALVINGS; i++) {
        const double alpha = 0.5 * (left + right);
        if (alpha <= left || alpha >= right) break;
        const double value =
            short_of - alpha / kappa + (isfinite(low) ? m / (alpha - low) : 0) - (isfinite(high) ? m / (high - alpha) : 0);
        if (value > 0)
            left = alpha;
        else
            right = alpha;
    }
    return 0.5 * (left + right);
}

/* alpha for the barrier parameter m = mu W/w, kept away from the sides, where bisection ends if m is tiny. */
static double centre(double short_of, double kappa, double m, double low, double high) {
    if (isinf(low) && isinf(high)) return isinf(kappa) ? 0 : kappa * short_of;
    const double alpha = middle(short_of, kappa, m, low, high), off = OFF * (isfinite(high - low) ? high - low : 1);
    return fmin(fmax(alpha, low + off), high - off);
}

void spd_interior_rows_centre(spd_interior *a) {
    const spdhg_problem *p = a->p;
    for (int64_t i = 0; i < p->n * p->K && a->pieces; i++) {
        double low = -INFINITY, high = INFINITY;
        const double w = share(p, i);
        if (a->rows) sides(p, i, &low, &high);
        if (a->rows) a->alpha[i] = centre(a->short_of[i], p->kappa, a->mu / w, low, high);
        spd_pair_centre(a, 2 * i, isfinite(low) ? w * (a->alpha[i] - low) : INFINITY);
        spd_pair_centre(a, 2 * i + 1, isfinite(high) ? w * (high - a->alpha[i]) : INFINITY);
    }
}

/* C = 1/(1/kappa + sum of s/g), 0 for a row without weight or curvature
 * next = alpha + C (z - b - alpha/kappa + k_low - k_high) */
void spd_interior_rows_prepare(spd_interior *a) {
    const spdhg_problem *p = a->p;
    if (a->rows && !a->pieces) memcpy(a->next, a->alpha, (size_t)(p->n * p->K) * sizeof *a->next);
    for (int64_t i = 0; i < p->n * p->K && a->rows && a->pieces; i++) {
        const double stiff = 1 / p->kappa + share(p, i) * (spd_pair_ratio(a, 2 * i) + spd_pair_ratio(a, 2 * i + 1));
        a->curve[i] = stiff > 0 ? 1 / stiff : 0;
        a->next[i] = a->alpha[i] + a->curve[i] * (a->short_of[i] - a->alpha[i] / p->kappa + a->k[2 * i] - a->k[2 * i + 1]);
    }
}

/* alpha and its distances to the ends are moved separately, so that rounding may have put alpha beyond an end. */
void spd_interior_rows_keep(spd_interior *a, const double *alpha) {
    for (int64_t i = 0; i < a->p->n * a->p->K && a->rows && a->pieces; i++) {
        double low, high;
        sides(a->p, i, &low, &high);
        a->best_alpha[i] = fmin(fmax(alpha[i], low), high);
    }
}

/* move = A du + dc. */
static void find_move(spd_interior *a, double *move) {
    const spdhg_problem *p = a->p;
    if (a->fine && !a->stack) {
        spd_interior_fine_rows(a, move);
        return;
    }
    spd_problem_products(p, a->threads, a->du, move);
    if (p->intercept) spd_problem_shift(p, a->du + p->dK, move);
}

void spd_interior_rows_follow(spd_interior *a) {
    const spdhg_problem *p = a->p;
    double *move = a->scratch;
    if (!a->rows || !a->pieces) return;
    find_move(a, move);
    for (int64_t i = 0; i < p->n * p->K; i++) {
        a->next[i] += a->curve[i] * move[i] - a->alpha[i];
        a->dg[2 * i] = share(p, i) * a->next[i];
        a->dg[2 * i + 1] = -a->dg[2 * i];
    }
}

void spd_interior_rows_move(spd_interior *a, double step) {
    if (a->rows && a->pieces) spd_axpy(a->p->n * a->p->K, step, a->next, a->alpha);
}

/* The largest t = step, step/2, ... with
 *     l(u + t du) <= l(u) + t l'(u)du + t^2 du'l''(u)du
 * which allows twice the model's second-order term. A quadratic loss equals its model. */
double spd_interior_rows_trust(spd_interior *a, double step) {
    const spdhg_problem *p = a->p;
    double *move = a->next, slope = 0, bend = 0, t = step;
    if (!a->rows || a->pieces || p->loss->quadratic) return step;
    find_move(a, move);
    for (int64_t i = 0; i < p->n * p->K; i++) slope += share(p, i) * a->alpha[i] * move[i];
    for (int64_t i = 0; i < p->n * p->K && p->loss->value; i++) bend += share(p, i) * a->curve[i] * move[i] * move[i];
    for (int64_t i = 0; i < p->n && !p->loss->value; i++) {
        p->loss->second_k(a->curve + i * p->K, p->K, p->b[i], move + i * p->K, a->fix);
        bend += spd_problem_share(p, i) * spd_dot(p->K, a->fix, move + i * p->K);
    }
    for (int h = 0; h < HALVINGS; h++, t *= 0.5) {
        const spd_scores at = {.z = a->short_of, .move = move, .t = t};
        const double loss = spd_problem_losses(p, a->threads, &at, NULL, NULL, a->scratch);
        if (loss <= a->loss + t * slope + t * t * bend + ROUNDING * fabs(a->loss)) return t;
    }
    return t;
}

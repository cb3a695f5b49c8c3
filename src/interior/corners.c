/* corners.c - the rows of a loss with a corner at z = b, on the face of the minimiser (crossover.c). A row is at its corner,
 * z_i = b_i, or its alpha is one of the two slopes. The rows at their corners are constraints like F_Z x = 0, with multipliers
 * alpha:
 *     curve_i = rho, alpha_i += rho (z_i - b_i)   at the corner
 *     curve_i = 0,   alpha_i = low or high        elsewhere
 * The guess is right if low <= alpha_i <= high at the corner, and z_i is on the side of its slope elsewhere. */
#include <float.h>

#include "interior/interior.h"

static const double OUTSIDE = 1e-12; /* relative to high - low: tolerance of alpha */

static void sides(const spdhg_problem *p, int64_t i, double *low, double *high) {
    *low = p->loss->slope(-INFINITY, p->b[i], p->loss_arg);
    *high = p->loss->slope(INFINITY, p->b[i], p->loss_arg);
}

static bool counts(const spdhg_problem *p, int64_t i) { return spd_problem_share(p, i / p->K) > 0; }

/* The distance g to an end of the interval stays large if the row is at its corner, and decreases with mu if it is not. */
void spd_corners_read(spd_interior *a, double fall, double rho) {
    const spdhg_problem *p = a->p;
    for (int64_t i = 0; i < p->n * p->K && a->corners; i++) {
        const double before[] = {a->g[2 * i] - a->step * a->dg[2 * i], a->g[2 * i + 1] - a->step * a->dg[2 * i + 1]};
        const bool down = a->g[2 * i] < sqrt(fall) * before[0], up = a->g[2 * i + 1] < sqrt(fall) * before[1];
        double low, high;
        sides(p, i, &low, &high);
        const bool corner = counts(p, i) && down == up;
        a->curve[i] = corner ? rho : 0;
        a->next[i] = !counts(p, i) ? 0 : corner ? a->alpha[i] : up ? high : low;
    }
}

/* A computed z is off by about this. */
static double rounding_of(const spdhg_problem *p, const double *x) {
    return 8 * DBL_EPSILON *
           (spd_max_abs(p->n * p->targets, p->b) + sqrt(p->row_norm2_max) * spd_norm2(p->dK, x) +
            (p->intercept ? spd_max_abs(p->K, x + p->dK) : 0));
}

void spd_corners_score(spd_interior *a, const double *x) {
    const spdhg_problem *p = a->p;
    spd_problem_scores(p, a->threads, x, a->short_of);
    if (p->intercept) spd_problem_shift(p, x + p->dK, a->short_of);
    spd_axpy(p->n * p->K, -1, p->b, a->short_of);
}

/* alpha + rho (z - b), whose A' is the gradient of the augmented loss. */
const double *spd_corners_pull(spd_interior *a) {
    for (int64_t i = 0; i < a->p->n * a->p->K; i++) a->pulled[i] = a->next[i] + a->curve[i] * a->short_of[i];
    return a->pulled;
}

/* z - b follows the step du, and alpha follows z - b. */
void spd_corners_move(spd_interior *a) {
    const spdhg_problem *p = a->p;
    spd_problem_products(p, a->threads, a->du, a->pulled);
    if (p->intercept) spd_problem_shift(p, a->du + p->dK, a->pulled);
    for (int64_t i = 0; i < p->n * p->K; i++) {
        a->short_of[i] += a->pulled[i];
        a->next[i] += a->curve[i] * a->short_of[i];
    }
}

bool spd_corners_hold(const spd_interior *a, const double *x) {
    const double most = rounding_of(a->p, x);
    for (int64_t i = 0; i < a->p->n * a->p->K; i++)
        if (a->curve[i] > 0 && fabs(a->short_of[i]) > most) return false;
    return true;
}

/* Moves rows that violate the conditions to or away from their corner; returns how many there were. */
int64_t spd_corners_change(spd_interior *a, const double *x, double rho) {
    const spdhg_problem *p = a->p;
    const double most = rounding_of(p, x);
    int64_t changed = 0;
    for (int64_t i = 0; i < p->n * p->K && a->corners; i++) {
        double low, high;
        sides(p, i, &low, &high);
        if (!counts(p, i)) continue;
        const double off = OUTSIDE * (high - low), alpha = a->next[i], side = alpha == high ? 1 : -1;
        const bool corner = a->curve[i] > 0, out = corner && (alpha < low - off || alpha > high + off),
                   in = !corner && side * a->short_of[i] < -most;
        if (in) a->curve[i] = rho;
        if (out) a->curve[i] = 0;
        if (corner) a->next[i] = fmin(fmax(alpha, low), high);
        changed += out || in;
    }
    return changed;
}

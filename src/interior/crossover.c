/* crossover.c - from the interior to the face of the minimiser (l1, X = R^d). The zeros Z of F x and the signs of its other
 * entries are guessed from the iterates, and
 *     min l(x) + (gamma/2)|x|^2 + sum_{e not in Z} lambda sign_e F_e x    over F_Z x = 0
 * is solved by Newton's method and the method of multipliers with the same factor:
 *     ( l'' + gamma I + rho F_Z'F_Z ) dx = -( l' + gamma x + F'y + rho F_Z'F_Z x )
 *     y_Z += rho F_Z x
 *     y_e = lambda sign_e for e not in Z
 * The solution is the minimiser if |y_Z| <= lambda and the signs are those of F x. Rows that violate this move into or out of Z,
 * and the solve is repeated a few times. A loss with corners has rows of the same kind (corners.c). */
#include <float.h>

#include "interior/interior.h"

enum { ROUNDS = 8, ROUNDS_CORNERS = 20, ROUNDS_ROUGH = 2, SHARPENINGS = 2 };
/* rho relative to the curvature along the rows: so large that few rounds suffice where Z leaves long stretches, as the rounds
 * shrink the error by rho |F_Z x|^2 / l'' of its smoothest part; so small that rounding rho F'F
 * leaves this many digits of l''. */
static const double KEPT = 1e-3;
static const double FINE = 1e7;         /* times as much with twice the digits */
static const double RHO_CORNERS = 1e6;  /* the same for a loss with corners, whose only curvature is the ridge: alpha is off by
                                        * rho times the rounding of z, and that must be small beside gamma x */
static const double PROX = 1e-11;       /* relative to rho: holds x where the face leaves it undetermined (even medians) */
static const double PROX_COMMON = 1e-3; /* relative to the curvature: the same for softmax, of what is common to all classes */
static const double RESIDUAL = 1e-4, RESIDUAL_CORNERS = 1e-12; /* of a system: every round corrects the one before */
static const double OUTSIDE = 1e-12;                           /* relative to lambda: tolerance of |y| <= lambda */
static const double NEAR = 1e-8; /* relative to x: a Newton step below this that no longer shrinks is rounding */

bool spd_interior_can_cross(const spd_interior *a) {
    bool l1 = spd_interior_is_free(a);
    for (int64_t t = 0; t < a->p->terms; t++) l1 = l1 && (a->p->term[t].penalty->sum_of_sizes || !(a->p->term[t].lambda > 0));
    return l1;
}

/* sign of F_e x; 0: e is in Z. The distance g to a side stays large if the row is zero, and decreases with mu if it is not. */
static void read_signs(const spd_interior *a, double fall, double *sign) {
    for (int64_t t = 0; t < a->p->terms; t++)
        for (int64_t q = 0; q < a->p->term[t].m * a->p->K; q++) {
            const int64_t e = a->p->term[t].first + q, i = spd_pairs_terms(a) + 2 * e;
            const double low = a->g[i] - a->step * a->dg[i], high = a->g[i + 1] - a->step * a->dg[i + 1];
            const bool down = a->g[i] < sqrt(fall) * low, up = a->g[i + 1] < sqrt(fall) * high;
            sign[e] = !(a->p->term[t].lambda > 0) || down == up ? 0 : up ? 1 : -1;
        }
}

static double lambda_of(const spd_interior *a, int64_t *t, int64_t e) {
    while (e >= a->p->term[*t].first + a->p->term[*t].m * a->p->K) (*t)++;
    return a->p->term[*t].lambda;
}

/* rho of a row of F. Of a row of the loss, which counts w_i/W times: W times this. */
static double rho_of(const spd_interior *a) {
    const spdhg_problem *p = a->p;
    const double norm = spd_problem_structure_norm(p), most = KEPT / (DBL_EPSILON * (norm > 0 ? norm * norm : 1));
    if (a->corners) return RHO_CORNERS * (p->gamma > 0 ? p->gamma : 1 / p->W);
    return (a->fine ? FINE * most : most) * ((isfinite(p->kappa) ? p->kappa : 1) / p->W + p->gamma);
}

/* Softmax does not change if the same is added to all classes: only the penalty holds x there, and not along Fx = 0. */
static double prox_of(const spd_interior *a) {
    const spdhg_problem *p = a->p;
    if (p->gamma > 0) return 0;
    if (!p->loss->value) return PROX_COMMON * p->kappa / p->W;
    return a->corners ? PROX * rho_of(a) * fmax(1, p->row_norm2_max) : 0;
}

/* Sets rho for the rows in Z, and y for the other rows. */
static void set_weights(spd_interior *a, const double *sign) {
    const int64_t mK = a->p->m * a->p->K;
    for (int64_t e = 0, t = 0; e < mK; e++) {
        const double lambda = lambda_of(a, &t, e);
        a->weight[e] = sign[e] == 0 && lambda > 0 ? rho_of(a) : 0;
        if (sign[e] != 0 || !(lambda > 0)) a->next_y[e] = lambda * sign[e];
    }
}

/* Scores, slopes and curvatures at x. Those of corners only follow the steps, as F x does. */
static void evaluate(spd_interior *a, const double *x, bool first) {
    const spdhg_problem *p = a->p;
    if (a->corners && first) spd_corners_score(a, x);
    if (a->corners) return;
    spd_problem_scores(p, a->threads, x, a->short_of);
    if (p->intercept) spd_problem_shift(p, x + p->dK, a->short_of);
    spd_problem_losses(p, a->threads, &(spd_scores){.z = a->short_of}, a->next, a->curve, a->scratch);
}

/* -( l' + gamma x + F'(y + weight F x) ) */
static void right_side(spd_interior *a, const double *x) {
    const spdhg_problem *p = a->p;
    double *sum = a->fix;
    const double *slope = a->corners ? spd_corners_pull(a) : a->next;
    spd_problem_adjoint(p, a->threads, slope, sum, p->intercept ? sum + p->dK : NULL, a->scratch);
    spd_axpy(p->dK, p->gamma, x, sum);
    for (int64_t e = 0; e < p->m * p->K; e++) a->work[e] = a->next_y[e] + a->weight[e] * a->dz[e];
    spd_problem_add_transposed(p, a->work, sum);
    for (int64_t i = 0; i < a->n; i++) a->rhs[i] = -sum[i];
}

/* The largest |F_e x| over Z. */
static double largest_in(const spd_interior *a, const double *sign) {
    double most = 0;
    for (int64_t e = 0; e < a->p->m * a->p->K; e++) most = fmax(most, sign[e] == 0 && a->weight[e] > 0 ? fabs(a->dz[e]) : 0);
    return most;
}

/* The size of x, to which its digits are relative. At a corner z = b fixes x up to |b|/|a|, even if x is 0. */
static double size_of(const spd_interior *a, const double *x) {
    const spdhg_problem *p = a->p;
    const double size = spd_norm2(p->dK, x), row = sqrt(p->row_norm2_max);
    return a->corners && row > 0 ? size + spd_max_abs(p->n * p->K, p->b) / row : size;
}

/* Computes x on the face, and y there; rough: only so far that wrong rows show. F x is updated by the steps: if it were
 * recomputed, y would contain its rounding errors times rho. */
static bool settle(spd_interior *a, const double *sign, double *x, bool rough) {
    const spdhg_problem *p = a->p;
    const int most = rough ? ROUNDS_ROUGH : a->corners ? ROUNDS_CORNERS : ROUNDS;
    double moved = INFINITY;
    spd_problem_apply(p, x, a->dz);
    for (int round = 0; round < most; round++) {
        evaluate(a, x, round == 0);
        const bool changed = !p->loss->quadratic || (a->pieces && !a->corners);
        if ((round == 0 || changed) && !a->algebra->factor(a)) return false;
        right_side(a, x);
        a->algebra->solve(a, a->rhs, a->du);
        if (spd_stop_now(a->stop) || !spd_all_finite(a->n, a->du)) return false;
        spd_axpy(a->n, 1, a->du, x);
        spd_interior_terms_shift(a, a->work);
        spd_axpy(p->m * p->K, 1, a->work, a->dz);
        for (int64_t e = 0; e < p->m * p->K; e++) a->next_y[e] += a->weight[e] * a->dz[e];
        if (a->corners) spd_corners_move(a);
        const double size = size_of(a, x), before = moved;
        moved = spd_norm2(a->n, a->du);
        const bool still = moved <= DBL_EPSILON * size || (moved <= NEAR * size && moved > 0.5 * before); /* only rounding */
        const bool closed = largest_in(a, sign) <= DBL_EPSILON * size && (!a->corners || spd_corners_hold(a, x));
        if (still && closed) return true;
    }
    a->fine = a->fine || (!rough && spd_interior_can_refine(a)); /* rho was too small: the next attempt has a larger one */
    return rough;
}

/* Moves rows that violate the conditions into or out of Z; returns how many there were. */
static int64_t change_sides(const spd_interior *a, double *sign) {
    int64_t changed = 0;
    for (int64_t e = 0, t = 0; e < a->p->m * a->p->K; e++) {
        const double lambda = lambda_of(a, &t, e), y = a->next_y[e];
        const bool out = sign[e] == 0 && fabs(y) > (1 + OUTSIDE) * lambda, in = sign[e] != 0 && sign[e] * a->dz[e] < 0;
        if (out) sign[e] = y > 0 ? 1 : -1;
        if (in) sign[e] = 0;
        changed += out || in;
    }
    return changed;
}

/* Rows move as long as violations at least halve; once there are none, x is computed to the last digit. */
static bool find_face(spd_interior *a, double *sign, double *x) {
    int64_t wrong = INT64_MAX, before;
    bool rough = !a->corners;
    for (;;) {
        before = wrong;
        set_weights(a, sign);
        if (!settle(a, sign, x, rough)) return false;
        wrong = change_sides(a, sign) + spd_corners_change(a, x, a->p->W * rho_of(a));
        if (wrong > 0 && wrong >= before / 2) return false;
        if (wrong > 0) continue;
        if (!rough) return true;
        rough = false;
        wrong = INT64_MAX;
    }
}

/* z - b and F x that only followed the steps are off by what the steps were rounded by, and f at a corner by just that. Computed
 * afresh, they move x alone: alpha and y would take up rho times their rounding. */
static void sharpen(spd_interior *a, double *x) {
    for (int round = 0; round < SHARPENINGS; round++) {
        spd_corners_score(a, x);
        spd_problem_apply(a->p, x, a->dz);
        right_side(a, x);
        a->algebra->solve(a, a->rhs, a->du);
        if (!spd_all_finite(a->n, a->du)) return;
        spd_axpy(a->n, 1, a->du, x);
    }
}

bool spd_interior_cross(spd_interior *a, double fall) {
    const int64_t mK = a->p->m * a->p->K;
    double *x = a->q, *sign = a->goal;
    read_signs(a, fall, sign);
    spd_corners_read(a, fall, a->p->W * rho_of(a));
    memcpy(x, a->u, (size_t)a->n * sizeof *x);
    memcpy(a->next_y, a->y, (size_t)mK * sizeof *a->y);
    a->prox = prox_of(a);
    const double residual = a->residual;
    a->residual = a->corners ? RESIDUAL_CORNERS : RESIDUAL;
    const bool found = find_face(a, sign, x);
    if (found && a->corners) sharpen(a, x);
    a->prox = 0;
    a->residual = residual;
    if (found) {
        memcpy(a->best_u, x, (size_t)a->n * sizeof *x);
        memcpy(a->best_y, a->next_y, (size_t)mK * sizeof *a->y);
        spd_interior_rows_keep(a, a->next);
    }
    spd_interior_rows_score(a); /* restores the scores at u */
    return found;
}

/* dual_newton.c - a better dual point for the same x, where alpha = phi'(z) is not good enough.
 * Where phi'' (a narrow kink) or a column of A is large, no x made of doubles has a phi'(A x) with a small v. The best alpha
 * belongs to x + p, with p far below the last digits of x. One step of Newton's method finds it:
 *     ( A'CA/W + gamma I + sum_t sigma_t F_t'D_t F_t ) p + tau s = -(v + gamma x)
 *     s'p = 0
 *     alpha += C A p
 *     y = projection of y + sigma D F p
 * C = phi''(z). D is the derivative of the projection onto lambda Y at y + sigma F x. tau and s belong to a set X that couples
 * the entries of x (set.h). An x_j that is held at a side of X has p_j = 0. sigma only decides how much of v is left to y.
 * At a corner z = b of the loss every alpha of its interval will do. C is then the distance of alpha to the nearer end, and 0 for
 * the other rows, whose alpha is the slope there.
 * In each round v is computed, and alpha stored (alpha + low), in twice the precision. This makes v_j small where |a_j| is large.
 * The result needs no proof: its gap is computed like that of any other dual point. */
#include <float.h>

#include "certify/certify.h"

enum { UNKNOWNS_MOST = 300, ROUNDS = 5, ROUNDS_CORNERS = 20, FIRST = 1 };
static const double FURTHEST = 0.9;  /* of the way to an end of the interval, for an alpha at a corner */
static const double STILL = 1e-3;    /* of lambda: how far sigma F x moves y */
static const double AT_END = 0.01;   /* of the interval: the way that an alpha at its end is given at first */
static const double WORK_MOST = 1e9; /* multiplications, to assemble the system once */

bool spd_dual_newton_may(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const double N = (double)spd_problem_normal_size(p);
    return N <= UNKNOWNS_MOST && N * N * (double)(p->n * p->K) + N * (double)(p->m * p->K) * (double)p->K <= WORK_MOST;
}

static bool allocate(spd_newton_dual *a, const spdhg_problem *p, int threads) {
    const int64_t N = spd_problem_normal_size(p), nK = p->n * p->K, mK = p->m * p->K;
    const int64_t normal = spd_problem_normal_work(p, threads), gradient = spd_problem_gradient_work(p);
    const int64_t columns = N + p->K; /* scores read K intercept entries even without an intercept */
    if (!a->M) a->M = SPD_NEW(double, N *N + 5 * columns + 3 * nK + 2 * mK + p->terms + (normal > gradient ? normal : gradient));
    if (!a->M) return false;
    double **const parts[] = {&a->scale, &a->r, &a->p, &a->s, &a->reply};
    double *next = a->M + N * N;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, next += columns) *parts[i] = next;
    double **const rows[] = {&a->low, &a->curve, &a->t};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, next += nK) *rows[i] = next;
    a->point = next;
    a->direction = a->point + mK;
    a->sigma = a->direction + mK;
    a->scratch = a->sigma + p->terms;
    return true;
}

/* The domain of alpha: between the limits of the slope at -infinity and +infinity. */
static void domain(const spdhg_problem *p, int64_t i, double *least, double *most) {
    *least = p->loss->slope(-INFINITY, p->b[i], p->loss_arg);
    *most = p->loss->slope(INFINITY, p->b[i], p->loss_arg);
}

/* C of a loss with corners: a row counts as one at its corner if rounding x would move it there, or if the gap can afford any
 * alpha there. */
static void corners(spd_certifier *c, const spd_trial *at, bool first) {
    const spdhg_problem *p = c->problem;
    const double along = sqrt(p->row_norm2_max) * spd_norm2(p->dK, at->x);
    const double affordable = SPD_GAP_SHARE * c->enough * spd_gap_scale(c, at->objective) / (double)(p->n * p->K);
    for (int64_t i = 0; i < p->n * p->K; i++) {
        double least, most, *alpha = &c->alpha[i];
        domain(p, i, &least, &most);
        const double off = fabs(at->z[i] - p->b[i]), cost = spd_problem_share(p, i / p->K) * (most - least) * off;
        const bool corner = cost <= affordable || off <= 8 * DBL_EPSILON * (along + fabs(at->z[i]) + fabs(p->b[i]));
        if (!corner) *alpha = at->z[i] > p->b[i] ? most : least;
        if (!corner) c->newton.low[i] = 0;
        c->newton.curve[i] = corner ? fmax(fmin(*alpha - least, most - *alpha), first ? AT_END * (most - least) : 0) : 0;
    }
}

/* phi'' at z or, where that is 0, at a point within the rounding of z; 0 where alpha is held at an end of its domain. For a
 * coupled loss z itself. */
static void curvatures(spd_certifier *c, const spd_trial *at, bool first) {
    const spdhg_problem *p = c->problem;
    if (spd_problem_has_corners(p)) {
        corners(c, at, first);
        return;
    }
    for (int64_t i = 0; i < p->n * p->K; i++) {
        double *curve = &c->newton.curve[i];
        const double z = at->z[i], b = p->loss->value ? p->b[i] : 0, beside = 4 * DBL_EPSILON * (fabs(z) + fabs(b));
        if (!p->loss->value) {
            *curve = z;
            continue;
        }
        *curve = c->forced && c->forced[i / p->K] ? 0 : p->loss->second(z, b, p->loss_arg);
        for (int side = -1; side <= 1 && *curve == 0 && !(c->forced && c->forced[i / p->K]); side += 2)
            *curve = p->loss->second(z + side * beside, b, p->loss_arg);
        if (first || *curve == 0) continue;
        double least, most;
        domain(p, i, &least, &most);
        if (c->alpha[i] <= least || c->alpha[i] >= most) *curve = 0;
    }
}

/* sigma_t: the largest curvature of a column j, by ||F_j||^2, so that y absorbs as much as it can. still: the least, and so small
 * that sigma F x tells no more than y does of where y is at the side of its ball. */
static void find_sigma(spd_certifier *c, const double *Fx, bool still) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    const int64_t N = spd_problem_normal_size(p);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double size = spd_max_abs(term->m * p->K, Fx + term->first);
        double most = term->lambda, least = size > 0 ? STILL * term->lambda / size : INFINITY;
        for (int64_t q = 0; q < p->dK; q++) {
            const double norm = c->F_norm[q / p->K], curve = a->M[q * (N + 1)];
            if (norm > 0) most = fmax(most, curve / norm / norm);
            if (norm > 0 && curve > 0) least = fmin(least, curve / norm / norm);
        }
        const double sigma = still ? fmin(least, most) : most;
        a->sigma[t] = term->penalty->project_derivative && term->lambda > 0 ? sigma : 0;
    }
}

/* a->direction = sigma D F q, D at a->point. */
static void bend(spd_certifier *c, const double *q) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        double *direction = a->direction + term->first;
        memset(direction, 0, (size_t)(term->m * p->K) * sizeof *direction);
        if (!(a->sigma[t] > 0)) continue;
        spd_term_apply(term, p->K, q, direction);
        spd_term_project_derivative(term, p->K, a->point + term->first, direction, c->work);
        spd_scale(term->m * p->K, a->sigma[t], direction);
    }
}

/* First point = y + sigma F x and y = projection of point. Then, lower triangle only:
 *     M = A'CA/W + gamma I + F'sigma D F */
static bool assemble(spd_certifier *c, const spd_trial *at, bool still) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    const int64_t N = spd_problem_normal_size(p);
    if (!spd_problem_normal_matrix(p, c->threads, a->curve, a->M, a->scratch, c->stop)) return false;
    find_sigma(c, at->Fx, still);
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t e = p->term[t].first; e < p->term[t].first + p->term[t].m * p->K; e++)
            c->y[e] = a->point[e] = c->y[e] + a->sigma[t] * at->Fx[e];
    spd_problem_project_dual(p, c->y, c->work);
    double *unit = a->p, *column = a->reply;
    memset(unit, 0, (size_t)N * sizeof *unit);
    for (int64_t q = 0; q < p->dK && p->m > 0; q++) {
        unit[q] = 1;
        bend(c, unit);
        unit[q] = 0;
        memset(column, 0, (size_t)N * sizeof *column);
        spd_problem_add_transposed(p, a->direction, column);
        for (int64_t i = q; i < p->dK; i++) a->M[i * N + q] += column[i];
    }
    for (int64_t q = 0; q < p->dK; q++) a->M[q * (N + 1)] += p->gamma;
    return !spd_stop_now(c->stop);
}

/* True if x_q does not move because a side of X holds it against w = v + gamma x. tau: the multiplier of X. */
static bool is_held(const spdhg_problem *p, double x, double w, double tau, spd_set_side side, double *s) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (side == SPD_SIDE_NONE) return (x <= low && w >= 0) || (x >= high && w <= 0);
    if (*s != 0) return false;
    const double pull = isfinite(low) ? -w : fabs(w); /* a simplex has one side only */
    if (pull <= tau) return true;
    *s = isfinite(low) || w < 0 ? 1 : -1;
    return false;
}

/* r = -(v + gamma x); scale = 0 for entries of x that are held. */
static void find_right_side(spd_certifier *c, const spd_trial *at, double tau, spd_set_side side) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    for (int64_t q = 0; q < spd_problem_normal_size(p); q++) {
        const double w = q < p->dK ? c->v[q] + p->gamma * at->x[q] : c->v0[q - p->dK];
        const bool held = q < p->dK && is_held(p, at->x[q], w, tau, side, &a->s[q]);
        a->scale[q] = held ? 0 : 1;
        a->r[q] = held ? 0 : -w;
        if (held || q >= p->dK || side == SPD_SIDE_NONE) a->s[q] = 0;
    }
}

/* Moves one row of a coupled loss. The probabilities q_k = alpha_k + (1 if k is the row's class) keep at least half of their
 * value. */
static void move_coupled(spd_certifier *c, const spd_trial *at, int64_t i) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double *change = c->work, *alpha = c->alpha + i * K, *low = c->newton.low + i * K, part = 1;
    p->loss->second_k(at->z + i * K, K, p->b[i], c->newton.t + i * K, change);
    for (int64_t k = 0; k < K; k++) {
        const double q = alpha[k] + ((double)k == p->b[i]);
        if (-change[k] > 0.5 * q) part = fmin(part, 0.5 * q / -change[k]);
    }
    for (int64_t k = 0; k < K; k++) {
        const spd_twofold sum = spd_twofold_add((spd_twofold){alpha[k], low[k]}, part * change[k]);
        alpha[k] = sum.high;
        low[k] = sum.low;
    }
}

/* alpha + low += C A p, kept in the domain; y += sigma D F p, kept in its ball. */
static void move(spd_certifier *c, const spd_trial *at) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    const int64_t K = p->K;
    const bool corners = spd_problem_has_corners(p);
    spd_problem_products(p, c->threads, a->p, a->t);
    if (p->intercept) spd_problem_shift(p, a->p + p->dK, a->t);
    for (int64_t i = 0; i < p->n && !p->loss->value; i++) move_coupled(c, at, i);
    for (int64_t i = 0; i < p->n * K && p->loss->value; i++) {
        const double furthest = corners ? FURTHEST : INFINITY; /* C is the way */
        spd_twofold alpha =
            spd_twofold_add((spd_twofold){c->alpha[i], a->low[i]}, a->curve[i] * fmax(fmin(a->t[i], furthest), -furthest));
        double least, most;
        domain(p, i, &least, &most);
        if (alpha.high >= most) alpha = (spd_twofold){most, 0};
        if (alpha.high <= least) alpha = (spd_twofold){least, 0};
        c->alpha[i] = alpha.high;
        a->low[i] = alpha.low;
    }
    bend(c, a->p);
    spd_axpy(p->m * K, 1, a->direction, c->y);
    spd_problem_project_dual(p, c->y, c->work);
}

bool spd_dual_newton(spd_certifier *c, const spd_trial *at, bool still) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    if (!allocate(a, p, c->threads)) return false;
    spd_dual_measure_columns(c);
    memset(a->low, 0, (size_t)(p->n * p->K) * sizeof *a->low);
    c->low = a->low;
    double tau = INFINITY;
    bool inside = !p->set.kind->side;
    for (int round = 0; round < (spd_problem_has_corners(p) ? ROUNDS_CORNERS : ROUNDS); round++) {
        curvatures(c, at, round < FIRST);
        if (!assemble(c, at, still)) return false;
        spd_dual_error_of_v(c);
        if (!spd_dual_fine_v(c)) return false;
        const spd_set_side side = inside ? SPD_SIDE_NONE : p->set.kind->side(p->dK, p->set.arg, at->x, a->s);
        find_right_side(c, at, tau, side);
        if (!spd_newton_dual_solve(a, spd_problem_normal_size(p), &tau)) return false;
        inside =
            side == SPD_SIDE_NONE || (side == SPD_SIDE_OUTWARD && !(tau > 0)); /* a multiplier of the wrong sign: x is inside */
        if (inside && side != SPD_SIDE_NONE) continue;
        move(c, at);
    }
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, a->scratch);
    spd_dual_error_of_v(c);
    return spd_dual_fine_v(c);
}

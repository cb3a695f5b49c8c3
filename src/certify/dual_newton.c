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
static const double STILL = 1e-3;    /* of lambda: how far sigma F x moves y; */
static const double SEEN = 1e-10;    /* but no less of the largest sigma, which rounding of M would hide */
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

/* sigma_t = max_j (curvature of column j) / ||F_j||^2, so that y absorbs as much as it can. still: so small that sigma F x does
 * not move y from where it is at the side of its ball. */
static void find_sigma(spd_certifier *c, const double *x, bool still) {
    const spdhg_problem *p = c->problem;
    spd_newton_dual *a = &c->newton;
    const int64_t N = spd_problem_normal_size(p);
    for (int64_t t = 0; t < p->terms; t++) {
        double most = p->term[t].lambda, size = 0;
        for (int64_t q = 0; q < p->dK; q++) {
            const double norm = c->F_norm[q / p->K];
            if (norm > 0) most = fmax(most, a->M[q * (N + 1)] / norm / norm);
            size = fmax(size, norm * fabs(x[q]));
        }
        if (still) most = fmin(most, fmax(STILL * p->term[t].lambda / size, SEEN * most));
        a->sigma[t] = p->term[t].penalty->project_derivative && p->term[t].lambda > 0 ? most : 0;
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
    find_sigma(c, at->x, still);
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
 * value. The largest takes up what the sum of alpha is off 0: rounded to doubles it is 1e-16, and moves no p can undo. */
static void move_coupled(spd_certifier *c, const spd_trial *at, int64_t i) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double *change = c->work, *alpha = c->alpha + i * K, *low = c->newton.low + i * K, part = 1, most = 0;
    int64_t largest = 0;
    p->loss->second_k(at->z + i * K, K, p->b[i], c->newton.t + i * K, change);
    for (int64_t k = 0; k < K; k++) {
        const double q = alpha[k] + ((double)k == p->b[i]);
        if (-change[k] > 0.5 * q) part = fmin(part, 0.5 * q / -change[k]);
        if (q > most) largest = k;
        most = fmax(most, q);
    }
    spd_twofold left = {0, 0};
    for (int64_t k = 0; k <= K; k++) {
        const int64_t to = k < K ? k : largest;
        const spd_twofold by = k < K ? (spd_twofold){part * change[k], 0} : left;
        const spd_twofold sum = spd_twofold_add(spd_twofold_add((spd_twofold){alpha[to], low[to]}, by.high), by.low);
        alpha[to] = sum.high;
        low[to] = sum.low;
        left = spd_twofold_add(spd_twofold_add(left, -sum.high), -sum.low);
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
        spd_newton_dual_domain(p, i, &least, &most);
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
        spd_newton_dual_curvatures(c, at, round < FIRST);
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

/* proof.c - the duality gap of blocks.h's problem (docs/certificate.md has the mathematics). With G = A'(share alpha), d x K,
 * and any alpha_i in dom phi_i* whose weighted sum is 0 if there is an intercept,
 *
 *   GAP = sum_i share_i [ phi_i(z_i) + phi_i*(alpha_i) - alpha_i'z_i ]  +  sum_b [ psi(x_b) + psi*(-G_b) + G_b'x_b ]
 *   psi(x) = (gamma/2)||x||^2 + lambda w_b ||x||,   psi*(-G) = max(||G|| - lambda w_b, 0)^2 / (2 gamma),
 *   without ridge ||G_b|| <= lambda w_b is needed; of numbers penalised one by one, all this is meant number by number
 *
 * All that rounding may change is in the gap, as in lasso/proof.c: G_jk is off by E_jk = off_k norm_j + lost. For the sum of
 * alpha, the alphas of the heavier sign are multiplied by 1 - tau, output by output. Chances q_i = alpha_i + e_b are mixed
 * instead, with one
 * distribution u:  q_i becomes (1 - tau) q_i + tau u,  u = (M - (1 - tau) Q)/tau  with the mean Q of q_i and the shares M of the
 * classes, which is one if tau Q_k >= Q_k - M_k. That costs tau ( log sum exp z_i - u'z_i ), and moves G_jk by tau norm_j.
 * Before, what the sum of a row's alpha lacks to 0 (`loose`) is taken from its largest chance, which is at least 1/(2K).
 * Without ridge alpha is shrunk until ||G_b|| + E_b <= lambda w_b. */
#include <float.h>

#include "blocks/blocks.h"

static const double UNIT = 0.5 * DBL_EPSILON;
static const double GENEROUS = 1.01;
static const double TINY = 1e-150; /* the square of a smaller number may underflow */

static double rounding(double k) { return k * UNIT / (1 - k * UNIT); }

/* sqrt( sum_i share_i alpha_i^2 ) or a little more */
static double length(const spd_blocks *a, const double *alpha) {
    const int64_t n = a->p->n;
    const double most = spd_max_abs(n, alpha), up = spd_power_near_inverse(most);
    double s[8] = {0};
    for (int64_t i = 0; i < n; i++) s[i & 7] += a->share[i] * (up * alpha[i]) * (up * alpha[i]);
    const double sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    return (sqrt(sum) * (1 + ((double)n + 32) * DBL_EPSILON) + TINY) / up;
}

static double looseness(const spd_blocks *a) {
    const int64_t n = a->p->n, K = a->p->K;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < K; k++) {
            sum += a->alpha[k * n + i];
            size += fabs(a->alpha[k * n + i]);
        }
        most = fmax(most, fabs(sum) + rounding((double)K + 2) * size);
    }
    return most;
}

/* The share of class k, or a little less. */
static double mass(const spd_blocks *a, int64_t k) {
    double sum = 0;
    for (int64_t i = 0; i < a->p->n; i++)
        if ((int64_t)a->p->b[i] == k) sum += a->share[i];
    return 0.999 * sum;
}

/* What can be said of alpha alone; r = share alpha. */
static spd_block_dual measure(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n;
    const double rows = (double)n, many = rounding(rows / 4 + 16);
    spd_block_dual u = {.lost = 2 * rows * DBL_MIN, .scale = 1, .loose = a->coupled ? looseness(a) : 0};
    double square = 0, mixed = 0;
    for (int64_t k = 0; k < p->K; k++) {
        const double *alpha = a->alpha + k * n, size = length(a, alpha);
        const double vanished = rows * 8 * DBL_TRUE_MIN * (1 + spd_max_abs(n, alpha)) / TINY;
        double *r = a->r + k * n, tau = 0;
        for (int64_t i = 0; i < n; i++) r[i] = a->share[i] * alpha[i];
        if (p->intercept) {
            const double sum = spd_dot(n, r, a->one), sizes = spd_sum_abs(n, r),
                         miss = fabs(sum) + 2 * many * sizes + u.lost + u.loose;
            const double side = a->coupled ? mass(a, k) - miss : 0.5 * (sizes + fabs(sum)) * (1 - 4 * many) - miss;
            const bool may = a->coupled ? side > 0 : side > 0 && sizes > fabs(sum) + miss;
            tau = may ? GENEROUS * miss / side : INFINITY;
            if (!(tau < 0.5)) tau = INFINITY;
        }
        u.tau = fmax(u.tau, tau);
        mixed = fmax(mixed, a->coupled ? tau : 0);
        a->off[k] =
            GENEROUS * (rounding((double)a->A.longest / 4 + 24) * size + vanished + u.loose + (a->coupled ? 0 : tau * size));
    }
    for (int64_t k = 0; k < p->K; k++) {
        a->off[k] += GENEROUS * mixed;
        square += a->off[k] * a->off[k];
    }
    u.all = GENEROUS * sqrt(square);
    return u;
}

/* g = A'r, and of each block its length and how far that may be off. Blocks outside the set with a
 * length above lambda join it. */
static bool join_violators(spd_blocks *a, spd_block_dual *u) {
    const int64_t n = a->p->n, K = a->p->K, before = a->set_count;
    const double lambda = spd_blocks_lambda(a);
    for (int64_t k = 0; k < K; k++) {
        spd_matrix_dots(&a->A, a->threads, NULL, a->p->d, a->r + k * n, a->columns_g);
        for (int64_t j = 0; j < a->p->d; j++) a->g[j * K + k] = a->columns_g[j];
    }
    a->touched += (double)K * (double)a->A.ptr[a->p->d];
    for (int64_t b = 0; b < a->count; b++) {
        const int64_t numbers = spd_blocks_numbers(a, b);
        double most = 0;
        if (a->single) {
            const double *g = a->g + a->feature[a->first[b]] * K;
            a->score[b] = spd_max_abs(K, g) / a->weight[b];
            for (int64_t k = 0; k < K; k++) most = fmax(most, fabs(g[k]) + a->off[k] * a->norm[b] + u->lost);
        } else {
            spd_blocks_gather(a, b, a->g, a->u);
            const double size = spd_norm2(numbers, a->u);
            a->score[b] = size / a->weight[b];
            most = size * (1 + rounding((double)numbers + 8)) + u->all * a->norm[b] + u->lost * sqrt((double)numbers);
        }
        if (!isfinite(a->score[b])) most = INFINITY;
        most *= (1 + 4 * UNIT) / a->weight[b];
        u->most = most <= u->most ? u->most : isnan(most) ? INFINITY : most;
        if (a->score[b] > lambda && !a->in_set[b]) {
            a->in_set[b] = true;
            a->set[a->set_count++] = (int32_t)b;
        }
    }
    return a->set_count > before;
}

bool spd_blocks_prove(spd_blocks *a, spd_lasso_answer *out) {
    const double lambda = spd_blocks_lambda(a), f = a->loss + a->ridge + a->penalty, scale = fmax(fabs(f), a->reference);
    spd_block_dual u = measure(a);
    const bool added = join_violators(a, &u);
    double gap = isfinite(u.most) && (a->p->gamma > 0 || u.most <= lambda) ? spd_blocks_gap(a, &u) : INFINITY;
    if (u.most > lambda && isfinite(u.most)) {
        u.scale = lambda / u.most * (1 - 8 * UNIT);
        gap = fmin(gap, spd_blocks_gap(a, &u));
    }
    *out = (spd_lasso_answer){.objective = f, .loss = a->loss, .penalty = a->penalty, .gap = gap, .relative = gap / scale};
    return added;
}

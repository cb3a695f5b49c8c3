/* dual_point.c - the alpha of a certificate. The first bracket vanishes for
 *   alpha_i = phi'(z_i)
 * A free intercept also requires
 *   sum_i w_i alpha_i = 0
 * which the best intercept satisfies up to rounding. With a scalar loss the alphas of the heavier sign are shrunk to balance the
 * sum (0 is in every domain). With a coupled loss (softmax) the probabilities alpha_i + e_b are mixed with one distribution. */
#include "certify/certify.h"

enum { AT_ONCE = 256 };
static const double DROPPED = 1e-12;     /* relative to the largest alpha: negligible */
static const double DROPPED_PART = 1e-2; /* of what the gap may grow by: probabilities below it can be set to 0 */

typedef struct pass {
    spd_certifier *c;
    const double *z;
    double *partial;
} pass;

static int64_t block_end(const spdhg_problem *p, int64_t b) {
    const int64_t end = (b + 1) * SPD_ROWS_PER_BLOCK;
    return end < p->n ? end : p->n;
}

static bool balance_scalar(spd_certifier *c, int64_t k) {
    const spdhg_problem *p = c->problem;
    double up = 0, down = 0;
    if (p->K == 1 && !p->weight) {
        const double size = spd_sum_abs(p->n, c->alpha);
        for (int64_t i = 0; i < p->n; i++) up += c->alpha[i]; /* up - down */
        down = 0.5 * (size - up);
        up += down;
    }
    for (int64_t i = 0; i < p->n && (p->K > 1 || p->weight); i++) {
        const double a = spd_problem_weight(p, i) * c->alpha[i * p->K + k];
        if (a > 0)
            up += a;
        else
            down -= a;
    }
    if (fabs(up - down) <= 1e-15 * (up + down)) return false; /* balanced up to the rounding of these sums */
    const double up_factor = up > down ? down / up : 1, down_factor = down > up ? up / down : 1;
    for (int64_t i = 0; i < p->n; i++) {
        double *a = &c->alpha[i * p->K + k];
        *a *= *a > 0 ? up_factor : down_factor;
    }
    return true;
}

/* q_i = alpha_i + e_{b_i} is replaced by (1-t) q_i + t u, where
 *   u = (M - (1-t) Q)/(t W)
 *   Q_k = sum_i w_i q_ik
 *   M_k = weight of class k
 * u >= 0 requires, for every k,
 *   t >= (Q_k - M_k)/Q_k */
static bool balance_coupled(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double *sum = c->work; /* sum_i w_i alpha_ik = Q_k - M_k */
    double *mass = sum + K, t = 0;
    memset(sum, 0, 2 * (size_t)K * sizeof *sum);
    for (int64_t i = 0; i < p->n; i++) {
        spd_axpy(K, spd_problem_weight(p, i), c->alpha + i * K, sum);
        mass[(int64_t)p->b[i]] += spd_problem_weight(p, i);
    }
    for (int64_t k = 0; k < K; k++)
        if (sum[k] > 0) t = fmax(t, sum[k] / (sum[k] + mass[k]));
    if (t <= 1e-15) return false;
    for (int64_t k = 0; k < K; k++) sum[k] = fmax(t * (sum[k] + mass[k]) - sum[k], 0) / p->W; /* t u_k */
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < K; k++) {
            const double e = (double)k == p->b[i], q = c->alpha[i * K + k] + e;
            c->alpha[i * K + k] = (1 - t) * q + sum[k] - e;
        }
    return true;
}

bool spd_dual_balance(spd_certifier *c) {
    if (!c->problem->loss->value) return balance_coupled(c);
    bool moved = false;
    for (int64_t k = 0; k < c->problem->K; k++) moved = balance_scalar(c, k) || moved;
    return moved;
}

/* alpha + low lies between alpha and the next double in the direction of low. A bracket is convex in alpha, hence at most the
 * larger of its values at these two. */
static void look_beside(const pass *a, int64_t from, int64_t count, double *bracket_of) {
    const spdhg_problem *p = a->c->problem;
    double beside[AT_ONCE], there[AT_ONCE];
    for (int64_t q = 0; q < count; q++) {
        const double alpha = a->c->alpha[from + q], low = a->c->low[from + q];
        beside[q] = low == 0 ? alpha : nextafter(alpha, low > 0 ? INFINITY : -INFINITY);
    }
    spd_loss_brackets(p->loss, p->loss_arg, count, a->z + from, p->b + from, beside, there);
    for (int64_t q = 0; q < count; q++)
        if (there[q] > bracket_of[q] || isnan(there[q])) bracket_of[q] = there[q];
}

static double coupled_bracket(const pass *a, int64_t i, const double *alpha) {
    const spdhg_problem *p = a->c->problem;
    const double *z = a->z + i * p->K, *target = p->b + i * p->targets;
    return spd_bracket(spd_loss_value(p->loss, p->loss_arg, p->K, z, target) - spd_dot(p->K, alpha, z) +
                       p->loss->conjugate_k(alpha, p->K, target[0]));
}

/* alpha + low is a convex combination of alpha and K points, the k-th of which has alpha_k moved by K units in the last place:
 * |low| is at most half a unit, so each weight is at most 1/(2 K). */
static double coupled_beside(const pass *a, int64_t i) {
    const int64_t K = a->c->problem->K;
    double *alpha = a->c->alpha + i * K, most = 0;
    for (int64_t k = 0; k < K; k++) {
        const double low = a->c->low[i * K + k], here = alpha[k];
        if (low == 0) continue;
        alpha[k] += (double)K * (nextafter(here, low > 0 ? INFINITY : -INFINITY) - here);
        most = fmax(most, coupled_bracket(a, i, alpha));
        alpha[k] = here;
    }
    return most;
}

static void fenchel_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->c->problem;
    const int64_t K = p->K;
    double sum = 0, bracket_of[AT_ONCE];
    if (p->loss->value) { /* scores, alpha and targets are n x K alike */
        for (int64_t at = b * SPD_ROWS_PER_BLOCK * K, end = block_end(p, b) * K, count; at < end; at += count) {
            count = at + AT_ONCE < end ? AT_ONCE : end - at;
            spd_loss_brackets(p->loss, p->loss_arg, count, a->z + at, p->b + at, a->c->alpha + at, bracket_of);
            if (a->c->low) look_beside(a, at, count, bracket_of);
            for (int64_t q = 0; q < count && !p->weight; q++) sum += spd_bracket(bracket_of[q]);
            for (int64_t q = 0; q < count && p->weight; q++) {
                const double w = spd_problem_weight(p, (at + q) / K);
                if (w > 0) sum += w * spd_bracket(bracket_of[q]);
            }
        }
        a->partial[b] = sum;
        return;
    }
    for (int64_t i = b * SPD_ROWS_PER_BLOCK; i < block_end(p, b); i++) {
        const double w = spd_problem_weight(p, i), at = coupled_bracket(a, i, a->c->alpha + i * K);
        if (w > 0) sum += w * (a->c->low ? fmax(at, coupled_beside(a, i)) : at);
    }
    a->partial[b] = sum;
}

double spd_dual_fenchel(const spd_certifier *c, const double *z) {
    pass a = {.c = (spd_certifier *)(uintptr_t)c, .z = z, .partial = c->work};
    spd_parallel(c->threads, spd_problem_blocks(c->problem), fenchel_block, &a);
    return spd_sum(spd_problem_blocks(c->problem), c->work) / c->problem->W;
}

double spd_dual_least(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        if (!p->loss->value)
            sum += spd_problem_weight(p, i) * p->loss->conjugate_k(c->alpha + i * p->K, p->K, p->b[i * p->targets]);
        for (int64_t k = 0; k < p->K && p->loss->value; k++)
            sum += spd_problem_weight(p, i) * p->loss->conjugate(0, p->b[i * p->K + k], p->loss_arg);
    }
    return -sum / p->W;
}

/* min over the terms of min(1, lambda/r°(y)); r° is the polar norm, block by block. */
double spd_dual_shrink(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double factor_ = 1;
    for (int64_t t = 0; t < p->terms; t++) {
        const double polar = spd_term_polar(&p->term[t], p->K, c->y + p->term[t].first, c->work);
        if (polar > p->term[t].lambda) factor_ = fmin(factor_, p->term[t].lambda / polar);
    }
    return factor_;
}

void spd_dual_even_out(const spdhg_problem *p, int64_t i, double *alpha) {
    int64_t most = 0;
    for (int64_t k = 1; k < p->K; k++)
        if (alpha[k] + ((double)k == p->b[i]) > alpha[most] + ((double)most == p->b[i])) most = k;
    double others = 0;
    for (int64_t k = 0; k < p->K; k++) others += k == most ? 0 : alpha[k];
    alpha[most] = -others;
}

/* Sets probabilities up to `least` to 0; what they lose goes to the largest. */
static bool drop_probabilities(const spdhg_problem *p, int64_t i, double least, double *alpha) {
    bool some = false;
    for (int64_t k = 0; k < p->K; k++) {
        const double e = (double)k == p->b[i], q = alpha[k] + e;
        if (q > least || q == 0) continue;
        alpha[k] = -e;
        some = true;
    }
    if (some) spd_dual_even_out(p, i, alpha);
    return some;
}

/* A column whose rows all have the same label requires alpha_i = 0 exactly, which iterates x only approach. Negligible alphas are
 * therefore set to 0 and stay so. The same holds for single outputs of a coupled loss: one class may be separable from the
 * others. A probability q that is set to 0 costs about q log(1/q), so that a small part of what the gap may grow by can be
 * dropped. */
void spd_dual_drop_small(spd_certifier *c, double affordable) {
    const spdhg_problem *p = c->problem;
    const double least = DROPPED * spd_max_abs(p->n * p->K, c->alpha);
    bool some = false;
    for (int64_t i = 0; i < p->n; i++) {
        double *alpha = c->alpha + i * p->K;
        const double size = spd_max_abs(p->K, alpha);
        if (size > least && c->base.outputs > 1)
            some = drop_probabilities(p, i, fmax(least, DROPPED_PART * affordable), alpha) || some;
        if (size == 0 || size > least) continue;
        memset(alpha, 0, (size_t)p->K * sizeof *alpha);
        some = true;
    }
    if (some) spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
}

void spd_dual_scale(spd_certifier *c, double factor) {
    const spdhg_problem *p = c->problem;
    for (int64_t i = 0; i < p->n * p->K && c->low; i++) {
        const spd_twofold a = spd_twofold_times((spd_twofold){c->alpha[i], c->newton.low[i]}, factor);
        c->alpha[i] = a.high;
        c->newton.low[i] = a.low;
    }
    if (!c->low) spd_scale(p->n * p->K, factor, c->alpha);
    spd_scale(p->m * p->K, factor, c->y);
    spd_scale(p->dK, factor, c->v);
    for (int64_t k = 0; k < p->K; k++) c->v0[k] = factor * c->gc[k];
}

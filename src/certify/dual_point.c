/* dual_point.c - the alpha of a certificate: alpha_i = phi'(z_i) makes the first bracket vanish; a free intercept wants sum_i w_i
 * alpha_i = 0, which the best intercept gives up to rounding. Scalar losses: the alphas of the heavier sign shrink (0 is in every
 * domain). Coupled losses (softmax): the probabilities alpha_i + e_b are mixed with one distribution just enough to balance. */
#include "certify/certify.h"

enum { AT_ONCE = 256 };
static const double DROPPED = 1e-12; /* of the largest alpha: as good as 0 */

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
    if (fabs(up - down) <= 1e-15 * (up + down)) return false; /* as near as a sum of these numbers can tell */
    const double up_factor = up > down ? down / up : 1, down_factor = down > up ? up / down : 1;
    for (int64_t i = 0; i < p->n; i++) {
        double *a = &c->alpha[i * p->K + k];
        *a *= *a > 0 ? up_factor : down_factor;
    }
    return true;
}

/* q_i = alpha_i + e_{b_i} becomes (1-t) q_i + t u with u = (M - (1-t) Q)/(t W): Q_k = sum w q_ik, M_k = weight of class k; u >= 0
 * wants t >= (Q_k - M_k)/Q_k for every k. */
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

static void fenchel_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->c->problem;
    const int64_t K = p->K;
    double sum = 0, bracket_of[AT_ONCE];
    if (p->loss->value) { /* scores, alpha and targets are n x K alike */
        for (int64_t at = b * SPD_ROWS_PER_BLOCK * K, end = block_end(p, b) * K, count; at < end; at += count) {
            count = at + AT_ONCE < end ? AT_ONCE : end - at;
            spd_loss_brackets(p->loss, p->loss_arg, count, a->z + at, p->b + at, a->c->alpha + at, bracket_of);
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
        const double *z = a->z + i * K, *alpha = a->c->alpha + i * K, *target = p->b + i * p->targets;
        const double gap =
            spd_loss_value(p->loss, p->loss_arg, K, z, target) - spd_dot(K, alpha, z) + p->loss->conjugate_k(alpha, K, target[0]);
        const double w = spd_problem_weight(p, i);
        if (w > 0) sum += w * spd_bracket(gap);
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

/* c = min(1, lambda/r°(y)) over the terms; r° is the polar norm, block by block. */
double spd_dual_shrink(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double factor_ = 1;
    for (int64_t t = 0; t < p->terms; t++) {
        const double polar = spd_term_polar(&p->term[t], p->K, c->y + p->term[t].first, c->work);
        if (polar > p->term[t].lambda) factor_ = fmin(factor_, p->term[t].lambda / polar);
    }
    return factor_;
}

/* A column that only rows of one label touch needs alpha_i = 0 there, exactly; running after it, x only comes near. alphas that
 * are as good as 0 become 0, and stay. */
void spd_dual_drop_small(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const double least = DROPPED * spd_max_abs(p->n * p->K, c->alpha);
    bool some = false;
    for (int64_t i = 0; i < p->n; i++) {
        double *alpha = c->alpha + i * p->K;
        const double size = spd_max_abs(p->K, alpha);
        if (size == 0 || size > least) continue;
        memset(alpha, 0, (size_t)p->K * sizeof *alpha);
        some = true;
    }
    if (some) spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
}

/* brackets.c - the gap of proof.c at a dual point: its two sums of brackets, and what rounding may have done to them, to the
 * scores and to f, as certify/rounding_objective.c bounds it. */
#include <float.h>

#include "blocks/blocks.h"
#include "certify/certify.h"

static const double UNIT = 0.5 * DBL_EPSILON;
static const double FUNCTIONS = 16; /* units in the last place: error of a loss and of its slope for a given score */
static const double GENEROUS = 1.01;

static double rounding(double k) { return k * UNIT / (1 - k * UNIT); }

static double coupled_bracket(const spd_blocks *a, double scale) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, K = p->K;
    double sum = 0, *z = a->c_s, *alpha = a->c_by;
    for (int64_t i = 0; i < n; i++) {
        if (!(a->share[i] > 0)) continue;
        for (int64_t k = 0; k < K; k++) {
            z[k] = a->z[k * n + i];
            alpha[k] = scale * a->alpha[k * n + i];
        }
        const double bracket = p->loss->value_k(z, K, p->b[i]) - spd_dot(K, alpha, z) + p->loss->conjugate_k(alpha, K, p->b[i]);
        sum += a->share[i] * (bracket < 0 ? 0 : bracket);
    }
    return sum;
}

double spd_blocks_first_bracket(const spd_blocks *a, double scale) {
    enum { AT_ONCE = 256 };
    const spdhg_problem *p = a->p;
    double sum = a->coupled ? coupled_bracket(a, scale) : 0, alpha[AT_ONCE], bracket[AT_ONCE];
    for (int64_t k = 0; k < p->K && !a->coupled; k++)
        for (int64_t from = 0, count; from < p->n; from += count) {
            const int64_t at = k * p->n + from;
            count = from + AT_ONCE < p->n ? AT_ONCE : p->n - from;
            for (int64_t i = 0; i < count; i++) alpha[i] = scale * a->alpha[at + i];
            spd_loss_brackets(p->loss, p->loss_arg, count, a->z + at, a->b + at, alpha, bracket);
            for (int64_t i = 0; i < count; i++)
                if (a->share[from + i] > 0) sum += a->share[from + i] * (bracket[i] < 0 ? 0 : bracket[i]);
        }
    return isnan(sum) ? INFINITY : sum * (1 + rounding((double)(p->n * p->K) + 4));
}

/* psi(x) + psi*(-G) + G'x for a part of `numbers` numbers, or more; `size` is ||g||, E bounds the error of G in length. */
static double bracket(const spd_blocks *a, const spd_block_dual *u, int64_t numbers, double limit, const double *x,
                      const double *g, double E) {
    const double gamma = a->p->gamma, length_x = spd_norm2(numbers, x), size = u->scale * spd_norm2(numbers, g);
    const double product = u->scale * spd_dot(numbers, x, g),
                 beyond = fmax(size * (1 + rounding((double)numbers + 8)) + E - limit, 0);
    const double dual_part = gamma > 0 ? beyond * beyond / (2 * gamma) : 0; /* without ridge the scale has made it 0 */
    const double sizes = 0.5 * gamma * length_x * length_x + limit * length_x + size * length_x + dual_part;
    return fmax(limit * length_x + 0.5 * gamma * length_x * length_x + dual_part + product, 0) + E * length_x +
           rounding((double)numbers + 16) * 2 * sizes;
}

static double second_bracket(const spd_blocks *a, const spd_block_dual *u) {
    const int64_t K = a->p->K;
    const double lambda = spd_blocks_lambda(a), gamma = a->p->gamma;
    double sum = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b), j = a->feature[a->first[b]];
        const double limit = lambda * a->weight[b], slack = 8 * UNIT * limit + u->lost * sqrt((double)numbers);
        for (int64_t k = 0; k < K && a->single; k++)
            sum += bracket(a, u, 1, limit, a->now.x + j * K + k, a->g + j * K + k, a->off[k] * a->norm[b] + slack);
        if (a->single) continue;
        spd_blocks_gather(a, b, a->now.x, a->u);
        spd_blocks_gather(a, b, a->g, a->to);
        sum += bracket(a, u, numbers, limit, a->u, a->to, u->all * a->norm[b] + slack);
    }
    for (int64_t b = 0; b < a->count && gamma > 0 && u->scale * u->most > lambda * (1 - 8 * UNIT); b++) {
        const int64_t numbers = spd_blocks_numbers(a, b), j = a->feature[a->first[b]];
        const double limit = lambda * a->weight[b], slack = 8 * UNIT * limit + u->lost * sqrt((double)numbers);
        if (a->is_active[b]) continue;
        for (int64_t k = 0; k < K && a->single; k++) {
            const double beyond = u->scale * fabs(a->g[j * K + k]) + a->off[k] * a->norm[b] + slack - limit;
            if (beyond > 0) sum += beyond * beyond / (2 * gamma);
        }
        const double size = u->scale * a->score[b] * a->weight[b] * (1 + rounding((double)numbers + 12));
        const double beyond = size + u->all * a->norm[b] + slack - limit;
        if (!a->single && beyond > 0) sum += beyond * beyond / (2 * gamma);
    }
    return sum * (1 + rounding((double)(a->p->dK + a->now.count) + 32));
}

/* How far a computed score may be from a_i'x + c + o_i, also with x as it is written. */
static double error_of_scores(const spd_blocks *a) {
    const int64_t K = a->p->K;
    double size = spd_max_abs(K, a->now.c) + a->offset + spd_max_abs(a->p->n * K, a->z);
    int64_t columns = 0;
    for (int64_t q = 0; q < a->now.count; q++)
        for (int64_t e = a->first[a->now.list[q]]; e < a->first[a->now.list[q] + 1]; e++, columns++) {
            const int64_t j = a->feature[e];
            size += a->A.top[j] * (spd_max_abs(K, a->now.x + j * K) + spd_written_loss(a->p, j));
        }
    return rounding((double)columns + 16) * 2 * size;
}

static double error_of_writing(const spd_blocks *a) {
    double writing = 0;
    for (int64_t q = 0; q < a->now.count && a->p->scale; q++) {
        const int64_t b = a->now.list[q];
        for (int64_t e = a->first[b]; e < a->first[b + 1]; e++) {
            const double lost = spd_written_loss(a->p, a->feature[e]);
            for (int64_t k = 0; k < a->p->K; k++)
                writing +=
                    (spd_blocks_lambda(a) * a->weight[b] + a->p->gamma * (fabs(a->now.x[a->feature[e] * a->p->K + k]) + lost)) *
                    lost;
        }
    }
    return writing;
}

/* What the rounding of the scores, of f and of its brackets may amount to, as rounding_objective.c bounds it. */
static double error_of_objective(const spd_blocks *a, const spd_block_dual *u, double first) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n;
    const double f = a->loss + a->ridge + a->penalty, dz = error_of_scores(a), top = spd_max_abs(n * p->K, a->z);
    double product = 0, scores = 0;
    for (int64_t q = 0; q < n * p->K; q++) {
        const double share = a->share[q % n], alpha = u->scale * a->alpha[q];
        if (!(share > 0)) continue;
        const double kappa = isfinite(p->kappa) ? p->kappa : p->loss->steady ? a->curve[q] * exp(dz) : INFINITY;
        product += share * fabs(alpha * a->z[q]);
        scores += share * (fabs(a->slope[q]) + fabs(a->slope[q] - alpha) + 2 * FUNCTIONS * UNIT * kappa + kappa * dz) * dz;
    }
    const double numbers = (double)p->dK, classes = (double)p->K;
    const double coupled = a->coupled ? u->loose * (log(classes) + 3 + 2 * top) +
                                            rounding(4 * classes + 4 * FUNCTIONS) * (log(classes) + 2 + 4 * top)
                                      : 0;
    return rounding(SPD_ROWS_PER_BLOCK + 2 * FUNCTIONS + 2 * classes) * (fabs(a->loss) + 2 * fabs(a->least) + first) +
           4 * FUNCTIONS * UNIT * product + coupled + GENEROUS * scores + rounding(2 * numbers + 32) * fabs(f - a->loss) +
           4 * DBL_EPSILON * fabs(f) + 2 * UNIT * error_of_writing(a) + (double)(n * p->K + 2 * p->dK) * DBL_MIN;
}

/* The gap if alpha is multiplied by u->scale. */
double spd_blocks_gap(const spd_blocks *a, const spd_block_dual *u) {
    const double first = spd_blocks_first_bracket(a, u->scale), second = second_bracket(a, u);
    const double top = spd_max_abs(a->p->n * a->p->K, a->z);
    const double worst = a->coupled ? 2 * top + log((double)a->p->K) : fmax(a->loss - a->least, 0);
    const double repair = u->tau > 0 ? GENEROUS * u->tau * worst : 0;
    const double gap = (first + second + repair + error_of_objective(a, u, first)) * (1 + 1e-14);
    return isfinite(gap) ? gap : INFINITY;
}

/* losses.c - one pass over known scores: mean loss, slopes phi' and curvatures phi'' of every row.
 * Scalar losses are evaluated a few hundred numbers at a time, so that loss/rows.c can vectorise; blocks are added in order. */
#include "problem/problem.h"

enum { AT_ONCE = 256 };

typedef struct pass {
    const spdhg_problem *p;
    const spd_scores *at;
    double *alpha, *curve, *partial;
    const double *one; /* AT_ONCE ones: sums are dot products with them */
} pass;

/* `count` scores from row `first` on. */
SPD_WIDE static void fill(const spd_scores *at, int64_t K, int64_t first, int64_t count, double *restrict z) {
    const double *from = at->z + first * K, *move = at->move ? at->move + first * K : from, t = at->move ? at->t : 0;
    if (K == 1) {
        const double c = at->c ? at->c[0] : 0;
        for (int64_t q = 0; q < count; q++) z[q] = from[q] + c + t * move[q];
    } else
        for (int64_t q = 0; q < count; q++) z[q] = from[q] + (at->c ? at->c[q % K] : 0) + t * move[q];
}

/* Rows first..end of a scalar loss; at most AT_ONCE numbers. */
static double scalar_rows(const pass *a, int64_t first, int64_t end) {
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, count = (end - first) * K;
    double z[AT_ONCE], value[AT_ONCE], slopes[AT_ONCE], seconds[AT_ONCE];
    double *slope = a->alpha ? a->alpha + first * K : slopes, *second = a->curve ? a->curve + first * K : seconds;
    fill(a->at, K, first, count, z);
    spd_loss_rows(p->loss, p->loss_arg, count, z, p->b + first * K, value, slope, second);
    for (int64_t q = 0; q < count && p->weight; q++)
        value[q] = p->weight[first + q / K] > 0 ? value[q] * p->weight[first + q / K] : 0;
    return spd_dot(count, value, a->one);
}

/* One row with many outputs, or of a coupled loss. z: scratch for its K scores. */
static double wide_row(const pass *a, int64_t i, double *z) {
    const spdhg_problem *p = a->p;
    const double *target = p->b + i * p->targets, w = spd_problem_weight(p, i);
    fill(a->at, p->K, i, p->K, z);
    const double value = w > 0 ? w * spd_loss_value(p->loss, p->loss_arg, p->K, z, target) : 0;
    if (a->alpha) spd_loss_slope(p->loss, p->loss_arg, p->K, z, target, a->alpha + i * p->K);
    for (int64_t k = 0; k < p->K && a->curve; k++)
        a->curve[i * p->K + k] = p->loss->value ? p->loss->second(z[k], target[k], p->loss_arg) : z[k];
    return value;
}

static void one_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t first = b * SPD_ROWS_PER_BLOCK, end = first + SPD_ROWS_PER_BLOCK < p->n ? first + SPD_ROWS_PER_BLOCK : p->n;
    double sum = 0, *z = a->partial + spd_problem_blocks(p) + b * p->K;
    if (p->loss->value && p->K <= AT_ONCE) {
        const int64_t rows = AT_ONCE / p->K;
        for (int64_t i = first; i < end; i += rows) sum += scalar_rows(a, i, i + rows < end ? i + rows : end);
    } else
        for (int64_t i = first; i < end; i++) sum += wide_row(a, i, z);
    a->partial[b] = sum;
}

double spd_problem_losses(const spdhg_problem *p, int threads, const spd_scores *at, double *alpha, double *curve,
                          double *partial) {
    double one[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) one[i] = 1;
    pass a = {.p = p, .at = at, .alpha = alpha, .curve = curve, .partial = partial, .one = one};
    spd_parallel(threads, spd_problem_blocks(p), one_block, &a);
    return spd_sum(spd_problem_blocks(p), partial) / p->W;
}

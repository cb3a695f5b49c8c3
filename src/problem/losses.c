/* losses.c - one pass over known scores: mean loss, slopes phi' and curvatures phi'' of every row.
 * Scalar losses are evaluated a few hundred numbers at a time, so that loss/rows.c can vectorise; blocks are added in order. */
#include "problem/prepare.h"

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
    const spd_row_arrays written = {.rows = p->n, .width = p->K, .count = 2, .array = {alpha, curve}};
    return spd_row_blocks_sum(p->ranks, threads, one_block, &a, &written, partial) / p->W;
}

/* ---- losses that keep falling towards one side, such as poisson's for a count of 0: where all rows agree on the side, there
 * is no minimiser. */

/* The side towards which the loss of output k of row i keeps falling; 0: none. */
static double falling_side(const spdhg_problem *p, int64_t i, int64_t k) {
    return spd_loss_never_rises(p->loss, p->loss_arg, p->b[i * p->K + k]);
}

static bool counts(const spdhg_problem *p, int64_t i) { return !p->weight || p->weight[i] > 0; }

bool spd_problem_falls(const spdhg_problem *p) {
    double known[2] = {NAN, NAN}; /* the last targets whose loss falls: labels are only two */
    if (!p->loss->falls_for_ever) return false;
    for (int64_t i = 0; i < p->n && p->loss->value; i++)
        for (int64_t k = 0; k < p->K && counts(p, i); k++) {
            const double b = p->b[i * p->K + k];
            if (b == known[0] || b == known[1]) continue;
            if (falling_side(p, i, k) == 0) return false;
            known[1] = known[0];
            known[0] = b;
        }
    return true;
}

/* Classes are checked by check_classes. */
spdhg_status spd_problem_check_falling(const spdhg_problem *p, spdhg_error *err) {
    if (!p->loss->falls_for_ever || p->loss->classify || !p->loss->value || !p->intercept || p->one_class_ok) return SPDHG_OK;
    for (int64_t k = 0; k < p->K; k++) {
        bool up = false, down = false;
        for (int64_t i = 0; i < p->n && !(up && down); i++) {
            const double side = falling_side(p, i, k);
            up = up || (counts(p, i) && side <= 0);
            down = down || (counts(p, i) && side >= 0);
        }
        if (!up || !down)
            return spd_fail(
                err, SPDHG_DATA,
                "target column %lld: the %s loss of every row falls forever with the intercept (every target is %g), so "
                "that there is no minimiser; use --no-intercept",
                (long long)k + 1, p->loss->name, p->b[k]);
    }
    return SPDHG_OK;
}

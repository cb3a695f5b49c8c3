/* magnitudes.c - how large the columns of A and F, the alphas and f are: what the bounds on rounding errors (rounding.c) are
 * made of. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double SQUARED = 1e-150;          /* the square of a smaller number may underflow to 0 */
static const double SCORES = 50 * DBL_EPSILON; /* relative: scores closer than this are not told apart where f is nearly 0 */

/* Sums over rows, in Mwork, of up to 2 (d + 1) K numbers. */
static int64_t shards(const spdhg_problem *p) { return spd_shards(p->n, spd_problem_shards(p) / 2); }

int64_t spd_dual_rounding_work(const spdhg_problem *p) { return shards(p) * 2 * (p->dK + p->K); }

void spd_dual_sum_rows(spd_certifier *c, int64_t width, spd_add_rows *add, spd_join *join) {
    const spdhg_problem *p = c->problem;
    spd_row_sum sum = spd_sum_of_rows(p, shards(p), width, width, add, c);
    sum.join = join;
    c->open = spd_pass_begin(p);
    spd_row_sum_run(&sum, c->open ? 1 : c->threads, c->Mwork);
    spd_pass_end(p, c->open);
}

/* top_j = max_i |a_ij|, and the number of entries; idx NULL: all columns in turn. */
SPD_WIDE static void add_tops(int64_t n, const int32_t *idx, const double *val, double *top, double *entries) {
    for (int64_t q = 0; q < n && idx; q++) {
        top[idx[q]] = fabs(val[q]) > top[idx[q]] ? fabs(val[q]) : top[idx[q]];
        entries[idx[q]]++;
    }
    for (int64_t j = 0; j < n && !idx; j++) {
        top[j] = fabs(val[j]) > top[j] ? fabs(val[j]) : top[j];
        entries[j]++;
    }
}

/* d tops, d numbers of entries, the number of entries of the longest row. */
static void tops_of_rows(void *context, int64_t first, int64_t end, double *top) {
    const spd_certifier *c = context;
    const spdhg_problem *p = c->problem;
    double *longest = top + 2 * p->d;
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_pass_row(p, c->open, i, &row);
        *longest = fmax(*longest, (double)row.nnz);
        add_tops(row.nnz, row.idx, row.val, top, top + p->d);
    }
}

static void join_tops(void *context, int64_t at, int64_t count, const double *from, double *into) {
    const int64_t d = ((const spd_certifier *)context)->problem->d;
    for (int64_t q = 0; q < count; q++) {
        const bool counts = at + q >= d && at + q < 2 * d;
        into[q] = counts ? into[q] + from[q] : fmax(into[q], from[q]);
    }
}

/* norm_j += share (up_j a_ij)^2 */
SPD_WIDE static void add_squares(int64_t n, const int32_t *idx, const double *val, double share, const double *up, double *norm) {
    for (int64_t q = 0; q < n && idx; q++) norm[idx[q]] += share * (up[idx[q]] * val[q]) * (up[idx[q]] * val[q]);
    for (int64_t j = 0; j < n && !idx; j++) norm[j] += share * (up[j] * val[j]) * (up[j] * val[j]);
}

static void squares_of_rows(void *context, int64_t first, int64_t end, double *norm) {
    const spd_certifier *c = context;
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(c->problem, i) > 0)) continue;
        spd_row row;
        spd_pass_row(c->problem, c->open, i, &row);
        add_squares(row.nnz, row.idx, row.val, spd_problem_share(c->problem, i), c->e, norm);
    }
}

/* norm_j = sqrt( (1/W) sum_i w_i a_ij^2 ) and top_j, and the norm of every column of F. Entries are multiplied by a power of two
 * near 1/top_j, so that their squares neither overflow nor underflow. */
void spd_dual_measure_columns(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double *up = c->e, *sum = c->Mwork; /* scratch */
    if (c->measured) return;
    c->measured = true;
    spd_dual_sum_rows(c, 2 * p->d + 1, tops_of_rows, join_tops);
    memcpy(c->top, sum, (size_t)p->d * sizeof *c->top);
    for (int64_t j = 0; j < p->d; j++) c->A_entries[j] = (int64_t)sum[p->d + j];
    c->longest = (int64_t)sum[2 * p->d];
    for (int64_t j = 0; j < p->d; j++) up[j] = spd_power_near_inverse(c->top[j]);
    spd_dual_sum_rows(c, p->d, squares_of_rows, NULL);
    for (int64_t j = 0; j < p->d; j++)
        c->norm[j] = (sqrt(sum[j]) * (1 + spd_rounding((double)p->n + 32)) + SQUARED) / up[j] + DBL_MIN;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) {
            const int64_t j = r.row.idx[q];
            c->F_norm[j] = hypot(c->F_norm[j], r.row.val[q]);
            c->F_entries[j]++;
        }
}

static void alphas_of_rows(void *context, int64_t first, int64_t end, double *sum) {
    const spd_certifier *c = context;
    const int64_t K = c->problem->K;
    for (int64_t i = first; i < end && c->alpha_most > 0; i++)
        for (int64_t k = 0; k < K; k++) {
            const double a = c->alpha[i * K + k] / c->alpha_most;
            sum[k] += spd_problem_share(c->problem, i) * a * a;
        }
}

/* size_k = sqrt( (1/W) sum_i w_i alpha_ik^2 )
 * By the Cauchy-Schwarz inequality, (1/W) sum_i w_i |alpha_ik a_ij| <= size_k norm_j. */
void spd_dual_alpha_sizes(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const double most = spd_max_abs(p->n * p->K, c->alpha);
    c->alpha_most = most;
    spd_dual_sum_rows(c, p->K, alphas_of_rows, NULL);
    for (int64_t k = 0; k < p->K; k++)
        c->alpha_size[k] = most * (sqrt(c->Mwork[k]) * (1 + spd_rounding((double)p->n + 32)) + SQUARED);
    c->vanishing = most > 0 ? (double)p->n * 8 * DBL_TRUE_MIN * (1 + most) : 0;
    c->lost = most > 0 ? (double)p->n * DBL_MIN : 0;
}

typedef struct slacks {
    const spd_certifier *c;
    double shrunk, *slack;
} slacks;

/* How far alpha_i may move either way: half the distance to the boundary of its domain, the least over its outputs. Without a
 * boundary, the typical size of alpha. (1 - shrunk) alpha_i has slack of at least shrunk |alpha_i|, as 0 is in the domain. */
static void slacks_of_block(void *context, int64_t block) {
    const slacks *a = context;
    const spd_certifier *c = a->c;
    const spdhg_problem *p = c->problem;
    const double usual = spd_max_abs(p->K, c->alpha_size);
    const int64_t first = block * SPD_ROWS_PER_BLOCK;
    for (int64_t i = first; i < p->n && i < first + SPD_ROWS_PER_BLOCK; i++) {
        double least = usual;
        for (int64_t k = 0; k < p->K; k++) {
            const double alpha = c->alpha[i * p->K + k];
            if (!p->loss->value && (c->base.outputs == 1 || spd_base_is_open(&c->base, i, k)))
                least = fmin(least, 0.5 * fmin(alpha + ((double)k == p->b[i]), 1));
            else if (!p->loss->value)
                continue; /* a probability of 0 stays so */
            else if (p->loss->slack)
                least = fmin(least, 0.5 * fmax(p->loss->slack(alpha, p->b[i * p->K + k], p->loss_arg), a->shrunk * fabs(alpha)));
        }
        a->slack[i] = least > 0 && spd_problem_share(p, i) > 0 && !(c->forced && c->forced[i]) ? least : 0;
    }
}

void spd_dual_find_slacks(const spd_certifier *c, double shrunk, double *slack) {
    spd_parallel(c->threads, spd_problem_blocks(c->problem), slacks_of_block, &(slacks){c, shrunk, slack});
}

/* What f changes if every score changes by SCORES of itself: to second order half of phi''(z_i) z_i^2, to first order at a
 * corner. */
static double change_by_scores(const spdhg_problem *p, const double *z) {
    double sum = 0;
    for (int64_t i = 0; i < p->n * p->K && spd_problem_has_corners(p); i++)
        if (fabs(z[i] - p->b[i]) <= SCORES * fabs(z[i]))
            sum += spd_problem_share(p, i / p->K) * spd_loss_jump(p->loss, p->loss_arg, p->b[i]) * SCORES * fabs(z[i]);
    for (int64_t i = 0; i < p->n * p->K && p->loss->second; i++)
        sum += spd_problem_share(p, i / p->K) * p->loss->second(z[i], p->b[i], p->loss_arg) * SCORES * z[i] * SCORES * z[i];
    return sum;
}

/* An upper bound of the same that takes one pass over z. */
static double change_at_most(const spdhg_problem *p, const double *z) {
    if (p->weight || spd_problem_has_corners(p)) return INFINITY;
    return p->kappa / p->W * SCORES * SCORES * spd_dot(p->n * p->K, z, z);
}

void spd_gap_refer(spd_certifier *c, const double *x, const double *z) {
    const spdhg_problem *p = c->problem;
    double sum = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        if (r.row.n < 2 || (!p->scale && spd_routes_is_link(&r.row))) continue; /* equal entries cancel exactly */
        for (int64_t q = 0; q < r.row.n; q++)
            sum += r.term->lambda * fabs(r.row.val[q]) * spd_sum_abs(p->K, x + r.row.idx[q] * p->K);
    }
    c->reference = 0.5 * DBL_EPSILON / 1e-6 * fmax(isfinite(c->start_value) ? c->start_value : 0, isfinite(sum) ? sum : 0);
    if (change_at_most(p, z) / 1e-6 <= c->reference) return;
    const double by_scores = change_by_scores(p, z) / 1e-6;
    if (isfinite(by_scores)) c->reference = fmax(c->reference, by_scores);
}

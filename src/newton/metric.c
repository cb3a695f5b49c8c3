/* metric.c - diagonal metrics that remove the scales of the columns. D of x is given; S of Fx is chosen to match:
 *     S_e = 1/(F_e D^{-1} F_e')
 *     ||S^{1/2} F D^{-1/2}||^2 <= the largest row sum of D^{-1} |F'| S |F| */
#include "newton/newton.h"
#include "problem/rows.h"

static const double SMALL_UNIT = 1e-10; /* relative to the mean curvature */

/* One weight for a block: the geometric mean over its rows, 1 where F is zero. */
static void even_out(const spd_term *t, int64_t b, int64_t K, double *S) {
    double logs = 0, count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t r = 0; r < spd_term_block_rows(t, b); r++)
            for (int64_t k = 0; k < K; k++) {
                double *at = S + t->first + spd_term_block_row(t, b, r) * K + k;
                if (pass == 1) *at = count > 0 ? exp(logs / count) : 1;
                if (pass == 1 || *at == 0) continue;
                logs += log(*at);
                count++;
            }
}

void spd_metric_rows(const spdhg_problem *p, const double *D, double *S) {
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t k = 0; k < p->K; k++) {
            double sum = 0;
            for (int64_t q = 0; q < r.row.n; q++) sum += r.row.val[q] * r.row.val[q] / D[r.row.idx[q] * p->K + k];
            S[r.at + k] = sum > 0 ? 1 / sum : r.term->penalty->sum_of_sizes ? 1 : 0;
        }
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t b = 0; b < p->term[t].blocks && !p->term[t].penalty->sum_of_sizes; b++) even_out(&p->term[t], b, p->K, S);
}

double spd_metric_norm(const spdhg_problem *p, const double *D, const double *S, double *sums) {
    double most = 0;
    memset(sums, 0, (size_t)p->dK * sizeof *sums);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        double sum = 0;
        for (int64_t q = 0; q < r.row.n; q++) sum += fabs(r.row.val[q]);
        for (int64_t k = 0; k < p->K; k++)
            for (int64_t q = 0; q < r.row.n; q++) sums[r.row.idx[q] * p->K + k] += S[r.at + k] * sum * fabs(r.row.val[q]);
    }
    for (int64_t q = 0; q < p->dK; q++) most = fmax(most, sums[q] / D[q]);
    return most;
}

void spd_metric_add_squares(const spdhg_problem *p, const double *weight, double *out) {
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t k = 0; k < p->K; k++)
            for (int64_t q = 0; q < r.row.n; q++) out[r.row.idx[q] * p->K + k] += weight[r.at + k] * r.row.val[q] * r.row.val[q];
}

/* A column whose curvature is always small beside the mean has a small unit: its coefficient may have to move far, and only its
 * own curvature tells how far. The exception is a column that the penalty holds whatever the loss does: at a point of
 * value f the slope along column j is at most
 *     sqrt(2 f bound_j),   because phi'^2 <= 2 kappa phi,
 * while |F'y|_j can reach
 *     sum_e lambda |F_ej|. */
void spd_metric_small_units(const spdhg_problem *p, const double *bound, double f, double *out) {
    const double unit = SMALL_UNIT * spd_sum(p->d + 1, bound) / (double)(p->d + 1);
    bool some = false;
    for (int64_t j = 0; j <= p->d; j++) some = some || (bound[j] > 0 && bound[j] < unit);
    memset(out, 0, (size_t)(p->d + 1) * sizeof *out);
    if (!some) return;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) out[r.row.idx[q]] += r.term->lambda * fabs(r.row.val[q]);
    for (int64_t j = 0; j <= p->d; j++)
        out[j] = bound[j] > 0 && bound[j] < unit && 2 * f * bound[j] > out[j] * out[j] ? bound[j] : 0;
}

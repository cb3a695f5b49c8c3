/* batch.c - the stochastic gradient (1/B) sum_i weight_i phi'(a_i'x + c + o_i, b_i) a_i of a batch, as slopes and their sum over
 * rows. */
#include "solver/solver.h"

void spd_row_slope(const spdhg_problem *p, const spd_row *row, const double *x, const double *c, double *z, double *slope) {
    spd_row_score(p, row, x, z);
    for (int64_t k = 0; k < p->K; k++) z[k] += c[k];
    spd_loss_slope(p->loss, p->loss_arg, p->K, z, row->b, slope);
}

void spd_batch_slopes(const spdhg_problem *p, const spd_batch *batch, const double *x, const double *c, double *slopes) {
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        double *slope = slopes + i * K;
        spd_row_slope(p, row, x, c, slopes + batch->size * K, slope);
        for (int64_t k = 0; k < K; k++) slope[k] *= row->weight / (double)batch->size;
    }
}

void spd_batch_add(const spdhg_problem *p, const spd_batch *batch, const double *slopes, double factor, double *g) {
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = slopes + i * K;
        for (int64_t q = 0; q < row->nnz; q++) {
            double *at = g + (row->idx ? row->idx[q] : q) * K;
            for (int64_t k = 0; k < K; k++) at[k] += factor * row->val[q] * slope[k];
        }
    }
}

void spd_batch_sum(const spdhg_problem *p, const spd_batch *batch, const double *slopes, double *gc) {
    memset(gc, 0, (size_t)p->K * sizeof *gc);
    for (int64_t i = 0; i < batch->size; i++) spd_axpy(p->K, 1, slopes + i * p->K, gc);
}

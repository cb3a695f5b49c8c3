/* spdhg_fast.c - the fused step of SPDHG: the same iterates as the plain form in spdhg.c, with which tests compare it.
 * The dual half-step and F'y take one pass over the rows of F. For r = l1, F = identity, X = R^d everything is one vector
 * loop. */
#include "primal_dual/spdhg.h"

/* r = l1, F = identity, X = R^d: y, x and both sums in one loop; the entries of the batch are added separately. */
SPD_WIDE static void lasso_loop(int64_t n, double lambda, double s, double keep, double beta, double weight, double *restrict x,
                                double *restrict y, double *restrict x_sum, double *restrict y_sum) {
    for (int64_t j = 0; j < n; j++) {
        double v = y[j] + s * x[j];
        v = v > lambda ? lambda : v;
        v = v < -lambda ? -lambda : v;
        const double moved = keep * x[j] - beta * v;
        y[j] = v;
        y_sum[j] += weight * v;
        x[j] = moved;
        x_sum[j] += weight * moved;
    }
}

static bool is_plain_lasso(const spdhg_problem *p) {
    return p->terms == 1 && p->term[0].penalty->sum_of_sizes && spd_csr_is_identity(&p->term[0].F->F) && p->set.kind->whole;
}

static void lasso_step(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta, double weight) {
    const int64_t K = p->K;
    lasso_loop(p->dK, p->term[0].lambda, self->s, 1 - beta * p->gamma, beta, weight, self->x, self->y, self->x_sum, self->y_sum);
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = self->slope + i * K;
        for (int64_t q = 0; q < row->nnz; q++) {
            const int64_t first = (row->idx ? row->idx[q] : q) * K;
            for (int64_t k = 0; k < K; k++) {
                const double move = -beta * row->val[q] * slope[k];
                self->x[first + k] += move;
                self->x_sum[first + k] += weight * move;
            }
        }
    }
}

SPD_WIDE void spd_spdhg_descend(int64_t n, double keep, double beta, const double *restrict g, double *restrict x) {
    for (int64_t j = 0; j < n; j++) x[j] = keep * x[j] - beta * g[j];
}

void spd_spdhg_finish(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta, double weight) {
    if (p->intercept)
        for (int64_t i = 0; i < batch->size; i++) spd_axpy(p->K, -beta, self->slope + i * p->K, self->c);
    for (int64_t k = 0; k < p->K; k++) self->c_sum[k] += weight * self->c[k];
    self->scalar[SPD_TOTAL] += weight;
}

void spd_spdhg_fused_step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const double beta = spd_spdhg_beta(self, k), weight = self->rule->weight(k);
    spd_batch_slopes(p, batch, self->x, self->c, self->slope);
    if (is_plain_lasso(p))
        lasso_step(self, p, batch, beta, weight);
    else {
        memset(self->g, 0, (size_t)p->dK * sizeof(double));
        for (int64_t t = 0; t < p->terms; t++) {
            const spd_term *term = &p->term[t];
            spd_term_dual_step(term, &term->F->F, p->K, self->s, self->x, self->y + term->first, weight,
                               self->y_sum + term->first, self->g, self->term);
        }
        spd_batch_add(p, batch, self->slope, 1, self->g);
        spd_spdhg_descend(p->dK, 1 - beta * p->gamma, beta, self->g, self->x);
        p->set.kind->project(p->dK, p->set.arg, self->x, self->projection);
        spd_axpy(p->dK, weight, self->x, self->x_sum);
    }
    spd_spdhg_finish(self, p, batch, beta, weight);
}

/* row_prox.c - for the dual and proximal methods: the proximal step of one row's loss, and new dual variables alpha_i for the
 * rows of a batch, with what this changes in A'alpha. */
#include "solver/solver.h"

void spd_row_prox(const spdhg_problem *p, const spd_row *row, double q, const double *x, const double *c, const double *old,
                  double *slope, double *work) {
    spd_row_score(p, row, x, work);
    for (int64_t k = 0; k < p->K; k++) work[k] += c[k] + q * old[k];
    spd_loss_prox(p->loss, p->loss_arg, p->K, q, work, row->b, slope, work + p->K);
}

int64_t spd_row_prox_work(const spdhg_problem *p) { return p->K + spd_loss_prox_work(p->K); }

void spd_batch_replace(const spdhg_problem *p, const spd_batch *batch, double *next, double *alpha, double *g, double *gc) {
    const int64_t K = p->K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const spd_batch one = {.size = 1, .row = row};
        double *now = next + i * K, *old = alpha + row->id * K;
        for (int64_t k = 0; k < K; k++) { /* now becomes the change: 0 if the row occurs again */
            const double change = now[k] - old[k];
            old[k] = now[k];
            now[k] = change;
        }
        spd_batch_add(p, &one, now, spd_problem_share(p, row->id), g);
        if (p->intercept) spd_axpy(K, spd_problem_share(p, row->id), now, gc);
    }
}

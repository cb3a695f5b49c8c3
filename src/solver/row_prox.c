/* row_prox.c - the proximal step of the loss of one row, for the dual and proximal methods. */
#include "solver/solver.h"

void spd_row_prox(const spdhg_problem *p, const spd_row *row, double q, const double *x, const double *c, const double *old,
                  double *slope, double *work) {
    spd_row_score(p, row, x, work);
    for (int64_t k = 0; k < p->K; k++) work[k] += c[k] + q * old[k];
    spd_loss_prox(p->loss, p->loss_arg, p->K, q, work, row->b, slope, work + p->K);
}

int64_t spd_row_prox_work(const spdhg_problem *p) { return p->K + spd_loss_prox_work(p->K); }

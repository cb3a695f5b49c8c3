/* row.c - one row as the dual and proximal methods see it: its score a_i'x + c + o_i, and the proximal step of its loss. */
#include "solver/solver.h"

void spd_row_score(const spdhg_problem *p, const spd_row *row, const double *x, const double *c, double *z) {
    const int64_t K = p->K;
    for (int64_t k = 0; k < K; k++) z[k] = c[k] + (row->offset ? row->offset[k] : 0);
    if (K == 1 && row->idx) {
        double sum = 0;
        for (int64_t q = 0; q < row->nnz; q++) sum += row->val[q] * x[row->idx[q]];
        z[0] += sum;
    } else if (K == 1)
        z[0] += spd_dot(row->nnz, row->val, x);
    else
        for (int64_t q = 0; q < row->nnz; q++) spd_axpy(K, row->val[q], x + (row->idx ? row->idx[q] : q) * K, z);
}

double spd_row_share(const spdhg_problem *p, const spd_row *row) { return (p->weight ? p->weight[row->id] : 1) / p->W; }

void spd_row_prox(const spdhg_problem *p, const spd_row *row, double q, const double *x, const double *c, const double *old, double *slope,
                  double *work) {
    spd_row_score(p, row, x, c, work);
    spd_axpy(p->K, q, old, work);
    spd_loss_prox(p->loss, p->loss_arg, p->K, q, work, row->b, slope, work + p->K);
}

int64_t spd_row_prox_work(const spdhg_problem *p) { return p->K + spd_loss_prox_work(p->K); }

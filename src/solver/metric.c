/* metric.c - diagonal metrics that take the scales of the columns away: D of x is given, S of F x is made to fit it
 *     S_e = 1/(F_e D^{-1} F_e'),   ||S^{1/2} F D^{-1/2}||^2 <= the largest row sum of D^{-1} |F'| S |F| */
#include "solver/newton.h"

void spd_metric_rows(const spdhg_problem *p, const double *D, double *S) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const spd_csr *F = &term->F->F;
        const bool identity = spd_csr_is_identity(F);
        double logs = 0, rows = 0;
        for (int64_t e = 0; e < term->m; e++)
            for (int64_t k = 0; k < p->K; k++) {
                double sum = identity ? 1 / D[e * p->K + k] : 0;
                for (int64_t q = identity ? 0 : F->ptr[e]; q < (identity ? 0 : F->ptr[e + 1]); q++)
                    sum += F->val[q] * F->val[q] / D[F->idx[q] * p->K + k];
                S[term->first + e * p->K + k] = sum > 0 ? 1 / sum : 0;
                logs += sum > 0 ? log(sum) : 0;
                rows += sum > 0;
            }
        const double mean = rows > 0 ? exp(-logs / rows) : 1;
        for (int64_t i = term->first; i < term->first + term->m * p->K; i++)
            if (term->penalty != &spd_penalty_l1 || S[i] == 0) S[i] = mean;
    }
}

double spd_metric_norm(const spdhg_problem *p, const double *D, const double *S, double *sums) {
    double most = 0;
    memset(sums, 0, (size_t)p->dK * sizeof *sums);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool identity = spd_csr_is_identity(F);
        for (int64_t e = 0; e < p->term[t].m; e++)
            for (int64_t k = 0; k < p->K; k++) {
                const double weight = S[p->term[t].first + e * p->K + k];
                double sum = 0;
                if (identity) sums[e * p->K + k] += weight;
                for (int64_t q = identity ? 0 : F->ptr[e]; q < (identity ? 0 : F->ptr[e + 1]); q++) sum += fabs(F->val[q]);
                for (int64_t q = identity ? 0 : F->ptr[e]; q < (identity ? 0 : F->ptr[e + 1]); q++)
                    sums[F->idx[q] * p->K + k] += weight * sum * fabs(F->val[q]);
            }
    }
    for (int64_t q = 0; q < p->dK; q++) most = fmax(most, sums[q] / D[q]);
    return most;
}

void spd_metric_add_squares(const spdhg_problem *p, const double *weight, double *out) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool identity = spd_csr_is_identity(F);
        for (int64_t e = 0; e < p->term[t].m; e++)
            for (int64_t k = 0; k < p->K; k++) {
                const double w = weight[p->term[t].first + e * p->K + k];
                if (identity) out[e * p->K + k] += w;
                for (int64_t q = identity ? 0 : F->ptr[e]; q < (identity ? 0 : F->ptr[e + 1]); q++)
                    out[F->idx[q] * p->K + k] += w * F->val[q] * F->val[q];
            }
    }
}

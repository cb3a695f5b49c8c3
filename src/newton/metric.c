/* metric.c - diagonal metrics that take the scales of the columns away: D of x is given, S of F x is made to fit it
 *     S_e = 1/(F_e D^{-1} F_e'),   ||S^{1/2} F D^{-1/2}||^2 <= the largest row sum of D^{-1} |F'| S |F| */
#include "newton/newton.h"

static const double SMALL_UNIT = 1e-10; /* of the mean curvature */

/* One number for a block: the geometric mean of its rows', 1 where F has nothing there. */
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
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const spd_csr *F = &term->F->F;
        const bool identity = spd_csr_is_identity(F), l1 = term->penalty->sum_of_sizes;
        for (int64_t e = 0; e < term->m; e++)
            for (int64_t k = 0; k < p->K; k++) {
                double sum = identity ? 1 / D[e * p->K + k] : 0;
                for (int64_t q = identity ? 0 : F->ptr[e]; q < (identity ? 0 : F->ptr[e + 1]); q++)
                    sum += F->val[q] * F->val[q] / D[F->idx[q] * p->K + k];
                S[term->first + e * p->K + k] = sum > 0 ? 1 / sum : l1 ? 1 : 0;
            }
        for (int64_t b = 0; b < term->blocks && !l1; b++) even_out(term, b, p->K, S);
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

/* A column whose curvature can only be little beside the mean has a small unit: its coefficient may have to go far, and its own
 * curvature is what tells how far. Not so where the penalty holds it whatever the loss does: at a point of value f the slope along
 * column j is at most sqrt(2 f bound_j), for phi'^2 <= 2 kappa phi, and |F'y|_j can be sum_e lambda |F_ej|. */
void spd_metric_small_units(const spdhg_problem *p, const double *bound, double f, double *out) {
    const double unit = SMALL_UNIT * spd_sum(p->d + 1, bound) / (double)(p->d + 1);
    bool some = false;
    for (int64_t j = 0; j <= p->d; j++) some = some || (bound[j] > 0 && bound[j] < unit);
    memset(out, 0, (size_t)(p->d + 1) * sizeof *out);
    for (int64_t t = 0; t < p->terms && some; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const bool identity = spd_csr_is_identity(F);
        for (int64_t j = 0; j < p->d && identity; j++) out[j] += p->term[t].lambda;
        for (int64_t q = 0; !identity && q < F->ptr[F->m]; q++) out[F->idx[q]] += p->term[t].lambda * fabs(F->val[q]);
    }
    for (int64_t j = 0; j <= p->d; j++)
        out[j] = bound[j] > 0 && bound[j] < unit && 2 * f * bound[j] > out[j] * out[j] ? bound[j] : 0;
}

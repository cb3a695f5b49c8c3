/* sizes.c - when a number of v = A'alpha/W + F'y is as good as 0: against the numbers it is a sum of, |alpha_i a_ij| and |F_ej
 * y_e|. v_j at 1e-12 of them is exactly 0 for data and F that differ from these in their 12th digit. y_e counts as what it would
 * take to hold the columns F ties together, so that one that is 0 does not ask for more digits than there are. A measure for all
 * coordinates alike would let a column of large numbers excuse one of small numbers, along which f may fall far. */
#include "certify/certify.h"

/* tied[j] = the same number for all columns that rows of F tie together: the smallest of them (union-find). */
static int32_t root_of(int32_t *tied, int32_t j) {
    while (tied[j] != j) j = tied[j] = tied[tied[j]];
    return j;
}

void spd_dual_find_ties(const spdhg_problem *p, int32_t *tied) {
    for (int32_t j = 0; j < p->d; j++) tied[j] = j;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F); e++)
            for (int64_t q = F->ptr[e] + 1; q < F->ptr[e + 1]; q++) {
                const int32_t a = root_of(tied, F->idx[q - 1]), b = root_of(tied, F->idx[q]);
                tied[a > b ? a : b] = a > b ? b : a;
            }
    }
    for (int32_t j = 0; j < p->d; j++) tied[j] = root_of(tied, j);
}

/* A_j = (1/W) sum_i w_i |alpha_i||a_ij|, the largest of the K outputs, against the largest |F_ej|: what y_e must be to hold
 * column j. hold = the most that any column tied to j needs. */
static void find_holds(spd_certifier *c, double *hold) {
    const spdhg_problem *p = c->problem;
    double *top = c->q;
    memset(top, 0, (size_t)p->d * sizeof *top);
    memset(hold, 0, (size_t)p->d * sizeof *hold);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t q = 0; q < spd_csr_nnz(F) && !spd_csr_is_identity(F); q++)
            top[F->idx[q]] = fmax(top[F->idx[q]], fabs(F->val[q]));
    }
    for (int64_t j = 0; j < p->d; j++)
        if (top[j] > 0) hold[c->tied[j]] = fmax(hold[c->tied[j]], spd_max_abs(p->K, c->size + j * p->K) / top[j]);
}

/* size = A + |F|'|y|, the intercept's last. */
void spd_dual_find_sizes(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double *hold = c->P;
    spd_problem_adjoint_sizes(p, c->threads, c->alpha, c->size, p->intercept ? c->size + p->dK : NULL, c->Mwork);
    find_holds(c, hold);
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        const double *y = c->y + p->term[t].first;
        for (int64_t e = 0; e < F->m && !spd_csr_is_identity(F); e++)
            for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++) {
                const double least = fmin(p->term[t].lambda, hold[c->tied[F->idx[q]]]);
                for (int64_t k = 0; k < K; k++) c->size[F->idx[q] * K + k] += fabs(F->val[q]) * fmax(fabs(y[e * K + k]), least);
            }
    }
}

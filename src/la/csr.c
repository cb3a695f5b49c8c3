/* csr.c - sparse matrices by rows: products with n x K and m x K arrays, bounds on the spectral norm.
 * The identity is stored as nothing at all (ptr, idx and val are NULL). */
#include "la/la.h"

spdhg_status spd_csr_new(spd_csr *A, int64_t m, int64_t n, int64_t nnz, spdhg_error *err) {
    *A = (spd_csr){.m = m, .n = n};
    if (m < INT64_MAX) A->ptr = SPD_NEW(int64_t, m + 1);
    A->idx = SPD_NEW(int32_t, nnz);
    A->val = SPD_NEW(double, nnz);
    if (A->ptr && A->idx && A->val) return SPDHG_OK;
    spd_csr_free(A);
    return spd_fail_memory(err, 8.0 * (double)m + 12.0 * (double)nnz);
}

void spd_csr_free(spd_csr *A) {
    if (!A) return;
    SPD_FREE_ALL(A->ptr, A->idx, A->val);
    *A = (spd_csr){0};
}

bool spd_csr_is_identity(const spd_csr *A) { return !A->idx && !A->val; }

bool spd_csr_is_heavy(const spd_csr *A, int64_t i) {
    enum { LIGHT = 30 }; /* entries at most */
    return A->ptr[i + 1] - A->ptr[i] > LIGHT;
}

int64_t spd_csr_nnz(const spd_csr *A) { return spd_csr_is_identity(A) ? A->m : A->ptr[A->m]; }

void spd_csr_apply(const spd_csr *A, int64_t K, const double *X, double *Y) {
    if (spd_csr_is_identity(A)) {
        if (A->m * K > 0) memcpy(Y, X, (size_t)(A->m * K) * sizeof *Y);
    } else if (K == 1) {
        for (int64_t e = 0; e < A->m; e++) {
            double sum = 0;
            for (int64_t p = A->ptr[e]; p < A->ptr[e + 1]; p++) sum += A->val[p] * X[A->idx[p]];
            Y[e] = sum;
        }
    } else {
        for (int64_t e = 0; e < A->m; e++) {
            double *y = Y + e * K;
            for (int64_t k = 0; k < K; k++) y[k] = 0;
            for (int64_t p = A->ptr[e]; p < A->ptr[e + 1]; p++)
                for (int64_t k = 0; k < K; k++) y[k] += A->val[p] * X[A->idx[p] * K + k];
        }
    }
}

void spd_csr_apply_transposed(const spd_csr *A, int64_t K, const double *Y, double *X) {
    if (spd_csr_is_identity(A)) {
        spd_axpy(A->m * K, 1, Y, X);
    } else if (K == 1) {
        for (int64_t e = 0; e < A->m; e++)
            for (int64_t p = A->ptr[e]; p < A->ptr[e + 1]; p++) X[A->idx[p]] += A->val[p] * Y[e];
    } else {
        for (int64_t e = 0; e < A->m; e++)
            for (int64_t p = A->ptr[e]; p < A->ptr[e + 1]; p++)
                for (int64_t k = 0; k < K; k++) X[A->idx[p] * K + k] += A->val[p] * Y[e * K + k];
    }
}

void spd_csr_add_gram(const spd_csr *A, int64_t K, double factor, int64_t n, double *M) {
    if (spd_csr_is_identity(A)) {
        for (int64_t q = 0; q < A->m * K; q++) M[q * n + q] += factor;
        return;
    }
    for (int64_t e = 0; e < A->m; e++)
        for (int64_t a = A->ptr[e]; a < A->ptr[e + 1]; a++)
            for (int64_t b = A->ptr[e]; b <= a; b++) {
                const int64_t i = A->idx[a], j = A->idx[b], low = i > j ? i : j, left = i > j ? j : i;
                for (int64_t k = 0; k < K; k++) M[(low * K + k) * n + left * K + k] += factor * A->val[a] * A->val[b];
            }
}

double spd_csr_norm_bound(const spd_csr *A, double *work) {
    if (spd_csr_is_identity(A)) return A->m > 0 ? 1 : 0;
    const int64_t nnz = spd_csr_nnz(A);
    for (int64_t j = 0; j < A->n; j++) work[j] = 0;
    for (int64_t p = 0; p < nnz; p++) work[A->idx[p]] += fabs(A->val[p]);
    double largest = 0; /* ||A||^2 = ||AA'|| <= largest row sum of |A||A|', as for any symmetric matrix */
    for (int64_t e = 0; e < A->m; e++) {
        double sum = 0;
        for (int64_t p = A->ptr[e]; p < A->ptr[e + 1]; p++) sum += fabs(A->val[p]) * work[A->idx[p]];
        if (!(sum <= largest)) largest = sum;
    }
    return fmin(spd_norm2(nnz, A->val), sqrt(largest));
}

double spd_csr_power(const spd_csr *A, int rounds, double *work) {
    double *x = work, *y = work + A->n, norm = 0;
    for (int64_t j = 0; j < A->n; j++) {
        uint64_t bits[2];
        spd_random(0, SPD_STREAM_SAMPLE, (uint64_t)j, bits);
        x[j] = spd_uniform(bits[0]) - 0.5;
    }
    for (int k = 0; k < rounds; k++) {
        const double size = spd_norm2(A->n, x);
        if (!(size > 0)) break;
        spd_scale(A->n, 1 / size, x);
        spd_csr_apply(A, 1, x, y);
        norm = fmax(norm, spd_norm2(A->m, y));
        for (int64_t j = 0; j < A->n; j++) x[j] = 0;
        spd_csr_apply_transposed(A, 1, y, x);
    }
    return norm;
}

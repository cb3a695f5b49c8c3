/* product.c - products of dense matrices by BLAS, and what a Cholesky factor knows of its matrix.
 * All matrices are row-major and have fewer than 2^31 rows and columns. */
#include <cblas.h>
#include <lapacke.h>

#include "la/la.h"

void spd_gram_rows(int64_t m, int64_t n, const double *X, int64_t from, int64_t count, double *G) {
    if (n == 0 || count == 0) return;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)count, (int)n, (int)m, 1, X + from, (int)n, X, (int)n, 0, G,
                (int)n);
}

void spd_recompose(int64_t n, const double *V, const double *s, double *C, double *work) {
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++) work[k * n + j] = s[k] * V[k * n + j];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, V, (int)n, work, (int)n, 0, C, (int)n);
}

bool spd_cholesky_inverse(int64_t n, double *A) {
    if (n == 0) return true;
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, A, (lapack_int)n) != 0) return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) A[j * n + i] = A[i * n + j];
    return true;
}

double spd_cholesky_logdet(int64_t n, const double *A) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += log(A[i * n + i]);
    return 2 * sum;
}

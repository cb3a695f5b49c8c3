/* product.c - products of dense matrices by BLAS; inverse and log det from a Cholesky factor.
 * All matrices are row-major and have fewer than 2^31 rows and columns. */
#include <cblas.h>

#include "la/la.h"
#include "la/lapack.h"

enum { SMALL = 64 };

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

void spd_square_apply(int64_t n, const double *V, bool transposed, const double *x, double *y) {
    if (n == 0) return;
    cblas_dgemv(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, (int)n, (int)n, 1, V, (int)n, x, 1, 0, y, 1);
}

/* Inverts a column-major upper triangle in place by recursive halving: LAPACK's own goes column by column at these sizes. */
static bool invert_triangle(lapack_int n, double *A, lapack_int stride) {
    lapack_int info = 0;
    if (n <= SMALL) {
        dtrtri_("U", "N", &n, A, &stride, &info, 1, 1);
        return info == 0;
    }
    const lapack_int half = n / 2, rest = n - half;
    double *corner = A + (int64_t)half * stride, *low = corner + half;
    if (!invert_triangle(half, A, stride) || !invert_triangle(rest, low, stride)) return false;
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, half, rest, -1, A, stride, corner, stride);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, half, rest, 1, low, stride, corner, stride);
    return true;
}

bool spd_cholesky_inverse(int64_t n, double *A) {
    if (n == 0) return true;
    const lapack_int size = (lapack_int)n;
    lapack_int info = 0;
    if (!invert_triangle(size, A, size)) return false;
    dlauum_("U", &size, A, &size, &info, 1);
    if (info != 0) return false;
    for (int64_t first = 0; first < n; first += SMALL) /* copy to the other triangle in blocks that stay in the cache */
        for (int64_t i = first; i < n; i++) {
            const int64_t end = first + SMALL < i ? first + SMALL : i;
            for (int64_t j = first; j < end; j++) A[j * n + i] = A[i * n + j];
        }
    return true;
}

double spd_cholesky_logdet(int64_t n, const double *A) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += log(A[i * n + i]);
    return 2 * sum;
}

/* dense.c - factorisations of small dense matrices by LAPACK.
 * Row-major m x K is column-major K x m of the transpose, so LAPACK gets A' = V diag(s) U' and nothing is transposed or
 * allocated: its left factor, column-major K x k, is our Vt; its right factor, column-major k x m, is our U. */
#include "la/la.h"
#include "la/lapack.h"

static bool fits(int64_t n) { return n >= 0 && n <= INT32_MAX; }

/* The number of doubles that dgesdd needs as work. Its 8 min(m,K) integers follow them in the caller's array. */
static int64_t gesdd_work(int64_t m, int64_t K) {
    const lapack_int rows = (lapack_int)K, columns = (lapack_int)m, k = rows < columns ? rows : columns, ask = -1;
    double best = 0, unused = 0;
    lapack_int integer = 0, info = 0;
    dgesdd_("S", &rows, &columns, &unused, &rows, &unused, &unused, &rows, &unused, &k, &best, &ask, &integer, &info, 1);
    return (int64_t)best;
}

static bool svd_possible(int64_t m, int64_t K) {
    int64_t size;
    return m > 0 && K > 0 && fits(m) && fits(K) && !__builtin_mul_overflow(m, K, &size);
}

int64_t spd_svd_work(int64_t m, int64_t K) {
    if (!svd_possible(m, K)) return 0;
    const int64_t k = m < K ? m : K, integers = 8 * k * (int64_t)sizeof(lapack_int);
    return gesdd_work(m, K) + (integers + (int64_t)sizeof(double) - 1) / (int64_t)sizeof(double);
}

bool spd_svd(int64_t m, int64_t K, double *A, double *U, double *s, double *Vt, double *work) {
    if (m == 0 || K == 0) return true;
    if (!svd_possible(m, K) || !spd_all_finite(m * K, A)) return false;
    const lapack_int rows = (lapack_int)K, columns = (lapack_int)m, k = rows < columns ? rows : columns;
    const int64_t size = gesdd_work(m, K);
    if (!fits(size)) return false;
    const lapack_int work_size = (lapack_int)size;
    lapack_int info = 0;
    dgesdd_("S", &rows, &columns, A, &rows, s, Vt, &rows, U, &k, work, &work_size, (lapack_int *)(void *)(work + size), &info, 1);
    return info == 0;
}

int64_t spd_eigen_work(int64_t n) { return 34 * n + 1; }

/* Uses dsyev: dsyevd is faster for large n, but its small products allocate inside BLAS. A symmetric matrix is its own
 * transpose, so LAPACK's columns of eigenvectors are our rows. */
bool spd_eigen(int64_t n, double *A, double *values, double *work) {
    if (n == 0) return true;
    if (!fits(spd_eigen_work(n)) || !spd_all_finite(n * n, A)) return false;
    const lapack_int size = (lapack_int)n, work_size = (lapack_int)spd_eigen_work(n);
    lapack_int info = 0;
    dsyev_("V", "U", &size, A, &size, values, work, &work_size, &info, 1, 1);
    return info == 0;
}

enum { PANEL = 32 }; /* columns that LAPACK processes at once */

int64_t spd_complement_work(int64_t n) { return (PANEL + 1) * n; }

/* A' = H_1 ... H_r R by Householder reflections; their product maps the unit vectors r+1..n onto the complement. */
bool spd_complement(int64_t r, int64_t n, double *A, double *Q, double *work) {
    const int64_t rest = n - r;
    memset(Q, 0, (size_t)(rest * n) * sizeof *Q);
    for (int64_t i = 0; i < rest; i++) Q[i * n + r + i] = 1;
    if (r == 0 || rest <= 0) return rest >= 0;
    if (!fits(spd_complement_work(n)) || !spd_all_finite(r * n, A)) return false;
    double *tau = work, *scratch = work + n;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)r, others = (lapack_int)rest, size = (lapack_int)(PANEL * n);
    lapack_int info = 0;
    dgeqrf_(&rows, &columns, A, &rows, tau, scratch, &size, &info);
    if (info == 0) dormqr_("L", "N", &rows, &others, &columns, A, &rows, tau, Q, &rows, scratch, &size, &info, 1, 1);
    return info == 0;
}

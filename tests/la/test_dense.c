/* test_dense.c - LAPACK and our own factorisations of dense matrices against the definitions. */
#include "laws.h"

#include "la/la.h"

static void check_svd(int64_t m, int64_t K) {
    const int64_t k = m < K ? m : K;
    double *A = SPD_NEW(double, m *K), *copy = SPD_NEW(double, m *K), *U = SPD_NEW(double, m *k), *s = SPD_NEW(double, k),
           *Vt = SPD_NEW(double, k *K), *work = SPD_NEW(double, spd_svd_work(m, K));
    law_normals(7, m * K, 1, A);
    memcpy(copy, A, (size_t)(m * K) * sizeof *A);
    assert_true(spd_svd(m, K, copy, U, s, Vt, work));
    for (int64_t i = 0; i < k; i++) {
        assert_true(s[i] >= (i + 1 < k ? s[i + 1] : 0));
        for (int64_t j = 0; j < k; j++) {
            double u = 0, v = 0;
            for (int64_t e = 0; e < m; e++) u += U[e * k + i] * U[e * k + j];
            for (int64_t c = 0; c < K; c++) v += Vt[i * K + c] * Vt[j * K + c];
            assert_near("U'U", u, i == j, 1e-13);
            assert_near("V'V", v, i == j, 1e-13);
        }
    }
    for (int64_t e = 0; e < m; e++)
        for (int64_t c = 0; c < K; c++) {
            double sum = 0;
            for (int64_t i = 0; i < k; i++) sum += U[e * k + i] * s[i] * Vt[i * K + c];
            assert_near("U s V'", sum, A[e * K + c], 1e-12);
        }
    spd_free(A), spd_free(copy), spd_free(U), spd_free(s), spd_free(Vt), spd_free(work);
}

static void singular_values(void **unused) {
    (void)unused;
    check_svd(6, 3), check_svd(3, 6), check_svd(1, 1), check_svd(1, 4), check_svd(200, 3), check_svd(5, 5);
    double bad[2] = {1, NAN}, U[2], s[2], Vt[4], work[200];
    assert_true(spd_svd_work(2, 1) <= 200);
    assert_false(spd_svd(2, 1, bad, U, s, Vt, work));
    assert_true(spd_svd(0, 3, bad, U, s, Vt, work));
}

/* Nearly dependent rows: the complement is still orthonormal and orthogonal to them. */
static void complement(void **unused) {
    (void)unused;
    enum { R = 3, N = 6 };
    double A[R * N] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6 + 1e-9, 0, 1, 0, -1, 0, 1}, copy[R * N], Q[(N - R) * N];
    double work[400];
    assert_true(spd_complement_work(N) <= 400);
    memcpy(copy, A, sizeof A);
    assert_true(spd_complement(R, N, A, Q, work));
    for (int i = 0; i < N - R; i++) {
        for (int r = 0; r < R; r++) assert_true(fabs(spd_dot(N, copy + r * N, Q + i * N)) < 1e-14);
        for (int j = 0; j <= i; j++) assert_true(fabs(spd_dot(N, Q + i * N, Q + j * N) - (i == j)) < 1e-14);
    }
    double all[4];
    assert_true(spd_complement(0, 2, NULL, all, work));
    assert_true(all[0] == 1 && all[1] == 0 && all[2] == 0 && all[3] == 1);
}

static void cholesky(void **unused) {
    (void)unused;
    enum { N = 6 };
    double A[N * N], B[N * N], x[N], b[N] = {0};
    law_normals(8, N * N, 1, B);
    law_normals(9, N, 1, x);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i * N + j] = law_dot(N, B + i * N, B + j * N) + (i == j);
    for (int i = 0; i < N; i++) b[i] = law_dot(N, A + i * N, x);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) A[i * N + j] = NAN; /* only the lower triangle is read */
    assert_true(spd_cholesky(N, A));
    spd_cholesky_solve(N, A, b);
    for (int i = 0; i < N; i++) assert_near("solution", b[i], x[i], 1e-11);
    double indefinite[4] = {1, 0, 2, 1};
    assert_false(spd_cholesky(2, indefinite));
    assert_true(spd_cholesky(0, NULL));
}

/* Sizes around the blocks of the factorisation, and one that goes to LAPACK: L L' = A to rounding; the upper triangle is
 * unchanged. */
static void cholesky_sizes(void **unused) {
    (void)unused;
    static const int64_t size[] = {1, 2, 7, 8, 9, 12, 15, 16, 19, 24, 29, 67, 123, 1031};
    for (size_t t = 0; t < sizeof size / sizeof *size; t++) {
        const int64_t n = size[t];
        double *A = SPD_NEW(double, n *n), *L = SPD_NEW(double, n *n), *B = SPD_NEW(double, n * 3);
        assert_true(A && L && B);
        law_normals(30 + t, n * 3, 1, B);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) A[i * n + j] = j > i ? -7 : law_dot(3, B + i * 3, B + j * 3) + (i == j);
        memcpy(L, A, (size_t)(n * n) * sizeof *L);
        assert_true(spd_cholesky(n, L));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (j > i)
                    assert_true(L[i * n + j] == -7);
                else
                    assert_near("L L'", law_dot(j + 1, L + i * n, L + j * n), A[i * n + j], 1e-13);
        for (int64_t bad = 0; bad < n && n < 40; bad++) { /* the pivot of this column is just below 0, or NaN */
            for (int way = 0; way < 2; way++) {
                double *M = SPD_NEW(double, n *n);
                assert_non_null(M);
                memcpy(M, A, (size_t)(n * n) * sizeof *M);
                M[bad * n + bad] -= way == 0 ? L[bad * n + bad] * L[bad * n + bad] * (1 + 1e-9) + 1e-9 : NAN;
                assert_false(spd_cholesky(n, M));
                spd_free(M);
            }
        }
        spd_free(A);
        spd_free(L);
        spd_free(B);
    }
}

/* A x for a symmetric matrix whose upper triangle holds garbage. */
static void symmetric_product(void **unused) {
    (void)unused;
    enum { MOST = 23 };
    double A[MOST * MOST] = {0}, x[MOST] = {0}, y[MOST];
    for (int64_t n = 0; n <= MOST; n++) {
        law_normals(70, n * n, 1, A);
        law_normals(71, n, 1, x);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) A[i * n + j] = NAN;
        spd_symmetric_apply(n, A, x, y);
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++) sum += A[(i > j ? i : j) * n + (i > j ? j : i)] * x[j];
            assert_near("A x", y[i], sum, 1e-13);
        }
    }
}

static void eigenvalues(void **unused) {
    (void)unused;
    enum { N = 40 };
    double A[N * N], V[N * N], e[N];
    double *work = SPD_NEW(double, spd_eigen_work(N));
    law_normals(10, N * N, 1, A);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) A[i * N + j] = A[j * N + i];
    memcpy(V, A, sizeof A);
    assert_true(spd_eigen(N, V, e, work));
    for (int k = 0; k < N; k++) {
        assert_true(k == 0 || e[k - 1] <= e[k]);
        for (int i = 0; i < N; i++) {
            assert_near("A v = e v", law_dot(N, A + i * N, V + k * N), e[k] * V[k * N + i], 1e-12);
            assert_near("orthonormal", law_dot(N, V + i * N, V + k * N), i == k, 1e-13);
        }
    }
    V[3] = NAN;
    assert_false(spd_eigen(N, V, e, work));
    assert_true(spd_eigen(0, NULL, NULL, NULL));
    spd_free(work);
}

/* Starts from 0 and adds vectors of zeros and ones repeatedly, dense vectors of very different lengths, and a zero vector:
 *     A V' = V' diag(e)  and  V V' = I. */
static void eigenvalues_of_a_sum(void **unused) {
    (void)unused;
    enum { N = 30, STEPS = 400 };
    double A[N * N] = {0}, V[N * N] = {0}, e[N] = {0}, g[N], size = 0;
    double *work = SPD_NEW(double, spd_eigen_add_work(N));
    for (int i = 0; i < N; i++) V[i * N + i] = 1;
    for (int t = 0; t < STEPS; t++) {
        law_normals((uint64_t)(t % 150) + 100, N, 1, g);
        for (int i = 0; i < N; i++) g[i] = t % 10 == 9 ? 0 : t % 3 ? g[i] > 1 : g[i] * pow(10, -(t % 7));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) A[i * N + j] += g[i] * g[j];
        size += law_dot(N, g, g);
        assert_true(spd_eigen_add(N, V, e, g, work));
        for (int k = 0; k < N; k++)
            for (int i = 0; i < N; i++) {
                assert_true(fabs(law_dot(N, A + i * N, V + k * N) - e[k] * V[k * N + i]) <= 1e-13 * size);
                assert_near("orthonormal", law_dot(N, V + i * N, V + k * N), i == k, 1e-12);
            }
    }
    g[3] = INFINITY;
    assert_false(spd_eigen_add(N, V, e, g, work));
    spd_free(work);
}

/* The inverse times the matrix, at sizes below and above the largest that is inverted in one piece. */
static void inverse(void **unused) {
    (void)unused;
    for (int64_t n = 1; n < 200; n = 2 * n + 3) {
        double *A = SPD_NEW(double, n *n), *B = SPD_NEW(double, n *n), worst = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = i == j ? (double)n : sin((double)(3 * i + j * j));
        memcpy(B, A, (size_t)(n * n) * sizeof *B);
        assert_true(spd_cholesky(n, B) && spd_cholesky_inverse(n, B));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = i == j ? -1 : 0;
                for (int64_t k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
                worst = fmax(worst, fabs(sum));
            }
        if (!(worst < 1e-12)) fail_msg("n = %d: A times its inverse is off by %g", (int)n, worst);
        spd_free(A);
        spd_free(B);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(singular_values),
                                       cmocka_unit_test(complement),
                                       cmocka_unit_test(cholesky),
                                       cmocka_unit_test(cholesky_sizes),
                                       cmocka_unit_test(symmetric_product),
                                       cmocka_unit_test(eigenvalues),
                                       cmocka_unit_test(eigenvalues_of_a_sum),
                                       cmocka_unit_test(inverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

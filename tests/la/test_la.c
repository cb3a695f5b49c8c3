/* test_la.c - vectors against long double, sparse products against dense ones, LAPACK against the definitions. */
#include "laws.h"

#include "admm/star_system.h"

static void vectors(void **unused) {
    (void)unused;
    for (int64_t n = 0; n < 70; n++) {
        double x[70] = {0}, y[70] = {0}, z[70];
        law_normals(1, n, 1, x);
        law_normals(2, n, 1, y);
        memcpy(z, y, sizeof z);
        long double sum = 0, size = 0, largest = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += (long double)x[i];
            size += fabsl((long double)x[i]);
            largest = fmaxl(largest, fabsl((long double)x[i]));
        }
        assert_near("dot", spd_dot(n, x, y), law_dot(n, x, y), 1e-13);
        assert_near("norm", spd_norm2(n, x), sqrt(law_dot(n, x, x)), 1e-13);
        assert_near("sum", spd_sum(n, x), (double)sum, 1e-15 * (double)size);
        assert_near("sum of sizes", spd_sum_abs(n, x), (double)size, 1e-13);
        assert_true(spd_max_abs(n, x) == (double)largest);
        assert_int_equal(spd_count_nonzero(n, x), n);
        assert_true(spd_all_finite(n, x));
        spd_axpy(n, -2.5, x, z);
        for (int64_t i = 0; i < n; i++) assert_true(z[i] == y[i] + -2.5 * x[i]);
        spd_scale(n, 3, z);
        for (int64_t i = 0; i < n; i++) assert_true(z[i] == 3 * (y[i] + -2.5 * x[i]));
        for (int64_t i = 0; i < n; i++) { /* a single bad entry is detected anywhere */
            z[i] = i % 2 ? NAN : -INFINITY;
            assert_false(spd_all_finite(n, z));
            z[i] = 0;
            assert_int_equal(spd_count_nonzero(n, z), n - 1 - i);
        }
    }
}

static void extreme_numbers(void **unused) {
    (void)unused;
    const double big[3] = {3e300, 0, -4e300}, small[3] = {3e-300, 4e-300, 0}, tiny[2] = {5e-324, 0}, odd[2] = {1, NAN};
    const double cancels[4] = {1, 1e100, 1, -1e100}, zero[3] = {0, -0.0, 0}, endless[2] = {1, -INFINITY};
    assert_near("norm", spd_norm2(3, big), 5e300, 1e285);
    assert_near("norm", spd_norm2(3, small), 5e-300, 1e-315);
    const double half_lost[2] = {3e-160, 4e-160}; /* its squares are subnormal */
    assert_near("norm", spd_norm2(2, half_lost), 5e-160, 1e-175);
    assert_true(spd_norm2(2, tiny) == 5e-324 && spd_norm2(3, zero) == 0 && isnan(spd_norm2(2, odd)) &&
                isinf(spd_norm2(2, endless)));
    assert_true(spd_sum(4, cancels) == 2);
}

/* A random 7 x 5 matrix with an empty row, and the same as a dense table. */
static void random_rows(spd_csr *A, double dense[7][5]) {
    assert_int_equal(spd_csr_new(A, 7, 5, 35, NULL), SPDHG_OK);
    int64_t place = 0;
    for (int64_t e = 0; e < 7; e++) {
        for (int64_t j = 0; j < 5; j++) {
            dense[e][j] = e != 3 && law_normal(3, 5 * e + j) > 0 ? law_normal(4, 5 * e + j) : 0;
            if (dense[e][j] == 0) continue;
            A->idx[place] = (int32_t)j;
            A->val[place++] = dense[e][j];
        }
        A->ptr[e + 1] = place;
    }
}

static void sparse_products(void **unused) {
    (void)unused;
    spd_csr A;
    double dense[7][5], x[15] = {0}, y[21] = {0}, out[21], back[15];
    random_rows(&A, dense);
    for (int64_t K = 1; K <= 3; K += 2) {
        law_normals(5, 5 * K, 1, x);
        law_normals(6, 7 * K, 1, y);
        spd_csr_apply(&A, K, x, out);
        memcpy(back, x, sizeof back);
        spd_csr_apply_transposed(&A, K, y, back); /* adds to its output */
        for (int64_t k = 0; k < K; k++) {
            for (int64_t e = 0; e < 7; e++) {
                double sum = 0;
                for (int64_t j = 0; j < 5; j++) sum += dense[e][j] * x[j * K + k];
                assert_near("A x", out[e * K + k], sum, 1e-14);
            }
            for (int64_t j = 0; j < 5; j++) {
                double sum = x[j * K + k];
                for (int64_t e = 0; e < 7; e++) sum += dense[e][j] * y[e * K + k];
                assert_near("x + A'y", back[j * K + k], sum, 1e-14);
            }
        }
        const spd_csr identity = {.m = 5, .n = 5};
        spd_csr_apply(&identity, K, x, out);
        assert_memory_equal(out, x, (size_t)(5 * K) * sizeof *x);
        spd_csr_apply_transposed(&identity, K, x, out);
        for (int64_t i = 0; i < 5 * K; i++) assert_true(out[i] == 2 * x[i]);
    }
    assert_int_equal(spd_csr_nnz(&A), A.ptr[7]);
    spd_csr_free(&A);
    spd_csr_free(&A);
    spd_csr_free(NULL);
}

static void norms(void **unused) {
    (void)unused;
    spd_csr A;
    double dense[7][5], work[12], flat[35], U[35], s[5], Vt[25];
    random_rows(&A, dense);
    memcpy(flat, dense, sizeof flat);
    double *own = SPD_NEW(double, spd_svd_work(7, 5));
    assert_true(spd_svd(7, 5, flat, U, s, Vt, own));
    const double power = spd_csr_power(&A, 500, work), bound = spd_csr_norm_bound(&A, work);
    assert_near("power method", power, s[0], 1e-9);
    assert_at_most("norm", s[0], bound);
    long double squares = 0, largest = 0;
    for (int e = 0; e < 7; e++) {
        long double row = 0;
        for (int f = 0; f < 7; f++)
            for (int j = 0; j < 5; j++) row += fabsl((long double)dense[e][j] * dense[f][j]);
        for (int j = 0; j < 5; j++) squares += (long double)dense[e][j] * dense[e][j];
        largest = fmaxl(largest, row);
    }
    assert_near("bound", bound, (double)sqrtl(fminl(squares, largest)), 1e-13);
    const spd_csr identity = {.m = 4, .n = 4}, nothing = {0};
    assert_true(spd_csr_norm_bound(&identity, work) == 1 && spd_csr_norm_bound(&nothing, work) == 0);
    spd_csr_free(&A);
    spd_free(own);
}

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

/* The two single-precision products, with M multiplied by `large` and X divided by it: the products leave the range of floats. */
static void single_sandwiches(const spd_pattern *g, double large, double *M, spd_csr *entries, double *x, double *single,
                              double *light) {
    const int64_t n = g->n, length = g->start[n] + n, size = n * spd_float_width(n);
    spd_float_matrix s = {.M = SPD_NEW(float, size), .U = SPD_NEW(float, size)};
    assert_true(s.M && s.U);
    spd_scale(n * n, large, M);
    spd_scale(spd_csr_nnz(entries), large, entries->val);
    spd_scale(length, 1 / large, x);
    spd_float_copy(&s, n, M);
    spd_sandwich_float(g, &s, x, single);
    spd_sandwich_light(g, entries, x, s.U, light);
    spd_scale(length, 1 / large, single);
    spd_scale(length, 1 / large, light);
    spd_scale(n * n, 1 / large, M);
    spd_free(s.M);
    spd_free(s.U);
}

/* (M X M) on a pattern against the full product, with M dense and sparse, in double and single precision; sizes below a tile, of
 * whole tiles, and with a remainder. */
static void sandwich(void **unused) {
    (void)unused;
    const int64_t sizes[] = {1, 7, 16, 32, 53, 96};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        const int64_t n = sizes[t];
        spd_pattern g;
        assert_true(spd_pattern_new(&g, n) && spd_pattern_room(&g, 0));
        for (int64_t i = 0, q = 0; i <= n; i++) {
            g.start[i] = q;
            for (int64_t j = i + 1; j < n; j++)
                if ((i * j + j) % 3 != 1) {
                    assert_true(spd_pattern_room(&g, q + 1));
                    g.other[q++] = (int32_t)j;
                }
        }
        spd_pattern_complete(&g);
        const int64_t pairs = g.start[n];
        double *M = SPD_NEW(double, n *n), *X = SPD_NEW(double, n *n), *XM = SPD_NEW(double, n *n), *U = SPD_NEW(double, n *n),
               *x = SPD_NEW(double, pairs + n), *out = SPD_NEW(double, pairs + n), *sparse = SPD_NEW(double, pairs + n),
               *single = SPD_NEW(double, pairs + n), *light = SPD_NEW(double, pairs + n);
        spd_csr entries;
        assert_int_equal(spd_csr_new(&entries, n, n, n * n, NULL), SPDHG_OK);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) M[i * n + j] = (i + j) % 2 == 1 ? 0 : cos((double)(i * j + i + j));
            entries.ptr[i + 1] = entries.ptr[i];
            for (int64_t j = 0; j < n; j++)
                if (M[i * n + j] != 0) {
                    entries.idx[entries.ptr[i + 1]] = (int32_t)j;
                    entries.val[entries.ptr[i + 1]++] = M[i * n + j];
                }
            X[i * n + i] = x[pairs + i] = (double)i - 2;
            for (int64_t q = g.start[i]; q < g.start[i + 1]; q++)
                X[i * n + g.other[q]] = X[g.other[q] * n + i] = x[q] = sin((double)(q + 1));
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k++)
                for (int64_t j = 0; j < n; j++) XM[i * n + j] += X[i * n + k] * M[k * n + j];
        spd_sandwich(&g, M, x, U, out);
        spd_sandwich_sparse(&g, &entries, x, sparse);
        single_sandwiches(&g, 1e60, M, &entries, x, single, light);
        for (int64_t i = 0; i < n; i++)
            for (int64_t q = g.start[i] - 1; q < g.start[i + 1]; q++) { /* the diagonal first */
                const int64_t j = q < g.start[i] ? i : g.other[q];
                const int64_t at = q < g.start[i] ? pairs + i : q;
                double sum = 0;
                for (int64_t k = 0; k < n; k++) sum += M[i * n + k] * XM[k * n + j];
                const double off = fmax(fabs(out[at] - sum), fabs(sparse[at] - sum));
                if (!(off < 1e-10)) fail_msg("n = %d: (%d, %d) is off by %g", (int)n, (int)i, (int)j, off);
                const double rough = fmax(fabs(single[at] - sum), fabs(light[at] - sum));
                if (!(rough < 1e-7 * (double)(n * n))) fail_msg("n = %d: (%d, %d) is off by %g", (int)n, (int)i, (int)j, rough);
            }
        double *const all[] = {M, X, XM, U, x, out, sparse, single, light};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) spd_free(all[k]);
        spd_csr_free(&entries);
        spd_pattern_free(&g);
    }
}

/* A = diag(1, .., N) + 100 v v', v_i = 1/i: the preconditioner determines how many steps conjugate gradients take. */
enum { RANK_ONE = 40 };

static void rank_one_apply(const void *context, const double *x, double *Ax) {
    (void)context;
    double sum = 0;
    for (int i = 0; i < RANK_ONE; i++) sum += x[i] / (i + 1);
    for (int i = 0; i < RANK_ONE; i++) Ax[i] = (i + 1) * x[i] + 100 * sum / (i + 1);
}

static void rank_one_inverse(const void *context, const double *r, double *z) {
    (void)context;
    double sum = 0, size = 1.0 / 100;
    for (int i = 0; i < RANK_ONE; i++) {
        const double v = 1.0 / (i + 1);
        sum += v * r[i] / (i + 1);
        size += v * v / (i + 1);
    }
    for (int i = 0; i < RANK_ONE; i++) z[i] = (r[i] - sum / size / (i + 1)) / (i + 1);
}

static void conjugate_gradients(void **unused) {
    (void)unused;
    double b[RANK_ONE], x[RANK_ONE] = {0}, Ax[RANK_ONE], work[4 * RANK_ONE];
    for (int i = 0; i < RANK_ONE; i++) b[i] = sin(i + 1.0);
    spd_cg cg = {.apply = rank_one_apply, .tolerance = 1e-12, .most = 1000};
    const int plain = spd_cg_solve(&cg, RANK_ONE, b, x, work);
    rank_one_apply(NULL, x, Ax);
    for (int i = 0; i < RANK_ONE; i++) assert_true(fabs(Ax[i] - b[i]) < 1e-10);
    memset(x, 0, sizeof x);
    cg.precondition = rank_one_inverse;
    const int exact = spd_cg_solve(&cg, RANK_ONE, b, x, work);
    assert_true(plain > 10 && exact <= 2);
    rank_one_apply(NULL, x, Ax);
    for (int i = 0; i < RANK_ONE; i++) assert_true(fabs(Ax[i] - b[i]) < 1e-10);
}

/* Long rows first, then light ones: each has its own column, every fifth a second one, and some of the hubs, which are the first
 * columns. */
enum { STAR_COLUMNS = 300, STAR_LIGHT = 150 };

static void draw_stars(spd_csr *N, int64_t hubs, int64_t longs) {
    int64_t at = 0;
    assert_int_equal(spd_csr_new(N, longs + STAR_LIGHT, STAR_COLUMNS, (longs + STAR_LIGHT) * STAR_COLUMNS, NULL), SPDHG_OK);
    for (int64_t e = 0; e < N->m; e++) {
        const int64_t own = hubs + e - longs, second = e % 5 == 0 ? 250 + e / 5 : -1;
        for (int64_t j = 0; j < N->n; j++) {
            const bool some = law_normal(31, e * N->n + j) > 0;
            if (e < longs ? !some : j < hubs ? !some || (e + j) % 3 : j != own && j != second) continue;
            N->idx[at] = (int32_t)j;
            N->val[at++] = law_normal(32, e * N->n + j);
        }
        N->ptr[e + 1] = at;
    }
}

/* The largest entry of b - (D + rho N'N) x. */
static double star_residual(const spd_csr *N, const double *D, double rho, const double *b, const double *x) {
    double left[STAR_COLUMNS], Nx[STAR_LIGHT + 65] = {0};
    for (int64_t j = 0; j < N->n; j++) left[j] = b[j] - D[j] * x[j];
    spd_csr_apply(N, 1, x, Nx);
    for (int64_t e = 0; e < N->m; e++)
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1]; q++) left[N->idx[q]] -= rho * N->val[q] * Nx[e];
    return spd_max_abs(N->n, left);
}

/* Solves with the star system, or returns false if the matrix is not a star. */
static bool solve_stars(const spd_csr *N, double rho, double *residual) {
    spd_star_system a = {0};
    spd_arena state = {0}, work = {0};
    const int64_t entries = N->ptr[N->m];
    spd_star_system_layout(&a, &state, &work, N->m, N->n, entries);
    state = (spd_arena){.base = SPD_NEW(double, state.used), .size = state.used};
    work = (spd_arena){.base = SPD_NEW(double, work.used), .size = work.used};
    spd_star_system_layout(&a, &state, &work, N->m, N->n, entries);
    const bool starlike = spd_star_system_start(&a, N, rho);
    *residual = 0;
    for (uint64_t again = 0; starlike && again < 2;
         again++) { /* the second has another diagonal: nothing of the first may remain */
        double D[STAR_COLUMNS], b[STAR_COLUMNS], x[STAR_COLUMNS];
        for (int64_t j = 0; j < N->n; j++) D[j] = 0.5 + fabs(law_normal(33 + again, j));
        law_normals(35 + again, N->n, 1, b);
        assert_true(spd_star_system_solve(&a, D, b, x));
        *residual = fmax(*residual, star_residual(N, D, rho, b, x));
    }
    spd_free(state.base);
    spd_free(work.base);
    return starlike;
}

static void stars(void **unused) {
    (void)unused;
    static const int64_t hubs[] = {0, 0, 3, 3, 64, 65, 3}, longs[] = {0, 2, 0, 4, 64, 1, 65};
    for (size_t k = 0; k < sizeof hubs / sizeof *hubs; k++) {
        spd_csr N;
        double residual;
        draw_stars(&N, hubs[k], longs[k]);
        for (double rho = 1e-3; rho < 2e3; rho *= 1e3) {
            assert_int_equal(solve_stars(&N, rho, &residual), hubs[k] <= 64 && longs[k] <= 64);
            assert_near("residual", residual, 0, 1e-11 * fmax(1, rho));
        }
        spd_csr_free(&N);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors),
                                       cmocka_unit_test(extreme_numbers),
                                       cmocka_unit_test(sparse_products),
                                       cmocka_unit_test(norms),
                                       cmocka_unit_test(singular_values),
                                       cmocka_unit_test(cholesky),
                                       cmocka_unit_test(symmetric_product),
                                       cmocka_unit_test(cholesky_sizes),
                                       cmocka_unit_test(inverse),
                                       cmocka_unit_test(sandwich),
                                       cmocka_unit_test(complement),
                                       cmocka_unit_test(eigenvalues),
                                       cmocka_unit_test(eigenvalues_of_a_sum),
                                       cmocka_unit_test(conjugate_gradients),
                                       cmocka_unit_test(stars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

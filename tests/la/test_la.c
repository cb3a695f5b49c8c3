/* test_la.c - vectors against long double, sparse products against dense ones, conjugate gradients by their residual. */
#include "laws.h"

#include "la/la.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(extreme_numbers),
                                       cmocka_unit_test(sparse_products), cmocka_unit_test(norms),
                                       cmocka_unit_test(conjugate_gradients)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

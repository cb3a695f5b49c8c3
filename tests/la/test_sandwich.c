/* test_sandwich.c - products M X M on a pattern, in double and single precision, against the full products. */
#include "laws.h"

#include "la/la.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sandwich)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_floats.c - the caller's floating-point environment: with traps, another rounding and tiny numbers taken as zero, the same
 * bits come out as without, and afterwards the environment is as it was. */
#include <fenv.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "small.h"

enum { D = 12, POINTS = 5 };

typedef struct table {
    double value[40 * D], b[40];
    int64_t ptr[41];
    int32_t idx[40 * D];
} table;

static void fill(table *t) {
    for (int64_t i = 0; i <= 40; i++) t->ptr[i] = i * D;
    for (int64_t i = 0; i < 40; i++) {
        t->b[i] = i % 3 ? 1 : -1;
        for (int32_t j = 0; j < D; j++) {
            t->idx[i * D + j] = j;
            t->value[i * D + j] = small_normal(7, i * D + j) + 0.3 * t->b[i] * (j < 4);
        }
    }
}

/* A fit, a path and a gap: everything between reading and the answer. */
static void work(const table *t, double out[D + 2 + POINTS]) {
    int64_t points;
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    spdhg_solver *s;
    spdhg_path *path;
    spdhg_outcome outcome;
    GOOD(spdhg_data_from_csr(&data, 40, D, t->ptr, t->idx, t->value, t->b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "chain", D, &good_err));
    GOOD(spdhg_problem_new(&p, data, "logistic", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 0.01, NULL, &good_err));
    spdhg_options o = SPDHG_OPTIONS;
    o.threads = 1;
    GOOD(spdhg_solver_new(&s, "auto", p, &o, &good_err));
    GOOD(spdhg_solver_run(s, &outcome, &good_err));
    const spdhg_solution *x = spdhg_solver_solution(s);
    for (int j = 0; j < D; j++) out[j] = x->x[j];
    out[D] = x->objective;
    out[D + 1] = x->gap;
    spdhg_solver_free(s);
    spdhg_path_options po = SPDHG_PATH_OPTIONS;
    po.lambdas = POINTS;
    GOOD(spdhg_path_new(&path, p, &po, &o, &good_err));
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    for (int64_t i = 0; i < POINTS; i++) out[D + 2 + i] = i < points ? point[i].objective : 0;
    spdhg_path_free(path);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

static void test_environment(void **state) {
    (void)state;
    double plain[D + 2 + POINTS] = {0}, odd[D + 2 + POINTS] = {0};
    const volatile double three = 3;
    table t;
    fill(&t);
    work(&t, plain);
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_UNDERFLOW);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#ifdef __SSE2__
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
    const unsigned control = _mm_getcsr();
#endif
    work(&t, odd);
#ifdef __SSE2__
    assert_int_equal(_mm_getcsr() & 0xFFC0U, control & 0xFFC0U);
#endif
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_int_equal(fegetexcept(), FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    assert_true(fetestexcept(FE_UNDERFLOW));
    assert_true(1 / three > 0.333333333333333314829616256247); /* it still rounds upwards */
    fedisableexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
    assert_memory_equal(plain, odd, sizeof plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_environment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

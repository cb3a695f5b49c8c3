/* test_certify.c - points constructed to fool the certificate: f(x) - gap must not exceed f(u) for any u in X, whatever the
 * numbers. Each problem has a u, found by hand, that is known to be much better than x. */
#include "certify/base_system.h"
#include "small.h"

typedef struct trap {
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *problem;
    spd_evaluator evaluator;
} trap;

static trap trap_make(int64_t n, int64_t d, const double *a, const double *b, const double *w, const char *loss, double lambda,
                      double gamma, const char *set) {
    trap t = {0};
    GOOD(spdhg_data_from_csr(&t.data, n, d, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
    if (w) GOOD(spdhg_data_set_weights(t.data, w, &good_err));
    GOOD(spdhg_structure_new(&t.F, "chain", d, &good_err));
    GOOD(spdhg_problem_new(&t.problem, t.data, loss, &good_err));
    GOOD(spdhg_problem_term(t.problem, "l1", t.F, lambda, NULL, &good_err));
    GOOD(spdhg_problem_ridge(t.problem, gamma, &good_err));
    GOOD(spdhg_problem_intercept(t.problem, false, &good_err));
    GOOD(spdhg_problem_set(t.problem, set, &good_err));
    GOOD(spd_problem_freeze(t.problem, &good_err));
    GOOD(spd_evaluator_new(&t.evaluator, t.problem, NULL, 1, &good_err));
    return t;
}

static void trap_free(trap *t) {
    spd_evaluator_free(&t->evaluator);
    spdhg_problem_free(t->problem);
    spdhg_structure_free(t->F);
    spdhg_data_free(t->data);
}

static spdhg_point at(trap *t, const double *x) {
    double c = 0, y[8] = {0};
    spdhg_point point = {0};
    spd_evaluate(&t->evaluator, x, &c, y, &point);
    return point;
}

/* The bound certified at x must hold at u. The value at u is computed first, by a separate evaluator. */
static void holds(trap *t, const double *x, const double *u) {
    double better;
    GOOD(spdhg_problem_evaluate(t->problem, u, NULL, &better, NULL, NULL, &good_err));
    const spdhg_point point = at(t, x);
    const spd_gap gap = t->evaluator.gap;
    const bool concerned =
        gap.kind == SPD_GAP_CERTIFIED || (gap.kind == SPD_GAP_WITHIN_RADIUS && spd_norm2(t->problem->dK, u) <= gap.radius);
    if (concerned && !(point.objective - better <= gap.gap + 1e-12 * fabs(point.objective)))
        fail_msg("f = %g and %g elsewhere, said to be within %g", point.objective, better, gap.gap);
}

/* The same problem in other units: features multiplied by scale, coefficients divided by it. */
static void test_units(void **state) {
    (void)state;
    for (double scale = 1; scale > 1e-30; scale *= 1e-4) {
        const double a[] = {scale, 2 * scale, -scale, scale, 3 * scale, -scale, scale, scale}, b[] = {1, -1, 1, -1};
        trap t = trap_make(4, 2, a, b, NULL, "logistic", 1e-3 * scale, 0, "all");
        const double zero[2] = {0}, better[2] = {0.4 / scale, -0.1 / scale};
        holds(&t, zero, better);
        trap_free(&t);
    }
}

/* A column of large numbers, with x at its bound, must not mask a column of small numbers that separates the classes. */
static void test_column_sizes(void **state) {
    (void)state;
    for (double large = 1; large < 1e16; large *= 10) {
        double a[22], b[11];
        for (int i = 0; i < 11; i++) {
            b[i] = i < 5 ? 1 : -1;
            a[2 * i] = large;
            a[2 * i + 1] = 1e-5 * b[i];
        }
        trap t = trap_make(11, 2, a, b, NULL, "logistic", 1e-12, 0, "nonneg");
        const double zero[2] = {0}, better[2] = {0, 3e5};
        holds(&t, zero, better);
        trap_free(&t);
    }
}

/* f - gap cancels at far points: rounding there must not be mistaken for a bound of f. */
static void test_far_points(void **state) {
    (void)state;
    const double a[] = {1, 0.3, -0.7, 1.1, 0.2, -0.4, 1.3, 0.9}, b[] = {1, -1, 1, 1}, better[2] = {0.22, 0.1};
    for (int64_t i = 0; i < 40; i++) {
        trap t = trap_make(4, 2, a, b, NULL, "logistic", 1e-3, 1, "all");
        const double far[2] = {1e9 * small_normal(7, 2 * i), 1e9 * small_normal(7, 2 * i + 1)}, near[2] = {-0.5, 0.8};
        const spdhg_point point = at(&t, far);
        assert_true(point.objective > 1e12 && point.gap > 0.999 * point.objective);
        holds(&t, near, better);
        trap_free(&t);
    }
}

/* X is bounded only below, by -1: u may reach the bound although no direction is free. Two rows push x_2 to infinity. */
static void test_one_sided_radius(void **state) {
    (void)state;
    const double a[] = {1, 0, 0, 1, 0, 0.1}, b[] = {-1, 1, 1}, w[] = {1, 1e-3, 1e-3};
    trap t = trap_make(3, 2, a, b, w, "logistic", 0, 0, "box:-1,inf");
    const double x[2] = {0, -0.9}, better[2] = {-1, -0.9};
    holds(&t, x, better);
    assert_int_equal(t.evaluator.gap.kind, SPD_GAP_WITHIN_RADIUS);
    trap_free(&t);
}

/* -v/gamma overflows: without a finite number there is no proof. */
static void test_overflow(void **state) {
    (void)state;
    const double a[] = {1e3, 2e3, -1e3, 5e2}, b[] = {1, -1}, x[2] = {0}, better[2] = {1e-4, 0};
    trap t = trap_make(2, 2, a, b, NULL, "logistic", 1e-6, 1e-307, "all");
    holds(&t, x, better);
    trap_free(&t);
}

/* Only rows of one class have the second feature: alpha must be 0 there. Near the infimum it is almost 0, is set to 0, and the
 * gap is proven. */
static void test_small_slopes_vanish(void **state) {
    (void)state;
    const double a[] = {1, 0, -1, 0, 0.5, 1, 0, 2}, b[] = {1, 1, 0, 0}, x[4] = {0, 0, 20, -20};
    trap t = trap_make(4, 2, a, b, NULL, "softmax", 0, 0, "all");
    const spdhg_point point = at(&t, x);
    assert_int_equal(t.evaluator.gap.kind, SPD_GAP_CERTIFIED);
    assert_true(point.gap <= 1e-9 * point.objective);
    trap_free(&t);
}

/* A chain with multiples of single coefficients as one matrix: rows with one entry take any v, if they are of one size. */
static void test_rows_that_absorb(void **state) {
    (void)state;
    const int64_t ptr[] = {0, 2, 4, 5, 6, 7};
    const int32_t idx[] = {0, 1, 1, 2, 2, 0, 1};
    const double a[] = {1, 2, 3, -1, 0, 1}, b[] = {1, -1}, v[] = {0.3, -2, 0.7};
    for (double last = 0; last <= 2; last += 1) { /* 2: of one size; otherwise the third row is empty or of another size */
        const double val[] = {1, -1, 1, -1, 2, -2, last};
        double y[5] = {0}, sum[3] = {0};
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p;
        spd_routes routes;
        GOOD(spdhg_data_from_csr(&data, 2, 3, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
        GOOD(spdhg_structure_from_csr(&F, 5, 3, ptr, idx, val, &good_err));
        GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
        GOOD(spdhg_problem_term(p, "l1", F, 0.1, NULL, &good_err));
        GOOD(spd_problem_freeze(p, &good_err));
        assert_true(spd_routes_new(&routes, p, NULL, NULL));
        assert_int_equal(spd_routes_end_at_once(&routes, 3), last == 2);
        if (last == 2) spd_routes_absorb(&routes, p, v, y);
        spd_problem_add_transposed(p, y, sum);
        for (int j = 0; j < 3; j++) assert_true(sum[j] == (last == 2 ? v[j] : 0));
        spd_routes_free(&routes);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_that_absorb),   cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_column_sizes),       cmocka_unit_test(test_far_points),
                                       cmocka_unit_test(test_one_sided_radius),   cmocka_unit_test(test_overflow),
                                       cmocka_unit_test(test_small_slopes_vanish)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

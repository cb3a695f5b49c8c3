/* test_lambda_max.c - lambda_max: at 1.001 times it every row of F x is 0 in the sense of docs/problem.md, at 0.999 times it not;
 * +inf for separable data; the subset of a problem; lambda scaled on a frozen problem. */
#include "small.h"
#include "tune/tune.h"

static const small_spec spec[] = {
    SMALL(60, 9, 1, "logistic", "l1", "identity", 1, .classes = 2, .intercept = true, .weights = true),
    SMALL(60, 12, 0.6, "squared", "l1", "chain", 1, .offset = true),
    SMALL(60, 12, 1, "logistic", "l1", "chain", 2, .classes = 2, .gamma = 0.1, .intercept = true),
    SMALL(60, 12, 1, "squared", "l1", "trend:1", 1, .intercept = true),
    SMALL(60, 12, 1, "logistic", "l1", "grid:3x4", 1, .classes = 2, .intercept = true),
    SMALL(60, 12, 1, "huber", "l1", "grid:3x4", 1, .gamma = 0.1),
    SMALL(60, 12, 1, "squared", "l1", NULL, 1, .edges = 9),
    SMALL(60, 12, 1, "logistic", "l1", "chain", 1, .classes = 2, .also_sparse = true, .intercept = true),
    SMALL(60, 12, 1, "squared", "group", "grid:3x4", 1, .groups = "grid"),
    SMALL(60, 12, 1, "squared", "linf", "grid:3x4", 1, .gamma = 0.01),
    SMALL(60, 6, 1, "softmax", "l1", "identity", 1, .classes = 3, .intercept = true),
    SMALL(60, 6, 1, "softmax", "group", "chain", 1, .classes = 3, .gamma = 0.1),
    SMALL(60, 6, 1, "squared", "nuclear", "identity", 1, .targets = 3),
};
enum { SPECS = sizeof spec / sizeof *spec };

/* The number of nonzero entries of F x at this multiple of lambda. */
static int64_t structure_at(spdhg_problem *p, double factor) {
    GOOD(spdhg_problem_scale_lambda(p, factor, &good_err));
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = 1e-11;
    spdhg_solver *solver;
    GOOD(spdhg_solver_new(&solver, "auto", p, &options, &good_err));
    GOOD(spdhg_solver_run(solver, NULL, &good_err));
    const spdhg_solution *s = spdhg_solver_solution(solver);
    double largest = spd_max_abs(s->features * s->outputs, s->x);
    double *Fx = SPD_NEW(double, p->m * p->K);
    spd_problem_apply(p, s->x, Fx);
    int64_t count = 0; /* rows that are not joined pairs come out as small numbers only */
    for (int64_t e = 0; e < p->m * p->K; e++) count += fabs(Fx[e]) > 1e-5 * fmax(largest, 1e-3);
    if (p->term[0].pairs && p->terms == 1) assert_int_equal(count == 0, s->structure_nonzeros == 0);
    spd_free(Fx);
    spdhg_solver_free(solver);
    return count;
}

static void both_sides(void **unused) {
    (void)unused;
    for (int i = 0; i < SPECS; i++) {
        small s = small_make(&spec[i], 11 + (uint64_t)i);
        double lower, upper;
        GOOD(spdhg_lambda_max(s.problem, 1, &lower, &upper, NULL, NULL, &good_err));
        if (!(lower > 0 && upper >= lower && upper - lower <= 1e-6 * upper)) fail_msg("case %d: [%.9g, %.9g]", i, lower, upper);
        const int64_t above = structure_at(s.problem, 1.001 * upper), below = structure_at(s.problem, 0.999 * lower);
        if (above != 0 || below == 0)
            fail_msg("case %d: lambda_max %.9g, nonzeros of F x above %d, below %d", i, upper, (int)above, (int)below);
        small_free(&s);
    }
}

/* F = identity, squared loss, no intercept: ||A'b||_inf / n, by hand. */
static void identity_by_hand(void **unused) {
    (void)unused;
    const double A[] = {1, 2, 0, -3, 4, 1}, b[] = {1, -1, 2}; /* A'b = (1, 2) + (0, 3) + (8, 2) = (9, 7) */
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    double lower, upper;
    GOOD(spdhg_data_from_csr(&data, 3, 2, NULL, NULL, A, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "identity", 2, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 1, NULL, &good_err));
    GOOD(spdhg_lambda_max(p, 1, &lower, &upper, NULL, NULL, &good_err));
    assert_true(fabs(upper - 3) < 1e-14 && lower == upper);
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

static void separable_is_infinite(void **unused) {
    (void)unused;
    double A[20], b[10];
    for (int i = 0; i < 10; i++) {
        b[i] = i % 2;
        A[2 * i] = A[2 * i + 1] = (i % 2 ? 1 : -1) * (1 + 0.1 * i);
    }
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    spdhg_error err = {0};
    double lower, upper;
    GOOD(spdhg_data_from_csr(&data, 10, 2, NULL, NULL, A, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&F, "chain", 2, &good_err));
    GOOD(spdhg_problem_new(&p, data, "logistic", &good_err));
    GOOD(spdhg_problem_term(p, "l1", F, 1, NULL, &good_err));
    assert_int_equal(spdhg_lambda_max(p, 1, &lower, &upper, NULL, NULL, &err), SPDHG_OK);
    assert_true(isinf(lower) && isinf(upper));
    assert_non_null(strstr(err.message, "no minimiser"));
    spdhg_problem_free(p);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

/* All rows as a subset give the same value; a subset with every row twice has the same mean. */
static void subset_is_a_problem(void **unused) {
    (void)unused;
    for (int i = 0; i < SPECS; i++) {
        small s = small_make(&spec[i], 5);
        const int64_t n = s.problem->n;
        int64_t *position = SPD_NEW(int64_t, 2 * n);
        for (int64_t j = 0; j < 2 * n; j++) position[j] = n - 1 - j % n;
        spdhg_problem *part;
        GOOD(spd_problem_subset(&part, s.problem, position, 2 * n, NULL, &good_err));
        double *x = SPD_NEW(double, s.problem->dK), f[2], loss[2], r[2];
        for (int64_t q = 0; q < s.problem->dK; q++) x[q] = small_normal(3, q);
        GOOD(spdhg_problem_evaluate(s.problem, x, NULL, &f[0], &loss[0], &r[0], &good_err));
        GOOD(spdhg_problem_evaluate(part, x, NULL, &f[1], &loss[1], &r[1], &good_err));
        assert_true(fabs(f[0] - f[1]) < 1e-12 * f[0] && fabs(loss[0] - loss[1]) < 1e-12 && r[0] == r[1]);
        GOOD(spdhg_problem_scale_lambda(part, 0.25, &good_err));
        GOOD(spdhg_problem_evaluate(part, x, NULL, &f[1], &loss[1], &r[1], &good_err));
        assert_true(fabs(0.25 * r[0] - r[1]) < 1e-12 * r[0]);
        spd_free(x);
        spd_free(position);
        spdhg_problem_free(part);
        small_free(&s);
    }
}

static int at_once(void *user, const spdhg_event *event) {
    *(int *)user += event->kind == SPDHG_EVENT_POLL;
    return 1;
}

/* The bound for grids is one system of equations. Who asks to stop meanwhile gets what has been reached, at once. */
static void bound_hears_the_caller(void **unused) {
    (void)unused;
    static const small_spec grid = SMALL(40, 12, 1, "squared", "l1", "grid:3x4", 1, .intercept = true);
    small s = small_make(&grid, 3);
    int polls = 0;
    double lower, upper, bound, estimate;
    spdhg_options hurried = SPDHG_OPTIONS;
    hurried.callback = at_once;
    hurried.user = &polls;
    GOOD(spdhg_lambda_max(s.problem, 1, &lower, &upper, NULL, NULL, &good_err));
    GOOD(spd_lambda_max_bound(s.problem, NULL, &bound, &good_err));
    GOOD(spd_lambda_max_bound(s.problem, &hurried, &estimate, &good_err));
    assert_true(bound >= lower * (1 - 1e-9) && isfinite(estimate));
    assert_true(polls == 1 && fabs(estimate - bound) > 1e-6 * bound);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_sides), cmocka_unit_test(identity_by_hand),
                                       cmocka_unit_test(separable_is_infinite), cmocka_unit_test(subset_is_a_problem),
                                       cmocka_unit_test(bound_hears_the_caller)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

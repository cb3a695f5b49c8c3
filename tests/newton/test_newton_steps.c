/* test_newton_steps.c - single steps of the Newton solvers, against what their equations say. */
#include "newton/newton.h"
#include "small.h"

/* Squared loss: a whole step of proximal Newton is the minimiser of the model, which is f itself. The alpha it hands over for its
 * new point, phi' + C A dx, is then the slope there: z - b. */
static void test_own_alpha(void **state) {
    (void)state;
    const small_spec spec = SMALL(40, 6, 1, "squared", "l1", "chain", 0.05, .gamma = 0.1, .intercept = true, .weights = true);
    small s = small_make(&spec, 11);
    const spdhg_problem *p = s.problem;
    drive d = drive_new(p, "prox-newton", 1, 1, NULL, 0);
    d.run.enough = 1e-6;
    drive_step(&d, 0);
    drive_output(&d);
    assert_non_null(d.run.own_alpha);
    assert_true(spd_max_abs(6, d.x) > 0.01);
    for (int64_t i = 0; i < 40; i++) {
        double z = d.c[0];
        for (int64_t j = 0; j < 6; j++) z += p->val[i * 6 + j] * d.x[j];
        assert_true(fabs(d.run.own_alpha[i] - (z - p->b[i])) < 1e-9);
    }
    drive_free(&d);
    small_free(&s);
}

/* Every point handed out lies in X exactly, although x + (u - x) is rounded. */
static void test_points_in_the_set(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const small_spec spec =
            SMALL(30, 8, 1, "logistic", "l1", "chain", 0.001, .gamma = 0.001, .classes = 2, .set = "box:-0.1,0.3");
        small s = small_make(&spec, seed);
        drive d = drive_new(s.problem, "prox-newton", 1, 1, NULL, 0);
        double at[8];
        for (int j = 0; j < 8; j++) at[j] = fmin(fmax(0.2 * small_normal(seed + 7, j), -0.1), 0.3);
        d.run.kind->start(&d.run, at, NULL, NULL);
        for (int64_t k = 0; k < 12; k++) {
            drive_step(&d, k);
            drive_output(&d);
            for (int j = 0; j < 8; j++) assert_true(d.x[j] >= -0.1 && d.x[j] <= 0.3);
        }
        drive_free(&d);
        small_free(&s);
    }
}

/* At the end of its digits a solver stalls, or gives up for the one that waits for it. */
static void test_end(void **state) {
    (void)state;
    const small_spec spec = SMALL(40, 6, 1, "logistic", "l1", "chain", 0.02, .gamma = 0.1, .classes = 2);
    small s = small_make(&spec, 5);
    for (int relieved = 0; relieved < 2; relieved++) {
        drive d = drive_new(s.problem, "prox-newton", 1, 1, NULL, 0);
        const spd_batch none = {.size = 1};
        spd_step said = SPD_CONTINUE;
        d.run.rescue = relieved ? SPD_RELIEVED : SPD_ALONE;
        for (int64_t k = 0; k < 300 && said == SPD_CONTINUE; k++) said = d.run.kind->step(&d.run, k, &none);
        assert_int_equal(said, relieved ? SPD_GIVES_UP : SPD_STALLED);
        drive_free(&d);
    }
    small_free(&s);
}

/* A step that is called off at once concludes nothing, even where the next one would stall: it asks to go on. */
static void test_called_off(void **state) {
    (void)state;
    static const char *const solver[] = {"prox-newton", "ws-newton", "alm-ssn", "cd-newton", "interior", "ipm", "chain-alm"};
    const small_spec chain = SMALL(40, 6, 1, "logistic", "l1", "chain", 0.02, .gamma = 0.1, .classes = 2);
    const small_spec identity = SMALL(40, 6, 1, "logistic", "l1", "identity", 0.02, .gamma = 0.1, .classes = 2);
    const spd_batch none = {.size = 1};
    for (size_t i = 0; i < sizeof solver / sizeof *solver; i++) {
        small s = small_make(strcmp(solver[i], "cd-newton") == 0 ? &identity : &chain, 5);
        drive d = drive_new(s.problem, solver[i], 1, 1, NULL, 0);
        for (int64_t k = 0; k < 60 && d.run.kind->step(&d.run, k, &none) == SPD_CONTINUE; k++) continue;
        drive_output(&d);
        spd_stop stop;
        spd_stop_start(&stop, INFINITY, NULL, NULL);
        d.run.stop = &stop;
        d.run.kind->start(&d.run, d.x, d.c, d.y);
        spd_stop_call_off(&stop);
        for (int64_t k = 0; k < 60; k++)
            if (d.run.kind->step(&d.run, k, &none) != SPD_CONTINUE) fail_msg("%s concludes from step %d", solver[i], (int)k);
        drive_free(&d);
        small_free(&s);
    }
}

/* The inner solves of chain-alm are called off too: all that a step from 0 then makes are the two
 * passes of its first gradient. */
static void test_inner_solve_called_off(void **state) {
    (void)state;
    const small_spec chain = SMALL(40, 60, 1, "logistic", "l1", "chain", 0.002, .classes = 2);
    small s = small_make(&chain, 5);
    const spd_batch none = {.size = 1};
    int64_t visited[2];
    for (int off = 0; off < 2; off++) {
        drive d = drive_new(s.problem, "chain-alm", 1, 1, NULL, 0);
        spd_stop stop;
        spd_stop_start(&stop, INFINITY, NULL, NULL);
        d.run.stop = &stop;
        d.run.kind->start(&d.run, NULL, NULL, NULL);
        if (off) spd_stop_call_off(&stop);
        assert_int_equal(d.run.kind->step(&d.run, 0, &none), SPD_CONTINUE);
        visited[off] = d.run.rows_visited;
        drive_free(&d);
    }
    assert_int_equal(visited[1], 2 * 40);
    assert_true(visited[0] > 4 * visited[1]);
    small_free(&s);
}

/* Five columns and the intercept, bounds on their curvature, f = 2. A unit is small below 1e-10 of the mean bound, here 1e-10,
 * and if the penalty does not hold the column: sqrt(2 f bound_j) is more than the sum of lambda
 * |F_ej|, which is 1e-6 or 2e-6 on a chain. */
static void test_small_units(void **state) {
    (void)state;
    const small_spec spec = SMALL(10, 5, 1, "squared", "l1", "chain", 1e-6, .intercept = true);
    small s = small_make(&spec, 1);
    const double bound[] = {6, 5e-11, 5e-13, 0, 2e-10, 1e-20}, expected[] = {0, 5e-11, 0, 0, 0, 1e-20};
    const double large[] = {1, 2, 3, 1, 2, 3};
    double out[6];
    for (int again = 0; again < 2; again++) { /* whatever stood there before */
        for (int j = 0; j < 6; j++) out[j] = again ? 1e9 : NAN;
        spd_metric_small_units(s.problem, bound, 2, out);
        for (int j = 0; j < 6; j++) assert_true(out[j] == expected[j]);
        for (int j = 0; j < 6; j++) out[j] = NAN;
        spd_metric_small_units(s.problem, large, 2, out);
        for (int j = 0; j < 6; j++) assert_true(out[j] == 0);
    }
    small_free(&s);
}

/* A column in units of 1e-9 beside one in ordinary units, no penalty: the coefficients are those of the columns in the same
 * units, one of them 1e9 times as large. */
static void test_units(void **state) {
    (void)state;
    double x[2][2];
    for (int tiny = 0; tiny < 2; tiny++) {
        double a[60], b[30];
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p;
        for (int i = 0; i < 30; i++) {
            a[2 * i] = small_normal(1, i);
            a[2 * i + 1] = (tiny ? 1e-9 : 1) * small_normal(2, i);
            b[i] = a[2 * i] - 0.5 * small_normal(2, i) + small_normal(3, i);
        }
        GOOD(spdhg_data_from_csr(&data, 30, 2, NULL, NULL, a, b, 1, SPDHG_COPY, &good_err));
        GOOD(spdhg_structure_new(&F, "identity", 2, &good_err));
        GOOD(spdhg_problem_new(&p, data, "huber:1", &good_err));
        GOOD(spdhg_problem_term(p, "l1", F, 0, NULL, &good_err));
        GOOD(spdhg_problem_intercept(p, false, &good_err));
        GOOD(spd_problem_freeze(p, &good_err));
        drive d = drive_new(p, "prox-newton", 1, 1, NULL, 0);
        for (int64_t k = 0; k < 30; k++) drive_step(&d, k);
        drive_output(&d);
        memcpy(x[tiny], d.x, sizeof x[tiny]);
        drive_free(&d);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
    assert_true(fabs(x[0][1]) > 0.1);
    assert_true(fabs(x[1][0] - x[0][0]) < 1e-6 && fabs(1e-9 * x[1][1] - x[0][1]) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_alpha),  cmocka_unit_test(test_points_in_the_set),      cmocka_unit_test(test_end),
        cmocka_unit_test(test_called_off), cmocka_unit_test(test_inner_solve_called_off), cmocka_unit_test(test_small_units),
        cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

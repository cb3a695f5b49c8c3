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

/* Five columns and the intercept, bounds on their curvature, f = 2. A unit is small below 1e-10 of the mean bound, here 1e-10, and if
 * the penalty does not hold the column: sqrt(2 f bound_j) is more than the sum of lambda |F_ej|, which is 1e-6 or 2e-6 on a chain. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_alpha), cmocka_unit_test(test_points_in_the_set),
                                       cmocka_unit_test(test_end), cmocka_unit_test(test_called_off),
                                       cmocka_unit_test(test_small_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_primal_dual.c - the whole state of PD3O and Condat-Vu is x, c, y (X = R^d): restarted from their output, they continue as
 * before. */
#include "small.h"

static const small_spec spec[] = {
    SMALL(60, 12, 0.4, "squared", "l1", "chain", 0.05, .intercept = true),
    SMALL(60, 12, 1, "softmax", "group", "trend:1", 0.02, .gamma = 0.1, .classes = 3, .also_sparse = true),
};

static void goes_on(const spdhg_problem *p, const char *solver, double precondition) {
    drive whole = drive_new(p, solver, 1, 0, "precondition", precondition),
          again = drive_new(p, solver, 1, 0, "precondition", precondition);
    for (int64_t k = 0; k < 20; k++) {
        if (k == 8) {
            drive_output(&whole);
            drive_step(&again, 0); /* a second start forgets the first */
            again.run.kind->start(&again.run, whole.x, whole.c, whole.y);
            drive_output(&again);
            assert_memory_equal(whole.x, again.x, (size_t)p->dK * sizeof(double));
            assert_memory_equal(whole.c, again.c, (size_t)p->K * sizeof(double));
            assert_true(largest_difference(p->m * p->K, whole.y, again.y) <= 1e-15); /* projected once more */
        }
        drive_step(&whole, k);
        if (k >= 8) drive_step(&again, k - 8);
    }
    drive_output(&whole);
    drive_output(&again);
    assert_true(spd_max_abs(p->dK, whole.x) > 1e-3 && spd_max_abs(p->m * p->K, whole.y) > 1e-3);
    assert_true(largest_difference(p->dK, whole.x, again.x) <= 1e-12);
    assert_true(largest_difference(p->K, whole.c, again.c) <= 1e-12);
    assert_true(largest_difference(p->m * p->K, whole.y, again.y) <= 1e-12);
    drive_free(&whole);
    drive_free(&again);
}

static void started_from_its_output_it_goes_on(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        small s = small_make(&spec[i], 3);
        for (int precondition = 0; precondition < 2; precondition++) {
            goes_on(s.problem, "pd3o", precondition);
            goes_on(s.problem, "condat-vu", precondition);
        }
        small_free(&s);
    }
}

/* A start outside X and the dual ball is projected onto them; the methods with a table accept any start. */
static void starts_are_made_feasible(void **unused) {
    (void)unused;
    const small_spec ball = SMALL(60, 12, 1, "squared", "linf", "chain", 0.05, .set = "ball:0.5");
    const char *const solver[] = {"pd3o", "condat-vu", "saga-pd3o", "lsvrg-pd3o"};
    small s = small_make(&ball, 1);
    const spdhg_problem *p = s.problem;
    double x0[12], y0[11];
    for (int j = 0; j < 12; j++) x0[j] = j;
    for (int e = 0; e < 11; e++) y0[e] = 1 - e;
    for (int i = 0; i < 4; i++) {
        drive d = drive_new(p, solver[i], 3, 0, NULL, 0);
        d.run.kind->start(&d.run, x0, NULL, y0);
        drive_output(&d);
        assert_true(fabs(spd_norm2(12, d.x) - 0.5) <= 1e-14 && fabs(d.x[2] - 2 * d.x[1]) <= 1e-14 && d.x[1] > 0);
        assert_true(fabs(spd_sum_abs(11, d.y) - 0.05) <= 1e-14 && d.y[10] < 0);
        drive near = drive_new(p, solver[i], 3, 0, NULL, 0);
        near.run.kind->start(&near.run, d.x, NULL, d.y);
        for (int64_t k = 0; k < 3; k++) {
            drive_step(&d, k);
            drive_step(&near, k);
        }
        drive_output(&d);
        drive_output(&near);
        assert_true(spd_norm2(12, d.x) <= 0.5 + 1e-14 && spd_sum_abs(11, d.y) <= 0.05 + 1e-14);
        assert_true(largest_difference(12, d.x, near.x) <= 1e-13 && largest_difference(11, d.y, near.y) <= 1e-13);
        drive_free(&d);
        drive_free(&near);
    }
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(started_from_its_output_it_goes_on),
        cmocka_unit_test(starts_are_made_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_warm_start.c - the laws of a nonzero start: before the first step the output is the start itself (projected), and methods
 * that converge linearly stay at the optimum when they start there with its dual. */
#include "small.h"

static const small_spec spec[] = {
    SMALL(40, 8, 1, "logistic", "l1", "identity", 0.02, .gamma = 0.2, .classes = 2, .intercept = true),
    SMALL(40, 8, 0.5, "squared", "l1", "chain", 0.05, .gamma = 0.2, .weights = true),
    SMALL(40, 8, 1, "softmax", "group", "identity", 0.02, .gamma = 0.2, .classes = 3, .intercept = true),
    SMALL(40, 8, 1, "squared", "l1", "chain", 0.05, .gamma = 0.2, .set = "ball:0.3"),
};
enum { SPECS = sizeof spec / sizeof *spec };

static drive started(const spdhg_problem *p, const char *solver, const double *x0, const double *c0, const double *y0) {
    drive d = drive_new(p, solver, 1, 3, NULL, 0);
    d.run.kind->start(&d.run, x0, c0, y0);
    return d;
}

static void fill(int64_t n, uint64_t seed, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = small_normal(seed, i);
}

static void start_is_handed_out(void **unused) {
    (void)unused;
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    for (int o = 0; o < SPECS; o++) {
        small s = small_make(&spec[o], 1);
        const spdhg_problem *p = s.problem;
        double *x = SPD_NEW(double, p->dK), *c = SPD_NEW(double, p->K), *y = SPD_NEW(double, p->m * p->K);
        double *work = SPD_NEW(double, p->dK + spd_problem_term_work(p));
        for (int i = 0; i < entries; i++) {
            if (!small_asked(table[i]->name) || spd_solver_refuses(table[i], p)) continue;
            fill(p->dK, 5, x);
            fill(p->m * p->K, 7, y);
            for (int64_t k = 0; k < p->K; k++) c[k] = p->intercept ? 0.5 - (double)k : 0;
            drive d = started(p, table[i]->name, x, c, y);
            drive_output(&d);
            p->set.kind->project(p->dK, p->set.arg, x, work);
            spd_problem_project_dual(p, y, work);
            if (largest_difference(p->dK, d.x, x) > 1e-15 || largest_difference(p->K, d.c, c) > 0 ||
                largest_difference(p->m * p->K, d.y, y) > 1e-15)
                fail_msg("%s, problem %d: the start is not handed out", table[i]->name, o);
            drive_free(&d);
        }
        spd_free(x);
        spd_free(c);
        spd_free(y);
        spd_free(work);
        small_free(&s);
    }
}

/* Runs long enough to reach the optimum up to rounding; a new start there then moves no farther than that. */
static void optimum_is_left_alone(void **unused) {
    (void)unused;
    static const char *const solver[] = {"sdca-admm", "spdc", "spdc-adaptive", "rpdg"};
    int tried = 0;
    for (int o = 0; o < SPECS; o++) {
        small s = small_make(&spec[o], 1);
        const spdhg_problem *p = s.problem;
        for (int i = 0; i < 4; i++) {
            if (spd_solver_refuses(spd_solver_find(solver[i]), p)) continue;
            drive first = started(p, solver[i], NULL, NULL, NULL);
            for (int64_t k = 0; k < 20000; k++) drive_step(&first, k);
            drive_output(&first);
            drive again = started(p, solver[i], first.x, first.c, first.y);
            for (int64_t k = 0; k < 30; k++) {
                drive_step(&again, k);
                drive_output(&again);
                if (largest_difference(p->dK, again.x, first.x) > 1e-9 || largest_difference(p->K, again.c, first.c) > 1e-9)
                    fail_msg("%s, problem %d: it left the optimum at step %d", solver[i], o, (int)k);
            }
            assert_true(spd_max_abs(p->dK, first.x) > 0.01 && spd_max_abs(p->m * p->K, first.y) > 0.001);
            tried++;
            drive_free(&first);
            drive_free(&again);
        }
        small_free(&s);
    }
    assert_int_equal(tried, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_is_handed_out),
        cmocka_unit_test(optimum_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

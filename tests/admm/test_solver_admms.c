/* test_solver_admms.c - the ADMM family started away from 0, which the command cannot test because it always starts at 0.
 * Before the first step, the output is the projected start. Without ridge, the first steps of OPG- and RDA-ADMM agree from any
 * start. */
#include "small.h"

static const char *const family[] = {"sadmm",  "opg-admm",    "rda-admm",       "sgadm",          "gadm",
                                     "fsadmm", "fsadmm-lite", "ada-sadmm-diag", "ada-sadmm-full", "lpdhg-const"};
enum { MEMBERS = sizeof family / sizeof *family };

static const small_spec ridged =
    SMALL(30, 6, 0.7, "softmax", "group", "chain", 0.05, .gamma = 0.1, .classes = 3, .intercept = true, .weights = true);
static const small_spec plain = SMALL(30, 6, 1, "squared", "l1", "chain", 0.05, .intercept = true, .set = "box:-0.4,0.3");

typedef struct point {
    double x[18], c[3], y[15];
} point;

/* Random values of size 1: outside the sets and the dual balls of the problems here. */
static point somewhere(uint64_t seed) {
    point at;
    for (int i = 0; i < 18; i++) at.x[i] = small_normal(seed, i);
    for (int i = 0; i < 3; i++) at.c[i] = small_normal(seed + 1, i);
    for (int i = 0; i < 15; i++) at.y[i] = small_normal(seed + 2, i);
    return at;
}

static void start_is_handed_out(void **unused) {
    (void)unused;
    small s = small_make(&ridged, 3);
    const point at = somewhere(7);
    double y[15], work[64];
    memcpy(y, at.y, sizeof y);
    assert_true(spd_problem_term_work(s.problem) <= 64);
    spd_problem_project_dual(s.problem, y, work);
    for (int i = 0; i < MEMBERS; i++) {
        drive d = drive_new(s.problem, family[i], 2, 1, NULL, 0);
        for (int again = 0; again < 2; again++) { /* a second start forgets the first */
            d.run.kind->start(&d.run, at.x, at.c, at.y);
            drive_output(&d);
            assert_memory_equal(d.x, at.x, sizeof at.x);
            assert_memory_equal(d.c, at.c, sizeof at.c);
            assert_memory_equal(d.y, y, sizeof y);
            for (int64_t k = 0; k < 3; k++) drive_step(&d, k);
            drive_output(&d);
            assert_true(largest_difference(18, d.x, at.x) > 1e-6);
        }
        drive_free(&d);
    }
    small_free(&s);
}

/* At t = 1 and gamma = 0 both methods step to
 *     x: Pi_X[ x - (g + F'(y + rho (F x - z)))/(L + 1/eta0 + rho ||F||^2) ]
 *     c: c - gc/(L + 1/eta0) */
static void first_steps_of_opg_and_rda_agree(void **unused) {
    (void)unused;
    small s = small_make(&plain, 3);
    const point at = somewhere(8);
    drive opg = drive_new(s.problem, "opg-admm", 2, 1, NULL, 0), rda = drive_new(s.problem, "rda-admm", 2, 1, NULL, 0);
    opg.run.kind->start(&opg.run, at.x, at.c, at.y);
    rda.run.kind->start(&rda.run, at.x, at.c, at.y);
    drive_step(&opg, 0);
    drive_step(&rda, 0);
    drive_output(&opg);
    drive_output(&rda);
    assert_true(largest_difference(6, opg.x, rda.x) <= 1e-14);
    assert_true(largest_difference(1, opg.c, rda.c) <= 1e-14);
    assert_true(largest_difference(5, opg.y, rda.y) <= 1e-14);
    assert_true(fabs(opg.c[0] - at.c[0]) < 0.9 * fabs(at.c[0]) && opg.c[0] != at.c[0]);
    double in_box[6];
    for (int j = 0; j < 6; j++) in_box[j] = fmin(fmax(at.x[j], -0.4), 0.3);
    assert_true(largest_difference(6, opg.x, in_box) < 0.5 && largest_difference(6, opg.x, in_box) > 1e-3);
    drive_free(&opg);
    drive_free(&rda);
    small_free(&s);
}

/* From any start, the table of fsadmm holds every row's slope and iterate at that point. So does the table of fsadmm-lite once it
 * has drawn every row there, and its centre is that point. The two first steps therefore agree, weights included. */
static void tables_start_at_the_start(void **unused) {
    (void)unused;
    small s = small_make(&ridged, 3);
    const point at = somewhere(9);
    drive full = drive_new(s.problem, "fsadmm", 1, 1, "cg_tol", 1e-15),
          lite = drive_new(s.problem, "fsadmm-lite", 30, 1, "cg_tol", 1e-15);
    full.run.kind->start(&full.run, at.x, at.c, at.y);
    lite.run.kind->start(&lite.run, at.x, at.c, at.y);
    for (int64_t i = 0; i < 30; i++) spd_problem_row(s.problem, i, &lite.rows[i]);
    const spd_batch all = {.size = 30, .row = lite.rows}, one = {.size = 1, .row = lite.rows + 5};
    full.run.kind->step(&full.run, 0, &one);
    lite.run.kind->step(&lite.run, 0, &all);
    drive_output(&full);
    drive_output(&lite);
    assert_true(largest_difference(18, full.x, lite.x) <= 1e-13);
    assert_true(largest_difference(3, full.c, lite.c) <= 1e-13);
    assert_true(largest_difference(18, full.x, at.x) > 1e-3);
    drive_free(&full);
    drive_free(&lite);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_is_handed_out),
        cmocka_unit_test(first_steps_of_opg_and_rda_agree),
        cmocka_unit_test(tables_start_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_rescue.c - what a rescue stage may put in the place of an answer that is proven to the tolerance, but within a radius only
 * (outcome.c): decided by what is proven, not by which f is lower. */
#include "small.h"

#include "run/loop.h"

static const double BEFORE = 1, GAP = 1e-8, RADIUS = 100;

/* Whether a point of the second stage with this f and this gap is passed over. */
static bool astray(spdhg_solver *s, spd_rescue rescue, double objective, spd_gap_kind kind, double gap, double radius) {
    s->plan = (spd_plan){.stages = 2, .stage = {{.rescue = rescue}}};
    s->evaluator.gap = (spd_gap){.kind = kind, .gap = gap, .radius = radius};
    const spd_loop l = {.solver = s, .stage = 1};
    return spd_outcome_astray(&l, objective);
}

static spdhg_solver *solver_with_answer(small *s, double relative, double radius) {
    const small_spec spec = SMALL(20, 3, 1, "squared", "l1", "identity", 0.1);
    *s = small_make(&spec, 1);
    spdhg_options o = SPDHG_OPTIONS;
    spdhg_solver *solver;
    o.tol = 1e-6;
    GOOD(spdhg_solver_new(&solver, "auto", s->problem, &o, &good_err));
    solver->has_run = true;
    solver->evaluator.certifier.reference = 0; /* gaps are relative to f */
    solver->solution.objective = BEFORE;
    solver->solution.gap = relative * BEFORE;
    solver->solution.gap_relative = relative;
    solver->solution.gap_radius = radius;
    return solver;
}

static void proven_within_a_radius(void **state) {
    (void)state;
    small s;
    spdhg_solver *a = solver_with_answer(&s, GAP, RADIUS);
    const double lower = BEFORE - 0.5 * GAP, below = BEFORE - 2 * GAP;
    assert_true(astray(a, SPD_RESCUED, lower, SPD_GAP_NONE, INFINITY, NAN)); /* twins: lower by less than was proven */
    assert_true(astray(a, SPD_RESCUED, lower, SPD_GAP_CERTIFIED, 1e-3, NAN));
    assert_true(astray(a, SPD_RESCUED, lower, SPD_GAP_WITHIN_RADIUS, 2 * GAP, 2 * RADIUS));
    assert_true(astray(a, SPD_RESCUED, lower, SPD_GAP_WITHIN_RADIUS, 0.5 * GAP, 0.5 * RADIUS));
    assert_true(astray(a, SPD_RESCUED, BEFORE + 1e-5, SPD_GAP_CERTIFIED, 1e-9, NAN)); /* too far above */
    assert_false(astray(a, SPD_RESCUED, BEFORE + 1e-9, SPD_GAP_CERTIFIED, 1e-7, NAN));
    assert_false(astray(a, SPD_RESCUED, lower, SPD_GAP_WITHIN_RADIUS, 0.5 * GAP, 2 * RADIUS));
    assert_false(astray(a, SPD_RESCUED, below, SPD_GAP_NONE, INFINITY, NAN)); /* nothing within the radius is as low */
    assert_false(astray(a, SPD_ALONE, lower, SPD_GAP_NONE, INFINITY, NAN));   /* the stage before was only a beginning */
    spdhg_solver_free(a);
    small_free(&s);
}

static void not_proven_to_the_tolerance(void **state) {
    (void)state;
    small s;
    const double radius[] = {RADIUS, NAN};
    for (int i = 0; i < 2; i++) {
        spdhg_solver *a = solver_with_answer(&s, 1e-3, radius[i]);
        assert_false(astray(a, SPD_RESCUED, BEFORE - GAP, SPD_GAP_NONE, INFINITY, NAN));
        assert_true(astray(a, SPD_RESCUED, BEFORE + 1e-5, SPD_GAP_NONE, INFINITY, NAN));
        spdhg_solver_free(a);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(proven_within_a_radius), cmocka_unit_test(not_proven_to_the_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

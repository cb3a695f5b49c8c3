/* test_far.c - a point is called far only if f is above the optimum by more than its gap may be, and only where a step may show
 * that. */
#include "small.h"

#include "certify/certify.h"

typedef struct place {
    spd_evaluator evaluator;
    spd_trial at;
    double *x, *z, *Fx, c[1];
} place;

/* The start, x = 0, as a place of a proof; of f(0) as the scale of gaps. */
static place start_of(const spdhg_problem *p) {
    place s = {.x = SPD_NEW(double, p->dK), .z = SPD_NEW(double, p->n * p->K), .Fx = SPD_NEW(double, p->m * p->K)};
    GOOD(spd_evaluator_new(&s.evaluator, p, NULL, 1, &good_err));
    spd_certifier *c = &s.evaluator.certifier;
    s.at = (spd_trial){.x = s.x, .constants = s.c, .z = s.z, .Fx = s.Fx};
    s.at.objective = s.at.loss = spd_problem_losses(p, 1, &(spd_scores){.z = s.z}, c->alpha, NULL, c->work);
    spd_problem_adjoint(p, 1, c->alpha, c->g, c->gc, c->Mwork);
    c->slopes = true;
    return s;
}

static bool is_far(place *s, double worth) {
    s->evaluator.certifier.worth = worth;
    return spd_dual_is_far(&s->evaluator.certifier, &s->at);
}

static void place_free(place *s) {
    spd_evaluator_free(&s->evaluator);
    SPD_FREE_ALL(s->x, s->z, s->Fx);
}

static double optimum(spdhg_problem *p) {
    spdhg_solver *solver;
    spdhg_outcome outcome;
    GOOD(spdhg_solver_new(&solver, "auto", p, NULL, &good_err));
    GOOD(spdhg_solver_run(solver, &outcome, &good_err));
    assert_int_equal(outcome, SPDHG_OUTCOME_CONVERGED);
    const double f = spdhg_solver_solution(solver)->objective;
    spdhg_solver_free(solver);
    return f;
}

/* What the step proves is at most what there is to gain, on chains and graphs of several losses, targets and weights. */
static void test_never_too_far(void **state) {
    (void)state;
    const small_spec all[] = {SMALL(40, 12, 1, "squared", "l1", "chain", 1e-3),
                              SMALL(40, 12, 0.5, "logistic", "l1", "chain", 1e-3, .classes = 2, .weights = true),
                              SMALL(30, 12, 1, "huber", "l1", "grid:3x4", 1e-2),
                              SMALL(30, 12, 1, "squared", "group", "chain", 1e-3, .targets = 3),
                              SMALL(50, 20, 1, "squared-hinge", "l1", NULL, 1e-3, .classes = 2, .edges = 4)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            small s = small_make(&all[i], seed);
            GOOD(spd_problem_freeze(s.problem, &good_err));
            place at = start_of(s.problem);
            const double gain = (at.at.objective - optimum(s.problem)) / at.at.objective;
            if (is_far(&at, gain * (1 + 1e-6))) fail_msg("problem %zu, seed %d: far", i, (int)seed);
            if (!is_far(&at, 1e-12)) fail_msg("problem %zu, seed %d: not far", i, (int)seed);
            assert_false(is_far(&at, INFINITY)); /* any proof is wanted */
            place_free(&at);
            small_free(&s);
        }
}

/* One row (1, 1) and b = 4, the chain: along (1, 1) the loss falls to 0, and that is what the step proves. */
static void test_exactly(void **state) {
    (void)state;
    small s = small_make(&(small_spec)SMALL(1, 2, 1, "squared", "l1", "chain", 1), 1);
    for (int j = 0; j < 2; j++) s.data->val[j] = 1;
    s.data->b[0] = 4;
    GOOD(spd_problem_freeze(s.problem, &good_err));
    place at = start_of(s.problem);
    assert_true(is_far(&at, 1 - 1e-12));
    assert_false(is_far(&at, 1 + 1e-12));
    place_free(&at);
    small_free(&s);
}

/* Where every direction is penalised, bounded or changes a row of F, nothing is said. */
static void test_says_nothing(void **state) {
    (void)state;
    const small_spec all[] = {SMALL(40, 12, 1, "squared", "l1", "identity", 1e-3),
                              SMALL(40, 12, 1, "squared", "l1", "trend:1", 1e-3),
                              SMALL(40, 12, 1, "squared", "l1", "chain", 1e-3, .set = "nonneg"),
                              SMALL(40, 12, 1, "squared", "l1", "chain", 1e-3, .gamma = 0.1),
                              SMALL(40, 12, 1, "absolute", "l1", "chain", 1e-3)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        small s = small_make(&all[i], 1);
        GOOD(spd_problem_freeze(s.problem, &good_err));
        place at = start_of(s.problem);
        if (is_far(&at, 1e-12)) fail_msg("problem %zu: far", i);
        place_free(&at);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_too_far), cmocka_unit_test(test_exactly),
                                       cmocka_unit_test(test_says_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

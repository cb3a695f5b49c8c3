/* test_finish.c - exact zeros and last digits that are rejected: the run continues from its own answer, not from the trial. */
#include "small.h"

#include "face/answer.h"
#include "run/loop.h"

typedef struct judge {
    int proposals, returns;
} judge;

static spdhg_status refuse(void *context, const double *x, double *c, bool *kept, spdhg_error *err) {
    (void)x, (void)c, (void)err;
    ((judge *)context)->proposals++;
    *kept = false;
    return SPDHG_OK;
}

static void put_back(void *context, double *c) {
    (void)c;
    ((judge *)context)->returns++;
}

/* F = identity, y inside its ball everywhere. x_2 = x_1/2 is 0 only for the boldest margin: there is one trial, and since it is
 * rejected, the answer is evaluated again. With x = 0 there is nothing to try and nothing to restore. */
static void test_refused_zeros(void **state) {
    (void)state;
    const small_spec spec = {
        .n = 20, .d = 2, .density = 1, .loss = "squared", .penalty = "l1", .structure = "identity", .lambda = 1};
    small s = small_make(&spec, 7);
    const double x[] = {1, 0.5}, zero[] = {0, 0}, c[] = {0}, y[] = {0, 0};
    judge j = {0};
    spd_answer a = {.p = s.problem, .threads = 1, .x = x, .c = c, .y = y, .propose = refuse, .keep_old = put_back, .context = &j};
    GOOD(spd_answer_exact_zeros(&a, &good_err));
    assert_int_equal(j.proposals, 1);
    assert_int_equal(j.returns, 1);
    a.x = zero;
    GOOD(spd_answer_exact_zeros(&a, &good_err));
    assert_int_equal(j.proposals, 1);
    assert_int_equal(j.returns, 1);
    small_free(&s);
}

/* Whether the trial was kept or not (at lambda 10 x is 0, and none is), the next run starts from the solver's own intercept. */
static void test_own_intercept(void **state) {
    (void)state;
    const double lambda[] = {10, 0.1, 0.05, 0.01};
    for (int i = 0; i < 4; i++) {
        const small_spec spec = SMALL(60, 6, 1, "softmax", "group", "identity", lambda[i], .classes = 3, .intercept = true);
        small s = small_make(&spec, 3);
        spdhg_options o = SPDHG_OPTIONS;
        o.tol = 1e-6;
        o.epochs = 500;
        spdhg_solver *solver;
        GOOD(spdhg_solver_new(&solver, "prox-newton", s.problem, &o, &good_err));
        GOOD(spdhg_solver_run(solver, NULL, &good_err));
        assert_ptr_equal(solver->evaluator.evaluation.c, solver->c);
        spdhg_solver_free(solver);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_zeros), cmocka_unit_test(test_own_intercept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

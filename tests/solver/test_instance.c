/* test_instance.c - what an instance of a solver owns and hands over, with a solver made for the purpose. */
#include "small.h"

static int prepared, released, laid_out;

static spdhg_status prepare(spd_run *run, spdhg_error *err) {
    if (run->param[0] < 0) return spd_fail(err, SPDHG_DATA, "not today");
    prepared++;
    run->prepared = &prepared;
    run->prepared_bytes = 100;
    return SPDHG_OK;
}

static void release(void *what) {
    assert_ptr_equal(what, &prepared);
    released++;
}

static void layout(spd_run *run) {
    laid_out++;
    *(double **)run->self = spd_arena_take(&run->state, 7);
    (void)spd_arena_take(&run->work, 3);
}

static const spd_solver_kind kind = {
    .name = "test", .self_size = sizeof(double *), .prepare = prepare, .release = release, .layout = layout};
static const small_spec chain = SMALL(12, 4, 1, "squared", "l1", "chain", 0.5, .targets = 2, .intercept = true);

static spdhg_status make(spd_run *run, const spdhg_problem *p, const double *param, spdhg_sampling sampling, spdhg_error *err) {
    prepared = released = laid_out = 0;
    return spd_run_new(run, &kind, p, param, sampling, 1, 1, NULL, err);
}

/* A solver that keeps what it saw of rows takes no rows drawn by their norms. */
static void test_sampling(void **state) {
    (void)state;
    small s = small_make(&chain, 1);
    const double param = 1;
    spd_run run;
    spdhg_error err;
    assert_int_equal(make(&run, s.problem, &param, SPDHG_SAMPLING_NORM, &err), SPDHG_USAGE);
    assert_non_null(strstr(err.message, "test remembers rows from earlier draws"));
    assert_int_equal(prepared, 0);
    small_free(&s);
}

static void test_refusal(void **state) {
    (void)state;
    small s = small_make(&chain, 1);
    const double param = -1;
    spd_run run;
    spdhg_error err;
    assert_int_equal(make(&run, s.problem, &param, SPDHG_SAMPLING_IID, &err), SPDHG_DATA);
    assert_true(run.self == NULL && laid_out == 0 && released == 0); /* nothing was prepared, nothing is left */
    small_free(&s);
}

/* Arrays are measured, then made; a run that cannot have them has nothing and says how much it wanted. */
static void test_arrays(void **state) {
    (void)state;
    small s = small_make(&chain, 1);
    const double param = 1;
    spd_run run;
    spdhg_error err;
    GOOD(make(&run, s.problem, &param, SPDHG_SAMPLING_IID, &good_err));
    assert_true(spd_run_bytes(&run) >= 8 * (7 + 3) + 100 && run.state.base == NULL);
    GOOD(spd_run_allocate(&run, &good_err));
    assert_int_equal(laid_out, 2);
    assert_ptr_equal(*(double **)run.self, run.state.base);
    spd_run_free(&run);
    assert_int_equal(released, 1);

    GOOD(make(&run, s.problem, &param, SPDHG_SAMPLING_IID, &good_err));
    run.state.size = INT64_MAX / 4; /* more bytes than any allocator is asked for */
    assert_int_equal(spd_run_allocate(&run, &err), SPDHG_MEMORY);
    assert_true(released == 1 && run.self == NULL);
    small_free(&s);
}

/* A run takes over the arrays of the one before, which has none afterwards. */
static void test_again(void **state) {
    (void)state;
    small s = small_make(&chain, 1);
    const double first = 1, second = 2;
    spd_run run, before;
    GOOD(make(&before, s.problem, &first, SPDHG_SAMPLING_IID, &good_err));
    GOOD(spd_run_allocate(&before, &good_err));
    before.rows_visited = 12;
    double *const array = before.state.base;
    GOOD(spd_run_new(&run, &kind, s.problem, &second, SPDHG_SAMPLING_IID, 1, 1, NULL, &good_err));
    spd_run_again(&run, &before, &second);
    assert_true(run.again && run.rows_visited == 0 && run.param == &second && run.state.base == array);
    assert_true(before.self == NULL && before.state.base == NULL && before.prepared == NULL);
    assert_int_equal(released, 1); /* what the new one had prepared */
    spd_run_free(&run);
    assert_int_equal(released, 2);
    small_free(&s);
}

/* What is not given stays; y becomes the nearest point of lambda Y, a box of 0.5. */
static void test_take_and_give(void **state) {
    (void)state;
    small s = small_make(&chain, 1);
    const double param = 1, x0[] = {1, 2, 3, 4, 5, 6, 7, 8}, c0[] = {-1, -2}, y0[] = {0.1, 9, -9, 0.2, -0.3, 0.5};
    const double within[] = {0.1, 0.5, -0.5, 0.2, -0.3, 0.5};
    double x[8] = {0}, c[2] = {0}, y[6] = {0}, term[64], x2[8], c2[2] = {7, 7}, y2[6];
    spd_run run;
    GOOD(make(&run, s.problem, &param, SPDHG_SAMPLING_IID, &good_err));
    spd_run_take(&run, x0, c0, y0, x, c, y, term);
    assert_memory_equal(x, x0, sizeof x0);
    assert_memory_equal(c, c0, sizeof c0);
    assert_memory_equal(y, within, sizeof within);
    spd_run_take(&run, NULL, NULL, NULL, x, c, y, term);
    assert_memory_equal(x, x0, sizeof x0);
    spd_run_give(&run, x, c, y, x2, c2, y2);
    assert_memory_equal(x2, x0, sizeof x0);
    assert_memory_equal(c2, c0, sizeof c0);
    assert_memory_equal(y2, within, sizeof within);
    spd_run_free(&run);
    small_free(&s);
}

static void hear(void *context, const char *sentence) { snprintf(context, 40, "%s", sentence); }

static void test_log(void **state) {
    (void)state;
    char heard[40] = "nothing";
    spd_run run = {0};
    spd_run_log(&run, "%d rows", 3);
    run.log = hear;
    run.log_context = heard;
    spd_run_log(&run, "%d rows of %s", 3, "F");
    assert_string_equal(heard, "3 rows of F");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sampling),      cmocka_unit_test(test_refusal),
                                       cmocka_unit_test(test_arrays),        cmocka_unit_test(test_again),
                                       cmocka_unit_test(test_take_and_give), cmocka_unit_test(test_log)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

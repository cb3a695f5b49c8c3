/* test_options.c - every options struct of spdhg.h: if its size was never set, each call that takes it refuses it; one from an
 * older header, which is shorter, is read only up to its end. */
#include "small.h"

#include "tune/tune.h"

static const small_spec spec = {
    .n = 40, .d = 6, .density = 1, .loss = "squared", .penalty = "l1", .structure = "identity", .set = "all", .lambda = 0.05};

static void refused(spdhg_status status, const spdhg_error *err, const char *type) {
    assert_int_equal(status, SPDHG_USAGE);
    assert_int_equal(err->status, SPDHG_USAGE);
    if (!strstr(err->message, type) || !strstr(err->message, "size")) fail_msg("'%s' does not name %s", err->message, type);
}

/* This is `{.epochs = 2}`: it must not silently run with options that the caller did not intend. */
static void size_never_set(void **state) {
    (void)state;
    spdhg_error err = {0};
    small s = small_make(&spec, 1);
    spdhg_solver *solver = (spdhg_solver *)state;
    refused(spdhg_solver_new(&solver, "spdhg", s.problem, &(spdhg_options){.epochs = 2}, &err), &err, "spdhg_options");
    assert_null(solver);
    spdhg_path *path;
    const spdhg_path_options lost = {.learn = &(spdhg_graph_options){.rho = 0.1}};
    refused(spdhg_path_new(&path, s.problem, &lost, NULL, &err), &err, "spdhg_path_options");
    refused(spdhg_path_new(&path, s.problem, NULL, &(spdhg_options){.epochs = 2}, &err), &err, "spdhg_options");
    spdhg_path_options learns = SPDHG_PATH_OPTIONS;
    learns.learn = lost.learn;
    refused(spdhg_path_new(&path, s.problem, &learns, NULL, &err), &err, "spdhg_graph_options");
    assert_null(path);
    spdhg_structure *F;
    refused(spdhg_structure_learn(&F, s.data, NULL, 0, lost.learn, NULL, &err), &err, "spdhg_graph_options");
    assert_null(F);
    spdhg_data *data;
    refused(spdhg_data_read(&data, "absent.svm", &(spdhg_read_options){.features = 3}, &err), &err, "spdhg_read_options");
    assert_null(data);
    spdhg_problem *problem;
    GOOD(spdhg_problem_new(&problem, s.data, "squared", &good_err));
    refused(spdhg_problem_term(problem, "group", s.F, 1, &(spdhg_term_options){.groups = "size:2"}, &err), &err,
            "spdhg_term_options");
    spdhg_outcome outcome;
    const char *const name = "absent.svm";
    refused(spdhg_race(&name, 1, "absent", &(spdhg_race_options){.epochs = 2}, &outcome, &err), &err, "spdhg_race_options");
    spdhg_problem_free(problem);
    small_free(&s);
}

/* A caller compiled when `epochs` was the last field: the memory after it is not an option. */
static void shorter_struct(void **state) {
    (void)state;
    small s = small_make(&spec, 1);
    spdhg_options options = SPDHG_OPTIONS;
    options.size = offsetof(spdhg_options, seconds);
    options.epochs = 2;
    options.every = NAN;
    options.batch = -77;
    spdhg_solver *solver;
    spdhg_outcome outcome;
    GOOD(spdhg_solver_new(&solver, "spdhg", s.problem, &options, &good_err));
    GOOD(spdhg_solver_run(solver, &outcome, &good_err));
    assert_true(spdhg_solver_solution(solver)->epochs == 2);
    spdhg_solver_free(solver);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(size_never_set), cmocka_unit_test(shorter_struct)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

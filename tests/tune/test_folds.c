/* test_folds.c - folds: every class is dealt out evenly, groups stay together, given folds are used, repeats differ, and all are
 * a function of the seed. */
#include "small.h"
#include "tune/tune.h"

static const small_spec spec = {
    .n = 53, .d = 4, .density = 1, .loss = "logistic", .penalty = "l1", .structure = "identity", .lambda = 1, .classes = 2};

static void classes_are_even(void **unused) {
    (void)unused;
    small s = small_make(&spec, 3);
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    o.folds = 5;
    o.repeats = 2;
    int32_t *fold, *again;
    GOOD(spd_folds_make(s.problem, &o, 7, &fold, &good_err));
    GOOD(spd_folds_make(s.problem, &o, 7, &again, &good_err));
    assert_memory_equal(fold, again, 2 * 53 * sizeof *fold);
    assert_memory_not_equal(fold, fold + 53, 53 * sizeof *fold);
    for (int r = 0; r < 2; r++) {
        int count[2][5] = {{0}};
        for (int i = 0; i < 53; i++) count[s.problem->b[i] > 0][fold[r * 53 + i]]++;
        for (int k = 0; k < 2; k++)
            for (int f = 0; f < 5; f++) assert_true(abs(count[k][f] - count[k][0]) <= 1);
    }
    spd_free(fold);
    spd_free(again);
    small_free(&s);
}

static void groups_stay_together(void **unused) {
    (void)unused;
    small s = small_make(&spec, 3);
    int64_t group[53];
    for (int i = 0; i < 53; i++) group[i] = i % 11 * 1000;
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    o.folds = 4;
    o.group = group;
    int32_t *fold;
    GOOD(spd_folds_make(s.problem, &o, 1, &fold, &good_err));
    int size[4] = {0};
    for (int i = 0; i < 53; i++) {
        assert_int_equal(fold[i], fold[i % 11]);
        size[fold[i]]++;
    }
    for (int f = 0; f < 4; f++) assert_in_range(size[f], 9, 15); /* 11 groups of 4 or 5 rows: 2 or 3 in a fold */
    spd_free(fold);
    o.folds = 12;
    spdhg_error err = {0};
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "11 groups"));
    small_free(&s);
}

static void given_folds_are_checked(void **unused) {
    (void)unused;
    small s = small_make(&spec, 3);
    int64_t given[53];
    for (int i = 0; i < 53; i++) given[i] = i % 3;
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    o.folds = 3;
    o.fold = given;
    int32_t *fold;
    GOOD(spd_folds_make(s.problem, &o, 1, &fold, &good_err));
    for (int i = 0; i < 53; i++) assert_int_equal(fold[i], i % 3);
    spd_free(fold);
    given[9] = 3;
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, NULL), SPDHG_DATA);
    given[9] = 0;
    o.folds = 4; /* the last one is empty */
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, NULL), SPDHG_DATA);
    o.folds = 1;
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, NULL), SPDHG_USAGE);
    small_free(&s);
}

/* Row 0 is in both test parts, row 1 in none, row 2 is left out by the first split. */
static void splits_of_any_kind(void **unused) {
    (void)unused;
    small s = small_make(&spec, 3);
    signed char part[2 * 53] = {0};
    for (int i = 0; i < 53; i += 4) part[i] = 1;
    part[2] = -1;
    part[53] = part[60] = 1;
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    o.folds = 2;
    o.part = part;
    int32_t *fold;
    GOOD(spd_folds_make(s.problem, &o, 1, &fold, &good_err));
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 53; i++) {
            const int32_t here = fold[f * 53 + i];
            assert_true(part[f * 53 + i] == 1 ? here == f : part[f * 53 + i] == -1 ? here < 0 : here >= 0 && here != f);
        }
    spd_free(fold);
    o.repeats = 2;
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, NULL), SPDHG_USAGE);
    o.repeats = 1;
    memset(part + 53, 0, 53);
    assert_int_equal(spd_folds_make(s.problem, &o, 1, &fold, NULL), SPDHG_DATA);
    small_free(&s);
}

/* Scores of the folds are those whose mean is in the table; kept coefficients give the same loss; another point can be chosen. */
static void folds_are_kept(void **unused) {
    (void)unused;
    small s = small_make(&spec, 3);
    const double lambda[2] = {0.1, 0.01};
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    o.lambda = lambda;
    o.lambdas = 2;
    o.folds = 3;
    o.keep_folds = true;
    spdhg_path *path;
    GOOD(spdhg_path_new(&path, s.problem, &o, NULL, &good_err));
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    assert_int_equal(points, 2);
    assert_true(point[0].lambda == 0.1 && point[1].lambda == 0.01);
    double sum[2] = {0, 0}, all = 0, weight;
    int32_t *fold;
    GOOD(spd_folds_make(s.problem, &o, 0, &fold, &good_err)); /* a function of the seed */
    assert_memory_equal(spdhg_path_held_out(path, 0), fold, 53 * sizeof *fold);
    assert_null(spdhg_path_held_out(path, 1));
    spd_free(fold);
    for (int64_t f = 0; spdhg_path_fold_scores(path, f, &weight); f++) {
        const double *c;
        for (int i = 0; i < 2; i++) {
            sum[i] += weight * spdhg_path_fold_scores(path, f, NULL)[3 * i];
            assert_non_null(spdhg_path_fold_coefficients(path, f, i, &c));
        }
        all += weight;
    }
    for (int i = 0; i < 2; i++) assert_true(fabs(sum[i] / all - point[i].loss) < 1e-12 * point[i].loss);
    assert_null(spdhg_path_fold_scores(path, 3, NULL));
    for (int i = 0; i < 2; i++) {
        GOOD(spdhg_path_choose(path, i, &good_err));
        assert_int_equal(spdhg_path_chosen(path), i);
        assert_true(fabs(spdhg_solver_solution(spdhg_path_solver(path))->objective - point[i].objective) <
                    1e-5 * point[i].objective);
    }
    assert_int_equal(spdhg_path_choose(path, 2, NULL), SPDHG_USAGE);
    spdhg_path_free(path);
    o.choose = "none"; /* the same points, none of them solved again until it is asked for */
    GOOD(spdhg_path_new(&path, s.problem, &o, NULL, &good_err));
    point = spdhg_path_points(path, &points);
    assert_true(points == 2 && point[1].lambda == 0.01 && spdhg_path_best(path) == 1);
    assert_true(spdhg_path_fold_scores(path, 2, NULL) && !spdhg_path_solver(path));
    GOOD(spdhg_path_choose(path, 0, &good_err));
    assert_true(fabs(spdhg_solver_solution(spdhg_path_solver(path))->objective - point[0].objective) < 1e-5 * point[0].objective);
    spdhg_path_free(path);
    o.choose = "loss";
    const double rising[2] = {0.01, 0.1};
    o.lambda = rising;
    assert_int_equal(spdhg_path_new(&path, s.problem, &o, NULL, NULL), SPDHG_USAGE);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes_are_even), cmocka_unit_test(groups_stay_together),
                                       cmocka_unit_test(given_folds_are_checked), cmocka_unit_test(splits_of_any_kind),
                                       cmocka_unit_test(folds_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

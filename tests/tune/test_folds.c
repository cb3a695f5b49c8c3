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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes_are_even), cmocka_unit_test(groups_stay_together),
                                       cmocka_unit_test(given_folds_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_view.c - splits are partitions determined by the seed alone; subsets keep everything that belongs to a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "data/data.h"

static void split_is_a_partition(void **unused) {
    (void)unused;
    static const struct {
        int64_t rows;
        double fraction;
        int64_t tests;
    } sizes[] = {{10, 0.2, 2}, {7, 0.5, 4}, {1, 0.2, 0}, {0, 0.5, 0}, {1000, 0.25, 250}, {5, 0, 0}, {5, 1, 5}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t *train, *test, trains, tests;
        assert_int_equal(spd_split(sizes[s].rows, sizes[s].fraction, 9, &train, &trains, &test, &tests, NULL), SPDHG_OK);
        assert_int_equal(tests, sizes[s].tests);
        assert_int_equal(trains + tests, sizes[s].rows);
        int64_t a = 0, b = 0;
        for (int64_t i = 0; i < sizes[s].rows; i++) { /* every id once, both lists ascending */
            if (a < trains && train[a] == i)
                a++;
            else
                assert_true(b < tests && test[b++] == i);
        }
        spd_free(train);
        spd_free(test);
    }
}

static void seed_decides(void **unused) {
    (void)unused;
    int64_t *train[3], *test[3], trains, tests;
    static const uint64_t seed[] = {1, 1, 2};
    for (int i = 0; i < 3; i++)
        assert_int_equal(spd_split(500, 0.3, seed[i], &train[i], &trains, &test[i], &tests, NULL), SPDHG_OK);
    assert_memory_equal(test[0], test[1], 150 * sizeof(int64_t));
    assert_memory_not_equal(test[0], test[2], 150 * sizeof(int64_t));
    int64_t low = 0; /* not just the first rows of the file */
    for (int64_t i = 0; i < 150; i++) low += test[0][i] < 250;
    assert_true(low > 50 && low < 100);
    for (int i = 0; i < 3; i++) {
        spd_free(train[i]);
        spd_free(test[i]);
    }
    spdhg_error err;
    assert_int_equal(spd_split(5, 1.5, 0, &train[0], &trains, &test[0], &tests, &err), SPDHG_USAGE);
    assert_int_equal(spd_split(5, NAN, 0, &train[0], &trains, &test[0], &tests, &err), SPDHG_USAGE);
    assert_null(train[0]);
}

/* Rows (1: 10), (), (0: 20, 2: 30), (2: 40) with every optional field. */
static spdhg_data *sparse_data(void) {
    spdhg_data *data;
    assert_int_equal(spd_data_new(&data, NULL), SPDHG_OK);
    data->rows = 4, data->features = 3, data->nnz = 4, data->targets = 2, data->offsets = 2, data->labels = 2,
    data->index_base = 0;
    data->ptr = spd_copy((int64_t[]){0, 1, 1, 3, 4}, 5, sizeof(int64_t));
    data->idx = spd_copy((int32_t[]){1, 0, 2, 2}, 4, sizeof(int32_t));
    data->val = spd_copy((double[]){10, 20, 30, 40}, 4, sizeof(double));
    data->b = spd_copy((double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8, sizeof(double));
    data->weight = spd_copy((double[]){0.1, 0.2, 0.3, 0.4}, 4, sizeof(double));
    data->offset = spd_copy((double[]){-1, -2, -3, -4, -5, -6, -7, -8}, 8, sizeof(double));
    data->group = spd_copy((int64_t[]){70, 71, 72, 73}, 4, sizeof(int64_t));
    data->label = SPD_NEW(char *, 2);
    data->label[0] = spd_strdup("cat"), data->label[1] = spd_strdup("dog");
    data->name = SPD_NEW(char *, 3);
    for (int j = 0; j < 3; j++) data->name[j] = spd_strdup((const char *[]){"u", "v", "w"}[j]);
    data->source = spd_strdup("somewhere");
    data->format = "libsvm";
    data->notes.blank_lines = 5;
    return data;
}

static void subset_keeps_everything(void **unused) {
    (void)unused;
    spdhg_data *data = sparse_data(), *part;
    assert_int_equal(spd_data_subset(&part, data, (int64_t[]){2, 1, 2}, 3, NULL), SPDHG_OK);
    spdhg_data_free(data); /* the part does not depend on the original */
    assert_true(part->rows == 3 && part->features == 3 && part->nnz == 4 && part->targets == 2 && part->index_base == 0);
    assert_memory_equal(part->ptr, ((int64_t[]){0, 2, 2, 4}), 4 * sizeof(int64_t));
    assert_memory_equal(part->idx, ((int32_t[]){0, 2, 0, 2}), 4 * sizeof(int32_t));
    assert_memory_equal(part->val, ((double[]){20, 30, 20, 30}), 4 * sizeof(double));
    assert_memory_equal(part->b, ((double[]){5, 6, 3, 4, 5, 6}), 6 * sizeof(double));
    assert_memory_equal(part->weight, ((double[]){0.3, 0.2, 0.3}), 3 * sizeof(double));
    assert_memory_equal(part->offset, ((double[]){-5, -6, -3, -4, -5, -6}), 6 * sizeof(double));
    assert_memory_equal(part->group, ((int64_t[]){72, 71, 72}), 3 * sizeof(int64_t));
    assert_true(part->labels == 2 && part->offsets == 2 && part->notes.blank_lines == 5);
    assert_string_equal(part->label[1], "dog");
    assert_string_equal(part->name[2], "w");
    assert_string_equal(part->source, "somewhere");
    assert_string_equal(part->format, "libsvm");
    spdhg_data_free(part);
}

static void subset_of_dense_and_bad_rows(void **unused) {
    (void)unused;
    spdhg_data *data, *part;
    assert_int_equal(spd_data_new(&data, NULL), SPDHG_OK);
    data->rows = 2, data->features = 2, data->nnz = 4;
    data->val = spd_copy((double[]){1, 2, 3, 4}, 4, sizeof(double));
    assert_int_equal(spd_data_subset(&part, data, (int64_t[]){1}, 1, NULL), SPDHG_OK);
    assert_true(part->nnz == 2 && !part->idx && !part->b && part->val[0] == 3 && part->val[1] == 4);
    spdhg_data_free(part);
    assert_int_equal(spd_data_subset(&part, data, NULL, 0, NULL), SPDHG_OK);
    assert_int_equal(part->rows, 0);
    spdhg_data_free(part);
    spdhg_error err;
    assert_int_equal(spd_data_subset(&part, data, (int64_t[]){0, 2}, 2, &err), SPDHG_USAGE);
    assert_null(part);
    assert_non_null(strstr(err.message, "row 2"));
    assert_int_equal(spd_data_subset(&part, data, (int64_t[]){-1}, 1, &err), SPDHG_USAGE);
    spdhg_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_is_a_partition),
        cmocka_unit_test(seed_decides),
        cmocka_unit_test(subset_keeps_everything),
        cmocka_unit_test(subset_of_dense_and_bad_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

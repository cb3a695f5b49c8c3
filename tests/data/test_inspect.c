/* test_inspect.c - inspect on small data sets whose expected output is obvious. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "data/data.h"

static spdhg_data *dense(int64_t rows, int64_t features, const double *val, const double *b) {
    spdhg_data *data;
    assert_int_equal(spd_data_new(&data, NULL), SPDHG_OK);
    data->rows = rows, data->features = features, data->nnz = rows * features, data->targets = b != NULL;
    data->val = spd_copy(val, rows * features, sizeof(double));
    if (b) data->b = spd_copy(b, rows, sizeof(double));
    return data;
}

/*        column: 0   1   2   3   4(never)  5(explicit 0)      label
 *        row 0   1   3   .   -4  .         0                   2      norm sqrt(26)
 *        row 1   1   .   .   .   .         .                   2      1
 *        row 2   1   .   5   .   .         .                   7      sqrt(26)
 *        row 3   1   .   .   .   .         .                   7      1, equals row 1
 *        row 4   1   3   .   .   .         .                   2      sqrt(10)
 *        row 5   1   .   .   .   .         .                   7      equals row 1 */
static void sparse_columns(void **unused) {
    (void)unused;
    spdhg_data *data;
    assert_int_equal(spd_data_new(&data, NULL), SPDHG_OK);
    data->rows = 6, data->features = 6, data->nnz = 11, data->targets = 1;
    data->ptr = spd_copy((int64_t[]){0, 4, 5, 7, 8, 10, 11}, 7, sizeof(int64_t));
    data->idx = spd_copy((int32_t[]){0, 1, 3, 5, 0, 0, 2, 0, 0, 1, 0}, 11, sizeof(int32_t));
    data->val = spd_copy((double[]){1, 3, -4, 0, 1, 1, 5, 1, 1, 3, 1}, 11, sizeof(double));
    data->b = spd_copy((double[]){2, 2, 7, 7, 2, 7}, 6, sizeof(double));
    spd_inspection seen;
    assert_int_equal(spd_data_inspect(data, &seen, NULL), SPDHG_OK);
    assert_true(seen.rows == 6 && seen.features == 6 && seen.nnz == 11 && seen.targets == 1);
    assert_true(seen.distinct_labels == 2 && seen.label[0] == 2 && seen.label[1] == 7 && seen.label_count[0] == 3);
    assert_int_equal(seen.label_runs, 4);
    assert_false(seen.sorted_by_label);
    assert_int_equal(seen.empty_rows, 0);
    assert_int_equal(seen.duplicate_rows, 2);
    assert_int_equal(seen.empty_columns, 2);
    assert_int_equal(seen.constant_columns, 1);
    assert_int_equal(seen.one_class_columns, 3); /* 1 only in class 2, 2 only in class 7, 3 only in class 2 */
    assert_int_equal(seen.negative_values, 1);
    assert_true(fabs(seen.row_norm_min - 1) < 1e-13);
    assert_true(fabs(seen.row_norm_median - (1 + sqrt(10)) / 2) < 1e-13);
    assert_true(fabs(seen.row_norm_max - sqrt(26)) < 1e-13);
    assert_true(fabs(seen.column_norm_min - sqrt(6)) < 1e-13);
    assert_true(fabs(seen.column_norm_max - 5) < 1e-13);
    assert_true(fabs(seen.fit_bytes - (spd_data_bytes(data) + 8 * (4 * 6 + 6 + 6 + 6))) < 1e-13);
    spdhg_data_free(data);
}

static bool sorted_says(int64_t rows, const double *b) {
    double *val = SPD_NEW(double, rows);
    for (int64_t i = 0; i < rows; i++) val[i] = (double)i;
    spdhg_data *data = dense(rows, 1, val, b);
    spd_inspection seen;
    assert_int_equal(spd_data_inspect(data, &seen, NULL), SPDHG_OK);
    assert_int_equal(seen.duplicate_rows, 0);
    spdhg_data_free(data);
    spd_free(val);
    return seen.sorted_by_label;
}

static void order_of_labels(void **unused) {
    (void)unused;
    assert_true(sorted_says(6, (double[]){1, 1, 1, -1, -1, -1}));
    assert_false(sorted_says(6, (double[]){1, -1, 1, -1, 1, -1}));
    assert_false(sorted_says(4, (double[]){1, 1, 1, 1})); /* one label: nothing to sort */
    assert_true(sorted_says(4, (double[]){0.1, 0.2, 0.5, 0.9}));
    assert_true(sorted_says(4, (double[]){9, 8, 5, 1}));
    assert_false(sorted_says(4, (double[]){9, 8, 10, 1}));
    double almost[1000];
    for (int i = 0; i < 1000; i++) almost[i] = i < 500;
    almost[10] = 0; /* one misplaced row: 4 runs, where 501 are expected by chance */
    assert_true(sorted_says(1000, almost));
    for (int i = 0; i < 1000; i++) almost[i] = i / 50 % 2; /* 20 runs */
    assert_false(sorted_says(1000, almost));
}

static void many_labels_huge_values_and_nothing(void **unused) {
    (void)unused;
    double val[200], b[200];
    for (int i = 0; i < 200; i++) val[i] = i % 2 ? 3e200 : 4e200, b[i] = i * 7 % 100;
    spdhg_data *data = dense(100, 2, val, b);
    spd_inspection seen;
    assert_int_equal(spd_data_inspect(data, &seen, NULL), SPDHG_OK);
    assert_int_equal(seen.distinct_labels, 100); /* more than the list holds */
    assert_true(seen.label[63] == 63 && seen.label_count[63] == 1);
    assert_true(fabs(seen.row_norm_max / 5e200 - 1) < 1e-14); /* its square would overflow */
    assert_true(fabs(seen.column_norm_max / 4e201 - 1) < 1e-14 && fabs(seen.column_norm_min / 3e201 - 1) < 1e-14);
    assert_true(seen.duplicate_rows == 99 && seen.constant_columns == 2 && seen.one_class_columns == 0);
    spdhg_data_free(data);
    data = dense(0, 3, NULL, NULL);
    assert_int_equal(spd_data_inspect(data, &seen, NULL), SPDHG_OK);
    assert_true(seen.rows == 0 && seen.distinct_labels == 0 && !seen.sorted_by_label);
    spdhg_data_free(data);
    data = dense(3, 2, (double[]){0, 0, 0, 0, 0, 0}, NULL); /* unlabelled, all zero */
    assert_int_equal(spd_data_inspect(data, &seen, NULL), SPDHG_OK);
    assert_true(seen.empty_rows == 3 && seen.empty_columns == 2 && seen.constant_columns == 0 && seen.duplicate_rows == 2);
    assert_true(seen.column_norm_min == 0 && seen.column_norm_max == 0);
    spdhg_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_columns),
        cmocka_unit_test(order_of_labels),
        cmocka_unit_test(many_labels_huge_values_and_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

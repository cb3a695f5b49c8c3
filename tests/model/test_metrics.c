/* test_metrics.c - losses, accuracy, AUC with ties, R^2, probabilities and label maps against numbers worked out by hand. */
#include "models.h"

static spdhg_data *labelled(int64_t rows, int64_t targets, const double *b) {
    spdhg_data *data;
    double *zero = SPD_NEW(double, rows);
    assert_int_equal(spdhg_data_from_csr(&data, rows, 1, NULL, NULL, zero, b, targets, SPDHG_COPY, NULL), SPDHG_OK);
    spd_free(zero);
    return data;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

static void binary(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("logistic", 1, 1, (double[]){0}, 2);
    spdhg_data *data = labelled(6, 1, (double[]){2, 1, 1, 2, 2, 5}); /* 5 is not a class of the model */
    const double z[] = {2, -1, 0.5, 0.5, -3, 9}, weight[] = {1, 2, 1, 1, 3, 100};
    assert_int_equal(spdhg_data_set_weights(data, weight, NULL), SPDHG_OK);
    spd_metrics out;
    assert_int_equal(spd_model_metrics(m, data, z, &out, NULL), SPDHG_OK);
    assert_true(out.rows == 5 && out.unknown == 1);
    assert_true(near(out.accuracy, 3.0 / 5));
    assert_true(near(out.auc, 3.5 / 6)); /* of 6 pairs, 3 are won and one is tied */
    const double loss = log(1 + exp(-2)) + 2 * log(1 + exp(-1)) + log(1 + exp(0.5)) + log(1 + exp(-0.5)) + 3 * log(1 + exp(3));
    assert_true(near(out.loss, loss / 8));
    assert_true(isnan(out.rmse) && isnan(out.r2));
    assert_memory_equal(out.confusion, ((int64_t[]){1, 1, 1, 2}), 4 * sizeof(int64_t));
    spd_free(out.confusion);
    double p[2];
    assert_true(spd_model_probability(m, (double[]){log(3)}, p) && near(p[0], 0.25) && near(p[1], 0.75));
    assert_true(spd_model_probability(m, (double[]){-800}, p) && p[0] == 1 && p[1] >= 0 && p[1] < 1e-300);
    assert_true(spd_model_class(m, (double[]){0}) == 0 && spd_model_class(m, (double[]){1e-300}) == 1);
    spdhg_data_free(data);
    data = labelled(2, 1, (double[]){2, 2}); /* one class only: no pairs */
    assert_int_equal(spd_model_metrics(m, data, z, &out, NULL), SPDHG_OK);
    assert_true(isnan(out.auc) && near(out.accuracy, 0.5));
    spd_free(out.confusion);
    spdhg_data_free(data);
    snprintf(m->loss, sizeof m->loss, "squared-hinge");
    assert_false(spd_model_probability(m, (double[]){1}, p));
    spdhg_model_free(m);
}

static void one_class_is_the_positive_one(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("logistic", 1, 1, (double[]){0}, 1);
    spdhg_data *data = labelled(2, 1, (double[]){1, 1});
    spd_metrics out;
    assert_int_equal(spd_model_metrics(m, data, (double[]){3, -1}, &out, NULL), SPDHG_OK);
    assert_true(near(out.loss, (log(1 + exp(-3)) + log(1 + exp(1))) / 2) && out.accuracy == 1 && out.confusion[0] == 2);
    spd_free(out.confusion);
    spdhg_data_free(data);
    spdhg_model_free(m);
}

static void softmax_and_texts(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("softmax", 1, 3, (double[]){0, 0, 0}, 3);
    m->class_text = SPD_NEW(char *, 3);
    for (int k = 0; k < 3; k++) m->class_text[k] = spd_strdup((const char *[]){"caf\xC3\xA9", "10", "tea"}[k]);
    spdhg_data *data = labelled(3, 1, (double[]){0, 1, 2}); /* codes of another file: tea, milk, cafe in Latin-1 */
    data->labels = 3;
    data->label = SPD_NEW(char *, 3);
    for (int l = 0; l < 3; l++) data->label[l] = spd_strdup((const char *[]){"tea", "milk", "caf\xE9"}[l]);
    const double z[] = {0, 0, log(2), 5, 5, 5, 1000, 0, 0};
    spd_metrics out;
    assert_int_equal(spd_model_metrics(m, data, z, &out, NULL), SPDHG_OK);
    assert_true(out.rows == 2 && out.unknown == 1 && out.accuracy == 1 && isnan(out.auc));
    assert_true(near(out.loss, log(2) / 2)); /* -log(1/2) and 0 */
    assert_true(out.confusion[8] == 1 && out.confusion[0] == 1);
    spd_free(out.confusion);
    spdhg_data_free(data);
    data = labelled(2, 1, (double[]){10, 11}); /* numbers against texts: compared as texts */
    assert_int_equal(spd_model_metrics(m, data, z, &out, NULL), SPDHG_OK);
    assert_true(out.rows == 1 && out.unknown == 1);
    spd_free(out.confusion);
    spdhg_data_free(data);
    double p[3];
    char buffer[SPD_NUMBER_CHARS];
    assert_true(spd_model_probability(m, (double[]){1000, 1000, 1000 + log(2)}, p) && near(p[0], 0.25) && near(p[2], 0.5));
    assert_int_equal(spd_model_class(m, (double[]){-3, -1, -2}), 1);
    assert_string_equal(spd_model_label(m, 2, buffer), "tea");
    spdhg_model_free(m);
    m = model_of("logistic", 1, 1, (double[]){0}, 2);
    m->class_value[1] = 2.5;
    assert_string_equal(spd_model_label(m, 1, buffer), "2.5");
    spdhg_model_free(m);
}

static void regression(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("squared", 1, 2, (double[]){0, 0}, 0);
    spdhg_data *data = labelled(2, 2, (double[]){1, 10, 3, 20}); /* means 2 and 15: spread 2 + 50 */
    spd_metrics out;
    assert_int_equal(spd_model_metrics(m, data, (double[]){1, 11, 2, 20}, &out, NULL), SPDHG_OK); /* errors 0, 1, 1, 0 */
    assert_true(near(out.rmse, sqrt(2.0 / 4)) && near(out.r2, 1 - 2.0 / 52) && near(out.loss, 0.5));
    assert_true(out.rows == 2 && out.confusion == NULL && isnan(out.accuracy) && isnan(out.auc));
    spdhg_data_free(data);
    spdhg_error err;
    data = labelled(2, 1, (double[]){1, 2});
    assert_int_equal(spd_model_metrics(m, data, (double[]){1, 1, 1, 1}, &out, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "1 targets in a row: expected 2"));
    spdhg_data_free(data);
    spdhg_model_free(m);
}

static void several_binary_targets(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("logistic", 1, 2, (double[]){0, 0}, 2);
    spdhg_data *data = labelled(2, 2, (double[]){1, 2, 2, 2});
    spd_metrics out;
    assert_int_equal(spd_model_metrics(m, data, (double[]){-1, -1, 1, 1}, &out, NULL), SPDHG_OK);
    assert_true(out.rows == 4 && near(out.accuracy, 0.75) && near(out.auc, (0.5 + 2) / 3));
    assert_true(near(out.loss, (3 * log(1 + exp(-1)) + log(1 + exp(1))) / 2)); /* per row, summed over its targets */
    spd_free(out.confusion);
    spdhg_data_free(data);
    spdhg_model_free(m);
}

/* Probabilities 0.25, 0.75, 0.75, 0.2 to the last digit: labels 1, 2 of the model are classes 0 and 1. */
static void calibration(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("logistic", 1, 1, (double[]){0}, 2);
    spdhg_data *data = labelled(5, 1, (double[]){1, 2, 1, 2, 5});
    const double z[] = {-log(3), log(3), log(3), -log(4) + 1e-12, 9};
    spd_calibration bin[SPD_CALIBRATION_BINS];
    bool known;
    assert_int_equal(spd_model_calibration(m, data, z, bin, &known, NULL), SPDHG_OK);
    assert_true(known && bin[2].rows == 2 && near(bin[2].predicted, 0.225) && near(bin[2].observed, 0.5));
    assert_true(bin[7].rows == 2 && near(bin[7].predicted, 0.75) && near(bin[7].observed, 0.5));
    assert_true(bin[9].rows == 0 && isnan(bin[9].predicted)); /* the row with an unknown label is not counted */
    snprintf(m->loss, sizeof m->loss, "squared-hinge");
    assert_int_equal(spd_model_calibration(m, data, z, bin, &known, NULL), SPDHG_OK);
    assert_false(known);
    spdhg_data_free(data);
    spdhg_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary),
        cmocka_unit_test(calibration),
        cmocka_unit_test(one_class_is_the_positive_one),
        cmocka_unit_test(softmax_and_texts),
        cmocka_unit_test(regression),
        cmocka_unit_test(several_binary_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

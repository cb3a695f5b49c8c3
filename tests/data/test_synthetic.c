/* test_synthetic.c - synthetic data: a pure function of its options, features and labels distributed as documented, invalid
 * options named in the message. Statistics are compared with their exact expectation at five or more standard errors; seeds are
 * fixed, so outcomes are too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "data/data.h"

typedef struct made {
    spdhg_data *data;
    double *truth;
    int64_t truths;
} made;

static spdhg_status try_make(made *m, const char *kind, spd_synthetic_options o, spdhg_error *err) {
    int entries;
    const spd_synthetic_kind *table = spd_synthetic_table(&entries);
    for (int i = 0; i < entries; i++)
        if (strcmp(table[i].name, kind) == 0) return table[i].generate(&m->data, &m->truth, &m->truths, &o, err);
    fail_msg("no kind %s", kind);
    return SPDHG_INTERNAL;
}

static made make(const char *kind, spd_synthetic_options o) {
    made m;
    spdhg_error err;
    if (try_make(&m, kind, o, &err) != SPDHG_OK) fail_msg("%s: %s", kind, err.message);
    return m;
}

static void discard(made m) {
    spdhg_data_free(m.data);
    spd_free(m.truth);
}

static double at(const spdhg_data *data, int64_t i, int64_t j) {
    if (!data->idx) return data->val[i * data->features + j];
    for (int64_t e = data->ptr[i]; e < data->ptr[i + 1]; e++)
        if (data->idx[e] == j) return data->val[e];
    return 0;
}

static double score(made m, int64_t i, int64_t k, int64_t K) {
    double z = 0;
    for (int64_t j = 0; j < m.data->features; j++) z += at(m.data, i, j) * m.truth[j * K + k];
    return z;
}

static void every_kind_is_a_function_of_its_options(void **unused) {
    (void)unused;
    int entries;
    const spd_synthetic_kind *table = spd_synthetic_table(&entries);
    assert_int_equal(entries, 6);
    for (int t = 0; t < entries; t++) {
        const spd_synthetic_options o = {.rows = 40, .seed = 3}, longer = {.rows = 60, .seed = 3},
                                    other = {.rows = 40, .seed = 4};
        made a = make(table[t].name, o), b = make(table[t].name, o), c = make(table[t].name, longer),
             d = make(table[t].name, other);
        assert_true(a.data->rows == 40 && a.data->targets == 1 && a.data->nnz > 0 && a.truths >= a.data->features);
        assert_int_equal(a.data->nnz, b.data->nnz);
        assert_memory_equal(a.data->val, b.data->val, (size_t)a.data->nnz * sizeof(double));
        assert_memory_equal(a.data->b, b.data->b, 40 * sizeof(double));
        assert_memory_equal(a.data->val, c.data->val, (size_t)a.data->nnz * sizeof(double)); /* more rows: the first ones stay */
        assert_memory_equal(a.data->b, c.data->b, 40 * sizeof(double));
        assert_memory_equal(a.truth, c.truth, (size_t)a.truths * sizeof(double));
        assert_memory_not_equal(a.data->val, d.data->val, 100 * sizeof(double));
        for (int64_t e = 0; e < a.data->nnz; e++) assert_true(isfinite(a.data->val[e]));
        discard(a), discard(b), discard(c), discard(d);
    }
}

static void image_is_the_promised_picture(void **unused) {
    (void)unused;
    made m = make("image", (spd_synthetic_options){.rows = 5, .height = 20, .width = 30, .noise = 0.25});
    assert_true(m.data->features == 600 && m.truths == 600);
    const double disc = m.truth[7 * 30 + 10], box = m.truth[14 * 30 + 20];
    assert_true(disc > 0 && box == -disc && m.truth[0] == 0 && m.truth[599] == 0 && m.truth[29] == 0);
    double square = 0;
    int64_t grey = 0;
    for (int64_t j = 0; j < 600; j++) {
        square += m.truth[j] * m.truth[j];
        grey += m.truth[j] != 0 && fabs(m.truth[j]) < disc;
        assert_true(fabs(m.truth[j]) <= disc);
    }
    assert_true(fabs(sqrt(square) - 4) < 1e-12); /* independent standard features: the signal's standard deviation is 1/noise */
    assert_true(grey > 4 && grey < 100);
    discard(m);
}

/* Mean, variance and lag-one correlation of a dense AR(1) row; the thinned form keeps a fraction `density` of the entries. */
static void features_are_distributed_as_promised(void **unused) {
    (void)unused;
    made m = make("lasso", (spd_synthetic_options){.rows = 400, .features = 300, .correlation = 0.6, .seed = 1});
    double sum = 0, square = 0, lag = 0;
    const double n = 400 * 300;
    for (int64_t i = 0; i < 400; i++)
        for (int64_t j = 0; j < 300; j++) {
            const double v = at(m.data, i, j);
            sum += v;
            square += v * v;
            if (j > 0) lag += v * at(m.data, i, j - 1);
        }
    assert_true(fabs(sum / n) < 0.03 && fabs(square / n - 1) < 0.03 && fabs(lag / (400 * 299) - 0.6) < 0.03);
    discard(m);
    m = make("chain", (spd_synthetic_options){.rows = 300, .features = 500, .density = 0.1, .seed = 2});
    assert_non_null(m.data->idx);
    assert_true(fabs((double)m.data->nnz / 150000 - 0.1) < 5 * sqrt(0.09 / 150000));
    int64_t last = 0;
    for (int64_t i = 0; i < 300; i++) {
        for (int64_t e = m.data->ptr[i]; e < m.data->ptr[i + 1]; e++) {
            assert_true(m.data->idx[e] >= 0 && m.data->idx[e] < 500);
            assert_true(e == m.data->ptr[i] || m.data->idx[e] > m.data->idx[e - 1]);
            last += m.data->idx[e] == 499;
        }
    }
    assert_true(last > 8 && last < 60); /* about 30: the gaps do not stop short of the last column */
    discard(m);
    m = make("graph", (spd_synthetic_options){.rows = 3000, .features = 40, .correlation = 0.5, .seed = 3});
    double inside = 0, across = 0;
    for (int64_t i = 0; i < 3000; i++)
        inside += at(m.data, i, 0) * at(m.data, i, 9) / 3000, across += at(m.data, i, 9) * at(m.data, i, 10) / 3000;
    assert_true(fabs(inside - 0.5) < 0.11 && fabs(across) < 0.1);
    for (int j = 1; j < 10; j++) assert_true(m.truth[j] == m.truth[0] && m.truth[20 + j] == -m.truth[0] && m.truth[10 + j] == 0);
    discard(m);
}

/* Labels of a logistic model: sum z (1[b=1] - sigma(z)) has mean 0 and variance sum z^2 sigma (1 - sigma). The signal has its
 * documented size. */
static void labels_follow_the_logistic_model(void **unused) {
    (void)unused;
    static const struct {
        const char *kind;
        spd_synthetic_options o;
    } with[] = {{"image", {.rows = 3000, .height = 8, .width = 8, .noise = 0.5}},
                {"graph", {.rows = 3000, .features = 60, .noise = 0.5, .correlation = 0.7}},
                {"sparse", {.rows = 3000, .features = 200, .density = 0.2, .noise = 0.5}}};
    for (size_t w = 0; w < 3; w++) {
        made m = make(with[w].kind, with[w].o);
        double drift = 0, spread = 0, square = 0, information = 0;
        for (int64_t i = 0; i < 3000; i++) {
            const double z = score(m, i, 0, 1), p = 1 / (1 + exp(-z));
            assert_true(m.data->b[i] == 1 || m.data->b[i] == -1);
            drift += z * ((m.data->b[i] > 0) - p);
            spread += z * z * p * (1 - p);
            square += z * z / 3000;
            information += fabs(z) * fabs(p - 0.5);
        }
        assert_true(fabs(drift) < 4 * sqrt(spread));
        assert_true(information > 10 * sqrt(spread));   /* the test would detect labels that ignore z */
        if (w < 2) assert_true(fabs(square - 4) < 0.6); /* (1/noise)^2 */
        discard(m);
    }
}

static void regression_and_softmax_labels(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"chain", "lasso"};
    for (int t = 0; t < 2; t++) {
        made m =
            make(kinds[t], (spd_synthetic_options){.rows = 3000, .features = 80, .noise = 0.5, .correlation = 0.3, .seed = 5});
        double error = 0, signal = 0;
        for (int64_t i = 0; i < 3000; i++) {
            const double z = score(m, i, 0, 1);
            error += (m.data->b[i] - z) * (m.data->b[i] - z) / 3000;
            signal += z * z / 3000;
        }
        assert_true(fabs(error - 0.25) < 5 * 0.25 * sqrt(2.0 / 3000) && fabs(signal - 1) < 5 * sqrt(2.0 / 3000));
        discard(m);
    }
    made m = make("multiclass", (spd_synthetic_options){.rows = 3000, .features = 30, .outputs = 3, .noise = 0.5, .seed = 6});
    assert_int_equal(m.truths, 90);
    double drift[3] = {0}, spread[3] = {0};
    for (int64_t i = 0; i < 3000; i++) {
        double z[3], sum = 0;
        for (int k = 0; k < 3; k++) sum += exp(z[k] = score(m, i, k, 3));
        assert_true(m.data->b[i] == 1 || m.data->b[i] == 2 || m.data->b[i] == 3);
        for (int k = 0; k < 3; k++) {
            const double p = exp(z[k]) / sum;
            drift[k] += z[k] * ((m.data->b[i] == k + 1) - p);
            spread[k] += z[k] * z[k] * p * (1 - p);
        }
    }
    for (int k = 0; k < 3; k++) assert_true(fabs(drift[k]) < 4 * sqrt(spread[k]));
    discard(m);
}

static void sparse_rows_look_like_text(void **unused) {
    (void)unused;
    made m = make("sparse", (spd_synthetic_options){.rows = 2000, .features = 5000, .density = 0.01, .seed = 7});
    int64_t count[5000] = {0};
    for (int64_t i = 0; i < 2000; i++) {
        double square = 0;
        for (int64_t e = m.data->ptr[i]; e < m.data->ptr[i + 1]; e++) {
            assert_true(e == m.data->ptr[i] || m.data->idx[e] > m.data->idx[e - 1]);
            assert_true(m.data->val[e] > 0 && fabs(m.data->val[e] * 1e6 - round(m.data->val[e] * 1e6)) < 1e-6);
            square += m.data->val[e] * m.data->val[e];
            count[m.data->idx[e]]++;
        }
        assert_true(fabs(square - 1) < 1e-3);
    }
    assert_true(count[0] > 3 * count[20] && count[20] > 5 * count[1000]); /* a few frequent words, many rare ones */
    const double share = (double)m.data->nnz / (2000.0 * 5000);
    assert_true(share > 0.006 && share <= 0.0102); /* 1 % are drawn, some twice */
    discard(m);
}

static void bad_options_are_named(void **unused) {
    (void)unused;
    static const struct {
        const char *kind;
        spd_synthetic_options o;
        spdhg_status status;
        const char *says;
    } bad[] = {
        {"image", {.features = 5}, SPDHG_USAGE, "height x width = 1024"},
        {"image", {.height = -1}, SPDHG_USAGE, "height"},
        {"image", {.height = INT64_MAX, .width = 4}, SPDHG_USAGE, "height"},
        {"image", {.height = 1 << 20, .width = 1 << 20}, SPDHG_USAGE, "features"},
        {"chain", {.rows = -1}, SPDHG_USAGE, "rows"},
        {"chain", {.features = INT32_MAX}, SPDHG_USAGE, "features"},
        {"chain", {.outputs = 2}, SPDHG_USAGE, "outputs"},
        {"multiclass", {.outputs = 1}, SPDHG_USAGE, "outputs"},
        {"lasso", {.density = 1.5}, SPDHG_USAGE, "density"},
        {"lasso", {.density = NAN}, SPDHG_USAGE, "density"},
        {"lasso", {.noise = -1}, SPDHG_USAGE, "noise"},
        {"lasso", {.noise = INFINITY}, SPDHG_USAGE, "noise"},
        {"lasso", {.correlation = 1}, SPDHG_USAGE, "correlation"},
        {"lasso", {.correlation = 0.5, .density = 0.5}, SPDHG_USAGE, "correlation"},
        {"sparse", {.correlation = 0.5}, SPDHG_USAGE, "correlation"},
        {"lasso", {.rows = INT64_MAX / 4, .features = 100}, SPDHG_MEMORY, "memory"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        made m;
        spdhg_error err;
        assert_int_equal(try_make(&m, bad[i].kind, bad[i].o, &err), bad[i].status);
        assert_true(m.data == NULL && m.truth == NULL && m.truths == 0);
        if (!strstr(err.message, bad[i].says)) fail_msg("%s: no '%s'", err.message, bad[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_a_function_of_its_options),
        cmocka_unit_test(image_is_the_promised_picture),
        cmocka_unit_test(features_are_distributed_as_promised),
        cmocka_unit_test(labels_follow_the_logistic_model),
        cmocka_unit_test(regression_and_softmax_labels),
        cmocka_unit_test(sparse_rows_look_like_text),
        cmocka_unit_test(bad_options_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

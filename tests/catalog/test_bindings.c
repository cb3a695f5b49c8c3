/* test_bindings.c - what the public header offers to bindings: views of handles, texts of models, edges from memory, a duality
 * gap at any point, and tables of names, defaults and help. Expected values were derived by hand. */
#include "catalog/catalog.h"
#include "models.h"
#include "run/run.h"

static const double eye[] = {1, 0, 0, 1}, target[] = {3, 0.1};

/* min (1/2) sum_i (x_i - b_i)^2 / 2 + lambda |x|_1: x_i = soft(b_i, 2 lambda). */
static void lasso(spdhg_data **data, spdhg_structure **F, spdhg_problem **p, double lambda) {
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csr(data, 2, 2, NULL, NULL, eye, target, 1, SPDHG_BORROW, &err), SPDHG_OK);
    assert_int_equal(spdhg_structure_new(F, "identity", 2, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_new(p, *data, "squared", &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_term(*p, "l1", *F, lambda, NULL, &err), SPDHG_OK);
}

static void a_gap_is_proven_at_any_point(void **unused) {
    (void)unused;
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *p;
    spdhg_error err;
    spdhg_gap gap;
    lasso(&data, &F, &p, 0.25);
    const double best[] = {2.5, 0}, f_best = (0.25 + 0.01) / 4 + 0.25 * 2.5, zero[] = {0, 0}, far[] = {-7, 4};
    const double dual[] = {0.25, 0.05}; /* y = -A'alpha / n at the optimum */
    assert_int_equal(spdhg_duality_gap(p, 1, best, NULL, dual, &gap, &err), SPDHG_OK);
    assert_string_equal(gap.kind, "certified");
    assert_true(fabs(gap.objective - f_best) < 1e-14 && gap.gap >= 0 && gap.gap < 1e-12);
    assert_true(fabs(gap.train_loss + gap.penalty - f_best) < 1e-14 && fabs(gap.penalty - 0.625) < 1e-14);
    const double *const point[] = {zero, far};
    const double f[] = {9.01 / 4, (100 + 3.9 * 3.9) / 4 + 0.25 * 11};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(spdhg_duality_gap(p, 1, point[i], NULL, NULL, &gap, &err), SPDHG_OK);
        assert_true(fabs(gap.objective - f[i]) < 1e-12 && gap.gap >= f[i] - f_best - 1e-12);
        assert_true(fabs(gap.relative - gap.gap / f[i]) < 1e-12);
    }
    const double bad[] = {NAN, 0};
    assert_int_equal(spdhg_duality_gap(p, 1, bad, NULL, NULL, &gap, &err), SPDHG_DATA);
    spdhg_problem_view view;
    assert_int_equal(spdhg_problem_get_view(p, &view, &err), SPDHG_OK);
    assert_true(view.rows == 2 && view.features == 2 && view.outputs == 1 && view.dual == 2 && view.classes == 0 && !view.scale);
    spdhg_problem_free(p), spdhg_structure_free(F), spdhg_data_free(data);
}

static void data_shows_what_it_has(void **unused) {
    (void)unused;
    const double b[] = {1, 0};
    const char *const labels[] = {"no", "yes"}, *const names[] = {"age", "size"};
    spdhg_data *data;
    spdhg_data_view view;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csr(&data, 2, 2, NULL, NULL, eye, b, 1, SPDHG_BORROW, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_set_labels(data, labels, 1, &err), SPDHG_DATA); /* with one text, 1 is out of range */
    assert_non_null(strstr(err.message, "row 1"));
    assert_int_equal(spdhg_data_set_labels(data, labels, 2, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_set_names(data, names, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_set_names(data, names, &err), SPDHG_OK);
    spdhg_data_get_view(data, &view);
    assert_true(view.rows == 2 && view.features == 2 && view.nonzeros == 4 && view.targets == 1 && view.labels == 2);
    assert_true(view.val == eye && view.b == b && !view.ptr && !view.idx && !view.weight && !view.group);
    assert_string_equal(view.label[1], "yes");
    assert_string_equal(view.name[0], "age");
    spdhg_problem *p;
    spdhg_problem_view problem;
    assert_int_equal(spdhg_problem_new(&p, data, "logistic", &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_standardize(p, true, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_get_view(p, &problem, &err), SPDHG_OK);
    assert_true(problem.classes == 2 && problem.class_value[0] == 0 && problem.class_value[1] == 1);
    assert_true(problem.scale[0] == 0.5 && problem.scale[1] == 0.5); /* of the numbers 0 and 1 */
    spdhg_problem_free(p);
    spdhg_data_free(data);
}

static void edges_from_memory(void **unused) {
    (void)unused;
    const int64_t end[] = {2, 0, 1, 2, 0, 3}, loop[] = {1, 1}, out[] = {0, 4}, twice[] = {0, 1, 2, 3, 1, 0};
    const double weight[] = {2, -3, 1}, nothing[] = {1, 0, 1};
    const int32_t column[] = {0, 2, 1, 2, 0, 3};
    const double value[] = {-2, 2, 3, 3, 1, -1};
    spdhg_structure *F;
    spdhg_structure_view view;
    spdhg_error err;
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 3, end, weight, &err), SPDHG_OK);
    spdhg_structure_get_view(F, &view);
    assert_true(view.rows == 3 && view.features == 4 && view.ptr[3] == 6);
    assert_memory_equal(view.idx, column, sizeof column);
    assert_memory_equal(view.val, value, sizeof value);
    assert_string_equal(view.spec, "edges");
    spdhg_structure_free(F);
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 1, loop, NULL, &err), SPDHG_DATA);
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 1, out, NULL, &err), SPDHG_DATA);
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 3, end, nothing, &err), SPDHG_DATA);
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 0, end, NULL, &err), SPDHG_USAGE);
    assert_int_equal(spdhg_structure_from_edges(&F, 4, 3, twice, NULL, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "edge 2, between features 1 and 0, was given before as edge 0"));
    assert_null(F);
    assert_int_equal(spdhg_structure_new(&F, "identity", 4, &err), SPDHG_OK);
    spdhg_structure_get_view(F, &view);
    assert_true(view.rows == 4 && view.features == 4 && !view.ptr);
    spdhg_structure_free(F);
}

static void a_model_as_text(void **unused) {
    (void)unused;
    const double x[] = {1.0 / 3, -2, 0, 5, 6, 7}, other[] = {9, 8, 7, 6, 5, 4}, c[] = {1, -1}, z[] = {log(3), 0, 0, 0};
    double bad[] = {1, 2, 3, 4, 5, INFINITY}, chance[4];
    spdhg_model *m = model_of("softmax", 3, 2, x, 2), *back;
    spdhg_model_view view;
    spdhg_error err;
    char *text;
    assert_int_equal(spdhg_model_to_text(m, &text, &err), SPDHG_OK);
    assert_int_equal(spdhg_model_from_text(&back, text, strlen(text), &err), SPDHG_OK);
    spdhg_model_get_view(back, &view);
    assert_true(view.features == 3 && view.outputs == 2 && view.classes == 2 && view.classify);
    assert_memory_equal(view.x, x, sizeof x);
    assert_string_equal(view.loss, "softmax");
    assert_int_equal(spdhg_model_change(back, bad, NULL, &err), SPDHG_DATA);
    assert_memory_equal(view.x, x, sizeof x);
    assert_int_equal(spdhg_model_change(back, other, c, &err), SPDHG_OK);
    assert_memory_equal(view.x, other, sizeof other);
    assert_memory_equal(view.c, c, sizeof c);
    assert_int_equal(spdhg_model_probabilities(back, 2, z, chance, &err), SPDHG_OK);
    const double right[] = {0.75, 0.25, 0.5, 0.5};
    for (int i = 0; i < 4; i++) assert_true(fabs(chance[i] - right[i]) < 1e-15);
    spdhg_model_free(back);
    assert_int_equal(spdhg_model_from_text(&back, text, strlen(text) - 1, &err), SPDHG_DATA);
    assert_null(back);
    spdhg_text_free(text);
    spdhg_text_free(NULL);
    spdhg_model_free(m);
    m = model_of("squared", 3, 1, x, 0);
    assert_int_equal(spdhg_model_probabilities(m, 1, z, chance, &err), SPDHG_USAGE);
    spdhg_model_free(m);
}

static void every_topic_is_listed(void **unused) {
    (void)unused;
    spdhg_entry entry;
    int64_t topics = 0, losses = 0;
    for (; spdhg_topic(topics); topics++) {
        int64_t entries = 0;
        for (; spdhg_list(spdhg_topic(topics), entries, &entry); entries++) assert_true(*entry.name && *entry.help);
        assert_true(entries >= 4);
    }
    assert_int_equal(topics, 8);
    assert_false(spdhg_list("nonsense", 0, &entry) || spdhg_list("losses", -1, &entry) || spdhg_option("fit", 0, &entry));
    for (; spdhg_list("losses", losses, &entry); losses++)
        if (strcmp(entry.name, "huber") == 0)
            assert_true(entry.argument && entry.value == 1.345 && entry.min > 0 && !entry.classify);
    assert_true(losses >= 6);
    assert_true(spdhg_list("losses", 0, &entry) && entry.classify); /* logistic */
    bool found = false;
    for (int64_t i = 0; spdhg_list("solvers", i, &entry); i++) {
        if (strcmp(entry.name, "spdhg") != 0) continue;
        for (int64_t q = 0; q < entry.params; q++) found = found || strcmp(entry.param[q].name, "s") == 0;
    }
    assert_true(found);
}

static void options_have_the_defaults_of_the_structs(void **unused) {
    (void)unused;
    spdhg_entry entry;
    assert_true(spd_option_find("problem", "lambda", &entry) && entry.value == 1e-3 && entry.kind == SPDHG_KIND_NUMBER);
    assert_true(spd_option_find("problem", "intercept", &entry) && entry.value == 1 && entry.kind == SPDHG_KIND_FLAG);
    assert_true(spd_option_find("problem", "loss", &entry) && strcmp(entry.text, "logistic") == 0);
    assert_string_equal(entry.topic, "losses");
    assert_true(spd_option_find("solve", "seed", &entry) && entry.value == 0 && entry.kind == SPDHG_KIND_WHOLE);
    assert_true(spd_option_find("solve", "checkpoint-every", &entry) && entry.value == 60);
    assert_true(spd_option_find("path", "lambdas", &entry) && entry.value == 100);
    assert_true(spd_option_find("path", "saturation", &entry) && entry.value == 0.999);
    assert_true(spd_option_find("path", "rule", &entry) && strcmp(entry.text, "1se") == 0);
    assert_true(spd_option_find("graph", "max-component", &entry) && entry.value == 1500);
    assert_true(spd_option_find("graph", "cov", &entry) && entry.value == 0 && entry.kind == SPDHG_KIND_FLAG);
    assert_true(spd_option_find("graph", "method", &entry) && strcmp(entry.text, "quic") == 0);
    assert_true(spd_option_find("race", "protocol", &entry) && strcmp(entry.text, "paper") == 0);
    assert_true(spd_option_find("race", "test-fraction", &entry) && entry.value == 0.2);
    assert_true(spd_option_find("data", "threads", &entry) && isnan(entry.value));
    assert_false(spd_option_find("data", "lambda", &entry));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_proven_at_any_point),
        cmocka_unit_test(data_shows_what_it_has),
        cmocka_unit_test(edges_from_memory),
        cmocka_unit_test(a_model_as_text),
        cmocka_unit_test(every_topic_is_listed),
        cmocka_unit_test(options_have_the_defaults_of_the_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_model.c - a model is what was fitted, reads back from disk with the same bits, scores other files by its own index base,
 * and its metrics agree with hand calculations. */
#include "models.h"

static void same_numbers(const double *a, const double *b, int64_t count) {
    assert_memory_equal(a, b, (size_t)count * sizeof(double));
}

static void check_round_trip(const spdhg_model *m) {
    char path[64];
    temporary(path);
    spdhg_error err;
    spdhg_model *back;
    assert_int_equal(spdhg_model_write(m, path, &err), SPDHG_OK);
    if (spdhg_model_read(&back, path, &err) != SPDHG_OK) fail_msg("%s", err.message);
    assert_true(back->features == m->features && back->outputs == m->outputs && back->classes == m->classes);
    same_numbers(back->x, m->x, m->features * m->outputs);
    same_numbers(back->c, m->c, m->outputs);
    same_numbers(back->class_value, m->class_value, m->classes);
    same_numbers(&back->lambda, &m->lambda, 1);
    same_numbers(&back->objective, &m->objective, 1);
    assert_true(isnan(back->gap) == isnan(m->gap) && back->seed == m->seed && back->index_base == m->index_base);
    assert_true(back->intercept == m->intercept && back->standardized == m->standardized && back->classify == m->classify);
    assert_memory_equal(back->side, m->side, sizeof m->side);
    assert_string_equal(back->loss, m->loss);
    assert_string_equal(back->structure, m->structure);
    assert_string_equal(back->outcome, m->outcome);
    assert_true(!back->name == !m->name && !back->class_text == !m->class_text);
    for (int64_t j = 0; m->name && j < m->features; j++) assert_string_equal(back->name[j], m->name[j]);
    for (int64_t k = 0; m->class_text && k < m->classes; k++) assert_string_equal(back->class_text[k], m->class_text[k]);
    char *once = file_text(path, NULL); /* the file is a function of the model */
    assert_int_equal(spdhg_model_write(back, path, &err), SPDHG_OK);
    char *twice = file_text(path, NULL);
    assert_string_equal(once, twice);
    spd_free(once), spd_free(twice);
    spdhg_model_free(back);
    unlink(path);
}

static void disk_keeps_every_bit(void **unused) {
    (void)unused;
    double x[400];
    for (int dense = 0; dense < 2; dense++) {
        for (uint64_t i = 0; i < 400; i++) {
            uint64_t bits[2];
            spd_random(11, SPD_STREAM_TEST, i, bits);
            do { /* any finite pattern of bits, also tiny ones; a fifth of the places in the sparse form */
                memcpy(&x[i], &bits[0], sizeof *x);
                bits[0] = bits[0] * 6364136223846793005u + 1442695040888963407u;
            } while (!isfinite(x[i]));
            if (!dense && i % 5) x[i] = 0;
        }
        x[5] = -0.0, x[10] = 5e-324, x[15] = 1.7976931348623157e308, x[20] = 0.1;
        spdhg_model *m = model_of("softmax", 100, 4, x, 4);
        m->c[0] = 1.0 / 3, m->c[3] = -1e-300, m->seed = UINT64_MAX, m->gap = dense ? NAN : 1e-7, m->lambda = 1e-5 / 3;
        m->objective = 0.1 + 0.2, m->intercept = dense, m->standardized = !dense, m->index_base = dense;
        m->side[0] = 10, m->side[1] = 5, m->side[2] = 2;
        m->name = SPD_NEW(char *, 100);
        for (int j = 0; j < 100; j++) m->name[j] = spd_strdup(j % 2 ? "\"quoted\\ \n" : "h\xC3\xB6he \xE2\x82\xAC");
        m->class_text = SPD_NEW(char *, 4);
        for (int k = 0; k < 4; k++) m->class_text[k] = spd_to_utf8((const char *[]){"a", "b<", "caf\xE9", ""}[k]);
        assert_string_equal(m->class_text[2], "caf\xC3\xA9"); /* Latin-1 became UTF-8 */
        check_round_trip(m);
        spdhg_model_free(m);
    }
    spdhg_model *m = model_of("huber:1.345", 2, 3, x, 0);
    check_round_trip(m);
    spdhg_error err;
    assert_int_equal(spdhg_model_write(m, "/nonexistent/m.json", &err), SPDHG_IO);
    spdhg_model_free(m);
    spdhg_model_free(NULL);
}

/* Standardisation is undone: the model gives the original rows the scores that the solver's solution gives the scaled ones. */
static void a_fit_becomes_a_model(void **unused) {
    (void)unused;
    const double val[] = {1, 10, 2, -10, 3, 30, 4, -10, 5, 0, 7, 20}, b[] = {3, 9, 3, 9, 9, 3};
    spdhg_data *data;
    spdhg_problem *problem;
    spdhg_structure *F;
    spdhg_solver *solver;
    spdhg_model *m;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csr(&data, 6, 2, NULL, NULL, val, b, 1, SPDHG_COPY, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_new(&problem, data, "smooth-hinge:0.5", &err), SPDHG_OK);
    assert_int_equal(spdhg_structure_new(&F, "grid:1x2", 2, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_term(problem, "l1", F, 0.01, NULL, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_ridge(problem, 0.125, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_set(problem, "box:-3,4", &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_standardize(problem, true, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_intercept(problem, true, &err), SPDHG_OK);
    spdhg_options options = SPDHG_OPTIONS;
    options.epochs = 20, options.seed = 77;
    assert_int_equal(spdhg_solver_new(&solver, "spdhg", problem, &options, &err), SPDHG_OK);
    spdhg_outcome outcome;
    assert_int_equal(spdhg_solver_run(solver, &outcome, &err), SPDHG_OK);
    assert_int_equal(spdhg_model_from_solver(&m, solver, &err), SPDHG_OK);
    const spdhg_solution *s = spdhg_solver_solution(solver);
    double scores[6];
    assert_int_equal(spdhg_model_scores(m, data, scores, &err), SPDHG_OK);
    for (int j = 0; j < 2; j++) {
        double mean = 0, square = 0;
        for (int i = 0; i < 6; i++) mean += val[2 * i + j] / 6;
        for (int i = 0; i < 6; i++) square += (val[2 * i + j] - mean) * (val[2 * i + j] - mean) / 6;
        assert_true(s->x[j] != 0 && fabs(m->x[j] * sqrt(square) / s->x[j] - 1) < 1e-12);
    }
    assert_true(m->c[0] == s->c[0] && m->classes == 2 && m->class_value[0] == 3 && m->class_value[1] == 9);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(scores[i] - (m->c[0] + m->x[0] * val[2 * i] + m->x[1] * val[2 * i + 1])) < 1e-12);
    assert_string_equal(m->loss, "smooth-hinge:0.5");
    assert_string_equal(m->set, "box:-3,4");
    assert_string_equal(m->structure, "grid:1x2");
    assert_string_equal(m->penalty, "l1");
    assert_string_equal(m->solver, "spdhg");
    assert_string_equal(m->outcome, spdhg_outcome_text(outcome));
    assert_true(m->side[0] == 1 && m->side[1] == 2 && m->lambda == 0.01 && m->gamma == 0.125 && m->seed == 77);
    assert_true(m->intercept && m->standardized && m->objective == s->objective && m->epochs == s->epochs);
    check_round_trip(m);
    spdhg_model_free(m);
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
}

static spdhg_status score_file(const spdhg_model *m, const char *text, double *scores, spdhg_error *err) {
    char path[64];
    temporary(path);
    write_text(path, text, strlen(text));
    spdhg_data *data;
    assert_int_equal(spdhg_data_read(&data, path, &(spdhg_read_options)SPDHG_READ_OPTIONS, err), SPDHG_OK);
    const spdhg_status status = spdhg_model_scores(m, data, scores, err);
    spdhg_data_free(data);
    unlink(path);
    return status;
}

static void the_file_s_index_means_the_model_s_feature(void **unused) {
    (void)unused;
    spdhg_error err;
    double z[2];
    spdhg_model *m = model_of("squared", 3, 1, (double[]){1, 10, 100}, 0);
    m->c[0] = 0.5;
    assert_int_equal(score_file(m, "1 1:2 3:1\n2 2:1 4:7 9:1\n", z, &err), SPDHG_OK); /* the model does not know 4 and 9 */
    assert_true(z[0] == 102.5 && z[1] == 10.5);
    assert_int_equal(score_file(m, "1 0:2 3:1\n2 2:1\n", z, &err), SPDHG_DATA); /* 0-based file, 1-based model */
    assert_non_null(strstr(err.message, "row 1 has a feature with index 0: the model's indices start at 1"));
    m->index_base = 0;
    assert_int_equal(score_file(m, "1 0:2 2:1\n2 1:1\n", z, &err), SPDHG_OK);
    assert_true(z[0] == 102.5 && z[1] == 10.5);
    assert_int_equal(score_file(m, "1 1:2 2:1\n2 1:1 3:5\n", z, &err), SPDHG_OK); /* without a 0 the reader assumes 1-based */
    assert_true(z[0] == 120.5 && z[1] == 10.5);
    spdhg_data *data;
    const double val[] = {1, 1, 1, 1}, b[] = {0}, offset[] = {1000};
    assert_int_equal(spdhg_data_from_csr(&data, 1, 4, NULL, NULL, val, b, 1, SPDHG_COPY, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_set_offsets(data, offset, 1, &err), SPDHG_OK);
    assert_int_equal(spdhg_model_scores(m, data, z, &err), SPDHG_OK); /* data from memory have no index base: no shift */
    assert_true(z[0] == 1111.5);
    spdhg_data_free(data);
    spdhg_model_free(m);
    m = model_of("squared", 8, 1, (double[]){1, 2, 3, 4, 5, 6, 7, 8}, 0); /* 64 bytes: a sanitizer sees a read of the ninth */
    assert_int_equal(score_file(m, "1 8:1 9:1\n", z, &err), SPDHG_OK);
    assert_true(z[0] == 8);
    spdhg_model_free(m);
    m = model_of("squared", 1, 2, (double[]){1, 2}, 0);
    assert_int_equal(spdhg_data_from_csr(&data, 1, 1, NULL, NULL, val, b, 1, SPDHG_COPY, &err), SPDHG_OK);
    assert_int_equal(spdhg_data_set_offsets(data, offset, 1, &err), SPDHG_OK);
    assert_int_equal(spdhg_model_scores(m, data, z, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "expected 2"));
    spdhg_data_free(data);
    spdhg_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_keeps_every_bit),
        cmocka_unit_test(a_fit_becomes_a_model),
        cmocka_unit_test(the_file_s_index_means_the_model_s_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

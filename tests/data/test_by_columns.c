/* test_by_columns.c - data given by columns: the rows are those of the transpose, whole or in a pass; a path and a solve give the
 * same bits as from rows, and leave no rows behind; what is broken is refused. Rows are many, so
 * that a pass has several stretches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "data/data.h"
#include "spdhg.h"

enum { N = 200000, D = 40 };

typedef struct matrix {
    int64_t rows_ptr[N + 1], columns_ptr[D + 1];
    int32_t *column, *row;
    double *by_rows, *by_columns, b[N];
    int64_t entries;
} matrix;

/* Entry (i, j) is there if a hash of it says so; the columns come from going through the cells in the other order. */
static bool there(int64_t i, int64_t j) { return ((i * 2654435761U + j * 40503U) >> 7) % 3 == 0; }
static double value(int64_t i, int64_t j) { return (double)((i * 31 + j * 17) % 101) / 50 - 1; }

static matrix *make(void) {
    matrix *m = SPD_NEW(matrix, 1);
    for (int pass = 0; pass < 2; pass++) {
        int64_t at = 0;
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 0; j < D; j++)
                if (there(i, j)) {
                    if (pass) m->column[at] = (int32_t)j, m->by_rows[at] = value(i, j);
                    at++;
                }
            m->rows_ptr[i + 1] = at;
            m->b[i] = value(i, 3) - value(i, 5) + value(i * 7, 1);
        }
        m->entries = at;
        if (!pass) {
            m->column = SPD_NEW(int32_t, at), m->row = SPD_NEW(int32_t, at);
            m->by_rows = SPD_NEW(double, at), m->by_columns = SPD_NEW(double, at);
        }
    }
    int64_t at = 0;
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++)
            if (there(i, j)) m->row[at] = (int32_t)i, m->by_columns[at++] = value(i, j);
        m->columns_ptr[j + 1] = at;
    }
    assert_true(at == m->entries && at > 2 << 20); /* several stretches */
    return m;
}

static void drop(matrix *m) { SPD_FREE_ALL(m->column, m->row, m->by_rows, m->by_columns, m); }

static spdhg_data *given(const matrix *m, spdhg_ownership ownership) {
    spdhg_data *data;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csc(&data, N, D, m->columns_ptr, m->row, m->by_columns, m->b, 1, ownership, &err), SPDHG_OK);
    return data;
}

static void same_row(const matrix *m, const spdhg_data *data, int64_t i) {
    const int64_t from = m->rows_ptr[i], count = m->rows_ptr[i + 1] - from;
    assert_int_equal(data->ptr[i], from);
    assert_memory_equal(data->idx + from, m->column + from, (size_t)count * sizeof(int32_t));
    assert_memory_equal(data->val + from, m->by_rows + from, (size_t)count * sizeof(double));
}

static void test_rows(void **state) {
    (void)state;
    matrix *m = make();
    for (int kind = 0; kind < 2; kind++) {
        spdhg_data *data = given(m, kind ? SPDHG_COPY : SPDHG_BORROW);
        for (int times = 0; times < 2; times++) { /* a pass leaves nothing behind that the next one could stumble over */
            assert_true(spd_data_pass_begin(data));
            for (int64_t i = 0; i < N; i += 1 + i % 7) {
                spd_data_pass_to(data, i);
                same_row(m, data, i);
            }
            spd_data_pass_to(data, 5); /* back */
            same_row(m, data, 5);
            spd_data_pass_end(data);
        }
        assert_true(spd_data_pass_begin(data));
        assert_false(spd_data_pass_begin(data)); /* a pass within a pass makes all rows */
        same_row(m, data, N - 1);
        spd_data_pass_end(data);
        assert_false(spd_data_pass_begin(data));
        for (int64_t i = 0; i < N; i++) same_row(m, data, i);
        spdhg_data_free(data);
    }
    drop(m);
}

static spdhg_path *walk(const spdhg_data *data, const char *loss, spdhg_problem **p, spdhg_structure **F) {
    spdhg_error err;
    spdhg_path *path = NULL;
    spdhg_path_options options = SPDHG_PATH_OPTIONS;
    options.lambdas = 8;
    options.folds = 0;
    options.choose = "none";
    assert_int_equal(spdhg_structure_new(F, "identity", D, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_new(p, data, loss, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_term(*p, "l1", *F, 1, NULL, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_intercept(*p, true, &err), SPDHG_OK);
    assert_int_equal(spdhg_path_new(&path, *p, &options, NULL, &err), SPDHG_OK);
    return path;
}

static void test_same_bits(void **state) {
    (void)state;
    matrix *m = make();
    static const char *const loss[] = {"squared", "huber:1"};
    for (int k = 0; k < 2; k++) {
        spdhg_data *data[2] = {NULL, given(m, SPDHG_BORROW)};
        spdhg_error err;
        assert_int_equal(spdhg_data_from_csr(&data[0], N, D, m->rows_ptr, m->column, m->by_rows, m->b, 1, SPDHG_BORROW, &err),
                         SPDHG_OK);
        spdhg_path *path[2];
        spdhg_problem *p[2];
        spdhg_structure *F[2];
        int64_t points[2];
        for (int i = 0; i < 2; i++) {
            path[i] = walk(data[i], loss[k], &p[i], &F[i]);
            spdhg_path_points(path[i], &points[i]);
        }
        assert_int_equal(points[0], points[1]);
        for (int64_t i = 0; i < points[0]; i++)
            assert_memory_equal(spdhg_path_coefficients(path[0], i, NULL), spdhg_path_coefficients(path[1], i, NULL),
                                D * sizeof(double));
        for (int i = 0; i < 2; i++) {
            spdhg_path_free(path[i]);
            spdhg_problem_free(p[i]);
            spdhg_structure_free(F[i]);
            spdhg_data_free(data[i]);
        }
    }
    drop(m);
}

typedef struct solved {
    spdhg_structure *F;
    spdhg_problem *p;
    spdhg_solver *solver;
    spdhg_model *model;
} solved;

static solved solve(const spdhg_data *data, const char *structure, const char *loss, const char *solver, double lambda) {
    spdhg_error err;
    spdhg_outcome outcome;
    solved s = {0};
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = 1e-8;
    assert_int_equal(spdhg_structure_new(&s.F, structure, spdhg_data_features(data), &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_new(&s.p, data, loss, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_term(s.p, "l1", s.F, lambda, NULL, &err), SPDHG_OK);
    assert_int_equal(spdhg_problem_intercept(s.p, true, &err), SPDHG_OK);
    assert_int_equal(spdhg_solver_new(&s.solver, solver, s.p, &options, &err), SPDHG_OK);
    assert_int_equal(spdhg_solver_run(s.solver, &outcome, &err), SPDHG_OK);
    assert_int_equal(outcome, SPDHG_OUTCOME_CONVERGED);
    assert_int_equal(spdhg_model_from_solver(&s.model, s.solver, &err), SPDHG_OK);
    return s;
}

static void no_rows(const spdhg_data *data) {
    assert_true(spd_data_pass_begin(data));
    spd_data_pass_end(data);
}

static void forget(solved *s, spdhg_data *data) {
    spdhg_model_free(s->model);
    spdhg_solver_free(s->solver);
    spdhg_problem_free(s->p);
    spdhg_structure_free(s->F);
    spdhg_data_free(data);
}

static void test_one_lambda(void **state) {
    (void)state;
    matrix *m = make();
    static const char *const how[][3] = {{"identity", "squared", "lasso"},
                                         {"identity", "huber:1", "lasso"},
                                         {"identity", "huber:1", "prox-newton"},
                                         {"identity", "huber:1", "cd-newton"}};
    for (int k = 0; k < 4; k++) {
        spdhg_data *data[2] = {NULL, given(m, SPDHG_BORROW)};
        spdhg_error err;
        assert_int_equal(spdhg_data_from_csr(&data[0], N, D, m->rows_ptr, m->column, m->by_rows, m->b, 1, SPDHG_BORROW, &err),
                         SPDHG_OK);
        solved s[2];
        spdhg_model_view view[2];
        for (int i = 0; i < 2; i++) {
            s[i] = solve(data[i], how[k][0], how[k][1], how[k][2], 0.01);
            spdhg_model_get_view(s[i].model, &view[i]);
        }
        const spdhg_solution *one = spdhg_solver_solution(s[0].solver), *other = spdhg_solver_solution(s[1].solver);
        assert_memory_equal(view[0].x, view[1].x, D * sizeof(double));
        assert_memory_equal(&one->gap, &other->gap, sizeof(double));
        no_rows(data[1]);
        for (int i = 0; i < 2; i++) forget(&s[i], data[i]);
    }
    drop(m);
}

/* What auto takes for more columns than a dense factor holds and more entries than a cache does; few coefficients are zero. */
static void test_auto(void **state) {
    (void)state;
    enum { ROWS = 800, FEATURES = 2000, EACH = ROWS - 1 };
    const int64_t entries = (int64_t)FEATURES * EACH;
    int64_t *ptr = SPD_NEW(int64_t, FEATURES + 1), *rows_ptr = SPD_NEW(int64_t, ROWS + 1), at = 0;
    int32_t *row = SPD_NEW(int32_t, entries), *column = SPD_NEW(int32_t, entries);
    double *val = SPD_NEW(double, entries), *by_rows = SPD_NEW(double, entries), b[ROWS];
    for (int64_t j = 0; j < FEATURES; j++) ptr[j + 1] = (j + 1) * EACH;
    for (int64_t k = 0; k < entries; k++) {
        const int64_t j = k / EACH, i = k % EACH;
        row[k] = (int32_t)(i + (i >= j % ROWS)); /* all but one */
        val[k] = value(row[k], j * j);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < FEATURES; j++)
            if (i != j % ROWS) column[at] = (int32_t)j, by_rows[at++] = value(i, j * j);
        rows_ptr[i + 1] = at;
        b[i] = value(i, 9) + value(i * 7, 1) > 0 ? 1 : -1;
    }
    static const char *const how[][2] = {{"squared", "lasso"}, {"logistic", "cd-newton"}};
    for (int k = 0; k < 2; k++) {
        spdhg_error err;
        spdhg_data *data[2];
        assert_int_equal(spdhg_data_from_csc(&data[0], ROWS, FEATURES, ptr, row, val, b, 1, SPDHG_BORROW, &err), SPDHG_OK);
        assert_int_equal(spdhg_data_from_csr(&data[1], ROWS, FEATURES, rows_ptr, column, by_rows, b, 1, SPDHG_BORROW, &err),
                         SPDHG_OK);
        solved s[2];
        spdhg_model_view view[2];
        for (int i = 0; i < 2; i++) {
            s[i] = solve(data[i], "identity", how[k][0], "auto", 0.01);
            assert_string_equal(spdhg_solver_solution(s[i].solver)->solver, how[k][1]);
            spdhg_model_get_view(s[i].model, &view[i]);
        }
        assert_memory_equal(view[0].x, view[1].x, FEATURES * sizeof(double));
        for (int i = 0; i < 2; i++) forget(&s[i], data[i]);
    }
    SPD_FREE_ALL(ptr, rows_ptr, row, column, val, by_rows);
}

static void test_refused(void **state) {
    (void)state;
    const int64_t ptr[] = {0, 2, 3};
    const int32_t good[] = {0, 1, 2}, twice[] = {1, 1, 2}, out[] = {0, 3, 2};
    const double val[] = {1, 2, 3}, bad[] = {1, INFINITY, 3};
    spdhg_data *data;
    spdhg_error err;
    assert_int_equal(spdhg_data_from_csc(&data, 3, 2, ptr, good, val, NULL, 0, SPDHG_BORROW, &err), SPDHG_OK);
    spdhg_data_free(data);
    assert_int_equal(spdhg_data_from_csc(&data, 3, 2, ptr, twice, val, NULL, 0, SPDHG_BORROW, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "does not ascend"));
    assert_int_equal(spdhg_data_from_csc(&data, 3, 2, ptr, out, val, NULL, 0, SPDHG_BORROW, &err), SPDHG_DATA);
    assert_int_equal(spdhg_data_from_csc(&data, 3, 2, ptr, good, bad, NULL, 0, SPDHG_BORROW, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "row 2, column 1 is not finite"));
    const int64_t by_rows[] = {0, 1, 2, 3};
    const int32_t column[] = {0, 0, 1};
    assert_int_equal(spdhg_data_from_csr(&data, 3, 2, by_rows, column, bad, NULL, 0, SPDHG_BORROW, &err), SPDHG_DATA);
    assert_non_null(strstr(err.message, "row 2, column 1 is not finite"));
    assert_int_equal(spdhg_data_from_csc(&data, 3, 2, NULL, good, val, NULL, 0, SPDHG_BORROW, &err), SPDHG_USAGE);
    assert_null(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_one_lambda), cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

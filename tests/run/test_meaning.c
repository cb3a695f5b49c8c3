/* test_meaning.c - the spread of every column that a model keeps: the weighted standard deviation, by its definition, of
 * columns of ones (which are counted) and of columns of other values. */
#include "small.h"

#include "model/model.h"
#include "run/run.h"

enum { ROWS = 7, COLUMNS = 3 };

static void spread_of(bool ones) {
    static const int64_t ptr[] = {0, 2, 3, 5, 5, 8, 9, 10};
    static const int32_t idx[] = {0, 2, 1, 0, 1, 0, 1, 2, 2, 0};
    static const double b[ROWS] = {1, -2, 3, 0.5, 2, -1, 4}, weight[ROWS] = {1, 2, 0.5, 3, 0, 1, 2};
    double val[10], dense[ROWS][COLUMNS] = {{0}}, W = 0;
    for (int q = 0; q < 10; q++) val[q] = ones ? 1 : 1 + 0.3 * q;
    for (int i = 0; i < ROWS; i++) {
        W += weight[i];
        for (int64_t q = ptr[i]; q < ptr[i + 1]; q++) dense[i][idx[q]] = val[q];
    }
    spdhg_data *data;
    spdhg_problem *p;
    spdhg_solver *solver;
    spdhg_model *m;
    GOOD(spdhg_data_from_csr(&data, ROWS, COLUMNS, ptr, idx, val, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_data_set_weights(data, weight, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_ridge(p, 0.1, &good_err));
    spdhg_options options = SPDHG_OPTIONS;
    GOOD(spdhg_solver_new(&solver, "auto", p, &options, &good_err));
    GOOD(spdhg_solver_run(solver, NULL, &good_err));
    GOOD(spdhg_model_from_solver(&m, solver, &good_err));
    for (int j = 0; j < COLUMNS; j++) {
        double mean = 0, square = 0;
        for (int i = 0; i < ROWS; i++) mean += weight[i] / W * dense[i][j];
        for (int i = 0; i < ROWS; i++) square += weight[i] / W * (dense[i][j] - mean) * (dense[i][j] - mean);
        assert_true(fabs(m->spread[j] - sqrt(square)) < 1e-14);
    }
    spdhg_model_free(m);
    spdhg_solver_free(solver);
    spdhg_problem_free(p);
    spdhg_data_free(data);
}

static void spreads(void **unused) {
    (void)unused;
    spread_of(true);
    spread_of(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(spreads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

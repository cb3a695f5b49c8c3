/* test_trace.c - a trace keeps its points, and its CSV is the table described in the man page: raw values, empty where nothing is
 * known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/trace.h"

static void points_are_kept(void **unused) {
    (void)unused;
    spd_trace trace = {0};
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(spd_trace_add(&trace, &(spdhg_point){.iteration = i, .objective = 1.0 / (double)(i + 1)}, NULL),
                         SPDHG_OK);
    assert_int_equal(trace.points, 1000);
    for (int64_t i = 0; i < 1000; i++)
        assert_true(trace.point[i].iteration == i && trace.point[i].objective == 1.0 / (double)(i + 1));
    spd_trace_clear(&trace);
    assert_true(trace.point == NULL && trace.points == 0 && trace.capacity == 0);
}

static void table_is_exact(void **unused) {
    (void)unused;
    char path[] = "/tmp/spdhg_trace_XXXXXX";
    close(mkstemp(path));
    const spdhg_point point[] = {
        {0, 0, 0, 0.6931471805599453, 0.5, 0.1, NAN, NAN, NAN, 0},
        {0.5, 500, 0.25, 0.1, 0.2, 0.3, 0.4, 0.875, INFINITY, 2.5},
    };
    spdhg_error err;
    assert_int_equal(spd_trace_write_csv(path, "say \"a,b\"", 3, point, 2, &err), SPDHG_OK);
    char text[1000] = {0};
    FILE *file = fopen(path, "r");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    assert_string_equal(text, "solver,repeat,epoch,iteration,seconds,objective,train_loss,test_loss,test_score,gap,dual_norm\n"
                              "\"say \"\"a,b\"\"\",3,0,0,0,0.6931471805599453,0.5,,,,0\n"
                              "\"say \"\"a,b\"\"\",3,0.5,500,0.25,0.1,0.2,0.4,0.875,,2.5\n");
    assert_int_equal(spd_trace_write_csv("/nonexistent/x.csv", "s", 0, point, 2, &err), SPDHG_IO);
}

/* What was written is read back; columns may be in any order, some may be missing, and there may be others. */
static void table_is_read_back(void **unused) {
    (void)unused;
    char path[] = "/tmp/spdhg_trace_XXXXXX";
    close(mkstemp(path));
    const spdhg_point point[] = {
        {0, 0, 0, 0.6931471805599453, 0.5, 0.1, NAN, NAN, NAN, 0},
        {0.5, 500, 0.25, 0.1, 0.2, 0.3, 0.4, 0.875, INFINITY, 2.5},
    };
    spd_traces runs;
    assert_int_equal(spd_trace_write_csv(path, "say \"a,b\"", 3, point, 2, NULL), SPDHG_OK);
    assert_int_equal(spd_trace_read_csv(&runs, path, NULL), SPDHG_OK);
    assert_int_equal(runs.count, 1);
    assert_string_equal(runs.run[0].solver, "say \"a,b\"");
    assert_true(runs.run[0].repeat == 3 && runs.run[0].trace.points == 2);
    const spdhg_point *p = runs.run[0].trace.point;
    assert_true(p[0].objective == 0.6931471805599453 && p[0].train_loss == 0.5 && isnan(p[0].test_loss) &&
                isnan(p[0].test_score));
    assert_true(p[1].epoch == 0.5 && p[1].iteration == 500 && p[1].seconds == 0.25 && p[1].test_loss == 0.4);
    assert_true(p[1].test_score == 0.875 && isnan(p[1].gap) && p[1].dual_norm == 2.5);
    spd_traces_clear(&runs);
    FILE *file = fopen(path, "w");
    fputs("epoch;other;Objective;solver\n0;x;1;b\n\n1;;0.5;a\n1;y;;b", file);
    fclose(file);
    assert_int_equal(spd_trace_read_csv(&runs, path, NULL), SPDHG_OK);
    assert_int_equal(runs.count, 2);
    assert_true(strcmp(runs.run[0].solver, "b") == 0 && runs.run[0].trace.points == 2 && runs.run[1].trace.points == 1);
    assert_true(isnan(runs.run[0].trace.point[1].objective) && runs.run[1].trace.point[0].objective == 0.5);
    spd_traces_clear(&runs);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_kept), cmocka_unit_test(table_is_exact),
                                       cmocka_unit_test(table_is_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

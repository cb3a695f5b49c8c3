/* test_time_left.c - the line of a command that works: how much is done, for how long, for how
 * long yet. The clock is the test's. */
#include "../../cli/progress.c" /* the command's own lines are no part of the library */
#include "small.h"
#include "tune/tune.h"

int cli_signals_status(void) { return 0; }

static const char *line(cli_progress *p, const char *stage, double part, double now) {
    static char text[200];
    cli_progress_text(p, &(spdhg_event){.kind = SPDHG_EVENT_POLL, .stage = stage, .part = part}, now, text, sizeof text);
    return text;
}

static void test_every_stage(void **state) {
    (void)state;
    static const char *const stage[] = {"reading", "path", "cross-validation", "graph", "certificate"};
    char expected[100];
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        cli_progress p = {.name = "test", .started = 100, .since = 100};
        snprintf(expected, sizeof expected, "%s, 20 %%, 0.4 s", stage[i]); /* too early to tell */
        assert_string_equal(line(&p, stage[i], 0.2, 100.4), expected);
        snprintf(expected, sizeof expected, "%s, 25 %%, 10.0 s, 30 s left", stage[i]);
        assert_string_equal(line(&p, stage[i], 0.25, 110), expected);
        snprintf(expected, sizeof expected, "%s, 50 %%, 600.0 s, 10 min left", stage[i]);
        assert_string_equal(line(&p, stage[i], 0.5, 700), expected);
        snprintf(expected, sizeof expected, "%s, 60 %%, 36000.0 s, 6.7 h left", stage[i]);
        assert_string_equal(line(&p, stage[i], 0.6, 36100), expected);
    }
}

static void test_another_task_begins(void **state) {
    (void)state;
    cli_progress p = {.name = "test", .started = 100, .since = 100};
    assert_string_equal(line(&p, "reading", 0.9, 109), "reading, 90 %, 9.0 s, 1 s left");
    assert_string_equal(line(&p, "path", 0.1, 110), "path, 10 %, 10.0 s"); /* counted from here on */
    assert_string_equal(line(&p, "path", 0.2, 112), "path, 20 %, 12.0 s, 8 s left");
    assert_string_equal(line(&p, "graph", 0, 113), "graph, 13.0 s"); /* not known how far */
}

static void test_epochs(void **state) {
    (void)state;
    cli_progress p = {.name = "test", .started = 0, .since = 0};
    char text[200];
    const spdhg_point at = {.epoch = 5};
    cli_progress_text(&p, &(spdhg_event){.point = &at, .epochs_asked = 20}, 4, text, sizeof text);
    assert_string_equal(text, "epoch 5.00 of 20, 25 %, 4.0 s, 12 s left");
    const spdhg_point beyond = {.epoch = 21.5}; /* a step in one piece */
    cli_progress_text(&p, &(spdhg_event){.point = &beyond, .epochs_asked = 20}, 17, text, sizeof text);
    assert_string_equal(text, "epoch 21.50, 17.0 s");
    cli_progress_text(&p, &(spdhg_event){.point = &at}, 4, text, sizeof text); /* none asked for */
    assert_string_equal(text, "epoch 5.00, 4.0 s");
}

/* Times of the k-th lambda that grow like k^q, so that the first k take about k^(q + 1). */
static void test_later_lambdas_take_longer(void **state) {
    (void)state;
    enum { N = 400 };
    static spdhg_path_point point[N];
    for (int q = 0; q <= 2; q++) {
        double all = 0, sum = 0;
        for (int k = 0; k < N; k++) all += point[k].seconds = pow(k + 0.5, q);
        for (int k = 0; k < N; k++) {
            if (k >= 10) assert_true(fabs(spd_path_part(point, k, N) - sum / all) < 0.02);
            sum += point[k].seconds;
        }
        assert_true(spd_path_part(point, N, N) == 1);
    }
    for (int k = 0; k < N; k++)
        point[k].seconds = k < 100 ? 1 : 1e-6; /* lambdas that cost less and less: as if all were the same */
    assert_true(spd_path_part(point, 200, N) == 0.5);
    for (int k = 0; k < N; k++) point[k].seconds = 0; /* times that nobody measured */
    assert_true(spd_path_part(point, 100, N) == 0.25 && spd_path_part(point, 0, N) == 0);
}

static int note(void *user, const spdhg_event *event) {
    *(spdhg_event *)user = *event;
    return 0;
}

/* One figure for the path, its folds and the last solve at the chosen lambda: it never goes back. */
static void test_path_and_folds(void **state) {
    (void)state;
    static spdhg_path_point point[40];
    spdhg_event told;
    spdhg_path path = {.point = point,
                       .options = {.lambdas = 40, .folds = 4, .repeats = 1},
                       .solve = {.threads = 1, .callback = note, .user = &told}};
    spd_path_listen(&path);
    const spdhg_event poll = {.kind = SPDHG_EVENT_POLL}, half = {.kind = SPDHG_EVENT_POLL, .stage = SPD_STAGE_FOLDS, .part = 0.5};
    path.points = 10; /* of 40, and of five such paths */
    path.solve.callback(path.solve.user, &poll);
    assert_string_equal(told.stage, "path");
    assert_true(fabs(told.part - 0.05) < 1e-12);
    path.solve.callback(path.solve.user, &half);
    assert_string_equal(told.stage, SPD_STAGE_FOLDS);
    assert_true(fabs(told.part - 0.6) < 1e-12);
    path.solve.callback(path.solve.user, &poll); /* a path that ended early is solved at one more lambda */
    assert_string_equal(told.stage, "model");
    assert_true(fabs(told.part - 0.6) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_stage), cmocka_unit_test(test_another_task_begins),
                                       cmocka_unit_test(test_epochs), cmocka_unit_test(test_later_lambdas_take_longer),
                                       cmocka_unit_test(test_path_and_folds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

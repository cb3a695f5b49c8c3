/* test_solver.c - the laws every solver obeys (CONTRIBUTING.md), one generic test over the solver table and a set of small
 * problems. */
#include <malloc.h>
#include <unistd.h>

#include "model/checkpoint.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(60, 12, 1, "logistic", "l1", "chain", 0.02, .gamma = 0.1, .classes = 2),
    SMALL(60, 12, 0.4, "squared", "l1", "identity", 0.05, .gamma = 0.1, .intercept = true),
    SMALL(80, 40, 0.2, "logistic", "l1", NULL, 0.02, .edges = 6, .gamma = 0.1, .classes = 2, .intercept = true, .weights = true,
          .offset = true),
    SMALL(80, 40, 0.2, "squared-hinge", "l1", NULL, 0.02, .edges = 6, .gamma = 0.3, .classes = 2, .set = "ball:0.2"),
    SMALL(80, 40, 0.2, "squared", "l1", NULL, 0.02, .edges = 6, .gamma = 0.3, .set = "box:-0.05,0.1"),
    SMALL(80, 40, 0.2, "huber:1", "l1", NULL, 0.02, .edges = 6, .gamma = 0.3, .set = "nonneg"),
    SMALL(80, 40, 0.2, "smooth-hinge:0.5", "l1", NULL, 0.02, .edges = 6, .gamma = 0.3, .classes = 2, .set = "simplex:1"),
    SMALL(80, 40, 0.2, "softmax", "group", NULL, 0.02, .edges = 6, .gamma = 0.1, .classes = 3, .intercept = true),
    SMALL(60, 12, 1, "squared", "nuclear", "identity", 0.05, .gamma = 0.1, .targets = 3, .set = "ball:1"),
    SMALL(60, 12, 1, "logistic", "group", "grid:3x4", 0.02, .groups = "grid", .gamma = 0.1, .classes = 2, .also_sparse = true),
    SMALL(60, 12, 1, "squared", "linf", "trend:1", 0.05, .gamma = 0.1, .set = "l1ball:1"),
    SMALL(80, 40, 0.2, "logistic", "l1", NULL, 0.02, .edges = 6, .gamma = 5, .classes = 2),
};
enum { SPECS = sizeof spec / sizeof *spec };

/* Calls check for every solver and every problem it accepts. */
static void over_all(void (*check)(const spdhg_problem *p, const char *solver)) {
    int entries, accepted = 0;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    for (int o = 0; o < SPECS; o++) {
        small s = small_make(&spec[o], (uint64_t)o);
        for (int i = 0; i < entries; i++)
            if (small_asked(table[i]->name) && !spd_solver_refuses(table[i], s.problem)) {
                check(s.problem, table[i]->name);
                accepted++;
            }
        small_free(&s);
    }
    assert_true(accepted >= 4 * SPECS - 2 || getenv("SPDHG_TEST_ONLY"));
}

/* Fused and lazy forms give the plain form's iterates, average and dual to 1e-12. */
static void fast_is_plain(const spdhg_problem *p, const char *solver) {
    const spd_solver_kind *kind = spd_solver_find(solver);
    bool has_plain = false;
    for (int i = 0; i < kind->params; i++) has_plain = has_plain || strcmp(kind->param[i].name, "plain") == 0;
    if (!has_plain) return;
    for (int64_t batch = 1; batch <= 5; batch += 4) {
        drive plain = drive_new(p, solver, batch, 3, "plain", 1), fast = drive_new(p, solver, batch, 3, "plain", 0);
        double size = 0;
        for (int64_t q = 0; q < p->dK; q++) plain.x[q] = small_normal(4, q);
        if (batch > 1) { /* start away from 0 */
            kind->start(&plain.run, plain.x, NULL, NULL);
            kind->start(&fast.run, plain.x, NULL, NULL);
        }
        for (int64_t k = 0; k < 400; k++) {
            drive_step(&plain, k);
            drive_step(&fast, k);
            if (k % 37 != 0 && k != 399) continue;
            drive_output(&plain);
            drive_output(&fast);
            size = fmax(spd_max_abs(p->dK, plain.x), 1e-3);
            assert_true(largest_difference(p->dK, plain.x, fast.x) <= 1e-12 * size);
            assert_true(largest_difference(p->K, plain.c, fast.c) <= 1e-12 * size);
            assert_true(largest_difference(p->m * p->K, plain.y, fast.y) <=
                        1e-12 * fmax(spd_max_abs(p->m * p->K, plain.y), 1e-3));
        }
        assert_true(size > 1e-3); /* something happened */
        drive_free(&plain);
        drive_free(&fast);
    }
}

/* Poisoned scratch changes nothing: the next iterates are a function of (state, k). Steps allocate nothing. */
static void work_carries_nothing(const spdhg_problem *p, const char *solver) {
    drive clean = drive_new(p, solver, 2, 5, NULL, 0), poisoned = drive_new(p, solver, 2, 5, NULL, 0);
    const size_t before = mallinfo2().uordblks;
    for (int64_t k = 0; k < 60; k++) {
        drive_step(&clean, k);
        for (int64_t i = 0; i < poisoned.run.work.size; i++) poisoned.run.work.base[i] = k % 2 ? NAN : -1e300;
        drive_step(&poisoned, k);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    drive_output(&clean);
    drive_output(&poisoned);
    assert_memory_equal(clean.x, poisoned.x, (size_t)p->dK * sizeof(double));
    assert_memory_equal(clean.y, poisoned.y, (size_t)(p->m * p->K) * sizeof(double));
    assert_memory_equal(clean.run.state.base, poisoned.run.state.base, (size_t)clean.run.state.size * sizeof(double));
    drive_free(&clean);
    drive_free(&poisoned);
}

/* The state alone suffices to continue: copied into a new instance, it gives the same bits; output changes nothing. */
static void state_is_everything(const spdhg_problem *p, const char *solver) {
    drive whole = drive_new(p, solver, 1, 9, NULL, 0), again = drive_new(p, solver, 1, 9, NULL, 0);
    for (int64_t k = 0; k < 80; k++) {
        if (k == 33) {
            memcpy(again.run.state.base, whole.run.state.base, (size_t)whole.run.state.size * sizeof(double));
            again.run.rows_visited = whole.run.rows_visited;
        }
        drive_step(&whole, k);
        if (k >= 33) drive_step(&again, k);
        if (k % 10 == 0) drive_output(&whole);
    }
    drive_output(&whole);
    drive_output(&again);
    assert_memory_equal(whole.x, again.x, (size_t)p->dK * sizeof(double));
    assert_memory_equal(whole.y, again.y, (size_t)(p->m * p->K) * sizeof(double));
    drive_free(&whole);
    drive_free(&again);
}

static void every_fast_form_is_the_plain_one(void **unused) {
    (void)unused;
    over_all(fast_is_plain);
}
static void work_is_scratch(void **unused) {
    (void)unused;
    over_all(work_carries_nothing);
}
static void state_suffices(void **unused) {
    (void)unused;
    over_all(state_is_everything);
}

/* ---- the loop */

typedef struct seen {
    int points, logs, stop_at;
    double last_epoch;
} seen;

static int watch(void *user, const spdhg_event *event) {
    seen *s = user;
    s->points += event->kind == SPDHG_EVENT_POINT;
    s->logs += event->kind == SPDHG_EVENT_LOG;
    if (event->kind == SPDHG_EVENT_POINT) s->last_epoch = event->point->epoch;
    return s->stop_at > 0 && s->points >= s->stop_at;
}

static spdhg_outcome solve(const small *s, const char *name, spdhg_options o, double **x) {
    spdhg_solver *solver;
    spdhg_outcome outcome = SPDHG_OUTCOME_DIVERGED;
    GOOD(spdhg_solver_new(&solver, name, s->problem, &o, &good_err));
    GOOD(spdhg_solver_run(solver, &outcome, &good_err));
    const spdhg_solution *solution = spdhg_solver_solution(solver);
    int64_t points;
    const spdhg_point *trace = spdhg_solver_trace(solver, &points);
    assert_true(points >= 2 && trace[0].epoch == 0 && trace[points - 1].objective == solution->objective);
    *x = spd_copy(solution->x, s->problem->dK, sizeof(double));
    spdhg_solver_free(solver);
    return outcome;
}

static void same_seed_same_bits(void **unused) {
    (void)unused;
    small s = small_make(&spec[7], 1);
    spdhg_options o = SPDHG_OPTIONS;
    double *one, *two, *other;
    o.epochs = 3;
    o.seed = 4;
    o.threads = 1;
    assert_int_equal(solve(&s, "spdhg", o, &one), SPDHG_OUTCOME_DONE);
    o.threads = 3;
    o.every = 0.5; /* the frequency of evaluation must not matter */
    solve(&s, "spdhg", o, &two);
    o.seed = 5;
    solve(&s, "spdhg", o, &other);
    assert_memory_equal(one, two, (size_t)s.problem->dK * sizeof(double));
    assert_true(memcmp(one, other, (size_t)s.problem->dK * sizeof(double)) != 0);
    spd_free(one);
    spd_free(two);
    spd_free(other);
    small_free(&s);
}

static void loop_stops_as_told(void **unused) {
    (void)unused;
    small s = small_make(&spec[0], 1);
    double *x;
    seen eye = {.stop_at = 3};
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = 100;
    o.every = 1;
    o.callback = watch;
    o.user = &eye;
    assert_int_equal(solve(&s, "spdhg", o, &x), SPDHG_OUTCOME_INTERRUPTED);
    assert_true(eye.points >= 3 && eye.points <= 4 && eye.logs > 0);
    spd_free(x);
    eye = (seen){0};
    o.epochs = 2.5;
    assert_int_equal(solve(&s, "spdhg", o, &x), SPDHG_OUTCOME_DONE);
    assert_true(eye.last_epoch == 2.5 && eye.points == 4);
    spd_free(x);
    o.tol = 1e-300;
    assert_int_equal(solve(&s, "spdhg", o, &x), SPDHG_OUTCOME_LIMIT);
    spd_free(x);
    small_free(&s);
}

static void divergence_keeps_the_last_finite_iterate(void **unused) {
    (void)unused;
    const small_spec steep = SMALL(60, 12, 1, "squared", "l1", "identity", 0.05, .scale = 1e4);
    small s = small_make(&steep, 1);
    spdhg_options o = SPDHG_OPTIONS;
    spdhg_solver *solver;
    spdhg_outcome outcome;
    o.epochs = 200;
    GOOD(spdhg_solver_new(&solver, "spdhg", s.problem, &o, &good_err));
    GOOD(spdhg_solver_set(solver, "L", 0, &good_err)); /* steps far too long for such rows */
    spdhg_error err;
    assert_int_equal(spdhg_solver_set(solver, "L", -1, &err), SPDHG_USAGE);
    assert_int_equal(spdhg_solver_set(solver, "nonsense", 1, &err), SPDHG_USAGE);
    assert_non_null(strstr(err.message, "s, L, scale, plain"));
    GOOD(spdhg_solver_run(solver, &outcome, &good_err));
    assert_int_equal(outcome, SPDHG_OUTCOME_DIVERGED);
    const spdhg_solution *solution = spdhg_solver_solution(solver);
    assert_true(isfinite(solution->objective) && spd_all_finite(s.problem->dK, solution->x));
    spdhg_solver_free(solver);
    assert_int_equal(spdhg_solver_new(&solver, "spdgh", s.problem, &o, &err), SPDHG_USAGE);
    assert_null(solver);
    assert_non_null(strstr(err.message, "spdhg-sc1"));
    small_free(&s);
}

/* Stopped at some point and resumed from its checkpoint, a run ends with the bits of the uninterrupted run. A change of anything
 * that determines the iterates is refused. */
static void resume_goes_on(const spdhg_problem *problem, const char *name) {
    spdhg_problem *p = (spdhg_problem *)(uintptr_t)problem;
    char path[] = "/tmp/spdhg_checkpoint_XXXXXX";
    close(mkstemp(path));
    unlink(path);
    spdhg_options whole = SPDHG_OPTIONS;
    const bool full = spd_solver_find(name)->full_information;          /* its steps are whole passes, or several */
    whole.epochs = spd_solver_find(name)->exact ? 1000 : full ? 12 : 4; /* a step of an exact one may count many */
    whole.tol = 0;
    whole.every = 0.7;
    whole.seed = 11;
    whole.batch = 2;
    seen eye = {.stop_at = full ? 2 : 3};
    spdhg_options part = whole, rest = whole;
    part.checkpoint = path;
    part.callback = watch;
    part.user = &eye;
    rest.resume = path;
    rest.threads = 2;
    spdhg_outcome outcome;
    spdhg_solver *a, *b, *c;
    GOOD(spdhg_solver_new(&a, name, p, &whole, &good_err));
    GOOD(spdhg_solver_run(a, &outcome, &good_err));
    GOOD(spdhg_solver_new(&b, name, p, &part, &good_err));
    GOOD(spdhg_solver_run(b, &outcome, &good_err));
    if (outcome != SPDHG_OUTCOME_INTERRUPTED) fail_msg("%s was not interrupted: it had ended", name);
    GOOD(spdhg_solver_new(&c, name, p, &rest, &good_err));
    GOOD(spdhg_solver_run(c, &outcome, &good_err));
    assert_int_equal(outcome, SPDHG_OUTCOME_DONE);
    const spdhg_solution *one = spdhg_solver_solution(a), *two = spdhg_solver_solution(c);
    assert_memory_equal(one->x, two->x, (size_t)p->dK * sizeof(double));
    assert_memory_equal(one->y, two->y, (size_t)(p->m * p->K) * sizeof(double));
    assert_true(one->objective == two->objective && one->iterations == two->iterations);
    spdhg_solver_free(a);
    spdhg_solver_free(b);
    spdhg_solver_free(c);
    spdhg_error err;
    rest.seed = 12;
    GOOD(spdhg_solver_new(&c, name, p, &rest, &good_err));
    assert_int_equal(spdhg_solver_run(c, &outcome, &err), SPDHG_USAGE);
    assert_non_null(strstr(err.message, "seed"));
    spdhg_solver_free(c);
    unlink(path);
}

static void every_solver_resumes(void **unused) {
    (void)unused;
    over_all(resume_goes_on);
}

/* Every byte of a checkpoint is flipped, and it is truncated at every length: refused, or the previous generation is used. */
static void damaged_checkpoints_are_refused(void **unused) {
    (void)unused;
    char path[] = "/tmp/spdhg_checkpoint_XXXXXX", previous[64];
    close(mkstemp(path));
    unlink(path);
    snprintf(previous, sizeof previous, "%s.previous", path);
    spdhg_point point[2] = {{.epoch = 1}, {.epoch = 2}};
    double number[5] = {1, 2, 3, 4, 5};
    spd_checkpoint c = {.k = 7, .points = 2, .numbers = 5, .point = point, .number = number}, back;
    GOOD(spd_checkpoint_write(&c, path, &good_err));
    char bytes[1024];
    FILE *file = fopen(path, "r");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    bool older;
    spdhg_error err;
    for (size_t i = 0; i < 2 * size; i++) {
        file = fopen(path, "w");
        if (i < size) bytes[i] ^= 4;
        fwrite(bytes, 1, i < size ? size : i - size, file);
        if (i < size) bytes[i] ^= 4;
        fclose(file);
        assert_int_equal(spd_checkpoint_read(&back, path, &older, &err), SPDHG_DATA);
    }
    unlink(path);
    GOOD(spd_checkpoint_write(&c, path, &good_err));
    c.k = 8;
    GOOD(spd_checkpoint_write(&c, path, &good_err));
    GOOD(spd_checkpoint_read(&back, path, &older, &good_err));
    assert_true(back.k == 8 && !older && back.number[4] == 5 && back.point[1].epoch == 2);
    spd_checkpoint_free(&back);
    assert_int_equal(truncate(path, 100), 0);
    GOOD(spd_checkpoint_read(&back, path, &older, &good_err));
    assert_true(back.k == 7 && older);
    spd_checkpoint_free(&back);
    assert_int_equal(spd_checkpoint_read(&back, "/nonexistent", &older, &err), SPDHG_IO);
    unlink(path);
    unlink(previous);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fast_form_is_the_plain_one),
        cmocka_unit_test(work_is_scratch),
        cmocka_unit_test(state_suffices),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(loop_stops_as_told),
        cmocka_unit_test(every_solver_resumes),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(divergence_keeps_the_last_finite_iterate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

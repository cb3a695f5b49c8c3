/* test_limits.c - long work ends soon after a request to stop: every loop inside a step and inside a proof polls. No clock is
 * involved: the callback says stop at a poll with a given number, and the polls that follow are counted. */
#include <time.h>
#include <unistd.h>

#include "run/loop.h"
#include "small.h"

enum { STEPS = 3, FEW = 40 }; /* polls after the one answered with stop: a few for each loop that has to end */

static const small_spec spec[] = {
    SMALL(40, 30, 1, "logistic", "l1", "chain", 0.01, .classes = 2),
    SMALL(60, 900, 0.05, "logistic", "l1", "chain", 0.003, .classes = 2, .intercept = true),
    SMALL(60, 60, 1, "softmax", "l1", "identity", 1e-3, .classes = 4, .intercept = true),
    SMALL(200, 20, 0.5, "softmax", "l1", "chain", 1e-3, .classes = 3, .intercept = true),
    SMALL(60, 200, 1, "logistic", "l1", "identity", 1e-3, .classes = 2, .intercept = true),
};
enum { SPECS = sizeof spec / sizeof *spec };
static const char *const solver[] = {"prox-newton", "ws-newton", "cd-newton", "alm-ssn", "sadmm", "lasso"};
enum { SOLVERS = sizeof solver / sizeof *solver };
/* The least number of polls in three steps, large enough that every longer loop must poll. */
static const int64_t least[SPECS][SOLVERS] = {
    {25, 25, 0, 10, 0}, {0, 1000, 0, 10, 15}, {80, 80, 30, 10, 0}, {100, 100, 0, 5, 15}, {0, 0, 0, 0, 0, 50}};

typedef struct asked {
    int64_t times, stop_at; /* 0: never */
} asked;

static bool answer(void *context) {
    asked *a = context;
    return ++a->times == a->stop_at;
}

static void ask_always(spd_stop *stop, asked *a) {
    spd_stop_start(stop, INFINITY, answer, a);
    stop->pause = 0;
}

/* Makes `steps` steps of a solver on a problem, as run.c does; x is copied to out unless that is NULL. Returns the number of
 * polls; *after gets the number of those after the stop. */
static int64_t ask_while_stepping(const spdhg_problem *p, const spd_solver_kind *kind, int64_t stop_at, int64_t *after,
                                  double *out) {
    double param[SPD_PARAMS_MAX] = {0};
    for (int i = 0; i < kind->params; i++) param[i] = kind->param[i].value;
    spd_run run;
    spd_stop stop;
    asked a = {.stop_at = stop_at};
    GOOD(spd_run_new(&run, kind, p, param, SPDHG_SAMPLING_IID, 1, 1, NULL, &good_err));
    GOOD(spd_run_allocate(&run, &good_err));
    ask_always(&stop, &a);
    run.stop = stop_at < 0 ? NULL : &stop;
    kind->start(&run, NULL, NULL, NULL);
    spd_sampler sampler = {0};
    spd_row row;
    if (!kind->full_information) GOOD(spd_sampler_new(&sampler, p, SPDHG_SAMPLING_IID, 1, 1, &good_err));
    spd_step said = SPD_CONTINUE;
    for (int64_t k = 0; k < STEPS && said == SPD_CONTINUE && spd_stop_why(&stop) == SPD_GO_ON; k++) {
        if (!kind->full_information) spd_sampler_draw(&sampler, k, &row);
        said = kind->step(&run, k, &(spd_batch){.size = kind->full_information ? 0 : 1, .row = &row});
    }
    if (stop_at > 0) assert_int_equal(said, SPD_CONTINUE); /* an interrupted step gives no verdict */
    double *x = SPD_NEW(double, p->dK), *c = SPD_NEW(double, p->K), *y = SPD_NEW(double, p->m * p->K);
    kind->output(&run, x, c, y);
    assert_true(spd_all_finite(p->dK, x) && spd_all_finite(p->K, c) && spd_all_finite(p->m * p->K, y));
    if (out) memcpy(out, x, (size_t)p->dK * sizeof *x);
    if (after) *after = stop.polls - a.times;
    spd_free(x), spd_free(c), spd_free(y);
    if (!kind->full_information) spd_sampler_free(&sampler);
    spd_run_free(&run);
    return a.times;
}

static void steps_end_soon(void **unused) {
    (void)unused;
    int tried = 0;
    for (int i = 0; i < SPECS; i++) {
        small s = small_make(&spec[i], 1);
        GOOD(spd_problem_freeze(s.problem, &good_err));
        double *free_x = SPD_NEW(double, s.problem->dK), *asked_x = SPD_NEW(double, s.problem->dK);
        for (int j = 0; j < SOLVERS; j++) {
            const spd_solver_kind *kind = spd_solver_find(solver[j]);
            if (spd_solver_refuses(kind, s.problem) || (j == 0 && s.problem->d > 100))
                continue; /* prox-newton's steps are long there */
            ask_while_stepping(s.problem, kind, -1, NULL, free_x);
            const int64_t all = ask_while_stepping(s.problem, kind, 0, NULL, asked_x);
            assert_memory_equal(free_x, asked_x, (size_t)s.problem->dK * sizeof(double)); /* polling changes nothing */
            if (all < least[i][j]) fail_msg("%s on problem %d asks only %lld times in three steps", solver[j], i, (long long)all);
            for (int64_t at = 1; at <= all; at += 1 + all / 9) {
                int64_t after;
                ask_while_stepping(s.problem, kind, at, &after, NULL);
                if (after > FEW) fail_msg("%s on problem %d asks %lld times more", solver[j], i, (long long)after);
                tried++;
            }
        }
        spd_free(free_x), spd_free(asked_x);
        small_free(&s);
    }
    assert_true(tried > 100);
}

/* A proof without a factorisation uses conjugate gradients. When stopped it fails, and says so. */
static void proofs_end_soon(void **unused) {
    (void)unused;
    small s = small_make(&(small_spec)SMALL(25, 1600, 0.1, "logistic", "l1", "chain", 0.01, .classes = 2), 3);
    GOOD(spd_problem_freeze(s.problem, &good_err));
    spd_evaluator e;
    GOOD(spd_evaluator_new(&e, s.problem, NULL, 1, &good_err));
    double *x = SPD_NEW(double, s.problem->dK), c = 0, *y = SPD_NEW(double, s.problem->m);
    spdhg_point point;
    spd_stop stop;
    asked a = {0};
    e.certifier.stop = &stop;
    ask_always(&stop, &a);
    spd_evaluate(&e, x, &c, y, &point);
    assert_true(a.times > 5);
    e.certifier.best_dual = -INFINITY;
    a = (asked){.stop_at = 3};
    ask_always(&stop, &a);
    spd_evaluate(&e, x, &c, y, &point);
    assert_true(a.times == 3 && stop.polls - 3 <= FEW);
    spd_evaluator_free(&e);
    spd_free(x), spd_free(y);
    small_free(&s);
}

/* ---- the loop. It calls the callback every ten milliseconds; one that takes longer to answer is called at every poll. */
typedef struct slow {
    int64_t polls, stop_at;
    bool at_point;
} slow;

static int answer_slowly(void *user, const spdhg_event *event) {
    slow *a = user;
    if (event->kind == SPDHG_EVENT_POINT) return a->at_point;
    if (event->kind != SPDHG_EVENT_POLL) return 0;
    nanosleep(&(struct timespec){.tv_nsec = 10500000}, NULL);
    return ++a->polls == a->stop_at;
}

static spdhg_solution solve(spdhg_problem *p, const char *name, const spdhg_options *o, spdhg_outcome *outcome, double *x) {
    spdhg_solver *handle;
    GOOD(spdhg_solver_new(&handle, name, p, o, &good_err));
    GOOD(spdhg_solver_run(handle, outcome, &good_err));
    const spdhg_solution found = *spdhg_solver_solution(handle);
    memcpy(x, found.x, (size_t)p->dK * sizeof *x);
    spdhg_solver_free(handle);
    return found;
}

static void no_step_after_the_word(void **unused) {
    (void)unused;
    small s = small_make(&spec[1], 1);
    double *x = SPD_NEW(double, 900);
    spdhg_outcome outcome;
    spdhg_options o = SPDHG_OPTIONS;
    slow a = {.at_point = true}; /* at the first point: before any step */
    o.callback = answer_slowly;
    o.user = &a;
    assert_int_equal(solve(s.problem, "auto", &o, &outcome, x).iterations, 0);
    assert_int_equal(outcome, SPDHG_OUTCOME_INTERRUPTED);
    o.callback = NULL;
    o.seconds = 1e-9; /* over before it begins: only the start is evaluated */
    assert_int_equal(solve(s.problem, "auto", &o, &outcome, x).iterations, 0);
    assert_int_equal(outcome, SPDHG_OUTCOME_DONE);
    o.tol = 1e-6;
    solve(s.problem, "auto", &o, &outcome, x);
    assert_int_equal(outcome, SPDHG_OUTCOME_LIMIT);
    spd_free(x);
    small_free(&s);
}

static int note_epochs(void *user, const spdhg_event *event) {
    *(double *)user = event->epochs_asked;
    return 0;
}

/* A limit that nobody gave is not told: it would make a share of a goal that a run need not have. */
static void epochs_are_those_asked_for(void **unused) {
    (void)unused;
    small s = small_make(&spec[0], 1);
    double x[30], told = -1;
    spdhg_outcome outcome;
    spdhg_options o = SPDHG_OPTIONS;
    o.callback = note_epochs;
    o.user = &told;
    solve(s.problem, "auto", &o, &outcome, x);
    assert_true(told == 0);
    o.epochs = 7;
    solve(s.problem, "auto", &o, &outcome, x);
    assert_true(told == 7);
    o.epochs = 0;
    solve(s.problem, "sadmm", &o, &outcome, x); /* its default number */
    assert_true(told == 10);
    small_free(&s);
}

/* A checkpoint contains only whole steps: a run interrupted inside a step resumes to the bits of the uninterrupted run. */
static void cut_and_resumed(void **unused) {
    (void)unused;
    char path[] = "/tmp/spdhg_limits_XXXXXX";
    close(mkstemp(path));
    for (int j = 0; j < 4; j++) {
        static const int which[] = {0, 1, 2, 0};
        small s = small_make(&spec[which[j]], 1);
        const int64_t dK = (spd_problem_freeze(s.problem, NULL), s.problem->dK);
        double *whole = SPD_NEW(double, dK), *part = SPD_NEW(double, dK);
        spdhg_options o = SPDHG_OPTIONS;
        spdhg_outcome outcome;
        o.tol = 1e-7;
        const spdhg_solution one = solve(s.problem, solver[j], &o, &outcome, whole);
        for (int64_t at = 2; at <= 14; at += 4) {
            slow a = {.stop_at = at};
            unlink(path);
            spdhg_options cut = o, rest = o;
            cut.callback = answer_slowly;
            cut.user = &a;
            cut.checkpoint = path;
            rest.resume = path;
            solve(s.problem, solver[j], &cut, &outcome, part);
            assert_int_equal(outcome, SPDHG_OUTCOME_INTERRUPTED);
            const spdhg_solution two = solve(s.problem, solver[j], &rest, &outcome, part);
            assert_memory_equal(whole, part, (size_t)dK * sizeof *part);
            assert_true(one.iterations == two.iterations && one.objective == two.objective);
        }
        spd_free(whole), spd_free(part);
        small_free(&s);
    }
    unlink(path);
}

/* Set-up is linear: it takes a few hundred times as long as making a chain of that many features (an elimination order is
 * computed), not many thousands. Measured as processor time of this thread. */
static void set_up_is_linear(void **unused) {
    (void)unused;
    enum { D = 60000 };
    small s = small_make(&(small_spec)SMALL(12, D, 0.02, "logistic", "l1", "chain", 0.01, .classes = 2), 5);
    spdhg_structure *F;
    spdhg_solver *handle;
    double chain = INFINITY, made = INFINITY;
    for (int i = 0; i < 3; i++) { /* the least of three: other processes use the machine too */
        const double from = spd_thread_seconds();
        GOOD(spdhg_structure_new(&F, "chain", D, &good_err));
        const double then = spd_thread_seconds();
        GOOD(spdhg_solver_new(&handle, "auto", s.problem, NULL, &good_err));
        chain = fmin(chain, then - from);
        made = fmin(made, spd_thread_seconds() - then);
        spdhg_structure_free(F);
        spdhg_solver_free(handle);
    }
    if (made > 1000 * chain) fail_msg("a solver takes %g s to make, the structure %g s", made, chain);
    small_free(&s);
}

/* The time is over before the order of a sparse factor is found: the run ends there, and the start is the answer. */
static void set_up_ends_in_time(void **unused) {
    (void)unused;
    small s = small_make(&(small_spec)SMALL(6000, 12000, 0.001, "squared", "l1", "chain", 0.01, .set = "box:1,2"), 5);
    spdhg_options o = SPDHG_OPTIONS;
    o.seconds = 1e-6;
    o.tol = 1e-9;
    spdhg_solver *handle;
    spdhg_outcome outcome;
    GOOD(spdhg_solver_new(&handle, "ipm", s.problem, &o, &good_err));
    GOOD(spdhg_solver_run(handle, &outcome, &good_err));
    const spdhg_solution *a = spdhg_solver_solution(handle);
    assert_int_equal(outcome, SPDHG_OUTCOME_LIMIT);
    assert_true(a->epochs == 0 && isfinite(a->objective));
    for (int64_t j = 0; j < s.problem->d; j++) assert_true(a->x[j] == 1); /* of X, the nearest to 0 */
    spdhg_solver_free(handle);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_end_soon),
                                       cmocka_unit_test(proofs_end_soon),
                                       cmocka_unit_test(no_step_after_the_word),
                                       cmocka_unit_test(cut_and_resumed),
                                       cmocka_unit_test(set_up_is_linear),
                                       cmocka_unit_test(set_up_ends_in_time),
                                       cmocka_unit_test(epochs_are_those_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_forged.c - a checkpoint with a right checksum and false contents: whatever x, alpha, y or trace it holds, what a resumed
 * run says to be proven is true. */
#include <unistd.h>

#include "model/checkpoint.h"
#include "small.h"

static const small_spec spec[] = {
    SMALL(30, 12, 1, "logistic", "l1", "chain", 0.02, .classes = 2, .intercept = true, .gamma = 0.01),
    SMALL(30, 12, 1, "logistic", "l1", "chain", 0.02, .classes = 2, .intercept = true),
    SMALL(30, 12, 1, "squared", "group", "identity", 0.1, .gamma = 0.1, .groups = "size:3"),
    SMALL(30, 12, 1, "huber", "linf", "identity", 0.1, .intercept = true),
    SMALL(40, 6, 1, "softmax", "l1", "identity", 0.01, .classes = 3, .intercept = true, .gamma = 0.01),
    SMALL(30, 12, 1, "smooth-hinge", "l1", "identity", 0.02, .classes = 2, .set = "box:-0.3,0.3"),
};
enum { SPECS = sizeof spec / sizeof *spec, FORGERIES = 13 };

static spdhg_solution solve(spdhg_problem *p, const char *solver, double epochs, double tol, const char *to, const char *from) {
    spdhg_options o = SPDHG_OPTIONS;
    spdhg_solver *s;
    spdhg_outcome outcome;
    o.epochs = epochs;
    o.tol = tol;
    o.checkpoint = to;
    o.resume = from;
    GOOD(spdhg_solver_new(&s, solver, p, &o, &good_err));
    GOOD(spdhg_solver_run(s, &outcome, &good_err));
    const spdhg_solution answer = *spdhg_solver_solution(s);
    spdhg_solver_free(s);
    return answer;
}

/* The alpha of x = 0 with the y that cancels it, far out of its ball: if that were believed, the minimum would be f(0). */
static void cancel(spd_checkpoint *c, const spdhg_problem *p) {
    double *alpha = c->dual, *y = alpha + p->n, *work = SPD_NEW(double, spd_problem_gradient_work(p)), constant;
    for (int64_t i = 0; i < p->n; i++) alpha[i] = p->loss->slope(0, p->b[i], p->loss_arg);
    spd_problem_adjoint(p, 1, alpha, y, &constant, work);
    spd_scale(p->m, -1, y);
    spd_free(work);
}

/* alpha and y that would prove much if they were allowed: far out, at the ends of every interval,
 * those of other rows, no numbers. */
static void forge(spd_checkpoint *c, const spdhg_problem *p, int how) {
    if (how == FORGERIES - 1 && c->duals == p->n + p->m && p->m == p->d && p->loss->value) cancel(c, p);
    if (how == FORGERIES - 1) return;
    double *const number = how < 8 ? c->dual : c->number;
    const int64_t count = how < 8 ? c->duals : c->numbers;
    for (int64_t i = 0; i < count; i++) {
        const double noise = small_normal(5 + (uint64_t)how, i), v = number[i];
        const double other[] = {v * 1e3,          noise,         0,       v == 0 ? 1 : -v, NAN, INFINITY,
                                v + 1e-6 * noise, 1e300 * noise, v * 1.1, v + 0.1 * noise, 0,   1e8 * noise};
        number[i] = other[how];
    }
    for (int64_t i = 0; i < c->points; i++) {
        c->point[i].objective *= 1 + 1e-3;
        c->point[i].gap = 0;
    }
}

static void only_truth_is_proven(void **unused) {
    (void)unused;
    char path[] = "forged-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    int64_t proven = 0, dual = 0;
    for (int i = 0; i < SPECS; i++) {
        small s = small_make(&spec[i], 11 + (uint64_t)i);
        const spdhg_solution best = solve(s.problem, "auto", 0, 1e-10, NULL, NULL);
        assert_true(best.gap <= 1e-9 * best.objective && strcmp(best.gap_kind, "certified") == 0);
        for (int how = 0; how < FORGERIES; how++) {
            spd_checkpoint c;
            bool previous;
            spdhg_error err = {0};
            solve(s.problem, "pd3o", 5, 1e-9, path, NULL);
            GOOD(spd_checkpoint_read(&c, path, &previous, &good_err));
            dual += c.duals > 0;
            forge(&c, s.problem, how);
            GOOD(spd_checkpoint_write(&c, path, &good_err));
            spd_checkpoint_free(&c);
            spdhg_options o = SPDHG_OPTIONS;
            spdhg_solver *run;
            spdhg_outcome outcome;
            o.epochs = 6;
            o.tol = 1e-9;
            o.resume = path;
            GOOD(spdhg_solver_new(&run, "pd3o", s.problem, &o, &good_err));
            if (spdhg_solver_run(run, &outcome, &err) == SPDHG_OK) {
                const spdhg_solution *a = spdhg_solver_solution(run);
                const bool said = a->gap_kind && strcmp(a->gap_kind, "certified") == 0; /* NULL: nothing finite came of it */
                if (said && a->objective - a->gap > best.objective * (1 + 1e-13))
                    fail_msg("problem %d, forgery %d: %.17g proven within %.3g, the minimum is at most %.17g", i, how,
                             a->objective, a->gap, best.objective);
                if (said && !(a->objective >= best.objective - best.gap)) fail_msg("problem %d, forgery %d: objective", i, how);
                proven += said;
            }
            spdhg_solver_free(run);
        }
        small_free(&s);
    }
    unlink(path);
    char older[sizeof path + 16], lock[sizeof path + 16];
    snprintf(older, sizeof older, "%s.previous", path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(older);
    unlink(lock);
    assert_true(dual > SPECS && proven > SPECS); /* else nothing was tried */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_truth_is_proven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

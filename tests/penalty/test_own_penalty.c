/* test_own_penalty.c - problems with a penalty of one's own: the optimum by an independent method, proofs that are true and
 * tight, the sizes that the proof is made of, and what is refused. */
#include "face/zeros.h"
#include "own_penalties.h"
#include "small.h"

enum { N = 60, D = 9 };

/* Squared or logistic loss on the same random rows, one term. */
static small make(const char *loss, const spd_penalty *r, const char *name, const char *structure, double lambda, double gamma) {
    const small_spec o =
        SMALL(N, D, 1, loss, "l1", structure, 0, .gamma = gamma, .classes = strcmp(loss, "logistic") == 0 ? 2 : 0);
    small s = small_make(&o, 3);
    spdhg_problem_free(s.problem);
    GOOD(spdhg_problem_new(&s.problem, s.data, loss, &good_err));
    GOOD(spdhg_problem_ridge(s.problem, gamma, &good_err));
    if (r)
        GOOD(spdhg_problem_own_term(s.problem, r, s.F, lambda, NULL, &good_err));
    else
        GOOD(spdhg_problem_term(s.problem, name, s.F, lambda, NULL, &good_err));
    return s;
}

typedef struct answer {
    double objective, gap, relative, x[D];
    char kind[20];
} answer;

static answer solve(small *s, const char *solver, double tol) {
    spdhg_solver *run = NULL;
    spdhg_outcome outcome;
    spdhg_options o = SPDHG_OPTIONS;
    o.tol = tol;
    o.epochs = 20000;
    GOOD(spdhg_solver_new(&run, solver, s->problem, &o, &good_err));
    GOOD(spdhg_solver_run(run, &outcome, &good_err));
    const spdhg_solution *found = spdhg_solver_solution(run);
    answer a = {.objective = found->objective, .gap = found->gap, .relative = found->gap_relative};
    memcpy(a.x, found->x, (size_t)found->features * sizeof *a.x);
    snprintf(a.kind, sizeof a.kind, "%s", found->gap_kind);
    spdhg_solver_free(run);
    return a;
}

static void a_multiple_of_l1_is_l1(void **unused) {
    (void)unused;
    static const char *const loss[] = {"squared", "logistic"}, *const structure[] = {"identity", "chain"};
    for (int i = 0; i < 4; i++)
        for (int large = 0; large < 2; large++) {
            const double gamma = i < 2 ? 0 : 0.1, factor = large ? own_hundred : own_hundredth;
            small own = make(loss[i % 2], large ? &own_large : &own_small, NULL, structure[i / 2], 0.02 / factor, gamma);
            small l1 = make(loss[i % 2], NULL, "l1", structure[i / 2], 0.02, gamma);
            const answer best = solve(&l1, "auto", 1e-12), first = solve(&own, "saga-pd3o", 1e-7),
                         exact = solve(&own, "auto", 1e-9);
            assert_true(strcmp(exact.kind, "certified") == 0 && exact.relative <= 1e-9 && first.relative <= 1e-6);
            assert_true(fabs(exact.objective - best.objective) <= 2e-9 * (1 + best.objective));
            assert_true(first.objective - first.gap <= best.objective && exact.objective - exact.gap <= best.objective + 1e-15);
            assert_true(own.problem->term[0].steepest == (large ? 100 : 1) &&
                        own.problem->term[0].flattest == (large ? 1 : 0.01));
            small_free(&own);
            small_free(&l1);
        }
}

/* Away from the optimum, the same iterates have the same gap whether l1 is called l1 or a multiple of it: what y is moved by
 * counts in units of the ball. */
static void gaps_do_not_depend_on_the_form(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const double factor = i ? own_hundred : own_hundredth;
        small own = make("squared", i ? &own_large : &own_small, NULL, "identity", 0.02 / factor, 0);
        small l1 = make("squared", NULL, "l1", "identity", 0.02, 0);
        spdhg_options o = SPDHG_OPTIONS;
        o.epochs = 4;
        double gap[2], x[2];
        for (int k = 0; k < 2; k++) {
            spdhg_solver *run = NULL;
            spdhg_outcome outcome;
            GOOD(spdhg_solver_new(&run, "spdhg", k ? l1.problem : own.problem, &o, &good_err));
            GOOD(spdhg_solver_run(run, &outcome, &good_err));
            gap[k] = spdhg_solver_solution(run)->gap;
            x[k] = spdhg_solver_solution(run)->x[0];
            spdhg_solver_free(run);
        }
        assert_true(fabs(x[0] - x[1]) <= 1e-12 && gap[1] > 1e-3 && fabs(gap[0] - gap[1]) <= 1e-6 * gap[1]);
        small_free(&own);
        small_free(&l1);
    }
}

/* Errors of F x cost as much under either name. */
static void errors_count_with_the_slope(void **unused) {
    (void)unused;
    small own = make("squared", &own_large, NULL, "trend:1", 0.02 / own_hundred, 0),
          l1 = make("squared", NULL, "l1", "trend:1", 0.02, 0);
    double x[D], Fx[D], error[2];
    for (int j = 0; j < D; j++) x[j] = small_normal(21, j);
    for (int k = 0; k < 2; k++) {
        const spdhg_problem *p = k ? l1.problem : own.problem;
        spd_certifier c;
        GOOD(spd_problem_freeze(k ? l1.problem : own.problem, &good_err));
        GOOD(spd_certifier_new(&c, p, 1, NULL, false, &good_err));
        spd_problem_apply(p, x, Fx);
        error[k] = spd_dual_error_of_structure(&c, x, Fx);
        spd_certifier_free(&c);
    }
    assert_true(error[1] > 0 && fabs(error[0] / error[1] - 1) <= 1e-12);
    small_free(&own);
    small_free(&l1);
}

/* Proximal gradient steps with the projection of the header, by Moreau; F = identity. */
static double by_steps(const small *s, const spd_penalty *r, double lambda, int steps) {
    double x[D] = {0}, g[D], work[2 * D], L = 0, f = 0;
    const double *A = s->data->val, *b = s->data->b;
    for (int i = 0; i < N * D; i++) L += A[i] * A[i] / N;
    for (int t = 0; t <= steps; t++) {
        f = lambda * r->value(r, D, 1, x, work);
        memset(g, 0, sizeof g);
        for (int i = 0; i < N; i++) {
            double z = -b[i];
            for (int j = 0; j < D; j++) z += A[i * D + j] * x[j];
            for (int j = 0; j < D; j++) g[j] += z * A[i * D + j] / N;
            f += z * z / 2 / N;
        }
        double y[D]; /* y = L v, Pi(y) = what the proximal step takes away, times L */
        for (int j = 0; j < D; j++) y[j] = L * x[j] - g[j];
        memcpy(g, y, sizeof g);
        r->project(r, D, 1, lambda, y, work);
        for (int j = 0; j < D; j++) x[j] = (g[j] - y[j]) / L;
    }
    return f;
}

static void sorted_sizes(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const double lambda = i == 0 ? 0.02 : i == 1 ? 0.1 : 0.4;
        small s = make("squared", &own_sorted, NULL, "identity", lambda, 0);
        const double best = by_steps(&s, &own_sorted, lambda, 4000);
        static const char *const solver[] = {"auto", "pd3o", "fista", "prox-newton"};
        for (int k = 0; k < 4; k++) {
            const answer a = solve(&s, solver[k], 1e-9);
            assert_true(strcmp(a.kind, "certified") == 0 && a.relative <= 1e-8);
            assert_true(fabs(a.objective - best) <= 1e-8 * best && a.objective - a.gap <= best * (1 + 1e-15));
        }
        small_free(&s);
    }
}

/* A row of a chain is x_{j+1} - x_j. With a large lambda falls are not paid for at all: isotonic regression, by pooling. */
static void falls_only_is_isotonic(void **unused) {
    (void)unused;
    enum { POINTS = 40 };
    int64_t ptr[POINTS + 1];
    int32_t idx[POINTS];
    double one[POINTS], b[POINTS], mean[POINTS], count[POINTS], best = 0;
    int pools = 0;
    for (int i = 0; i < POINTS; i++) {
        ptr[i] = idx[i] = i;
        one[i] = 1;
        b[i] = 0.05 * i + small_normal(8, i);
        mean[pools] = b[i];
        count[pools++] = 1;
        for (; pools > 1 && mean[pools - 2] >= mean[pools - 1]; pools--) {
            mean[pools - 2] =
                (count[pools - 2] * mean[pools - 2] + count[pools - 1] * mean[pools - 1]) / (count[pools - 2] + count[pools - 1]);
            count[pools - 2] += count[pools - 1];
        }
    }
    ptr[POINTS] = POINTS;
    for (int pool = 0, i = 0; pool < pools; pool++)
        for (int k = 0; k < (int)count[pool]; k++, i++) best += (mean[pool] - b[i]) * (mean[pool] - b[i]) / 2 / POINTS;
    small s = {0};
    GOOD(spdhg_data_from_csr(&s.data, POINTS, POINTS, ptr, idx, one, b, 1, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_new(&s.F, "chain", POINTS, &good_err));
    GOOD(spdhg_problem_new(&s.problem, s.data, "squared", &good_err));
    GOOD(spdhg_problem_own_term(s.problem, &own_falls, s.F, 3, NULL, &good_err));
    spdhg_solver *run = NULL;
    spdhg_outcome outcome;
    spdhg_options o = SPDHG_OPTIONS;
    o.tol = 1e-9;
    o.epochs = 20000;
    GOOD(spdhg_solver_new(&run, "auto", s.problem, &o, &good_err));
    GOOD(spdhg_solver_run(run, &outcome, &good_err));
    const spdhg_solution *a = spdhg_solver_solution(run);
    print_message("falls: f %.12g, pooled %.12g, gap %.2g (%s) by %s\n", a->objective, best, a->gap, a->gap_kind, a->solver);
    assert_true(fabs(a->objective - best) <= 1e-8 && strcmp(a->gap_kind, "certified") == 0 && a->gap <= 1e-8);
    assert_true(a->objective - a->gap <= best * (1 + 1e-14));
    spdhg_solver_free(run);
    small_free(&s);
}

static void lambda_max_by_the_polar_norm(void **unused) {
    (void)unused;
    double lower[2], upper[2];
    small own = make("squared", &own_small, NULL, "chain", 1, 0), l1 = make("squared", NULL, "l1", "chain", 1, 0);
    GOOD(spdhg_lambda_max(own.problem, 1, &lower[0], &upper[0], NULL, NULL, &good_err));
    GOOD(spdhg_lambda_max(l1.problem, 1, &lower[1], &upper[1], NULL, NULL, &good_err));
    assert_true(fabs(lower[0] * own_hundredth - lower[1]) <= 1e-6 * lower[1] &&
                fabs(upper[0] * own_hundredth - upper[1]) <= 1e-6 * upper[1]);
    small_free(&own);
    small_free(&l1);
}

static void what_is_refused(void **unused) {
    (void)unused;
    small s = make("squared", &own_sorted, NULL, "identity", 0.1, 0.1);
    spdhg_error err;
    spdhg_solver *run;
    static const char *const solver[][2] = {
        {"ipm", "l1, group and linf only"}, {"interior", "penalt"}, {"alm-ssn", "no derivative"}, {"cd-newton", "l1"}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(spdhg_solver_new(&run, solver[i][0], s.problem, NULL, &err), SPDHG_USAGE);
        if (!strstr(err.message, solver[i][1])) fail_msg("%s: %s", solver[i][0], err.message);
    }
    small_free(&s);
    s = make("squared", &own_sorted, NULL, "identity", 0.1, 0.1);
    spd_penalty bad = own_sorted;
    bad.polar = NULL;
    assert_int_equal(spdhg_problem_own_term(s.problem, &bad, s.F, 1, NULL, &err), SPDHG_USAGE);
    assert_string_equal(err.message, "penalty own-sorted lacks polar");
    bad = own_sorted;
    bad.length = bad.sum_of_sizes = true;
    assert_int_equal(spdhg_problem_own_term(s.problem, &bad, s.F, 1, NULL, &err), SPDHG_USAGE);
    assert_string_equal(err.message, "penalty own-sorted is said to have two forms");
    small_free(&s);
}

/* A polar norm below lambda is strictly inside lambda Y only if 0 is: with Y = [-1, 0] the dual 0 is at the edge, where F x may
 * be anything that does not fall. */
static void zero_at_the_edge_settles_nothing(void **unused) {
    (void)unused;
    for (int falls = 0; falls < 2; falls++) {
        small s = make("squared", falls ? &own_falls : &own_large, NULL, "chain", 0.1, 0);
        GOOD(spd_problem_freeze(s.problem, &good_err));
        double y[D] = {0}, open[D] = {0}, work[8 * D];
        assert_true(spd_problem_term_work(s.problem) <= 8 * D && s.problem->m == D - 1);
        spd_zeros_of_dual(s.problem, y, SPD_STRICTLY, open, work);
        for (int64_t i = 0; i < s.problem->m; i++) assert_true(open[i] == falls);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_multiple_of_l1_is_l1),           cmocka_unit_test(gaps_do_not_depend_on_the_form),
        cmocka_unit_test(errors_count_with_the_slope),      cmocka_unit_test(sorted_sizes),
        cmocka_unit_test(falls_only_is_isotonic),           cmocka_unit_test(lambda_max_by_the_polar_norm),
        cmocka_unit_test(zero_at_the_edge_settles_nothing), cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

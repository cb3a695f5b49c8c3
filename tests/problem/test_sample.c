/* test_sample.c - rows drawn by norm: how often, with which factor; the expected gradient is that of all rows; L under it. */
#include "problem/lipschitz.h"
#include "problem/sample.h"
#include "small.h"

enum { DRAWS = 200000 };

static double length_of(const spdhg_problem *p, int64_t i) {
    spd_row row;
    spd_problem_row(p, i, &row);
    return sqrt(spd_dot(row.nnz, row.val, row.val) + p->intercept);
}

static void rows_are_drawn_by_norm(void **unused) {
    (void)unused;
    for (int weighted = 0; weighted < 2; weighted++) {
        const small_spec spec = SMALL(11, 4, 1, "logistic", "l1", "chain", 0.1, .classes = 2, .weights = weighted != 0);
        small s = small_make(&spec, 5);
        GOOD(spd_problem_freeze(s.problem, &good_err));
        const spdhg_problem *p = s.problem;
        spd_sampler sampler;
        GOOD(spd_sampler_new(&sampler, p, SPDHG_SAMPLING_NORM, 3, 1, &good_err));
        double mean = 0, seen[11] = {0}, longest = 0;
        for (int64_t i = 0; i < p->n; i++) mean += spd_problem_share(p, i) * length_of(p, i);
        for (int64_t k = 0; k < DRAWS; k++) {
            spd_row row;
            spd_sampler_draw(&sampler, k, &row);
            seen[row.id] += 1.0 / DRAWS;
            assert_true(fabs(row.weight - 2 * mean / (mean + length_of(p, row.id))) < 1e-12);
        }
        double total = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const double share = spd_problem_share(p, i), factor = 2 * mean / (mean + length_of(p, i)), chance = share / factor;
            assert_true(fabs(seen[i] - chance) <= 5 * sqrt(chance / DRAWS));
            total += chance;
            if (share > 0) longest = fmax(longest, factor * length_of(p, i) * length_of(p, i));
        }
        assert_true(fabs(total - 1) < 1e-12); /* chance times factor is the share: unbiased */
        assert_true(fabs(spd_problem_lipschitz(p, SPDHG_SAMPLING_NORM) - p->kappa * longest - p->gamma) < 1e-12 * longest);
        spd_sampler_free(&sampler);
        small_free(&s);
    }
}

/* Solvers that remember rows have no theory for it. */
static void others_refuse(void **unused) {
    (void)unused;
    const small_spec spec = SMALL(20, 4, 1, "logistic", "l1", "chain", 0.1, .classes = 2, .gamma = 0.1);
    small s = small_make(&spec, 5);
    spdhg_options o = SPDHG_OPTIONS;
    o.sampling = SPDHG_SAMPLING_NORM;
    o.epochs = 1;
    static const char *const solver[] = {"saga-pd3o", "fsadmm", "sdca-admm", "spdhg", "sadmm", "lpdhg"};
    for (size_t i = 0; i < sizeof solver / sizeof *solver; i++) {
        spdhg_solver *made;
        spdhg_error err = {0};
        spdhg_status status = spdhg_solver_new(&made, solver[i], s.problem, &o, &err);
        if (status == SPDHG_OK) status = spdhg_solver_run(made, NULL, &err);
        assert_int_equal(status, i < 3 ? SPDHG_USAGE : SPDHG_OK);
        if (i < 3) assert_non_null(strstr(err.message, "--sampling iid"));
        spdhg_solver_free(made);
    }
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_drawn_by_norm), cmocka_unit_test(others_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

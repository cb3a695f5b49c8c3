/* test_admm_system.c - the linear system of the exact ADMMs, ( diag(h) + rho F'F ) x = b, in each of its forms: the solution
 * satisfies the equations, multiplied out here from the rows of F. With a few heavy rows beside light ones of little weight the
 * preconditioner is almost the inverse, so that conjugate gradients need few steps, as they do not with the diagonal alone. */
#include "admm/admm.h"
#include "small.h"

enum { ENTRIES_MOST = 2000 };

typedef struct rows {
    int64_t m, d, ptr[ENTRIES_MOST];
    int32_t idx[ENTRIES_MOST];
    double val[ENTRIES_MOST];
} rows;

static double uniform(uint64_t seed, int64_t at) {
    uint64_t bits[2];
    spd_random(seed, SPD_STREAM_TEST, (uint64_t)at, bits);
    return spd_uniform(bits[0]);
}

/* A row of `count` entries in columns first, first + step, ... */
static void add_row(rows *F, int64_t first, int64_t step, int64_t count, double size, uint64_t seed) {
    int64_t at = F->ptr[F->m];
    for (int64_t k = 0; k < count; k++, at++) {
        F->idx[at] = (int32_t)(first + k * step);
        F->val[at] = size * (uniform(seed, at) < 0.5 ? -1 : 1) * (0.5 + uniform(seed + 1, at));
    }
    F->ptr[++F->m] = at;
    assert_true(at < ENTRIES_MOST && first + (count - 1) * step < F->d);
}

/* Solves for a random b, K outputs and h in [0.5, 1.5] (uniform: 1). Returns the steps of conjugate gradients. */
static int64_t solve(const rows *F, int64_t K, bool uniform_h, double rho, spd_admm_system *s,
                     void (*look)(const spd_admm_system *s)) {
    const int64_t d = F->d;
    double *a = SPD_NEW(double, d), *b = SPD_NEW(double, K), *x = SPD_NEW(double, d *K), *h = SPD_NEW(double, d *K),
           *right = SPD_NEW(double, d *K);
    spdhg_data *data;
    spdhg_structure *S;
    spdhg_problem *p;
    a[0] = 1;
    GOOD(spdhg_data_from_csr(&data, 1, d, NULL, NULL, a, b, K, SPDHG_COPY, &good_err));
    GOOD(spdhg_structure_from_csr(&S, F->m, d, F->ptr, F->idx, F->val, &good_err));
    GOOD(spdhg_problem_new(&p, data, "squared", &good_err));
    GOOD(spdhg_problem_term(p, "l1", S, 1, NULL, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    spd_stop stop;
    spd_stop_start(&stop, INFINITY, NULL, NULL);
    spd_run run = {.problem = p, .threads = 1, .stop = &stop};
    spd_admm_system_layout(&run, s, uniform_h); /* counts */
    run.state = (spd_arena){.base = SPD_NEW(double, run.state.used), .size = run.state.used};
    run.work = (spd_arena){.base = SPD_NEW(double, run.work.used), .size = run.work.used};
    spd_admm_system_layout(&run, s, uniform_h);
    spd_admm_system_start(s, &run, rho, 1e-12);
    for (int64_t q = 0; q < d * K; q++) {
        s->h[q] = h[q] = uniform_h ? 1 : 0.5 + uniform(3, q);
        s->b[q] = right[q] = small_normal(4, q);
    }
    look(s);
    const int64_t before = stop.polls;
    spd_admm_system_solve(s, x);
    for (int64_t q = 0; q < d * K; q++) right[q] -= h[q] * x[q];
    for (int64_t e = 0; e < F->m; e++)
        for (int64_t k = 0; k < K; k++) {
            double Fx = 0;
            for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++) Fx += F->val[q] * x[F->idx[q] * K + k];
            for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++) right[F->idx[q] * K + k] -= rho * F->val[q] * Fx;
        }
    for (int64_t q = 0; q < d * K; q++) assert_true(fabs(right[q]) < 1e-9);
    const int64_t steps = stop.polls - before;
    SPD_FREE_ALL(a, b, x, h, right, run.state.base, run.work.base);
    spdhg_problem_free(p);
    spdhg_structure_free(S);
    spdhg_data_free(data);
    return steps;
}

static void is_preconditioned(const spd_admm_system *s) { assert_true(s->heavies == 8 && !s->full && !s->starlike); }
static void is_starlike(const spd_admm_system *s) { assert_true(s->starlike); }
static void is_full(const spd_admm_system *s) { assert_true(s->full && !s->spectral); }
static void is_spectral(const spd_admm_system *s) { assert_true(s->spectral); }
static void is_plain(const spd_admm_system *s) { assert_true(!s->full && !s->starlike && s->heavies == 0); }

static void test_heavy_rows(void **state) {
    (void)state;
    spd_admm_system s = {0};
    rows *F = SPD_NEW(rows, 1);
    F->d = 300;
    for (int64_t e = 0; e < 8; e++) add_row(F, e, 4, 60, 1, 10 + (uint64_t)e);
    for (int64_t e = 0; e < 280; e++) add_row(F, e, 7 + e % 5, 2, 1e-4, 30);
    for (int64_t e = 0; e < 300; e += 3) add_row(F, e, 1, 1, 1, 40);
    assert_in_range(solve(F, 1, false, 2, &s, is_preconditioned), 1, 5);
    spd_free(F);
}

/* A ring: small ones are written out, with a constant h decomposed; a long one, and several outputs, take conjugate gradients. */
static void test_rings(void **state) {
    (void)state;
    for (int64_t d = 12; d <= 120; d *= 10) {
        spd_admm_system s = {0};
        rows *F = SPD_NEW(rows, 1);
        F->d = d;
        for (int64_t j = 0; j + 1 < d; j++) add_row(F, j, 1, 2, 1, 5);
        add_row(F, 0, d - 1, 2, 1, 6);
        for (int64_t j = 0; j + 2 < d; j++) add_row(F, j, 2, 2, 1, 7);
        solve(F, 1, false, 0.7, &s, d == 12 ? is_full : is_plain);
        solve(F, 1, true, 0.7, &s, d == 12 ? is_spectral : is_plain);
        solve(F, 3, true, 0.7, &s, d == 12 ? is_spectral : is_plain);
        solve(F, 3, false, 0.7, &s, is_plain);
        spd_free(F);
    }
}

/* A hub joined to 100 leaves. */
static void test_star(void **state) {
    (void)state;
    spd_admm_system s = {0};
    rows *F = SPD_NEW(rows, 1);
    F->d = 101;
    for (int64_t j = 1; j < 101; j++) add_row(F, 0, j, 2, 1, 8);
    assert_int_equal(solve(F, 1, false, 3, &s, is_starlike), 0);
    spd_free(F);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heavy_rows), cmocka_unit_test(test_rings),
                                       cmocka_unit_test(test_star)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

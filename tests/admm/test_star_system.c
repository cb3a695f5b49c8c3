/* test_star_system.c - the system of a star by elimination: the residual of its solution, and which matrices are stars. */
#include "laws.h"

#include "admm/star_system.h"

/* Long rows first, then light ones: each has its own column, every fifth a second one, and some of the hubs, which are the first
 * columns. */
enum { STAR_COLUMNS = 300, STAR_LIGHT = 150 };

static void draw_stars(spd_csr *N, int64_t hubs, int64_t longs) {
    int64_t at = 0;
    assert_int_equal(spd_csr_new(N, longs + STAR_LIGHT, STAR_COLUMNS, (longs + STAR_LIGHT) * STAR_COLUMNS, NULL), SPDHG_OK);
    for (int64_t e = 0; e < N->m; e++) {
        const int64_t own = hubs + e - longs, second = e % 5 == 0 ? 250 + e / 5 : -1;
        for (int64_t j = 0; j < N->n; j++) {
            const bool some = law_normal(31, e * N->n + j) > 0;
            if (e < longs ? !some : j < hubs ? !some || (e + j) % 3 : j != own && j != second) continue;
            N->idx[at] = (int32_t)j;
            N->val[at++] = law_normal(32, e * N->n + j);
        }
        N->ptr[e + 1] = at;
    }
}

/* The largest entry of b - (D + rho N'N) x. */
static double star_residual(const spd_csr *N, const double *D, double rho, const double *b, const double *x) {
    double left[STAR_COLUMNS], Nx[STAR_LIGHT + 65] = {0};
    for (int64_t j = 0; j < N->n; j++) left[j] = b[j] - D[j] * x[j];
    spd_csr_apply(N, 1, x, Nx);
    for (int64_t e = 0; e < N->m; e++)
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1]; q++) left[N->idx[q]] -= rho * N->val[q] * Nx[e];
    return spd_max_abs(N->n, left);
}

/* Solves with the star system, or returns false if the matrix is not a star. */
static bool solve_stars(const spd_csr *N, double rho, double *residual) {
    spd_star_system a = {0};
    spd_arena state = {0}, work = {0};
    const int64_t entries = N->ptr[N->m];
    spd_star_system_layout(&a, &state, &work, N->m, N->n, entries);
    state = (spd_arena){.base = SPD_NEW(double, state.used), .size = state.used};
    work = (spd_arena){.base = SPD_NEW(double, work.used), .size = work.used};
    spd_star_system_layout(&a, &state, &work, N->m, N->n, entries);
    const bool starlike = spd_star_system_start(&a, N, rho);
    *residual = 0;
    for (uint64_t again = 0; starlike && again < 2;
         again++) { /* the second has another diagonal: nothing of the first may remain */
        double D[STAR_COLUMNS], b[STAR_COLUMNS], x[STAR_COLUMNS];
        for (int64_t j = 0; j < N->n; j++) D[j] = 0.5 + fabs(law_normal(33 + again, j));
        law_normals(35 + again, N->n, 1, b);
        assert_true(spd_star_system_solve(&a, D, b, x));
        *residual = fmax(*residual, star_residual(N, D, rho, b, x));
    }
    spd_free(state.base);
    spd_free(work.base);
    return starlike;
}

static void stars(void **unused) {
    (void)unused;
    static const int64_t hubs[] = {0, 0, 3, 3, 64, 65, 3}, longs[] = {0, 2, 0, 4, 64, 1, 65};
    for (size_t k = 0; k < sizeof hubs / sizeof *hubs; k++) {
        spd_csr N;
        double residual;
        draw_stars(&N, hubs[k], longs[k]);
        for (double rho = 1e-3; rho < 2e3; rho *= 1e3) {
            assert_int_equal(solve_stars(&N, rho, &residual), hubs[k] <= 64 && longs[k] <= 64);
            assert_near("residual", residual, 0, 1e-11 * fmax(1, rho));
        }
        spd_csr_free(&N);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

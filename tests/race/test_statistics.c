/* test_statistics.c - the statistical tests of a race against scipy 1.10 (friedmanchisquare, wilcoxon, chi2.sf,
 * studentized_range.ppf), and how they treat "never". */
#include "race/statistics.h"
#include "small.h"

static void near(double value, double expected, double relative) {
    if (fabs(value - expected) > relative * fabs(expected)) fail_msg("%.17g is not %.17g", value, expected);
}

static void friedman_with_ties(void **unused) {
    (void)unused;
    const double value[7 * 4] = {0.1, 0.2, 0.8, 0.6, 0.1, 0.4, 0.5, 0.2, 0.7, 0.1, 0.4, 0.5, 0.4, 0.6,
                                 0.7, 1.0, 0.3, 0.6, 0.7, 0.3, 0.0, 1.0, 0.3, 0.3, 0.9, 0.6, 0.5, 0.8};
    const double ranks[] = {1.9285714285714286, 2.4285714285714284, 2.9285714285714284, 2.7142857142857144};
    double mean_rank[4], chi2, p;
    GOOD(spd_friedman(value, 7, 4, mean_rank, &chi2, &p, &good_err));
    near(chi2, 2.4264705882352984, 1e-12);
    near(p, 0.488726153118613, 1e-12);
    for (int j = 0; j < 4; j++) near(mean_rank[j], ranks[j], 1e-14);
    const double same[4] = {1, 1, 1, 1};
    GOOD(spd_friedman(same, 2, 2, mean_rank, &chi2, &p, &good_err));
    assert_true(isnan(chi2) && isnan(p) && mean_rank[0] == 1.5);
}

static void tails(void **unused) {
    (void)unused;
    const double chi2[][3] = {{0.1, 1, 0.7518296340458492}, {3.84, 1, 0.05004352124870519},   {20, 11, 0.04534067443406042},
                              {1, 11, 0.9999496100513122},  {80, 11, 1.4757297928357458e-12}, {300, 40, 1.4955969722726186e-41}};
    for (size_t i = 0; i < sizeof chi2 / sizeof *chi2; i++) near(spd_chi2_tail(chi2[i][0], chi2[i][1]), chi2[i][2], 1e-11);
    const double range[][3] = {{2, 0.05, 2.771807648699355},
                               {10, 0.05, 4.474124221725907},
                               {12, 0.05, 4.621655471868518},
                               {12, 0.1, 4.28463460369403},
                               {30, 0.05, 5.30128957403117}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        near(spd_studentized_range(range[i][1], (int64_t)range[i][0]), range[i][2], 1e-7);
    near(spd_nemenyi(30, 10, 0.05), 4.474124221725907 / sqrt(2) * sqrt(110.0 / 180), 1e-7);
}

static void signed_ranks(void **unused) {
    (void)unused;
    const double a[] = {0.03, 0.707, 0.374, 0.091, 0.661, 0.931, 0.207, 0.63, 0.298, 0.742, 0.722, 0.219},
                 b[] = {-0.37, 0.89, 0.684, 0.057, 0.438, 1.039, 0.291, 1.152, 0.622, 0.9, 1.156, 0.257};
    double p;
    GOOD(spd_wilcoxon(a, b, 12, &p, &good_err));
    near(p, 0.10986328125, 1e-13);
    GOOD(spd_wilcoxon(b, a, 12, &p, &good_err));
    near(p, 0.10986328125, 1e-13);
    /* "never" against a number is the largest difference, against "never" it is none: ranks 1, 2, 3.5, 3.5; of 16 sign patterns,
     * one is as extreme. */
    const double slow[] = {2, 3, INFINITY, INFINITY, INFINITY, 7}, fast[] = {1, 1, 9, 8, INFINITY, 7};
    GOOD(spd_wilcoxon(slow, fast, 6, &p, &good_err));
    near(p, 2.0 / 16, 1e-15);
    GOOD(spd_wilcoxon(fast, fast, 6, &p, &good_err));
    near(p, 1, 0);
}

static void holm(void **unused) {
    (void)unused;
    const double p[] = {0.04, 0.01, 0.03, 0.5},
                 expected[] = {0.09, 0.04, 0.09, 0.5}; /* by hand: 4*0.01, 3*0.03, max(0.09, 2*0.04), 0.5 */
    double adjusted[4];
    int64_t work[4];
    spd_holm(p, 4, adjusted, work);
    for (int i = 0; i < 4; i++) near(adjusted[i], expected[i], 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(friedman_with_ties), cmocka_unit_test(tails),
                                       cmocka_unit_test(signed_ranks), cmocka_unit_test(holm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

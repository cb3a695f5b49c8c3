/* test_joins.c - unknowns tied by equations with one or two entries: ratios along a path, zeros and contradictions that make
 * their whole set 0, entries that are 0, several outputs. Expected values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "la/la.h"

static bool tie(spd_joins *g, int64_t n, const int32_t *idx, const double *val) {
    return spd_joins_row(g, &(spd_csr_row){.n = n, .idx = idx, .val = val}, 1, 0);
}
#define TIE(g, n, columns, values) tie(g, n, (const int32_t[])columns, (const double[])values)
#define LIST(...)                                                                                                                \
    { __VA_ARGS__ }

static void ratios(void **unused) {
    (void)unused;
    spd_joins g;
    double ratio;
    assert_int_equal(spd_joins_new(&g, 6, NULL), SPDHG_OK);
    assert_true(TIE(&g, 2, LIST(3, 4), LIST(1, -2)));      /* x_3 = 2 x_4 */
    assert_true(TIE(&g, 2, LIST(1, 4), LIST(3, 1)));       /* x_4 = -3 x_1 */
    assert_true(TIE(&g, 3, LIST(0, 2, 5), LIST(0, 1, 4))); /* x_2 = -4 x_5; x_0 has coefficient 0 */
    assert_int_equal(spd_joins_find(&g, 3, &ratio), 1);
    assert_true(ratio == -6);
    assert_int_equal(spd_joins_find(&g, 5, &ratio), 2);
    assert_true(ratio == -0.25);
    assert_int_equal(spd_joins_find(&g, 0, &ratio), 0);
    assert_true(TIE(&g, 2, LIST(1, 3), LIST(6, 1))); /* redundant: 6 x_1 + x_3 = 0 */
    assert_false(spd_joins_is_zero(&g, 1));
    spd_joins_flatten(&g);
    assert_true(g.root[3] == 1 && g.ratio[3] == -6 && g.root[4] == 1 && g.ratio[4] == -3 && g.ratio[1] == 1);
    assert_false(TIE(&g, 3, LIST(0, 1, 2), LIST(1, 1, 1)));
    assert_true(g.root[1] == 1 && g.root[2] == 2 && !spd_joins_is_zero(&g, 1)); /* no effect */
    spd_joins_free(&g);
}

static void zeros(void **unused) {
    (void)unused;
    spd_joins g;
    double ratio;
    assert_int_equal(spd_joins_new(&g, 6, NULL), SPDHG_OK);
    assert_true(TIE(&g, 2, LIST(0, 1), LIST(1, -1)) && TIE(&g, 2, LIST(1, 2), LIST(1, -1)));
    assert_true(TIE(&g, 2, LIST(0, 2), LIST(1, 1))); /* x_0 = x_2 = -x_0 */
    assert_true(spd_joins_is_zero(&g, spd_joins_find(&g, 1, &ratio)));
    assert_true(TIE(&g, 2, LIST(4, 5), LIST(0, 7))); /* x_5 = 0 */
    assert_true(spd_joins_is_zero(&g, 5) && !spd_joins_is_zero(&g, 4));
    assert_true(TIE(&g, 2, LIST(3, 5), LIST(1, 1))); /* hence also x_3, whose set it joins */
    assert_true(spd_joins_is_zero(&g, spd_joins_find(&g, 3, &ratio)));
    spd_joins_clear(&g);
    const spd_csr_row row = {.n = 2, .idx = (const int32_t[]){0, 2}, .val = (const double[]){1, -1}};
    assert_true(spd_joins_row(&g, &row, 2, 1)); /* for the second of two outputs: positions 1 and 5 */
    assert_true(spd_joins_find(&g, 5, &ratio) == 1 && ratio == 1 && spd_joins_find(&g, 4, &ratio) == 4);
    spd_joins_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ratios), cmocka_unit_test(zeros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

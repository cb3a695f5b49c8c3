/* test_gap_without_ridge.c - the second bracket of the gap for gamma = 0, at a v that is known up
 * to e, against its definition. */
#include "small.h"

#include "certify/certify.h"

enum { d = 3 };

static small make(const char *set) {
    const small_spec spec = SMALL(6, d, 1, "squared", "l1", "chain", 0.1, .set = set);
    return small_make(&spec, 1);
}

/* At least the exact value, and hardly more. */
static void just_above(double found, double exact) {
    if (!(found >= exact && found <= exact * (1 + 1e-12))) fail_msg("%.17g, expected %.17g", found, exact);
}

/* X = { x_j >= 1 } or { x_j <= 2 }: the largest v_j (x_j - side) for v_j within e_j of v_j, and on the right side of 0. The third
 * coordinate is repaired as a whole, to v_j = 0. In the last case rounding has left x_0 outside X. */
static void test_half_lines(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double x[d], v[d], exact;
    } all[] = {{"box:1,inf", {1.75, 1.5, 5}, {0.25, -0.125, 9}, (0.25 + 0.0625) * 0.75 + 0.03125 * 0.5},
               {"box:-inf,2", {1.75, 1.5, 5}, {0.25, -0.125, -9}, 0.0625 * 0.25 + (0.125 + 0.03125) * 0.5},
               {"box:1,inf", {0.75, 1.5, 5}, {0.25, 0.5, 9}, (0.25 - 0.0625) * -0.25 + (0.5 + 0.03125) * 0.5}};
    double e[d] = {0.0625, 0.03125, 1}, v[d] = {0};
    bool whole[d] = {false, false, true};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        small s = make(all[i].set);
        memcpy(v, all[i].v, sizeof v);
        const spd_certifier c = {.problem = s.problem, .v = v, .e = e, .whole = whole};
        just_above(spd_bracket_without_ridge(&c, all[i].x), all[i].exact);
        small_free(&s);
    }
    small s = make(NULL); /* without sides v is 0 after the repair, and the bracket with it */
    const spd_certifier c = {.problem = s.problem, .v = v, .e = e, .whole = whole};
    assert_true(spd_bracket_without_ridge(&c, all[0].x) == 0);
    small_free(&s);
}

/* v'x + max of -v'u over ||u|| <= R: R ||v|| where X is all of R^d. With x_j >= 1 only a negative v_j is worth a large u_j;
 * where v_j is positive u_j = 1. e adds the largest change of all that. */
static void test_radius(void **state) {
    (void)state;
    const double R = 8, x[d] = {3, 1.5, 1.25};
    double v[d] = {2, -3, 6}, e[d] = {0.5, 0.25, 0.125}, P[d];
    const double vx = 6 - 4.5 + 7.5, size = R * sqrt(0.25 + 0.0625 + 0.015625), ex = 0.5 * 3 + 0.25 * 1.5 + 0.125 * 1.25;
    small s = make(NULL);
    spd_certifier c = {.problem = s.problem, .v = v, .e = e, .P = P};
    just_above(spd_bracket_within_radius(&c, x, R), vx + R * 7 + 2 * ex + size);
    small_free(&s);
    s = make("box:1,inf");
    c.problem = s.problem;
    just_above(spd_bracket_within_radius(&c, x, R), vx - 2 - 6 + R * 3 + ex + 0.5 * 2 + 0.25 * 1.5 + 0.125 * 0.25 + size);
    small_free(&s);
    s = make("box:-1,inf"); /* in a small ball the sides are out of reach */
    double one[d] = {2, 0, 0}, none[d] = {0};
    c = (spd_certifier){.problem = s.problem, .v = one, .e = none, .P = P};
    just_above(spd_bracket_within_radius(&c, x, 0.5), 6 + 0.5 * 2);
    small_free(&s);
}

/* Products of 1e16 that cancel leave a rounding error of about 1, which the bracket includes. */
static void test_cancellation(void **state) {
    (void)state;
    const double x[d] = {1, 1, 0};
    double v[d] = {1e16, -1e16, 0}, e[d] = {0}, P[d];
    small s = make(NULL);
    const spd_certifier c = {.problem = s.problem, .v = v, .e = e, .P = P};
    const double found = spd_bracket_within_radius(&c, x, 1e-20);
    assert_true(found >= 2 && found <= 1000);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(test_half_lines), cmocka_unit_test(test_radius),
                                     cmocka_unit_test(test_cancellation)};
    return cmocka_run_group_tests(all, NULL, NULL);
}

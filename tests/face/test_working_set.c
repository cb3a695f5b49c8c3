/* test_working_set.c - the y that prices the zeros of F x: where g + F'y is already 0, nothing is left to balance. */
#include "small.h"

#include "face/working_set.h"

/* What pricing needs beside the iterate. */
typedef struct setting {
    spd_arena arena;
    spd_tied B;
    spd_tree_flow flow;
    double *work;
} setting;

static void lay_out(setting *a, const spdhg_problem *p) {
    spd_tied_layout(p, &a->arena, &a->B, p->dK);
    spd_tree_flow_layout(&a->flow, p, &a->arena);
}

static setting setting_of(const spdhg_problem *p) {
    setting a = {.work = SPD_NEW(double, spd_working_set_work(p))};
    lay_out(&a, p);
    a.arena = (spd_arena){.base = SPD_NEW(double, a.arena.used), .size = a.arena.used};
    lay_out(&a, p);
    return a;
}

static void setting_free(setting *a) {
    spd_free(a->work);
    spd_free(a->arena.base);
}

/* At a line, with rows of three entries, which no tree flow takes. The steepest descent direction
 * is 0, and so is its step's denominator. */
static void test_nothing_left(void **state) {
    (void)state;
    enum { d = 8, m = 6 };
    const small_spec spec = SMALL(4, d, 1, "squared", "l1", "trend:1", 0.1);
    small s = small_make(&spec, 1);
    const spdhg_problem *p = s.problem;
    assert_int_equal(p->m, m);
    double x[d + 1] = {0, 1, 2, 3, 4, 5, 6, 7}, y[m] = {3.0 / 64, -1.0 / 64, 0, 2.0 / 64, 0, 1.0 / 64}, Fx[m] = {0},
                 g[d + 1] = {0}, trial[m], term[8 * m], scratch[d + 1];
    const double before[m] = {3.0 / 64, -1.0 / 64, 0, 2.0 / 64, 0, 1.0 / 64};
    spd_problem_add_transposed(p, y, g);
    spd_scale(d, -1, g); /* g = -F'y */
    const spd_iterate here = {.x = x, .y = y, .Fx = Fx, .g = g, .Ftrial = trial, .term = term, .scratch_n = scratch};
    setting a = setting_of(p);
    assert_true(spd_problem_term_work(p) <= 8 * m);
    bool full = true;
    assert_true(spd_working_set(p, &here, &a.B, d, &a.flow, a.work, &full));
    assert_false(full);
    for (int e = 0; e < m; e++) assert_true(y[e] == before[e]);
    assert_int_equal(a.B.size, d); /* such rows tie no pair of coordinates */
    setting_free(&a);
    small_free(&s);
}

/* F = identity, and every gradient is far beyond lambda: all 8 entries should open. */
static void test_full(void **state) {
    (void)state;
    enum { d = 8 };
    const small_spec spec = SMALL(4, d, 1, "squared", "l1", "identity", 0.1);
    small s = small_make(&spec, 1);
    const spdhg_problem *p = s.problem;
    double x[d + 1] = {0}, Fx[d] = {0}, trial[d], term[8 * d], scratch[d + 1];
    const double g[d + 1] = {1, -2, 3, -4, 5, -6, 7, -8};
    setting a = setting_of(p);
    for (int most = d; most >= 3; most -= 5) {
        double y[d] = {0};
        const spd_iterate here = {.x = x, .y = y, .Fx = Fx, .g = g, .Ftrial = trial, .term = term, .scratch_n = scratch};
        bool full = most == d;
        assert_true(spd_working_set(p, &here, &a.B, most, &a.flow, a.work, &full));
        assert_int_equal(full, most < d);
        assert_int_equal(a.B.size, most); /* the largest gradients */
        for (int j = 0; j < d; j++) assert_int_equal(a.B.label[j] >= 0, j >= d - most);
    }
    setting_free(&a);
    small_free(&s);
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(test_nothing_left), cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(all, NULL, NULL);
}

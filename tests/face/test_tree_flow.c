/* test_tree_flow.c - the flow that balances a residual: F(r - F'dy) = 0 on closed rows is the least-squares condition, r itself
 * is recomputed from dy, and rows that lie on cycles or do not have two entries are reported and unchanged. */
#include "small.h"

#include "face/tree_flow.h"

typedef struct scene {
    small s;
    spd_arena work;
    spd_tied B;
    spd_tree_flow flow;
    double *open, *r, *before, *y, *z;
} scene;

static void lay_out(scene *a) {
    const int64_t size = spd_problem_normal_size(a->s.problem);
    spd_tied_layout(a->s.problem, &a->work, &a->B, size);
    spd_tree_flow_layout(&a->flow, a->s.problem, &a->work);
}

static scene make(const small_spec *o, uint64_t seed, double open_share) {
    scene a = {.s = small_make(o, seed)};
    const spdhg_problem *p = a.s.problem;
    const int64_t mK = p->m * p->K;
    lay_out(&a);
    a.work = (spd_arena){.base = SPD_NEW(double, a.work.used), .size = a.work.used};
    lay_out(&a);
    memset(a.flow.rows, 0x55, (size_t)p->dK * sizeof *a.flow.rows); /* whatever stood there before */
    memset(a.flow.row, 0x55, (size_t)p->dK * sizeof *a.flow.row);
    a.open = SPD_NEW(double, mK), a.y = SPD_NEW(double, mK), a.z = SPD_NEW(double, mK);
    a.r = SPD_NEW(double, p->dK), a.before = SPD_NEW(double, p->dK);
    for (int64_t i = 0; i < mK; i++) a.open[i] = fabs(small_normal(seed + 7, i)) < open_share;
    for (int64_t q = 0; q < p->dK; q++) a.r[q] = a.before[q] = small_normal(seed + 8, q);
    assert_true(spd_tied_make(&a.B, p, a.open, spd_problem_normal_size(p)));
    return a;
}

static void drop(scene *a) {
    spd_free(a->open), spd_free(a->y), spd_free(a->z), spd_free(a->r), spd_free(a->before);
    spd_free(a->work.base);
    small_free(&a->s);
}

static double unbalanced(const scene *a) {
    const spdhg_problem *p = a->s.problem;
    double most = 0;
    spd_problem_apply(p, a->r, a->z);
    for (int64_t i = 0; i < p->m * p->K; i++)
        if (a->open[i] == 0) most = fmax(most, fabs(a->z[i]));
    return most;
}

/* r = before - F'y, and y is 0 on open rows. */
static void check_sums(const scene *a) {
    const spdhg_problem *p = a->s.problem;
    spd_problem_add_transposed(p, a->y, a->r);
    assert_true(largest_difference(p->dK, a->r, a->before) <= 1e-11);
    for (int64_t i = 0; i < p->m * p->K; i++)
        if (a->open[i] != 0) assert_true(a->y[i] == 0);
}

static void trees_are_balanced(void **unused) {
    (void)unused;
    for (int64_t targets = 1; targets <= 3; targets += 2)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            const small_spec o = SMALL(5, 60, 1, "squared", "l1", "chain", 0.1, .targets = targets);
            scene a = make(&o, seed, seed % 2 ? 0.3 : 0);
            assert_int_equal(spd_tree_flow_balance(&a.flow, a.s.problem, &a.B, a.open, a.r, a.y), 0);
            assert_true(unbalanced(&a) <= 1e-11);
            check_sums(&a);
            drop(&a);
        }
}

/* A grid is full of cycles: with few closed rows some components are trees. The sums must be right in any case. */
static void cycles_are_left_alone(void **unused) {
    (void)unused;
    static const char *const structure[] = {"grid:6x10", "trend:1", "identity"};
    for (size_t f = 0; f < 3; f++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            const small_spec o = {
                .n = 5, .d = 60, .density = 1, .loss = "squared", .penalty = "l1", .structure = structure[f], .lambda = 0.1};
            scene a = make(&o, seed, f == 0 && seed % 2 ? 1.2 : 0);
            int64_t closed = 0;
            for (int64_t i = 0; i < a.s.problem->m; i++) closed += a.open[i] == 0;
            const int64_t left = spd_tree_flow_balance(&a.flow, a.s.problem, &a.B, a.open, a.r, a.y);
            if (f > 0 || seed % 2 == 0) assert_int_equal(left, closed);
            if (f == 0 && seed % 2) assert_true(left < closed);
            check_sums(&a);
            drop(&a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_are_balanced), cmocka_unit_test(cycles_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

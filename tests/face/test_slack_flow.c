/* test_slack_flow.c - the flow along a graph with cycles: it balances what rows with slack can balance, changes no row without
 * slack, and uses a forest to which no other row with more slack could be added instead (flooded here, row by row). */
#include "small.h"

#include "face/slack_flow.h"

enum { WIDE = 7, HIGH = 6, NODES = WIDE * HIGH };
static const double LAMBDA = 0.1;

typedef struct scene {
    small s;
    spd_slack_flow flow;
    double *y, *before, *r, *left;
} scene;

/* A share of the rows has no slack. */
static scene make(int64_t targets, uint64_t seed, double full) {
    const small_spec o = SMALL(5, NODES, 1, "squared", "l1", "grid:6x7", LAMBDA, .targets = targets);
    scene a = {.s = small_make(&o, seed)};
    const spdhg_problem *p = a.s.problem;
    assert_true(spd_slack_flow_new(&a.flow, p));
    a.y = SPD_NEW(double, p->m * p->K), a.before = SPD_NEW(double, p->m * p->K);
    a.r = SPD_NEW(double, p->dK), a.left = SPD_NEW(double, p->dK);
    for (int64_t e = 0; e < p->m * p->K; e++) {
        const double draw = small_normal(seed + 7, e);
        a.before[e] = a.y[e] = fabs(draw) < full ? (draw < 0 ? -LAMBDA : LAMBDA) : LAMBDA * (1 - exp(-fabs(draw)));
    }
    for (int64_t q = 0; q < p->dK; q++) a.r[q] = a.left[q] = small_normal(seed + 8, q);
    return a;
}

static void drop(scene *a) {
    spd_slack_flow_free(&a->flow);
    spd_free(a->y), spd_free(a->before), spd_free(a->r), spd_free(a->left);
    small_free(&a->s);
}

static double slack(const scene *a, int64_t e) { return LAMBDA - fabs(a->before[e]); }

/* label[q]: equal for coordinates of output k that are joined by rows for which `joins` holds. */
static void flood(const scene *a, int64_t k, bool (*joins)(const scene *, int64_t, double), double bound, int *label) {
    const spdhg_problem *p = a->s.problem;
    for (int q = 0; q < NODES; q++) label[q] = q;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t e = 0; e < p->m; e++) {
            const int32_t *at = p->term[0].F->F.idx + p->term[0].F->F.ptr[e];
            if (!joins(a, e * p->K + k, bound) || label[at[0]] == label[at[1]]) continue;
            label[at[0]] = label[at[1]] = label[at[0]] < label[at[1]] ? label[at[0]] : label[at[1]];
            changed = true;
        }
    }
}

static bool has_slack(const scene *a, int64_t e, double bound) { return slack(a, e) > bound; }
static bool is_used(const scene *a, int64_t e, double bound) { return a->flow.open[e] == 0 && slack(a, e) >= bound; }

static void the_rest_is_even(const scene *a, int64_t k) {
    int label[NODES], size[NODES] = {0};
    double sum[NODES] = {0};
    const int64_t K = a->s.problem->K;
    flood(a, k, has_slack, 1e-6 * LAMBDA, label);
    for (int q = 0; q < NODES; q++) sum[label[q]] += a->r[q * K + k], size[label[q]]++;
    for (int q = 0; q < NODES; q++) assert_true(fabs(a->left[q * K + k] - sum[label[q]] / size[label[q]]) <= 1e-12);
}

static void the_forest_has_the_most_slack(const scene *a, int64_t k) {
    const spdhg_problem *p = a->s.problem;
    int label[NODES];
    for (int64_t e = 0; e < p->m; e++) {
        const int32_t *at = p->term[0].F->F.idx + p->term[0].F->F.ptr[e];
        const double own = slack(a, e * p->K + k);
        if (a->flow.open[e * p->K + k] == 0 || own <= 1e-6 * LAMBDA) continue;
        flood(a, k, is_used, own, label);
        assert_int_equal(label[at[0]], label[at[1]]);
    }
}

static void what_has_slack_is_used(void **unused) {
    (void)unused;
    for (int64_t targets = 1; targets <= 2; targets++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            scene a = make(targets, seed, seed % 3 == 0 ? 0 : 0.5);
            const spdhg_problem *p = a.s.problem;
            spd_slack_flow_balance(&a.flow, p, a.left, a.y);
            for (int64_t k = 0; k < p->K; k++) {
                the_rest_is_even(&a, k);
                the_forest_has_the_most_slack(&a, k);
            }
            for (int64_t e = 0; e < p->m * p->K; e++) {
                if (slack(&a, e) == 0) assert_true(a.y[e] == a.before[e]);
                a.before[e] = a.y[e] - a.before[e];
            }
            spd_problem_add_transposed(p, a.before, a.left); /* left + F'(change of y) is r */
            assert_true(largest_difference(p->dK, a.left, a.r) <= 1e-12);
            drop(&a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_slack_is_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_variation.c - total variation on lines and trees: x and its dual satisfy the optimality conditions, which prove that x is
 * optimal however it was computed. Random forests with ties in the data, weights and curvatures of 0, l1 parts, bounds. */
#include "variation.h"

#include "chain/chain.h"

enum { NODES_MOST = VARIATION_MOST };

typedef struct wood {
    spd_forest forest;
    spd_variation variation;
    spd_arena arena;
    double q[NODES_MOST], m[NODES_MOST], g[NODES_MOST], x[NODES_MOST], t[NODES_MOST], s[NODES_MOST], range[4 * NODES_MOST];
} wood;

static spdhg_problem *tree_problem(uint64_t seed, int64_t d, bool line, bool sparse, spdhg_data **data, spdhg_structure **F) {
    int64_t *ptr = SPD_NEW(int64_t, 2 * d + 1), m = 0, nnz = 0;
    int32_t *idx = SPD_NEW(int32_t, 3 * d);
    double *val = SPD_NEW(double, 3 * d);
    for (int64_t k = 1; k < d; k++) {
        if (uniform(seed, 10 * k) < 0.1) continue; /* an additional root */
        const int64_t up = line ? k - 1 : (int64_t)(uniform(seed, 10 * k + 1) * (double)k),
                      size = 1 + (int64_t)(3 * uniform(seed, 10 * k + 2));
        const double sign = uniform(seed, 10 * k + 3) < 0.5 ? 1 : -1;
        idx[nnz] = (int32_t)up;
        val[nnz++] = sign * (double)size;
        idx[nnz] = (int32_t)k;
        val[nnz++] = -sign * (double)size;
        ptr[++m] = nnz;
    }
    spdhg_problem *p = variation_problem(seed, d, sparse, m, ptr, idx, val, data, F);
    void *const arrays[] = {ptr, idx, val};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) spd_free(arrays[i]);
    return p;
}

static void make(wood *w, const spdhg_problem *p, uint64_t seed, bool flat) {
    assert_null(spd_forest_refuses(p));
    *w = (wood){0};
    for (int pass = 0; pass < 2; pass++) {
        if (pass) w->arena.base = SPD_NEW(double, w->arena.used);
        w->arena.used = 0;
        spd_forest_layout(&w->forest, p, &w->arena);
        spd_variation_layout(&w->variation, &w->forest, &w->arena);
    }
    spd_forest_fill(&w->forest, p);
    variation_unary(seed, p->d, flat, w->q, w->m, w->g);
}

/* Checks every condition up to rounding. */
static void is_optimal(const wood *w, double low, double high) {
    const spd_forest *f = &w->forest;
    double v[NODES_MOST], size = 1;
    for (int64_t k = 0; k < f->d; k++) {
        v[k] = w->q[k] * (w->x[k] - w->m[k]) + w->g[k] + (f->sparse ? w->s[k] : 0) + w->t[k];
        size = fmax(size, fabs(w->q[k] * w->m[k]) + f->weight[k]);
    }
    for (int64_t k = 0; k < f->d; k++)
        if (f->parent[k] >= 0) v[f->parent[k]] -= w->t[k];
    for (int64_t k = 0; k < f->d; k++) {
        const double off = 1e-12 * size;
        const bool at_low = w->x[k] == low, at_high = w->x[k] == high;
        if (!(w->x[k] >= low && w->x[k] <= high)) fail_msg("x_%d is out of its bounds", (int)k);
        if ((v[k] > off && !at_low) || (v[k] < -off && !at_high)) fail_msg("node %d of %d: slope %g", (int)k, (int)f->d, v[k]);
        if (f->sparse && !(fabs(w->s[k]) <= f->mu[k] && (w->x[k] == 0 || w->s[k] == sign(w->x[k]) * f->mu[k])))
            fail_msg("node %d: s %g of %g at x %g", (int)k, w->s[k], f->mu[k], w->x[k]);
        if (f->parent[k] < 0) continue;
        const double difference = w->x[k] - w->x[f->parent[k]];
        if (!(fabs(w->t[k]) <= f->weight[k] && (difference == 0 || w->t[k] == sign(difference) * f->weight[k])))
            fail_msg("edge %d: t %g of %g", (int)k, w->t[k], f->weight[k]);
    }
}

static void test_optimal(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        const int64_t d = 1 + (int64_t)(uniform(seed, 1) * (NODES_MOST - 1) * (seed % 3 == 0 ? 0.1 : 1));
        const bool sparse = seed / 2 % 2, bounded = seed / 4 % 2;
        const double lows[] = {-1, 0.25, -INFINITY, 0},
                     highs[] = {0.5, INFINITY, -0.25, 0}; /* on either side of 0, and width 0 */
        const double low = bounded ? lows[seed / 32 % 4] : -INFINITY,
                     high = bounded && seed / 8 % 2 ? highs[seed / 32 % 4] : INFINITY;
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p = tree_problem(seed, d, seed % 2, sparse, &data, &F);
        wood *w = malloc(sizeof *w);
        make(w, p, seed, seed / 16 % 2);
        const spd_unary u = {w->q, w->m, w->g};
        spd_variation_prox(&w->variation, &u, low, high, w->x);
        spd_variation_dual(&w->forest, &u, low, high, w->x, w->t, w->s, w->range);
        is_optimal(w, low, high);
        spd_free(w->arena.base);
        free(w);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
}

static void test_groups(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const int64_t d = 2 + (int64_t)(uniform(seed, 1) * (NODES_MOST - 2));
        const double low = seed / 4 % 2 ? -1 : -INFINITY, high = seed / 4 % 2 ? 0.7 : INFINITY, little = 1e-7;
        double moved[NODES_MOST], m[NODES_MOST];
        int32_t group[NODES_MOST];
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p = tree_problem(seed, d, seed % 2, seed / 2 % 2, &data, &F);
        wood *w = malloc(sizeof *w);
        make(w, p, seed, false);
        variation_smooth(seed, d, little, w->q, w->m, m);
        const spd_unary before = {w->q, w->m, w->g}, after = {w->q, m, w->g};
        spd_variation_prox(&w->variation, &before, low, high, w->x);
        spd_variation_prox(&w->variation, &after, low, high, moved);
        spd_variation_groups(&w->forest, w->x, low, high, group);
        variation_moves(seed, d, little, group, w->q, w->x, moved);
        spd_free(w->arena.base);
        free(w);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimal), cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

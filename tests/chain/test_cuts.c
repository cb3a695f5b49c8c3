/* test_cuts.c - total variation on graphs by cuts: x and the flow satisfy the optimality conditions, which prove that x is
 * optimal however it was computed. Random graphs with cycles, double edges, ties in the data, curvatures of 0, l1 parts,
 * bounds, and flows of another problem to start from. */
#include "variation.h"

#include "chain/network.h"
#include "problem/rows.h"

enum { NODES_MOST = 40, ROWS_MOST = 4 * NODES_MOST };

typedef struct web {
    spd_network network;
    spd_cuts cuts;
    spd_arena arena;
    double q[NODES_MOST], m[NODES_MOST], g[NODES_MOST], x[NODES_MOST], s[NODES_MOST], y[ROWS_MOST];
} web;

static spdhg_problem *graph_problem(uint64_t seed, int64_t d, bool sparse, spdhg_data **data, spdhg_structure **F) {
    int64_t ptr[ROWS_MOST + 1] = {0}, m = 0, nnz = 0;
    int32_t idx[2 * ROWS_MOST];
    double val[2 * ROWS_MOST];
    const int64_t edges = d < 2 ? 0 : (int64_t)(uniform(seed, 2) * 2.5 * (double)d);
    for (int64_t e = 0; e < edges; e++) {
        const int64_t i = (int64_t)(uniform(seed, 10 * e + 11) * (double)d),
                      j = (i + 1 + (int64_t)(uniform(seed, 10 * e + 12) * (double)(d - 1))) % d;
        const double size = (uniform(seed, 10 * e + 13) < 0.5 ? 1 : -1) * (1 + floor(3 * uniform(seed, 10 * e + 14)));
        idx[nnz] = (int32_t)(i < j ? i : j);
        val[nnz++] = size;
        idx[nnz] = (int32_t)(i < j ? j : i);
        val[nnz++] = -size;
        ptr[++m] = nnz;
    }
    return variation_problem(seed, d, sparse, m, ptr, idx, val, data, F);
}

static void make(web *w, const spdhg_problem *p, uint64_t seed, bool flat) {
    assert_null(spd_network_refuses(p));
    *w = (web){0};
    for (int pass = 0; pass < 2; pass++) {
        if (pass) w->arena.base = SPD_NEW(double, w->arena.used);
        w->arena.used = 0;
        spd_network_layout(&w->network, p, &w->arena);
        spd_cuts_layout(&w->cuts, &w->network, &w->arena);
    }
    spd_network_fill(&w->network, p);
    variation_unary(seed, p->d, flat, w->q, w->m, w->g);
    for (int64_t e = 0; e < p->m; e++) w->y[e] = seed % 5 ? 0 : small_normal(seed + 3, e); /* some are out of their bounds */
}

/* Checks every condition up to rounding. */
static void is_optimal(const web *w, const spdhg_problem *p, uint64_t seed, double low, double high) {
    double v[NODES_MOST], size[NODES_MOST];
    for (int64_t k = 0; k < p->d; k++) {
        v[k] = w->q[k] * (w->x[k] - w->m[k]) + w->g[k];
        size[k] = 1 + fabs(w->q[k] * w->x[k]) + fabs(w->q[k] * w->m[k]);
    }
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        double Fx = 0;
        for (int64_t i = 0; i < r.row.n; i++) {
            v[r.row.idx[i]] += r.row.val[i] * w->y[r.at];
            size[r.row.idx[i]] += fabs(r.row.val[i]);
            Fx += r.row.val[i] * w->x[r.row.idx[i]];
        }
        const double most = r.term->lambda;
        if (!(fabs(w->y[r.at]) <= most * (1 + 1e-15) && fabs(w->y[r.at] - sign(Fx) * most) <= (Fx != 0 ? 1e-12 : INFINITY)))
            fail_msg("seed %d, row %d: y %g at Fx %g", (int)seed, (int)r.e, w->y[r.at], Fx);
    }
    for (int64_t k = 0; k < p->d; k++) {
        const double off = 1e-11 * size[k];
        if (!(w->x[k] >= low && w->x[k] <= high)) fail_msg("seed %d: x_%d is out of its bounds", (int)seed, (int)k);
        if ((v[k] > off && w->x[k] != low) || (v[k] < -off && w->x[k] != high))
            fail_msg("seed %d, node %d of %d: slope %g", (int)seed, (int)k, (int)p->d, v[k]);
    }
}

static void test_optimal(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        const int64_t d = 1 + (int64_t)(uniform(seed, 1) * (NODES_MOST - 1) * (seed % 3 == 0 ? 0.1 : 1));
        const bool bounded = seed / 4 % 2;
        const double low = bounded ? -1 : -INFINITY, high = bounded && seed / 8 % 2 ? 0.5 : INFINITY;
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p = graph_problem(seed, d, seed / 2 % 2, &data, &F);
        web *w = malloc(sizeof *w);
        make(w, p, seed, seed / 16 % 2);
        const spd_unary u = {w->q, w->m, w->g};
        spd_network_begin(&w->network, p, 0, w->y);
        assert_true(spd_cuts_solve(&w->cuts, &u, low, high, w->x, NULL));
        spd_cuts_single(&w->cuts, &u, w->x, w->s);
        spd_network_dual(&w->network, p, 0, w->s, w->y);
        is_optimal(w, p, seed, low, high);
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
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p = graph_problem(seed, d, seed / 2 % 2, &data, &F);
        web *w = malloc(sizeof *w);
        make(w, p, seed, false);
        variation_smooth(seed, d, little, w->q, w->m, m);
        const spd_unary before = {w->q, w->m, w->g}, after = {w->q, m, w->g};
        spd_network_begin(&w->network, p, 0, w->y);
        assert_true(spd_cuts_solve(&w->cuts, &after, low, high, moved, NULL));
        assert_true(spd_cuts_solve(&w->cuts, &before, low, high, w->x, NULL));
        variation_moves(seed, d, little, w->cuts.group, w->q, w->x, moved);
        spd_free(w->arena.base);
        free(w);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
}

/* Any two points of the balls have a flow that leads from one to the other, if not to the same y. */
static void test_balance(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const int64_t d = 2 + (int64_t)(uniform(seed, 1) * (NODES_MOST - 2));
        spdhg_data *data;
        spdhg_structure *F;
        spdhg_problem *p = graph_problem(seed, d, false, &data, &F);
        const double lambda = p->term[0].lambda;
        double y[ROWS_MOST], r[NODES_MOST] = {0}, left[NODES_MOST] = {0}, there[ROWS_MOST];
        for (int64_t e = 0; e < p->m; e++) {
            y[e] = lambda * fmax(-1, fmin(1, 3 * uniform(seed, 20 * e + 5) - 1.5));
            there[e] = lambda * fmax(-1, fmin(1, 3 * uniform(seed, 20 * e + 6) - 1.5));
            y[e] *= -1;
        }
        spd_problem_add_transposed(p, y, r);
        for (int64_t e = 0; e < p->m; e++) y[e] *= -1;
        spd_problem_add_transposed(p, there, r);
        spd_problem_add_transposed(p, there, left);
        spd_balance b;
        assert_true(spd_balance_new(&b, p));
        assert_true(spd_balance_move(&b, p, r, y, NULL));
        for (int64_t e = 0; e < p->m; e++) assert_true(fabs(y[e]) <= lambda);
        for (int64_t e = 0; e < p->m; e++) y[e] *= -1;
        spd_problem_add_transposed(p, y, left);
        for (int64_t j = 0; j < d; j++) assert_true(fabs(left[j]) <= 1e-11 * lambda);
        spd_balance_free(&b);
        spdhg_problem_free(p);
        spdhg_structure_free(F);
        spdhg_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_optimal), cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_balance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

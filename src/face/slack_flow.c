/* slack_flow.c - balances r by a flow along a graph with cycles. Among all spanning forests, the one of largest slack
 *     lambda - |y_e|
 * (Kruskal 1956) has, between any two nodes, the path whose least slack is largest. What is left of r after projected gradient
 * steps is small but smooth, and these need many steps to move it far; along the forest it moves at once (tree_flow.c), and
 * hardly ever leaves the balls. Rows without slack stay as they are: F x is not 0 there. */
#include "face/slack_flow.h"

#include <stdlib.h>

#include "problem/rows.h"

static const double LEAST = 1e-9; /* of lambda */

static void lay_out(spd_slack_flow *f, const spdhg_problem *p) {
    const int64_t mK = p->m * p->K;
    f->arena.used = 0;
    spd_tied_layout(p, &f->arena, &f->B, p->dK + p->K);
    spd_tree_flow_layout(&f->flow, p, &f->arena);
    f->open = spd_arena_take(&f->arena, mK);
    f->slack = spd_arena_take(&f->arena, mK);
    f->order = spd_arena_int64(&f->arena, mK);
}

bool spd_slack_flow_new(spd_slack_flow *f, const spdhg_problem *p) {
    *f = (spd_slack_flow){0};
    lay_out(f, p);
    f->arena.size = f->arena.used;
    f->arena.base = SPD_NEW(double, f->arena.size);
    if (!f->arena.base) return false;
    lay_out(f, p);
    return true;
}

void spd_slack_flow_free(spd_slack_flow *f) {
    spd_free(f->arena.base);
    *f = (spd_slack_flow){0};
}

/* The rows to choose from. */
static void find_slack(spd_slack_flow *f, const spdhg_problem *p, const double *y) {
    f->count = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t k = 0; k < p->K; k++) {
            const int64_t e = r.at + k;
            const bool joins = r.row.n == 2 && r.row.val[0] != 0 && r.row.val[1] != 0 && r.term->penalty->sum_of_sizes;
            f->open[e] = 1;
            f->slack[e] = joins ? r.term->lambda - fabs(y[e]) : 0;
            if (f->slack[e] > LEAST * r.term->lambda) f->order[f->count++] = e;
        }
}

static int by_slack(const void *a, const void *b, void *slack) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const double u = ((const double *)slack)[i], v = ((const double *)slack)[j];
    return u != v ? (u > v ? -1 : 1) : i < j ? -1 : i > j;
}

/* Row e of y, as coordinates. */
static void join(spd_slack_flow *f, const spdhg_problem *p, int64_t e) {
    int64_t t = p->terms - 1;
    while (p->term[t].first > e || p->term[t].m == 0) t--;
    const int64_t q = e - p->term[t].first, k = q % p->K;
    double ratio;
    spd_csr_row row;
    spd_csr_take(&p->term[t].F->F, q / p->K, &row);
    const int64_t i = row.idx[0] * p->K + k, j = row.idx[1] * p->K + k;
    if (spd_joins_find(&f->B.ties, i, &ratio) == spd_joins_find(&f->B.ties, j, &ratio)) return;
    spd_joins_add(&f->B.ties, i, j, row.val[0], row.val[1]);
    f->open[e] = 0;
}

void spd_slack_flow_balance(spd_slack_flow *f, const spdhg_problem *p, double *r, double *y) {
    find_slack(f, p, y);
    qsort_r(f->order, (size_t)f->count, sizeof *f->order, by_slack, f->slack);
    spd_joins_clear(&f->B.ties);
    for (int64_t q = 0; q < f->count; q++) join(f, p, f->order[q]);
    spd_tied_make(&f->B, p, f->open, p->dK + p->K);
    spd_tree_flow_balance(&f->flow, p, &f->B, f->open, r, y);
}

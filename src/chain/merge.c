/* merge.c - columns that no row of A has, next to each other on a line, are equal at a minimiser and become one node. Let
 * v_1..v_r be their coefficients, a and b those of the neighbours, w_0..w_r the weights of the edges from a to b, and h_j(v) =
 * mu_j|v| + (gamma/2)v^2 on X the rest of f. If w_1..w_{r-1} >= max(w_0, w_r), then for any v_k
 *     w_0|a - v_1| + w_1|v_1 - v_2| + ... + w_r|v_r - b|  >=  w_0|a - v_k| + w_r|v_k - b|
 * and all h_j fall towards the same point, that of X nearest to 0: the v_k nearest to it, taken by all of them, is no worse.
 *
 * The dual of the merged node, forces t at both ends and s in all, becomes one of its columns: with s_j = s mu_j/(sum of mu),
 *     t_{j+1} = t_j + (t_{r+1} - t_1) mu_j/(sum of mu)                                     or 1/r where all mu are 0
 * the t between lie between those at the ends, within w. */
#include "chain/chain.h"
#include "problem/rows.h"

void spd_merged_layout(spd_merged *m, const spd_forest *whole, spd_arena *work) {
    const int64_t d = whole->d;
    *m = (spd_merged){.forest = {.d = d,
                                 .ordered = whole->ordered,
                                 .column = spd_arena_int32(work, d),
                                 .parent = spd_arena_int32(work, d),
                                 .weight = spd_arena_take(work, d),
                                 .flip = (signed char *)spd_arena_take(work, d / 8 + 1),
                                 .mu = spd_arena_take(work, d)},
                      .first = spd_arena_int32(work, d + 1),
                      .seen = (signed char *)spd_arena_take(work, d / 8 + 1)};
}

static void find_seen(spd_merged *m, const spdhg_problem *p) {
    memset(m->seen, spd_problem_full(p), (size_t)p->d);
    if (spd_problem_full(p)) return;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_pass_row(p, open, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) m->seen[row.idx[q]] = 1;
    }
    spd_pass_end(p, open);
}

/* One past the last node of the run of unseen ones that begins at `node`. together: the weights let them be equal. */
static int64_t end_of_run(const spd_merged *m, const spd_forest *f, int64_t node, bool *together) {
    double least = INFINITY;
    int64_t end = node + 1;
    for (; end < f->d && !m->seen[f->column[node]] && !m->seen[f->column[end]] && f->parent[end] >= 0; end++)
        least = fmin(least, f->weight[end]);
    const double right = end < f->d && f->parent[end] >= 0 ? f->weight[end] : 0;
    *together = f->line && least >= fmax(f->weight[node], right);
    return end;
}

void spd_merged_fill(spd_merged *m, const spd_forest *whole, const spdhg_problem *p) {
    spd_forest *f = &m->forest;
    find_seen(m, p);
    f->line = whole->line;
    f->sparse = whole->sparse;
    f->d = 0;
    bool together = false;
    for (int64_t node = 0, end = 0, run = 0; node < whole->d; node = end) {
        if (node == run) run = end_of_run(m, whole, node, &together);
        end = together ? run : node + 1;
        const int64_t k = f->d++;
        const int32_t up = whole->parent[node];
        m->first[k] = (int32_t)node;
        f->column[k] = whole->column[node];
        f->parent[k] = up < 0 || !whole->line ? up : (int32_t)k - 1;
        f->weight[k] = whole->weight[node];
        f->flip[k] = whole->flip[node];
        f->mu[k] = spd_sum(end - node, whole->mu + node);
    }
    m->first[f->d] = (int32_t)whole->d;
}

void spd_merged_spread(const spd_merged *m, const spd_forest *whole, int64_t K, int64_t k, double *x) {
    for (int64_t i = 0; i < m->forest.d; i++)
        for (int64_t node = m->first[i] + 1; node < m->first[i + 1]; node++)
            x[whole->column[node] * K + k] = whole->flip[node] * m->forest.flip[i] * x[m->forest.column[i] * K + k];
}

void spd_merged_spread_dual(const spd_merged *m, const spd_forest *whole, double *t, double *s) {
    const spd_forest *f = &m->forest;
    for (int64_t k = f->d - 1; k >= 0; k--) { /* what is written lies behind what is still to be read */
        const int64_t first = m->first[k], size = m->first[k + 1] - first;
        const double from = t[k], to = k + 1 < f->d && f->parent[k + 1] >= 0 ? t[m->first[k + 1]] : 0,
                     force = f->sparse ? s[k] : 0;
        double before = 0;
        for (int64_t j = 0; j < size; j++) {
            const double share = f->mu[k] > 0 ? whole->mu[first + j] / f->mu[k] : 1.0 / (double)size;
            t[first + j] = from + before * (to - from);
            if (f->sparse) s[first + j] = share * force;
            before = fmin(before + share, 1);
        }
    }
}

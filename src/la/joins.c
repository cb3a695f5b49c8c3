/* joins.c - sets of unknowns tied by equations a x_i + b x_j = 0: union-find with the ratio to the root (Galler and Fischer
 * 1964) and path halving. A cycle with contradictory ratios forces its whole set to 0. */
#include "la/la.h"

static const double SAME = 1e-12; /* ratios this close around a cycle agree up to rounding */

void spd_joins_clear(spd_joins *g) {
    for (int64_t j = 0; j < g->n; j++) {
        g->root[j] = (int32_t)j;
        g->ratio[j] = 1;
    }
}

spdhg_status spd_joins_new(spd_joins *g, int64_t n, spdhg_error *err) {
    *g = (spd_joins){.n = n, .root = SPD_NEW(int32_t, n), .ratio = SPD_NEW(double, n)};
    if (g->root && g->ratio) {
        spd_joins_clear(g);
        return SPDHG_OK;
    }
    spd_joins_free(g);
    return spd_fail_memory(err, 12.0 * (double)n);
}

int64_t spd_joins_find(spd_joins *g, int64_t j, double *ratio) {
    double product = 1;
    while (g->root[j] != j) {
        const int64_t next = g->root[j];
        if (g->root[next] != next) {
            g->ratio[j] *= g->ratio[next];
            g->root[j] = g->root[next];
        }
        product *= g->ratio[j];
        j = g->root[j];
    }
    *ratio = product;
    return j;
}

void spd_joins_zero(spd_joins *g, int64_t j) {
    double ratio;
    g->ratio[spd_joins_find(g, j, &ratio)] = 0;
}

bool spd_joins_is_zero(const spd_joins *g, int64_t root) { return g->ratio[root] == 0; }

void spd_joins_add(spd_joins *g, int64_t i, int64_t j, double a, double b) {
    double to_i, to_j;
    const int64_t ri = spd_joins_find(g, i, &to_i), rj = spd_joins_find(g, j, &to_j);
    const double ai = a * to_i, bj = b * to_j;
    if (ri == rj) {
        if (fabs(ai + bj) > SAME * (fabs(ai) + fabs(bj))) g->ratio[ri] = 0;
        return;
    }
    const int64_t under = ri < rj ? rj : ri,
                  over = ri < rj ? ri : rj; /* the smallest index is the root, so the result does not depend on the order */
    if (g->ratio[under] == 0) g->ratio[over] = 0;
    g->root[under] = (int32_t)over;
    g->ratio[under] = ri < rj ? -ai / bj : -bj / ai;
}

bool spd_joins_row(spd_joins *g, const spd_csr_row *row, int64_t K, int64_t k) {
    int64_t at[2], entries = 0;
    for (int64_t q = 0; q < row->n; q++) {
        if (row->val[q] == 0) continue;
        if (entries == 2) return false;
        at[entries++] = q;
    }
    if (entries == 1) spd_joins_zero(g, row->idx[at[0]] * K + k);
    if (entries == 2) spd_joins_add(g, row->idx[at[0]] * K + k, row->idx[at[1]] * K + k, row->val[at[0]], row->val[at[1]]);
    return true;
}

void spd_joins_flatten(spd_joins *g) {
    for (int64_t j = 0; j < g->n; j++) {
        double ratio;
        const int64_t root = spd_joins_find(g, j, &ratio);
        if (root == j) continue;
        g->root[j] = (int32_t)root;
        g->ratio[j] = ratio;
    }
}

void spd_joins_free(spd_joins *g) {
    spd_free(g->root);
    spd_free(g->ratio);
    *g = (spd_joins){0};
}

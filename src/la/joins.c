/* joins.c - sets of numbers bound by equations a x_i + b x_j = 0: union-find with the ratio to the root (Galler and Fischer
 * 1964), paths halved on the way. A cycle that contradicts itself leaves only 0. */
#include "la/la.h"

void spd_joins_clear(spd_joins *g) {
    for (int64_t j = 0; j < g->n; j++) {
        g->root[j] = j;
        g->ratio[j] = 1;
        g->zero[j] = false;
    }
}

spdhg_status spd_joins_new(spd_joins *g, int64_t n, spdhg_error *err) {
    *g = (spd_joins){.n = n, .root = SPD_NEW(int64_t, n), .ratio = SPD_NEW(double, n), .zero = SPD_NEW(bool, n)};
    if (g->root && g->ratio && g->zero) {
        spd_joins_clear(g);
        return SPDHG_OK;
    }
    spd_joins_free(g);
    return spd_fail_memory(err, 17.0 * (double)n);
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

void spd_joins_add(spd_joins *g, int64_t i, int64_t j, double a, double b) {
    double to_i, to_j;
    const int64_t ri = spd_joins_find(g, i, &to_i), rj = spd_joins_find(g, j, &to_j);
    if (ri == rj) {
        if (fabs(a * to_i + b * to_j) > 1e-12 * fabs(a * to_i)) g->zero[ri] = true; /* more than rounding along the cycle */
        return;
    }
    const int64_t under = ri < rj ? rj : ri,
                  over = ri < rj ? ri : rj; /* the smallest number is the root: independent of the order */
    const double a_over = ri < rj ? a * to_i : b * to_j, a_under = ri < rj ? b * to_j : a * to_i;
    g->root[under] = over;
    g->ratio[under] = -a_over / a_under;
    g->zero[over] = g->zero[over] || g->zero[under];
}

void spd_joins_free(spd_joins *g) {
    spd_free(g->root);
    spd_free(g->ratio);
    spd_free(g->zero);
    *g = (spd_joins){0};
}

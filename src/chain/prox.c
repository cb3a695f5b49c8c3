/* prox.c - total variation with an l1 penalty and bounds, reduced to total variation alone. For every level c the set { x > c }
 * minimises (Hochbaum 2001; Chambolle 2005)
 *     sum over the set of f_k'(c)  +  sum of the weights that the set cuts
 * and these sets determine x. Bounds low and high that are the same for all nodes do not change the problems of the levels
 * between them: x is clipped. The term mu_k |x_k| adds mu_k to f_k'(c) for c >= 0 and subtracts it for c < 0: the positive part
 * of x is that of the solution for g + mu, the negative part that of the solution for g - mu. If all q and all mu are equal,
 * these two are the solution for mu = 0 shifted by mu/q, which gives a soft threshold (Friedman, Hastie, Hoefling, Tibshirani
 * 2007). */
#include "chain/chain.h"

/* True if all q are equal and positive, and all mu are equal. */
static bool is_uniform(const spd_forest *f, const double *q) {
    for (int64_t k = 0; k < f->d; k++)
        if (q[k] != q[0] || f->mu[k] != f->mu[0]) return false;
    return q[0] > 0;
}

/* The solution for g + way mu. */
static void solve_shifted(spd_variation *v, const spd_unary *f, int way, double *x) {
    const spd_forest *t = v->forest;
    for (int64_t k = 0; k < t->d; k++) v->shift[k] = f->g[k] + way * t->mu[k];
    spd_variation_solve(v, &(spd_unary){.q = f->q, .m = f->m, .g = v->shift}, x);
}

void spd_variation_prox(spd_variation *v, const spd_unary *f, double low, double high, double *x) {
    const spd_forest *t = v->forest;
    if (!t->sparse)
        spd_variation_solve(v, f, x);
    else if (is_uniform(t, f->q)) {
        const double radius = t->mu[0] / f->q[0];
        spd_variation_solve(v, f, x);
        for (int64_t k = 0; k < t->d; k++) x[k] = x[k] > radius ? x[k] - radius : x[k] < -radius ? x[k] + radius : 0;
    } else {
        solve_shifted(v, f, 1, x);
        solve_shifted(v, f, -1, v->below);
        for (int64_t k = 0; k < t->d; k++) x[k] = x[k] > 0 ? x[k] : v->below[k] < 0 ? v->below[k] : 0;
    }
    for (int64_t k = 0; k < t->d; k++) x[k] = isfinite(x[k]) ? x[k] : 0; /* f depends on differences only, if at all */
    for (int64_t k = 0; k < t->d && (low > -INFINITY || high < INFINITY); k++)
        x[k] = x[k] < low ? low : x[k] > high ? high : x[k];
}

void spd_variation_groups(const spd_forest *f, const double *x, double low, double high, int32_t *group) {
    for (int64_t k = 0; k < f->d; k++) {
        const int32_t up = f->parent[k];
        const bool held = x[k] == low || x[k] == high;
        group[k] = held ? -1 : up >= 0 && x[k] == x[up] ? group[up] : (int32_t)k;
    }
    if (!f->sparse) return;
    /* a group at 0 is held there if mu > 0 at any of its nodes: marks the first node, then passes it on to all */
    for (int64_t k = 0; k < f->d; k++)
        if (x[k] == 0 && f->mu[k] > 0 && group[k] >= 0) group[group[k]] = -2;
    for (int64_t k = 0; k < f->d; k++)
        if (group[k] >= 0 && group[group[k]] == -2) group[k] = -1;
    for (int64_t k = 0; k < f->d; k++)
        if (group[k] == -2) group[k] = -1;
}

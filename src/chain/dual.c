/* dual.c - the dual of total variation on a forest, computed from x: forces t along the edges and s at the nodes.
 *   slope_k + s_k + t_k - sum over the children of t_c = v_k
 *   v_k = 0, but v_k >= 0 where x_k = low and v_k <= 0 where x_k = high
 *   t_k = w_k or -w_k where x_k and x_parent(k) differ
 *   s_k = mu_k or -mu_k where x_k is not 0
 * The other t and s are a flow with bounds. A pass from the leaves to the roots finds the range of each t_k; a pass back chooses
 * a value in it. Without mu and bounds each range is a single number, the sum of the slopes below. Rounding errors stay at their
 * node and do not travel beyond an edge with |t| = w. */
#include "chain/chain.h"

static double within(double a, double low, double high) { return a < low ? low : a > high ? high : a; }

static double force(const spd_forest *f, const double *x, int64_t k) {
    const double up = x[f->parent[k]];
    return x[k] > up ? f->weight[k] : x[k] < up ? -f->weight[k] : 0;
}

static void sum_up(const spd_forest *f, const spd_unary *u, const double *x, double *t) {
    for (int64_t k = 0; k < f->d; k++) t[k] = 0;
    for (int64_t k = f->d - 1; k >= 0; k--) {
        const int64_t up = f->parent[k];
        const double needed = t[k] - (u->q[k] * (x[k] - u->m[k]) + u->g[k]);
        t[k] = up < 0 ? 0 : x[k] != x[up] ? force(f, x, k) : within(needed, -f->weight[k], f->weight[k]);
        if (up >= 0) t[up] += t[k];
    }
}

/* The range of s_k: a single number where x is not 0. */
static double least_force(const spd_forest *f, double x, int64_t k) { return x > 0 ? f->mu[k] : -f->mu[k]; }
static double most_force(const spd_forest *f, double x, int64_t k) { return x < 0 ? -f->mu[k] : f->mu[k]; }

/* The range of s_k - v_k. */
static void node_range(const spd_forest *f, double low, double high, double x, int64_t k, double *from, double *to) {
    *from = least_force(f, x, k);
    *to = most_force(f, x, k);
    if (x == low) *from = -INFINITY;
    if (x == high) *to = INFINITY;
}

void spd_variation_dual(const spd_forest *f, const spd_unary *u, double low, double high, const double *x, double *t, double *s,
                        double *range) {
    if (!f->sparse && low == -INFINITY && high == INFINITY) {
        sum_up(f, u, x, t);
        return;
    }
    double *least = range, *most = least + f->d, *below = most + f->d, *above = below + f->d, from,
           to; /* ranges of t_k and of the children's sum */
    for (int64_t k = 0; k < f->d; k++) below[k] = above[k] = 0;
    for (int64_t k = f->d - 1; k >= 0; k--) {
        const int64_t up = f->parent[k];
        const double slope = u->q[k] * (x[k] - u->m[k]) + u->g[k], w = f->weight[k];
        if (up < 0) continue;
        node_range(f, low, high, x[k], k, &from, &to);
        least[k] = x[k] != x[up] ? force(f, x, k) : within(below[k] - slope - to, -w, w);
        most[k] = x[k] != x[up] ? least[k] : within(above[k] - slope - from, -w, w);
        below[up] += least[k];
        above[up] += most[k];
    }
    for (int64_t k = 0; k < f->d; k++) {
        const int64_t up = f->parent[k];
        const double slope = u->q[k] * (x[k] - u->m[k]) + u->g[k];
        t[k] = up < 0 ? 0
                      : within(least[k] + below[up] * (most[k] - least[k]), least[k],
                               most[k]); /* below now holds the position between least and most, 0 to 1 */
        node_range(f, low, high, x[k], k, &from, &to);
        const double wanted = t[k] + slope, sum = within(wanted + within(0, from, to), below[k], above[k]);
        s[k] = within(sum - wanted, least_force(f, x[k], k), most_force(f, x[k], k)); /* a side of X takes the rest */
        below[k] = above[k] > below[k] ? (sum - below[k]) / (above[k] - below[k]) : 0;
    }
}

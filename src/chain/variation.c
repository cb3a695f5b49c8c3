/* variation.c - weighted total variation on a line or a tree by dynamic programming (Johnson, JCGS 2013; trees: Kolmogorov, Pock,
 * Rolinek, SIAM J. Imaging Sciences 2016).
 *
 * The message M_k of node k to its parent is the least cost of the subtree of k, given the parent's x:
 *   M_k(x) = min over x_k and all nodes below of (cost of these nodes) + w_k |x_k - x|
 *   M_k'(x) = ( q_k (x - m_k) + g_k + sum over the children of M_c'(x) ) clipped to -w_k..w_k
 *   x_k = x_parent clipped to low_k..high_k, the points where M_k' is clipped
 *   x_root = the point where the sum is 0
 *
 * M' is increasing, piecewise linear, and constant at both ends, so it is stored as two values and a queue of knots. Clipping
 * removes knots from both ends of the queue and adds one at each end, so each knot is added and removed once. The search from the
 * right is that from the left for -M'(-x): `way` is 1 or -1. Values are updated from the nearest knot, so that no large numbers
 * cancel. */
#include <float.h>

#include "chain/knots.h"

static inline double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* way x for the x where q (x - m) + g + M' crosses -w (way 1) or w (way -1). Knots passed are removed. slope: that of the sum at
 * x. beyond: the slope after the last knot: q, or that found by the search from the other side if it removed the other knots. */
static inline __attribute__((always_inline)) double cross(spd_knots *k, bool line, int way, double q, double m, double g,
                                                          double w, double beyond, double *slope) {
    const double end = way * (k->end[way < 0] + g), target = -w;
    m *= way;
    *slope = q;
    if (spd_knots_empty(k, line)) return q > 0 ? m + (target - end) / q : end < target ? INFINITY : -INFINITY;
    double p = way * spd_knots_at(k, line, way), v = end + q * (p - m);
    if (v >= target) return q > 0 ? p - (v - target) / q : -INFINITY;
    for (double sum = q;;) { /* knots at equal positions come in any order: the sum is a slope only after the last of them */
        const double before = p, value = v;
        sum += way * spd_knots_step(k, line, way);
        spd_knots_pop(k, line, way);
        const bool last = spd_knots_empty(k, line);
        *slope = last ? beyond : fmax(sum, q);
        const double there = *slope > 0 ? before + (target - value) / *slope : before;
        if (last) return there;
        p = way * spd_knots_at(k, line, way);
        v = value + *slope * (p - before);
        if (v >= target) return fmin(there, p);
    }
}

/* Turns the sum of the children's messages into the node's own message. */
static inline __attribute__((always_inline)) void cut_off(spd_knots *k, bool line, double q, double m, double g, double w,
                                                          double *low, double *high) {
    double slope[2];
    *low = cross(k, line, 1, q, m, g, w, q, &slope[0]);
    *high = fmax(-cross(k, line, -1, q, m, g, w, slope[0], &slope[1]), *low);
    for (int side = 0; side < 2; side++) k->end[side] = q > 0 ? (side ? w : -w) : within(k->end[side] + g, -w, w);
    if (w == 0) { /* the message is constant */
        spd_knots_clear(k, line);
        return;
    }
    if (isfinite(*low)) spd_knots_push(k, line, 1, *low, slope[0]);
    if (isfinite(*high)) spd_knots_push(k, line, -1, *high, -slope[1]);
}

static void line_messages(spd_variation *v, const spd_unary *f) {
    const spd_forest *t = v->forest;
    spd_knots k = spd_knots_of_line(v);
    for (int64_t i = t->d - 1; i >= 0; i--) cut_off(&k, true, f->q[i], f->m[i], f->g[i], t->weight[i], &v->low[i], &v->high[i]);
}

static void tree_messages(spd_variation *v, const spd_unary *f) {
    const spd_forest *t = v->forest;
    spd_knots_begin(v);
    for (int64_t i = t->d - 1; i >= 0; i--) {
        spd_knots k = spd_knots_of_node(v, i);
        cut_off(&k, false, f->q[i], f->m[i], f->g[i], t->weight[i], &v->low[i], &v->high[i]);
        if (t->parent[i] >= 0) spd_knots_send(v, &k, t->parent[i]);
    }
}

/* The sum of the slopes over each set of equal neighbours should be 0: one Newton step removes the rounding error. */
static void settle(spd_variation *v, const spd_unary *f, double *x) {
    const spd_forest *t = v->forest;
    double *slope = v->low, *curve = v->high;
    for (int64_t k = 0; k < t->d; k++) {
        slope[k] = isfinite(x[k]) ? f->q[k] * (x[k] - f->m[k]) + f->g[k] : 0;
        curve[k] = f->q[k];
    }
    for (int64_t k = t->d - 1; k >= 0; k--) {
        const int64_t up = t->parent[k];
        if (up < 0) continue;
        const bool tied = x[k] == x[up];
        const double force = x[k] > x[up] ? t->weight[k] : -t->weight[k];
        slope[up] += tied ? slope[k] : -force;
        if (tied)
            curve[up] += curve[k];
        else
            slope[k] += force;
    }
    for (int64_t k = 0; k < t->d; k++) { /* slope keeps the old x of a parent, which is still needed */
        const int64_t up = t->parent[k];
        const double old = x[k], before = up >= 0 ? slope[up] : old;
        if (curve[k] > 0) x[k] -= slope[k] / curve[k];
        if (up >= 0 && (old == before || (old > before) != (x[k] > x[up]))) x[k] = x[up]; /* the order of neighbours is kept */
        slope[k] = old;
    }
}

void spd_variation_solve(spd_variation *v, const spd_unary *f, double *x) {
    const spd_forest *t = v->forest;
    if (t->line)
        line_messages(v, f);
    else
        tree_messages(v, f);
    for (int64_t k = 0; k < t->d; k++) {
        const double up = t->parent[k] < 0 ? 0 : x[t->parent[k]];
        x[k] = within(up, v->low[k], v->high[k]);
    }
    settle(v, f, x);
}

void spd_variation_layout(spd_variation *v, const spd_forest *f, spd_arena *work) {
    *v = (spd_variation){.forest = f, .low = spd_arena_take(work, f->d), .high = spd_arena_take(work, f->d)};
    spd_knots_layout(v, f, work);
    v->shift = spd_arena_take(work, f->d);
    v->below = spd_arena_take(work, f->d);
}

/* variation.c - weighted total variation on a line or a tree by dynamic programming (Johnson, JCGS 2013; trees: Kolmogorov, Pock,
 * Rolinek, SIAM J. Imaging Sciences 2016).
 *
 *   M_k(x) = min over x_k and all below it of what they cost + w_k |x_k - x|     the message of node k to its parent's x
 *   M_k'   = ( q_k (x - m_k) + g_k + sum over the children of M_c' ) cut off at -w_k and w_k
 *   low_k, high_k: where it is cut off.   x_k = x_parent cut off at low_k and high_k;   x_root: where the sum is 0
 *
 * M' rises, is piecewise linear, and constant at both ends: two values and a queue of knots. Cutting off takes knots from both
 * ends of the queue and puts one there, so each knot comes and goes once. The walk from the right is that from the left of
 * -M'(-x): `way` is 1 or -1. Values are followed from the nearest knot, never from far away, so that nothing large cancels. */
#include <float.h>

#include "chain/knots.h"

static inline double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

/* Where q (x - m) + g + M' crosses -w (way 1) or w (way -1), as way x. Knots passed are gone; slope: that of the sum there. beyond: its
 * slope behind the last knot: q, or what the walk from the other side has found, if it took the rest. */
static inline __attribute__((always_inline)) double cross(spd_knots *k, bool line, int way, double q, double m, double g,
                                                          double w, double beyond, double *slope) {
    const double end = way * (k->end[way < 0] + g), target = -w;
    m *= way;
    *slope = q;
    if (spd_knots_empty(k, line)) return q > 0 ? m + (target - end) / q : end < target ? INFINITY : -INFINITY;
    double p = way * spd_knots_at(k, line, way), v = end + q * (p - m);
    if (v >= target) return q > 0 ? p - (v - target) / q : -INFINITY;
    for (double sum = q;;) { /* knots at one place come in any order: the sum of their steps is a slope only behind the last */
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

/* One node: what its children sent becomes its own message. */
static inline __attribute__((always_inline)) void cut_off(spd_knots *k, bool line, double q, double m, double g, double w,
                                                          double *low, double *high) {
    double slope[2];
    *low = cross(k, line, 1, q, m, g, w, q, &slope[0]);
    *high = fmax(-cross(k, line, -1, q, m, g, w, slope[0], &slope[1]), *low);
    for (int side = 0; side < 2; side++) k->end[side] = q > 0 ? (side ? w : -w) : within(k->end[side] + g, -w, w);
    if (w == 0) { /* nobody is told anything */
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

/* The sum of the slopes over each set of equal neighbours is 0: once more by what rounding has left of it. */
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
    for (int64_t k = 0; k < t->d; k++) { /* the old x of a parent is still needed: kept in slope */
        const int64_t up = t->parent[k];
        const double old = x[k], before = up >= 0 ? slope[up] : old;
        if (curve[k] > 0) x[k] -= slope[k] / curve[k];
        if (up >= 0 && (old == before || (old > before) != (x[k] > x[up]))) x[k] = x[up]; /* nobody overtakes */
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

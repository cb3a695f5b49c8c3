/* cuts.c - total variation on a graph by dividing its nodes (Hochbaum, JACM 2001; Chambolle and Darbon, IJCV 2009).
 *
 *   For every level c the set { x > c } minimises
 *       sum over the set of f_k'(c)  +  sum of the weights that the set cuts
 *   so a minimum cut separates the nodes above c from those below, and the rows between the two are at their bounds for good.
 *
 *   divide(part):  c = the level that the part would have if it were flat: sum of f_k'(c) + what flows out = 0
 *                  push -f_k'(c) less what flows out, along the rows, from nodes where it is positive to where it is negative
 *                  nothing is left:  the part is flat at c
 *                  else:             divide each connected piece of the nodes above the cut, and of those below
 *
 *   |x_k|: before all, one cut at 0 with f' + mu finds { x > 0 }, one with f' - mu in the rest finds { x < 0 }.
 *   Bounds: x is clipped (prox.c).
 *
 * Each piece has its own level, so most are flat after few divisions; the flow is kept from one division to the next. */
#include "chain/network.h"

/* Of nodes that have no group yet. */
enum { HELD = -1, WAITING = -2, BELOW_ZERO = -3 };
static const double FLAT = 1e-13; /* of the sizes that were added: what is left below this is rounding */

void spd_cuts_layout(spd_cuts *c, spd_network *n, spd_arena *work) {
    spd_flow_layout(&c->flow, n, work);
    int32_t **const node[] = {&c->order, &c->spare, &c->first, &c->last, &c->group};
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = spd_arena_int32(work, n->d);
    c->level = spd_arena_take(work, n->d);
}

/* What flows from u along all its arcs: half of the difference of the residuals, which is exact where an arc is full. */
static double outflow(const spd_network *n, int32_t u) {
    double sum = 0;
    for (int32_t a = n->start[u]; a < n->start[u + 1]; a++) sum += 0.5 * (n->residual[n->back[a]] - n->residual[a]);
    return sum;
}

/* Puts the connected pieces of nodes first..last on the stack. Their heights become SPD_OUTSIDE. */
static int64_t pieces(spd_cuts *c, int64_t first, int64_t last, double level, int64_t depth) {
    const spd_network *n = c->flow.network;
    int32_t *height = c->flow.height;
    int64_t count = first;
    for (int64_t i = first; i < last; i++) {
        c->spare[i - first] = c->order[i];
        height[c->order[i]] = 0;
    }
    for (int64_t i = 0; i < last - first; i++) {
        if (height[c->spare[i]] == SPD_OUTSIDE) continue;
        c->first[depth] = (int32_t)count;
        c->order[count++] = c->spare[i];
        height[c->spare[i]] = SPD_OUTSIDE;
        for (int64_t at = c->first[depth]; at < count; at++)
            for (int32_t u = c->order[at], a = n->start[u]; a < n->start[u + 1]; a++) {
                const int32_t v = n->to[a];
                if (height[v] == SPD_OUTSIDE || !(n->residual[a] + n->residual[n->back[a]] > 0)) continue;
                height[v] = SPD_OUTSIDE;
                c->order[count++] = v;
            }
        c->last[depth] = (int32_t)count;
        c->level[depth++] = level;
    }
    return depth;
}

/* Brings the nodes above the cut to the front; returns where the others begin. All heights become SPD_OUTSIDE. */
static int64_t separate(spd_cuts *c, int64_t first, int64_t last) {
    int64_t above = first, below = 0;
    for (int64_t i = first; i < last; i++) {
        const int32_t u = c->order[i];
        if (c->flow.height[u] >= SPD_CUT_OFF)
            c->order[above++] = u;
        else
            c->spare[below++] = u;
        c->flow.height[u] = SPD_OUTSIDE;
    }
    memcpy(c->order + above, c->spare, (size_t)below * sizeof *c->spare);
    return above;
}

/* The level at which the slopes of a flat part and what flows out of it add up to 0, without the rounding of the pushes; with
 * an l1 part, on the side of 0 where the part is. */
static double balance(const spd_cuts *c, const spd_unary *f, int64_t first, int64_t last, double level) {
    const spd_network *n = c->flow.network;
    const double side = c->group[c->order[first]] == BELOW_ZERO ? -1 : 1;
    double sum = 0, curve = 0;
    for (int64_t i = first; i < last; i++) {
        const int32_t u = c->order[i];
        sum += f->q[u] * (f->m[u] - level) - f->g[u] - outflow(n, u) - side * n->mu[u];
        curve += f->q[u];
    }
    level += sum / curve;
    return n->sparse && side * level < 0 ? 0 : level;
}

static void settle(spd_cuts *c, int64_t first, int64_t last, double level, int32_t group, double *x) {
    for (int64_t i = first; i < last; i++) {
        x[c->order[i]] = level;
        c->group[c->order[i]] = group < 0 ? group : c->order[first];
    }
}

/* The highest level among the neighbours below a part, which are done before those above; -INFINITY: none. */
static double floor_of(const spd_cuts *c, int64_t first, int64_t last, const double *x) {
    const spd_network *n = c->flow.network;
    double highest = -INFINITY;
    for (int64_t i = first; i < last; i++)
        for (int32_t u = c->order[i], a = n->start[u]; a < n->start[u + 1]; a++) {
            const int32_t v = n->to[a];
            if (c->group[v] >= HELD && n->residual[n->back[a]] > n->residual[a])
                highest = fmax(highest, x[v]); /* flow goes down to v */
        }
    return highest;
}

/* A flat part without curvature may lie anywhere between its neighbours: it joins those below or, without any, stays where it is.
 * Rounding does not bring a part below its neighbours: equal levels are equal to the bit. */
static double level_of(const spd_cuts *c, const spd_unary *f, int64_t first, int64_t last, double curve, double level,
                       const double *x) {
    const double least = floor_of(c, first, last, x);
    if (curve > 0) return fmax(balance(c, f, first, last, level), least);
    return isfinite(least) ? least : f->m[c->order[first]];
}

/* One part of the stack: flat, or divided. Returns the new depth; -1: interrupted. */
static int64_t divide(spd_cuts *c, const spd_unary *f, int64_t depth, double *x, spd_stop *stop) {
    double *excess = c->flow.excess, sum = 0, curve = 0, size = 0, left = 0;
    const int64_t first = c->first[depth], last = c->last[depth];
    for (int64_t i = first; i < last; i++) {
        const int32_t u = c->order[i];
        sum += excess[u];
        size += fabs(excess[u]);
        curve += f->q[u];
    }
    const double change = curve > 0 && fabs(sum) > 1e-3 * FLAT * size ? sum / curve : 0, level = c->level[depth] + change;
    size = 0;
    for (int64_t i = first; i < last; i++) {
        const int32_t u = c->order[i];
        excess[u] -= f->q[u] * change;
        size += fabs(excess[u]) + fabs(f->q[u] * (level - f->m[u]) + f->g[u]);
    }
    if (last > first + 1 && !spd_flow_push(&c->flow, last - first, c->order + first, stop)) return -1;
    for (int64_t i = first; i < last && last > first + 1; i++) left += fmax(excess[c->order[i]], 0);
    const int64_t split = separate(c, first, last);
    if (split == first || split == last || left <= FLAT * size || !(curve > 0)) {
        settle(c, first, last, level_of(c, f, first, last, curve, level, x), 0, x);
        return depth;
    }
    return pieces(c, split, last, level, pieces(c, first, split, level, depth));
}

/* Turns the problem into that of -x. */
static void reverse(spd_cuts *c) {
    const spd_network *n = c->flow.network;
    for (int64_t u = 0; u < n->d; u++) c->flow.excess[u] = -c->flow.excess[u];
    for (int64_t e = 0; e < n->rows; e++) {
        const int32_t out = n->arc[e], in = n->back[out];
        const double residual = n->residual[out];
        n->residual[out] = n->residual[in];
        n->residual[in] = residual;
    }
}

/* The parts above and below 0 go onto the stack, the others are held at 0. Returns the depth; -1: interrupted. The second cut is
 * that of -x, so that what it leaves of -f_k'(0) at the nodes held stays within mu: pushing only takes from nodes that can
 * give. */
static int64_t divide_at_zero(spd_cuts *c, double *x, spd_stop *stop) {
    const spd_network *n = c->flow.network;
    for (int64_t u = 0; u < n->d; u++) c->flow.excess[u] -= n->mu[u];
    if (!spd_flow_push(&c->flow, n->d, c->order, stop)) return -1;
    const int64_t above = separate(c, 0, n->d);
    for (int64_t i = above; i < n->d; i++) c->flow.excess[c->order[i]] += 2 * n->mu[c->order[i]];
    reverse(c);
    const bool done = spd_flow_push(&c->flow, n->d - above, c->order + above, stop);
    reverse(c);
    if (!done) return -1;
    const int64_t below = separate(c, above, n->d);
    settle(c, below, n->d, 0, HELD, x);
    for (int64_t i = above; i < below; i++) c->group[c->order[i]] = BELOW_ZERO;
    return pieces(c, above, below, 0, pieces(c, 0, above, 0, 0));
}

/* Where the levels begin, so that data far from 0 lose no digits. */
static double middle(const spd_network *n, const spd_unary *f) {
    double sum = 0, curve = 0;
    for (int64_t u = 0; u < n->d; u++) {
        sum += f->q[u] * f->m[u];
        curve += f->q[u];
    }
    return n->sparse || !(curve > 0) ? 0 : sum / curve;
}

bool spd_cuts_solve(spd_cuts *c, const spd_unary *f, double low, double high, double *x, spd_stop *stop) {
    const spd_network *n = c->flow.network;
    const double start = middle(n, f);
    for (int32_t u = 0; u < n->d; u++) {
        c->order[u] = u;
        c->group[u] = WAITING;
        c->flow.excess[u] = f->q[u] * (f->m[u] - start) - f->g[u] - outflow(n, u);
        c->flow.height[u] = SPD_OUTSIDE;
    }
    int64_t depth = n->sparse ? divide_at_zero(c, x, stop) : pieces(c, 0, n->d, start, 0);
    while (depth > 0) depth = divide(c, f, depth - 1, x, stop);
    for (int64_t u = 0; u < n->d && depth == 0 && (low > -INFINITY || high < INFINITY); u++) {
        x[u] = x[u] < low ? low : x[u] > high ? high : x[u];
        if (x[u] == low || x[u] == high) c->group[u] = HELD;
    }
    return depth == 0;
}

void spd_cuts_single(const spd_cuts *c, const spd_unary *f, const double *x, double *s) {
    const spd_network *n = c->flow.network;
    for (int32_t u = 0; u < n->d; u++) {
        const double force = -(f->q[u] * (x[u] - f->m[u]) + f->g[u] + outflow(n, u)), mu = n->mu[u];
        s[u] = x[u] > 0 ? mu : x[u] < 0 ? -mu : fmax(-mu, fmin(mu, force));
    }
}

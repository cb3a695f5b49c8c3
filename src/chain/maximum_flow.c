/* maximum_flow.c - maximum flow by preflows (Goldberg and Tarjan, JACM 1988), the highest node first.
 *
 * A sink is a node with negative excess; residual_ij is what the arc from i to j can still take.
 *   height_i = number of arcs on the shortest path from i to a sink along arcs with residual > 0 (none: no height)
 *   while a node with excess has a height:
 *     the highest node i with excess:  push min(excess_i, residual_ij) to each j with height_j = height_i - 1
 *                                      if excess is left: height_i = 1 + the least height of a j with residual_ij > 0
 *     all heights are computed again, breadth first from the sinks, after ARCS visits per arc
 *
 * Excess that cannot reach a sink stays where it is. There is no second phase, because any flow within the capacities is a dual
 * point. */
#include "chain/network.h"

enum { ARCS = 3 };

void spd_flow_layout(spd_flow *f, spd_network *n, spd_arena *work) {
    *f = (spd_flow){.network = n, .excess = spd_arena_take(work, n->d)};
    int32_t **const node[] = {&f->height, &f->current, &f->behind, &f->queue};
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = spd_arena_int32(work, n->d);
    f->bucket = spd_arena_int32(work, n->d + 2);
}

/* Heights; the queue then holds the nodes that have one, the lowest first. Returns their number. arcs: of all nodes. */
static int64_t measure(spd_flow *f, int64_t nodes, const int32_t *node, int64_t *arcs) {
    const spd_network *n = f->network;
    int64_t count = 0;
    *arcs = 0;
    for (int64_t i = 0; i < nodes; i++) {
        const int32_t u = node[i];
        f->current[u] = n->start[u];
        f->height[u] = f->excess[u] < 0 ? 0 : SPD_CUT_OFF;
        if (f->excess[u] < 0) f->queue[count++] = u;
        *arcs += n->start[u + 1] - n->start[u];
    }
    for (int64_t i = 0; i < count; i++) {
        const int32_t u = f->queue[i];
        for (int32_t a = n->start[u]; a < n->start[u + 1]; a++) {
            const int32_t v = n->to[a];
            if (f->height[v] != SPD_CUT_OFF || !(n->residual[n->back[a]] > 0)) continue;
            f->height[v] = f->height[u] + 1;
            f->queue[count++] = v;
        }
    }
    return count;
}

static void list(spd_flow *f, int32_t u, int32_t *top) {
    const int32_t h = f->height[u];
    f->behind[u] = f->bucket[h];
    f->bucket[h] = u;
    if (h > *top) *top = h;
}

/* Pushes what u can. True: no excess is left. */
static bool discharge(spd_flow *f, int32_t u, int32_t *top, int64_t *visits) {
    const spd_network *n = f->network;
    const int32_t below = f->height[u] - 1;
    int32_t a = f->current[u];
    for (; a < n->start[u + 1]; a++) {
        ++*visits;
        const int32_t v = n->to[a];
        if (!(n->residual[a] > 0) || f->height[v] != below) continue;
        const double push = fmin(f->excess[u], n->residual[a]);
        const bool rests = f->excess[v] <= 0;
        n->residual[a] -= push;
        n->residual[n->back[a]] += push;
        f->excess[u] -= push;
        f->excess[v] += push;
        if (rests && f->excess[v] > 0) list(f, v, top);
        if (f->excess[u] <= 0) break;
    }
    f->current[u] = a;
    return f->excess[u] <= 0;
}

/* The least height from which u can push again. */
static void lift(spd_flow *f, int32_t u, int64_t *visits) {
    const spd_network *n = f->network;
    int32_t least = SPD_CUT_OFF - 1;
    for (int32_t a = n->start[u]; a < n->start[u + 1]; a++) {
        if (!(n->residual[a] > 0) || f->height[n->to[a]] >= least) continue;
        least = f->height[n->to[a]];
        f->current[u] = a;
    }
    *visits += n->start[u + 1] - n->start[u];
    f->height[u] = least + 1;
}

bool spd_flow_push(spd_flow *f, int64_t nodes, const int32_t *node, spd_stop *stop) {
    while (!spd_stop_now(stop)) {
        int64_t arcs, visits = 0;
        const int64_t reached = measure(f, nodes, node, &arcs);
        const int32_t most = reached > 0 ? f->height[f->queue[reached - 1]] + 1 : 0; /* higher nodes wait for new heights */
        int32_t top = -1;
        for (int32_t h = 0; h <= most; h++) f->bucket[h] = -1;
        for (int64_t i = reached - 1; i >= 0; i--)
            if (f->excess[f->queue[i]] > 0) list(f, f->queue[i], &top);
        if (top < 0) return true;
        while (top >= 0 && visits < ARCS * arcs) {
            const int32_t u = f->bucket[top];
            if (u < 0) {
                top--;
                continue;
            }
            f->bucket[top] = f->behind[u];
            if (discharge(f, u, &top, &visits)) continue;
            lift(f, u, &visits);
            if (f->height[u] <= most) list(f, u, &top);
        }
    }
    return false;
}

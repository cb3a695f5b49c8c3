/* knots.c - two skew heaps (Sleator and Tarjan 1986), which merge in amortised O(log n): one in rising and one in falling order
 * of position. A knot removed from one heap is marked, and dropped when it reaches the top of the other. */
#include "chain/knots.h"

void spd_knots_layout(spd_variation *v, const spd_forest *f, spd_arena *work) {
    const int64_t d = f->d;
    v->at = spd_arena_take(work, 2 * d + 2);
    v->step = spd_arena_take(work, 2 * d + 2);
    for (int side = 0; side < 2 && !f->ordered; side++) {
        for (int which = 0; which < 2; which++) v->child[side][which] = spd_arena_int32(work, 2 * d + 2);
        v->top[side] = spd_arena_int32(work, d);
        v->end[side] = spd_arena_take(work, d);
    }
    if (f->ordered) return;
    v->count = spd_arena_int32(work, d);
    v->gone = (bool *)(void *)spd_arena_take(work, (2 * d + 2) / 8 + 1);
}

spd_knots spd_knots_of_line(spd_variation *v) {
    spd_knots k = {.v = v, .at = v->at, .step = v->step};
    spd_knots_clear(&k, true);
    return k;
}

void spd_knots_begin(spd_variation *v) {
    for (int64_t i = 0; i < v->forest->d; i++) {
        v->top[0][i] = v->top[1][i] = -1;
        v->count[i] = 0;
        v->end[0][i] = v->end[1][i] = 0;
    }
}

spd_knots spd_knots_of_node(spd_variation *v, int64_t node) {
    for (int64_t place = 2 * node; place < 2 * node + 2; place++) {
        v->gone[place] = false;
        for (int side = 0; side < 2; side++) v->child[side][0][place] = v->child[side][1][place] = -1;
    }
    return (spd_knots){.v = v,
                       .at = v->at,
                       .step = v->step,
                       .top = {v->top[0][node], v->top[1][node]},
                       .count = v->count[node],
                       .spare = (int32_t)(2 * node),
                       .end = {v->end[0][node], v->end[1][node]}};
}

void spd_knots_send(spd_variation *v, const spd_knots *k, int64_t parent) {
    for (int side = 0; side < 2; side++) {
        v->top[side][parent] = spd_knots_merge(v, side, v->top[side][parent], k->top[side]);
        v->end[side][parent] += k->end[side];
    }
    v->count[parent] += (int32_t)k->count;
}

int32_t spd_knots_merge(spd_variation *v, int side, int32_t a, int32_t b) {
    int32_t top = -1, *link = &top, *const *child = v->child[side];
    while (a >= 0 && b >= 0) {
        const bool second = side ? v->at[b] > v->at[a] : v->at[b] < v->at[a];
        const int32_t first = second ? b : a, right = child[1][first];
        *link = first;
        b = second ? a : b;
        child[1][first] = child[0][first];
        link = &child[0][first];
        a = right;
    }
    *link = a >= 0 ? a : b;
    return top;
}

void spd_knots_skip(spd_knots *k, int side) {
    while (k->top[side] >= 0 && k->v->gone[k->top[side]]) {
        const int32_t top = k->top[side];
        k->top[side] = spd_knots_merge(k->v, side, k->v->child[side][0][top], k->v->child[side][1][top]);
    }
}

/* balance.c - F'y changed by a given r, with y in its ball: a maximum flow. The excess of a node (maximum_flow.c)
 * is what it must pass on. y is already a flow; it is changed only where necessary. */
#include "chain/network.h"

static void lay_out(spd_balance *b, const spdhg_problem *p) {
    b->arena.used = 0;
    spd_network_layout(&b->network, p, &b->arena);
    spd_flow_layout(&b->flow, &b->network, &b->arena);
    b->node = spd_arena_int32(&b->arena, p->d);
    b->none = spd_arena_take(&b->arena, p->d);
}

bool spd_balance_new(spd_balance *b, const spdhg_problem *p) {
    *b = (spd_balance){0};
    if (spd_network_refuses(p)) return false;
    lay_out(b, p);
    b->arena.size = b->arena.used;
    b->arena.base = SPD_NEW(double, b->arena.size);
    if (!b->arena.base) return false;
    lay_out(b, p);
    for (int64_t j = 0; j < p->d; j++) b->node[j] = (int32_t)j;
    return true;
}

void spd_balance_free(spd_balance *b) {
    spd_free(b->arena.base);
    *b = (spd_balance){0};
}

bool spd_balance_move(spd_balance *b, const spdhg_problem *p, const double *r, double *y, spd_stop *stop) {
    spd_network_fill(&b->network, p);
    if (b->network.sparse) return false;
    for (int64_t k = 0; k < p->K; k++) {
        spd_network_begin(&b->network, p, k, y);
        for (int64_t j = 0; j < p->d; j++) b->flow.excess[j] = r[j * p->K + k];
        if (!spd_flow_push(&b->flow, p->d, b->node, stop)) return false;
        spd_network_dual(&b->network, p, k, b->none, y);
    }
    return true;
}

/* sparse_factor.c - the numbers of an LDL' factor of M (sparse_system.h), one row of L at a time (Davis: LDL, 2005): row k solves
 *     L_{<k} D_{<k} l_k = M_{<k,k}
 * Its nonzeros are the nodes on the paths up the elimination tree from the entries of M's column k. Unlike the library's, this
 * function can be stopped: one factor of a large pattern takes minutes. */
#include "la/sparse_system.h"

static const double LOOK_AFTER = 1e7; /* multiplications between questions whether to stop */

/* Spreads column k of M into Y and lists the nonzeros of row k of L from list[top] on, each node after those below it in the
 * tree. Returns top. */
static int32_t reach(spd_sparse_system *s, int32_t k) {
    const spd_sparse_pattern *q = s->pattern;
    int32_t top = q->nodes;
    s->flag[k] = k;
    for (int32_t l = q->column[k]; l < q->column[k + 1]; l++) {
        int32_t length = 0;
        s->Y[q->above[l]] += s->M[l];
        for (int32_t i = q->above[l]; s->flag[i] != k; i = q->parent[i]) {
            s->list[length++] = i;
            s->flag[i] = k;
        }
        while (length > 0) s->list[--top] = s->list[--length];
    }
    return top;
}

bool spd_sparse_numbers(spd_sparse_system *s, spd_stop *stop) {
    const spd_sparse_pattern *q = s->pattern;
    double made = 0;
    memset(s->Y, 0, (size_t)q->nodes * sizeof *s->Y);
    memset(s->count, 0, (size_t)q->nodes * sizeof *s->count);
    memset(s->flag, -1, (size_t)q->nodes * sizeof *s->flag);
    for (int32_t k = 0; k < q->nodes; k++) {
        const int32_t top = reach(s, k);
        double pivot = s->Y[k];
        s->Y[k] = 0;
        for (int32_t t = top; t < q->nodes; t++) {
            const int32_t i = s->list[t], from = q->factor_column[i], to = from + s->count[i];
            const double y = s->Y[i], l = y / s->D[i];
            s->Y[i] = 0;
            for (int32_t at = from; at < to; at++) s->Y[s->row[at]] -= s->L[at] * y;
            pivot -= l * y;
            s->row[to] = k;
            s->L[to] = l;
            made += ++s->count[i];
        }
        s->D[k] = pivot;
        if (pivot == 0) return false;
        if (made < LOOK_AFTER) continue;
        if (spd_stop_now(stop)) return false;
        made = 0;
    }
    return true;
}

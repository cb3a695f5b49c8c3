/* knots.h - the knots of a message: on a line a double-ended queue in one array, on a tree two heaps that can be merged. The
 * functions are in the header so that they are inlined into the loops that call them. */
#ifndef SPD_KNOTS_H
#define SPD_KNOTS_H
#include "chain/chain.h"

/* The queue of one message. way: 1 from the left, -1 from the right. */
typedef struct spd_knots {
    spd_variation *v;
    double *at, *step;   /* those of v */
    int64_t first, last; /* line: the range of indices in use */
    int32_t top[2];      /* tree: the least and the greatest knot; -1: none */
    int64_t count;       /* tree */
    int32_t spare;       /* tree: the first of this node's own two indices */
    double end[2];       /* values at -infinity and infinity */
} spd_knots;

void spd_knots_layout(spd_variation *v, const spd_forest *f, spd_arena *work);
void spd_knots_begin(spd_variation *v);
spd_knots spd_knots_of_line(spd_variation *v);
spd_knots spd_knots_of_node(spd_variation *v, int64_t node);
void spd_knots_send(spd_variation *v, const spd_knots *k, int64_t parent);
/* Merges heaps in rising (side 0) or falling (side 1) order of position. */
int32_t spd_knots_merge(spd_variation *v, int side, int32_t a, int32_t b);
void spd_knots_skip(spd_knots *k, int side); /* drops knots already removed from the other heap */

static inline bool spd_knots_empty(const spd_knots *k, bool line) { return line ? k->first > k->last : k->count == 0; }
static inline int64_t spd_knots_place(const spd_knots *k, bool line, int way) {
    return line ? (way > 0 ? k->first : k->last) : k->top[way < 0];
}
static inline double spd_knots_at(const spd_knots *k, bool line, int way) { return k->at[spd_knots_place(k, line, way)]; }
static inline double spd_knots_step(const spd_knots *k, bool line, int way) { return k->step[spd_knots_place(k, line, way)]; }

static inline void spd_knots_pop(spd_knots *k, bool line, int way) {
    if (line) {
        k->first += way > 0;
        k->last -= way < 0;
        return;
    }
    const int side = way < 0;
    const int32_t top = k->top[side];
    k->v->gone[top] = true;
    k->top[side] = spd_knots_merge(k->v, side, k->v->child[side][0][top], k->v->child[side][1][top]);
    k->count--;
    spd_knots_skip(k, side);
    spd_knots_skip(k, !side);
}

static inline void spd_knots_push(spd_knots *k, bool line, int way, double at, double step) {
    const int64_t place = line ? (way > 0 ? --k->first : ++k->last) : k->spare++;
    k->at[place] = at;
    k->step[place] = step;
    if (line) return;
    for (int side = 0; side < 2; side++) k->top[side] = spd_knots_merge(k->v, side, k->top[side], (int32_t)place);
    k->count++;
}

static inline void spd_knots_clear(spd_knots *k, bool line) {
    k->end[0] = k->end[1] = 0;
    k->first = k->v->forest->d + 1;
    k->last = k->first - 1;
    if (line) return;
    k->top[0] = k->top[1] = -1;
    k->count = 0;
}
#endif

/* pieces.c - the pieces of a fitted line: the points at which they meet, and the constant segments of a chain. */
#include "signal/signal.h"

/* Row e of F spans the points e to e + order + 1. If it is not 0, the knot is the point in the middle; for a chain, the second of
 * the two points, where the new level begins. */
spdhg_status spd_line_knots(const spd_signal *s, const spd_signal_problem *p, const bool *zero, int64_t **knot, int64_t *knots,
                            spdhg_error *err) {
    *knots = 0;
    *knot = SPD_NEW(int64_t, p->problem->m);
    if (!*knot) return spd_fail_memory(err, 8.0 * (double)p->problem->m);
    for (int64_t e = 0; s->order >= 0 && e < p->problem->m; e++)
        if (!zero[e]) (*knot)[(*knots)++] = p->point[e + (s->order + 2) / 2];
    return SPDHG_OK;
}

spdhg_status spd_chain_segments(const spd_signal *s, const spd_signal_problem *p, const bool *zero, const double *x,
                                spdhg_segment **segment, int64_t *segments, spdhg_error *err) {
    *segments = 0;
    *segment = SPD_NEW(spdhg_segment, p->count);
    if (!*segment) return spd_fail_memory(err, 48.0 * (double)p->count);
    for (int64_t i = 0; s->order == 0 && i < p->count; i++) {
        const int64_t point = p->point[i];
        if (i == 0 || !zero[i - 1])
            (*segment)[(*segments)++] = (spdhg_segment){.first = point, .start = spd_signal_position(s, point), .level = x[i]};
        spdhg_segment *last = &(*segment)[*segments - 1];
        last->last = point;
        last->end = spd_signal_position(s, point);
        last->points++;
    }
    return SPDHG_OK;
}

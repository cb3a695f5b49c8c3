/* trace.c - the list of measured points of a run; its capacity doubles, so adding a point costs O(1) on average. */
#include "trace/trace.h"

spdhg_status spd_trace_add(spd_trace *trace, const spdhg_point *point, spdhg_error *err) {
    if (trace->points == trace->capacity) {
        const int64_t capacity = trace->capacity ? 2 * trace->capacity : 64;
        spdhg_point *grown = spd_grow(trace->point, trace->capacity, capacity, sizeof *grown);
        if (!grown) return spd_fail_memory(err, (double)capacity * (double)sizeof *grown);
        trace->point = grown;
        trace->capacity = capacity;
    }
    trace->point[trace->points++] = *point;
    return SPDHG_OK;
}

void spd_trace_clear(spd_trace *trace) {
    spd_free(trace->point);
    *trace = (spd_trace){0};
}

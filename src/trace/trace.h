/* trace.h - measured points, and writing and reading them. */
#ifndef SPD_TRACE_H
#define SPD_TRACE_H
#include "core/core.h"

typedef struct spd_trace {
    spdhg_point *point;
    int64_t points, capacity;
} spd_trace;
spdhg_status spd_trace_add(spd_trace *trace, const spdhg_point *point, spdhg_error *err);
void spd_trace_clear(spd_trace *trace);

/* csv.c: solver, repeat, epoch, iteration, seconds, objective, train_loss, test_loss, test_score, gap, dual_norm. Unknown values
 * are empty. */
spdhg_status spd_trace_write_csv(const char *path, const char *solver, int64_t repeat, const spdhg_point *point, int64_t points,
                                 spdhg_error *err);
/* The same in parts, for a table of several runs. */
void spd_trace_csv_head(FILE *stream);
void spd_trace_csv_points(FILE *stream, const char *solver, int64_t repeat, const spdhg_point *point, int64_t points);
void spd_trace_csv_text(FILE *stream, const char *text); /* quoted if RFC 4180 requires it */
void spd_trace_csv_number(FILE *stream, double value);   /* after a comma; empty if it is not finite */

/* read_csv.c: the runs of such a table, in the order of their first points. */
typedef struct spd_traced {
    char *solver;
    int64_t repeat;
    spd_trace trace;
} spd_traced;
typedef struct spd_traces {
    spd_traced *run;
    int64_t count, capacity;
} spd_traces;
spdhg_status spd_trace_read_csv(spd_traces *runs, const char *path, spdhg_error *err);
void spd_traces_clear(spd_traces *runs);
#endif

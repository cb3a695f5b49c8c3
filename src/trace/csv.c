/* csv.c - writes a trace as a table: RFC 4180 text, one line per point, raw values; unknown values are empty.
 * Columns: solver, repeat, epoch, iteration, seconds, objective, train_loss, test_loss, test_score, gap, dual_norm. */
#include <inttypes.h>

#include "trace/trace.h"

void spd_trace_csv_text(FILE *stream, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void spd_trace_csv_number(FILE *stream, double value) {
    char text[SPD_NUMBER_CHARS];
    if (isfinite(value)) spd_print_double(text, value);
    fprintf(stream, ",%s", isfinite(value) ? text : "");
}

static void put_point(FILE *stream, const char *solver, int64_t repeat, const spdhg_point *p) {
    spd_trace_csv_text(stream, solver);
    fprintf(stream, ",%" PRId64, repeat);
    spd_trace_csv_number(stream, p->epoch);
    fprintf(stream, ",%" PRId64, p->iteration);
    const double value[] = {p->seconds, p->objective, p->train_loss, p->test_loss, p->test_score, p->gap, p->dual_norm};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) spd_trace_csv_number(stream, value[i]);
    fputc('\n', stream);
}

void spd_trace_csv_head(FILE *stream) {
    fputs("solver,repeat,epoch,iteration,seconds,objective,train_loss,test_loss,test_score,gap,dual_norm\n", stream);
}

void spd_trace_csv_points(FILE *stream, const char *solver, int64_t repeat, const spdhg_point *point, int64_t points) {
    for (int64_t i = 0; i < points; i++) put_point(stream, solver, repeat, &point[i]);
}

spdhg_status spd_trace_write_csv(const char *path, const char *solver, int64_t repeat, const spdhg_point *point, int64_t points,
                                 spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spd_trace_csv_head(file.stream);
    spd_trace_csv_points(file.stream, solver, repeat, point, points);
    return spd_file_commit(&file, err);
}

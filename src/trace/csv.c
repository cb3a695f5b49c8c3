/* csv.c - writes a trace as a table: RFC 4180 text, one line per point, raw values; unknown values are empty. The order of the
 * columns is that of `number` below. */
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

/* The columns after solver, repeat, epoch and iteration. */
static const struct {
    const char *name;
    size_t at;
} number[] = {
    {"seconds", offsetof(spdhg_point, seconds)},       {"objective", offsetof(spdhg_point, objective)},
    {"train_loss", offsetof(spdhg_point, train_loss)}, {"test_loss", offsetof(spdhg_point, test_loss)},
    {"test_score", offsetof(spdhg_point, test_score)}, {"gap", offsetof(spdhg_point, gap)},
    {"dual_norm", offsetof(spdhg_point, dual_norm)},
};
enum { NUMBERS = sizeof number / sizeof *number };

static void put_point(FILE *stream, const char *solver, int64_t repeat, const spdhg_point *p) {
    spd_trace_csv_text(stream, solver);
    fprintf(stream, ",%" PRId64, repeat);
    spd_trace_csv_number(stream, p->epoch);
    fprintf(stream, ",%" PRId64, p->iteration);
    for (int i = 0; i < NUMBERS; i++) {
        double value;
        memcpy(&value, (const char *)p + number[i].at, sizeof value);
        spd_trace_csv_number(stream, value);
    }
    fputc('\n', stream);
}

void spd_trace_csv_head(FILE *stream) {
    fputs("solver,repeat,epoch,iteration", stream);
    for (int i = 0; i < NUMBERS; i++) fprintf(stream, ",%s", number[i].name);
    fputc('\n', stream);
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

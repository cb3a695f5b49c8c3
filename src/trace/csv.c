/* csv.c - a trace as a table: RFC 4180 text, one line per point, raw values, what is not known is empty.
 * Columns: solver, repeat, epoch, iteration, seconds, objective, train_loss, test_loss, test_score, gap, dual_norm. */
#include <inttypes.h>

#include "trace/trace.h"

static void put_text(FILE *stream, const char *text) {
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

static void put_number(FILE *stream, double value) {
    char text[SPD_NUMBER_CHARS];
    if (isfinite(value)) spd_print_double(text, value);
    fprintf(stream, ",%s", isfinite(value) ? text : "");
}

static void put_point(FILE *stream, const char *solver, int64_t repeat, const spdhg_point *p) {
    put_text(stream, solver);
    fprintf(stream, ",%" PRId64, repeat);
    put_number(stream, p->epoch);
    fprintf(stream, ",%" PRId64, p->iteration);
    const double value[] = {p->seconds, p->objective, p->train_loss, p->test_loss, p->test_score, p->gap, p->dual_norm};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) put_number(stream, value[i]);
    fputc('\n', stream);
}

spdhg_status spd_trace_write_csv(const char *path, const char *solver, int64_t repeat, const spdhg_point *point, int64_t points,
                                 spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fputs("solver,repeat,epoch,iteration,seconds,objective,train_loss,test_loss,test_score,gap,dual_norm\n", file.stream);
    for (int64_t i = 0; i < points; i++) put_point(file.stream, solver, repeat, &point[i]);
    return spd_file_commit(&file, err);
}

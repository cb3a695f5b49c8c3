/* libsvm_pour.c - LIBSVM text of any length, a chunk of rows at a time, into a spill (cache.h). A plain file is taken by ranges
 * of whole lines, each parsed by several threads; compressed text and pipes as they stream in. What indices count from is known
 * only at the end: they are poured out as they are parsed, less 1. */
#include <errno.h>
#include <unistd.h>

#include "reader/libsvm.h"

enum {
    CHUNK_BYTES = 1 << 24
}; /* of text, or as many as the longest line has: at most three times that as rows, if each has entries */

/* The start of the first line behind byte `from`, or the end of the file. */
static spdhg_status next_line(int descriptor, const char *path, int64_t from, int64_t size, int64_t *out, spdhg_error *err) {
    char piece[4096];
    for (*out = size; from < size;) {
        const size_t wish = size - from < (int64_t)sizeof piece ? (size_t)(size - from) : sizeof piece;
        const ssize_t got = pread(descriptor, piece, wish, (off_t)from);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return spd_fail_io(err, path, "read");
        if (got == 0) return spd_fail(err, SPDHG_IO, "%s: became shorter while it was being read", path);
        const char *newline = memchr(piece, '\n', (size_t)got);
        if (newline) {
            *out = from + (newline - piece) + 1;
            break;
        }
        from += got;
    }
    return SPDHG_OK;
}

/* Rows that are parsed go to the spill. */
static spdhg_status give(spd_spill *to, spdhg_data *chunk, spdhg_status status, spdhg_error *err) {
    if (status == SPDHG_OK && chunk->rows > 0) status = spd_spill_add(to, chunk, err);
    spdhg_data_free(chunk);
    return status;
}

static spdhg_status pour_file(spd_spill *to, spd_libsvm_sum *sum, int descriptor, int64_t size, const char *path,
                              const spdhg_read_options *o, spdhg_error *err) {
    int64_t line = 1, end;
    for (int64_t at = 0; at < size; at = end) {
        spdhg_data *chunk;
        SPD_TRY(next_line(descriptor, path, at + CHUNK_BYTES - 1, size, &end, err));
        SPD_TRY(spd_data_new(&chunk, err));
        SPD_TRY(give(to, chunk, spd_libsvm_range(chunk, sum, &line, descriptor, path, at, end, o, err), err));
        spdhg_event event = {.kind = SPDHG_EVENT_POLL, .stage = "reading", .part = (double)end / (double)size};
        if (o->callback && o->callback(o->user, &event) != 0) return spd_fail(err, SPDHG_IO, "%s: stopped while reading", path);
    }
    return SPDHG_OK;
}

static spdhg_status pour_text(spd_spill *to, spd_libsvm_sum *sum, spd_part *part, spd_text *text, const spdhg_read_options *o,
                              spdhg_error *err) {
    do {
        spdhg_data *chunk;
        spd_libsvm_clear(part);
        SPD_TRY(spd_libsvm_room(part, err));
        SPD_TRY(spd_libsvm_rows(part, text, o, err));
        SPD_TRY(spd_data_new(&chunk, err));
        SPD_TRY(give(to, chunk, spd_libsvm_take(chunk, sum, part, err), err));
        spdhg_event event = {.kind = SPDHG_EVENT_POLL, .stage = "reading"};
        if (o->callback && o->callback(o->user, &event) != 0)
            return spd_fail(err, SPDHG_IO, "%s: stopped while reading", text->path);
    } while (part->rows >= part->rows_most || part->entries >= part->entries_most);
    return SPDHG_OK;
}

static spdhg_status pour_stream(spd_spill *to, spd_libsvm_sum *sum, spd_stream *stream, const spdhg_read_options *o,
                                spdhg_error *err) {
    spd_part part = {.budget.path = spd_stream_path(stream), .rows_most = SPD_BLOCK_ROWS, .entries_most = SPD_BLOCK_ENTRIES};
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = pour_text(to, sum, &part, &text, o, err);
    spd_text_close(&text);
    spd_libsvm_free(&part);
    return status;
}

spdhg_status spd_libsvm_pour(spd_spill *to, spdhg_data *about, spd_stream *stream, const spdhg_read_options *o,
                             spdhg_error *err) {
    int64_t size;
    spd_libsvm_sum sum = {.largest = -1};
    const int descriptor = o->hash ? -1 : spd_stream_file(stream, &size);
    const char *path = spd_stream_path(stream);
    SPD_TRY(descriptor >= 0 ? pour_file(to, &sum, descriptor, size, path, o, err) : pour_stream(to, &sum, stream, o, err));
    about->rows = sum.rows;
    return spd_libsvm_conclude(&sum, o, path, about, err);
}

/* libsvm.c - LIBSVM / SVMlight text into a data set; libsvm_rows.c has the grammar of a line and its errors.
 * A plain file is cut at newlines into blocks that are parsed in parallel, directly into the final arrays: a first pass counts
 * the newlines and colons of each block, which bound its rows and entries and determine its position and line number. Compressed
 * input and pipes are parsed as they stream in. The division into blocks depends on the file alone. */
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "reader/libsvm.h"
#include "text/swar.h"

enum { BLOCK_BYTES = 1 << 22 };

typedef struct block {
    int64_t from, to; /* whole lines */
    int64_t lines, colons, first_line;
    spd_part part;
    spdhg_status status;
    spdhg_error err;
} block;

typedef struct job {
    int descriptor;
    int64_t start, end, blocks; /* bytes of the file, whole lines */
    const char *path;
    const spdhg_read_options *o;
    block *block;
    _Atomic int64_t failed; /* the first block that failed: later ones need not be parsed */
} job;

/* The first line start at or after the nominal start of block k, searched for in this block only; -1 if there is none. */
static void find_start(void *context, int64_t k) {
    job *j = context;
    block *b = &j->block[k];
    b->from = k == 0 ? j->start : -1;
    if (k == 0) return;
    const int64_t last = j->start + (k + 1) * BLOCK_BYTES - 1, stop = last < j->end ? last : j->end;
    char piece[4096];
    for (int64_t at = j->start + k * BLOCK_BYTES - 1; at < stop;) {
        const int64_t wish = stop - at < (int64_t)sizeof piece ? stop - at : (int64_t)sizeof piece;
        const ssize_t got = pread(j->descriptor, piece, (size_t)wish, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return; /* the counting pass will report the error */
        const char *newline = memchr(piece, '\n', (size_t)got);
        if (newline) {
            b->from = at + (newline - piece) + 1;
            return;
        }
        at += got;
    }
}

static void count_bytes(const char *text, size_t size, int64_t *lines, int64_t *colons) {
    const uint64_t ones = 0x0101010101010101u;
    size_t i = 0;
    while (size - i >= 8) {
        uint64_t newline = 0, colon = 0; /* eight counters each, below 256 */
        const size_t stop = size - i > 255 * 8 ? i + (size_t)255 * 8 : i + (size - i) / 8 * 8;
        for (; i < stop; i += 8) {
            uint64_t x;
            memcpy(&x, text + i, sizeof x);
            newline += spd_equal_bytes(x, '\n' * ones);
            colon += spd_equal_bytes(x, ':' * ones);
        }
        for (int shift = 0; shift < 64; shift += 8) {
            *lines += (int64_t)(newline >> shift & 255);
            *colons += (int64_t)(colon >> shift & 255);
        }
    }
    for (; i < size; i++) {
        *lines += text[i] == '\n';
        *colons += text[i] == ':';
    }
}

static void count_block(void *context, int64_t k) {
    job *j = context;
    block *b = &j->block[k];
    if (b->from >= b->to) return;
    spd_text text;
    b->status = spd_text_open_range(&text, j->descriptor, j->path, b->from, b->to, &b->err);
    while (b->status == SPDHG_OK && text.at < text.end) {
        count_bytes(text.at, (size_t)(text.end - text.at), &b->lines, &b->colons);
        text.at = text.end;
        b->status = spd_text_fill(&text, &b->err);
    }
    spd_text_close(&text);
}

static void parse_block(void *context, int64_t k) {
    job *j = context;
    block *b = &j->block[k];
    if (b->from >= b->to || k > atomic_load(&j->failed)) return;
    spd_text text;
    b->status = spd_text_open_range(&text, j->descriptor, j->path, b->from, b->to, &b->err);
    text.line = b->first_line;
    if (b->status == SPDHG_OK) b->status = spd_libsvm_rows(&b->part, &text, j->o, &b->err);
    spd_text_close(&text);
    int64_t lowest = atomic_load(&j->failed);
    while (b->status != SPDHG_OK && k < lowest && !atomic_compare_exchange_weak(&j->failed, &lowest, k)) continue;
}

static spdhg_status first_failure(const job *j, spdhg_error *err) {
    for (int64_t k = 0; k < j->blocks; k++)
        if (j->block[k].status != SPDHG_OK) return spd_fail(err, j->block[k].status, "%s", j->block[k].err.message);
    return SPDHG_OK;
}

/* Assigns every block its slices of the final arrays. */
static spdhg_status place_blocks(job *j, spdhg_data *data, int64_t *line, spdhg_error *err) {
    int64_t lines = 0, colons = 0;
    for (int64_t k = 0; k < j->blocks; k++) {
        lines += j->block[k].lines;
        colons += j->block[k].colons;
    }
    spd_budget budget = {.path = j->path, .limit = j->o->max_memory};
    SPD_TRY(spd_budget_take(&budget, 12 * (double)colons + 16 * (double)lines, err));
    data->ptr = spd_alloc_raw(lines + 1, sizeof *data->ptr);
    data->b = spd_alloc_raw(lines, sizeof *data->b);
    data->idx = spd_alloc_raw(colons, sizeof *data->idx);
    data->val = spd_alloc_raw(colons, sizeof *data->val);
    if (!data->ptr || !data->b || !data->idx || !data->val) return spd_fail_memory(err, 12 * (double)colons + 16 * (double)lines);
    lines = colons = 0;
    for (int64_t k = 0; k < j->blocks; k++) {
        block *b = &j->block[k];
        b->part = (spd_part){.idx = data->idx + colons,
                             .val = data->val + colons,
                             .row_end = data->ptr + 1 + lines,
                             .b = data->b + lines,
                             .entry_base = colons,
                             .idx_room = b->colons,
                             .val_room = b->colons,
                             .end_room = b->lines,
                             .b_room = b->lines,
                             .fixed = true,
                             .budget = budget,
                             .largest = -1};
        b->first_line = *line + lines;
        lines += b->lines;
        colons += b->colons;
    }
    *line += lines;
    return SPDHG_OK;
}

static spdhg_status read_blocks(job *j, spdhg_data *data, int64_t *line, spd_libsvm_sum *sum, spdhg_error *err) {
    const int threads = spd_threads(j->o->threads);
    spd_parallel(threads, j->blocks, find_start, j);
    for (int64_t k = j->blocks, next = j->end; k-- > 0;) {
        block *b = &j->block[k];
        if (b->from < 0) b->from = next;
        b->to = next;
        next = b->from;
    }
    spd_parallel(threads, j->blocks, count_block, j);
    SPD_TRY(first_failure(j, err));
    SPD_TRY(place_blocks(j, data, line, err));
    atomic_init(&j->failed, j->blocks);
    spd_parallel(threads, j->blocks, parse_block, j);
    SPD_TRY(first_failure(j, err));
    spd_part **part = SPD_NEW(spd_part *, j->blocks);
    if (!part) return spd_fail_memory(err, 8 * (double)j->blocks);
    for (int64_t k = 0; k < j->blocks; k++) part[k] = &j->block[k].part;
    const spdhg_status status = spd_libsvm_join(part, j->blocks, sum, data, err);
    spd_free(part);
    return status;
}

spdhg_status spd_libsvm_range(spdhg_data *data, spd_libsvm_sum *sum, int64_t *line, int descriptor, const char *path,
                              int64_t from, int64_t to, const spdhg_read_options *o, spdhg_error *err) {
    job j = {.o = o, .path = path, .descriptor = descriptor, .start = from, .end = to};
    j.blocks = (to - from + BLOCK_BYTES - 1) / BLOCK_BYTES;
    j.block = SPD_NEW(block, j.blocks);
    if (!j.block) return spd_fail_memory(err, (double)j.blocks * sizeof *j.block);
    const spdhg_status status = read_blocks(&j, data, line, sum, err);
    for (int64_t k = 0; k < j.blocks; k++) {
        spd_free(j.block[k].part.group);
        spd_free(j.block[k].part.disorder);
    }
    spd_free(j.block);
    return status;
}

spdhg_status spd_libsvm_take(spdhg_data *data, spd_libsvm_sum *sum, spd_part *part, spdhg_error *err) {
    data->idx = part->idx;
    data->val = part->val;
    data->b = part->b;
    part->idx = NULL;
    part->val = part->b = NULL; /* the data owns them now */
    part->idx_room = part->val_room = part->b_room = 0;
    spd_part view = *part, *const parts[] = {&view};
    view.idx = data->idx;
    view.val = data->val;
    view.b = data->b;
    if (!(data->ptr = spd_alloc_raw(part->rows + 1, sizeof *data->ptr))) return spd_fail_memory(err, 8 * (double)part->rows);
    return spd_libsvm_join(parts, 1, sum, data, err);
}

static spdhg_status read_stream(spdhg_data *data, spd_libsvm_sum *sum, spd_stream *stream, const spdhg_read_options *o,
                                spdhg_error *err) {
    spd_part part = {.budget = {.path = spd_stream_path(stream), .limit = o->max_memory}};
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = spd_libsvm_room(&part, err); /* idx == NULL would mean dense */
    if (status == SPDHG_OK) status = spd_libsvm_rows(&part, &text, o, err);
    spd_text_close(&text);
    if (status == SPDHG_OK) status = spd_libsvm_take(data, sum, &part, err);
    spd_libsvm_free(&part);
    return status;
}

spdhg_status spd_libsvm_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    int64_t size, line = 1;
    SPD_TRY(spd_data_new(out, err));
    spd_libsvm_sum sum = {.largest = -1};
    const int descriptor = o->hash ? -1 : spd_stream_file(stream, &size); /* words need no colon that could be counted */
    const char *path = spd_stream_path(stream);
    spdhg_data *data = *out;
    spdhg_status status = descriptor >= 0 ? spd_libsvm_range(data, &sum, &line, descriptor, path, 0, size, o, err)
                                          : read_stream(data, &sum, stream, o, err);
    if (status == SPDHG_OK) status = spd_libsvm_conclude(&sum, o, path, data, err);
    for (int64_t k = 0; status == SPDHG_OK && data->index_base == 0 && k < data->nnz; k++) data->idx[k]++;
    if (status == SPDHG_OK && data->targets == 0) {
        spd_free(data->b);
        data->b = NULL;
    }
    if (status != SPDHG_OK) {
        spdhg_data_free(data);
        *out = NULL;
    }
    return status;
}

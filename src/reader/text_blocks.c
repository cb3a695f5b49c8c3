/* text_blocks.c - LIBSVM text a block of rows at a time, in constant memory: for pipes of any length and files larger than
 * memory. A block ends after SPD_BLOCK_ROWS rows or with the row that reaches SPD_BLOCK_ENTRIES entries, so that it does not
 * depend on how the bytes arrive. Two blocks take turns: while one is used, the next can be read by another thread. */
#include "reader/libsvm.h"

struct spd_text_blocks {
    spd_stream *stream;
    spd_text text;
    spdhg_read_options o;
    int64_t features;
    bool opened, based; /* based: it is known whether indices count from 0 or from 1 */
    bool (*stop)(void *context);
    void *stop_context;
    spd_part part[2];
    spdhg_data data[2];
    int64_t *ptr[2], room[2];
    int now;
};

spdhg_status spd_text_blocks_open(spd_text_blocks **out, const char *path, const spdhg_read_options *o, spdhg_error *err) {
    *out = NULL;
    SPD_TRY(spd_hash_check(o, err));
    spd_text_blocks *b = SPD_NEW(spd_text_blocks, 1);
    if (!b) return spd_fail_memory(err, sizeof *b);
    b->o = *o;
    b->based = o->index_base >= 0 || o->hash;
    b->features = o->hash ? (int64_t)1 << o->hash : o->features;
    for (int i = 0; i < 2; i++)
        b->part[i] = (spd_part){.budget = {.path = path, .limit = o->max_memory},
                                .rows_most = SPD_BLOCK_ROWS,
                                .entries_most = SPD_BLOCK_ENTRIES,
                                .features_most = b->features};
    const spdhg_status status = spd_stream_open(&b->stream, path, err);
    if (status == SPDHG_OK)
        *out = b;
    else
        spd_text_blocks_close(b);
    return status;
}

void spd_text_blocks_watch(spd_text_blocks *b, bool (*stop)(void *context), void *context) {
    b->stop = stop;
    b->stop_context = context;
    spd_stream_watch(b->stream, stop, context);
}

static spdhg_status open_text(spd_text_blocks *b, spdhg_error *err) {
    const char *head;
    size_t size;
    b->opened = true;
    SPD_TRY(spd_stream_peek(b->stream, &head, &size, err));
    SPD_TRY(spd_foreign_check(head, size, spd_stream_path(b->stream), err));
    return spd_text_open(&b->text, b->stream, err);
}

/* Whether the text counts from 0 is decided by the first block. A later index 0 is then an error, or every index is one more. */
static spdhg_status number_features(spd_text_blocks *b, spd_part *p, spdhg_error *err) {
    const bool zero = b->based ? b->o.index_base == 0 : p->index_zero;
    if (!b->based) b->o.index_base = zero ? 0 : 1;
    b->based = true;
    if (!zero) return SPDHG_OK;
    if (p->largest + 1 >= b->features)
        return spd_fail(err, SPDHG_DATA, "%s: index %lld, but there are %lld features, the first of which is 0 (--features D)",
                        b->text.path, (long long)p->largest + 1, (long long)b->features);
    for (int64_t k = 0; k < p->entries; k++) p->idx[k]++;
    return SPDHG_OK;
}

static spdhg_status fill(spd_text_blocks *b, int which, spdhg_error *err) {
    spd_part *p = &b->part[which];
    spdhg_data *data = &b->data[which];
    if (!b->opened) SPD_TRY(open_text(b, err));
    spd_libsvm_clear(p);
    const int64_t line = b->text.line;
    SPD_TRY(spd_libsvm_room(p, err));
    SPD_TRY(spd_libsvm_rows(p, &b->text, &b->o, err));
    SPD_TRY(number_features(b, p, err));
    if (p->labelled < p->rows && !b->o.unlabelled_ok)
        return spd_fail(err, SPDHG_DATA, "%s:%lld:1: no label", b->text.path, (long long)p->unlabelled_line);
    SPD_TRY(spd_reserve(&b->ptr[which], &b->room[which], p->rows + 1, sizeof *b->ptr[which], &p->budget, err));
    b->ptr[which][0] = 0;
    memcpy(b->ptr[which] + 1, p->row_end, (size_t)p->rows * sizeof *p->row_end);
    const bool every_line = p->notes.blank_lines + p->notes.comment_lines == 0;
    *data = (spdhg_data){.rows = p->rows,
                         .features = b->features,
                         .nnz = p->entries,
                         .ptr = b->ptr[which],
                         .idx = p->idx,
                         .val = p->val,
                         .targets = p->labelled > 0,
                         .b = p->b,
                         .index_base = b->o.index_base == 0 ? 0 : 1,
                         .source = (char *)b->text.path,
                         .first_line = every_line ? line : 0,
                         .format = "libsvm",
                         .borrowed = true,
                         .notes = p->notes};
    return SPDHG_OK;
}

spdhg_status spd_text_blocks_next(spd_text_blocks *b, const spdhg_data **block, spdhg_error *err) {
    b->now = 1 - b->now;
    const spdhg_status status = fill(b, b->now, err);
    const bool stopped = b->stop && b->stop(b->stop_context);
    if (stopped) b->data[b->now].rows = 0; /* the last row may be cut short, and so may compressed data */
    *block = &b->data[b->now];
    return stopped ? SPDHG_OK : status;
}

void spd_text_blocks_close(spd_text_blocks *b) {
    if (!b) return;
    spd_text_close(&b->text);
    spd_stream_close(b->stream);
    for (int i = 0; i < 2; i++) {
        spd_libsvm_free(&b->part[i]);
        spd_free(b->ptr[i]);
    }
    spd_free(b);
}

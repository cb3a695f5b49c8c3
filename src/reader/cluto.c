/* cluto.c - CLUTO's matrix: a header "rows columns entries", then one line of pairs "column value" per row (columns from 1); or
 * a header "rows columns" and dense lines. Labels come from FILE.rclass in the same folder, one word or number per line, unless
 * the targets come from elsewhere. */
#include <unistd.h>

#include "reader/reader.h"
#include "table/labels.h"

typedef struct matrix {
    int64_t rows, columns, declared, entries, idx_room, val_room, ptr_room;
    bool dense;
    int64_t *ptr;
    int32_t *idx;
    double *val;
    spd_notes notes;
    spd_budget budget;
} matrix;

static spdhg_status read_header(spd_text *text, matrix *m, spdhg_error *err) {
    spd_token token;
    do SPD_TRY(spd_text_token(text, 0, '%', &token, err));
    while (token.kind == SPD_LINE_END);
    if (token.kind == SPD_TEXT_END) return spd_fail(err, SPDHG_DATA, "%s: has no rows", text->path);
    SPD_TRY(spd_text_count(text, &token, "the number of rows", 0, INT64_MAX / 64, &m->rows, err));
    SPD_TRY(spd_text_token(text, 0, '%', &token, err));
    SPD_TRY(spd_text_count(text, &token, "the number of columns", 0, INT32_MAX, &m->columns, err));
    SPD_TRY(spd_text_token(text, 0, '%', &token, err));
    m->dense = token.kind != SPD_TOKEN;
    if (m->dense) return SPDHG_OK;
    SPD_TRY(spd_text_count(text, &token, "the number of entries", 0, INT64_MAX / 64, &m->declared, err));
    SPD_TRY(spd_text_token(text, 0, '%', &token, err));
    if (token.kind == SPD_TOKEN) return spd_text_fail(text, &token, err, "expected the end of the header");
    return SPDHG_OK;
}

static spdhg_status end_row(spd_text *text, matrix *m, int64_t row, int64_t first, const spd_token *token,
                            const spdhg_read_options *o, spdhg_error *err) {
    int64_t count = m->entries - first, twice = -1;
    if (m->dense && count != m->columns)
        return spd_text_fail(text, token, err, "%lld numbers in this row, the header says %lld", (long long)count,
                             (long long)m->columns);
    bool ascending = true;
    for (int64_t k = first + 1; !m->dense && k < m->entries; k++) ascending = ascending && m->idx[k] > m->idx[k - 1];
    if (!ascending) {
        for (int64_t k = first + 1; k < m->entries; k++)
            if (m->idx[k] < m->idx[k - 1]) {
                m->notes.unsorted_rows++;
                break;
            }
        SPD_TRY(spd_sort_row(m->idx + first, m->val + first, &count, o->duplicates, &twice, err));
        if (twice >= 0 && o->duplicates == SPDHG_DUPLICATES_ERROR)
            return spd_text_fail(text, token, err, "column %lld occurs twice in this row", (long long)twice + 1);
        m->notes.duplicate_entries += m->entries - first - count;
        m->entries = first + count;
    }
    SPD_TRY(spd_reserve(&m->ptr, &m->ptr_room, row + 2, sizeof *m->ptr, &m->budget, err));
    m->ptr[row + 1] = m->entries;
    return SPDHG_OK;
}

static spdhg_status read_row(spd_text *text, matrix *m, int64_t row, const spdhg_read_options *o, int64_t *read,
                             spdhg_error *err) {
    const int64_t first = m->entries;
    spd_token token;
    for (;;) {
        int64_t column = m->entries - first + 1;
        SPD_TRY(spd_text_token(text, 0, 0, &token, err));
        if (token.kind == SPD_TEXT_END && m->entries == first)
            return spd_text_fail(text, &token, err, "ends after %lld rows, the header says %lld", (long long)row,
                                 (long long)m->rows);
        if (token.kind != SPD_TOKEN) return end_row(text, m, row, first, &token, o, err);
        if (!m->dense) {
            SPD_TRY(spd_text_count(text, &token, "a column", 1, m->columns, &column, err));
            SPD_TRY(spd_text_token(text, 0, 0, &token, err));
            if (token.kind != SPD_TOKEN) return spd_text_fail(text, &token, err, "expected a value");
        } else if (column > m->columns)
            return spd_text_fail(text, &token, err, "more numbers in this row than the %lld of the header",
                                 (long long)m->columns);
        SPD_TRY(spd_reserve(&m->idx, &m->idx_room, m->entries + 1, sizeof *m->idx, &m->budget, err));
        SPD_TRY(spd_reserve(&m->val, &m->val_room, m->entries + 1, sizeof *m->val, &m->budget, err));
        m->idx[m->entries] = (int32_t)(column - 1);
        SPD_TRY(spd_text_number(text, &token, &m->val[m->entries++], err));
        (*read)++;
    }
}

static spdhg_status read_matrix(spd_text *text, matrix *m, const spdhg_read_options *o, spdhg_error *err) {
    SPD_TRY(read_header(text, m, err));
    SPD_TRY(spd_reserve(&m->ptr, &m->ptr_room, 1, sizeof *m->ptr, &m->budget, err));
    SPD_TRY(spd_reserve(&m->idx, &m->idx_room, 1, sizeof *m->idx, &m->budget, err));
    SPD_TRY(spd_reserve(&m->val, &m->val_room, 1, sizeof *m->val, &m->budget, err));
    m->ptr[0] = 0;
    int64_t read = 0;
    for (int64_t i = 0; i < m->rows; i++) SPD_TRY(read_row(text, m, i, o, &read, err));
    spd_token token;
    do SPD_TRY(spd_text_token(text, 0, '%', &token, err));
    while (token.kind == SPD_LINE_END);
    if (token.kind == SPD_TOKEN)
        return spd_text_fail(text, &token, err, "more rows than the %lld of the header", (long long)m->rows);
    if (!m->dense && read != m->declared)
        return spd_text_fail(text, &token, err, "%lld entries, the header says %lld", (long long)read, (long long)m->declared);
    m->notes.lines = text->line - 1;
    return SPDHG_OK;
}

/* Reads one label per line of FILE.rclass: numbers if all of them are numbers, otherwise words. */
static spdhg_status read_classes(spdhg_data *data, spd_text *text, spd_labels *labels, spdhg_error *err) {
    spd_budget budget = {.path = text->path};
    data->b = SPD_NEW(double, data->rows);
    if (!data->b) return spd_fail_memory(err, 8 * (double)data->rows);
    spd_token token;
    bool words = false;
    int64_t row = 0;
    for (;;) {
        do SPD_TRY(spd_text_token(text, 0, 0, &token, err));
        while (token.kind == SPD_LINE_END);
        if (token.kind == SPD_TEXT_END) break;
        if (row == data->rows) return spd_text_fail(text, &token, err, "more labels than the %lld rows", (long long)data->rows);
        char word[256];
        double number;
        const int length = (int)(token.end - token.at < 255 ? token.end - token.at : 255);
        snprintf(word, sizeof word, "%.*s", length, token.at);
        words = words || !spd_to_double(word, &number);
        SPD_TRY(spd_labels_code(labels, word, &budget, &data->b[row++], err));
    }
    if (row != data->rows)
        return spd_text_fail(text, &token, err, "%lld labels for %lld rows", (long long)row, (long long)data->rows);
    data->targets = 1;
    if (words) {
        SPD_TRY(spd_labels_sort(labels, false, data->b, 1, data->rows, err));
        data->label = labels->text;
        data->labels = labels->count;
        labels->text = NULL;
        labels->count = 0;
    } else
        for (int64_t i = 0; i < data->rows; i++) spd_to_double(labels->text[(int64_t)data->b[i]], &data->b[i]);
    return SPDHG_OK;
}

static spdhg_status find_classes(spdhg_data *data, const char *path, spdhg_error *err) {
    const size_t size = strlen(path) + sizeof ".rclass";
    char *beside = spd_alloc((int64_t)size, 1);
    if (!beside) return spd_fail_memory(err, (double)size);
    snprintf(beside, size, "%s.rclass", path);
    spd_stream *stream = NULL;
    spd_text text = {0};
    spd_labels labels = {0};
    spdhg_status status = SPDHG_OK;
    if (access(beside, F_OK) == 0) {
        status = spd_stream_open(&stream, beside, err);
        if (status == SPDHG_OK) status = spd_text_open(&text, stream, err);
        if (status == SPDHG_OK) status = read_classes(data, &text, &labels, err);
    }
    spd_text_close(&text);
    spd_stream_close(stream);
    spd_labels_free(&labels);
    spd_free(beside);
    return status;
}

spdhg_status spd_cluto_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    matrix m = {.budget = {.path = spd_stream_path(stream), .limit = o->max_memory}};
    SPD_TRY(spd_data_new(out, err));
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_matrix(&text, &m, o, err);
    spd_text_close(&text);
    if (m.dense) {
        spd_free(m.ptr);
        spd_free(m.idx);
        m.ptr = NULL;
        m.idx = NULL;
    }
    spdhg_data *data = *out;
    data->rows = m.rows;
    data->features = m.columns;
    data->nnz = m.entries;
    data->ptr = m.ptr;
    data->idx = m.idx;
    data->val = m.val;
    data->notes = m.notes;
    if (status == SPDHG_OK && !o->targets) status = find_classes(data, m.budget.path, err);
    if (status != SPDHG_OK) {
        spdhg_data_free(data);
        *out = NULL;
    }
    return status;
}

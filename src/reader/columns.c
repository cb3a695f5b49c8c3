/* columns.c - reads text of numbers, one row per line, separated by blanks or commas; '#' starts a comment; blank lines are
 * ignored. Used for sample weights, offsets, targets, penalty weights and group numbers. */
#include "reader/reader.h"

typedef struct table {
    double *value;
    int64_t used, capacity, rows, columns;
    spd_budget budget;
} table;

static spdhg_status read_rows(spd_text *text, table *t, spdhg_error *err) {
    if (text->end - text->at >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) text->at += 3;
    int64_t here = 0; /* numbers in this line so far */
    for (;;) {
        spd_token token;
        SPD_TRY(spd_text_token(text, ',', '#', &token, err));
        if (token.kind == SPD_TEXT_END) break;
        if (token.kind == SPD_TOKEN) {
            SPD_TRY(spd_reserve(&t->value, &t->capacity, t->used + 1, sizeof *t->value, &t->budget, err));
            SPD_TRY(spd_text_number(text, &token, &t->value[t->used], err));
            t->used++;
            here++;
            if (t->rows > 0 && here > t->columns)
                return spd_text_fail(text, &token, err, "more numbers than in the lines before, which have %lld",
                                     (long long)t->columns);
        } else if (here > 0) {
            if (t->rows == 0) t->columns = here;
            if (here != t->columns)
                return spd_text_fail(text, &token, err, "%lld numbers in this line, but %lld in those before", (long long)here,
                                     (long long)t->columns);
            t->rows++;
            here = 0;
        }
    }
    if (t->rows == 0) return spd_fail(err, SPDHG_DATA, "%s: no numbers in it", text->path);
    return SPDHG_OK;
}

spdhg_status spd_numbers_read(const char *path, double **out, int64_t *rows, int64_t *columns, spdhg_error *err) {
    *out = NULL;
    *rows = *columns = 0;
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    table t = {.budget = {.path = path}};
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_rows(&text, &t, err);
    spd_text_close(&text);
    spd_stream_close(stream);
    if (status != SPDHG_OK) {
        spd_free(t.value);
        return status;
    }
    *out = t.value;
    *rows = t.rows;
    *columns = t.columns;
    return SPDHG_OK;
}

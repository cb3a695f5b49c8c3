/* reader.h - what the readers of this room share: text in windows of whole tokens, arrays that grow within a budget. Private to
 * data. */
#ifndef SPD_READER_H
#define SPD_READER_H

#include "data/data.h"

/* ---- text.c. A window [at, safe) of the text in which every token is complete: the last byte before safe is a blank or a
 * newline, so a scan for digits needs no other bound, and *safe is neither, so a scan over blanks stops there. Lines may be of
 * any length; a token may not exceed SPD_TOKEN_BYTES. A text whose last line has no newline gets one. 16 bytes may be loaded from
 * any place of the window. */
enum { SPD_TOKEN_BYTES = 1 << 16, SPD_TEXT_BYTES = 1 << 18, SPD_TEXT_PADDING = 32 };

typedef struct spd_text {
    spd_stream *stream; /* bytes come from here, or, if NULL, by pread from descriptor [from, to) */
    int descriptor;
    int64_t from, to;
    const char *path;
    char *buffer;
    char *at, *safe, *end;
    int64_t offset;     /* in the text, of buffer[0] */
    int64_t line;       /* number of the current line, from 1 */
    int64_t line_start; /* its offset in the text */
    bool over;
} spd_text;

spdhg_status spd_text_open(spd_text *text, spd_stream *stream, spdhg_error *err);
spdhg_status spd_text_open_range(spd_text *text, int descriptor, const char *path, int64_t from, int64_t to, spdhg_error *err);
void spd_text_close(spd_text *text);
/* What is behind `at` moves to the front and more is read. At the end of the text at == end afterwards. */
spdhg_status spd_text_fill(spd_text *text, spdhg_error *err);
/* Drops everything up to the next newline (which stays), however far. */
spdhg_status spd_text_skip_line(spd_text *text, spdhg_error *err);

static inline bool spd_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static inline int64_t spd_text_offset(const spd_text *t, const char *place) { return t->offset + (place - t->buffer); }
static inline int64_t spd_text_column(const spd_text *t, const char *place) {
    return spd_text_offset(t, place) - t->line_start + 1;
}
static inline void spd_text_newline(spd_text *t) { /* at stands behind the newline */
    t->line++;
    t->line_start = spd_text_offset(t, t->at);
}
typedef struct spd_shown {
    char text[48];
} spd_shown;
spd_shown spd_show(const char *token, const char *end); /* at most 40 bytes of a token, for a message */

typedef enum spd_token_kind { SPD_TOKEN, SPD_LINE_END, SPD_TEXT_END } spd_token_kind;
typedef struct spd_token {
    spd_token_kind kind;
    const char *at, *end; /* valid until the next call */
    int64_t line, column; /* in bytes, from 1 */
} spd_token;
/* "FILE:LINE:COLUMN: ..." */
spdhg_status spd_text_fail(const spd_text *text, const spd_token *token, spdhg_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The next token; separators are blanks and `also` (0: none); `comment` starts a comment that lasts to the end of the line. */
spdhg_status spd_text_token(spd_text *text, char also, char comment, spd_token *token, spdhg_error *err);
/* The token as a finite number, or an error with its place. */
spdhg_status spd_text_number(const spd_text *text, const spd_token *token, double *out, spdhg_error *err);
spdhg_status spd_text_count(const spd_text *text, const spd_token *token, const char *what, int64_t least, int64_t most,
                            int64_t *out, spdhg_error *err);

/* Room for `need` elements: grows by half, refuses with SPDHG_MEMORY what exceeds the limit. */
typedef struct spd_budget {
    const char *path;
    uint64_t limit, held; /* bytes; limit 0: none */
} spd_budget;
spdhg_status spd_budget_take(spd_budget *budget, double bytes, spdhg_error *err);
spdhg_status spd_reserve(void *array, int64_t *capacity, int64_t need, size_t size, spd_budget *budget, spdhg_error *err);

/* Sorts idx/val of one row by idx, stable; merges equal ones. *count is what remains; *twice is an index that occurs twice, or
 * -1. */
spdhg_status spd_sort_row(int32_t *idx, double *val, int64_t *count, spdhg_duplicates duplicates, int64_t *twice,
                          spdhg_error *err);

/* ---- table.c: who reads a table of numbers that has a banner or a header; NULL: plain lines of numbers. */
const spd_reader *spd_table_of_numbers(const char *head, size_t size);

/* ---- readers */
spdhg_status spd_libsvm_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_libsvm_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_csv_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_csv_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_market_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_market_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_cluto_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cluto_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_cache_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cache_write(const spdhg_data *data, const char *path, spdhg_error *err);
#define SPD_CACHE_MAGIC "\x89SPDHG\r\n"

/* ---- names.c */
typedef struct spd_name_list {
    char **name;
    int64_t count;
} spd_name_list;
spdhg_status spd_names_read(spd_name_list *names, const char *path, spdhg_error *err);
void spd_names_free(spd_name_list *names);
#endif

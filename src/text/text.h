/* text.h - from the bytes of a file to tokens with their line and column: streams, which decompress, and text in windows. */
#ifndef SPD_TEXT_H
#define SPD_TEXT_H

#include "core/core.h"

/* ---- stream.c: bytes of a file or "-", decompressed by content (.gz .bz2 .xz .zst magic), checksums verified. */
typedef struct spd_stream spd_stream;
spdhg_status spd_stream_open(spd_stream **out, const char *path, spdhg_error *err);
/* Fills buffer; *got < size only at the end. SPDHG_DATA with the byte offset when the content is truncated or corrupt. */
spdhg_status spd_stream_read(spd_stream *stream, char *buffer, size_t size, size_t *got, spdhg_error *err);
/* stop is asked several times a second while the stream waits for bytes, from the thread that reads; the file ends, or seems to
 * be cut off, where it says true. */
void spd_stream_watch(spd_stream *stream, bool (*stop)(void *context), void *context);
const char *spd_stream_path(const spd_stream *stream);
/* Calls watch after every piece that is read, with the part of the file that has been; not where its size is unknown. */
typedef void (*spd_watch)(void *context, double part);
void spd_stream_follow(spd_stream *stream, spd_watch watch, void *context);
/* The first decompressed bytes (up to 4096), without consuming them. */
spdhg_status spd_stream_peek(spd_stream *stream, const char **head, size_t *size, spdhg_error *err);
/* The descriptor of a plain regular file, for pread from 0 to *size; -1 if it is compressed, a pipe, or standard input that has
 * been read in part. */
int spd_stream_file(const spd_stream *stream, int64_t *size);
void spd_stream_close(spd_stream *stream);

/* ---- text.c. A window [at, safe) of the text in which every token is complete. The last byte before safe is a blank or a
 * newline, so a scan for digits needs no other bound; *safe is neither, so a scan over blanks stops there. Lines may be of any
 * length; a token may not exceed SPD_TOKEN_BYTES. If the last line of a text has no newline, one is added. 16 bytes may be loaded
 * from any position in the window. */
enum { SPD_TOKEN_BYTES = 1 << 16, SPD_TEXT_BYTES = 1 << 18, SPD_TEXT_PADDING = 32 };

typedef struct spd_text {
    spd_stream *stream; /* bytes come from here, or, if NULL, by pread from descriptor [from, to) */
    int descriptor;
    int64_t from, to;
    const char *path;
    char *buffer;
    char *at, *safe, *end;
    int64_t offset;     /* offset of buffer[0] in the text */
    int64_t line;       /* number of the current line, from 1 */
    int64_t line_start; /* its offset in the text */
    bool over;
} spd_text;

spdhg_status spd_text_open(spd_text *text, spd_stream *stream, spdhg_error *err);
spdhg_status spd_text_open_range(spd_text *text, int descriptor, const char *path, int64_t from, int64_t to, spdhg_error *err);
void spd_text_close(spd_text *text);
/* Moves the bytes from `at` on to the front and reads more. At the end of the text, at == end afterwards. */
spdhg_status spd_text_fill(spd_text *text, spdhg_error *err);
/* Skips everything up to the next newline (which stays), however far. */
spdhg_status spd_text_skip_line(spd_text *text, spdhg_error *err);

static inline bool spd_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static inline int64_t spd_text_offset(const spd_text *t, const char *place) { return t->offset + (place - t->buffer); }
static inline int64_t spd_text_column(const spd_text *t, const char *place) {
    return spd_text_offset(t, place) - t->line_start + 1;
}
static inline void spd_text_newline(spd_text *t) { /* at points just after the newline */
    t->line++;
    t->line_start = spd_text_offset(t, t->at);
}
typedef struct spd_shown {
    char text[48];
} spd_shown;
spd_shown spd_show(const char *token, const char *end); /* about 40 bytes of a token, for a message */

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
/* The token as a finite number, or an error with its position. */
spdhg_status spd_text_number(const spd_text *text, const spd_token *token, double *out, spdhg_error *err);
spdhg_status spd_text_count(const spd_text *text, const spd_token *token, const char *what, int64_t least, int64_t most,
                            int64_t *out, spdhg_error *err);

#endif

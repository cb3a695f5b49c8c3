/* text.c - text in windows of whole tokens, with the line and column of every byte. Memory does not depend on the length of a
 * line. See text.h for the contract. */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "text/text.h"

static spdhg_status open_text(spd_text *t, spdhg_error *err) {
    t->buffer = spd_alloc(SPD_TEXT_BYTES + SPD_TEXT_PADDING, 1);
    if (!t->buffer) return spd_fail_memory(err, SPD_TEXT_BYTES);
    t->at = t->safe = t->end = t->buffer;
    t->line = 1;
    return SPDHG_OK;
}

spdhg_status spd_text_open(spd_text *t, spd_stream *stream, spdhg_error *err) {
    *t = (spd_text){.stream = stream, .path = spd_stream_path(stream)};
    SPD_TRY(open_text(t, err));
    return spd_text_fill(t, err);
}

spdhg_status spd_text_open_range(spd_text *t, int descriptor, const char *path, int64_t from, int64_t to, spdhg_error *err) {
    *t = (spd_text){.descriptor = descriptor, .path = path, .from = from, .to = to, .offset = from, .line_start = from};
    SPD_TRY(open_text(t, err));
    return spd_text_fill(t, err);
}

void spd_text_close(spd_text *t) {
    spd_free(t->buffer);
    t->buffer = NULL;
}

static spdhg_status fetch(spd_text *t, char *place, size_t space, size_t *got, spdhg_error *err) {
    if (t->stream) return spd_stream_read(t->stream, place, space, got, err);
    const int64_t left = t->to - t->from;
    if ((int64_t)space > left) space = (size_t)left;
    for (*got = 0; *got < space;) {
        const ssize_t bytes = pread(t->descriptor, place + *got, space - *got, (off_t)t->from);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return spd_fail_io(err, t->path, "read");
        if (bytes == 0) return spd_fail(err, SPDHG_IO, "%s: became shorter while it was being read", t->path);
        *got += (size_t)bytes;
        t->from += bytes;
    }
    return SPDHG_OK;
}

spdhg_status spd_text_fill(spd_text *t, spdhg_error *err) {
    const size_t rest = (size_t)(t->end - t->at);
    memmove(t->buffer, t->at, rest);
    t->offset += t->at - t->buffer;
    t->at = t->buffer;
    t->end = t->safe = t->buffer + rest;
    if (!t->over) {
        const size_t space = SPD_TEXT_BYTES - rest;
        size_t got = 0;
        SPD_TRY(fetch(t, t->end, space, &got, err));
        t->end += got;
        t->over = t->stream ? got < space : t->from == t->to;
        if (t->over && t->end > t->buffer && t->end[-1] != '\n') *t->end++ = '\n';
    }
    char *safe = t->end;
    while (safe > t->at && !spd_is_blank(safe[-1]) && safe[-1] != '\n') safe--;
    t->safe = safe;
    *t->end = '\0'; /* stops a scan over blanks at safe */
    return SPDHG_OK;
}

spdhg_status spd_text_skip_line(spd_text *t, spdhg_error *err) {
    for (;;) {
        char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
        if (newline) {
            t->at = newline;
            if (t->safe <= newline) t->safe = newline + 1;
            return SPDHG_OK;
        }
        t->at = t->end;
        if (t->over) return SPDHG_OK;
        SPD_TRY(spd_text_fill(t, err));
    }
}

spd_shown spd_show(const char *token, const char *end) {
    spd_shown shown;
    const size_t most = 40;
    size_t n = 0;
    while (token < end && n < most) {
        const int length = spd_utf8_length(token, end);
        const bool control = length == 2 && token[0] == '\xc2' && token[1] < '\xa0';
        const bool plain = length > 1 ? !control : *token >= ' ' && *token <= '~';
        if (plain)
            memcpy(shown.text + n, token, (size_t)length);
        else
            shown.text[n] = '?';
        n += plain ? (size_t)length : 1;
        token += length > 1 ? length : 1;
    }
    snprintf(shown.text + n, sizeof shown.text - n, "%s", token < end ? "..." : "");
    return shown;
}

spdhg_status spd_text_fail(const spd_text *t, const spd_token *token, spdhg_error *err, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return spd_fail(err, SPDHG_DATA, "%s:%lld:%lld: %s", t->path, (long long)token->line, (long long)token->column, what);
}

static spd_token token_here(const spd_text *t, spd_token_kind kind) {
    return (spd_token){kind, t->at, t->at, t->line, spd_text_column(t, t->at)};
}

spdhg_status spd_text_token(spd_text *t, char also, char comment, spd_token *token, spdhg_error *err) {
    for (;;) {
        while (t->at < t->safe && (spd_is_blank(*t->at) || (also && *t->at == also))) t->at++;
        if (t->at < t->end && comment && *t->at == comment)
            SPD_TRY(spd_text_skip_line(t, err));
        else if (t->at < t->safe)
            break;
        else {
            *token = token_here(t, SPD_TEXT_END);
            if (t->at == t->end && t->over) return SPDHG_OK;
            SPD_TRY(spd_text_fill(t, err));
            if (t->at == t->safe && t->end - t->at >= SPD_TOKEN_BYTES)
                return spd_text_fail(t, token, err, "more than %d characters without a blank", SPD_TOKEN_BYTES);
        }
    }
    *token = token_here(t, *t->at == '\n' ? SPD_LINE_END : SPD_TOKEN);
    if (token->kind == SPD_LINE_END) {
        t->at++;
        spd_text_newline(t);
        return SPDHG_OK;
    }
    while (!spd_is_blank(*t->at) && *t->at != '\n' && !(also && *t->at == also) && !(comment && *t->at == comment)) t->at++;
    token->end = t->at;
    if (token->end - token->at > SPD_TOKEN_BYTES)
        return spd_text_fail(t, token, err, "more than %d characters without a blank", SPD_TOKEN_BYTES);
    return SPDHG_OK;
}

spdhg_status spd_text_number(const spd_text *t, const spd_token *token, double *out, spdhg_error *err) {
    if (token->at == token->end)
        return spd_text_fail(t, token, err, "expected a number, found nothing (a missing value must be filled in first)");
    if (spd_parse_double(token->at, token->end, out) != token->end)
        return spd_text_fail(t, token, err, "expected a number, found '%s'", spd_show(token->at, token->end).text);
    if (!isfinite(*out)) return spd_text_fail(t, token, err, "number out of range: '%s'", spd_show(token->at, token->end).text);
    return SPDHG_OK;
}

spdhg_status spd_text_count(const spd_text *t, const spd_token *token, const char *what, int64_t least, int64_t most,
                            int64_t *out, spdhg_error *err) {
    if (token->kind == SPD_TOKEN && spd_parse_int(token->at, token->end, out) == token->end && *out >= least && *out <= most)
        return SPDHG_OK;
    return spd_text_fail(t, token, err, "expected %s, a whole number from %lld to %lld, found '%s'", what, (long long)least,
                         (long long)most, token->kind == SPD_TOKEN ? spd_show(token->at, token->end).text : "end of line");
}

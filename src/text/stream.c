/* stream.c - the bytes of a file or of standard input, decompressed according to their content, not the file name, and as UTF-8.
 * codec.c has the decoders, recode.c other forms of text. This file handles the input, consecutive frames, and the position of
 * errors. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/codec.h"
#include "text/recode.h"
#include "text/text.h"

enum { INPUT_BYTES = 1 << 16, HEAD_BYTES = 4096 };

struct spd_stream {
    int descriptor;
    char *path;
    int64_t size;           /* of a regular file that is read from its start, otherwise -1 */
    const spd_codec *codec; /* NULL: plain */
    spd_decoder decoder;
    char input[INPUT_BYTES];
    size_t input_at, input_end;
    int64_t input_offset; /* offset of input[0] in the file */
    bool input_over, boundary /* between two frames, where a file may end */;
    char head[HEAD_BYTES]; /* bytes peeked at */
    size_t head_at, head_end;
    spd_form form;          /* of the decompressed bytes */
    char raw[HEAD_BYTES];   /* those that are not recoded yet */
    size_t raw_at, raw_end; /* of a plain form: bytes that were read to find out */
    bool raw_over, peeked;
    bool (*stop)(void *context); /* NULL: never asked */
    void *stop_context;
};

enum { PATIENCE = 100 }; /* milliseconds */

static spdhg_status find_form(spd_stream *s, spdhg_error *err);

/* Waits for bytes; false: it is told to stop. */
static bool wait_for_bytes(const spd_stream *s) {
    struct pollfd ready = {.fd = s->descriptor, .events = POLLIN};
    while (s->stop)
        if (s->stop(s->stop_context))
            return false;
        else if (poll(&ready, 1, PATIENCE) > 0)
            break;
    return true;
}

/* Reads until the buffer is full or the file ends. */
static spdhg_status read_file(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    for (*got = 0; *got < size && wait_for_bytes(s);) {
        const ssize_t bytes = read(s->descriptor, buffer + *got, size - *got);
        if (bytes == 0) break;
        if (bytes > 0)
            *got += (size_t)bytes;
        else if (errno != EINTR)
            return spd_fail_io(err, s->path, "read");
    }
    return SPDHG_OK;
}

static spdhg_status refill(spd_stream *s, spdhg_error *err) {
    s->input_offset += (int64_t)s->input_end;
    s->input_at = s->input_end = 0;
    SPD_TRY(read_file(s, s->input, INPUT_BYTES, &s->input_end, err));
    s->input_over = s->input_end < INPUT_BYTES;
    return SPDHG_OK;
}

static spdhg_status start(spd_stream *s, spdhg_error *err) {
    s->descriptor = strcmp(s->path, "-") == 0 ? STDIN_FILENO : open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->descriptor < 0) return spd_fail_io(err, s->path, "open");
    struct stat info;
    if (fstat(s->descriptor, &info) != 0) return spd_fail_io(err, s->path, "read");
    if (S_ISDIR(info.st_mode)) return spd_fail(err, SPDHG_IO, "%s: is a directory, expected a file", s->path);
    s->size = S_ISREG(info.st_mode) && lseek(s->descriptor, 0, SEEK_CUR) == 0 ? (int64_t)info.st_size : -1;
    SPD_TRY(refill(s, err));
    const spd_codec *codec = spd_codec_of(s->input, s->input_end);
    if (codec && !codec->open(&s->decoder)) return spd_fail_memory(err, INPUT_BYTES);
    s->codec = codec;
    return find_form(s, err);
}

spdhg_status spd_stream_open(spd_stream **out, const char *path, spdhg_error *err) {
    *out = NULL;
    spd_stream *s = SPD_NEW(spd_stream, 1);
    if (!s) return spd_fail_memory(err, sizeof *s);
    s->descriptor = -1;
    s->path = spd_strdup(path);
    const spdhg_status status = s->path ? start(s, err) : spd_fail_memory(err, (double)strlen(path));
    if (status == SPDHG_OK)
        *out = s;
    else
        spd_stream_close(s);
    return status;
}

static spdhg_status read_plain(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    const size_t held = s->input_end - s->input_at;
    *got = held < size ? held : size;
    memcpy(buffer, s->input + s->input_at, *got);
    s->input_at += *got;
    if (*got == size || s->input_over) return SPDHG_OK;
    size_t more;
    SPD_TRY(read_file(s, buffer + *got, size - *got, &more, err));
    *got += more;
    return SPDHG_OK;
}

static spdhg_status decode(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    *got = 0;
    while (*got < size) {
        if (s->input_at == s->input_end && !s->input_over) SPD_TRY(refill(s, err));
        const size_t left = s->input_end - s->input_at;
        if (left == 0 && s->boundary) return SPDHG_OK;
        spd_span p = {s->input + s->input_at, left, buffer + *got, size - *got, s->input_over};
        const spd_progress answer = s->codec->step(&s->decoder, &p);
        const bool stuck = p.ins == left && p.outs == size - *got;
        s->input_at += left - p.ins;
        *got = size - p.outs;
        const int64_t place = s->input_offset + (int64_t)s->input_at;
        if (answer == SPD_NO_MEMORY)
            return spd_fail(err, SPDHG_MEMORY, "%s: not enough memory to decompress %s", s->path, s->codec->name);
        if (answer == SPD_CORRUPT)
            return spd_fail(err, SPDHG_DATA, "%s: corrupt %s data near byte %lld (compressed)", s->path, s->codec->name,
                            (long long)place);
        if (stuck && answer == SPD_MORE && left == 0 && s->input_over)
            return spd_fail(err, SPDHG_DATA, "%s: truncated %s data: ends at byte %lld (compressed)", s->path, s->codec->name,
                            (long long)place);
        s->boundary = answer == SPD_FRAME_END;
    }
    return SPDHG_OK;
}

/* Decompressed bytes, beginning with those that find_form has read. */
static spdhg_status read_raw(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    const size_t held = s->raw_end - s->raw_at, taken = held < size ? held : size;
    memcpy(buffer, s->raw + s->raw_at, taken);
    s->raw_at += taken;
    *got = taken;
    if (taken == size) return SPDHG_OK;
    size_t more = 0;
    SPD_TRY((s->codec ? decode : read_plain)(s, buffer + taken, size - taken, &more, err));
    *got += more;
    return SPDHG_OK;
}

static spdhg_status find_form(spd_stream *s, spdhg_error *err) {
    SPD_TRY((s->codec ? decode : read_plain)(s, s->raw, HEAD_BYTES, &s->raw_end, err));
    s->form = spd_form_of(s->raw, s->raw_end);
    s->raw_over = s->raw_end < HEAD_BYTES;
    return SPDHG_OK;
}

static spdhg_status read_recoded(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    for (*got = 0; size - *got >= 4;) {
        size_t taken = s->raw_end - s->raw_at, more = 0;
        *got += spd_recode(s->form, s->raw + s->raw_at, &taken, s->raw_over, buffer + *got, size - *got);
        s->raw_at += taken;
        if (s->raw_over && s->raw_at == s->raw_end) return SPDHG_OK;
        if (s->raw_end - s->raw_at > 4) continue; /* the buffer is full */
        memmove(s->raw, s->raw + s->raw_at, s->raw_end -= s->raw_at);
        s->raw_at = 0;
        SPD_TRY((s->codec ? decode : read_plain)(s, s->raw + s->raw_end, HEAD_BYTES - s->raw_end, &more, err));
        s->raw_over = s->raw_end + more < HEAD_BYTES;
        s->raw_end += more;
    }
    return SPDHG_OK;
}

spdhg_status spd_stream_read(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    const size_t held = s->head_end - s->head_at;
    const size_t taken = held < size ? held : size;
    memcpy(buffer, s->head + s->head_at, taken);
    s->head_at += taken;
    *got = taken;
    if (taken == size) return SPDHG_OK;
    size_t more = 0;
    SPD_TRY((s->form ? read_recoded : read_raw)(s, buffer + taken, size - taken, &more, err));
    *got += more;
    return SPDHG_OK;
}

spdhg_status spd_stream_peek(spd_stream *s, const char **head, size_t *size, spdhg_error *err) {
    if (!s->peeked) {
        size_t got;
        SPD_TRY((s->form ? read_recoded : read_raw)(s, s->head, HEAD_BYTES, &got, err));
        s->head_end = got;
        s->peeked = true;
    }
    *head = s->head;
    *size = s->head_end;
    return SPDHG_OK;
}

void spd_stream_watch(spd_stream *s, bool (*stop)(void *context), void *context) {
    s->stop = stop;
    s->stop_context = context;
}

const char *spd_stream_path(const spd_stream *s) { return s->path; }

int spd_stream_file(const spd_stream *s, int64_t *size) {
    *size = s->size;
    return s->codec || s->form || s->size < 0 ? -1 : s->descriptor;
}

void spd_stream_close(spd_stream *s) {
    if (!s) return;
    if (s->codec) s->codec->close(&s->decoder);
    if (s->descriptor > STDIN_FILENO) close(s->descriptor);
    spd_free(s->path);
    spd_free(s);
}

/* stream.c - the bytes of a file or of standard input, decompressed by what they are and not by what the file is called.
 * gzip (RFC 1952, several members), bzip2 (several streams), xz (several streams, padding), zstd (several frames); checksums are verified. */
#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "data/data.h"

enum { INPUT_BYTES = 1 << 16, HEAD_BYTES = 4096 };
static const uint64_t most_memory = (uint64_t)1 << 30; /* what a hostile .xz header may make the decoder allocate */

typedef enum progress { MORE, FRAME_END, CORRUPT, NO_MEMORY } progress;

/* A decoder consumes from `in` and writes to `out`; both are advanced. */
typedef struct span {
    const char *in;
    size_t ins;
    char *out;
    size_t outs;
    bool last; /* no input will follow `in` */
} span;

typedef struct codec {
    const char *name, *magic;
    size_t magic_size;
    bool (*open)(spd_stream *s);
    progress (*step)(spd_stream *s, span *p);
    void (*close)(spd_stream *s);
} codec;

struct spd_stream {
    int descriptor;
    char *path;
    int64_t size; /* of a regular file that is read from its start, else -1 */
    const codec *codec; /* NULL: plain */
    union {
        z_stream gzip;
        bz_stream bzip2;
        lzma_stream xz;
        ZSTD_DStream *zstd;
    } state;
    char input[INPUT_BYTES];
    size_t input_at, input_end;
    int64_t input_offset; /* in the file, of input[0] */
    bool input_over, boundary /* between two frames, where a file may end */;
    char head[HEAD_BYTES]; /* bytes that were peeked at */
    size_t head_at, head_end;
    bool peeked;
};

static bool gzip_open(spd_stream *s) { return inflateInit2(&s->state.gzip, 15 + 16) == Z_OK; }
static void gzip_close(spd_stream *s) { inflateEnd(&s->state.gzip); }
static progress gzip_step(spd_stream *s, span *p) {
    z_stream *z = &s->state.gzip;
    const size_t room = p->outs < (1u << 30) ? p->outs : 1u << 30; /* avail_out is an int */
    z->next_in = (Bytef *)(uintptr_t)p->in;
    z->avail_in = (uInt)p->ins;
    z->next_out = (Bytef *)p->out;
    z->avail_out = (uInt)room;
    const int answer = inflate(z, Z_NO_FLUSH);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += room - z->avail_out;
    p->outs -= room - z->avail_out;
    if (answer == Z_STREAM_END) return inflateReset(z) == Z_OK ? FRAME_END : CORRUPT;
    if (answer == Z_MEM_ERROR) return NO_MEMORY;
    return answer == Z_OK || answer == Z_BUF_ERROR ? MORE : CORRUPT;
}

static bool bzip2_open(spd_stream *s) { return BZ2_bzDecompressInit(&s->state.bzip2, 0, 0) == BZ_OK; }
static void bzip2_close(spd_stream *s) { BZ2_bzDecompressEnd(&s->state.bzip2); }
static progress bzip2_step(spd_stream *s, span *p) {
    bz_stream *z = &s->state.bzip2;
    const size_t room = p->outs < (1u << 30) ? p->outs : 1u << 30;
    z->next_in = (char *)(uintptr_t)p->in;
    z->avail_in = (unsigned)p->ins;
    z->next_out = p->out;
    z->avail_out = (unsigned)room;
    const int answer = BZ2_bzDecompress(z);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += room - z->avail_out;
    p->outs -= room - z->avail_out;
    if (answer == BZ_STREAM_END) {
        bzip2_close(s);
        *z = (bz_stream){0};
        return bzip2_open(s) ? FRAME_END : NO_MEMORY;
    }
    if (answer == BZ_MEM_ERROR) return NO_MEMORY;
    return answer == BZ_OK ? MORE : CORRUPT;
}

static bool xz_open(spd_stream *s) { return lzma_stream_decoder(&s->state.xz, most_memory, LZMA_CONCATENATED) == LZMA_OK; }
static void xz_close(spd_stream *s) { lzma_end(&s->state.xz); }
static progress xz_step(spd_stream *s, span *p) {
    lzma_stream *z = &s->state.xz;
    z->next_in = (const uint8_t *)p->in;
    z->avail_in = p->ins;
    z->next_out = (uint8_t *)p->out;
    z->avail_out = p->outs;
    const lzma_ret answer = lzma_code(z, p->last ? LZMA_FINISH : LZMA_RUN);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += p->outs - z->avail_out;
    p->outs = z->avail_out;
    if (answer == LZMA_STREAM_END) return FRAME_END;
    if (answer == LZMA_MEM_ERROR || answer == LZMA_MEMLIMIT_ERROR) return NO_MEMORY;
    return answer == LZMA_OK || answer == LZMA_BUF_ERROR ? MORE : CORRUPT;
}

static bool zstd_open(spd_stream *s) { return (s->state.zstd = ZSTD_createDStream()) != NULL; }
static void zstd_close(spd_stream *s) { ZSTD_freeDStream(s->state.zstd); }
static progress zstd_step(spd_stream *s, span *p) {
    ZSTD_inBuffer in = {p->in, p->ins, 0};
    ZSTD_outBuffer out = {p->out, p->outs, 0};
    const size_t answer = ZSTD_decompressStream(s->state.zstd, &out, &in);
    p->in += in.pos;
    p->ins -= in.pos;
    p->out += out.pos;
    p->outs -= out.pos;
    if (ZSTD_isError(answer)) return CORRUPT;
    return answer == 0 ? FRAME_END : MORE;
}

static const codec codec_table[] = {
    {"gzip", "\x1f\x8b", 2, gzip_open, gzip_step, gzip_close},
    {"bzip2", "BZh", 3, bzip2_open, bzip2_step, bzip2_close},
    {"xz", "\xfd" "7zXZ\0", 6, xz_open, xz_step, xz_close},
    {"zstd", "\x28\xb5\x2f\xfd", 4, zstd_open, zstd_step, zstd_close},
};

/* Reads until the buffer is full or the file ends. */
static spdhg_status read_file(spd_stream *s, char *buffer, size_t size, size_t *got, spdhg_error *err) {
    for (*got = 0; *got < size;) {
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
    for (size_t i = 0; i < sizeof codec_table / sizeof *codec_table; i++) {
        const codec *candidate = &codec_table[i];
        if (s->input_end < candidate->magic_size || memcmp(s->input, candidate->magic, candidate->magic_size) != 0) continue;
        if (!candidate->open(s)) return spd_fail_memory(err, INPUT_BYTES);
        s->codec = candidate;
    }
    return SPDHG_OK;
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
        span p = {s->input + s->input_at, left, buffer + *got, size - *got, s->input_over};
        const progress answer = s->codec->step(s, &p);
        const bool stuck = p.ins == left && p.outs == size - *got;
        s->input_at += left - p.ins;
        *got = size - p.outs;
        const int64_t place = s->input_offset + (int64_t)s->input_at;
        if (answer == NO_MEMORY) return spd_fail(err, SPDHG_MEMORY, "%s: not enough memory to decompress %s", s->path, s->codec->name);
        if (answer == CORRUPT)
            return spd_fail(err, SPDHG_DATA, "%s: corrupt %s data near byte %lld (compressed)", s->path, s->codec->name,
                            (long long)place);
        if (stuck && answer == MORE && left == 0 && s->input_over)
            return spd_fail(err, SPDHG_DATA, "%s: truncated %s data: ends at byte %lld (compressed)", s->path, s->codec->name,
                            (long long)place);
        s->boundary = answer == FRAME_END;
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
    SPD_TRY((s->codec ? decode : read_plain)(s, buffer + taken, size - taken, &more, err));
    *got += more;
    return SPDHG_OK;
}

spdhg_status spd_stream_peek(spd_stream *s, const char **head, size_t *size, spdhg_error *err) {
    if (!s->peeked) {
        size_t got;
        SPD_TRY((s->codec ? decode : read_plain)(s, s->head, HEAD_BYTES, &got, err));
        s->head_end = got;
        s->peeked = true;
    }
    *head = s->head;
    *size = s->head_end;
    return SPDHG_OK;
}

const char *spd_stream_path(const spd_stream *s) { return s->path; }

int spd_stream_file(const spd_stream *s, int64_t *size) {
    *size = s->size;
    return s->codec || s->size < 0 ? -1 : s->descriptor;
}

void spd_stream_close(spd_stream *s) {
    if (!s) return;
    if (s->codec) s->codec->close(s);
    if (s->descriptor > STDIN_FILENO) close(s->descriptor);
    spd_free(s->path);
    spd_free(s);
}

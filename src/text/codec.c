/* codec.c - four decompressors with a common step function, each using its own library; all verify their checksums.
 * gzip (RFC 1952, several members), bzip2 (several streams), xz (several streams, padding), zstd (several frames). */
#include "text/codec.h"

static const uint64_t most_memory = (uint64_t)1 << 30; /* the most that a malicious .xz header can make the decoder allocate */

static bool gzip_open(spd_decoder *s) { return inflateInit2(&s->gzip, 15 + 16) == Z_OK; }
static void gzip_close(spd_decoder *s) { inflateEnd(&s->gzip); }
static spd_progress gzip_step(spd_decoder *s, spd_span *p) {
    z_stream *z = &s->gzip;
    const size_t space = p->outs < (1u << 30) ? p->outs : 1u << 30; /* avail_out is an int */
    z->next_in = (Bytef *)(uintptr_t)p->in;
    z->avail_in = (uInt)p->ins;
    z->next_out = (Bytef *)p->out;
    z->avail_out = (uInt)space;
    const int answer = inflate(z, Z_NO_FLUSH);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += space - z->avail_out;
    p->outs -= space - z->avail_out;
    if (answer == Z_STREAM_END) return inflateReset(z) == Z_OK ? SPD_FRAME_END : SPD_CORRUPT;
    if (answer == Z_MEM_ERROR) return SPD_NO_MEMORY;
    return answer == Z_OK || answer == Z_BUF_ERROR ? SPD_MORE : SPD_CORRUPT;
}

static bool bzip2_open(spd_decoder *s) { return BZ2_bzDecompressInit(&s->bzip2, 0, 0) == BZ_OK; }
static void bzip2_close(spd_decoder *s) { BZ2_bzDecompressEnd(&s->bzip2); }
static spd_progress bzip2_step(spd_decoder *s, spd_span *p) {
    bz_stream *z = &s->bzip2;
    const size_t space = p->outs < (1u << 30) ? p->outs : 1u << 30;
    z->next_in = (char *)(uintptr_t)p->in;
    z->avail_in = (unsigned)p->ins;
    z->next_out = p->out;
    z->avail_out = (unsigned)space;
    const int answer = BZ2_bzDecompress(z);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += space - z->avail_out;
    p->outs -= space - z->avail_out;
    if (answer == BZ_STREAM_END) {
        bzip2_close(s);
        *z = (bz_stream){0};
        return bzip2_open(s) ? SPD_FRAME_END : SPD_NO_MEMORY;
    }
    if (answer == BZ_MEM_ERROR) return SPD_NO_MEMORY;
    return answer == BZ_OK ? SPD_MORE : SPD_CORRUPT;
}

static bool xz_open(spd_decoder *s) { return lzma_stream_decoder(&s->xz, most_memory, LZMA_CONCATENATED) == LZMA_OK; }
static void xz_close(spd_decoder *s) { lzma_end(&s->xz); }
static spd_progress xz_step(spd_decoder *s, spd_span *p) {
    lzma_stream *z = &s->xz;
    z->next_in = (const uint8_t *)p->in;
    z->avail_in = p->ins;
    z->next_out = (uint8_t *)p->out;
    z->avail_out = p->outs;
    const lzma_ret answer = lzma_code(z, p->last ? LZMA_FINISH : LZMA_RUN);
    p->in += p->ins - z->avail_in;
    p->ins = z->avail_in;
    p->out += p->outs - z->avail_out;
    p->outs = z->avail_out;
    if (answer == LZMA_STREAM_END) return SPD_FRAME_END;
    if (answer == LZMA_MEM_ERROR || answer == LZMA_MEMLIMIT_ERROR) return SPD_NO_MEMORY;
    return answer == LZMA_OK || answer == LZMA_BUF_ERROR ? SPD_MORE : SPD_CORRUPT;
}

static bool zstd_open(spd_decoder *s) { return (s->zstd = ZSTD_createDStream()) != NULL; }
static void zstd_close(spd_decoder *s) { ZSTD_freeDStream(s->zstd); }
static spd_progress zstd_step(spd_decoder *s, spd_span *p) {
    ZSTD_inBuffer in = {p->in, p->ins, 0};
    ZSTD_outBuffer out = {p->out, p->outs, 0};
    const size_t answer = ZSTD_decompressStream(s->zstd, &out, &in);
    p->in += in.pos;
    p->ins -= in.pos;
    p->out += out.pos;
    p->outs -= out.pos;
    if (ZSTD_isError(answer)) return SPD_CORRUPT;
    return answer == 0 ? SPD_FRAME_END : SPD_MORE;
}

static const spd_codec codec_table[] = {
    {"gzip", "\x1f\x8b", 2, gzip_open, gzip_step, gzip_close},
    {"bzip2", "BZh", 3, bzip2_open, bzip2_step, bzip2_close},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, xz_open, xz_step, xz_close},
    {"zstd", "\x28\xb5\x2f\xfd", 4, zstd_open, zstd_step, zstd_close},
};

const spd_codec *spd_codec_of(const char *head, size_t size) {
    for (size_t i = 0; i < sizeof codec_table / sizeof *codec_table; i++) {
        const spd_codec *codec = &codec_table[i];
        if (size >= codec->magic_size && memcmp(head, codec->magic, codec->magic_size) == 0) return codec;
    }
    return NULL;
}

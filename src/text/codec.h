/* codec.h - decompression in steps. Private to stream.c. */
#ifndef SPD_CODEC_H
#define SPD_CODEC_H

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "core/core.h"

typedef enum spd_progress { SPD_MORE, SPD_FRAME_END, SPD_CORRUPT, SPD_NO_MEMORY } spd_progress;

/* A decoder consumes from `in` and writes to `out`; both are advanced. */
typedef struct spd_span {
    const char *in;
    size_t ins;
    char *out;
    size_t outs;
    bool last; /* no input will follow `in` */
} spd_span;

typedef union spd_decoder {
    z_stream gzip;
    bz_stream bzip2;
    lzma_stream xz;
    ZSTD_DStream *zstd;
} spd_decoder;

typedef struct spd_codec {
    const char *name, *magic;
    size_t magic_size;
    bool (*open)(spd_decoder *decoder); /* of a zeroed decoder */
    spd_progress (*step)(spd_decoder *decoder, spd_span *span);
    void (*close)(spd_decoder *decoder);
} spd_codec;

const spd_codec *spd_codec_of(const char *head, size_t size); /* NULL: plain */

#endif

/* pixels.c - an image inside a page: PNG (ISO/IEC 15948) with one IDAT chunk compressed by zlib, as base64 in a data URL. */
#include <zlib.h>

#include "report/page.h"

/* Encodes every three bytes as four characters; an incomplete group of three is kept for the next call. */
typedef struct base64 {
    FILE *out;
    unsigned char left[3];
    int count;
} base64;

static void put_group(base64 *b) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = b->count; i < 3; i++) b->left[i] = 0;
    const unsigned bits = (unsigned)b->left[0] << 16 | (unsigned)b->left[1] << 8 | b->left[2];
    for (int i = 0; i < 4; i++) fputc(i <= b->count ? digit[bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->count = 0;
}

static void put_bytes(base64 *b, const unsigned char *at, size_t size) {
    for (size_t i = 0; i < size; i++) {
        b->left[b->count++] = at[i];
        if (b->count == 3) put_group(b);
    }
}

static void put_number(base64 *b, uint32_t value) {
    const unsigned char bytes[] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16), (unsigned char)(value >> 8),
                                   (unsigned char)value};
    put_bytes(b, bytes, 4);
}

static void put_chunk(base64 *b, const char name[4], const unsigned char *at, size_t size) {
    const unsigned char *const type = (const unsigned char *)name;
    put_number(b, (uint32_t)size);
    put_bytes(b, type, 4);
    put_bytes(b, at, size);
    put_number(b, (uint32_t)crc32_z(crc32_z(0, type, 4), at, size));
}

/* Compresses the rows, each preceded by the filter byte 0. */
static unsigned char *pack(int64_t height, size_t row, const unsigned char *pixel, uLongf *size) {
    const uLong raw = (uLong)height * (row + 1);
    unsigned char *rows = spd_alloc((int64_t)raw, 1), *packed = NULL;
    *size = compressBound(raw);
    if (rows) packed = spd_alloc((int64_t)*size, 1);
    for (int64_t h = 0; packed && h < height; h++) memcpy(rows + (size_t)h * (row + 1) + 1, pixel + (size_t)h * row, row);
    if (packed && compress2(packed, size, rows, raw, Z_BEST_COMPRESSION) != Z_OK) {
        spd_free(packed);
        packed = NULL;
    }
    spd_free(rows);
    return packed;
}

spdhg_status spd_page_pixels(FILE *out, const char *caption, int64_t height, int64_t width, int channels,
                             const unsigned char *pixel, spdhg_error *err) {
    enum { DEPTH = 8, GREY = 0, COLOUR = 2 };
    const size_t row = (size_t)width * (size_t)channels;
    uLongf size;
    unsigned char *packed = pack(height, row, pixel, &size);
    if (!packed) return spd_fail_memory(err, 2.0 * (double)height * (double)row);
    unsigned char head[13] = {0};
    for (int i = 0; i < 4; i++) {
        head[i] = (unsigned char)(width >> (24 - 8 * i));
        head[4 + i] = (unsigned char)(height >> (24 - 8 * i));
    }
    head[8] = DEPTH;
    head[9] = channels == 3 ? COLOUR : GREY;
    spd_html(out, "<figure><img alt='@' src='data:image/png;base64,", caption);
    base64 b = {.out = out};
    put_bytes(&b, (const unsigned char *)"\x89PNG\r\n\x1a\n", 8);
    put_chunk(&b, "IHDR", head, sizeof head);
    put_chunk(&b, "IDAT", packed, size);
    put_chunk(&b, "IEND", NULL, 0);
    if (b.count) put_group(&b);
    spd_html(out, "'><figcaption>@</figcaption></figure>", caption);
    spd_free(packed);
    return SPDHG_OK;
}

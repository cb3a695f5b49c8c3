/* signal_png.c - PNG images of 8 or 16 bits, by libpng: grey or colour, each channel a signal; an alpha channel is unchanged.
 * Palettes and fewer bits are converted to 8 bits. libpng reports errors by longjmp: everything that must be freed then is in
 * structs whose addresses do not change. */
#include <png.h>
#include <setjmp.h>

#include "signal_file.h"

static const double BYTES_OF_A_BYTE = 1032; /* the largest expansion of one byte by deflate */

typedef struct png {
    uint32_t width, height;
    int depth, channels; /* channels including alpha */
    bool alpha;
    unsigned char *pixels; /* height rows in PNG's layout */
    double gamma;          /* of the file, 0: not given */
    int intent;            /* of sRGB, -1: not given */
} png;

typedef struct session {
    png_structp png;
    png_infop info;
    jmp_buf leave;
    spdhg_error *err;
    spdhg_status status; /* set by the error handler */
    const char *path;
    const unsigned char *at;
    size_t left;
    unsigned char **row;
} session;

static bool recognise(const char *head, size_t size) { return size >= 8 && png_sig_cmp((png_const_bytep)head, 0, 8) == 0; }

static void failed(png_structp handle, png_const_charp message) {
    session *s = png_get_error_ptr(handle);
    s->status = SPDHG_DATA;
    spd_say(s->err, SPDHG_DATA, "%s: %s", s->path, message);
    longjmp(s->leave, 1);
}

static void ignored(png_structp handle, png_const_charp message) {
    (void)handle;
    (void)message;
}

static void give_bytes(png_structp handle, png_bytep to, size_t wanted) {
    session *s = png_get_io_ptr(handle);
    if (wanted > s->left) png_error(handle, "the image ends too early");
    memcpy(to, s->at, wanted);
    s->at += wanted;
    s->left -= wanted;
}

/* Reads the file's metadata, then converts to 8 or 16 bits of grey or colour. */
static void prepare(session *s, png *a) {
    png_read_info(s->png, s->info);
    const int type = png_get_color_type(s->png, s->info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(s->png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(s->png, s->info) < 8) png_set_expand_gray_1_2_4_to_8(s->png);
    if (png_get_valid(s->png, s->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(s->png);
    (void)png_set_interlace_handling(s->png);
    png_read_update_info(s->png, s->info);
    a->width = png_get_image_width(s->png, s->info);
    a->height = png_get_image_height(s->png, s->info);
    a->depth = png_get_bit_depth(s->png, s->info);
    a->channels = png_get_channels(s->png, s->info);
    a->alpha = png_get_color_type(s->png, s->info) & PNG_COLOR_MASK_ALPHA;
    if (!png_get_gAMA(s->png, s->info, &a->gamma)) a->gamma = 0;
    if (!png_get_sRGB(s->png, s->info, &a->intent)) a->intent = -1;
    const double bytes = (double)png_get_rowbytes(s->png, s->info) * (double)a->height;
    if (bytes > BYTES_OF_A_BYTE * ((double)s->left + 1024)) png_error(s->png, "more pixels than its bytes can hold");
    const size_t row = png_get_rowbytes(s->png, s->info);
    a->pixels = spd_alloc((int64_t)(row * a->height), 1);
    s->row = SPD_NEW(unsigned char *, a->height);
    if (!a->pixels || !s->row) {
        s->status = SPDHG_MEMORY;
        spd_say_memory(s->err, bytes);
        longjmp(s->leave, 1);
    }
    for (uint32_t i = 0; i < a->height; i++) s->row[i] = a->pixels + i * row;
}

static spdhg_status decode(session *s, png *a, spdhg_error *err) {
    s->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, s, failed, ignored);
    s->info = s->png ? png_create_info_struct(s->png) : NULL;
    if (!s->info) return spd_fail_memory(err, 1000);
    if (setjmp(s->leave)) return s->status;
    png_set_read_fn(s->png, s, give_bytes);
    prepare(s, a);
    png_read_image(s->png, s->row);
    png_read_end(s->png, NULL);
    return SPDHG_OK;
}

/* The number of channels that are denoised. */
static int64_t colours(const png *a) { return a->channels - a->alpha; }

static uint32_t sample(const png *a, int64_t at) {
    return a->depth == 16 ? (uint32_t)a->pixels[2 * at] << 8 | a->pixels[2 * at + 1] : a->pixels[at];
}

static spdhg_status take_values(signal_file *f, const png *a, spdhg_error *err) {
    SPD_TRY(signal_make_values(f, colours(a), (int64_t)a->width * a->height, err));
    f->side[0] = a->height;
    f->side[1] = a->width;
    f->side[2] = 1;
    f->scale = a->depth == 16 ? 65535 : 255;
    for (int64_t i = 0; i < f->points; i++)
        for (int64_t s = 0; s < f->signals; s++) f->value[s * f->points + i] = sample(a, i * a->channels + s) / f->scale;
    return SPDHG_OK;
}

static spdhg_status read(signal_file *f, spd_stream *stream, spdhg_error *err) {
    unsigned char *bytes;
    size_t size;
    png *a = SPD_NEW(png, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    f->rest = a;
    SPD_TRY(signal_read_all(stream, &bytes, &size, err));
    session s = {.err = err, .path = f->path, .at = bytes, .left = size};
    spdhg_status status = decode(&s, a, err);
    png_destroy_read_struct(&s.png, &s.info, NULL);
    spd_free(s.row);
    spd_free(bytes);
    return status == SPDHG_OK ? take_values(f, a, err) : status;
}

/* Writes the fit into the stored pixels; alpha is unchanged. */
static void put_values(const signal_file *f, png *a) {
    for (int64_t i = 0; i < f->points; i++)
        for (int64_t s = 0; s < f->signals; s++) {
            const uint32_t value = signal_pixel(f, s, i);
            const int64_t at = i * a->channels + s;
            if (a->depth == 16) a->pixels[2 * at] = (unsigned char)(value >> 8);
            a->pixels[a->depth == 16 ? 2 * at + 1 : at] = (unsigned char)(value & 255);
        }
}

static spdhg_status write(const signal_file *f, FILE *out, spdhg_error *err) {
    png *a = f->rest;
    session s = {.err = err, .path = "PNG"};
    const size_t row = (size_t)a->width * (size_t)a->channels * (size_t)a->depth / 8;
    put_values(f, a);
    s.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, failed, ignored);
    s.info = s.png ? png_create_info_struct(s.png) : NULL;
    if (!s.info) {
        png_destroy_write_struct(&s.png, &s.info);
        return spd_fail_memory(err, 1000);
    }
    if (setjmp(s.leave)) {
        png_destroy_write_struct(&s.png, &s.info);
        return s.status;
    }
    png_init_io(s.png, out);
    const int type = (colours(a) == 3 ? PNG_COLOR_MASK_COLOR : 0) | (a->alpha ? PNG_COLOR_MASK_ALPHA : 0);
    png_set_IHDR(s.png, s.info, a->width, a->height, a->depth, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (a->gamma > 0) png_set_gAMA(s.png, s.info, a->gamma);
    if (a->intent >= 0) png_set_sRGB(s.png, s.info, a->intent);
    png_write_info(s.png, s.info);
    for (uint32_t i = 0; i < a->height; i++) png_write_row(s.png, a->pixels + i * row);
    png_write_end(s.png, NULL);
    png_destroy_write_struct(&s.png, &s.info);
    return SPDHG_OK;
}

static void close(signal_file *f) { spd_free(((png *)f->rest)->pixels); }

static const char *const ending[] = {".png", NULL};
const signal_kind signal_kind_png = {"a PNG image", ending, recognise, read, write, close};

/* signal_pnm.c - grey and colour images of the netpbm family: PGM (P2, P5) and PPM (P3, P6), values up to 65535. P2 and P3 have
 * decimal numbers; P5 and P6 have bytes, or byte pairs with the high byte first. '#' starts a comment in the header. */
#include "signal_file.h"

enum { WIDEST = 65535 };

typedef struct pnm {
    char digit; /* the one after the P */
    int64_t channels;
} pnm;

static bool recognise(const char *head, size_t size) {
    return size >= 3 && head[0] == 'P' && strchr("2356", head[1]) && (spd_is_blank(head[2]) || head[2] == '\n' || head[2] == '#');
}

typedef struct reading {
    const char *path;
    const unsigned char *at, *end;
    int64_t line;
} reading;

static bool blank(unsigned char c) { return spd_is_blank((char)c) || c == '\n'; }

static spdhg_status next_number(reading *r, const char *what, int64_t least, int64_t most, int64_t *out, spdhg_error *err) {
    for (bool comment = false; r->at < r->end && (comment || blank(*r->at) || *r->at == '#'); r->at++) {
        comment = *r->at != '\n' && (comment || *r->at == '#');
        r->line += *r->at == '\n';
    }
    const char *behind = spd_parse_int((const char *)r->at, (const char *)r->end, out);
    if (!behind || *out < least || *out > most)
        return spd_fail(err, SPDHG_DATA, "%s:%lld: expected %s, a whole number from %lld to %lld", r->path, (long long)r->line,
                        what, (long long)least, (long long)most);
    r->at = (const unsigned char *)behind;
    return SPDHG_OK;
}

static spdhg_status read_pixels(signal_file *f, const pnm *a, reading *r, int64_t most, spdhg_error *err) {
    const bool bytes = a->digit >= '5';
    for (int64_t i = 0; i < f->signals * f->points; i++) {
        int64_t value;
        if (bytes) {
            value = *r->at++;
            if (most > 255) value = value << 8 | *r->at++;
            if (value > most)
                return spd_fail(err, SPDHG_DATA, "%s: pixel value %lld, but the header says at most %lld", f->path,
                                (long long)value, (long long)most);
        } else
            SPD_TRY(next_number(r, "a pixel", 0, most, &value, err));
        f->value[i % f->signals * f->points + i / f->signals] = (double)value / (double)most;
    }
    return SPDHG_OK;
}

static spdhg_status parse(signal_file *f, pnm *a, reading *r, spdhg_error *err) {
    int64_t width, height, most, pixels, values, bytes;
    a->digit = (char)r->at[1];
    a->channels = a->digit == '3' || a->digit == '6' ? 3 : 1;
    r->at += 2;
    SPD_TRY(next_number(r, "the width", 1, INT32_MAX, &width, err));
    SPD_TRY(next_number(r, "the height", 1, INT32_MAX, &height, err));
    SPD_TRY(next_number(r, "the largest value", 1, WIDEST, &most, err));
    if (a->digit >= '5' && r->at < r->end) r->at++;                  /* one blank, then the bytes */
    const int64_t each = a->digit >= '5' ? (most > 255 ? 2 : 1) : 2; /* at least a digit and a blank, except for the last */
    const bool fits = !__builtin_mul_overflow(width, height, &pixels) && !__builtin_mul_overflow(pixels, a->channels, &values) &&
                      !__builtin_mul_overflow(values, each, &bytes) && bytes <= r->end - r->at + (a->digit < '5');
    if (!fits)
        return spd_fail(err, SPDHG_DATA, "%s: %lld x %lld pixels are more than the file has", f->path, (long long)width,
                        (long long)height);
    SPD_TRY(signal_make_values(f, a->channels, pixels, err));
    f->side[0] = height;
    f->side[1] = width;
    f->side[2] = 1;
    f->scale = (double)most;
    return read_pixels(f, a, r, most, err);
}

static spdhg_status read(signal_file *f, spd_stream *stream, spdhg_error *err) {
    unsigned char *bytes;
    size_t size;
    pnm *a = SPD_NEW(pnm, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    f->rest = a;
    SPD_TRY(signal_read_all(stream, &bytes, &size, err));
    reading r = {f->path, bytes, bytes + size, 1};
    const spdhg_status status = parse(f, a, &r, err);
    spd_free(bytes);
    return status;
}

static spdhg_status write(const signal_file *f, FILE *out, spdhg_error *err) {
    (void)err;
    const pnm *a = f->rest;
    const int64_t in_a_line = f->signals == 3 ? 4 : 12; /* at most 70 characters, as the format requires */
    fprintf(out, "P%c\n%lld %lld\n%d\n", a->digit, (long long)f->side[1], (long long)f->side[0], (int)f->scale);
    for (int64_t i = 0; i < f->points; i++) {
        for (int64_t s = 0; s < f->signals; s++) {
            const uint32_t value = signal_pixel(f, s, i);
            if (a->digit < '5')
                fprintf(out, s + 1 == f->signals && (i + 1) % in_a_line == 0 ? "%u\n" : "%u ", value);
            else {
                if (f->scale > 255) fputc((int)(value >> 8), out);
                fputc((int)(value & 255), out);
            }
        }
    }
    if (a->digit < '5') fputc('\n', out);
    return SPDHG_OK;
}

static void close(signal_file *f) { (void)f; }

static const char *const ending[] = {".pgm", ".ppm", ".pnm", NULL};
const signal_kind signal_kind_pnm = {"a PGM or PPM image", ending, recognise, read, write, close};

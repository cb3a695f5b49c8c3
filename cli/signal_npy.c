/* signal_npy.c - NumPy arrays (.npy, format versions 1 to 3): "\x93NUMPY", version, length of the header, a Python literal
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (300, 2), }
 * and the numbers. An array with one axis is a signal. With more axes, the columns of the last axis are signals or, with a grid,
 * all axes are its sides. 4-byte floats stay 4-byte floats; integers are written as 8-byte floats, since a fit is not an integer.
 */
#include "signal_file.h"

enum { AXES_MOST = 3, PREFIX = 8 };
static const char MAGIC[] = "\x93NUMPY";

typedef struct npy {
    int64_t axes, shape[AXES_MOST];
    char type; /* f, i, u or b */
    int64_t bytes;
    bool swapped, fortran;
} npy;

static bool recognise(const char *head, size_t size) { return size >= 6 && memcmp(head, MAGIC, 6) == 0; }

/* The text after 'key': in the header; NULL: no such key. end: of the header. */
static const char *find(const char *at, const char *end, const char *key) {
    const size_t length = strlen(key);
    for (; at + length + 2 < end; at++)
        if ((*at == '\'' || *at == '"') && memcmp(at + 1, key, length) == 0 && at[length + 1] == *at) {
            at += length + 2;
            while (at < end && (*at == ' ' || *at == ':')) at++;
            return at < end ? at : NULL;
        }
    return NULL;
}

static bool read_type(npy *a, const char *at, const char *end) {
    if (!at || end - at < 5 || (*at != '\'' && *at != '"')) return false;
    const char order = at[1];
    a->type = at[2];
    const char *behind = spd_parse_int(at + 3, end, &a->bytes);
    const uint16_t one = 1;
    const bool little = *(const char *)&one == 1;
    a->swapped = order == (little ? '>' : '<');
    const bool f = a->type == 'f' && (a->bytes == 4 || a->bytes == 8);
    const bool i = (a->type == 'i' || a->type == 'u') && (a->bytes == 1 || a->bytes == 2 || a->bytes == 4 || a->bytes == 8);
    return behind && behind < end && *behind == *at && strchr("<>=|", order) && (f || i || (a->type == 'b' && a->bytes == 1));
}

static bool read_shape(npy *a, const char *at, const char *end) {
    if (!at || *at != '(') return false;
    for (at++; at && at < end && *at != ')';) {
        if (a->axes == AXES_MOST) return false;
        at = spd_parse_int(at, end, &a->shape[a->axes]);
        if (!at || a->shape[a->axes++] < 1) return false;
        while (at < end && (*at == ',' || *at == ' ' || *at == 'L')) at++;
    }
    return at && at < end && a->axes > 0;
}

static spdhg_status read_header(npy *a, const char *path, const unsigned char *bytes, size_t size, size_t *start,
                                spdhg_error *err) {
    const int version = size > PREFIX ? bytes[6] : 0, width = version == 1 ? 2 : 4;
    size_t length = 0;
    for (int i = width - 1; i >= 0 && size >= PREFIX + 4; i--) length = length << 8 | bytes[PREFIX + i];
    *start = PREFIX + (size_t)width + length;
    if (version < 1 || version > 3 || size < PREFIX + 4 || length > size || *start > size)
        return spd_fail(err, SPDHG_DATA, "%s: no complete header of a .npy file of version 1 to 3", path);
    const char *from = (const char *)bytes + PREFIX + width, *end = from + length;
    const char *order = find(from, end, "fortran_order");
    a->fortran = order && *order == 'T';
    if (!read_type(a, find(from, end, "descr"), end))
        return spd_fail(err, SPDHG_DATA,
                        "%s: the array's numbers are of a type that is not read; expected real numbers (f4, f8), "
                        "integers (i1 to i8, u1 to u8) or booleans",
                        path);
    if (!order || !read_shape(a, find(from, end, "shape"), end))
        return spd_fail(err, SPDHG_DATA, "%s: expected an array of one to %d axes, none of them empty", path, AXES_MOST);
    return SPDHG_OK;
}

/* Checks every count against the number of bytes before it is used. */
static spdhg_status check_size(const npy *a, const char *path, size_t left, int64_t *values, spdhg_error *err) {
    *values = 1;
    int64_t bytes = 0;
    bool good = true;
    for (int64_t i = 0; i < a->axes; i++) good = good && !__builtin_mul_overflow(*values, a->shape[i], values);
    good = good && !__builtin_mul_overflow(*values, a->bytes, &bytes) && (uint64_t)bytes == left;
    return good ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: %zu bytes of numbers, not as many as its header says", path, left);
}

static double number(const npy *a, const unsigned char *at) {
    unsigned char b[8];
    for (int64_t i = 0; i < a->bytes; i++) b[i] = at[a->swapped ? a->bytes - 1 - i : i];
#define AS(type)                                                                                                                 \
    do {                                                                                                                         \
        type value;                                                                                                              \
        memcpy(&value, b, sizeof value);                                                                                         \
        return (double)value;                                                                                                    \
    } while (0)
    switch (a->type == 'b' ? 'u' * 16 + 1 : a->type * 16 + (int)a->bytes) {
    case 'f' * 16 + 4: AS(float);
    case 'f' * 16 + 8: AS(double);
    case 'i' * 16 + 1: AS(int8_t);
    case 'i' * 16 + 2: AS(int16_t);
    case 'i' * 16 + 4: AS(int32_t);
    case 'i' * 16 + 8: AS(int64_t);
    case 'u' * 16 + 1: AS(uint8_t);
    case 'u' * 16 + 2: AS(uint16_t);
    case 'u' * 16 + 4: AS(uint32_t);
    default: AS(uint64_t);
    }
#undef AS
}

/* The position in the file of element `at` in C order. */
static int64_t stored_at(const npy *a, int64_t at) {
    if (!a->fortran) return at;
    int64_t place = 0, index[AXES_MOST] = {0};
    for (int64_t i = a->axes - 1; i >= 0; at /= a->shape[i--]) index[i] = at % a->shape[i];
    for (int64_t i = a->axes - 1; i >= 0; i--) place = place * a->shape[i] + index[i];
    return place;
}

static spdhg_status read_values(signal_file *f, npy *a, const unsigned char *at, int64_t values, spdhg_error *err) {
    const bool whole = a->axes == 1 || f->grid;
    const int64_t signals = whole ? 1 : a->shape[a->axes - 1];
    SPD_TRY(signal_make_values(f, signals, values / signals, err));
    for (int64_t i = 0; i < values; i++)
        f->value[i % signals * f->points + i / signals] = number(a, at + stored_at(a, i) * a->bytes);
    for (int64_t i = 0; whole && i < AXES_MOST; i++) f->side[i] = i < a->axes ? a->shape[i] : 1;
    return SPDHG_OK;
}

static spdhg_status read(signal_file *f, spd_stream *stream, spdhg_error *err) {
    unsigned char *bytes;
    size_t size, start;
    int64_t values;
    npy *a = SPD_NEW(npy, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    f->rest = a;
    SPD_TRY(signal_read_all(stream, &bytes, &size, err));
    spdhg_status status = read_header(a, f->path, bytes, size, &start, err);
    if (status == SPDHG_OK) status = check_size(a, f->path, size - start, &values, err);
    if (status == SPDHG_OK) status = read_values(f, a, bytes + start, values, err);
    spd_free(bytes);
    return status;
}

static spdhg_status write(const signal_file *f, FILE *out, spdhg_error *err) {
    (void)err;
    enum { BLOCK = 64 };
    const npy *a = f->rest;
    const bool single = a->type == 'f' && a->bytes == 4;
    const uint16_t one = 1;
    char header[200];
    int used = snprintf(header, sizeof header, "{'descr': '%cf%d', 'fortran_order': False, 'shape': (",
                        *(const char *)&one == 1 ? '<' : '>', single ? 4 : 8);
    for (int64_t i = 0; i < a->axes; i++)
        used += snprintf(header + used, sizeof header - (size_t)used,
                         a->axes == 1 ? "%lld,"
                         : i          ? ", %lld"
                                      : "%lld",
                         (long long)a->shape[i]);
    used += snprintf(header + used, sizeof header - (size_t)used, "), }");
    while ((PREFIX + 2 + used + 1) % BLOCK) header[used++] = ' ';
    header[used++] = '\n';
    fwrite(MAGIC, 1, 6, out);
    const unsigned char prefix[] = {1, 0, (unsigned char)(used & 255), (unsigned char)(used >> 8)};
    fwrite(prefix, 1, sizeof prefix, out);
    fwrite(header, 1, (size_t)used, out);
    for (int64_t i = 0; i < f->signals * f->points; i++) {
        const double value = f->value[i % f->signals * f->points + i / f->signals];
        const float small = (float)value;
        if (single)
            fwrite(&small, sizeof small, 1, out);
        else
            fwrite(&value, sizeof value, 1, out);
    }
    return SPDHG_OK;
}

static void close(signal_file *f) { (void)f; }

static const char *const ending[] = {".npy", NULL};
const signal_kind signal_kind_npy = {"a NumPy array", ending, recognise, read, write, close};

/* signal_file.c - recognises the kind of a file of signals by its first bytes, and reads and writes it accordingly. */
#include "signal_file.h"

static const signal_kind *const kinds[] = {&signal_kind_png, &signal_kind_npy, &signal_kind_pnm, &signal_kind_table};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const int64_t VALUES_MOST = INT32_MAX - 1; /* a column index is an int32_t */

spdhg_status signal_read_all(spd_stream *stream, unsigned char **out, size_t *size, spdhg_error *err) {
    enum { PIECE = 1 << 16 };
    int64_t capacity = PIECE;
    unsigned char *bytes = spd_alloc_raw(capacity, 1);
    *out = NULL;
    *size = 0;
    if (!bytes) return spd_fail_memory(err, (double)capacity);
    for (size_t got = PIECE; got == PIECE; *size += got) {
        if ((int64_t)*size + PIECE > capacity) {
            capacity = 2 * capacity + PIECE;
            unsigned char *more = spd_grow_raw(bytes, capacity, 1);
            if (!more) {
                spd_free(bytes);
                return spd_fail_memory(err, (double)capacity);
            }
            bytes = more;
        }
        const spdhg_status status = spd_stream_read(stream, (char *)bytes + *size, PIECE, &got, err);
        if (status != SPDHG_OK) {
            spd_free(bytes);
            return status;
        }
    }
    *out = bytes;
    return SPDHG_OK;
}

spdhg_status signal_make_values(signal_file *f, int64_t signals, int64_t points, spdhg_error *err) {
    int64_t values;
    if (signals < 1 || points < 1) return spd_fail(err, SPDHG_DATA, "%s: no values in it", f->path);
    if (__builtin_mul_overflow(signals, points, &values) || values > VALUES_MOST)
        return spd_fail(err, SPDHG_DATA, "%s: %lld x %lld values; there can be at most %lld", f->path, (long long)signals,
                        (long long)points, (long long)VALUES_MOST);
    f->value = SPD_NEW(double, values);
    if (!f->value) return spd_fail_memory(err, 8.0 * (double)values);
    f->signals = signals;
    f->points = points;
    return SPDHG_OK;
}

uint32_t signal_pixel(const signal_file *f, int64_t signal, int64_t point) {
    const double value = round(f->value[signal * f->points + point] * f->scale);
    return value > 0 ? value < f->scale ? (uint32_t)value : (uint32_t)f->scale : 0;
}

static bool ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

spdhg_status signal_file_check_name(const signal_file *f, const char *path, spdhg_error *err) {
    bool own = false;
    const signal_kind *other = NULL;
    for (int k = 0; k < KINDS; k++)
        for (const char *const *ending = kinds[k]->ending; *ending; ending++)
            if (ends_with(path, *ending)) {
                own = own || kinds[k] == f->kind;
                other = kinds[k];
            }
    if (own || !other) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "--output %s ends like %s, but what is written is %s like the input", path, other->name,
                    f->kind->name);
}

static spdhg_status read_kind(signal_file *f, spd_stream *stream, spdhg_error *err) {
    const char *head;
    size_t size;
    SPD_TRY(spd_stream_peek(stream, &head, &size, err));
    f->scale = 1;
    for (int k = 0; k < KINDS && !f->kind; k++)
        if (kinds[k]->recognise(head, size)) f->kind = kinds[k];
    if (f->kind != &signal_kind_table && f->columns)
        return spd_fail(err, SPDHG_USAGE, "%s: --column is for tables, but this is %s", f->path, f->kind->name);
    return f->kind->read(f, stream, err);
}

spdhg_status signal_file_read(signal_file *f, spdhg_error *err) {
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, f->path, err));
    const spdhg_status status = read_kind(f, stream, err);
    spd_stream_close(stream);
    if (status != SPDHG_OK) signal_file_close(f);
    return status;
}

spdhg_status signal_file_write(const signal_file *f, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    const spdhg_status status = f->kind->write(f, file.stream, err);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

void signal_file_close(signal_file *f) {
    if (f->kind && f->rest) f->kind->close(f);
    for (int64_t s = 0; f->name && s < f->signals; s++) spd_free(f->name[s]);
    spd_free(f->name);
    spd_free(f->value);
    spd_free(f->position);
    spd_free(f->weight);
    spd_free(f->rest);
    f->name = NULL;
    f->value = f->position = f->weight = NULL;
    f->rest = NULL;
}

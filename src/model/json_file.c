/* json_file.c - reads one JSON object (RFC 8259) from an untrusted file, plain or compressed: at most MOST_BYTES, unique keys. */
#include <errno.h>

#include "model/json_file.h"

#include "text/text.h"

enum { MOST_BYTES = 1 << 30 };

static spdhg_status slurp(spd_stream *stream, const char *what, char **text, size_t *size, spdhg_error *err) {
    int64_t capacity = 0;
    do {
        const int64_t wanted = capacity ? 2 * capacity : 1 << 16;
        if (*size > MOST_BYTES)
            return spd_fail(err, SPDHG_DATA, "%s: %s: expected at most %d bytes", spd_stream_path(stream), what, MOST_BYTES);
        char *grown = spd_grow(*text, capacity, wanted, 1);
        if (!grown) return spd_fail_memory(err, (double)wanted);
        *text = grown;
        capacity = wanted;
        size_t got;
        SPD_TRY(spd_stream_read(stream, *text + *size, (size_t)capacity - *size, &got, err));
        *size += got;
    } while (*size == (size_t)capacity);
    return SPDHG_OK;
}

spdhg_status spd_json_parse(json_t **out, const char *text, size_t size, const char *path, const char *what, spdhg_error *err) {
    json_error_t reason;
    spdhg_status status = SPDHG_OK;
    errno = 0; /* jansson calls text that it has no memory for bad syntax, but a refused allocation leaves its mark here */
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &reason);
    if (!object && (errno == ENOMEM || json_error_code(&reason) == json_error_out_of_memory))
        status = spd_fail_memory(err, (double)size);
    if (status == SPDHG_OK && !json_is_object(object))
        status =
            object
                ? spd_fail(err, SPDHG_DATA, "%s: %s: expected a JSON object", path, what)
                : spd_fail(err, SPDHG_DATA, "%s:%d:%d: %s: not JSON: %s%s", path, reason.line, reason.column, what, reason.text,
                           strcmp(what, "model") == 0 ? "; a model is what spdhg fit -o writes (spdhg predict MODEL DATA)" : "");
    if (status != SPDHG_OK) json_decref(object);
    *out = status == SPDHG_OK ? object : NULL;
    return status;
}

spdhg_status spd_json_read(json_t **out, const char *path, const char *what, spdhg_error *err) {
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    spdhg_status status = slurp(stream, what, &text, &size, err);
    spd_stream_close(stream);
    if (status == SPDHG_OK) status = spd_json_parse(out, text, size, path, what, err);
    spd_free(text);
    return status;
}

double spd_json_double(const json_t *value) { return json_is_number(value) ? json_number_value(value) : NAN; }

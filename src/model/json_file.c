/* json_file.c - one JSON object from a file written by anyone (RFC 8259): at most MOST_BYTES, no key twice. */
#include <errno.h>

#include "model/json_file.h"

enum { MOST_BYTES = 1 << 30 };

static spdhg_status slurp(const char *path, const char *what, char **text, size_t *size, spdhg_error *err) {
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream) return spd_fail_io(err, path, "open");
    spdhg_status status = SPDHG_OK;
    int64_t room = 0;
    do {
        const int64_t wanted = room ? 2 * room : 1 << 16;
        char *grown = *size > MOST_BYTES ? NULL : spd_grow(*text, room, wanted, 1);
        if (!grown) {
            status = *size > MOST_BYTES ? spd_fail(err, SPDHG_DATA, "%s: %s: expected at most %d bytes", path, what, MOST_BYTES)
                                        : spd_fail_memory(err, (double)wanted);
            break;
        }
        *text = grown;
        room = wanted;
        *size += fread(*text + *size, 1, (size_t)room - *size, stream);
    } while (*size == (size_t)room);
    if (status == SPDHG_OK && ferror(stream)) status = spd_fail_io(err, path, "read");
    fclose(stream);
    return status;
}

spdhg_status spd_json_parse(json_t **out, const char *text, size_t size, const char *path, const char *what, spdhg_error *err) {
    json_error_t reason;
    spdhg_status status = SPDHG_OK;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &reason);
    if (!object && json_error_code(&reason) == json_error_out_of_memory) status = spd_fail_memory(err, (double)size);
    if (status == SPDHG_OK && !json_is_object(object))
        status =
            object ? spd_fail(err, SPDHG_DATA, "%s: %s: expected a JSON object", path, what)
                   : spd_fail(err, SPDHG_DATA, "%s:%d:%d: %s: not JSON: %s", path, reason.line, reason.column, what, reason.text);
    if (status != SPDHG_OK) json_decref(object);
    *out = status == SPDHG_OK ? object : NULL;
    return status;
}

spdhg_status spd_json_read(json_t **out, const char *path, const char *what, spdhg_error *err) {
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    spdhg_status status = slurp(path, what, &text, &size, err);
    if (status == SPDHG_OK) status = spd_json_parse(out, text, size, path, what, err);
    spd_free(text);
    return status;
}

double spd_json_double(const json_t *value) { return json_is_number(value) ? json_number_value(value) : NAN; }

/* fields.c - the keys of a JSON object from an untrusted file: every type, count and number is checked. Messages are "FILE:
 * model: KEY: expected ...". */
#include <inttypes.h>

#include "model/fields.h"

spdhg_status spd_field_wrong(const spd_fields *r, const char *key, const char *expected) {
    return spd_fail(r->err, SPDHG_DATA, "%s: model: %s: expected %s", r->path, key, expected);
}

spdhg_status spd_field_integer(const spd_fields *r, const char *key, int64_t low, int64_t high, int64_t *out) {
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_integer(value)) return spd_field_wrong(r, key, "an integer");
    *out = json_integer_value(value);
    char range[80];
    snprintf(range, sizeof range, "an integer from %" PRId64 " to %" PRId64, low, high);
    return *out < low || *out > high ? spd_field_wrong(r, key, range) : SPDHG_OK;
}

spdhg_status spd_field_number(const spd_fields *r, const char *key, double *out) { /* null: not known */
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_number(value) && !json_is_null(value)) return spd_field_wrong(r, key, "a number or null");
    *out = json_is_null(value) ? NAN : json_number_value(value);
    return SPDHG_OK;
}

spdhg_status spd_field_bool(const spd_fields *r, const char *key, bool *out) {
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_boolean(value)) return spd_field_wrong(r, key, "true or false");
    *out = json_is_true(value);
    return SPDHG_OK;
}

spdhg_status spd_field_text(const spd_fields *r, const char *key, char **out) {
    const char *value = json_string_value(json_object_get(r->object, key));
    if (!value) return spd_field_wrong(r, key, "a text");
    if (!(*out = spd_strdup(value))) return spd_fail_memory(r->err, (double)strlen(value));
    return SPDHG_OK;
}

spdhg_status spd_field_short(const spd_fields *r, const char *key, char *out, size_t size) {
    const char *value = json_string_value(json_object_get(r->object, key));
    if (!value || strlen(value) >= size) return spd_field_wrong(r, key, "a short text");
    memcpy(out, value, strlen(value) + 1);
    return SPDHG_OK;
}

/* Reads an array of exactly `count` finite numbers into out. */
spdhg_status spd_field_fill_numbers(const spd_fields *r, const char *key, const json_t *array, int64_t count, double *out) {
    char expected[80];
    snprintf(expected, sizeof expected, "an array of %" PRId64 " numbers", count);
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return spd_field_wrong(r, key, expected);
    for (int64_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, (size_t)i);
        if (!json_is_number(value)) return spd_field_wrong(r, key, expected);
        out[i] = json_number_value(value);
        if (!isfinite(out[i])) return spd_field_wrong(r, key, "finite numbers");
    }
    return SPDHG_OK;
}

/* NULL if the key is null. On failure *out may hold fewer texts: the rest is NULL, and free visits all. */
spdhg_status spd_field_texts(const spd_fields *r, const char *key, int64_t count, char ***out) {
    const json_t *array = json_object_get(r->object, key);
    if (json_is_null(array)) return SPDHG_OK;
    char expected[80];
    snprintf(expected, sizeof expected, "null or an array of %" PRId64 " texts", count);
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return spd_field_wrong(r, key, expected);
    if (!(*out = SPD_NEW(char *, count))) return spd_fail_memory(r->err, 8.0 * (double)count);
    for (int64_t i = 0; i < count; i++) {
        const char *value = json_string_value(json_array_get(array, (size_t)i));
        if (!value) return spd_field_wrong(r, key, expected);
        if (!((*out)[i] = spd_strdup(value))) return spd_fail_memory(r->err, (double)strlen(value));
    }
    return SPDHG_OK;
}

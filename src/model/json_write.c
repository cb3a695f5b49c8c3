/* json_write.c - JSON values of numbers and texts, and files of them. NULL stands for a value that could not be created because
 * memory ran out. */
#include "model/json_file.h"

json_t *spd_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *spd_json_text(const char *text) {
    if (!text) return json_null();
    json_t *string = json_string(text);
    if (string) return string;
    char *ascii = spd_strdup(text);
    for (char *at = ascii; at && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    string = ascii ? json_string(ascii) : NULL;
    spd_free(ascii);
    return string;
}

void spd_json_append(json_t **array, json_t *value) {
    if (*array && json_array_append_new(*array, value) == 0) return;
    if (!*array) json_decref(value); /* a failed append has freed it */
    json_decref(*array);
    *array = NULL;
}

void spd_json_set(json_t **object, const char *key, json_t *value) {
    if (*object && key && json_object_set_new(*object, key, value) == 0) return;
    if (!*object || !key) json_decref(value);
    json_decref(*object);
    *object = NULL;
}

json_t *spd_json_numbers(const double *value, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; array && i < count; i++) spd_json_append(&array, spd_json_number(value[i]));
    return array;
}

json_t *spd_json_integers(const int64_t *value, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; array && i < count; i++) spd_json_append(&array, json_integer(value[i]));
    return array;
}

json_t *spd_json_texts(char *const *value, int64_t count) {
    if (!value) return json_null();
    json_t *array = json_array();
    for (int64_t i = 0; array && i < count; i++) spd_json_append(&array, spd_json_text(value[i]));
    return array;
}

spdhg_status spd_json_write(const char *path, json_t *object, size_t form, bool unsynced, spdhg_error *err) {
    if (!object || !path) {
        json_decref(object);
        return spd_fail_memory(err, 1000);
    }
    spd_file file;
    spdhg_status status = spd_file_create(&file, path, err);
    if (status == SPDHG_OK) {
        file.unsynced = unsynced;
        const bool dumped = json_dumpf(object, file.stream, form) == 0;
        fputc('\n', file.stream);
        if (dumped || ferror(file.stream))
            status = spd_file_commit(&file, err);
        else {
            spd_file_abort(&file);
            status = spd_fail_memory(err, 1000);
        }
    }
    json_decref(object);
    return status;
}

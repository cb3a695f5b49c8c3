/* model_sum.c - the checksum of a model: XXH3-64 of its values, so that another layout of the same JSON (blanks, the order of
 * keys, 5 for 5.0, escapes) is the same model. The keys `checksum` itself and `seconds` do not count: the same fit, the same
 * sum. */
#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

#include "model/fields.h"

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static bool mix(XXH3_state_t *h, const json_t *value, bool top);

static void mix_text(XXH3_state_t *h, const char *text, size_t size) {
    XXH3_64bits_update(h, &size, sizeof size);
    XXH3_64bits_update(h, text, size);
}

/* Keys in sorted order; false: out of memory. */
static bool mix_object(XXH3_state_t *h, const json_t *object, bool top) {
    const size_t count = json_object_size(object);
    const char **key = spd_alloc((int64_t)count, sizeof *key);
    bool good = key != NULL;
    size_t keys = 0;
    json_t *all = (json_t *)(uintptr_t)object; /* the iterator of jansson changes nothing */
    for (void *at = good ? json_object_iter(all) : NULL; at; at = json_object_iter_next(all, at)) {
        const char *name = json_object_iter_key(at);
        if (!top || (strcmp(name, SPD_MODEL_SUM) != 0 && strcmp(name, "seconds") != 0)) key[keys++] = name;
    }
    if (good) qsort(key, keys, sizeof *key, by_name);
    for (size_t i = 0; good && i < keys; i++) {
        mix_text(h, key[i], strlen(key[i]));
        good = mix(h, json_object_get(object, key[i]), false);
    }
    spd_free(key);
    return good;
}

static bool mix(XXH3_state_t *h, const json_t *value, bool top) {
    const char kind = json_is_object(value)   ? 'o'
                      : json_is_array(value)  ? 'a'
                      : json_is_string(value) ? 's'
                      : json_is_number(value) ? 'n'
                      : json_is_true(value)   ? 't'
                      : json_is_false(value)  ? 'f'
                                              : '0';
    XXH3_64bits_update(h, &kind, 1);
    if (kind == 'o') return mix_object(h, value, top);
    if (kind == 's') mix_text(h, json_string_value(value), json_string_length(value));
    if (kind == 'n') {
        const double number = json_number_value(value);
        XXH3_64bits_update(h, &number, sizeof number);
    }
    const size_t count = kind == 'a' ? json_array_size(value) : 0;
    if (kind == 'a') XXH3_64bits_update(h, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        if (!mix(h, json_array_get(value, i), false)) return false;
    return true;
}

spdhg_status spd_model_sum(const json_t *model, char text[SPD_MODEL_SUM_CHARS], spdhg_error *err) {
    XXH3_state_t *h = XXH3_createState();
    if (!h) return spd_fail_memory(err, 1e3);
    XXH3_64bits_reset(h);
    const bool good = mix(h, model, true);
    snprintf(text, SPD_MODEL_SUM_CHARS, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(h));
    XXH3_freeState(h);
    return good ? SPDHG_OK : spd_fail_memory(err, 1e3);
}

spdhg_status spd_model_sum_check(const spd_fields *r) {
    const json_t *stored = json_object_get(r->object, SPD_MODEL_SUM);
    char text[SPD_MODEL_SUM_CHARS];
    if (!stored) return SPDHG_OK; /* an older file, or one that was edited on purpose */
    SPD_TRY(spd_model_sum(r->object, text, r->err));
    const char *said = json_string_value(stored);
    if (said && strcmp(said, text) == 0) return SPDHG_OK;
    return spd_fail(
        r->err, SPDHG_DATA,
        "%s: model: its contents do not agree with its checksum: the file is damaged, or was edited. To use a model that "
        "you have edited, delete its key \"" SPD_MODEL_SUM "\"",
        r->path);
}

/* columns_json.c - writes and reads the columns of a model: a text for a column of numbers, an object for what has levels or
 * stands for gaps. Reading expects hostile input. */
#include "model/columns_json.h"

static bool simple(const spd_table_column *c) { return !c->category && isnan(c->fill); }

bool spd_columns_plain(const spdhg_columns *k) {
    bool plain = k->named;
    for (int64_t i = 0; plain && i < k->count; i++) plain = simple(&k->column[i]);
    return plain;
}

static json_t *column_json(const spd_table_column *c) {
    if (simple(c)) return spd_json_text(c->name);
    json_t *object = json_object();
    spd_json_set(&object, "name", spd_json_text(c->name));
    if (c->category) {
        spd_json_set(&object, "levels", spd_json_texts(c->level, c->levels));
        spd_json_set(&object, "reference", c->reference >= 0 ? spd_json_text(c->level[c->reference]) : json_null());
        spd_json_set(&object, "ordered", json_boolean(c->ordered));
    } else {
        spd_json_set(&object, "gap", spd_json_number(c->fill));
        spd_json_set(&object, "marked", json_boolean(c->indicator));
    }
    return object;
}

json_t *spd_columns_to_json(const spdhg_columns *k) {
    json_t *list = json_array();
    for (int64_t i = 0; list && i < k->count; i++) spd_json_append(&list, column_json(&k->column[i]));
    return list;
}

static spdhg_status wrong(const char *path, const char *what, spdhg_error *err) {
    return spd_fail(err, SPDHG_DATA, "%s: model: columns: expected %s", path, what);
}

spdhg_status spd_json_get_text(const json_t *object, const char *key, const char *path, char **out, spdhg_error *err) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return SPDHG_OK;
    if (!json_is_string(value)) return spd_fail(err, SPDHG_DATA, "%s: model: %s: expected a text or null", path, key);
    *out = spd_strdup(json_string_value(value));
    return *out ? SPDHG_OK : spd_fail_memory(err, (double)json_string_length(value));
}

static spdhg_status read_levels(spd_table_column *c, const json_t *object, const char *path, spdhg_error *err) {
    const json_t *levels = json_object_get(object, "levels"), *reference = json_object_get(object, "reference");
    const int64_t count = (int64_t)json_array_size(levels);
    if (count < 1) return wrong(path, "at least one level of a category", err);
    if (!(c->level = SPD_NEW(char *, count))) return spd_fail_memory(err, 8.0 * (double)count);
    c->levels = count;
    c->category = true;
    c->ordered = json_is_true(json_object_get(object, "ordered"));
    for (int64_t l = 0; l < count; l++) {
        const char *text = json_string_value(json_array_get(levels, (size_t)l));
        if (!text) return wrong(path, "levels that are texts", err);
        if (!(c->level[l] = spd_strdup(text))) return spd_fail_memory(err, (double)strlen(text));
        if (json_is_string(reference) && strcmp(text, json_string_value(reference)) == 0) c->reference = l;
    }
    return c->reference < 0 && json_is_string(reference) ? wrong(path, "a reference that is one of the levels", err) : SPDHG_OK;
}

static spdhg_status read_column(spd_table_column *c, const json_t *value, const char *path, spdhg_error *err) {
    const json_t *gap = json_object_get(value, "gap");
    const char *name = json_string_value(json_is_object(value) ? json_object_get(value, "name") : value);
    if (!name) return wrong(path, "a name for every column", err);
    if (!(c->name = spd_strdup(name))) return spd_fail_memory(err, (double)strlen(name));
    if (json_is_string(value)) return SPDHG_OK;
    if (json_object_get(value, "levels")) return read_levels(c, value, path, err);
    if (!json_is_number(gap) || !isfinite(json_number_value(gap))) return wrong(path, "levels, or a number for gaps", err);
    c->fill = json_number_value(gap);
    c->indicator = json_is_true(json_object_get(value, "marked"));
    return SPDHG_OK;
}

spdhg_status spd_columns_from_json(spdhg_columns **out, const json_t *list, bool named, int64_t features, const char *path,
                                   spdhg_error *err) {
    *out = NULL;
    if (!json_is_array(list)) return wrong(path, "null or an array", err);
    spdhg_columns *k = spd_schema_new((int64_t)json_array_size(list));
    if (!k) return spd_fail_memory(err, 96.0 * (double)json_array_size(list));
    k->named = named;
    spdhg_status status = SPDHG_OK;
    for (int64_t i = 0; status == SPDHG_OK && i < k->count; i++)
        status = read_column(&k->column[i], json_array_get(list, (size_t)i), path, err);
    if (status == SPDHG_OK) spd_schema_lay_out(k);
    if (status == SPDHG_OK && k->features != features)
        status = wrong(path, "columns that make as many features as the model has", err);
    if (status != SPDHG_OK) {
        spd_schema_free(k);
        return status;
    }
    *out = k;
    return SPDHG_OK;
}

/* model_write.c - writes a model as one JSON object, version 2 of docs/model.md: keys in a fixed order, numbers with 17 digits
 * (the same bits come back), unknown values are null. */
#include <inttypes.h>

#include "model/columns_json.h"
#include "model/fields.h"

/* Takes ownership of `value`; false if it is NULL or cannot be added. */
static bool put(json_t *object, const char *key, json_t *value) { return value && json_object_set_new(object, key, value) == 0; }

/* Every coefficient that is not 0 (-0 is kept: the same bits come back): its place, value, the spread of its feature, its
 * group. */
static json_t *coefficients(const spdhg_model *m) {
    json_t *object = json_object(), *index = json_array(), *value = json_array(), *spread = json_array(), *group = json_array();
    for (int64_t i = 0; i < m->features * m->outputs; i++) {
        if (m->x[i] == 0 && !signbit(m->x[i])) continue;
        spd_json_append(&index, json_integer(i));
        spd_json_append(&value, spd_json_number(m->x[i]));
        if (m->spread) spd_json_append(&spread, spd_json_number(m->spread[i / m->outputs]));
        if (m->group) spd_json_append(&group, json_integer(m->group[i]));
    }
    spd_json_set(&object, "index", index);
    spd_json_set(&object, "value", value);
    spd_json_set(&object, "spread", m->spread ? spread : json_null());
    spd_json_set(&object, "group", m->group ? group : json_null());
    if (!m->spread) json_decref(spread);
    if (!m->group) json_decref(group);
    return object;
}

static bool put_columns(json_t *o, const spdhg_model *m) {
    const spdhg_columns *k = m->columns;
    return put(o, "target", k && k->target ? spd_json_texts(k->target, k->targets) : json_null()) &&
           put(o, "id", spd_json_text(k ? k->id : NULL)) && put(o, "offset", spd_json_text(k ? k->offset : NULL)) &&
           put(o, "header",
               k         ? json_boolean(k->named)
               : m->name ? json_true()
                         : json_null()) &&
           (!k || k->width == 0 || put(o, "table_columns", json_integer(k->width))) &&
           put(o, "columns", k && !spd_columns_plain(k) ? spd_columns_to_json(k) : json_null());
}

/* Columns shifted by a point s within their range; scores are sum_j (a_j - s_j) x_j + constants. */
static json_t *centre(const spdhg_model *m) {
    json_t *object = json_object(), *index = json_array();
    bool good = object && index;
    for (int64_t e = 0; good && e < m->centre.count; e++)
        good = json_array_append_new(index, json_integer(m->centre.column[e])) == 0;
    const bool taken = put(object, "index", index);
    if (good && taken && put(object, "value", spd_json_numbers(m->centre.value, m->centre.count)) &&
        put(object, "constants", spd_json_numbers(m->centred_c, m->outputs)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *seed_text(uint64_t seed) { /* text: JSON readers lose digits of integers above 2^53 */
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    return json_string(digits);
}

static bool put_what(json_t *o, const spdhg_model *m) {
    return put(o, "format", json_string("spdhg-model")) && put(o, "version", json_integer(2)) &&
           put(o, "made_by", spd_json_text(m->version)) && put(o, "loss", spd_json_text(m->loss)) &&
           put(o, "penalty", spd_json_text(m->penalty)) && put(o, "structure", spd_json_text(m->structure)) &&
           put(o, "set", spd_json_text(m->set)) && put(o, "lambda", spd_json_number(m->lambda)) &&
           put(o, "gamma", spd_json_number(m->gamma)) && put(o, "intercept", json_boolean(m->intercept)) &&
           put(o, "standardized", json_boolean(m->standardized)) && put(o, "rows", json_integer(m->rows)) &&
           put(o, "features", json_integer(m->features)) && put(o, "outputs", json_integer(m->outputs)) &&
           put(o, "index_base", json_integer(m->index_base)) && (!m->hash || put(o, "hash", json_integer(m->hash))) &&
           put(o, "side", spd_json_integers(m->side, 3));
}

static bool put_how(json_t *o, const spdhg_model *m) {
    return put(o, "classify", json_boolean(m->classify)) && put(o, "class_value", spd_json_numbers(m->class_value, m->classes)) &&
           put(o, "class_text", spd_json_texts(m->class_text, m->classes)) && put(o, "solver", spd_json_text(m->solver)) &&
           put(o, "outcome", spd_json_text(m->outcome)) && put(o, "objective", spd_json_number(m->objective)) &&
           put(o, "train_loss", spd_json_number(m->train_loss)) && put(o, "penalty_value", spd_json_number(m->penalty_value)) &&
           put(o, "gap", spd_json_number(m->gap)) && put(o, "epochs", spd_json_number(m->epochs)) &&
           put(o, "seconds", spd_json_number(m->seconds)) && put(o, "seed", seed_text(m->seed));
}

static bool put_sum(json_t *o) {
    char text[SPD_MODEL_SUM_CHARS];
    return spd_model_sum(o, text, NULL) == SPDHG_OK && put(o, SPD_MODEL_SUM, json_string(text));
}

enum { FORM = JSON_REAL_PRECISION(17) | JSON_COMPACT };

static spdhg_status whole(const spdhg_model *model, json_t **out, spdhg_error *err) {
    json_t *object = json_object();
    if (!object || !put_what(object, model) || !put_how(object, model) ||
        !put(object, "constants", spd_json_numbers(model->c, model->outputs)) ||
        (model->centre.count > 0 && !put(object, "centred", centre(model))) || !put_columns(object, model) ||
        !put(object, "names", spd_json_texts(model->name, model->features)) ||
        !put(object, "coefficients", coefficients(model)) || !put_sum(object)) {
        json_decref(object);
        return spd_fail_memory(err, 40.0 * (double)model->features * (double)model->outputs);
    }
    *out = object;
    return SPDHG_OK;
}

spdhg_status spdhg_model_to_text(const spdhg_model *model, char **text, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    json_t *object;
    *text = NULL;
    SPD_TRY(whole(model, &object, err));
    const size_t size = json_dumpb(object, NULL, 0, FORM); /* not json_dumps: its text can be incomplete when memory runs out */
    char *whole_text = size ? spd_alloc((int64_t)size + 1, 1) : NULL;
    if (whole_text && json_dumpb(object, whole_text, size, FORM) == size)
        *text = whole_text;
    else
        spd_free(whole_text);
    json_decref(object);
    return *text ? SPDHG_OK : spd_fail_memory(err, 40.0 * (double)model->features * (double)model->outputs);
}

void spdhg_text_free(char *text) { spd_free(text); }

spdhg_status spdhg_model_write(const spdhg_model *model, const char *path, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    json_t *object;
    SPD_TRY(whole(model, &object, err));
    return spd_json_write(path, object, FORM, false, err);
}

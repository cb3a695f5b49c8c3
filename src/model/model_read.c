/* model_read.c - reads a model from untrusted JSON: every key's type, every count, index and number is checked before it is
 * used. Messages are "FILE: model: KEY: what was expected"; SPDHG_IO if there is no such file, SPDHG_DATA if it is not a
 * model. */
#include <unistd.h>

#include "model/columns_json.h"
#include "model/fields.h"

enum { MOST_CLASSES = 1 << 20 };

/* {"index": [...], "value": [...]}: ascending positions below `most`, each with a finite number. */
static spdhg_status check_entries(const spd_fields *r, const char *key, const json_t *object, int64_t most) {
    const json_t *index = json_object_get(object, "index"), *value = json_object_get(object, "value");
    char place[40];
    int64_t before = -1;
    if (!json_is_array(index) || !json_is_array(value) || json_array_size(index) != json_array_size(value))
        return spd_field_wrong(r, key, "an array of numbers, or arrays \"index\" and \"value\" of one length");
    for (size_t e = 0; e < json_array_size(index); e++) {
        const json_t *at = json_array_get(index, e), *number = json_array_get(value, e);
        const int64_t i = json_integer_value(at);
        const bool good = json_is_integer(at) && i > before && i < most;
        snprintf(place, sizeof place, "%s.%s", key, good ? "value" : "index");
        if (!good) return spd_field_wrong(r, place, "ascending integers from 0, each the place of a number");
        if (!json_is_number(number) || !isfinite(json_number_value(number))) return spd_field_wrong(r, place, "finite numbers");
        before = i;
    }
    return SPDHG_OK;
}

static spdhg_status get_coefficients(const spd_fields *r, spdhg_model *m) {
    const json_t *x = json_object_get(r->object, "coefficients");
    int64_t count;
    if (__builtin_mul_overflow(m->features, m->outputs, &count))
        return spd_field_wrong(r, "features", "features x outputs below 2^63");
    if (json_is_array(x) && (int64_t)json_array_size(x) != count) /* before allocating: a short file cannot claim much */
        return spd_field_wrong(r, "coefficients", "features x outputs numbers");
    /* A short sparse array may stand for a long one: refuse what does not fit in half of this machine's memory. */
    const double bytes = 8.0 * (double)count, machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > machine / 2 || !(m->x = SPD_NEW(double, count))) return spd_fail_memory(r->err, bytes);
    if (json_is_array(x)) return spd_field_fill_numbers(r, "coefficients", x, count, m->x);
    SPD_TRY(check_entries(r, "coefficients", x, count));
    const json_t *index = json_object_get(x, "index"), *value = json_object_get(x, "value");
    for (size_t e = 0; e < json_array_size(index); e++)
        m->x[json_integer_value(json_array_get(index, e))] = json_number_value(json_array_get(value, e));
    return SPDHG_OK;
}

/* Columns that are shifted to compute scores; the key exists only if there are any. */
static spdhg_status get_centre(const spd_fields *r, spdhg_model *m) {
    const json_t *object = json_object_get(r->object, "centred");
    if (!object) return SPDHG_OK;
    SPD_TRY(check_entries(r, "centred", object, m->features));
    const json_t *index = json_object_get(object, "index"), *value = json_object_get(object, "value");
    SPD_TRY(spd_centre_new(&m->centre, (int64_t)json_array_size(index), r->err));
    for (int64_t e = 0; e < m->centre.count; e++) {
        m->centre.column[e] = (int32_t)json_integer_value(json_array_get(index, (size_t)e));
        m->centre.value[e] = json_number_value(json_array_get(value, (size_t)e));
    }
    if (!(m->centred_c = SPD_NEW(double, m->outputs))) return spd_fail_memory(r->err, 8.0 * (double)m->outputs);
    return spd_field_fill_numbers(r, "centred.constants", json_object_get(object, "constants"), m->outputs, m->centred_c);
}

static spdhg_status get_side(const spd_fields *r, spdhg_model *m) {
    const json_t *side = json_object_get(r->object, "side");
    int64_t pixels = 1;
    if (!json_is_array(side) || json_array_size(side) != 3) return spd_field_wrong(r, "side", "an array of 3 integers");
    for (size_t s = 0; s < 3; s++) {
        m->side[s] = json_integer_value(json_array_get(side, s));
        if (!json_is_integer(json_array_get(side, s)) || m->side[s] < 0 || __builtin_mul_overflow(pixels, m->side[s], &pixels))
            return spd_field_wrong(r, "side", "an array of 3 integers");
    }
    const bool none = m->side[0] == 0 && m->side[1] == 0 && m->side[2] == 0;
    return none || pixels == m->features ? SPDHG_OK
                                         : spd_field_wrong(r, "side", "three zeros, or height x width x depth = features");
}

/* Labels: as many as the loss has classes, and ascending, so that the map is the one of the fit. */
static spdhg_status get_classes(const spd_fields *r, spdhg_model *m) {
    const spdhg_loss *loss;
    double arg;
    spdhg_error reason;
    if (spd_loss_find(m->loss, &loss, &arg, &reason) != SPDHG_OK) return spd_field_wrong(r, "loss", reason.message);
    SPD_TRY(spd_field_bool(r, "classify", &m->classify));
    if (m->classify != loss->classify)
        return spd_field_wrong(r, "classify", loss->classify ? "true for this loss" : "false for this loss");
    const json_t *array = json_object_get(r->object, "class_value");
    const int64_t classes = (int64_t)json_array_size(array);
    if (!json_is_array(array) || classes > MOST_CLASSES) return spd_field_wrong(r, "class_value", "an array of labels");
    if (!m->classify && classes != 0) return spd_field_wrong(r, "class_value", "no classes for a regression loss");
    if (m->classify && (loss->value_k ? classes != m->outputs : classes < 1 || classes > 2))
        return spd_field_wrong(r, "class_value", loss->value_k ? "one label for each output" : "one or two labels");
    if (!(m->class_value = SPD_NEW(double, classes))) return spd_fail_memory(r->err, 8.0 * (double)classes);
    SPD_TRY(spd_field_fill_numbers(r, "class_value", array, classes, m->class_value));
    for (int64_t k = 1; k < classes; k++)
        if (m->class_value[k] <= m->class_value[k - 1]) return spd_field_wrong(r, "class_value", "ascending labels");
    m->classes = classes;
    return spd_field_texts(r, "class_text", classes, &m->class_text);
}

static spdhg_status get_history(const spd_fields *r, spdhg_model *m) {
    SPD_TRY(spd_field_short(r, "made_by", m->version, sizeof m->version));
    char **const text[] = {&m->penalty, &m->structure, &m->set, &m->solver, &m->outcome};
    static const char *const text_key[] = {"penalty", "structure", "set", "solver", "outcome"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) SPD_TRY(spd_field_text(r, text_key[i], text[i]));
    double *const number[] = {&m->lambda,        &m->gamma, &m->objective, &m->train_loss,
                              &m->penalty_value, &m->gap,   &m->epochs,    &m->seconds};
    static const char *const number_key[] = {"lambda",        "gamma", "objective", "train_loss",
                                             "penalty_value", "gap",   "epochs",    "seconds"};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) SPD_TRY(spd_field_number(r, number_key[i], number[i]));
    SPD_TRY(spd_field_bool(r, "intercept", &m->intercept));
    SPD_TRY(spd_field_bool(r, "standardized", &m->standardized));
    const char *seed = json_string_value(json_object_get(r->object, "seed"));
    for (const char *digit = seed; seed && *digit; digit++) {
        const uint64_t value = (uint64_t)(*digit - '0');
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(m->seed, (uint64_t)10, &m->seed) ||
            __builtin_add_overflow(m->seed, value, &m->seed))
            seed = NULL;
        if (!seed) break;
    }
    return seed && *seed ? SPDHG_OK : spd_field_wrong(r, "seed", "a text of digits below 2^64");
}

/* Version 1 and models of plain columns have only names. */
static spdhg_status get_columns(const spd_fields *r, spdhg_model *m) {
    const json_t *list = json_object_get(r->object, "columns"), *target = json_object_get(r->object, "target");
    if (list && !json_is_null(list))
        SPD_TRY(spd_columns_from_json(&m->columns, list, json_is_true(json_object_get(r->object, "header")), m->features, r->path,
                                      r->err));
    else if (m->name && !(m->columns = spd_schema_numbers(m->name, m->features)))
        return spd_fail_memory(r->err, 8.0 * (double)m->features);
    spdhg_columns *k = m->columns;
    if (!k) return SPDHG_OK;
    if (!k->named && json_object_get(r->object, "table_columns"))
        SPD_TRY(spd_field_integer(r, "table_columns", 0, INT32_MAX, &k->width));
    SPD_TRY(spd_json_get_text(r->object, "id", r->path, &k->id, r->err));
    SPD_TRY(spd_json_get_text(r->object, "offset", r->path, &k->offset, r->err));
    if (!target || json_is_null(target)) return SPDHG_OK;
    SPD_TRY(spd_field_texts(r, "target", (int64_t)json_array_size(target), &k->target));
    k->targets = (int64_t)json_array_size(target);
    return SPDHG_OK;
}

/* Spread and group of every coefficient that is listed. */
static spdhg_status get_meaning(const spd_fields *r, spdhg_model *m) {
    const json_t *x = json_object_get(r->object, "coefficients"), *index = json_object_get(x, "index");
    const json_t *spread = json_object_get(x, "spread"), *group = json_object_get(x, "group");
    SPD_TRY(spd_field_integer(r, "rows", 0, INT64_MAX, &m->rows));
    const size_t count = json_array_size(index);
    if ((spread && !json_is_null(spread) && json_array_size(spread) != count) ||
        (group && !json_is_null(group) && json_array_size(group) != count))
        return spd_field_wrong(r, "coefficients", "spread and group of each coefficient, or null");
    if (json_is_array(spread) && !(m->spread = SPD_NEW(double, m->features)))
        return spd_fail_memory(r->err, 8.0 * (double)m->features);
    if (json_is_array(group) && !(m->group = SPD_NEW(int64_t, m->features * m->outputs)))
        return spd_fail_memory(r->err, 8.0 * (double)m->features);
    for (size_t e = 0; e < count; e++) {
        const int64_t i = json_integer_value(json_array_get(index, e));
        const double deviation = spd_json_double(json_array_get(spread, e));
        if (m->spread) m->spread[i / m->outputs] = deviation >= 0 ? deviation : 0;
        if (m->group) m->group[i] = json_integer_value(json_array_get(group, e));
    }
    return SPDHG_OK;
}

static spdhg_status fill(const spd_fields *r, spdhg_model *m) {
    const char *format = json_string_value(json_object_get(r->object, "format"));
    if (!format || strcmp(format, "spdhg-model") != 0) return spd_field_wrong(r, "format", "\"spdhg-model\"");
    int64_t version, base;
    SPD_TRY(spd_field_integer(r, "version", 1, INT64_MAX, &version));
    if (version > 2) return spd_field_wrong(r, "version", "1 or 2: the file was written by a newer spdhg than " SPDHG_VERSION);
    SPD_TRY(spd_model_sum_check(r));
    SPD_TRY(spd_field_integer(r, "features", 1, INT32_MAX - 1, &m->features));
    SPD_TRY(spd_field_integer(r, "outputs", 1, INT32_MAX - 1, &m->outputs));
    SPD_TRY(spd_field_integer(r, "index_base", 0, 1, &base));
    m->index_base = (int)base;
    if (json_object_get(r->object, "hash")) {
        SPD_TRY(spd_field_integer(r, "hash", 1, 30, &base));
        m->hash = (int)base;
        if (m->features != (int64_t)1 << m->hash) return spd_field_wrong(r, "hash", "the bits of the number of features");
    }
    SPD_TRY(get_side(r, m));
    SPD_TRY(spd_field_short(r, "loss", m->loss, sizeof m->loss));
    SPD_TRY(get_classes(r, m));
    SPD_TRY(get_history(r, m));
    const json_t *constants = json_object_get(r->object, "constants");
    if ((int64_t)json_array_size(constants) != m->outputs)
        return spd_field_wrong(r, "constants", "an array of one number for each output");
    if (!(m->c = SPD_NEW(double, m->outputs))) return spd_fail_memory(r->err, 8.0 * (double)m->outputs);
    SPD_TRY(spd_field_fill_numbers(r, "constants", constants, m->outputs, m->c));
    SPD_TRY(spd_field_texts(r, "names", m->features, &m->name));
    SPD_TRY(get_columns(r, m));
    SPD_TRY(get_centre(r, m));
    SPD_TRY(get_coefficients(r, m));
    return version == 1 ? SPDHG_OK : get_meaning(r, m);
}

/* Takes ownership of the object; path is used in messages. */
static spdhg_status from_object(spdhg_model **out, json_t *object, const char *path, spdhg_error *err) {
    spdhg_model *model = SPD_NEW(spdhg_model, 1);
    const spd_fields r = {path, object, err};
    const spdhg_status status = model ? fill(&r, model) : spd_fail_memory(err, (double)sizeof *model);
    json_decref(object);
    if (status == SPDHG_OK)
        *out = model;
    else
        spdhg_model_free(model);
    return status;
}

spdhg_status spdhg_model_from_text(spdhg_model **out, const char *text, size_t size, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    json_t *object;
    SPD_TRY(spd_json_parse(&object, text, size, "text", "model", err));
    return from_object(out, object, "text", err);
}

spdhg_status spdhg_model_read(spdhg_model **out, const char *path, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    json_t *object;
    SPD_TRY(spd_json_read(&object, path, "model", err));
    return from_object(out, object, path, err);
}

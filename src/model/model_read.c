/* model_read.c - reads a model from untrusted JSON: every key's type, every count, index and number is checked before it is
 * used. Messages are "FILE: model: KEY: what was expected"; SPDHG_IO if there is no such file, SPDHG_DATA if it is not a
 * model. */
#include <inttypes.h>
#include <unistd.h>

#include "model/json_file.h"
#include "model/model.h"

enum { MOST_CLASSES = 1 << 20 };

typedef struct reader {
    const char *path;
    const json_t *object;
    spdhg_error *err;
} reader;

static spdhg_status wrong(const reader *r, const char *key, const char *expected) {
    return spd_fail(r->err, SPDHG_DATA, "%s: model: %s: expected %s", r->path, key, expected);
}

static spdhg_status get_integer(const reader *r, const char *key, int64_t low, int64_t high, int64_t *out) {
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_integer(value)) return wrong(r, key, "an integer");
    *out = json_integer_value(value);
    char range[80];
    snprintf(range, sizeof range, "an integer from %" PRId64 " to %" PRId64, low, high);
    return *out < low || *out > high ? wrong(r, key, range) : SPDHG_OK;
}

static spdhg_status get_number(const reader *r, const char *key, double *out) { /* null: not known */
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_number(value) && !json_is_null(value)) return wrong(r, key, "a number or null");
    *out = json_is_null(value) ? NAN : json_number_value(value);
    return SPDHG_OK;
}

static spdhg_status get_bool(const reader *r, const char *key, bool *out) {
    const json_t *value = json_object_get(r->object, key);
    if (!json_is_boolean(value)) return wrong(r, key, "true or false");
    *out = json_is_true(value);
    return SPDHG_OK;
}

static spdhg_status get_text(const reader *r, const char *key, char **out) {
    const char *value = json_string_value(json_object_get(r->object, key));
    if (!value) return wrong(r, key, "a text");
    if (!(*out = spd_strdup(value))) return spd_fail_memory(r->err, (double)strlen(value));
    return SPDHG_OK;
}

static spdhg_status get_short(const reader *r, const char *key, char *out, size_t size) {
    const char *value = json_string_value(json_object_get(r->object, key));
    if (!value || strlen(value) >= size) return wrong(r, key, "a short text");
    memcpy(out, value, strlen(value) + 1);
    return SPDHG_OK;
}

/* Reads an array of exactly `count` finite numbers into out. */
static spdhg_status fill_numbers(const reader *r, const char *key, const json_t *array, int64_t count, double *out) {
    char expected[80];
    snprintf(expected, sizeof expected, "an array of %" PRId64 " numbers", count);
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return wrong(r, key, expected);
    for (int64_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, (size_t)i);
        if (!json_is_number(value)) return wrong(r, key, expected);
        out[i] = json_number_value(value);
        if (!isfinite(out[i])) return wrong(r, key, "finite numbers");
    }
    return SPDHG_OK;
}

/* NULL if the key is null. On failure *out may hold fewer texts: the rest is NULL, and free visits all. */
static spdhg_status get_texts(const reader *r, const char *key, int64_t count, char ***out) {
    const json_t *array = json_object_get(r->object, key);
    if (json_is_null(array)) return SPDHG_OK;
    char expected[80];
    snprintf(expected, sizeof expected, "null or an array of %" PRId64 " texts", count);
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return wrong(r, key, expected);
    if (!(*out = SPD_NEW(char *, count))) return spd_fail_memory(r->err, 8.0 * (double)count);
    for (int64_t i = 0; i < count; i++) {
        const char *value = json_string_value(json_array_get(array, (size_t)i));
        if (!value) return wrong(r, key, expected);
        if (!((*out)[i] = spd_strdup(value))) return spd_fail_memory(r->err, (double)strlen(value));
    }
    return SPDHG_OK;
}

/* {"index": [...], "value": [...]}: ascending positions below `most`, each with a finite number. */
static spdhg_status check_entries(const reader *r, const char *key, const json_t *object, int64_t most) {
    const json_t *index = json_object_get(object, "index"), *value = json_object_get(object, "value");
    char place[40];
    int64_t before = -1;
    if (!json_is_array(index) || !json_is_array(value) || json_array_size(index) != json_array_size(value))
        return wrong(r, key, "an array of numbers, or arrays \"index\" and \"value\" of one length");
    for (size_t e = 0; e < json_array_size(index); e++) {
        const json_t *at = json_array_get(index, e), *number = json_array_get(value, e);
        const int64_t i = json_integer_value(at);
        const bool good = json_is_integer(at) && i > before && i < most;
        snprintf(place, sizeof place, "%s.%s", key, good ? "value" : "index");
        if (!good) return wrong(r, place, "ascending integers from 0, each the place of a number");
        if (!json_is_number(number) || !isfinite(json_number_value(number))) return wrong(r, place, "finite numbers");
        before = i;
    }
    return SPDHG_OK;
}

static spdhg_status get_coefficients(const reader *r, spdhg_model *m) {
    const json_t *x = json_object_get(r->object, "coefficients");
    int64_t count;
    if (__builtin_mul_overflow(m->features, m->outputs, &count)) return wrong(r, "features", "features x outputs below 2^63");
    if (json_is_array(x) && (int64_t)json_array_size(x) != count) /* before allocating: a short file cannot claim much */
        return wrong(r, "coefficients", "features x outputs numbers");
    /* A short sparse array may stand for a long one: refuse what does not fit in half of this machine's memory. */
    const double bytes = 8.0 * (double)count, machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes > machine / 2 || !(m->x = SPD_NEW(double, count))) return spd_fail_memory(r->err, bytes);
    if (json_is_array(x)) return fill_numbers(r, "coefficients", x, count, m->x);
    SPD_TRY(check_entries(r, "coefficients", x, count));
    const json_t *index = json_object_get(x, "index"), *value = json_object_get(x, "value");
    for (size_t e = 0; e < json_array_size(index); e++)
        m->x[json_integer_value(json_array_get(index, e))] = json_number_value(json_array_get(value, e));
    return SPDHG_OK;
}

/* Columns that are shifted to compute scores; the key exists only if there are any. */
static spdhg_status get_centre(const reader *r, spdhg_model *m) {
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
    return fill_numbers(r, "centred.constants", json_object_get(object, "constants"), m->outputs, m->centred_c);
}

static spdhg_status get_side(const reader *r, spdhg_model *m) {
    const json_t *side = json_object_get(r->object, "side");
    int64_t pixels = 1;
    if (!json_is_array(side) || json_array_size(side) != 3) return wrong(r, "side", "an array of 3 integers");
    for (size_t s = 0; s < 3; s++) {
        m->side[s] = json_integer_value(json_array_get(side, s));
        if (!json_is_integer(json_array_get(side, s)) || m->side[s] < 0 || __builtin_mul_overflow(pixels, m->side[s], &pixels))
            return wrong(r, "side", "an array of 3 integers");
    }
    const bool none = m->side[0] == 0 && m->side[1] == 0 && m->side[2] == 0;
    return none || pixels == m->features ? SPDHG_OK : wrong(r, "side", "three zeros, or height x width x depth = features");
}

/* Labels: as many as the loss has classes, and ascending, so that the map is the one of the fit. */
static spdhg_status get_classes(const reader *r, spdhg_model *m) {
    const spdhg_loss *loss;
    double arg;
    spdhg_error reason;
    if (spd_loss_find(m->loss, &loss, &arg, &reason) != SPDHG_OK) return wrong(r, "loss", reason.message);
    SPD_TRY(get_bool(r, "classify", &m->classify));
    if (m->classify != loss->classify) return wrong(r, "classify", loss->classify ? "true for this loss" : "false for this loss");
    const json_t *array = json_object_get(r->object, "class_value");
    const int64_t classes = (int64_t)json_array_size(array);
    if (!json_is_array(array) || classes > MOST_CLASSES) return wrong(r, "class_value", "an array of labels");
    if (!m->classify && classes != 0) return wrong(r, "class_value", "no classes for a regression loss");
    if (m->classify && (loss->value_k ? classes != m->outputs : classes < 1 || classes > 2))
        return wrong(r, "class_value", loss->value_k ? "one label for each output" : "one or two labels");
    if (!(m->class_value = SPD_NEW(double, classes))) return spd_fail_memory(r->err, 8.0 * (double)classes);
    SPD_TRY(fill_numbers(r, "class_value", array, classes, m->class_value));
    for (int64_t k = 1; k < classes; k++)
        if (m->class_value[k] <= m->class_value[k - 1]) return wrong(r, "class_value", "ascending labels");
    m->classes = classes;
    return get_texts(r, "class_text", classes, &m->class_text);
}

static spdhg_status get_history(const reader *r, spdhg_model *m) {
    SPD_TRY(get_short(r, "made_by", m->version, sizeof m->version));
    char **const text[] = {&m->penalty, &m->structure, &m->set, &m->solver, &m->outcome};
    static const char *const text_key[] = {"penalty", "structure", "set", "solver", "outcome"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) SPD_TRY(get_text(r, text_key[i], text[i]));
    double *const number[] = {&m->lambda,        &m->gamma, &m->objective, &m->train_loss,
                              &m->penalty_value, &m->gap,   &m->epochs,    &m->seconds};
    static const char *const number_key[] = {"lambda",        "gamma", "objective", "train_loss",
                                             "penalty_value", "gap",   "epochs",    "seconds"};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) SPD_TRY(get_number(r, number_key[i], number[i]));
    SPD_TRY(get_bool(r, "intercept", &m->intercept));
    SPD_TRY(get_bool(r, "standardized", &m->standardized));
    const char *seed = json_string_value(json_object_get(r->object, "seed"));
    for (const char *digit = seed; seed && *digit; digit++) {
        const uint64_t value = (uint64_t)(*digit - '0');
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(m->seed, (uint64_t)10, &m->seed) ||
            __builtin_add_overflow(m->seed, value, &m->seed))
            seed = NULL;
        if (!seed) break;
    }
    return seed && *seed ? SPDHG_OK : wrong(r, "seed", "a text of digits below 2^64");
}

static spdhg_status fill(const reader *r, spdhg_model *m) {
    const char *format = json_string_value(json_object_get(r->object, "format"));
    if (!format || strcmp(format, "spdhg-model") != 0) return wrong(r, "format", "\"spdhg-model\"");
    int64_t version, base;
    SPD_TRY(get_integer(r, "version", 1, INT64_MAX, &version));
    if (version > 1) return wrong(r, "version", "1: the file was written by a newer spdhg than " SPDHG_VERSION);
    SPD_TRY(get_integer(r, "features", 1, INT32_MAX - 1, &m->features));
    SPD_TRY(get_integer(r, "outputs", 1, INT32_MAX - 1, &m->outputs));
    SPD_TRY(get_integer(r, "index_base", 0, 1, &base));
    m->index_base = (int)base;
    SPD_TRY(get_side(r, m));
    SPD_TRY(get_short(r, "loss", m->loss, sizeof m->loss));
    SPD_TRY(get_classes(r, m));
    SPD_TRY(get_history(r, m));
    const json_t *constants = json_object_get(r->object, "constants");
    if ((int64_t)json_array_size(constants) != m->outputs) return wrong(r, "constants", "an array of one number for each output");
    if (!(m->c = SPD_NEW(double, m->outputs))) return spd_fail_memory(r->err, 8.0 * (double)m->outputs);
    SPD_TRY(fill_numbers(r, "constants", constants, m->outputs, m->c));
    SPD_TRY(get_texts(r, "names", m->features, &m->name));
    SPD_TRY(get_centre(r, m));
    return get_coefficients(r, m);
}

/* Takes ownership of the object; path is used in messages. */
static spdhg_status from_object(spdhg_model **out, json_t *object, const char *path, spdhg_error *err) {
    spdhg_model *model = SPD_NEW(spdhg_model, 1);
    const reader r = {path, object, err};
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

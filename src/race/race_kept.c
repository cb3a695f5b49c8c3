/* race_kept.c - the settings that a folder was raced with, in DIR/runs/settings.json. For this race's own folder: equal settings
 * continue the race, different ones are refused by name. Data sets, tasks, solvers and repeats may be added, since they change no
 * other run. For a folder whose runs are reused: everything except the tuning must be equal, since tuning affects a run only
 * through its parameters. */
#include <unistd.h>
#include <xxhash.h>

#include "race/race.h"

static json_t *settings(const spd_race *race) {
    const spdhg_race_options *o = &race->o;
    json_t *data = json_object();
    for (int64_t i = 0; i < race->sources; i++) {
        char hash[20];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)race->source[i].hash);
        json_t *name = spd_json_text(race->source[i].name);
        spd_json_set(&data, json_string_value(name), json_string(hash));
        json_decref(name);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s*, s:f, s:f, s:f, s:I, s:f, s:f, s:I, s:s, s:s, s:s, s:s*, s:s, s:s, s:s*, s:s*, s:s*, s:s*, "
        "s:f, s:f, s:f, s:b, s:b, s:b, s:I, s:s, s:I, s:o}",
        "format", "spdhg race settings 1", "version", SPDHG_VERSION, "protocol", o->protocol, "preset", o->preset, "epochs",
        o->epochs, "every", o->every, "run_time", o->run_time, "time_outs", (json_int_t)o->time_outs, "test_fraction",
        o->test_fraction, "tune_fraction", o->tune_fraction, "tune_folds", (json_int_t)o->tune_folds, "tune_by", o->tune_by,
        "loss", o->loss, "penalty", o->penalty, "groups", o->groups, "structure", o->structure, "set", o->set, "class_weight",
        o->class_weight, "weights", o->weights, "offset", o->offset, "penalty_weights", o->penalty_weights, "lambda", o->lambda,
        "gamma", o->gamma, "also_sparse", o->also_sparse, "intercept", (int)o->intercept, "standardize", (int)o->standardize,
        "allow_one_class", (int)o->allow_one_class, "batch", (json_int_t)o->batch, "sampling",
        spd_race_sampling_word[o->sampling], "seed", (json_int_t)o->seed, "data", data);
}

/* Sets *out to NULL if there is no such file. */
static spdhg_status read_settings(const char *path, json_t **out, spdhg_error *err) {
    json_error_t why;
    *out = NULL;
    if (access(path, F_OK) != 0) return SPDHG_OK;
    *out = json_load_file(path, 0, &why);
    if (json_is_object(*out)) return SPDHG_OK;
    const bool json = *out;
    json_decref(*out);
    *out = NULL;
    return spd_fail(err, SPDHG_DATA, "%s:%d:%d: not the settings of a race: %s", path, json ? 1 : why.line, json ? 1 : why.column,
                    json ? "expected an object" : why.text);
}

static spdhg_status refuse(const char *folder, const char *key, const json_t *was, const json_t *is, const char *instead,
                           spdhg_error *err) {
    char *before = was ? json_dumps(was, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10)) : NULL,
         *now = is ? json_dumps(is, JSON_ENCODE_ANY | JSON_REAL_PRECISION(10)) : NULL;
    spd_fail(err, SPDHG_USAGE, "%s holds a race with other settings: %s was %s and is now %s; %s", folder, key,
             before ? before : "not given", now ? now : "not given", instead);
    free(before);
    free(now);
    return SPDHG_USAGE;
}

static bool is_data(const char *key) { return strcmp(key, "data") == 0; }

/* Settings that may differ: how parameters are found, and the data sets, which have hashes of their own. */
static bool is_free(const char *key) { return is_data(key) || strcmp(key, "protocol") == 0 || strncmp(key, "tune_", 5) == 0; }

/* All settings except the free ones must be unchanged. */
static spdhg_status compare(const char *folder, json_t *was, json_t *is, bool (*free_one)(const char *), const char *instead,
                            spdhg_error *err) {
    const char *key;
    json_t *value;
    json_object_foreach(is, key, value) {
        if (!free_one(key) && !json_equal(value, json_object_get(was, key)))
            return refuse(folder, key, json_object_get(was, key), value, instead, err);
    }
    json_object_foreach(was, key, value) {
        if (!free_one(key) && !json_object_get(is, key)) return refuse(folder, key, value, NULL, instead, err);
    }
    return SPDHG_OK;
}

/* Adds new data sets and keeps those that are not requested now. */
static spdhg_status join_data(const spd_race *race, json_t *was, json_t *is, spdhg_error *err) {
    const char *key;
    json_t *value, *old = json_object_get(was, "data"), *data = json_object_get(is, "data");
    json_object_foreach(old, key, value) {
        const json_t *now = json_object_get(data, key);
        if (now && !json_equal(now, value))
            return spd_fail(err, SPDHG_USAGE,
                            "%s holds a race of another %s: the data or the structure changed; use another folder", race->folder,
                            key);
    }
    return json_object_update_missing(data, old) == 0 ? SPDHG_OK : spd_fail_memory(err, 1000);
}

static spdhg_status hash(const json_t *settings, uint64_t *out, spdhg_error *err) {
    json_t *shared = json_copy((json_t *)settings); /* a separate copy; json_copy takes no const */
    if (shared) json_object_del(shared, "data");
    char *text = shared ? json_dumps(shared, JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    if (text) *out = XXH3_64bits(text, strlen(text));
    const bool good = text;
    free(text);
    json_decref(shared);
    return good ? SPDHG_OK : spd_fail_memory(err, 1000);
}

static spdhg_status settle_own(spd_race *race, json_t *is, const char *path, spdhg_error *err) {
    json_t *was;
    SPD_TRY(read_settings(path, &was, err));
    spdhg_status status = SPDHG_OK;
    if (was) status = compare(race->folder, was, is, is_data, "use another folder, or the same settings to continue", err);
    if (was && status == SPDHG_OK) status = join_data(race, was, is, err);
    json_decref(was);
    return status == SPDHG_OK ? hash(is, &race->settings_hash, err) : status;
}

static spdhg_status settle_reused(spd_race *race, json_t *is, spdhg_error *err) {
    char *path = spd_race_path(race->o.reuse, "runs/settings.json");
    if (!path) return spd_fail_memory(err, 1000);
    json_t *was;
    spdhg_status status = read_settings(path, &was, err);
    if (status == SPDHG_OK && !was) status = spd_fail(err, SPDHG_DATA, "%s: no race was run in this folder", race->o.reuse);
    if (status == SPDHG_OK)
        status = compare(race->o.reuse, was, is, is_free, "only runs of the same settings, tuning aside, can be reused", err);
    if (status == SPDHG_OK) status = hash(was, &race->reused_hash, err);
    json_decref(was);
    spd_free(path);
    return status;
}

spdhg_status spd_race_settle(spd_race *race, spdhg_error *err) {
    char *path = spd_race_path(race->folder, "runs/settings.json");
    json_t *is = path ? settings(race) : NULL;
    spdhg_status status = is ? settle_own(race, is, path, err) : spd_fail_memory(err, 1000);
    if (status == SPDHG_OK && race->o.reuse) status = settle_reused(race, is, err);
    if (status == SPDHG_OK)
        status = spd_json_write(path, is, SPD_RACE_FORM, false, err);
    else
        json_decref(is);
    spd_free(path);
    return status;
}

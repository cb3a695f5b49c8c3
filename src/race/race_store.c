/* race_store.c - results of a race on disk, one file each in DIR/runs, written completely or not at all; a killed race resumes
 * from them. A file has a mark, a hash of everything that determines its content. A file with a different mark is ignored. */
#include <stdarg.h>

#include "problem/hash.h"
#include "race/race.h"

char *spd_race_path(const char *folder, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char name[600];
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = spd_alloc((int64_t)size, 1);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

uint64_t spd_race_mark(uint64_t settings, const spd_race_source *source, const char *what, const spd_race_params *params) {
    uint64_t mark = XXH3_64bits_withSeed(what, strlen(what), settings ^ source->hash);
    for (int i = 0; params && i < params->count; i++) {
        mark = XXH3_64bits_withSeed(params->param[i].name, strlen(params->param[i].name), mark);
        mark = XXH3_64bits_withSeed(&params->param[i].value, sizeof params->param[i].value, mark);
    }
    return mark;
}

spdhg_status spd_race_hash(spdhg_problem *p, uint64_t *hash, spdhg_error *err) {
    SPD_TRY(spd_problem_freeze(p, err));
    XXH3_state_t *h = XXH3_createState();
    if (!h) return spd_fail_memory(err, 1000);
    XXH3_64bits_reset(h);
    spd_hash_data(h, p);
    spd_hash_problem(h, p);
    *hash = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return SPDHG_OK;
}

/* A hash as text, and back; 0 corresponds to no text. */
static json_t *hash_json(uint64_t hash) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_string(text);
}
static uint64_t hash_from(const json_t *text) { return json_is_string(text) ? strtoull(json_string_value(text), NULL, 16) : 0; }

json_t *spd_race_load(const char *file, uint64_t mark) {
    char wanted[20];
    snprintf(wanted, sizeof wanted, "%016llx", (unsigned long long)mark);
    json_t *object = file ? json_load_file(file, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *carried = json_string_value(json_object_get(object, "mark"));
    if (carried && strcmp(carried, wanted) == 0) return object;
    json_decref(object);
    return NULL;
}

spdhg_status spd_race_save(const char *file, uint64_t mark, json_t *object, spdhg_error *err) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)mark);
    if (object && json_object_set_new(object, "mark", json_string(text)) != 0) {
        json_decref(object);
        object = NULL;
    }
    return spd_json_write(file, object, SPD_RACE_FORM, true, err); /* a lost piece is simply computed again */
}

/* The values of a point in the order in which they are stored. */
enum { POINT_NUMBERS = 10 };
static void unpack(const spdhg_point *p, double number[POINT_NUMBERS]) {
    const double all[POINT_NUMBERS] = {p->epoch,   (double)p->iteration, p->seconds,    p->objective, p->train_loss,
                                       p->penalty, p->test_loss,         p->test_score, p->gap,       p->dual_norm};
    memcpy(number, all, sizeof all);
}
static spdhg_point pack(const double n[POINT_NUMBERS]) {
    return (spdhg_point){.epoch = n[0],
                         .iteration = (int64_t)n[1],
                         .seconds = n[2],
                         .objective = n[3],
                         .train_loss = n[4],
                         .penalty = n[5],
                         .test_loss = n[6],
                         .test_score = n[7],
                         .gap = n[8],
                         .dual_norm = n[9]};
}

json_t *spd_race_run_json(const spd_race_run *run) {
    json_t *trace = json_array();
    for (int64_t i = 0; i < run->trace.points; i++) {
        double number[POINT_NUMBERS];
        unpack(&run->trace.point[i], number);
        json_t *point = json_array();
        for (int j = 0; j < POINT_NUMBERS; j++) spd_json_append(&point, spd_json_number(number[j]));
        spd_json_append(&trace, point);
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "status", spd_race_status_word[run->status], "message", spd_json_text(run->message),
                     "problem", hash_json(run->problem), "trace", trace);
}

bool spd_race_run_from(const spd_race *race, const json_t *object, spd_race_run *run) {
    const char *status = json_string_value(json_object_get(object, "status")),
               *message = json_string_value(json_object_get(object, "message"));
    const json_t *trace = json_object_get(object, "trace");
    if (!status || !message || !json_is_array(trace)) return false;
    int word = 0;
    while (word < SPD_RACE_STATUSES && strcmp(status, spd_race_status_word[word]) != 0) word++;
    if (word == SPD_RACE_STATUSES) return false;
    run->status = (spd_race_status)word;
    run->problem = hash_from(json_object_get(object, "problem"));
    snprintf(run->message, sizeof run->message, "%s", message);
    spd_trace_clear(&run->trace);
    for (size_t i = 0; i < json_array_size(trace); i++) {
        double number[POINT_NUMBERS];
        for (size_t j = 0; j < POINT_NUMBERS; j++) number[j] = spd_json_double(json_array_get(json_array_get(trace, i), j));
        const spdhg_point point = pack(number);
        if (isnan(number[0]) || isnan(number[1]) || spd_race_add_point(race, run, &point, NULL) != SPDHG_OK) return false;
    }
    return run->known = true;
}

json_t *spd_race_optimum_json(const spd_race_optimum *o) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:I, s:I}", "problem", hash_json(o->problem), "objective",
                     spd_json_number(o->objective), "lower", spd_json_number(o->lower), "gap", spd_json_number(o->gap), "start",
                     spd_json_number(o->start), "certified", (int)o->certified, "structure_rows", (json_int_t)o->structure_rows,
                     "structure_nonzeros", (json_int_t)o->structure_nonzeros);
}

bool spd_race_optimum_from(const json_t *object, spd_race_optimum *o) {
    *o = (spd_race_optimum){.problem = hash_from(json_object_get(object, "problem")),
                            .objective = spd_json_double(json_object_get(object, "objective")),
                            .lower = spd_json_double(json_object_get(object, "lower")),
                            .gap = spd_json_double(json_object_get(object, "gap")),
                            .start = spd_json_double(json_object_get(object, "start")),
                            .certified = json_is_true(json_object_get(object, "certified")),
                            .structure_rows = json_integer_value(json_object_get(object, "structure_rows")),
                            .structure_nonzeros = json_integer_value(json_object_get(object, "structure_nonzeros"))};
    return o->known = !isnan(o->objective) && !isnan(o->start);
}

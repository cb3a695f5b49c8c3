/* race_piece.c - one piece of the work on a data set and its file in DIR/runs: a certified optimum, a point of a grid, a run.
 * Pieces found there are not computed again, nor are runs found in the folder whose runs are reused. */
#include "race/race_set.h"

static char *file_of(const char *folder, const spd_race_set *set, const spd_race_piece *p) {
    const spd_race *race = set->race;
    const char *task = spd_race_task_name[race->task[p->task]], *name = set->source->name;
    if (p->kind == SPD_PIECE_OPTIMUM)
        return spd_race_path(folder, "runs/%s.%s.r%lld.optimum.json", name, task, (long long)p->repeat);
    const char *solver = race->solver[p->solver];
    if (p->kind == SPD_PIECE_TUNE) return spd_race_path(folder, "runs/%s.%s.%s.tune%d.json", name, task, solver, p->point);
    return spd_race_path(folder, "runs/%s.%s.%s.r%lld.json", name, task, solver, (long long)p->repeat);
}

/* name: of the file, starting at "/runs/". */
static uint64_t mark_of(uint64_t settings, const spd_race_set *set, const spd_race_piece *p, const char *name) {
    return spd_race_mark(settings, set->source, name,
                         p->kind == SPD_PIECE_RUN ? &set->problem[p->task].entry[p->solver].chosen : NULL);
}

int spd_race_piece_worker(const spd_race_set *set, const spd_race_piece *p) {
    return p->kind == SPD_PIECE_OPTIMUM ? set->race->solvers : p->solver;
}

double spd_race_piece_weight(const spd_race_set *set, const spd_race_piece *p) {
    const spd_race *race = set->race;
    const double part = p->kind == SPD_PIECE_TUNE ? race->o.tune_fraction * (double)(race->o.tune_folds - 1) : 1;
    return p->kind == SPD_PIECE_OPTIMUM ? set->source->weight : part * race->o.epochs * set->source->weight;
}

json_t *spd_race_tune_json(const spd_race_entry *entry, int point) {
    const spd_race_params *params = &entry->grid[point];
    json_t *values = json_object();
    for (int i = 0; i < params->count; i++) spd_json_set(&values, params->param[i].name, spd_json_number(params->param[i].value));
    return json_pack("{s:o, s:o, s:b}", "params", values, "score", spd_json_number(entry->score[point]), "late",
                     (int)entry->late[point]);
}

static bool tune_from(const json_t *object, spd_race_entry *entry, int point) {
    const json_t *values = json_object_get(object, "params"), *score = json_object_get(object, "score");
    spd_race_params *params = &entry->grid[point];
    for (int i = 0; i < params->count; i++)
        if (isnan(params->param[i].value = spd_json_double(json_object_get(values, params->param[i].name)))) return false;
    if (!score) return false;
    entry->late[point] = json_is_true(json_object_get(object, "late"));
    entry->score[point] = json_is_null(score) ? INFINITY : spd_json_double(score);
    return !isnan(entry->score[point]);
}

static bool take(spd_race_set *set, const spd_race_piece *p, const json_t *object) {
    spd_race_problem *problem = &set->problem[p->task];
    if (p->kind == SPD_PIECE_OPTIMUM) return spd_race_optimum_from(object, &problem->optimum[p->repeat]);
    spd_race_entry *entry = &problem->entry[p->solver];
    if (p->kind == SPD_PIECE_TUNE) return tune_from(object, entry, p->point);
    const uint64_t measured = problem->optimum[p->repeat].problem;
    const spd_race_run *run = &entry->run[p->repeat];
    return spd_race_run_from(set->race, object, &entry->run[p->repeat]) &&
           (!run->problem || !measured || run->problem == measured);
}

/* Reads the piece from a folder that was raced with these settings; NULL if it is missing. */
static json_t *find(const char *folder, uint64_t settings, spd_race_set *set, const spd_race_piece *p) {
    char *file = file_of(folder, set, p);
    json_t *object = file ? spd_race_load(file, mark_of(settings, set, p, file + strlen(folder))) : NULL;
    spd_free(file);
    if (object && take(set, p, object)) return object;
    json_decref(object);
    return NULL;
}

/* Copies a run of the other race into this folder, which is then complete without the other. */
static bool reuse(spd_race_set *set, const spd_race_piece *p) {
    spd_race *race = set->race;
    json_t *object = race->o.reuse && p->kind == SPD_PIECE_RUN ? find(race->o.reuse, race->reused_hash, set, p) : NULL;
    spdhg_error err = {0};
    const spdhg_status status = object ? spd_race_piece_save(set, p, object, &err) : SPDHG_OK;
    if (status != SPDHG_OK) spd_race_failed(race, status, &err);
    return object && status == SPDHG_OK;
}

bool spd_race_piece_found(spd_race_set *set, const spd_race_piece *p) {
    json_t *object = find(set->race->folder, set->race->settings_hash, set, p);
    const bool good = object || reuse(set, p);
    json_decref(object);
    if (good) spd_race_did(set->race, spd_race_piece_worker(set, p), spd_race_piece_weight(set, p), 0);
    return good;
}

spdhg_status spd_race_piece_save(const spd_race_set *set, const spd_race_piece *p, json_t *object, spdhg_error *err) {
    const spd_race *race = set->race;
    char *file = file_of(race->folder, set, p);
    const uint64_t mark = file ? mark_of(race->settings_hash, set, p, file + strlen(race->folder)) : 0;
    const spdhg_status status = spd_race_save(file, mark, object, err);
    spd_free(file);
    return status;
}

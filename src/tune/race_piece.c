/* race_piece.c - one piece of the work on a data set and its place in DIR/runs: a certified optimum, a point of a grid, a run.
 * What is found there is not done again. */
#include "tune/race_set.h"

static char *file_of(const spd_race_set *set, const spd_race_piece *p) {
    const spd_race *race = set->race;
    const char *task = spd_race_task_name[race->task[p->task]], *name = set->source->name;
    if (p->kind == SPD_PIECE_OPTIMUM)
        return spd_race_path(race, "runs/%s.%s.r%lld.optimum.json", name, task, (long long)p->repeat);
    const char *solver = race->solver[p->solver];
    if (p->kind == SPD_PIECE_TUNE) return spd_race_path(race, "runs/%s.%s.%s.tune%d.json", name, task, solver, p->point);
    return spd_race_path(race, "runs/%s.%s.%s.r%lld.json", name, task, solver, (long long)p->repeat);
}

static uint64_t mark_of(const spd_race_set *set, const spd_race_piece *p, const char *file) {
    const spd_race *race = set->race;
    return spd_race_mark(race, set->source, file + strlen(race->folder),
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

json_t *spd_race_tune_json(const spd_race_params *params, double score) {
    json_t *values = json_object();
    for (int i = 0; i < params->count; i++) spd_json_set(&values, params->param[i].name, spd_json_number(params->param[i].value));
    return json_pack("{s:o, s:o}", "params", values, "score", spd_json_number(score));
}

static bool tune_from(const json_t *object, spd_race_entry *entry, int point) {
    const json_t *values = json_object_get(object, "params"), *score = json_object_get(object, "score");
    spd_race_params *params = &entry->grid[point];
    for (int i = 0; i < params->count; i++)
        if (isnan(params->param[i].value = spd_json_double(json_object_get(values, params->param[i].name)))) return false;
    if (!score) return false;
    entry->score[point] = json_is_null(score) ? INFINITY : spd_json_double(score);
    return !isnan(entry->score[point]);
}

static bool take(spd_race_set *set, const spd_race_piece *p, const json_t *object) {
    spd_race_problem *problem = &set->problem[p->task];
    if (p->kind == SPD_PIECE_OPTIMUM) return spd_race_optimum_from(object, &problem->optimum[p->repeat]);
    spd_race_entry *entry = &problem->entry[p->solver];
    return p->kind == SPD_PIECE_TUNE ? tune_from(object, entry, p->point) : spd_race_run_from(object, &entry->run[p->repeat]);
}

bool spd_race_piece_found(spd_race_set *set, const spd_race_piece *p) {
    char *file = file_of(set, p);
    json_t *object = file ? spd_race_load(file, mark_of(set, p, file)) : NULL;
    const bool good = object && take(set, p, object);
    json_decref(object);
    spd_free(file);
    if (good) spd_race_did(set->race, spd_race_piece_worker(set, p), spd_race_piece_weight(set, p), 0);
    return good;
}

spdhg_status spd_race_piece_save(const spd_race_set *set, const spd_race_piece *p, json_t *object, spdhg_error *err) {
    char *file = file_of(set, p);
    const spdhg_status status = spd_race_save(file, file ? mark_of(set, p, file) : 0, object, err);
    spd_free(file);
    return status;
}

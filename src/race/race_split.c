/* race_split.c - what the runs of a data set need: the rows of every repeat, the F learned from its training rows, its problems,
 * and the folds of the first repeat's training rows used for tuning. Repeat r uses the split given by seed + r. */
#include "race/race_set.h"

static spdhg_status make_problems(spd_race_set *set, spd_race_split *split, spdhg_error *err) {
    const spd_race *race = set->race;
    for (int t = 0; t < race->tasks; t++) {
        spd_recipe recipe = spd_race_recipe(race, set->source);
        if (race->task[t] == 0) recipe.gamma = 0;
        SPD_TRY(spd_recipe_build_on(&split->made[t], &recipe, set->data, split->train, split->trains, split->F, err));
        SPD_TRY(spd_race_hash(split->made[t].problem, &split->hash[t], err));
    }
    return SPDHG_OK;
}

static spdhg_status make_split(spd_race_set *set, int64_t repeat, spdhg_error *err) {
    const spd_race *race = set->race;
    const spdhg_data *data = set->data;
    spd_race_split *split = &set->split[repeat];
    SPD_TRY(spd_split(data->rows, race->o.test_fraction, race->o.seed + (uint64_t)repeat, &split->train, &split->trains,
                      &split->test_row, &split->tests, err));
    if (split->trains == 0 || split->tests == 0)
        return spd_fail(err, SPDHG_DATA, "%s: %lld rows are too few to hold out a fraction of %g", set->source->path,
                        (long long)data->rows, race->o.test_fraction);
    SPD_TRY(spd_data_subset(&split->test, data, split->test_row, split->tests, err));
    spdhg_graph_report learned;
    const spd_recipe recipe = spd_race_recipe(race, set->source);
    SPD_TRY(spd_recipe_structure(&split->F, &learned, &recipe, data, split->train, split->trains, err));
    return make_problems(set, split, err);
}

static void split_task(void *context, int64_t repeat) {
    spd_race_set *set = context;
    spdhg_error err = {0};
    if (!set->split[repeat].needed || set->split[repeat].train || spd_race_asked_to_stop(set->race)) return;
    const spdhg_status status = make_split(set, repeat, &err);
    if (status != SPDHG_OK) spd_race_failed(set->race, status, &err);
}

/* Writes the learned F of the first repeat, for inspection. */
static spdhg_status write_structure(const spd_race_set *set, spdhg_error *err) {
    if (!spd_recipe_learns(&set->race->recipe) || !set->split[0].F) return SPDHG_OK;
    char *path = spd_race_path(set->race->folder, "%s.structure.mtx", set->source->name);
    const spdhg_status status = path ? spdhg_structure_write(set->split[0].F, path, err) : spd_fail_memory(err, 1000);
    spd_free(path);
    return status;
}

/* The positions of the training rows on which fold f trains, and the ids of the rows it holds out; both from a random subset of
 * all rows. */
static spdhg_status part_fold(spd_race_set *set, int64_t f, int64_t *position, char *side, int64_t *id, spdhg_error *err) {
    const spd_race *race = set->race;
    const spd_race_split *split = &set->split[0];
    const int64_t n = split->trains, used = (int64_t)ceil(race->o.tune_fraction * (double)n);
    int64_t trains = 0, tests = 0;
    memset(side, 0, (size_t)n);
    for (int64_t i = 0; i < used; i++)
        side[spd_permute(race->o.seed, SPD_STREAM_FOLD, 0, n, i)] = i % race->o.tune_folds == f ? 2 : 1;
    for (int64_t i = 0; i < n; i++) {
        if (side[i] == 1) position[trains++] = i;
        if (side[i] == 2) id[tests++] = split->train[i];
    }
    if (trains == 0 || tests == 0)
        return spd_fail(err, SPDHG_DATA, "%s: %lld rows are too few to tune with %lld folds", set->source->path, (long long)used,
                        (long long)race->o.tune_folds);
    spd_race_fold *fold = &set->fold[f];
    fold->part = (double)trains / (double)n;
    for (int t = 0; t < race->tasks; t++)
        SPD_TRY(spd_problem_subset(&fold->problem[t], split->made[t].problem, position, trains, NULL, err));
    return spd_data_subset(&fold->test, set->data, id, tests, err);
}

static spdhg_status make_folds(spd_race_set *set, spdhg_error *err) {
    const int64_t n = set->split[0].trains, folds = set->race->o.tune_folds;
    set->fold = SPD_NEW(spd_race_fold, folds);
    int64_t *position = SPD_NEW(int64_t, n), *id = SPD_NEW(int64_t, n);
    char *side = SPD_NEW(char, n);
    spdhg_status status = set->fold && position && id && side ? SPDHG_OK : spd_fail_memory(err, 17.0 * (double)n);
    for (int64_t f = 0; f < folds && status == SPDHG_OK; f++) status = part_fold(set, f, position, side, id, err);
    spd_free(position);
    spd_free(id);
    spd_free(side);
    return status;
}

spdhg_status spd_race_set_prepare(spd_race_set *set, bool tuning, spdhg_error *err) {
    spd_race *race = set->race;
    if (!set->data) {
        SPD_TRY(spdhg_data_read(&set->data, set->source->path, race->o.read, err));
        SPD_TRY(spd_recipe_attach(&race->recipe, set->data, err));
    }
    spd_parallel(race->o.jobs, race->o.repeats, split_task, set);
    if (atomic_load(&race->stop)) return SPDHG_OK;
    SPD_TRY(write_structure(set, err));
    return tuning && !set->fold ? make_folds(set, err) : SPDHG_OK;
}

void spd_race_set_clear(spd_race_set *set) {
    for (int64_t f = 0; set->fold && f < set->race->o.tune_folds; f++) {
        for (int t = 0; t < set->race->tasks; t++) spdhg_problem_free(set->fold[f].problem[t]);
        spdhg_data_free(set->fold[f].test);
    }
    for (int64_t r = 0; set->split && r < set->race->o.repeats; r++) {
        spd_race_split *split = &set->split[r];
        for (int t = 0; t < set->race->tasks; t++) spd_recipe_clear(&split->made[t]);
        spdhg_structure_free(split->F);
        spdhg_data_free(split->test);
        spd_free(split->train);
        spd_free(split->test_row);
    }
    spd_free(set->fold);
    spd_free(set->split);
    spdhg_data_free(set->data);
}

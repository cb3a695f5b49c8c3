/* race.c - spdhg_race: runs the data sets one after the other (race_set.c) and writes the summary of all results after each.
 * Also holds what the threads share: progress messages, requests to stop, the first failure. */
#include "race/race.h"

#include <unistd.h>

void spd_race_did(spd_race *race, int solver, double weight, double seconds) {
    spd_race_work *work = &race->work[solver];
    pthread_mutex_lock(&race->mutex);
    work->done += weight;
    if (seconds > 0) work->here += weight, work->seconds += seconds;
    pthread_mutex_unlock(&race->mutex);
}

/* Estimates the remaining time from the work done in this run, separately for each solver because their speeds differ by a factor
 * of a thousand. */
static void foresee(const spd_race *race, spdhg_race_event *event) {
    double total = 0, done = 0, here = 0, seconds = 0, left = 0;
    for (int s = 0; s <= race->solvers; s++) {
        const spd_race_work *work = &race->work[s];
        total += work->total, done += work->done, here += work->here, seconds += work->seconds;
    }
    for (int s = 0; s <= race->solvers; s++) {
        const spd_race_work *work = &race->work[s];
        left += (work->total - work->done) * (work->here > 0 ? work->seconds / work->here : seconds / here);
    }
    event->part = total > 0 ? done / total : 1;
    event->seconds_left = here > 0 ? fmax(left, 0) / race->o.jobs : NAN;
}

void spd_race_tell(spd_race *race, const spdhg_race_event *event) {
    pthread_mutex_lock(&race->mutex);
    spdhg_race_event told = *event;
    foresee(race, &told);
    if (race->o.callback && race->o.callback(race->o.user, &told) != 0) atomic_store(&race->stop, true);
    pthread_mutex_unlock(&race->mutex);
}

bool spd_race_asked_to_stop(spd_race *race) {
    if (!atomic_load(&race->stop)) spd_race_tell(race, &(spdhg_race_event){0});
    return atomic_load(&race->stop);
}

void spd_race_failed(spd_race *race, spdhg_status status, const spdhg_error *err) {
    pthread_mutex_lock(&race->mutex);
    if (race->status == SPDHG_OK) {
        race->status = status;
        race->err = *err;
    }
    atomic_store(&race->stop, true);
    pthread_mutex_unlock(&race->mutex);
}

/* Allocates the results of one data set and task. At this point only the number of points in each grid is needed. */
static spdhg_status make_problem(spd_race *race, int64_t source, int task, spd_race_problem *p, spdhg_error *err) {
    const spd_race_source *from = &race->source[source];
    p->task = race->task[task];
    p->tests = (int64_t)llround(race->o.test_fraction * (double)from->rows);
    p->samples = from->rows - p->tests;
    p->features = from->features;
    p->data = spd_strdup(from->name);
    p->optimum = SPD_NEW(spd_race_optimum, race->o.repeats);
    p->entry = SPD_NEW(spd_race_entry, race->solvers);
    if (!p->data || !p->optimum || !p->entry) return spd_fail_memory(err, 1000);
    for (int s = 0; s < race->solvers; s++) {
        spd_race_entry *entry = &p->entry[s];
        entry->solver = race->solver[s];
        if (!spd_race_preset(race, from->name, entry)) spd_race_grid(race, entry);
        for (int g = 0; g < SPD_GRID_MAX; g++) entry->score[g] = NAN;
        if (!(entry->run = SPD_NEW(spd_race_run, race->o.repeats))) return spd_fail_memory(err, 1000);
        for (int64_t r = 0; r < race->o.repeats; r++) entry->run[r].by_seconds = spd_race_by_seconds(entry->solver);
        const double tunes = race->o.tune_fraction * (double)(race->o.tune_folds - 1) * entry->points;
        race->work[s].total += race->o.epochs * from->weight * ((double)race->o.repeats + tunes);
    }
    race->work[race->solvers].total += from->weight * (double)race->o.repeats;
    return SPDHG_OK;
}

static spdhg_status make_problems(spd_race *race, spdhg_error *err) {
    race->problem = SPD_NEW(spd_race_problem, race->sources * race->tasks);
    if (!race->problem) return spd_fail_memory(err, (double)sizeof *race->problem * (double)(race->sources * race->tasks));
    for (int64_t i = 0; i < race->sources; i++)
        for (int t = 0; t < race->tasks; t++) SPD_TRY(make_problem(race, i, t, &race->problem[i * race->tasks + t], err));
    return SPDHG_OK;
}

static spdhg_status run(spd_race *race, const char *const *data, int64_t count, spdhg_error *err) {
    SPD_TRY(spd_race_open(race, data, count, err));
    SPD_TRY(make_problems(race, err));
    for (int64_t i = 0; i < race->sources && !atomic_load(&race->stop); i++) {
        SPD_TRY(spd_race_set_run(race, i, err));
        if (atomic_load(&race->stop)) break;
        race->problems = (i + 1) * race->tasks;
        SPD_TRY(spd_race_write_summary(race, err));
    }
    if (race->status != SPDHG_OK && err) *err = race->err;
    return race->status;
}

static void clear(spd_race *race) {
    for (int64_t i = 0; race->problem && i < race->sources * race->tasks; i++) {
        spd_race_problem *p = &race->problem[i];
        for (int s = 0; p->entry && s < race->solvers; s++) {
            for (int64_t r = 0; p->entry[s].run && r < race->o.repeats; r++) spd_trace_clear(&p->entry[s].run[r].trace);
            spd_free(p->entry[s].run);
        }
        spd_free(p->data);
        spd_free(p->optimum);
        spd_free(p->entry);
    }
    for (int64_t i = 0; race->source && i < race->sources; i++) {
        spd_free(race->source[i].name);
        spd_free(race->source[i].structure);
    }
    spd_free(race->problem);
    spd_free(race->source);
    spd_free(race->folder);
    if (race->lock >= 0) close(race->lock);
}

spdhg_status spdhg_race(const char *const *data, int64_t count, const char *folder, const spdhg_race_options *options,
                        spdhg_outcome *outcome, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spd_race race = {.lock = -1, .folder = spd_strdup(folder)};
    if (!race.folder) return spd_fail_memory(err, (double)strlen(folder));
    pthread_mutex_init(&race.mutex, NULL);
    atomic_init(&race.stop, false);
    spdhg_status status = spd_race_resolve(&race, options, err);
    if (status == SPDHG_OK) status = run(&race, data, count, err);
    if (outcome) *outcome = atomic_load(&race.stop) ? SPDHG_OUTCOME_INTERRUPTED : SPDHG_OUTCOME_DONE;
    clear(&race);
    pthread_mutex_destroy(&race.mutex);
    return status;
}

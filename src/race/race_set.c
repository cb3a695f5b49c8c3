/* race_set.c - one data set of a race: lists the pieces that are missing in the folder and computes several at a time: first the
 * optima and the points of the grids, then, with the chosen parameters, the runs. Every piece is saved as soon as it is done. */
#include "race/race_set.h"

typedef struct work {
    spd_race_set *set;
    spd_race_piece *piece;
    int64_t pieces;
} work;

/* Chooses the best point; the solver's own rules if no point has a result. */
static void choose(spd_race_entry *entry) {
    const int best = spd_race_grid_best(entry);
    if (best >= 0) entry->chosen = entry->grid[best];
}

static void want(work *w, spd_race_piece p) {
    if (!spd_race_piece_found(w->set, &p)) w->piece[w->pieces++] = p;
}

static void list_optima(work *w) {
    const spd_race *race = w->set->race;
    for (int t = 0; t < race->tasks; t++)
        for (int64_t r = 0; r < race->o.repeats; r++)
            want(w, (spd_race_piece){.kind = SPD_PIECE_OPTIMUM, .task = t, .repeat = r});
}

/* Lists points from..to-1 of all grids; list_runs: repeats from..to-1. */
static void list_points(work *w, int64_t from, int64_t to) {
    const spd_race *race = w->set->race;
    for (int t = 0; t < race->tasks; t++)
        for (int s = 0; s < race->solvers; s++)
            for (int64_t g = from; g < to && g < w->set->problem[t].entry[s].points; g++)
                want(w, (spd_race_piece){.kind = SPD_PIECE_TUNE, .task = t, .solver = s, .point = (int)g});
}

/* Lists the points by which grids grow whose edge is the best so far; false: no grid grew. */
static bool list_beyond(work *w) {
    const spd_race *race = w->set->race;
    bool more = false;
    for (int t = 0; t < race->tasks; t++)
        for (int s = 0; s < race->solvers; s++) {
            spd_race_entry *entry = &w->set->problem[t].entry[s];
            if (!spd_race_widen(race, entry)) continue;
            const spd_race_piece piece = {.kind = SPD_PIECE_TUNE, .task = t, .solver = s, .point = entry->points - 1};
            w->set->race->work[s].total += spd_race_piece_weight(w->set, &piece);
            want(w, piece);
            more = true;
        }
    return more;
}

static void list_runs(work *w, int64_t from, int64_t to) {
    const spd_race *race = w->set->race;
    for (int t = 0; t < race->tasks; t++)
        for (int s = 0; s < race->solvers; s++)
            for (int64_t r = from; r < to; r++)
                want(w, (spd_race_piece){.kind = SPD_PIECE_RUN, .task = t, .solver = s, .repeat = r});
}

/* ---- computing the pieces */

static spdhg_status do_optimum(spd_race_set *set, const spd_race_piece *p, json_t **out, spdhg_error *err) {
    spd_race *race = set->race;
    char *model = p->repeat == 0 ? spd_race_path(race->folder, "%s.%s.model.json", set->source->name,
                                                 spd_race_task_name[race->task[p->task]])
                                 : NULL;
    spd_race_optimum *optimum = &set->problem[p->task].optimum[p->repeat];
    *optimum = (spd_race_optimum){0};
    const spdhg_status status = spd_race_solve_optimum(race, set->split[p->repeat].made[p->task].problem,
                                                       race->o.seed + (uint64_t)p->repeat, model, optimum, err);
    spd_free(model);
    optimum->problem = set->split[p->repeat].hash[p->task];
    *out = spd_race_optimum_json(optimum);
    return status;
}

static bool ran_late(const spd_race_entry *entry, spd_piece_kind kind, int64_t i) {
    return kind == SPD_PIECE_TUNE ? entry->late[i] : entry->run[i].status == SPD_RACE_TIME_OUT;
}

/* The first points of the grid, or the first repeats, all timed out: so would this one. */
static bool is_hopeless(const spd_race *race, const spd_race_entry *entry, const spd_race_piece *p) {
    const int64_t before = p->kind == SPD_PIECE_TUNE ? p->point : p->repeat;
    int64_t late = 0;
    while (late < race->o.time_outs && late < before && ran_late(entry, p->kind, late)) late++;
    return late > 0 && late == race->o.time_outs;
}

/* The mean over the folds of the final value; a run that did not finish has the worst possible value. */
static spdhg_status do_tune(spd_race_set *set, const spd_race_piece *p, json_t **out, spdhg_error *err) {
    spd_race *race = set->race;
    spd_race_entry *entry = &set->problem[p->task].entry[p->solver];
    const bool by_loss = strcmp(race->o.tune_by, "loss") == 0, skip = is_hopeless(race, entry, p);
    double sum = skip ? INFINITY : 0;
    entry->late[p->point] = skip;
    for (int64_t f = 0; f < race->o.tune_folds && !skip && !atomic_load(&race->stop); f++) {
        const spd_race_fold *fold = &set->fold[f];
        spd_race_run run = {0};
        const spdhg_status status =
            spd_race_solve(race, entry->solver, fold->problem[p->task], fold->test, &entry->grid[p->point], race->o.seed,
                           fold->part * race->o.run_time, &run, err);
        const spdhg_point *last = spd_race_last(&run);
        const bool got = last && (run.status == SPD_RACE_DONE || run.status == SPD_RACE_TIME_OUT);
        const double value = !got ? INFINITY : by_loss ? last->test_loss : last->objective;
        sum += isnan(value) ? INFINITY : value;
        entry->late[p->point] = entry->late[p->point] || run.status == SPD_RACE_TIME_OUT;
        spd_trace_clear(&run.trace);
        SPD_TRY(status);
    }
    entry->score[p->point] = sum / (double)race->o.tune_folds;
    *out = spd_race_tune_json(entry, p->point);
    return SPDHG_OK;
}

static spdhg_status check_problem(const spd_race_set *set, const spd_race_piece *p, spdhg_error *err) {
    const uint64_t measured = set->problem[p->task].optimum[p->repeat].problem;
    if (measured == 0 || measured == set->split[p->repeat].hash[p->task]) return SPDHG_OK;
    return spd_fail(err, SPDHG_DATA,
                    "%s: its problem is no longer the one whose optimum is in %s, which another build computed; use another "
                    "folder",
                    set->source->path, set->race->folder);
}

static spdhg_status do_run(spd_race_set *set, const spd_race_piece *p, json_t **out, spdhg_error *err) {
    spd_race *race = set->race;
    spd_race_entry *entry = &set->problem[p->task].entry[p->solver];
    const spd_race_split *split = &set->split[p->repeat];
    spd_race_run *run = &entry->run[p->repeat];
    run->problem = split->hash[p->task];
    spd_trace_clear(&run->trace); /* remove the trace of a run found on disk that belongs to another problem */
    SPD_TRY(check_problem(set, p, err));
    if (is_hopeless(race, entry, p)) {
        run->known = true;
        run->status = SPD_RACE_TIME_OUT;
        snprintf(run->message, sizeof run->message, "not started: the first %lld repeats were time-outs",
                 (long long)race->o.time_outs);
    } else
        SPD_TRY(spd_race_solve(race, entry->solver, split->made[p->task].problem, split->test, &entry->chosen,
                               race->o.seed + (uint64_t)p->repeat, race->o.run_time, run, err));
    *out = spd_race_run_json(run);
    return SPDHG_OK;
}

static void tell(spd_race_set *set, const spd_race_piece *p) {
    spd_race *race = set->race;
    const spd_race_problem *problem = &set->problem[p->task];
    const spd_race_run *run = p->kind == SPD_PIECE_RUN ? &problem->entry[p->solver].run[p->repeat] : NULL;
    const spdhg_race_event event = {.data = set->source->name,
                                    .task = spd_race_task_name[race->task[p->task]],
                                    .solver = p->kind == SPD_PIECE_OPTIMUM ? "auto" : race->solver[p->solver],
                                    .repeat = p->repeat,
                                    .what = p->kind == SPD_PIECE_OPTIMUM ? "optimum"
                                            : run                        ? spd_race_status_word[run->status]
                                                                         : "tuned",
                                    .message = run && *run->message ? run->message : NULL};
    spd_race_tell(race, &event);
}

static void do_piece(void *context, int64_t number) {
    const work *w = context;
    spd_race_set *set = w->set;
    const spd_race_piece *p = &w->piece[number];
    if (spd_race_asked_to_stop(set->race)) return;
    const double begun = spd_now();
    spdhg_error err = {0};
    json_t *out = NULL;
    spdhg_status status = p->kind == SPD_PIECE_OPTIMUM ? do_optimum(set, p, &out, &err)
                          : p->kind == SPD_PIECE_TUNE  ? do_tune(set, p, &out, &err)
                                                       : do_run(set, p, &out, &err);
    if (status == SPDHG_OK && !atomic_load(&set->race->stop)) /* an interrupted piece is no result */
        status = spd_race_piece_save(set, p, json_incref(out), &err);
    json_decref(out);
    if (status != SPDHG_OK) {
        spd_race_failed(set->race, status, &err);
        return;
    }
    spd_race_did(set->race, spd_race_piece_worker(set, p), spd_race_piece_weight(set, p), spd_now() - begun);
    tell(set, p);
}

/* Points that are not known yet require the solvers' rules on this problem. */
static void fill_grids(spd_race_set *set) {
    for (int t = 0; t < set->race->tasks; t++)
        for (int s = 0; s < set->race->solvers; s++) {
            spd_race_entry *entry = &set->problem[t].entry[s], fresh = *entry;
            if (entry->points == 0) continue;
            spd_race_grid_values(set->race, set->split[0].made[t].problem, &fresh);
            for (int g = 0; g < entry->points; g++)
                if (isnan(entry->score[g])) entry->grid[g] = fresh.grid[g];
        }
}

/* Computes the pieces of the list, after preparing what they need, and empties the list. */
static spdhg_status do_list(work *w, spdhg_error *err) {
    spd_race_set *set = w->set;
    bool tuning = false;
    for (int64_t i = 0; i < w->pieces; i++) {
        tuning = tuning || w->piece[i].kind == SPD_PIECE_TUNE;
        set->split[w->piece[i].repeat].needed = true;
    }
    if (w->pieces == 0) return SPDHG_OK;
    SPD_TRY(spd_race_set_prepare(set, tuning, err));
    if (tuning && !atomic_load(&set->race->stop)) fill_grids(set);
    spd_parallel(set->race->o.jobs, w->pieces, do_piece, w);
    w->pieces = 0;
    return SPDHG_OK;
}

static spdhg_status run_set(work *w, spdhg_error *err) {
    spd_race_set *set = w->set;
    const spd_race *race = set->race;
    list_optima(w);
    list_points(w, 0, race->o.time_outs); /* they decide about the others */
    SPD_TRY(do_list(w, err));
    if (atomic_load(&race->stop)) return SPDHG_OK;
    list_points(w, race->o.time_outs, SPD_GRID_MAX);
    SPD_TRY(do_list(w, err));
    for (bool more = true; more && !atomic_load(&race->stop);) {
        more = list_beyond(w);
        SPD_TRY(do_list(w, err));
    }
    if (atomic_load(&race->stop)) return SPDHG_OK;
    for (int t = 0; t < race->tasks; t++)
        for (int s = 0; s < race->solvers; s++) choose(&set->problem[t].entry[s]);
    const int64_t first = race->o.time_outs < race->o.repeats ? race->o.time_outs : 0; /* they decide about the others */
    list_runs(w, 0, first);
    SPD_TRY(do_list(w, err));
    if (atomic_load(&race->stop)) return SPDHG_OK;
    list_runs(w, first, race->o.repeats);
    SPD_TRY(do_list(w, err));
    for (int t = 0; t < race->tasks && !atomic_load(&race->stop); t++)
        SPD_TRY(spd_race_write_traces(race, &set->problem[t], err));
    return SPDHG_OK;
}

spdhg_status spd_race_set_run(spd_race *race, int64_t source, spdhg_error *err) {
    spd_race_set set = {.race = race,
                        .source = &race->source[source],
                        .problem = &race->problem[source * race->tasks],
                        .split = SPD_NEW(spd_race_split, race->o.repeats)};
    const int64_t most = race->tasks * race->solvers * (race->o.repeats > SPD_GRID_MAX ? race->o.repeats : SPD_GRID_MAX) +
                         race->tasks * race->o.repeats;
    work w = {.set = &set, .piece = SPD_NEW(spd_race_piece, most)};
    const spdhg_status status =
        set.split && w.piece ? run_set(&w, err) : spd_fail_memory(err, (double)most * sizeof(spd_race_piece));
    spd_race_set_clear(&set);
    spd_free(w.piece);
    return status;
}

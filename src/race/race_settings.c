/* race_settings.c - checks and completes the options of a race. */
#include <errno.h>

#include "race/race.h"

const char *const spd_race_task_name[SPD_RACE_TASKS] = {"gglr", "ggrlr"};
const char *const spd_race_sampling_word[] = {"iid", "shuffle", "norm"};
const double spd_race_level[SPD_RACE_LEVELS] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
const char *const spd_race_status_word[SPD_RACE_STATUSES] = {
#define X(name, word) word,
    SPD_RACE_STATUS_LIST(X)
#undef X
};

/* The next word of a comma-separated list; NULL at its end. */
static const char *next_word(const char *at, char *word, size_t size) {
    if (!at || !*at) return NULL;
    const size_t length = strcspn(at, ",");
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), at);
    return at + length + (at[length] == ',');
}

static spdhg_status one_of(const char *what, const char *said, const char *names, spdhg_error *err) {
    char word[64];
    for (const char *at = names; said && (at = next_word(at + strspn(at, " "), word, sizeof word));)
        if (strcmp(said, word) == 0) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "%s '%s' is not one of %s", what, said ? said : "", names);
}

static spdhg_status take_tasks(spd_race *race, spdhg_error *err) {
    char word[64];
    for (const char *at = race->o.tasks; (at = next_word(at, word, sizeof word));) {
        int task = 0;
        SPD_TRY(one_of("task", word, "gglr, ggrlr", err));
        while (task + 1 < SPD_RACE_TASKS && strcmp(word, spd_race_task_name[task]) != 0) task++;
        for (int i = 0; i < race->tasks; i++)
            if (race->task[i] == task) return spd_fail(err, SPDHG_USAGE, "task %s is given twice", word);
        race->task[race->tasks++] = task;
    }
    return race->tasks ? SPDHG_OK : spd_fail(err, SPDHG_USAGE, "no task is given; expected gglr or ggrlr");
}

static spdhg_status take_solvers(spd_race *race, spdhg_error *err) {
    char word[64];
    for (const char *at = race->o.solvers; (at = next_word(at, word, sizeof word));) {
        const spd_solver_kind *kind = spd_solver_find(word);
        const char *name = kind ? kind->name : strcmp(word, "auto") == 0 ? "auto" : NULL;
        if (!name) return spd_fail(err, SPDHG_USAGE, "unknown solver '%s'; `spdhg list solvers` has the names", word);
        for (int i = 0; i < race->solvers; i++)
            if (race->solver[i] == name) return spd_fail(err, SPDHG_USAGE, "solver %s is given twice", word);
        if (race->solvers == SPD_RACE_SOLVERS_MAX) return spd_fail(err, SPDHG_USAGE, "too many solvers");
        race->solver[race->solvers++] = name;
    }
    return race->solvers ? SPDHG_OK : spd_fail(err, SPDHG_USAGE, "no solver is given");
}

static spdhg_status check_numbers(const spdhg_race_options *o, spdhg_error *err) {
    if (o->repeats < 1 || !(o->epochs > 0) || !(o->every > 0) || !(o->run_time > 0) || o->tune_folds < 2 || o->time_outs < 0 ||
        !isfinite(o->epochs + o->every + o->run_time))
        return spd_fail(err, SPDHG_USAGE,
                        "repeats, epochs, their interval and the time of a run must be above 0, tuning folds at least 2, "
                        "time-outs at least 0");
    if (!(o->test_fraction > 0 && o->test_fraction < 1))
        return spd_fail(err, SPDHG_USAGE, "test fraction %g is not between 0 and 1", o->test_fraction);
    if (!(o->tune_fraction > 0 && o->tune_fraction <= 1))
        return spd_fail(err, SPDHG_USAGE, "tuning fraction %g is not above 0 and at most 1", o->tune_fraction);
    return SPDHG_OK;
}

spdhg_status spd_race_resolve(spd_race *race, const spdhg_race_options *options, spdhg_error *err) {
    spdhg_race_options *o = &race->o;
    *o = (spdhg_race_options)SPDHG_RACE_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_race_options, o, options, err));
    if (o->preset && strcmp(o->preset, "matlab") != 0)
        return spd_fail(err, SPDHG_USAGE, "unknown preset '%s'; expected matlab", o->preset);
    if (o->preset) o->sampling = SPDHG_SAMPLING_SHUFFLE;
    if (o->repeats == 0) o->repeats = o->preset ? 1 : o->quick ? 3 : 10;
    if (o->epochs == 0) o->epochs = o->quick ? 3 : 10;
    if (o->run_time == 0) o->run_time = o->quick ? 10 : 300;
    if (o->tune_fraction == 0) o->tune_fraction = o->quick ? 0.2 : 1;
    o->jobs = spd_threads(o->jobs);
    SPD_TRY(one_of("protocol", o->protocol, "paper, theory, fair", err));
    if (!o->tune_by) o->tune_by = strcmp(o->protocol, "fair") == 0 ? "objective" : "loss";
    SPD_TRY(one_of("tuning by", o->tune_by, "loss, objective", err));
    SPD_TRY(check_numbers(o, err));
    SPD_TRY(take_tasks(race, err));
    SPD_TRY(take_solvers(race, err));
    race->recipe = (spd_recipe){.loss = o->loss,
                                .penalty = o->penalty,
                                .groups = o->groups,
                                .structure = o->structure,
                                .set = o->set,
                                .class_weight = o->class_weight,
                                .weights = o->weights,
                                .offset = o->offset,
                                .penalty_weights = o->penalty_weights,
                                .lambda = o->lambda,
                                .gamma = o->gamma,
                                .also_sparse = o->also_sparse,
                                .intercept = o->intercept,
                                .standardize = o->standardize,
                                .one_class_ok = o->allow_one_class,
                                .threads = 1};
    return SPDHG_OK;
}

char *spd_race_structure(const char *spec, const char *name) {
    size_t places = 0;
    for (const char *at = spec; (at = strstr(at, "{}")); at += 2) places++;
    char *out = spd_alloc((int64_t)(strlen(spec) + places * strlen(name)) + 1, 1), *to = out;
    for (const char *at = spec; out && *at;)
        if (strncmp(at, "{}", 2) == 0)
            to = stpcpy(to, name), at += 2;
        else
            *to++ = *at++;
    if (out) *to = 0;
    return out;
}

spd_recipe spd_race_recipe(const spd_race *race, const spd_race_source *source) {
    spd_recipe recipe = race->recipe;
    recipe.structure = source->structure;
    return recipe;
}

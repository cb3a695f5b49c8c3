/* race_load.c - loads a race from its directory: summary.json (or .json.xz) and the traces it names. Names with a '/' are
 * refused, since they could point outside the directory. Named files may be missing, for example if only the summary was kept:
 * the page then omits them and says so. Also queries of the summary: statistics over the repeats of a solver, the best solver;
 * it is not trusted, and an unexpected type counts as unknown. */
#include <unistd.h>

#include "model/json_file.h"
#include "report/race.h"

const char *spd_json_text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double spd_json_number_of(const json_t *object, const char *key) { return spd_json_double(json_object_get(object, key)); }

const json_t *spd_json_list(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_array(value) ? value : NULL;
}

int spd_raced_solver(const spd_raced *race, const char *name) {
    for (int s = 0; s < race->solvers; s++)
        if (strcmp(race->solver[s], name) == 0) return s;
    return -1;
}

const json_t *spd_raced_problems(const spd_raced *race) { return spd_json_list(race->summary, "problems"); }

spd_spread spd_raced_spread(const json_t *solver, const char *key, int level) {
    const json_t *runs = spd_json_list(solver, "runs");
    spd_spread out = {NAN, NAN, NAN, 0, (int64_t)json_array_size(runs)};
    double sum = 0;
    for (size_t r = 0; r < json_array_size(runs); r++) {
        const json_t *run = json_array_get(runs, r), *value = json_object_get(run, key);
        if (strcmp(spd_json_text_of(run, "status"), "diverged") == 0) continue; /* it would dominate the mean */
        if (level >= 0) value = json_array_get(value, (size_t)level);
        if (!json_is_number(value)) continue;
        const double number = json_number_value(value);
        sum += number;
        out.low = fmin(out.low, number); /* fmin ignores NAN */
        out.high = fmax(out.high, number);
        out.known++;
    }
    if (out.known > 0) out.mean = sum / (double)out.known;
    return out;
}

int spd_raced_best(const json_t *problem, const char *key, int level, int sense) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    int best = -1;
    double value = NAN;
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const spd_spread spread = spd_raced_spread(json_array_get(solvers, s), key, level);
        if (spread.known < spread.all || spread.known == 0) continue;
        if (best >= 0 && sense * (spread.mean - value) <= 0) continue;
        best = (int)s;
        value = spread.mean;
    }
    return best;
}

int64_t spd_raced_count(const json_t *problem, const char *status) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    int64_t count = 0;
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const json_t *runs = spd_json_list(json_array_get(solvers, s), "runs");
        for (size_t r = 0; r < json_array_size(runs); r++)
            count += !status || strcmp(spd_json_text_of(json_array_get(runs, r), "status"), status) == 0;
    }
    return count;
}

static spdhg_status add_solver(spd_raced *race, const char *name, spdhg_error *err) {
    if (!*name || spd_raced_solver(race, name) >= 0) return SPDHG_OK;
    if (race->solvers == SPD_SOLVERS_MAX) return spd_fail(err, SPDHG_DATA, "a page can show %d solvers at most", SPD_SOLVERS_MAX);
    race->solver[race->solvers++] = name;
    return SPDHG_OK;
}

spdhg_status spd_raced_add_solvers(spd_raced *race, spdhg_error *err) {
    const json_t *problems = spd_raced_problems(race);
    for (size_t p = 0; p < json_array_size(problems); p++) {
        const json_t *solvers = spd_json_list(json_array_get(problems, p), "solvers");
        for (size_t s = 0; s < json_array_size(solvers); s++)
            SPD_TRY(add_solver(race, spd_json_text_of(json_array_get(solvers, s), "solver"), err));
        for (int64_t r = 0; r < race->runs[p].count; r++) SPD_TRY(add_solver(race, race->runs[p].run[r].solver, err));
    }
    return SPDHG_OK;
}

spdhg_status spd_raced_file(char **out, const char *directory, const char *name, spdhg_error *err) {
    const size_t size = strlen(directory) + strlen(name) + 2;
    *out = NULL;
    if (!*name || strchr(name, '/'))
        return spd_fail(err, SPDHG_DATA, "%s/summary.json: '%s': expected the name of a file in this folder", directory, name);
    char *path = spd_alloc((int64_t)size, 1);
    if (!path) return spd_fail_memory(err, (double)size);
    snprintf(path, size, "%s/%s", directory, name);
    *out = path;
    return SPDHG_OK;
}

bool spd_raced_there(const char *path) { return access(path, F_OK) == 0; }

/* summary.json or, if it does not exist, summary.json.xz. */
static spdhg_status find_summary(char **out, const char *directory, spdhg_error *err) {
    char *compressed;
    SPD_TRY(spd_raced_file(&compressed, directory, "summary.json.xz", err));
    const spdhg_status status = spd_raced_file(out, directory, "summary.json", err);
    if (status != SPDHG_OK || spd_raced_there(*out) || !spd_raced_there(compressed)) {
        spd_free(compressed);
        return status;
    }
    spd_free(*out);
    *out = compressed;
    return SPDHG_OK;
}

static spdhg_status read_summary(spd_raced *race, spdhg_error *err) {
    char *path;
    SPD_TRY(find_summary(&path, race->directory, err));
    spdhg_status status = spd_json_read(&race->summary, path, "summary of a race", err);
    if (status == SPDHG_OK && strcmp(spd_json_text_of(race->summary, "format"), "spdhg race 1") != 0)
        status = spd_fail(err, SPDHG_DATA, "%s: summary of a race: format: expected \"spdhg race 1\"", path);
    if (status == SPDHG_OK && json_array_size(spd_raced_problems(race)) == 0)
        status = spd_fail(err, SPDHG_DATA, "%s: summary of a race: problems: expected a list that is not empty", path);
    spd_free(path);
    return status;
}

static spdhg_status read_traces(spd_raced *race, spdhg_error *err) {
    const json_t *problems = spd_raced_problems(race);
    race->problems = json_array_size(problems);
    race->runs = SPD_NEW(spd_traces, (int64_t)race->problems);
    if (!race->runs) return spd_fail_memory(err, (double)race->problems * sizeof *race->runs);
    for (size_t p = 0; p < race->problems; p++) {
        const char *name = spd_json_text_of(json_array_get(problems, p), "traces");
        char *path;
        SPD_TRY(spd_raced_file(&path, race->directory, name, err));
        const spdhg_status status = spd_raced_there(path) ? spd_trace_read_csv(&race->runs[p], path, err) : SPDHG_OK;
        spd_free(path);
        SPD_TRY(status);
    }
    return SPDHG_OK;
}

spdhg_status spd_raced_read(spd_raced *race, const char *directory, spdhg_error *err) {
    *race = (spd_raced){.directory = directory};
    SPD_TRY(read_summary(race, err));
    SPD_TRY(read_traces(race, err));
    const json_t *levels = spd_json_list(race->summary, "levels");
    for (size_t l = 0; l < json_array_size(levels) && l < SPD_LEVELS_MAX; l++)
        race->level[race->levels++] = json_number_value(json_array_get(levels, l));
    return spd_raced_add_solvers(race, err);
}

void spd_raced_clear(spd_raced *race) {
    for (size_t p = 0; race->runs && p < race->problems; p++) spd_traces_clear(&race->runs[p]);
    spd_free(race->runs);
    json_decref(race->summary);
}

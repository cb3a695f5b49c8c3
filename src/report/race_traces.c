/* race_traces.c - a race made from traces alone: a single problem, with each solver's results taken from its last points. If a
 * solver is in several files, its name includes the file. */
#include "report/race.h"

static json_t *number_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *run_json(const spd_traced *run) {
    const spdhg_point *last = &run->trace.point[run->trace.points - 1]; /* every run has at least one point */
    return json_pack("{sI, so, so, so, so, so}", "repeat", (json_int_t)run->repeat, "epochs", number_or_null(last->epoch),
                     "seconds", number_or_null(last->seconds), "objective", number_or_null(last->objective), "test_loss",
                     number_or_null(last->test_loss), "test_score", number_or_null(last->test_score));
}

/* The entry of a solver in the list; created if it does not exist yet. */
static json_t *entry_of(json_t *solvers, const char *name) {
    for (size_t s = 0; s < json_array_size(solvers); s++)
        if (strcmp(spd_json_text_of(json_array_get(solvers, s), "solver"), name) == 0) return json_array_get(solvers, s);
    json_t *entry = json_pack("{ss, s[]}", "solver", name, "runs");
    return json_array_append_new(solvers, entry) == 0 ? entry : NULL;
}

static json_t *summary_of(const spd_traces *runs, const char *command) {
    json_t *solvers = json_array();
    bool good = solvers != NULL;
    for (int64_t r = 0; good && r < runs->count; r++)
        good =
            json_array_append_new(json_object_get(entry_of(solvers, runs->run[r].solver), "runs"), run_json(&runs->run[r])) == 0;
    char *clean = spd_to_utf8(command ? command : "");
    json_t *summary = good && clean ? json_pack("{ss, s[{sO}]}", "command", clean, "problems", "solvers", solvers) : NULL;
    json_decref(solvers);
    spd_free(clean);
    return summary;
}

/* "SOLVER, FILE" or "SOLVER", as UTF-8; NULL when out of memory. */
static char *label(const char *solver, const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const size_t size = strlen(solver) + strlen(base) + 3;
    char *joined = spd_alloc((int64_t)size, 1);
    if (joined) snprintf(joined, size, "%s%s%s", solver, *base ? ", " : "", base);
    char *clean = joined ? spd_to_utf8(joined) : NULL;
    spd_free(joined);
    return clean;
}

static bool in_another(const spd_traces *file, int files, int own, const char *solver) {
    for (int f = 0; f < files; f++)
        for (int64_t r = 0; f != own && r < file[f].count; r++)
            if (strcmp(file[f].run[r].solver, solver) == 0) return true;
    return false;
}

/* Moves all runs, with copies of their names, into one list. The files are empty afterwards. */
static spdhg_status join(spd_traces *out, spd_traces *file, const char *const *path, int files, spdhg_error *err) {
    int64_t count = 0, named = 0;
    for (int f = 0; f < files; f++) count += file[f].count;
    char **name = SPD_NEW(char *, count);
    out->run = SPD_NEW(spd_traced, count);
    bool good = name && out->run;
    for (int f = 0; good && f < files; f++)
        for (int64_t r = 0; good && r < file[f].count; r++) {
            const char *solver = file[f].run[r].solver;
            name[named] = label(solver, in_another(file, files, f, solver) ? path[f] : "");
            good = name[named++] != NULL;
        }
    for (int f = 0; good && f < files; f++) {
        for (int64_t r = 0; r < file[f].count; r++) {
            spd_traced *run = &out->run[out->count];
            *run = file[f].run[r];
            spd_free(run->solver);
            run->solver = name[out->count];
            name[out->count++] = NULL;
        }
        file[f].count = 0;
    }
    for (int64_t k = 0; name && k < named; k++) spd_free(name[k]);
    spd_free(name);
    return good ? SPDHG_OK : spd_fail_memory(err, (double)count * sizeof(spd_traced));
}

spdhg_status spd_raced_of_traces(spd_raced *race, const char *const *path, int files, const char *command, spdhg_error *err) {
    *race = (spd_raced){.problems = 1, .runs = SPD_NEW(spd_traces, 1)};
    spd_traces *file = SPD_NEW(spd_traces, files);
    spdhg_status status = race->runs && file ? SPDHG_OK : spd_fail_memory(err, (double)files * sizeof *file);
    for (int f = 0; status == SPDHG_OK && f < files; f++) {
        status = spd_trace_read_csv(&file[f], path[f], err);
        if (status == SPDHG_OK && file[f].count == 0) status = spd_fail(err, SPDHG_DATA, "%s: a trace without points", path[f]);
    }
    if (status == SPDHG_OK) status = join(race->runs, file, path, files, err);
    for (int f = 0; file && f < files; f++) spd_traces_clear(&file[f]);
    spd_free(file);
    SPD_TRY(status);
    if (!(race->summary = summary_of(race->runs, command))) return spd_fail_memory(err, (double)sizeof(json_t));
    return spd_raced_add_solvers(race, err);
}

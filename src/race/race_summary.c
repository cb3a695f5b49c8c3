/* race_summary.c - the results of a race: summary.json (everything), summary.csv (one line per run), NAME.TASK.csv (traces).
 * Raw values; unknown values are null or empty. */
#include <sys/utsname.h>
#include <unistd.h>

#include "race/race.h"

static json_t *machine(void) {
    char cpu[200] = "", line[400];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !*cpu && fgets(line, sizeof line, file)) {
        char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (colon) snprintf(cpu, sizeof cpu, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file) fclose(file);
    struct utsname system;
    char text[300] = "";
    if (uname(&system) == 0) snprintf(text, sizeof text, "%.90s %.90s %.90s", system.sysname, system.release, system.machine);
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    return json_pack("{s:o, s:i, s:f, s:s}", "cpu", spd_json_text(cpu), "cores", spd_threads(0), "memory", memory, "system",
                     text);
}

static json_t *levels_json(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat, bool seconds) {
    json_t *out = json_array();
    for (int l = 0; l < SPD_RACE_LEVELS; l++) {
        const spdhg_point *at = spd_race_reached(race, p, solver, repeat, spd_race_level[l]);
        const bool counts = at && (seconds || !p->entry[solver].run[repeat].by_seconds);
        spd_json_append(&out, counts ? json_real(seconds ? at->seconds : at->epoch) : json_null());
    }
    return out;
}

static json_t *run_json(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat) {
    const spd_race_run *run = &p->entry[solver].run[repeat];
    const spdhg_point none = {.epoch = NAN, .seconds = NAN, .objective = NAN, .test_loss = NAN, .test_score = NAN};
    const spdhg_point *last = spd_race_end(race, p, solver, repeat);
    if (!last) last = &none;
    return json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "repeat", (json_int_t)repeat, "status",
                     spd_race_status_word[run->status], "message", *run->message ? spd_json_text(run->message) : json_null(),
                     "epochs", spd_json_number(last->epoch), "seconds", spd_json_number(last->seconds), "objective",
                     spd_json_number(last->objective), "suboptimality",
                     spd_json_number(spd_race_suboptimality(race, p, repeat, last->objective)), "test_loss",
                     spd_json_number(last->test_loss), "test_score", spd_json_number(last->test_score), "epochs_to",
                     levels_json(race, p, solver, repeat, false), "seconds_to", levels_json(race, p, solver, repeat, true),
                     "budget", run->by_seconds ? spd_json_number(spd_race_budget(race, p, repeat)) : json_null());
}

static json_t *batch_json(const spdhg_race_options *o) {
    if (o->batch > 0) return json_integer(o->batch);
    return json_string(o->batch == SPDHG_BATCH_AUTO ? "auto" : "default");
}

static json_t *param_json(double value) {
    const char *word = spd_smoothness_word(value);
    return word ? json_string(word) : spd_json_number(value);
}

static json_t *entry_json(const spd_race *race, const spd_race_problem *p, int solver) {
    const spd_race_entry *entry = &p->entry[solver];
    json_t *params = json_object(), *runs = json_array();
    for (int i = 0; i < entry->chosen.count; i++)
        spd_json_set(&params, entry->chosen.param[i].name, param_json(entry->chosen.param[i].value));
    for (int64_t r = 0; r < race->o.repeats; r++) spd_json_append(&runs, run_json(race, p, solver, r));
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:i, s:o}", "solver", entry->solver, "compared_by",
                     spd_race_by_seconds(entry->solver) ? "seconds" : "epochs", "params", params, "batch", batch_json(&race->o),
                     "tuned", entry->tuned, "grid_points", entry->points, "runs", runs);
}

/* The file's name if the file exists. */
static json_t *file_json(const spd_race *race, const char *data, const char *rest) {
    char *path = spd_race_path(race->folder, "%s.%s", data, rest);
    json_t *out = path && access(path, R_OK) == 0 ? spd_json_text(path + strlen(race->folder) + 1) : json_null();
    spd_free(path);
    return out;
}

static json_t *optima_json(const spd_race *race, const spd_race_problem *p) {
    json_t *out = json_array();
    for (int64_t r = 0; r < race->o.repeats; r++) {
        const spd_race_optimum *o = &p->optimum[r];
        spd_json_append(&out, json_pack("{s:I, s:o, s:o, s:o, s:b}", "repeat", (json_int_t)r, "objective",
                                        spd_json_number(spd_race_best(race, p, r)), "lower", spd_json_number(o->lower), "gap",
                                        spd_json_number(o->gap), "certified", (int)o->certified));
    }
    return out;
}

static json_t *problem_json(const spd_race *race, const spd_race_problem *p) {
    char model[64], traces[64];
    snprintf(model, sizeof model, "%s.model.json", spd_race_task_name[p->task]);
    snprintf(traces, sizeof traces, "%s.csv", spd_race_task_name[p->task]);
    json_t *solvers = json_array();
    for (int s = 0; s < race->solvers; s++) spd_json_append(&solvers, entry_json(race, p, s));
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:f, s:f, s:s, s:I, s:I, s:o, s:o, s:o}", "data",
                     spd_json_text(p->data), "task", spd_race_task_name[p->task], "traces", file_json(race, p->data, traces),
                     "model", file_json(race, p->data, model), "structure_file", file_json(race, p->data, "structure.mtx"),
                     "samples", (json_int_t)p->samples, "features", (json_int_t)p->features, "test_samples", (json_int_t)p->tests,
                     "lambda", race->o.lambda, "gamma", p->task == 0 ? 0.0 : race->o.gamma, "structure", race->o.structure,
                     "structure_rows", (json_int_t)p->optimum[0].structure_rows, "structure_nonzeros",
                     (json_int_t)p->optimum[0].structure_nonzeros, "start_objective", spd_json_number(p->optimum[0].start),
                     "optima", optima_json(race, p), "solvers", solvers);
}

static json_t *summary_json(const spd_race *race, json_t *statistics) {
    const spdhg_race_options *o = &race->o;
    json_t *problems = json_array(), *levels = json_array();
    for (int l = 0; l < SPD_RACE_LEVELS; l++) spd_json_append(&levels, json_real(spd_race_level[l]));
    for (int64_t i = 0; i < race->problems; i++) spd_json_append(&problems, problem_json(race, &race->problem[i]));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:I, s:s, s:o, s:b, s:I, s:f, s:f, s:f, s:I, s:f, s:f, s:I, s:s, s:s, s:s, s:o, s:o, s:o}",
        "format", "spdhg race 1", "version", SPDHG_VERSION, "command", o->command ? spd_json_text(o->command) : json_null(),
        "machine", machine(), "seed", (json_int_t)o->seed, "protocol", o->protocol, "preset",
        o->preset ? json_string(o->preset) : json_null(), "quick", (int)o->quick, "repeats", (json_int_t)o->repeats, "epochs",
        o->epochs, "every", o->every, "run_time", o->run_time, "time_outs", (json_int_t)o->time_outs, "test_fraction",
        o->test_fraction, "tune_fraction", o->tune_fraction, "tune_folds", (json_int_t)o->tune_folds, "tune_by", o->tune_by,
        "sampling", spd_race_sampling_word[o->sampling], "clock", "processor time of the run's thread", "levels", levels,
        "problems", problems, "statistics", statistics);
}

static void put_line(FILE *to, const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat) {
    const spd_race_run *run = &p->entry[solver].run[repeat];
    const spdhg_point *last = spd_race_end(race, p, solver, repeat);
    spd_trace_csv_text(to, p->data);
    fprintf(to, ",%s,%s,%lld,%s", spd_race_task_name[p->task], race->solver[solver], (long long)repeat,
            spd_race_status_word[run->status]);
    const double value[] = {last ? last->epoch : NAN,     last ? last->seconds : NAN,
                            last ? last->objective : NAN, last ? spd_race_suboptimality(race, p, repeat, last->objective) : NAN,
                            last ? last->test_loss : NAN, last ? last->test_score : NAN};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) spd_trace_csv_number(to, value[i]);
    for (int what = 0; what < 2; what++)
        for (int l = 0; l < SPD_RACE_LEVELS; l++) {
            const spdhg_point *at = spd_race_reached(race, p, solver, repeat, spd_race_level[l]);
            spd_trace_csv_number(to, !at ? NAN : what == 0 ? at->seconds : run->by_seconds ? NAN : at->epoch);
        }
    fputc('\n', to);
}

static spdhg_status write_csv(const spd_race *race, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fputs("data,task,solver,repeat,status,epochs,seconds,objective,suboptimality,test_loss,test_score", file.stream);
    for (int what = 0; what < 2; what++)
        for (int l = 0; l < SPD_RACE_LEVELS; l++)
            fprintf(file.stream, ",%s_to_1e%d", what == 0 ? "seconds" : "epochs", (int)lround(log10(spd_race_level[l])));
    fputc('\n', file.stream);
    for (int64_t i = 0; i < race->problems; i++)
        for (int s = 0; s < race->solvers; s++)
            for (int64_t r = 0; r < race->o.repeats; r++) put_line(file.stream, race, &race->problem[i], s, r);
    return spd_file_commit(&file, err);
}

spdhg_status spd_race_write_summary(const spd_race *race, spdhg_error *err) {
    char *json = spd_race_path(race->folder, "summary.json"), *csv = spd_race_path(race->folder, "summary.csv");
    json_t *statistics = json && csv ? spd_race_statistics(race, err) : NULL;
    spdhg_status status =
        statistics ? spd_json_write(json, summary_json(race, statistics), SPD_RACE_FORM, false, err) : spd_fail_memory(err, 1000);
    if (status == SPDHG_OK) status = write_csv(race, csv, err);
    spd_free(json);
    spd_free(csv);
    return status;
}

spdhg_status spd_race_write_traces(const spd_race *race, const spd_race_problem *p, spdhg_error *err) {
    char *path = spd_race_path(race->folder, "%s.%s.csv", p->data, spd_race_task_name[p->task]);
    spd_file file;
    spdhg_status status = path ? spd_file_create(&file, path, err) : spd_fail_memory(err, 1000);
    spd_free(path);
    SPD_TRY(status);
    spd_trace_csv_head(file.stream);
    for (int s = 0; s < race->solvers; s++)
        for (int64_t r = 0; r < race->o.repeats; r++) {
            const spd_trace *trace = &p->entry[s].run[r].trace;
            spd_trace_csv_points(file.stream, race->solver[s], r, trace->point, trace->points);
        }
    return spd_file_commit(&file, err);
}

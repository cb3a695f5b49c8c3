/* denoise.c - `spdhg denoise`: reads a file of signals, denoises each of them separately, and writes a file of the same kind. */
#include "denoise.h"

#include <unistd.h>

typedef struct verb {
    cli_denoise_options asked;
    char *command, structure[80];
    signal_file file;
    double *before; /* the values as they were read, for the report */
    spdhg_denoised **result;
    spdhg_denoised_view *view;
    cli_denoised done;
    FILE *human; /* where messages go; NULL: nowhere */
    cli_progress progress;
} verb;

/* Reads positions or weights from a file, if the option is given and is not the name of a column. */
static spdhg_status read_numbers(const verb *v, const char *option, const char *name, double **out, spdhg_error *err) {
    if (!name || *out) return SPDHG_OK;
    int64_t rows, columns;
    if (access(name, F_OK) != 0)
        return spd_fail(err, SPDHG_USAGE, "%s %s: %s has no such column, and there is no such file", option, name, v->asked.path);
    SPD_TRY(spd_numbers_read(name, out, &rows, &columns, err));
    if (rows * columns == v->file.points) return SPDHG_OK;
    return spd_fail(err, SPDHG_DATA, "%s: %lld numbers for %lld values; one for each is expected", name,
                    (long long)(rows * columns), (long long)v->file.points);
}

/* The name of F; for an image, its sides are added if they are not given. */
static spdhg_status name_structure(verb *v, spdhg_error *err) {
    cli_denoise_options *o = &v->asked;
    const int64_t *side = v->file.side;
    const bool image = v->file.kind == &signal_kind_png || v->file.kind == &signal_kind_pnm;
    if (!o->denoise.structure) o->denoise.structure = image ? "grid" : "chain";
    if (image && (spd_spec_is(o->denoise.structure, "chain") || spd_spec_is(o->denoise.structure, "trend")))
        return spd_fail(err, SPDHG_USAGE, "--structure %s is for signals on a line; an image has a grid", o->denoise.structure);
    if (strcmp(o->denoise.structure, "grid") != 0) return SPDHG_OK;
    if (side[0] * side[1] * side[2] != v->file.points)
        return spd_fail(err, SPDHG_USAGE, "--structure grid: %s has no sides; give them, as in grid:HxW", o->path);
    snprintf(v->structure, sizeof v->structure, side[2] > 1 ? "grid:%lldx%lldx%lld" : "grid:%lldx%lld", (long long)side[0],
             (long long)side[1], (long long)side[2]);
    o->denoise.structure = v->structure;
    return SPDHG_OK;
}

static spdhg_status prepare(verb *v, spdhg_error *err) {
    cli_denoise_options *o = &v->asked;
    const cli_output out[] = {
        {"--output", o->output, CLI_SIGNALS}, {"--segments", o->segments, CLI_SEGMENTS}, {"--report", o->report, CLI_REPORT}};
    const char *const in[] = {o->path, o->positions, o->weights, o->denoise.structure};
    if (!o->denoise.structure && o->denoise.isotropic) o->denoise.structure = "grid"; /* also of a table or an array */
    SPD_TRY(CLI_CHECK_OUTPUTS(out, in, o->force, err));
    v->file = (signal_file){.path = o->path,
                            .columns = o->columns,
                            .positions = o->positions,
                            .weights = o->weights,
                            .grid = o->denoise.structure && strcmp(o->denoise.structure, "grid") == 0};
    SPD_TRY(signal_file_read(&v->file, err));
    if (o->output) SPD_TRY(signal_file_check_name(&v->file, o->output, err));
    if (o->output && strcmp(o->output, "-") == 0 && v->file.kind != &signal_kind_table && isatty(STDOUT_FILENO))
        return spd_fail(err, SPDHG_USAGE, "--output -: %s is not for a terminal", v->file.kind->name);
    SPD_TRY(read_numbers(v, "--positions", o->positions, &v->file.position, err));
    SPD_TRY(read_numbers(v, "--weights", o->weights, &v->file.weight, err));
    SPD_TRY(name_structure(v, err));
    if (o->segments && strcmp(o->denoise.structure, "chain") != 0 && strcmp(o->denoise.structure, "trend:0") != 0)
        return spd_fail(err, SPDHG_USAGE, "--segments are the constant pieces of a chain, not of %s", o->denoise.structure);
    const int64_t values = v->file.signals * v->file.points;
    v->before = spd_copy(v->file.value, values, sizeof *v->before);
    v->result = SPD_NEW(spdhg_denoised *, v->file.signals);
    v->view = SPD_NEW(spdhg_denoised_view, v->file.signals);
    if (!v->before || !v->result || !v->view) return spd_fail_memory(err, 8.0 * (double)values);
    if (o->solve.max_memory == 0) o->solve.max_memory = cli_machine_memory();
    o->solve.callback = cli_progress_event;
    o->solve.user = &v->progress;
    return SPDHG_OK;
}

static bool worse(spdhg_outcome a, spdhg_outcome b) { return spdhg_outcome_exit_status(a) > spdhg_outcome_exit_status(b); }

static spdhg_status run_signals(verb *v, spdhg_error *err) {
    const signal_file *f = &v->file;
    const double started = spd_now();
    v->done = (cli_denoised){.asked = &v->asked, .structure = v->asked.denoise.structure, .file = f, .view = v->view};
    for (int64_t s = 0; s < f->signals && !cli_signals_status(); s++) {
        double *value = f->value + s * f->points;
        const spdhg_signal signal = {.points = f->points, .value = value, .position = f->position, .weight = f->weight};
        spdhg_error why = {0};
        const spdhg_status status = spdhg_denoise(&v->result[s], &signal, &v->asked.denoise, &v->asked.solve, &why);
        if (status != SPDHG_OK && f->name)
            return spd_fail(err, status, "%s, column %.60s: %.800s", f->path, f->name[s], why.message);
        if (status != SPDHG_OK) return spd_fail(err, status, "%s: %.900s", f->path, why.message);
        spdhg_denoised_get_view(v->result[s], &v->view[s]);
        memcpy(value, v->view[s].x, (size_t)f->points * sizeof *value);
        if (s == 0 || worse(v->view[s].outcome, v->done.outcome)) v->done.outcome = v->view[s].outcome;
        v->done.signals++;
    }
    v->done.seconds = spd_now() - started;
    return SPDHG_OK;
}

/* Writes the signals first: they matter most to a user who interrupts. */
static spdhg_status write_results(verb *v, spdhg_error *err) {
    const cli_denoise_options *o = &v->asked;
    if (o->output) SPD_TRY(signal_file_write(&v->file, o->output, err));
    if (o->segments) SPD_TRY(cli_segments_csv(&v->done, o->segments, err));
    if (o->report) {
        const spd_signal_report report = {.title = o->path,
                                          .command = v->command,
                                          .structure = o->denoise.structure,
                                          .loss = o->denoise.loss,
                                          .choose = o->denoise.choose,
                                          .signals = v->done.signals,
                                          .name = (const char *const *)v->file.name,
                                          .value = v->before,
                                          .position = v->file.position,
                                          .side = {v->file.side[0], v->file.side[1], v->file.side[2]},
                                          .view = v->view};
        SPD_TRY(spd_report_signals(&report, o->report, err));
    }
    cli_print_denoised(v->human, &v->done);
    return o->json ? cli_json_print(cli_denoised_json(&v->done), err) : SPDHG_OK;
}

static int run(verb *v, spdhg_error *err) {
    static const char name[] = "spdhg denoise";
    cli_progress_open(&v->progress, name, v->asked.quiet, v->asked.verbose);
    if (prepare(v, err) != SPDHG_OK) return cli_fail(name, err);
    cli_signals_catch();
    const spdhg_status status = run_signals(v, err);
    cli_progress_erase(&v->progress);
    if (status != SPDHG_OK || write_results(v, err) != SPDHG_OK) return cli_fail(name, err);
    if (cli_signals_status()) return cli_signals_status();
    const int exit_status = spdhg_outcome_exit_status(v->done.outcome);
    if (exit_status)
        fprintf(stderr, "%s: the relative gap of --tol was not proven%s: %s\n", name,
                v->asked.denoise.lambda == SPDHG_LAMBDA_CHOSEN ? " at every lambda tried" : "",
                spdhg_outcome_text(v->done.outcome));
    return exit_status;
}

int cli_denoise(int argc, char **argv) {
    verb v = {.asked = {.denoise = SPDHG_DENOISE_OPTIONS, .solve = SPDHG_OPTIONS}};
    spdhg_error err = {0};
    cli_denoise_options *o = &v.asked;
    o->denoise.structure = NULL;
    v.command = cli_command_line(argc, argv); /* before argp reorders the arguments */
    cli_parse(&cli_denoise_argp, argc, argv, o);
    const char *const out[] = {o->output, o->segments, o->report, o->json ? "-" : NULL};
    bool taken = false;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) taken = taken || (out[i] && strcmp(out[i], "-") == 0);
    v.human = o->quiet ? NULL : taken ? stderr : stdout;
    const int status = run(&v, &err);
    for (int64_t s = 0; v.result && s < v.file.signals; s++) spdhg_denoised_free(v.result[s]);
    spd_free(v.result);
    spd_free(v.view);
    spd_free(v.before);
    signal_file_close(&v.file);
    spd_free(v.command);
    return status;
}

/* fit.c - `spdhg fit`: data, problem, solver, run. Invalid options are refused before the run where possible. */
#include "fit.h"

enum { TEST = 0x100, TEST_FRACTION, TRACE, REPORT, TRUTH, CERTIFICATE, COEFFICIENTS, BOUND, JSON, SINGLE_PASS, CLASSES };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Results:", 4},
    {"output", 'o', "MODEL", 0, "write the model (JSON); none is written without this option", 0},
    {"coefficients", COEFFICIENTS, "FILE", 0,
     "write the nonzero coefficients as CSV: feature, level, class, value, standardized, group", 0},
    {"test", TEST, "DATA", 0, "held-out data for test loss and accuracy", 0},
    {"test-fraction", TEST_FRACTION, "PART", 0, "hold out this fraction of the rows, chosen by --seed", 0},
    {"trace", TRACE, "FILE", 0, "write the measured points as CSV", 0},
    {"report", REPORT, "FILE", 0, "write a self-contained HTML page", 0},
    {"truth", TRUTH, "FILE", 0, "known coefficients, one number per line, drawn beside the estimate in the report", 0},
    {"certificate", CERTIFICATE, "FILE", 0,
     "write a proof of the gap that bench/check-certificate can check independently (JSON)", 0},
    {"bound", BOUND, "P", OPTION_ARG_OPTIONAL, "print the theorems' bound for this run, with probability P (default 0.9)", 0},
    {"single-pass", SINGLE_PASS, NULL, 0,
     "learn from LIBSVM text of any length (a pipe) in one pass and constant memory; needs --features D or --hash BITS", 0},
    {"classes", CLASSES, "LABEL,LABEL,...", 0, "single pass: all labels, if the first rows do not contain them all", 0},
    CLI_FORCE_OPTION,
    {"json", JSON, NULL, 0, "write one JSON object to standard output, and nothing else", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "report decisions on standard error", 0},
    {0},
};

static void check_outputs(const cli_fit_job *f, const struct argp_state *state) {
    const char *const path[] = {f->model_path,       f->trace_path,        f->report_path,
                                f->certificate_path, f->coefficients_path, f->json ? "-" : NULL};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) on_stdout += path[i] && strcmp(path[i], "-") == 0;
    if (on_stdout > 1)
        cli_usage(state,
                  "only one of --output, --trace, --report, --certificate, --coefficients and --json can use standard output");
    if (f->test_path && f->test_fraction > 0) cli_usage(state, "--test and --test-fraction cannot be used together");
    if (f->truth_path && !f->report_path) cli_usage(state, "--truth is drawn in the report: it needs --report FILE");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_fit_job *f = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &f->problem_options;
        state->child_inputs[1] = &f->read;
        state->child_inputs[2] = &f->solve;
        return 0;
    case 'o': f->model_path = arg; return 0;
    case TEST: f->test_path = arg; return 0;
    case TEST_FRACTION:
        f->test_fraction = cli_positive(state, "--test-fraction", arg);
        if (f->test_fraction >= 1) cli_usage(state, "--test-fraction: '%s' is not between 0 and 1", arg);
        return 0;
    case TRACE: f->trace_path = arg; return 0;
    case REPORT: f->report_path = arg; return 0;
    case TRUTH: f->truth_path = arg; return 0;
    case CERTIFICATE: f->certificate_path = arg; return 0;
    case COEFFICIENTS: f->coefficients_path = arg; return 0;
    case SINGLE_PASS: f->single_pass = true; return 0;
    case CLASSES: f->classes = arg; return 0;
    case CLI_FORCE: f->force = true; return 0;
    case BOUND: cli_bound_option(state, arg, &f->bound); return 0;
    case JSON: f->json = true; return 0;
    case 'q': f->quiet = true; return 0;
    case 'v': f->verbose = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &f->path, arg); return 0;
    case ARGP_KEY_END:
        if (!f->path) cli_usage(state, "DATA is missing: spdhg fit DATA [-o MODEL] (DATA can be - for standard input)");
        check_outputs(f, state);
        if (f->single_pass) cli_single_pass_check(f, state);
        if (f->classes && !f->single_pass) cli_usage(state, "--classes: only with --single-pass");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&cli_problem_argp, 0, "The problem:", 1}, {&cli_data_argp, 0, "The data:", 2}, {&cli_solve_argp, 0, "The solve:", 3}, {0}};
static const struct argp argp = {options,  parse, "DATA", "Fit a structured-sparse linear model to DATA (- is standard input).",
                                 children, NULL,  NULL};

/* Checks the limit before large arrays are allocated. Every solver needs at least x, y, their averages, a gradient and the point
 * that is evaluated. */
static spdhg_status check_memory(const cli_fit_job *f, spdhg_error *err) {
    const double bytes = spd_data_bytes(f->data) + 6 * sizeof(double) * (double)f->data->features;
    const double limit = (double)f->solve.options.max_memory;
    char needed[SPD_NUMBER_CHARS], allowed[SPD_NUMBER_CHARS];
    if (bytes <= limit) return SPDHG_OK;
    return spd_fail(err, SPDHG_MEMORY,
                    "%s: a fit of %lld rows and %lld features needs more than %s of memory, the limit is %s (%s)", f->path,
                    (long long)f->data->rows, (long long)f->data->features, cli_bytes_text(needed, bytes),
                    cli_bytes_text(allowed, limit), f->read.max_memory ? "--max-memory" : "this machine's memory");
}

static spdhg_status read_data(cli_fit_job *f, spdhg_error *err) {
    const cli_problem_options *o = &f->problem_options;
    const cli_output out[] = {{"--output", f->model_path, CLI_MODEL},
                              {"--trace", f->trace_path, CLI_TRACE},
                              {"--report", f->report_path, CLI_REPORT},
                              {"--certificate", f->certificate_path, CLI_CERTIFICATE},
                              {"--coefficients", f->coefficients_path, CLI_COEFFICIENTS},
                              {"--checkpoint", f->solve.options.checkpoint, CLI_CHECKPOINT}};
    const char *const in[] = {f->path,    f->test_path, f->truth_path,      f->read.targets, f->read.names,
                              o->weights, o->offset,    o->penalty_weights, o->groups,       o->structure};
    if (spdhg_ranks_rank(f->ranks) == 0) SPD_TRY(CLI_CHECK_OUTPUTS(out, in, f->force, err));
    if (strcmp(o->structure, SPD_CATEGORIES) == 0 && !f->read.reference) f->read.reference = "first";
    f->read.weight_column = o->weights;
    f->read.offset_column = o->offset;
    SPD_TRY(cli_read(&f->data, f->path, &f->read, &f->progress, err));
    cli_print_columns(f->human, "", f->data);
    cli_print_row_numbers(f->quiet ? NULL : stderr, "spdhg fit: ", f->data);
    cli_print_repeated_ids(f->quiet ? NULL : stderr, "spdhg fit: ", f->data);
    f->trivial = cli_print_trivial(f->quiet ? NULL : stderr, "spdhg fit: ", f->data, o->loss);
    if (f->verbose) cli_print_notes(stderr, "spdhg fit: ", f->data);
    SPD_TRY(check_memory(f, err));
    return spd_recipe_attach(&f->problem_options, f->data, err);
}

static spdhg_status hold_out(cli_fit_job *f, spdhg_error *err) {
    if (f->test_path) {
        spdhg_read_options read = f->read;
        read.features = f->data->features;
        read.index_base = f->data->index_base; /* taken from the training file: a test set may lack the feature 0 that shows it */
        read.targets = NULL;
        read.on_disk = 0;
        read.like = f->data->columns;
        if (f->problem_options.offset && !(f->data->columns && f->data->columns->offset))
            return spd_fail(err, SPDHG_USAGE,
                            "--offset: %s has no numbers for the rows of --test; hold rows out with --test-fraction, or make the "
                            "offset a column",
                            f->problem_options.offset);
        if (!f->quiet && cli_same_file(f->path, f->test_path))
            fprintf(stderr, "spdhg fit: --test is the data itself: its rows are not held out (--test-fraction does so)\n");
        SPD_TRY(cli_read(&f->test, f->test_path, &read, &f->progress, err));
        cli_print_columns(f->human, "--test: ", f->test);
        return cli_check_width(f->quiet ? NULL : "spdhg fit", f->test_path, f->test, f->data->features, f->data->index_base, err);
    }
    if (f->test_fraction <= 0) return SPDHG_OK;
    SPD_TRY(spd_split(f->data->rows, f->test_fraction, f->solve.options.seed, &f->train_row, &f->trains, &f->test_row, &f->tests,
                      err));
    if (f->trains == 0 || f->tests == 0)
        return spd_fail(err, SPDHG_DATA,
                        "%s: --test-fraction %g of %lld rows leaves %lld rows to train and %lld to test; both need one", f->path,
                        f->test_fraction, (long long)f->data->rows, (long long)f->trains, (long long)f->tests);
    return spd_data_subset(&f->test, f->data, f->test_row, f->tests, err);
}

static spdhg_status read_truth(cli_fit_job *f, spdhg_error *err) {
    if (!f->truth_path) return SPDHG_OK;
    int64_t rows, columns;
    const spdhg_problem *p = f->problem.problem;
    SPD_TRY(spd_numbers_read(f->truth_path, &f->truth, &rows, &columns, err));
    if (rows * columns == p->dK) return SPDHG_OK;
    return spd_fail(err, SPDHG_DATA, "%s: %lld numbers, but the model has %lld coefficients (%lld features x %lld outputs)",
                    f->truth_path, (long long)(rows * columns), (long long)p->dK, (long long)p->d, (long long)p->K);
}

static spdhg_status prepare(cli_fit_job *f, spdhg_error *err) {
    f->solve.options.max_memory = f->read.max_memory ? f->read.max_memory : cli_machine_memory();
    SPD_TRY(read_data(f, err));
    SPD_TRY(hold_out(f, err));
    f->problem_options.threads = f->read.threads;
    f->problem_options.max_memory = f->solve.options.max_memory;
    SPD_TRY(spd_recipe_build(&f->problem, &f->problem_options, f->data, f->train_row, f->trains, err));
    f->solve.options.threads = f->read.threads;
    f->solve.options.callback = cli_progress_event;
    f->solve.options.user = &f->progress;
    SPD_TRY(cli_solver_new(&f->solver, &f->solve, f->problem.problem, err));
    if (f->bound.asked) SPD_TRY(cli_bound_of_fit(&f->bound, &f->solve, f->problem.problem, err));
    if (f->test) SPD_TRY(spdhg_solver_test(f->solver, f->test, err));
    f->progress.tested = f->test != NULL;
    f->progress.regression = !f->problem.problem->loss->classify;
    return read_truth(f, err);
}

/* Where there are several processes, one writes and all pass over rows of their own. */
static spdhg_status begin(cli_fit_job *f, spdhg_error *err) {
    SPD_TRY(cli_processes_begin(&f->ranks, err));
    f->read.ranks = f->solve.options.ranks = f->ranks;
    return SPDHG_OK;
}

static void write_elsewhere(cli_fit_job *f) {
    const char **const path[] = {&f->model_path, &f->trace_path, &f->report_path, &f->certificate_path, &f->coefficients_path};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) *path[i] = cli_processes_output(f->ranks, *path[i]);
}

static int run(cli_fit_job *f, spdhg_error *err) {
    cli_progress_open(&f->progress, "spdhg fit", f->quiet, f->verbose);
    f->progress.table = f->human;
    if (prepare(f, err) != SPDHG_OK) return cli_fail("spdhg fit", err);
    cli_fit_result result = {.data = f->data,
                             .problem = f->problem.problem,
                             .asked = &f->problem_options,
                             .bound = f->bound,
                             .test_rmse = NAN,
                             .seed = f->solve.options.seed};
    cli_print_learned(f->human, &f->problem.learned);
    cli_print_header(f->human, &result, f->solve.solver, f->test ? f->test->rows : 0);
    cli_signals_catch();
    const spdhg_status ran = spdhg_solver_run(f->solver, &result.outcome, err);
    cli_progress_erase(&f->progress);
    result.solution = spdhg_solver_solution(f->solver);
    result.bound.iterations = (double)result.solution->iterations;
    const bool solved =
        ran == SPDHG_OK || (ran == SPDHG_IO && result.solution->x && /* only the last checkpoint could not be written */
                            spd_data_good(f->data, NULL) == SPDHG_OK);
    write_elsewhere(f);
    if (!solved || cli_fit_write(f, &result, ran == SPDHG_OK ? err : NULL) != SPDHG_OK || ran != SPDHG_OK)
        return cli_fail("spdhg fit", err);
    return cli_fit_conclude(f, result.outcome);
}

static void clear(cli_fit_job *f) {
    spdhg_model_free(f->model);
    spdhg_solver_free(f->solver);
    spd_recipe_clear(&f->problem);
    spdhg_data_free(f->test);
    spdhg_data_free(f->data);
    spd_free(f->train_row);
    spd_free(f->test_row);
    spd_free(f->truth);
    spd_free(f->command);
}

int cli_fit(int argc, char **argv) {
    cli_fit_job f = {.read = SPDHG_READ_OPTIONS,
                     .problem_options = CLI_PROBLEM_OPTIONS,
                     .bound = CLI_BOUND,
                     .solve = {.solver = "auto", .options = SPDHG_OPTIONS}};
    spdhg_error err = {0};
    f.command = cli_command_line(argc, argv); /* before argp reorders the arguments */
    f.read.on_disk = 1;
    cli_parse(&argp, argc, argv, &f);
    const bool taken = f.json || (f.model_path && !strcmp(f.model_path, "-")) || (f.trace_path && !strcmp(f.trace_path, "-")) ||
                       (f.report_path && !strcmp(f.report_path, "-")) ||
                       (f.coefficients_path && !strcmp(f.coefficients_path, "-")) ||
                       (f.certificate_path && !strcmp(f.certificate_path, "-"));
    f.human = f.quiet ? NULL : taken ? stderr : stdout;
    int status = SPDHG_USAGE;
    if (!f.single_pass)
        status = begin(&f, &err) == SPDHG_OK ? run(&f, &err) : cli_fail("spdhg fit", &err);
    else if (cli_processes() == 1)
        status = cli_single_pass(&f, &err);
    else
        fprintf(stderr, "spdhg fit: --single-pass: rows that pass once go through one process; call it without mpirun or srun\n");
    clear(&f);
    return cli_processes_end("spdhg fit", f.ranks, status, &err);
}

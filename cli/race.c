/* race.c - `spdhg race`: compares solvers on data sets, by the paper's protocol or a fair one. The library runs the race; this
 * file passes on the options and prints progress and results. */
#include <limits.h>
#include <unistd.h>

#include "cli.h"

enum {
    TASK = 0x100,
    SOLVERS,
    REPEATS,
    EPOCHS,
    EVERY,
    PROTOCOL,
    PRESET,
    RUN_TIME,
    JOBS,
    QUICK,
    BATCH,
    SAMPLING,
    SEED,
    TIME_OUTS,
    TEST_FRACTION,
    TUNE_FRACTION,
    TUNE_FOLDS,
    TUNE_BY,
    REUSE,
    JSON
};

typedef struct verb {
    spdhg_read_options read;
    cli_problem_options problem;
    spdhg_race_options race;
    const char *folder;
    const char **data;
    int64_t count;
    bool force, json, quiet, verbose, line;
    double drawn;
    int width; /* of the line updated in place on a terminal */
    char *command;
} verb;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The race:", 3},
    {"task", TASK, "TASK", 0, NULL, 0},
    {"solvers", SOLVERS, "LIST", 0, NULL, 0},
    {"repeats", REPEATS, "R", 0, NULL, 0},
    {"epochs", EPOCHS, "E", 0, NULL, 0},
    {"every", EVERY, "E", 0, NULL, 0},
    {"run-time", RUN_TIME, "SECONDS", 0, NULL, 0},
    {"time-outs", TIME_OUTS, "N", 0, NULL, 0},
    {"test-fraction", TEST_FRACTION, "P", 0, NULL, 0},
    {"protocol", PROTOCOL, "HOW", 0, NULL, 0},
    {"preset", PRESET, "NAME", 0, NULL, 0},
    {"tune-by", TUNE_BY, "WHAT", 0, NULL, 0},
    {"tune-fraction", TUNE_FRACTION, "P", 0, NULL, 0},
    {"tune-folds", TUNE_FOLDS, "K", 0, NULL, 0},
    {"quick", QUICK, NULL, 0, NULL, 0},
    {"batch", BATCH, "B", 0, NULL, 0},
    {"sampling", SAMPLING, "HOW", 0, NULL, 0},
    {"seed", SEED, "NUMBER", 0, NULL, 0},
    {"jobs", JOBS, "J", 0, NULL, 0},
    {"reuse", REUSE, "DIR", 0, NULL, 0},
    {0, 0, 0, 0, "Results:", 4},
    {"output", 'o', "DIR", 0, "folder for the results; the same command continues an unfinished race", 0},
    {"force", CLI_FORCE, NULL, 0, "use a folder that has other files in it", 0},
    {"json", JSON, NULL, 0, "write the summary as one JSON object to standard output, and nothing else", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "report progress on standard error", 0},
    {0},
};

static double fraction(const struct argp_state *state, const char *option, const char *arg, bool whole) {
    const double value = cli_positive(state, option, arg);
    if (value > 1 || (value == 1 && !whole)) cli_usage(state, "%s: '%s' is not between 0 and 1", option, arg);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    verb *v = state->input;
    spdhg_race_options *o = &v->race;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &v->problem;
        state->child_inputs[1] = &v->read;
        return 0;
    case TASK: o->tasks = arg; return 0;
    case SOLVERS: o->solvers = arg; return 0;
    case REPEATS: o->repeats = cli_integer(state, "--repeats", arg, 1, 10000); return 0;
    case EPOCHS: o->epochs = cli_positive(state, "--epochs", arg); return 0;
    case EVERY: o->every = cli_positive(state, "--every", arg); return 0;
    case RUN_TIME: o->run_time = cli_positive(state, "--run-time", arg); return 0;
    case TIME_OUTS: o->time_outs = cli_integer(state, "--time-outs", arg, 1, 10000); return 0;
    case TEST_FRACTION: o->test_fraction = fraction(state, "--test-fraction", arg, false); return 0;
    case PROTOCOL:
        cli_choice(state, "--protocol", arg, "paper, theory, fair");
        o->protocol = arg;
        return 0;
    case PRESET:
        cli_choice(state, "--preset", arg, "matlab");
        o->preset = arg;
        return 0;
    case TUNE_BY:
        cli_choice(state, "--tune-by", arg, "loss, objective");
        o->tune_by = arg;
        return 0;
    case TUNE_FRACTION: o->tune_fraction = fraction(state, "--tune-fraction", arg, true); return 0;
    case TUNE_FOLDS: o->tune_folds = cli_integer(state, "--tune-folds", arg, 2, 1000); return 0;
    case QUICK: o->quick = true; return 0;
    case BATCH:
        o->batch = strcmp(arg, "auto") == 0 ? SPDHG_BATCH_AUTO : cli_integer(state, "--batch", arg, 1, INT32_MAX);
        return 0;
    case SAMPLING: o->sampling = (spdhg_sampling)cli_choice(state, "--sampling", arg, "iid, shuffle, norm"); return 0;
    case SEED: o->seed = (uint64_t)cli_integer(state, "--seed", arg, 0, INT64_MAX); return 0;
    case JOBS: o->jobs = (int)cli_integer(state, "--jobs", arg, 1, 256); return 0;
    case REUSE: o->reuse = arg; return 0;
    case 'o': v->folder = arg; return 0;
    case CLI_FORCE: v->force = true; return 0;
    case JSON: v->json = true; return 0;
    case 'q': v->quiet = true; return 0;
    case 'v': v->verbose = true; return 0;
    case ARGP_KEY_ARG: v->data[v->count++] = arg; return 0;
    case ARGP_KEY_END:
        if (v->count == 0) cli_usage(state, "DATA is missing: spdhg race DATA... -o DIR");
        if (!v->folder) cli_usage(state, "--output is missing: spdhg race DATA... -o DIR");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "race", key, text);
}

static const struct argp_child children[] = {{&cli_problem_argp, 0, "The problem:", 1}, {&cli_data_argp, 0, "The data:", 2}, {0}};
static const struct argp argp = {
    options,
    parse,
    "DATA...",
    "Compare solvers on the data sets DATA: same rows, start, sampling, clock and evaluation for all, "
    "measured against a certified optimum. The same command continues a race that was stopped or killed.",
    children,
    fill_help,
    NULL};

static void erase(verb *v) {
    if (v->width > 0) fprintf(stderr, "\r%*s\r", v->width, "");
    v->width = 0;
}

static int watch(void *user, const spdhg_race_event *event) {
    verb *v = user;
    char left[32], plain[CLI_TEXT_CHARS], text[CLI_TEXT_CHARS + 200];
    if (event->what && v->verbose) {
        erase(v);
        snprintf(text, sizeof text, "%s %s %s repeat %lld: %s%s%s", event->data, event->task, event->solver,
                 (long long)event->repeat, event->what, event->message ? ": " : "", event->message ? event->message : "");
        fprintf(stderr, "spdhg race: %s (%.0f %%%s)\n", cli_plain(plain, text), 100 * event->part,
                cli_time_left(left, event->seconds_left));
    }
    if (event->what && v->line && spd_now() - v->drawn > 0.1) {
        erase(v);
        snprintf(text, sizeof text, "%3.0f %%%s: %.30s %s %s", 100 * event->part, cli_time_left(left, event->seconds_left),
                 event->data, event->task, event->solver);
        v->width = fprintf(stderr, "%s", cli_plain(plain, text));
        fflush(stderr);
        v->drawn = spd_now();
    }
    return cli_signals_status() != 0;
}

static void take_problem(verb *v) {
    const cli_problem_options *p = &v->problem;
    spdhg_race_options *o = &v->race;
    o->loss = p->loss, o->penalty = p->penalty, o->groups = p->groups, o->structure = p->structure, o->set = p->set;
    o->class_weight = p->class_weight, o->weights = p->weights, o->offset = p->offset, o->penalty_weights = p->penalty_weights;
    o->lambda = p->lambda, o->gamma = p->gamma, o->also_sparse = p->also_sparse;
    o->intercept = p->intercept, o->standardize = p->standardize, o->allow_one_class = p->one_class_ok;
    o->max_memory = v->read.max_memory ? v->read.max_memory : cli_machine_memory();
    o->read = &v->read;
    o->command = v->command;
    o->callback = watch;
    o->user = v;
}

static int run(verb *v, spdhg_error *err) {
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    v->line = !v->quiet && isatty(STDERR_FILENO);
    take_problem(v);
    if (cli_check_folder("--output", v->folder, v->force, err) != SPDHG_OK) return cli_fail("spdhg race", err);
    cli_signals_catch();
    const spdhg_status status = spdhg_race(v->data, v->count, v->folder, &v->race, &outcome, err);
    erase(v);
    if (status != SPDHG_OK) return cli_fail("spdhg race", err);
    if (outcome == SPDHG_OUTCOME_INTERRUPTED) {
        fprintf(stderr, "spdhg race: stopped; the same command continues the race\n");
        return cli_signals_status();
    }
    char page[PATH_MAX];
    snprintf(page, sizeof page, "%s/report.html", v->folder);
    if (spd_report_race(v->folder, page, err) != SPDHG_OK) return cli_fail("spdhg race", err);
    if (v->quiet && !v->json) return SPDHG_OK;
    return cli_race_print(v->folder, v->json, err) == SPDHG_OK ? SPDHG_OK : cli_fail("spdhg race", err);
}

int cli_race(int argc, char **argv) {
    spdhg_error err = {0};
    verb v = {.read = SPDHG_READ_OPTIONS,
              .race = SPDHG_RACE_OPTIONS,
              .problem = CLI_PROBLEM_OPTIONS,
              .data = SPD_NEW(const char *, argc)};
    v.problem.structure = v.race.structure;
    v.problem.lambda = v.race.lambda;
    v.problem.gamma = v.race.gamma;
    v.problem.intercept = false;
    v.problem.also_sparse_given = true; /* the tasks have no such term unless requested */
    v.command = cli_command_line(argc, argv);
    if (!v.data) {
        spd_fail_memory(&err, 8.0 * argc);
        return cli_fail("spdhg race", &err);
    }
    cli_parse(&argp, argc, argv, &v);
    const int status = run(&v, &err);
    spd_free(v.data);
    spd_free(v.command);
    return status;
}

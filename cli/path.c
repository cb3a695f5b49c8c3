/* path.c - `spdhg path`: data, problem, the path over lambda with cross-validation, for each pair of --gammas and --sparsities;
 * the best becomes the model. */
#include <unistd.h>

#include "cli.h"

enum {
    LAMBDAS = 0x100,
    RATIO,
    LAMBDA_MAX,
    SATURATION,
    FOLDS,
    REPEATS,
    FOLD_GROUPS,
    FOLD_FILE,
    CHOOSE,
    RULE,
    GAMMAS,
    SPARSITIES,
    PATH,
    REPORT,
    JSON
};
enum { GRID_MOST = 32 };

typedef struct grid {
    int count;
    double value[GRID_MOST];
} grid;

typedef struct candidate {
    double gamma, also_sparse;
    cli_problem problem;
    spdhg_path *path;
} candidate;

typedef struct verb {
    spdhg_read_options read;
    cli_problem_options problem_options;
    cli_solve_options solve;
    spdhg_path_options options;
    grid gammas, sparsities;
    const char *path, *model_path, *csv_path, *report_path, *groups_path, *folds_path;
    bool json, quiet, verbose, folds_given;
    char *command;

    spdhg_data *data;
    int64_t *group, *fold;
    candidate best;
    spdhg_model *model;
    FILE *human; /* where sentences go; NULL: nowhere */
} verb;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The path:", 4},
    {"lambdas", LAMBDAS, "COUNT", 0, NULL, 0},
    {"lambda-ratio", RATIO, "PART", 0, NULL, 0},
    {"lambda-max", LAMBDA_MAX, "NUMBER", 0, NULL, 0},
    {"saturation", SATURATION, "PART", 0, NULL, 0},
    {"gammas", GAMMAS, "G,...", 0, NULL, 0},
    {"sparsities", SPARSITIES, "C,...", 0, NULL, 0},
    {0, 0, 0, 0, "The choice:", 5},
    {"folds", FOLDS, "K", 0, NULL, 0},
    {"repeats", REPEATS, "R", 0, NULL, 0},
    {"fold-groups", FOLD_GROUPS, "FILE", 0, NULL, 0},
    {"fold-file", FOLD_FILE, "FILE", 0, NULL, 0},
    {"choose", CHOOSE, "CRITERION", 0, NULL, 0},
    {"rule", RULE, "RULE", 0, NULL, 0},
    {0, 0, 0, 0, "Results:", 6},
    {"output", 'o', "MODEL", 0, "write the model (JSON); none is written without this option", 0},
    {"path", PATH, "FILE", 0, "write a line for each lambda as CSV", 0},
    {"report", REPORT, "FILE", 0, "write a self-contained HTML page", 0},
    {"json", JSON, NULL, 0, "one JSON object on standard output, nothing else there", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "say what is decided on the way, on standard error", 0},
    {0},
};

static void parse_grid(grid *g, const char *option, const char *arg, const struct argp_state *state) {
    for (const char *at = arg; at;) {
        const char *comma = strchr(at, ',');
        char text[64];
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (g->count == GRID_MOST) cli_usage(state, "%s: more than %d numbers", option, GRID_MOST);
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        g->value[g->count++] = cli_number(state, option, text, 0, INFINITY);
        at = comma ? comma + 1 : NULL;
    }
}

static void check(verb *p, const struct argp_state *state) {
    const char *const out[] = {p->model_path, p->csv_path, p->report_path, p->json ? "-" : NULL};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) on_stdout += out[i] && strcmp(out[i], "-") == 0;
    if (!p->path) cli_usage(state, "DATA is missing: spdhg path DATA [-o MODEL] (DATA can be - for standard input)");
    if (on_stdout > 1) cli_usage(state, "only one of --output, --path, --report and --json can have standard output");
    if (!isnan(p->problem_options.lambda))
        cli_usage(state, "--lambda is what path chooses; --lambda-max and --lambda-ratio say from where to where");
    if (p->folds_path && p->groups_path) cli_usage(state, "--fold-file and --fold-groups exclude each other");
    const bool validated = strcmp(p->options.choose, "loss") == 0 || strcmp(p->options.choose, "accuracy") == 0 ||
                           strcmp(p->options.choose, "auc") == 0;
    if (!validated && !p->folds_given && !p->folds_path) p->options.folds = 0; /* an information criterion needs none */
    if (validated && p->options.folds == 0) cli_usage(state, "--choose %s needs --folds of at least 2", p->options.choose);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    verb *p = state->input;
    spdhg_path_options *o = &p->options;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &p->problem_options;
        state->child_inputs[1] = &p->read;
        state->child_inputs[2] = &p->solve;
        return 0;
    case LAMBDAS: o->lambdas = cli_integer(state, "--lambdas", arg, 1, 10000); return 0;
    case RATIO:
        o->ratio = cli_positive(state, "--lambda-ratio", arg);
        if (o->ratio >= 1) cli_usage(state, "--lambda-ratio: '%s' is not between 0 and 1", arg);
        return 0;
    case LAMBDA_MAX: o->lambda_max = cli_positive(state, "--lambda-max", arg); return 0;
    case SATURATION: o->saturation = cli_number(state, "--saturation", arg, 0, 1); return 0;
    case GAMMAS: parse_grid(&p->gammas, "--gammas", arg, state); return 0;
    case SPARSITIES: parse_grid(&p->sparsities, "--sparsities", arg, state); return 0;
    case FOLDS:
        o->folds = cli_integer(state, "--folds", arg, 0, INT32_MAX);
        if (o->folds == 1) cli_usage(state, "--folds: '1' is neither 0 nor at least 2");
        p->folds_given = true;
        return 0;
    case REPEATS: o->repeats = cli_integer(state, "--repeats", arg, 1, 10000); return 0;
    case FOLD_GROUPS: p->groups_path = arg; return 0;
    case FOLD_FILE: p->folds_path = arg; return 0;
    case CHOOSE:
        cli_choice(state, "--choose", arg, "loss, accuracy, auc, aic, bic, ebic");
        o->choose = arg;
        return 0;
    case RULE:
        cli_choice(state, "--rule", arg, "1se, min");
        o->rule = arg;
        return 0;
    case 'o': p->model_path = arg; return 0;
    case PATH: p->csv_path = arg; return 0;
    case REPORT: p->report_path = arg; return 0;
    case JSON: p->json = true; return 0;
    case 'q': p->quiet = true; return 0;
    case 'v': p->verbose = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &p->path, arg); return 0;
    case ARGP_KEY_END: check(p, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "path", key, text);
}

static const struct argp_child children[] = {
    {&cli_problem_argp, 0, "The problem:", 1}, {&cli_data_argp, 0, "The data:", 2}, {&cli_solve_argp, 0, "The solve:", 3}, {0}};
static const struct argp argp = {
    options,
    parse,
    "DATA",
    "Fit DATA (- is standard input) along a path of lambdas, each solution proven to --tol (default 1e-6), and choose one.",
    children,
    fill_help,
    NULL};

/* A whole number for each row of the data. */
static spdhg_status read_whole(const char *name, int64_t rows, int64_t **out, spdhg_error *err) {
    double *number;
    int64_t lines, width;
    SPD_TRY(spd_numbers_read(name, &number, &lines, &width, err));
    spdhg_status status =
        lines * width == rows
            ? SPDHG_OK
            : spd_fail(err, SPDHG_DATA, "%s: %lld numbers, but the data has %lld rows: one for each is expected", name,
                       (long long)(lines * width), (long long)rows);
    if (status == SPDHG_OK && !(*out = SPD_NEW(int64_t, rows))) status = spd_fail_memory(err, 8.0 * (double)rows);
    for (int64_t i = 0; status == SPDHG_OK && i < rows; i++) {
        (*out)[i] = (int64_t)number[i];
        if ((double)(*out)[i] != number[i])
            status = spd_fail(err, SPDHG_DATA, "%s: number %lld, %g, is not whole", name, (long long)i + 1, number[i]);
    }
    spd_free(number);
    return status;
}

static spdhg_status prepare(verb *p, spdhg_error *err) {
    const char *const out[] = {p->model_path, p->csv_path, p->report_path};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) SPD_TRY(cli_can_write(out[i], err));
    SPD_TRY(spdhg_data_read(&p->data, p->path, &p->read, err));
    if (p->verbose) cli_print_notes(stderr, "spdhg path: ", p->data);
    SPD_TRY(spd_recipe_attach(&p->problem_options, p->data, err));
    if (p->groups_path) SPD_TRY(read_whole(p->groups_path, p->data->rows, &p->group, err));
    if (p->folds_path) SPD_TRY(read_whole(p->folds_path, p->data->rows, &p->fold, err));
    p->options.group = p->group ? p->group : p->fold ? NULL : p->data->group;
    p->options.fold = p->fold;
    for (int64_t i = 0; p->fold && !p->folds_given && i < p->data->rows; i++)
        if (i == 0 || p->fold[i] >= p->options.folds) p->options.folds = p->fold[i] + 1;
    p->solve.options.max_memory = p->read.max_memory ? p->read.max_memory : cli_machine_memory();
    p->solve.options.threads = p->read.threads;
    return SPDHG_OK;
}

static void free_candidate(candidate *c) {
    spdhg_path_free(c->path);
    spd_recipe_clear(&c->problem);
    c->path = NULL;
}

static spdhg_status try_pair(verb *p, candidate *c, spdhg_error *err) {
    cli_problem_options asked = p->problem_options;
    asked.lambda = 1; /* then the path's factor is lambda itself */
    asked.gamma = c->gamma;
    asked.also_sparse = c->also_sparse;
    SPD_TRY(spd_recipe_build(&c->problem, &asked, p->data, NULL, 0, err));
    return spdhg_path_new(&c->path, c->problem.problem, &p->options, &p->solve.options, err);
}

/* Every pair of --gammas and --sparsities; the best is kept. */
static spdhg_status search(verb *p, spdhg_error *err) {
    if (p->gammas.count == 0) p->gammas = (grid){1, {p->problem_options.gamma}};
    if (p->sparsities.count == 0) p->sparsities = (grid){1, {p->problem_options.also_sparse}};
    for (int i = 0; i < p->gammas.count * p->sparsities.count; i++) {
        candidate next = {.gamma = p->gammas.value[i / p->sparsities.count],
                          .also_sparse = p->sparsities.value[i % p->sparsities.count]};
        const spdhg_status status = try_pair(p, &next, err);
        if (status != SPDHG_OK) {
            free_candidate(&next);
            return status;
        }
        const double value = spdhg_path_value(next.path, spdhg_path_best(next.path));
        if (p->human && p->gammas.count * p->sparsities.count > 1)
            fprintf(p->human, "gamma %g, also-sparse %g: best %s %.8g\n", next.gamma, next.also_sparse, p->options.choose,
                    fabs(value));
        const bool better = !p->best.path || value < spdhg_path_value(p->best.path, spdhg_path_best(p->best.path));
        const bool stop = spdhg_path_outcome(next.path) == SPDHG_OUTCOME_INTERRUPTED;
        free_candidate(better ? &p->best : &next);
        if (better) p->best = next;
        if (stop) break;
    }
    return SPDHG_OK;
}

/* The model first: it is what an interrupted user wants most. */
static spdhg_status write_results(verb *p, spdhg_error *err) {
    spdhg_path *path = p->best.path;
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    SPD_TRY(spdhg_model_from_solver(&p->model, spdhg_path_solver(path), err));
    if (p->model_path) SPD_TRY(spdhg_model_write(p->model, p->model_path, err));
    if (p->csv_path) SPD_TRY(cli_path_csv(path, p->csv_path, err));
    p->problem_options.lambda = point[spdhg_path_chosen(path)].lambda;
    p->problem_options.gamma = p->best.gamma;
    p->problem_options.also_sparse = p->best.also_sparse;
    const cli_fit_result result = {.data = p->data,
                                   .problem = p->best.problem.problem,
                                   .solution = spdhg_solver_solution(spdhg_path_solver(path)),
                                   .asked = &p->problem_options,
                                   .outcome = spdhg_path_outcome(path),
                                   .test_rmse = NAN,
                                   .seed = p->solve.options.seed};
    if (p->report_path) {
        const spd_report report = {
            .title = p->path, .command = p->command, .model = p->model, .solution = result.solution, .path = path};
        SPD_TRY(spd_report_write(&report, p->report_path, err));
    }
    cli_print_header(p->human, &result, p->solve.solver, 0);
    cli_print_path(p->human, path, p->options.choose);
    cli_print_summary(p->human, &result, p->model_path);
    if (!p->json) return SPDHG_OK;
    json_t *out = cli_fit_json(&result);
    if (out) cli_path_json(out, path, p->options.choose);
    return cli_json_print(out, err);
}

static int run(verb *p, spdhg_error *err) {
    cli_progress progress = {
        .name = "spdhg path", .verbose = p->verbose, .line = !p->quiet && isatty(STDERR_FILENO), .started = spd_now()};
    p->solve.options.callback = cli_progress_event;
    p->solve.options.user = &progress;
    p->options.solver = p->solve.solver;
    if (prepare(p, err) != SPDHG_OK) return cli_fail("spdhg path", err);
    cli_signals_catch();
    const spdhg_status ran = search(p, err);
    cli_progress_erase(&progress);
    if (ran != SPDHG_OK || write_results(p, err) != SPDHG_OK) return cli_fail("spdhg path", err);
    const spdhg_outcome outcome = spdhg_path_outcome(p->best.path);
    if (outcome == SPDHG_OUTCOME_INTERRUPTED) return cli_signals_status();
    if (outcome == SPDHG_OUTCOME_LIMIT) fprintf(stderr, "spdhg path: the relative gap of --tol was not proven at every lambda\n");
    return spdhg_outcome_exit_status(outcome);
}

int cli_path(int argc, char **argv) {
    verb p = {.read = SPDHG_READ_OPTIONS,
              .problem_options = CLI_PROBLEM_OPTIONS,
              .solve = {.solver = "auto", .options = SPDHG_OPTIONS},
              .options = SPDHG_PATH_OPTIONS};
    spdhg_error err = {0};
    p.problem_options.lambda = NAN;
    p.command = cli_command_line(argc, argv); /* before argp reorders the words */
    argp_parse(&argp, argc, argv, 0, NULL, &p);
    const bool taken = p.json || (p.model_path && !strcmp(p.model_path, "-")) || (p.csv_path && !strcmp(p.csv_path, "-")) ||
                       (p.report_path && !strcmp(p.report_path, "-"));
    p.human = p.quiet ? NULL : taken ? stderr : stdout;
    const int status = run(&p, &err);
    spdhg_model_free(p.model);
    free_candidate(&p.best);
    spdhg_data_free(p.data);
    spd_free(p.group);
    spd_free(p.fold);
    spd_free(p.command);
    return status;
}

/* path.c - `spdhg path`: data, problem, the path over lambda with cross-validation for each pair of --gammas and --sparsities;
 * the best becomes the model. */
#include "path.h"
#include "processes.h"

typedef struct candidate {
    double gamma, also_sparse;
    cli_problem problem;
    spdhg_path *path;
} candidate;

typedef struct verb {
    cli_path_options asked;
    spdhg_ranks *ranks; /* processes to which the folds are dealt out; NULL: one */
    char *command;

    spdhg_data *data;
    int64_t *group, *fold;
    spdhg_graph_options graph; /* how a structure is learned, here and in every fold */
    candidate best;
    spdhg_model *model;
    FILE *human; /* where messages go; NULL: nowhere */
    cli_progress progress;
} verb;

/* Reads one integer for each row of the data. */
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
    cli_path_options *o = &p->asked;
    const cli_output out[] = {{"--output", o->model_path, CLI_MODEL},
                              {"--path", o->csv_path, CLI_PATH},
                              {"--coefficients", o->coefficients_path, CLI_COEFFICIENTS},
                              {"--report", o->report_path, CLI_REPORT}};
    const char *const in[] = {o->data_path,      o->read.targets,   o->read.names,        o->problem.weights,
                              o->problem.offset, o->problem.groups, o->problem.structure, o->problem.penalty_weights,
                              o->groups_path,    o->folds_path};
    if (spdhg_ranks_rank(p->ranks) == 0) SPD_TRY(CLI_CHECK_OUTPUTS(out, in, o->force, err));
    if (strcmp(o->problem.structure, SPD_CATEGORIES) == 0 && !o->read.reference) o->read.reference = "first";
    o->read.weight_column = o->problem.weights;
    o->read.offset_column = o->problem.offset;
    SPD_TRY(cli_read(&p->data, o->data_path, &o->read, &p->progress, err));
    cli_print_columns(p->human, "", p->data);
    cli_print_row_numbers(o->quiet ? NULL : stderr, "spdhg path: ", p->data);
    if (cli_print_repeated_ids(o->quiet ? NULL : stderr, "spdhg path: ", p->data))
        fprintf(stderr, "spdhg path: rows that belong together should be in one fold: --fold-groups FILE keeps them there\n");
    cli_print_trivial(o->quiet ? NULL : stderr, "spdhg path: ", p->data, o->problem.loss);
    if (o->verbose) cli_print_notes(stderr, "spdhg path: ", p->data);
    SPD_TRY(spd_recipe_attach(&o->problem, p->data, err));
    if (o->groups_path) SPD_TRY(read_whole(o->groups_path, p->data->rows, &p->group, err));
    if (o->folds_path) SPD_TRY(read_whole(o->folds_path, p->data->rows, &p->fold, err));
    o->path.group = p->group ? p->group : p->fold ? NULL : p->data->group;
    o->path.fold = p->fold;
    for (int64_t i = 0; p->fold && !o->folds_given && i < p->data->rows; i++)
        if (i == 0 || p->fold[i] >= o->path.folds) o->path.folds = p->fold[i] + 1;
    o->solve.options.max_memory = o->read.max_memory ? o->read.max_memory : cli_machine_memory();
    o->solve.options.threads = o->problem.threads = o->read.threads;
    o->problem.max_memory = o->solve.options.max_memory;
    p->graph = spd_recipe_graph(&o->problem);
    if (spd_recipe_learns(&o->problem)) o->path.learn = &p->graph;
    return SPDHG_OK;
}

static void free_candidate(candidate *c) {
    spdhg_path_free(c->path);
    spd_recipe_clear(&c->problem);
    c->path = NULL;
}

static spdhg_status try_pair(verb *p, candidate *c, spdhg_error *err) {
    cli_problem_options asked = p->asked.problem;
    asked.lambda = 1; /* then the path's factor is lambda itself */
    asked.gamma = c->gamma;
    if (asked.l1_ratio_given) cli_part_lambda(&asked, 1);
    asked.also_sparse = c->also_sparse;
    SPD_TRY(spd_recipe_build(&c->problem, &asked, p->data, NULL, 0, err));
    return spdhg_path_new(&c->path, c->problem.problem, &p->asked.path, &p->asked.solve.options, err);
}

/* Tries every pair of --gammas and --sparsities and keeps the best. */
static spdhg_status search(verb *p, spdhg_error *err) {
    cli_path_options *o = &p->asked;
    if (o->gammas.count == 0) o->gammas = (cli_grid){1, {o->problem.gamma}};
    if (o->sparsities.count == 0) o->sparsities = (cli_grid){1, {o->problem.also_sparse}};
    const int pairs = o->gammas.count * o->sparsities.count;
    for (int i = 0; i < pairs; i++) {
        candidate next = {.gamma = o->gammas.value[i / o->sparsities.count],
                          .also_sparse = o->sparsities.value[i % o->sparsities.count]};
        const spdhg_status status = try_pair(p, &next, err);
        if (status != SPDHG_OK) {
            free_candidate(&next);
            return status;
        }
        const double value = spdhg_path_value(next.path, spdhg_path_best(next.path));
        if (p->human && pairs > 1)
            fprintf(p->human, "gamma %g, also-sparse %g: best %s %.8g\n", next.gamma, next.also_sparse, o->path.choose,
                    fabs(value));
        const bool better = !p->best.path || value < spdhg_path_value(p->best.path, spdhg_path_best(p->best.path));
        const bool stop = spdhg_path_outcome(next.path) == SPDHG_OUTCOME_INTERRUPTED;
        free_candidate(better ? &p->best : &next);
        if (better) p->best = next;
        if (stop) break;
    }
    return SPDHG_OK;
}

static spdhg_status write_page(verb *p, const cli_fit_result *result, spdhg_error *err) {
    cli_judged judged = {0};
    const spd_report report = {.title = p->asked.data_path,
                               .command = p->command,
                               .model = p->model,
                               .solution = result->solution,
                               .path = p->best.path,
                               .structure = spd_problem_structure(result->problem),
                               .judged = &judged.shown};
    spdhg_status status = cli_judge_path(&judged, p->model, p->data, p->best.path, err);
    cli_progress_erase(&p->progress);
    if (status == SPDHG_OK) status = spd_report_write(&report, p->asked.report_path, err);
    cli_judged_free(&judged);
    return status;
}

/* Writes the model first: it matters most to a user who interrupts. */
static spdhg_status write_results(verb *p, spdhg_error *err) {
    spdhg_path *path = p->best.path;
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    SPD_TRY(spdhg_model_from_solver(&p->model, spdhg_path_solver(path), err));
    if (p->asked.model_path) SPD_TRY(spdhg_model_write(p->model, p->asked.model_path, err));
    if (p->asked.csv_path) SPD_TRY(cli_path_csv(path, p->asked.csv_path, err));
    if (p->asked.coefficients_path)
        SPD_TRY(cli_path_coefficients(path, p->best.problem.problem, p->model, p->asked.coefficients_path, err));
    p->asked.problem.lambda = point[spdhg_path_chosen(path)].lambda;
    p->asked.problem.gamma = p->best.gamma;
    if (p->asked.problem.l1_ratio_given) cli_part_lambda(&p->asked.problem, p->asked.problem.lambda);
    p->asked.problem.also_sparse = p->best.also_sparse;
    const cli_fit_result result = {.data = p->data,
                                   .problem = p->best.problem.problem,
                                   .solution = spdhg_solver_solution(spdhg_path_solver(path)),
                                   .asked = &p->asked.problem,
                                   .outcome = spdhg_path_outcome(path),
                                   .test_rmse = NAN,
                                   .seed = p->asked.solve.options.seed};
    if (p->asked.report_path) SPD_TRY(write_page(p, &result, err));
    cli_print_learned(p->human, &p->best.problem.learned);
    cli_print_header(p->human, &result, p->asked.solve.solver, 0);
    cli_print_path(p->human, path, p->asked.path.choose);
    cli_print_summary(p->human, &result, p->asked.model_path);
    if (p->human && p->asked.csv_path) fprintf(p->human, "path written to %s\n", p->asked.csv_path);
    if (p->human && p->asked.report_path) fprintf(p->human, "report written to %s\n", p->asked.report_path);
    if (!p->asked.json) return SPDHG_OK;
    json_t *out = cli_fit_json(&result);
    if (out) cli_path_json(out, path, p->asked.path.choose);
    return cli_json_print(out, err);
}

/* Says at once what will be done. */
static void announce(const verb *p) {
    const spdhg_path_options *o = &p->asked.path;
    if (!p->human) return;
    fprintf(p->human, "path: at most %lld values of lambda for %lld rows and %lld features", (long long)o->lambdas,
            (long long)p->data->rows, (long long)p->data->features);
    if (o->folds > 0) fprintf(p->human, ", each in %lld folds too", (long long)(o->folds * o->repeats));
    fprintf(p->human, "\n");
    fflush(p->human);
}

static int run(verb *p, spdhg_error *err) {
    if (cli_processes_begin(&p->ranks, err) != SPDHG_OK) return cli_fail("spdhg path", err);
    p->asked.solve.options.ranks = p->ranks;
    cli_progress_open(&p->progress, "spdhg path", p->asked.quiet, p->asked.verbose);
    p->asked.solve.options.callback = cli_progress_event;
    p->asked.solve.options.user = &p->progress;
    p->asked.path.solver = p->asked.solve.solver;
    if (prepare(p, err) != SPDHG_OK) return cli_fail("spdhg path", err);
    announce(p);
    cli_signals_catch();
    const spdhg_status ran = search(p, err);
    cli_progress_erase(&p->progress);
    const bool writes = spdhg_ranks_rank(p->ranks) == 0; /* it has the model, too */
    if (ran != SPDHG_OK || (writes && write_results(p, err) != SPDHG_OK)) return cli_fail("spdhg path", err);
    const spdhg_outcome outcome = spdhg_path_outcome(p->best.path);
    if (outcome == SPDHG_OUTCOME_INTERRUPTED) return cli_signals_status();
    if (outcome == SPDHG_OUTCOME_LIMIT) fprintf(stderr, "spdhg path: the relative gap of --tol was not proven at every lambda\n");
    return spdhg_outcome_exit_status(outcome);
}

int cli_path(int argc, char **argv) {
    verb p = {.asked = {.read = SPDHG_READ_OPTIONS,
                        .problem = CLI_PROBLEM_OPTIONS,
                        .solve = {.solver = "auto", .options = SPDHG_OPTIONS},
                        .path = SPDHG_PATH_OPTIONS}};
    spdhg_error err = {0};
    cli_path_options *o = &p.asked;
    o->problem.lambda = NAN;
    p.command = cli_command_line(argc, argv); /* before argp reorders the arguments */
    cli_parse(&cli_path_argp, argc, argv, o);
    const bool taken = o->json || (o->coefficients_path && !strcmp(o->coefficients_path, "-")) ||
                       (o->model_path && !strcmp(o->model_path, "-")) || (o->csv_path && !strcmp(o->csv_path, "-")) ||
                       (o->report_path && !strcmp(o->report_path, "-"));
    p.human = o->quiet ? NULL : taken ? stderr : stdout;
    const int status = run(&p, &err);
    spdhg_model_free(p.model);
    free_candidate(&p.best);
    spdhg_data_free(p.data);
    spd_free(p.group);
    spd_free(p.fold);
    spd_free(p.command);
    return cli_processes_end("spdhg path", p.ranks, status, &err);
}

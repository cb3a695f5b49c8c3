/* graph.c - `spdhg graph`: learns a structure from data and writes it as a Matrix Market file for --structure matrix:FILE. */
#include "graph/graph.h"
#include "cli.h"
#include "report/graph_page.h"

enum { METHOD = 0x100, RHO, EDGES, NEIGHBOURS, MAX_COMPONENT, TOL, THRESHOLD, COV };
enum { PENALIZE_DIAGONAL = COV + 1, BOTH, PRECISION, FORM, SEED, REPORT, JSON };

typedef struct graph {
    spdhg_read_options read;
    spdhg_graph_options options;
    const char *path, *out_path, *report_path;
    bool json, quiet, verbose, force;
    char *command;

    spdhg_data *data;
    spdhg_structure *F;
    spd_graph learned;
    spdhg_graph_report report;
    cli_progress progress;
} graph;

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The graph:", 1},
    {"method", METHOD, "METHOD", 0, NULL, 0},
    {"rho", RHO, "R", 0, NULL, 0},
    {"edges", EDGES, "N", 0, NULL, 0},
    {"neighbours", NEIGHBOURS, "K", 0, NULL, 0},
    {"max-component", MAX_COMPONENT, "P", 0, NULL, 0},
    {"tol", TOL, "GAP", 0, NULL, 0},
    {"threshold", THRESHOLD, "T", 0, NULL, 0},
    {"cov", COV, NULL, 0, NULL, 0},
    {"penalize-diagonal", PENALIZE_DIAGONAL, NULL, 0, NULL, 0},
    {"both", BOTH, NULL, 0, NULL, 0},
    {"seed", SEED, "NUMBER", 0, NULL, 0},
    {0, 0, 0, 0, "Results:", 3},
    {"output", 'o', "F.mtx|F.csv", 0,
     "the file to write (required): a matrix, or with the ending .csv a list of edges, from,to,weight by name", 0},
    {"form", FORM, "FORM", 0, NULL, 0},
    {"precision", PRECISION, NULL, 0, NULL, 0},
    {"report", REPORT, "FILE", 0, "write a self-contained HTML page with a drawing", 0},
    CLI_FORCE_OPTION,
    {"json", JSON, NULL, 0, "write one JSON object to standard output, and nothing else", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "report on standard error what was repaired while reading", 0},
    {0},
};

static void parse_rho(const struct argp_state *state, spdhg_graph_options *o, const char *arg) {
    if (strcmp(arg, "auto") == 0 || strcmp(arg, "ebic") == 0 || strcmp(arg, "stars") == 0) {
        o->choose = arg;
        o->rho = 0;
        return;
    }
    double value;
    if (!spd_to_double(arg, &value) || !(value > 0))
        cli_usage(state, "--rho: '%s' is not a number above 0, auto, ebic or stars", arg);
    o->rho = value;
}

static void check_outputs(const graph *g, const struct argp_state *state) {
    const char *const path[] = {g->out_path, g->report_path, g->json ? "-" : NULL};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) on_stdout += path[i] && strcmp(path[i], "-") == 0;
    if (on_stdout > 1) cli_usage(state, "only one of --output, --report and --json can use standard output");
    const size_t length = g->out_path ? strlen(g->out_path) : 0;
    if (length > 4 && strcmp(g->out_path + length - 4, ".csv") == 0 && strcmp(g->options.form, "edge") != 0)
        cli_usage(state, "--output: a list of edges (.csv) cannot hold --form %s; give a name that ends in .mtx",
                  g->options.form);
    if (!g->path || !g->out_path) cli_usage(state, "DATA and F.mtx are required: spdhg graph DATA -o F.mtx");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    graph *g = state->input;
    spdhg_graph_options *o = &g->options;
    char names[CLI_TEXT_CHARS];
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &g->read; return 0;
    case METHOD:
        cli_choice(state, "--method", arg, spd_topic_names(names, sizeof names, "methods"));
        o->method = arg;
        return 0;
    case RHO: parse_rho(state, o, arg); return 0;
    case EDGES:
        o->edges = cli_integer(state, "--edges", arg, 1, INT64_MAX);
        o->choose = "edges";
        return 0;
    case NEIGHBOURS: o->neighbours = cli_integer(state, "--neighbours", arg, 1, INT32_MAX); return 0;
    case MAX_COMPONENT: o->max_component = cli_integer(state, "--max-component", arg, 1, INT32_MAX); return 0;
    case TOL: o->tol = cli_positive(state, "--tol", arg); return 0;
    case THRESHOLD: o->threshold = cli_number(state, "--threshold", arg, 0, INFINITY); return 0;
    case COV: o->covariance = true; return 0;
    case PENALIZE_DIAGONAL: o->penalize_diagonal = true; return 0;
    case BOTH: o->both = true; return 0;
    case SEED: o->seed = (uint64_t)cli_integer(state, "--seed", arg, 0, INT64_MAX); return 0;
    case 'o': g->out_path = arg; return 0;
    case FORM:
        cli_choice(state, "--form", arg, "edge, edge+I, skew");
        o->form = arg;
        return 0;
    case PRECISION: o->form = "precision"; return 0;
    case REPORT: g->report_path = arg; return 0;
    case CLI_FORCE: g->force = true; return 0;
    case JSON: g->json = true; return 0;
    case 'q': g->quiet = true; return 0;
    case 'v': g->verbose = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &g->path, arg); return 0;
    case ARGP_KEY_END: check_outputs(g, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "graph", key, text);
}

static const struct argp_child children[] = {{&cli_data_argp, 0, "The data:", 2}, {0}};
static const struct argp argp = {
    options,  parse,     "DATA", "Learn the structure F, which features belong together, from DATA (- is standard input).",
    children, fill_help, NULL};

static void print_hubs(FILE *to, const graph *g) {
    char plain[CLI_TEXT_CHARS];
    const spdhg_graph_report *r = &g->report;
    for (int64_t k = 0; k < r->hubs && k < 5; k++) {
        fprintf(to, "%s", k == 0 ? "hubs: " : ", ");
        if (g->data->name)
            fprintf(to, "%s", cli_plain(plain, g->data->name[r->hub[k]]));
        else
            fprintf(to, "feature %lld", (long long)r->hub[k] + g->data->index_base);
        fprintf(to, " (%lld edges)", (long long)r->hub_degree[k]);
    }
    if (r->hubs > 0) fputc('\n', to);
}

static void print_report(FILE *to, const graph *g) {
    const spdhg_graph_report *r = &g->report;
    char plain[CLI_TEXT_CHARS];
    fprintf(to, "data: %lld rows, %lld features", (long long)r->rows, (long long)r->nodes);
    if (r->constant > 0) fprintf(to, ", %lld of them constant (without edges)", (long long)r->constant);
    fprintf(to, "\nmethod %s", g->options.method);
    if (!isnan(r->rho)) fprintf(to, ", rho %.6g", r->rho);
    if (!isnan(r->rho) && !(g->options.rho > 0)) fprintf(to, " (%s)", g->options.choose);
    if (!isnan(r->gap))
        fprintf(to, ": objective %.10g, duality gap %.3g, %lld iterations", r->objective, spd_round_towards(INFINITY, r->gap, 3),
                (long long)r->iterations);
    fprintf(to,
            "\ngraph: %lld nodes, %lld of them without an edge; edges: %lld; components of at least two nodes: %lld, the largest "
            "of %lld\n",
            (long long)r->nodes, (long long)r->isolated, (long long)r->edges, (long long)r->components,
            (long long)(r->edges ? r->largest : 0));
    if (r->edges > 0)
        fprintf(to, "degrees: mean %.3g of the nodes that have an edge, largest %lld\n", r->mean_degree,
                (long long)r->hub_degree[0]);
    print_hubs(to, g);
    fprintf(to, "%s: %lld rows, norm %.6g (at most %.6g)\n", strcmp(g->options.form, "precision") == 0 ? "Theta" : "F",
            (long long)spdhg_structure_rows(g->F), r->norm, r->norm_bound);
    fprintf(to, "written to %s\n", cli_plain(plain, g->out_path));
}

static json_t *report_json(const graph *g) {
    const spdhg_graph_report *r = &g->report;
    json_t *hubs = json_array();
    for (int64_t k = 0; hubs && k < r->hubs; k++)
        json_array_append_new(hubs, json_pack("{sI, sI}", "feature", (json_int_t)(r->hub[k] + g->data->index_base), "degree",
                                              (json_int_t)r->hub_degree[k]));
    return json_pack("{ss, ss, so, sI, sI, sI, sI, sI, sI, sI, sf, so, sf, sf, so, so, sI, sb, sI, sf, sf, sf, ss}", /**/
                     "method", g->options.method, "form", g->options.form, "rho", cli_json_number(r->rho), "samples",
                     (json_int_t)r->rows, "nodes", (json_int_t)r->nodes, "edges", (json_int_t)r->edges, "components",
                     (json_int_t)r->components, "largest", (json_int_t)(r->edges ? r->largest : 0), "isolated",
                     (json_int_t)r->isolated, "constant", (json_int_t)r->constant, "mean_degree", r->mean_degree, "hubs", hubs,
                     "norm", r->norm, "norm_bound", r->norm_bound, "objective", cli_json_number(r->objective), "gap",
                     cli_json_number(r->gap), "iterations", (json_int_t)r->iterations, "converged", r->converged,
                     "structure_rows", (json_int_t)spdhg_structure_rows(g->F), "seconds", r->seconds, "solve_seconds",
                     r->solve_seconds, "read_seconds", g->data->read_seconds, "version", spdhg_version());
}

static spdhg_status write_results(const graph *g, spdhg_error *err) {
    const size_t length = strlen(g->out_path);
    if (length > 4 && strcmp(g->out_path + length - 4, ".csv") == 0)
        SPD_TRY(cli_edges_csv(g->F, g->data, g->out_path, err));
    else
        SPD_TRY(spdhg_structure_write(g->F, g->out_path, err));
    if (g->report_path) {
        const spd_graph_page page = {g->path, g->command, g->data, &g->learned, &g->report, &g->options};
        SPD_TRY(spd_graph_page_write(&page, g->report_path, err));
    }
    if (g->json) return cli_json_print(report_json(g), err);
    const bool taken = strcmp(g->out_path, "-") == 0 || (g->report_path && strcmp(g->report_path, "-") == 0);
    if (!g->quiet) print_report(taken ? stderr : stdout, g);
    return SPDHG_OK;
}

enum { NUMBERS = 8 }; /* kept for each column */

static spdhg_status run(graph *g, spdhg_error *err) {
    const cli_output out[] = {{"--output", g->out_path, CLI_STRUCTURE}, {"--report", g->report_path, CLI_REPORT}};
    const char *const in[] = {g->path, g->read.targets, g->read.names};
    SPD_TRY(CLI_CHECK_OUTPUTS(out, in, g->force, err));
    cli_progress_open(&g->progress, "spdhg graph", g->quiet, g->verbose);
    SPD_TRY(cli_read(&g->data, g->path, &g->read, &g->progress, err));
    const bool taken = g->json || strcmp(g->out_path, "-") == 0 || (g->report_path && strcmp(g->report_path, "-") == 0);
    cli_print_columns(g->quiet ? NULL : taken ? stderr : stdout, "", g->data);
    cli_print_row_numbers(g->quiet ? NULL : stderr, "spdhg graph: ", g->data);
    if (g->verbose) cli_print_notes(stderr, "spdhg graph: ", g->data);
    SPD_TRY(spd_data_fits(g->data, g->path, "a graph", NUMBERS, g->read.max_memory, err));
    g->options.threads = g->read.threads;
    g->options.max_memory = g->read.max_memory;
    g->options.callback = cli_progress_event;
    g->options.user = &g->progress;
    cli_progress_stage(&g->progress, "graph");
    const spdhg_status learned = spd_graph_learn(&g->F, &g->learned, g->data, NULL, 0, &g->options, &g->report, err);
    cli_progress_erase(&g->progress);
    SPD_TRY(learned);
    cli_signals_catch(); /* finish or remove the file being written */
    return write_results(g, err);
}

int cli_graph(int argc, char **argv) {
    graph g = {.read = SPDHG_READ_OPTIONS, .options = SPDHG_GRAPH_OPTIONS};
    spdhg_error err = {0};
    g.read.unlabelled_ok = true;
    g.command = cli_command_line(argc, argv); /* before argp reorders the arguments */
    cli_parse(&argp, argc, argv, &g);
    int status = run(&g, &err) == SPDHG_OK ? cli_signals_after("spdhg graph") : cli_fail("spdhg graph", &err);
    if (status == 0 && g.report.edges == 0 && !g.quiet)
        fprintf(stderr,
                "spdhg graph: the graph has no edges: nothing belongs together at this rho; try a smaller --rho, --edges N, or "
                "--method knn\n");
    if (status == 0 && !g.report.converged) {
        status = spdhg_outcome_exit_status(SPDHG_OUTCOME_STALLED);
        if (!g.quiet) fprintf(stderr, "spdhg graph: a component stopped above the gap %g per feature of --tol\n", g.options.tol);
    }
    spd_graph_free(&g.learned);
    spdhg_structure_free(g.F);
    spdhg_data_free(g.data);
    spd_free(g.command);
    return status;
}

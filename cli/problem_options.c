/* problem_options.c - options that say what is minimised, and the problem made of them:
 *     mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + lambda r(F x) [+ C lambda ||x||_1]   over x in X. */
#include "cli.h"

enum {
    LOSS = 0x300,
    PENALTY,
    GROUPS,
    STRUCTURE,
    ALSO_SPARSE,
    LAMBDA,
    GAMMA,
    SET,
    INTERCEPT,
    NO_INTERCEPT,
    WEIGHTS,
    OFFSET,
    PENALTY_WEIGHTS,
    CLASS_WEIGHT,
    STANDARDIZE,
    ALLOW_ONE_CLASS
};

static const struct argp_option options[] = {
    {"loss", LOSS, "LOSS[:ARG]", 0, NULL, 0},
    {"penalty", PENALTY, "PENALTY", 0, NULL, 0},
    {"groups", GROUPS, "GROUPS", 0, NULL, 0},
    {"structure", STRUCTURE, "STRUCTURE", 0, NULL, 0},
    {"also-sparse", ALSO_SPARSE, "C", 0, NULL, 0},
    {"lambda", LAMBDA, "NUMBER", 0, NULL, 0},
    {"gamma", GAMMA, "NUMBER", 0, NULL, 0},
    {"set", SET, "SET", 0, NULL, 0},
    {"intercept", INTERCEPT, NULL, 0, NULL, 0},
    {"no-intercept", NO_INTERCEPT, NULL, 0, NULL, 0},
    {"weights", WEIGHTS, "FILE", 0, NULL, 0},
    {"offset", OFFSET, "FILE", 0, NULL, 0},
    {"penalty-weights", PENALTY_WEIGHTS, "FILE", 0, NULL, 0},
    {"class-weight", CLASS_WEIGHT, "balanced|LABEL=W,...", 0, NULL, 0},
    {"standardize", STANDARDIZE, NULL, 0, NULL, 0},
    {"allow-one-class", ALLOW_ONE_CLASS, NULL, 0, NULL, 0},
    {0},
};

static void check_structure(const struct argp_state *state, const char *spec) {
    spdhg_entry entry;
    for (int64_t i = 0; spdhg_list("structures", i, &entry); i++)
        if (strcmp(entry.name, SPD_LEARNED) == 0 ? strcmp(spec, entry.name) == 0 : spd_spec_is(spec, entry.name)) return;
    char names[CLI_TEXT_CHARS];
    cli_usage(state, "--structure: '%s' is not one of %s", spec, spd_topic_names(names, sizeof names, "structures"));
}

/* Names are checked here and not when the problem is built: nobody wants to read 10 GB to learn of a typing error. */
static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_problem_options *o = state->input;
    spdhg_error err = {0};
    const spdhg_loss *loss;
    const spd_penalty *penalty;
    spd_set set;
    double number;
    switch (key) {
    case LOSS: cli_check(state, "--loss", spd_loss_find(o->loss = arg, &loss, &number, &err), &err); return 0;
    case PENALTY: cli_check(state, "--penalty", spd_penalty_find(o->penalty = arg, &penalty, &err), &err); return 0;
    case GROUPS: o->groups = arg; return 0;
    case STRUCTURE: check_structure(state, o->structure = arg); return 0;
    case ALSO_SPARSE:
        o->also_sparse = cli_number(state, "--also-sparse", arg, 0, INFINITY);
        o->also_sparse_given = true;
        return 0;
    case LAMBDA: o->lambda = cli_number(state, "--lambda", arg, 0, INFINITY); return 0;
    case GAMMA: o->gamma = cli_number(state, "--gamma", arg, 0, INFINITY); return 0;
    case SET: cli_check(state, "--set", spd_set_find(o->set = arg, &set, &err), &err); return 0;
    case INTERCEPT: o->intercept = true; return 0;
    case NO_INTERCEPT: o->intercept = false; return 0;
    case WEIGHTS: o->weights = arg; return 0;
    case OFFSET: o->offset = arg; return 0;
    case PENALTY_WEIGHTS: o->penalty_weights = arg; return 0;
    case CLASS_WEIGHT: o->class_weight = arg; return 0;
    case STANDARDIZE: o->standardize = true; return 0;
    case ALLOW_ONE_CLASS: o->one_class_ok = true; return 0;
    case ARGP_KEY_END:
        if (strcmp(o->structure, SPD_LEARNED) == 0 && !o->also_sparse_given) o->also_sparse = 1;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "problem", key, text);
}

const struct argp cli_problem_argp = {options, parse, NULL, NULL, NULL, fill_help, NULL};

spdhg_status cli_problem_attach(const cli_problem_options *o, spdhg_data *data, spdhg_error *err) {
    double *number = NULL;
    int64_t rows, columns;
    if (o->weights) {
        SPD_TRY(spd_numbers_read(o->weights, &number, &rows, &columns, err));
        const spdhg_status status =
            rows * columns == data->rows
                ? spdhg_data_set_weights(data, number, err)
                : spd_fail(err, SPDHG_DATA, "%s: %lld numbers, but the data has %lld rows: one weight for each is expected",
                           o->weights, (long long)(rows * columns), (long long)data->rows);
        spd_free(number);
        SPD_TRY(status);
    }
    if (o->offset) {
        SPD_TRY(spd_numbers_read(o->offset, &number, &rows, &columns, err));
        if (columns == data->rows && rows == 1) rows = data->rows, columns = 1; /* a vector may lie on one line */
        const spdhg_status status = rows == data->rows
                                        ? spdhg_data_set_offsets(data, number, columns, err)
                                        : spd_fail(err, SPDHG_DATA, "%s: %lld rows of offsets, but the data has %lld rows",
                                                   o->offset, (long long)rows, (long long)data->rows);
        spd_free(number);
        SPD_TRY(status);
    }
    return SPDHG_OK;
}

/* F by its name; a learned one comes from these rows and no others, so that held-out rows stay unseen. */
static spdhg_status make_structure(cli_problem *out, const cli_problem_options *o, const spdhg_data *data, const int64_t *row,
                                   int64_t rows, spdhg_error *err) {
    if (strcmp(o->structure, SPD_LEARNED) != 0) return spdhg_structure_new(&out->structure, o->structure, data->features, err);
    spdhg_graph_options graph = SPDHG_GRAPH_OPTIONS;
    graph.threads = o->threads;
    return spdhg_structure_learn(&out->structure, data, row, rows, &graph, &out->learned, err);
}

static spdhg_status add_terms(cli_problem *out, const cli_problem_options *o, const spdhg_data *data, const int64_t *row,
                              int64_t rows_used, spdhg_error *err) {
    spdhg_problem *p = out->problem;
    SPD_TRY(make_structure(out, o, data, row, rows_used, err));
    double *row_weight = NULL;
    int64_t rows = 0, columns = 0;
    if (o->penalty_weights) SPD_TRY(spd_numbers_read(o->penalty_weights, &row_weight, &rows, &columns, err));
    const spdhg_term_options term = {sizeof term, row_weight, rows * columns, o->groups, NULL, 0};
    const spdhg_status status = spdhg_problem_term(p, o->penalty, out->structure, o->lambda, &term, err);
    spd_free(row_weight);
    SPD_TRY(status);
    if (o->also_sparse <= 0) return SPDHG_OK;
    SPD_TRY(spdhg_structure_new(&out->identity, "identity", data->features, err));
    return spdhg_problem_term(p, "l1", out->identity, o->also_sparse * o->lambda, NULL, err);
}

static spdhg_status build(cli_problem *out, const cli_problem_options *o, const spdhg_data *data, const int64_t *row,
                          int64_t rows, spdhg_error *err) {
    SPD_TRY(spdhg_problem_new(&out->problem, data, o->loss, err));
    spdhg_problem *p = out->problem;
    if (row) SPD_TRY(spdhg_problem_rows(p, row, rows, err));
    SPD_TRY(add_terms(out, o, data, row, rows, err));
    SPD_TRY(spdhg_problem_ridge(p, o->gamma, err));
    SPD_TRY(spdhg_problem_set(p, o->set, err));
    SPD_TRY(spdhg_problem_intercept(p, o->intercept, err));
    SPD_TRY(spdhg_problem_standardize(p, o->standardize, err));
    if (o->class_weight) SPD_TRY(spdhg_problem_class_weight(p, o->class_weight, err));
    return spdhg_problem_allow_one_class(p, o->one_class_ok, err);
}

spdhg_status cli_problem_build(cli_problem *out, const cli_problem_options *o, const spdhg_data *data, const int64_t *row,
                               int64_t rows, spdhg_error *err) {
    *out = (cli_problem){0};
    const spdhg_status status = build(out, o, data, row, rows, err);
    if (status != SPDHG_OK) cli_problem_clear(out);
    return status;
}

void cli_problem_clear(cli_problem *problem) {
    spdhg_problem_free(problem->problem); /* before the structures it points to */
    spdhg_structure_free(problem->structure);
    spdhg_structure_free(problem->identity);
    *problem = (cli_problem){0};
}

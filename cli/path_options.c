/* path_options.c - the options of `spdhg path`: the lambdas, how one of them is chosen, where results go. */
#include "path.h"

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
    NOISE,
    RULE,
    GAMMAS,
    SPARSITIES,
    PATH,
    COEFFICIENTS,
    REPORT,
    JSON
};

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
    {"noise", NOISE, "SIGMA", 0, NULL, 0},
    {"rule", RULE, "RULE", 0, NULL, 0},
    {0, 0, 0, 0, "Results:", 6},
    {"output", 'o', "MODEL", 0, "write the model (JSON); none is written without this option", 0},
    {"path", PATH, "FILE", 0, "write a line for each lambda as CSV", 0},
    {"coefficients", COEFFICIENTS, "FILE", 0,
     "write the nonzero coefficients at every lambda as CSV: lambda, feature, level, class, value, standardized, group", 0},
    {"report", REPORT, "FILE", 0, "write a self-contained HTML page", 0},
    CLI_FORCE_OPTION,
    {"json", JSON, NULL, 0, "write one JSON object to standard output, and nothing else", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "report decisions on standard error", 0},
    {0},
};

static void parse_grid(cli_grid *g, const char *option, const char *arg, const struct argp_state *state) {
    for (const char *at = arg; at;) {
        const char *comma = strchr(at, ',');
        char text[64];
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (g->count == CLI_GRID_MOST) cli_usage(state, "%s: more than %d numbers", option, CLI_GRID_MOST);
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        g->value[g->count++] = cli_number(state, option, text, 0, INFINITY);
        at = comma ? comma + 1 : NULL;
    }
}

static void check(cli_path_options *p, const struct argp_state *state) {
    const char *const out[] = {p->model_path, p->csv_path, p->coefficients_path, p->report_path, p->json ? "-" : NULL};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) on_stdout += out[i] && strcmp(out[i], "-") == 0;
    if (!p->data_path) cli_usage(state, "DATA is missing: spdhg path DATA [-o MODEL] (DATA can be - for standard input)");
    if (on_stdout > 1)
        cli_usage(state, "only one of --output, --path, --coefficients, --report and --json can use standard output");
    if (!isnan(p->problem.lambda)) cli_usage(state, "path chooses lambda itself; --lambda-max and --lambda-ratio set its range");
    if (p->problem.l1_ratio_given && p->gammas.count > 0)
        cli_usage(state, "--l1-ratio sets gamma: it cannot be used with --gammas");
    if (p->problem.l1_ratio == 0 && p->problem.l1_ratio_given)
        cli_usage(state, "--l1-ratio 0 leaves no penalty that a path could follow");
    if (p->folds_path && p->groups_path) cli_usage(state, "--fold-file and --fold-groups cannot be used together");
    const bool validated =
        strcmp(p->path.choose, "loss") == 0 || strcmp(p->path.choose, "accuracy") == 0 || strcmp(p->path.choose, "auc") == 0;
    if (!validated && !p->folds_given && !p->folds_path) p->path.folds = 0; /* an information criterion needs no folds */
    if (validated && p->path.folds == 0) cli_usage(state, "--choose %s needs --folds of at least 2", p->path.choose);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_path_options *p = state->input;
    spdhg_path_options *o = &p->path;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &p->problem;
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
        cli_choice(state, "--choose", arg, "loss, accuracy, auc, aic, bic, ebic, cp");
        o->choose = arg;
        return 0;
    case NOISE: o->noise = cli_positive(state, "--noise", arg); return 0;
    case RULE:
        cli_choice(state, "--rule", arg, "1se, min");
        o->rule = arg;
        return 0;
    case 'o': p->model_path = arg; return 0;
    case PATH: p->csv_path = arg; return 0;
    case COEFFICIENTS: p->coefficients_path = arg; return 0;
    case REPORT: p->report_path = arg; return 0;
    case CLI_FORCE: p->force = true; return 0;
    case JSON: p->json = true; return 0;
    case 'q': p->quiet = true; return 0;
    case 'v': p->verbose = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &p->data_path, arg); return 0;
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
const struct argp cli_path_argp = {
    options,
    parse,
    "DATA",
    "Fit DATA (- is standard input) along a path of lambdas, each solution proven to --tol (default 1e-6), and choose one.",
    children,
    fill_help,
    NULL};

/* problem_options.c - options that say what is minimised, into a recipe that tune/recipe.c makes a problem of:
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
    {"groups", GROUPS, "GROUPS", 0,
     "for group and linf: size:G, grid (the differences at one pixel), or a file with a group number for each row of F", 0},
    {"structure", STRUCTURE, "STRUCTURE", 0, NULL, 0},
    {"also-sparse", ALSO_SPARSE, "C", 0, "add C*lambda*||x||_1", 0},
    {"lambda", LAMBDA, "NUMBER", 0, "weight of the penalty", 0},
    {"gamma", GAMMA, "NUMBER", 0, "weight of (1/2)||x||^2", 0},
    {"set", SET, "SET", 0, NULL, 0},
    {"intercept", INTERCEPT, NULL, 0, "an unpenalised constant", 0},
    {"no-intercept", NO_INTERCEPT, NULL, 0, "no constant", 0},
    {"weights", WEIGHTS, "FILE", 0, "a weight of at least 0 for each row of the data", 0},
    {"offset", OFFSET, "FILE", 0, "a known part of the score for each row (and output)", 0},
    {"penalty-weights", PENALTY_WEIGHTS, "FILE", 0, "a factor of at least 0 for each row of F; 0 frees that row", 0},
    {"class-weight", CLASS_WEIGHT, "balanced|LABEL=W,...", 0, "multiplies the weights of the rows with that label", 0},
    {"standardize", STANDARDIZE, NULL, 0, "divide columns by their standard deviation; the model is on the original scale", 0},
    {"allow-one-class", ALLOW_ONE_CLASS, NULL, 0, "do not refuse data with a single label", 0},
    {0},
};

static void check_structure(const struct argp_state *state, const char *spec) {
    int entries;
    const spd_structure_kind *const *table = spd_structure_table(&entries);
    for (int i = 0; i < entries; i++)
        if (spd_spec_is(spec, table[i]->name)) return;
    if (strcmp(spec, SPD_LEARNED) == 0) return;
    char names[CLI_TEXT_CHARS];
    cli_usage(state, "--structure: '%s' is not one of %s, " SPD_LEARNED, spec, cli_names(names, table, entries));
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
        if (spd_recipe_learns(o) && !o->also_sparse_given) o->also_sparse = 1;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *with_default(const char *text, double value) {
    char *filled = NULL;
    return isnan(value) || asprintf(&filled, "%s (default %g)", text, value) < 0 ? NULL : filled;
}

/* The lists of names come from the tables and the defaults from the verb, so that help cannot fall behind them. */
static char *fill_help(int key, const char *text, void *input) {
    const cli_problem_options standard = CLI_PROBLEM_OPTIONS, *o = input ? input : &standard;
    char names[CLI_TEXT_CHARS] = "", *filled = NULL;
    const char *value = "", *topic = "";
    int entries = 0;
    const void *table = NULL;
    if (key == LOSS) table = spd_loss_table(&entries), value = o->loss, topic = "losses";
    if (key == PENALTY) table = spd_penalty_table(&entries), value = o->penalty, topic = "penalties";
    if (key == STRUCTURE) table = spd_structure_table(&entries), value = o->structure, topic = "structures";
    if (key == SET) table = spd_set_table(&entries), value = o->set, topic = "sets";
    const char *more = key == STRUCTURE ? ", " SPD_LEARNED : "";
    if (table &&
        asprintf(&filled, "%s%s (default %s; see spdhg list %s)", cli_names(names, table, entries), more, value, topic) < 0)
        filled = NULL;
    if (key == LAMBDA) filled = with_default(text, o->lambda);
    if (key == GAMMA) filled = with_default(text, o->gamma);
    if ((key == INTERCEPT && o->intercept) || (key == NO_INTERCEPT && !o->intercept))
        filled = asprintf(&filled, "%s (default)", text) < 0 ? NULL : filled;
    if (key == ALSO_SPARSE)
        filled = asprintf(&filled, "%s (default %g%s)", text, o->also_sparse,
                          o->also_sparse_given ? "" : "; 1 with --structure learned") < 0
                     ? NULL
                     : filled;
    return filled ? filled : (char *)(uintptr_t)text;
}

const struct argp cli_problem_argp = {options, parse, NULL, NULL, NULL, fill_help, NULL};

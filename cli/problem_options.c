/* problem_options.c - options that define the problem, into a recipe from which tune/recipe.c builds it:
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
    L1_RATIO,
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
    {"l1-ratio", L1_RATIO, "PART", 0, NULL, 0},
    {"set", SET, "SET", 0, NULL, 0},
    {"intercept", INTERCEPT, NULL, 0, NULL, 0},
    {"no-intercept", NO_INTERCEPT, NULL, 0, NULL, 0},
    {"weights", WEIGHTS, "COLUMN|FILE", 0, NULL, 0},
    {"offset", OFFSET, "COLUMN|FILE", 0, NULL, 0},
    {"penalty-weights", PENALTY_WEIGHTS, "FILE", 0, NULL, 0},
    {"class-weight", CLASS_WEIGHT, "balanced|LABEL=W,...", 0, NULL, 0},
    {"standardize", STANDARDIZE, NULL, 0, NULL, 0},
    {"allow-one-class", ALLOW_ONE_CLASS, NULL, 0, NULL, 0},
    {0},
};

static void check_structure(const struct argp_state *state, const char *spec) {
    spdhg_entry entry;
    for (int64_t i = 0; spdhg_list("structures", i, &entry); i++)
        if (strcmp(entry.name, SPD_LEARNED) == 0 || strcmp(entry.name, SPD_CATEGORIES) == 0 ? strcmp(spec, entry.name) == 0
                                                                                            : spd_spec_is(spec, entry.name))
            return;
    char names[CLI_TEXT_CHARS], word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(spec, ":"), spec);
    cli_choice(state, "--structure", word, spd_topic_names(names, sizeof names, "structures"));
    cli_usage(state, "--structure: '%s' takes no ':'", spec); /* learned:... */
}

void cli_part_lambda(cli_problem_options *o, double lambda) {
    o->gamma = (1 - o->l1_ratio) * lambda;
    o->lambda = o->l1_ratio * lambda;
}

/* Names are checked here, not when the problem is built, so that a typing error is reported before 10 GB of data are read. */
static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_problem_options *o = state->input;
    spdhg_error err = {0};
    const spdhg_loss *loss;
    const spd_penalty *penalty;
    spd_set set;
    double number;
    switch (key) {
    case LOSS: cli_check(state, "--loss", arg, spd_loss_find(o->loss = arg, &loss, &number, &err), &err); return 0;
    case PENALTY: cli_check(state, "--penalty", arg, spd_penalty_find(o->penalty = arg, &penalty, &err), &err); return 0;
    case GROUPS: o->groups = arg; return 0;
    case STRUCTURE: check_structure(state, o->structure = arg); return 0;
    case ALSO_SPARSE:
        o->also_sparse = cli_number(state, "--also-sparse", arg, 0, INFINITY);
        o->also_sparse_given = true;
        return 0;
    case LAMBDA: o->lambda = cli_number(state, "--lambda", arg, 0, INFINITY); return 0;
    case GAMMA:
        o->gamma = cli_number(state, "--gamma", arg, 0, INFINITY);
        o->gamma_given = true;
        return 0;
    case L1_RATIO:
        o->l1_ratio = cli_number(state, "--l1-ratio", arg, 0, 1);
        o->l1_ratio_given = true;
        return 0;
    case SET: cli_check(state, "--set", arg, spd_set_find(o->set = arg, &set, &err), &err); return 0;
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
        if (o->l1_ratio_given && o->gamma_given) cli_usage(state, "--l1-ratio sets gamma: it cannot be used with --gamma");
        if (o->l1_ratio_given && !isnan(o->lambda)) cli_part_lambda(o, o->lambda);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Shows the verb's defaults where they differ from those of the table. */
static char *fill_help(int key, const char *text, void *input) {
    const cli_problem_options standard = CLI_PROBLEM_OPTIONS, *o = input ? input : &standard;
    spdhg_entry entry;
    if (!cli_find_option(options, "problem", key, &entry)) return (char *)(uintptr_t)text;
    if (key == LOSS) entry.text = o->loss;
    if (key == PENALTY) entry.text = o->penalty;
    if (key == STRUCTURE) entry.text = o->structure;
    if (key == SET) entry.text = o->set;
    if (key == LAMBDA) entry.value = o->lambda;
    if (key == GAMMA) entry.value = o->gamma;
    if (key == INTERCEPT) entry.value = o->intercept;
    if (key == NO_INTERCEPT) entry.value = !o->intercept;
    if (key == ALSO_SPARSE && o->also_sparse_given) entry.help = "add C*lambda*||x||_1", entry.value = o->also_sparse;
    return cli_help_text(&entry, text);
}

const struct argp cli_problem_argp = {options, parse, NULL, NULL, NULL, fill_help, NULL};

/* solve_options.c - options for how the problem is solved and when to stop, into spdhg_options. */
#include "cli.h"

enum { SOLVER = 0x400, PARAM, EPOCHS, TIME, TOL, BATCH, SAMPLING, SEED, EVERY, CHECKPOINT, CHECKPOINT_EVERY, RESUME };

static const struct argp_option options[] = {
    {"solver", SOLVER, "SOLVER", 0, NULL, 0},
    {"param", PARAM, "NAME=VALUE", 0, NULL, 0},
    {"epochs", EPOCHS, "E", 0, NULL, 0},
    {"time", TIME, "SECONDS", 0, NULL, 0},
    {"tol", TOL, "GAP", 0, NULL, 0},
    {"batch", BATCH, "B", 0, NULL, 0},
    {"sampling", SAMPLING, "HOW", 0, NULL, 0},
    {"seed", SEED, "NUMBER", 0, NULL, 0},
    {"every", EVERY, "E", 0, NULL, 0},
    {"checkpoint", CHECKPOINT, "FILE", 0, NULL, 0},
    {"checkpoint-every", CHECKPOINT_EVERY, "SECONDS", 0, NULL, 0},
    {"resume", RESUME, "FILE", 0, NULL, 0},
    {0},
};

static void parse_param(cli_solve_options *o, const char *arg, const struct argp_state *state) {
    const char *equals = strchr(arg, '='), *word = equals ? equals + 1 : "";
    double value = NAN; /* a word: the solver knows which it takes */
    if (equals == arg || !*word) cli_usage(state, "--param: '%s' is not NAME=VALUE", arg);
    if (!spd_to_double(word, &value)) value = NAN;
    if (o->params == CLI_PARAMS_MAX) cli_usage(state, "--param: more than %d of them", CLI_PARAMS_MAX);
    o->param[o->params].name = arg;
    o->param[o->params++].value = value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_solve_options *o = state->input;
    spdhg_options *p = &o->options;
    char names[CLI_TEXT_CHARS];
    switch (key) {
    case SOLVER:
        cli_choice(state, "--solver", arg, spd_topic_names(names, sizeof names, "solvers"));
        o->solver = arg;
        return 0;
    case PARAM: parse_param(o, arg, state); return 0;
    case EPOCHS: p->epochs = cli_positive(state, "--epochs", arg); return 0;
    case TIME: p->seconds = cli_positive(state, "--time", arg); return 0;
    case TOL: p->tol = cli_number(state, "--tol", arg, 0, INFINITY); return 0;
    case BATCH:
        p->batch = strcmp(arg, "auto") == 0 ? SPDHG_BATCH_AUTO : cli_integer(state, "--batch", arg, 1, INT32_MAX);
        return 0;
    case SAMPLING: p->sampling = (spdhg_sampling)cli_choice(state, "--sampling", arg, "iid, shuffle, norm"); return 0;
    case SEED: p->seed = (uint64_t)cli_integer(state, "--seed", arg, 0, INT64_MAX); return 0;
    case EVERY: p->every = cli_positive(state, "--every", arg); return 0;
    case CHECKPOINT: p->checkpoint = arg; return 0;
    case CHECKPOINT_EVERY: p->checkpoint_every = cli_positive(state, "--checkpoint-every", arg); return 0;
    case RESUME: p->resume = arg; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "solve", key, text);
}

const struct argp cli_solve_argp = {options, parse, NULL, NULL, NULL, fill_help, NULL};

spdhg_status cli_solver_new(spdhg_solver **out, const cli_solve_options *o, spdhg_problem *problem, spdhg_error *err) {
    SPD_TRY(spdhg_solver_new(out, o->solver, problem, &o->options, err));
    spdhg_status status = SPDHG_OK;
    for (int i = 0; i < o->params && status == SPDHG_OK; i++) {
        char name[64];
        const size_t length = strcspn(o->param[i].name, "=");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), o->param[i].name);
        const double value = o->param[i].value;
        status = isnan(value) ? spdhg_solver_choose(*out, name, o->param[i].name + length + 1, err)
                              : spdhg_solver_set(*out, name, value, err);
    }
    if (status != SPDHG_OK) {
        spdhg_solver_free(*out);
        *out = NULL;
    }
    return status;
}

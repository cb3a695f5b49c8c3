/* bound.c - `spdhg bound`: evaluates the theorems' bounds, with constants given as options or computed from DATA. */
#include "cli.h"

enum { T_ = 0x500, EPSILON, PROBABILITY, OMEGA, RADIUS, BATCH, SAMPLING, START_VALUE, ESTIMATE, JSON, CONSTANT };

typedef struct bound {
    spdhg_read_options read;
    cli_problem_options problem_options;
    const char *path;
    double given[SPD_BOUND_SYMBOLS]; /* NAN: not given */
    double start_value, radius;
    int64_t batch;
    spdhg_sampling sampling;
    bool estimate, json;
    cli_bound result;
} bound;

/* Options of the constants, in the order of spd_bound_symbols. */
enum { L, MU, S, D_X, R_X, D_Y, R_Y, NORM_F, M_F, SIGMA, L_SC };
static const char *const constant_option[SPD_BOUND_SYMBOLS] = {"--L",  "--mu",     "--s",  "--dx",    "--rx", "--dy",
                                                               "--ry", "--norm-f", "--mf", "--sigma", "--lsc"};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The question:", 1},
    {"t", T_, "T", 0, "t of the theorems: bound after t + 1 iterations (default with DATA: 10 epochs)", 0},
    {"epsilon", EPSILON, "E", 0, "iterations needed until the bound is E (default with DATA: f at the start / 100)", 0},
    {"probability", PROBABILITY, "P", 0, "probability with which the bound holds (default 0.9)", 0},
    {"omega", OMEGA, "OMEGA", 0, "the same in the theorems' form: probability 1 - 2 exp(-OMEGA)", 0},
    {"json", JSON, NULL, 0, "write one JSON object to standard output", 0},
    {0, 0, 0, 0, "Constants (the first five are required without DATA; with DATA they replace the computed ones):", 2},
    {"L", CONSTANT + L, "NUMBER", 0, "smoothness of the expected loss with its ridge (Assumption 1)", 0},
    {"dx", CONSTANT + D_X, "NUMBER", 0, "D_x: distance of the iterates from the minimiser, the diameter of X", 0},
    {"dy", CONSTANT + D_Y, "NUMBER", 0, "D_y: diameter of the dual ball", 0},
    {"norm-f", CONSTANT + NORM_F, "NUMBER", 0, "||F||", 0},
    {"sigma", CONSTANT + SIGMA, "NUMBER", 0, "noise: E exp(||delta||^2/sigma^2) <= e", 0},
    {"lsc", CONSTANT + L_SC, "NUMBER", 0, "L_sc: L in the steps of the rules for mu > 0 (default L)", 0},
    {"mu", CONSTANT + MU, "NUMBER", 0, "strong convexity (default 0: only the rule gc)", 0},
    {"s", CONSTANT + S, "NUMBER", 0, "dual step (default R_y/||F||)", 0},
    {"rx", CONSTANT + R_X, "NUMBER", 0, "R_x: distance of the start from the minimiser (default D_x)", 0},
    {"ry", CONSTANT + R_Y, "NUMBER", 0, "R_y: largest ||y|| in the dual ball (default D_y/2)", 0},
    {"mf", CONSTANT + M_F, "NUMBER", 0, "M_F: largest ||F'(y - y')|| (default ||F|| D_y)", 0},
    {"f0", START_VALUE, "NUMBER", 0, "f at the start, to report when a bound is vacuous", 0},
    {"radius", RADIUS, "R", 0, "with DATA: assume ||x|| <= R for the minimiser and all iterates (not checked)", 0},
    {"batch", BATCH, "B", 0, "with DATA: rows per iteration (default 1)", 0},
    {"sampling", SAMPLING, "HOW", 0, "with DATA: iid (default) or norm, as in fit", 0},
    {"estimate", ESTIMATE, NULL, 0, "with DATA: estimate sigma from the gradients at the start, and mark it as an estimate", 0},
    {0},
};

static void check(const bound *o, const struct argp_state *state) {
    static const int needed[] = {L, D_X, D_Y, NORM_F, SIGMA};
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !o->path; i++)
        if (isnan(o->given[needed[i]]))
            cli_usage(state, "%s is missing: without DATA --L, --dx, --dy, --norm-f and --sigma are required",
                      constant_option[needed[i]]);
    if (!o->path && !(o->result.iterations > 0) && !(o->result.epsilon > 0))
        cli_usage(state, "--t or --epsilon is missing: give the number of iterations or the bound");
    if (!o->path && (o->radius > 0 || o->estimate || o->batch != 1 || o->sampling != SPDHG_SAMPLING_IID))
        cli_usage(state, "--radius, --estimate, --batch and --sampling need DATA");
    if (o->given[L] == 0) cli_usage(state, "--L: '0' is not a finite number above 0");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    bound *o = state->input;
    double probability;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->problem_options;
        state->child_inputs[1] = &o->read;
        return 0;
    case T_: o->result.iterations = 1 + (double)cli_integer(state, "--t", arg, 0, INT64_C(1) << 60); return 0;
    case EPSILON: o->result.epsilon = cli_positive(state, "--epsilon", arg); return 0;
    case PROBABILITY:
        probability = cli_number(state, "--probability", arg, 0, 1);
        if (probability == 1) cli_usage(state, "--probability: '%s' is not below 1", arg);
        o->result.omega = spd_bound_omega(probability);
        return 0;
    case OMEGA: o->result.omega = cli_positive(state, "--omega", arg); return 0;
    case RADIUS: o->radius = cli_positive(state, "--radius", arg); return 0;
    case BATCH: o->batch = cli_integer(state, "--batch", arg, 1, INT32_MAX); return 0;
    case SAMPLING:
        o->sampling = cli_choice(state, "--sampling", arg, "iid, norm") ? SPDHG_SAMPLING_NORM : SPDHG_SAMPLING_IID;
        return 0;
    case START_VALUE: o->start_value = cli_number(state, "--f0", arg, 0, INFINITY); return 0;
    case ESTIMATE: o->estimate = true; return 0;
    case JSON: o->json = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->path, arg); return 0;
    case ARGP_KEY_END: check(o, state); return 0;
    default:
        if (key < CONSTANT || key >= CONSTANT + SPD_BOUND_SYMBOLS) return ARGP_ERR_UNKNOWN;
        o->given[key - CONSTANT] = cli_number(state, constant_option[key - CONSTANT], arg, 0, INFINITY);
        return 0;
    }
}

static const struct argp_child children[] = {
    {&cli_problem_argp, 0, "The problem, with DATA:", 3}, {&cli_data_argp, 0, "The data:", 4}, {0}};
static const struct argp argp = {
    options,
    parse,
    "[DATA]",
    "Evaluate the theorems of the SPDHG paper, as printed and as corrected: how far a solution can be from the optimum, "
    "and how many iterations are enough.",
    children,
    NULL,
    NULL};

/* Without DATA: the given constants, and those that follow from them. */
static void from_options(bound *o) {
    spd_bound_constants *c = &o->result.setting.value;
    for (int i = 0; i < SPD_BOUND_SYMBOLS; i++) {
        *spd_bound_number(c, i) = o->given[i];
        o->result.setting.how[i] = SPD_GIVEN;
    }
    if (isnan(c->mu)) c->mu = 0;
    if (isnan(c->L_sc)) c->L_sc = c->L;
    if (isnan(c->R_x)) c->R_x = c->D_x;
    if (isnan(c->R_y)) c->R_y = c->D_y / 2;
    if (isnan(c->M_F)) c->M_F = c->norm_F * c->D_y;
    if (isnan(c->s)) c->s = c->norm_F > 0 ? c->R_y / c->norm_F : 0;
    c->trivial = NAN; /* the minimiser may lie on the boundary of X, where the gradient is unbounded */
    c->start_value = o->start_value;
}

static spdhg_status from_problem(bound *o, spdhg_problem *p, spdhg_error *err) {
    SPD_TRY(spd_problem_freeze(p, err));
    const spd_bound_question question = {
        o->radius, o->given[D_X], o->given[L], o->given[S], o->batch, o->sampling, spd_threads(o->read.threads), o->estimate};
    cli_bound *b = &o->result;
    SPD_TRY(spd_bound_constants_of(&b->setting, p, &question, err));
    for (int i = 0; i < SPD_BOUND_SYMBOLS; i++)
        if (!isnan(o->given[i])) {
            *spd_bound_number(&b->setting.value, i) = o->given[i];
            b->setting.how[i] = SPD_GIVEN;
        }
    if (!isnan(o->start_value)) b->setting.value.start_value = o->start_value;
    if (!(b->iterations > 0)) b->iterations = ceil(10 * (double)p->n / (double)o->batch);
    if (!(b->epsilon > 0)) b->epsilon = b->setting.value.start_value / 100;
    return SPDHG_OK;
}

enum { NUMBERS = 5 }; /* kept for each column */

static spdhg_status from_data(bound *o, spdhg_error *err) {
    spdhg_data *data = NULL;
    cli_problem problem = {0};
    spdhg_status status = spdhg_data_read(&data, o->path, &o->read, err);
    if (status == SPDHG_OK) status = spd_data_fits(data, o->path, "a bound", NUMBERS, o->read.max_memory, err);
    if (status == SPDHG_OK) status = spd_recipe_attach(&o->problem_options, data, err);
    if (status == SPDHG_OK) status = spd_recipe_build(&problem, &o->problem_options, data, NULL, 0, err);
    if (status == SPDHG_OK) status = from_problem(o, problem.problem, err);
    spd_recipe_clear(&problem);
    spdhg_data_free(data);
    return status;
}

int cli_bound_verb(int argc, char **argv) {
    bound o = {
        .read = SPDHG_READ_OPTIONS, .problem_options = CLI_PROBLEM_OPTIONS, .start_value = NAN, .batch = 1, .result = CLI_BOUND};
    spdhg_error err = {0};
    for (int i = 0; i < SPD_BOUND_SYMBOLS; i++) o.given[i] = NAN;
    cli_parse(&argp, argc, argv, &o);
    if (!o.path)
        from_options(&o);
    else if (from_data(&o, &err) != SPDHG_OK)
        return cli_fail("spdhg bound", &err);
    if (!o.json) {
        cli_bound_print(stdout, &o.result);
        return SPDHG_OK;
    }
    return cli_json_print(cli_bound_json(&o.result), &err) == SPDHG_OK ? SPDHG_OK : cli_fail("spdhg bound", &err);
}

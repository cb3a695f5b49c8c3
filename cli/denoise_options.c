/* denoise_options.c - the options of `spdhg denoise`: the problem, how lambda is chosen, which columns are read, results. */
#include "denoise.h"

enum {
    STRUCTURE = 0x100,
    ISOTROPIC,
    LOSS,
    LAMBDA,
    CHOOSE,
    NOISE,
    FOLDS,
    RULE,
    LAMBDAS,
    RATIO,
    POSITIONS,
    WEIGHTS,
    COLUMN,
    SOLVER,
    TIME,
    TOL,
    THREADS,
    MAX_MEMORY,
    SEGMENTS,
    REPORT,
    JSON
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The problem:", 1},
    {"structure", STRUCTURE, "STRUCTURE", 0, NULL, 0},
    {"isotropic", ISOTROPIC, NULL, 0, NULL, 0},
    {"loss", LOSS, "LOSS[:ARG]", 0, NULL, 0},
    {0, 0, 0, 0, "How strongly:", 2},
    {"lambda", LAMBDA, "NUMBER", 0, NULL, 0},
    {"choose", CHOOSE, "HOW", 0, NULL, 0},
    {"noise", NOISE, "SIGMA", 0, NULL, 0},
    {"folds", FOLDS, "K", 0, NULL, 0},
    {"rule", RULE, "RULE", 0, NULL, 0},
    {"lambdas", LAMBDAS, "COUNT", 0, NULL, 0},
    {"lambda-ratio", RATIO, "PART", 0, NULL, 0},
    {0, 0, 0, 0, "The data:", 3},
    {"column", COLUMN, "NAME[,NAME...]", 0, NULL, 0},
    {"positions", POSITIONS, "COLUMN|FILE", 0, NULL, 0},
    {"weights", WEIGHTS, "COLUMN|FILE", 0, NULL, 0},
    {0, 0, 0, 0, "The solve:", 4},
    {"solver", SOLVER, "SOLVER", 0, NULL, 0},
    {"time", TIME, "SECONDS", 0, NULL, 0},
    {"tol", TOL, "GAP", 0, NULL, 0},
    {"threads", THREADS, "T", 0, NULL, 0},
    {"max-memory", MAX_MEMORY, "BYTES", 0, NULL, 0},
    {0, 0, 0, 0, "Results:", 5},
    {"output", 'o', "FILE", 0, "write the same kind of file with the noise removed; - is standard output", 0},
    {"segments", SEGMENTS, "FILE", 0, "chain: write the constant pieces as CSV: start, end, level, points, signal", 0},
    {"report", REPORT, "FILE", 0, "write a self-contained HTML page with the data and the fit", 0},
    CLI_FORCE_OPTION,
    {"json", JSON, NULL, 0, "write one JSON object to standard output, and nothing else", 0},
    {"quiet", 'q', NULL, 0, "print only errors", 0},
    {"verbose", 'v', NULL, 0, "report decisions on standard error", 0},
    {0},
};

static void check(cli_denoise_options *o, const struct argp_state *state) {
    const char *const out[] = {o->output, o->segments, o->report, o->json ? "-" : NULL};
    int on_stdout = 0;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) on_stdout += out[i] && strcmp(out[i], "-") == 0;
    if (!o->path) cli_usage(state, "FILE is missing: spdhg denoise FILE -o FILE (- for standard input and output)");
    if (on_stdout > 1) cli_usage(state, "only one of --output, --segments, --report and --json can have standard output");
    if (o->denoise.lambda != SPDHG_LAMBDA_CHOSEN && (o->choose_given || o->denoise.noise > 0))
        cli_usage(state, "--lambda sets the strength, --choose and --noise choose it: give only one of them");
    if (o->denoise.noise > 0 && o->choose_given && strcmp(o->denoise.choose, "cp") != 0)
        cli_usage(state, "--noise is for --choose cp, not for %s", o->denoise.choose);
    if (o->denoise.noise > 0) o->denoise.choose = "cp";
    if (strcmp(o->denoise.choose, "cp") == 0 && !(o->denoise.noise > 0)) cli_usage(state, "--choose cp needs --noise SIGMA");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_denoise_options *o = state->input;
    spdhg_denoise_options *d = &o->denoise;
    switch (key) {
    case STRUCTURE: d->structure = arg; return 0;
    case ISOTROPIC: d->isotropic = true; return 0;
    case LOSS: d->loss = arg; return 0;
    case LAMBDA: d->lambda = cli_number(state, "--lambda", arg, 0, INFINITY); return 0;
    case CHOOSE:
        cli_choice(state, "--choose", arg, "cv, cp, aic, bic, ebic");
        d->choose = arg;
        o->choose_given = true;
        return 0;
    case NOISE: d->noise = cli_positive(state, "--noise", arg); return 0;
    case FOLDS: d->folds = cli_integer(state, "--folds", arg, 2, INT32_MAX); return 0;
    case RULE:
        cli_choice(state, "--rule", arg, "min, 1se");
        d->rule = arg;
        return 0;
    case LAMBDAS: d->lambdas = cli_integer(state, "--lambdas", arg, 1, 10000); return 0;
    case RATIO:
        d->ratio = cli_positive(state, "--lambda-ratio", arg);
        if (d->ratio >= 1) cli_usage(state, "--lambda-ratio: '%s' is not between 0 and 1", arg);
        return 0;
    case COLUMN: o->columns = arg; return 0;
    case POSITIONS: o->positions = arg; return 0;
    case WEIGHTS: o->weights = arg; return 0;
    case SOLVER: d->solver = arg; return 0;
    case TIME: o->solve.seconds = cli_positive(state, "--time", arg); return 0;
    case TOL: o->solve.tol = cli_number(state, "--tol", arg, 0, INFINITY); return 0;
    case THREADS: o->solve.threads = (int)cli_integer(state, "--threads", arg, 1, 256); return 0;
    case MAX_MEMORY: o->solve.max_memory = cli_bytes(state, "--max-memory", arg); return 0;
    case 'o': o->output = arg; return 0;
    case SEGMENTS: o->segments = arg; return 0;
    case REPORT: o->report = arg; return 0;
    case CLI_FORCE: o->force = true; return 0;
    case JSON: o->json = true; return 0;
    case 'q': o->quiet = true; return 0;
    case 'v': o->verbose = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->path, arg); return 0;
    case ARGP_KEY_END: check(o, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    static const char *const group[] = {"denoise", "solve", "data"};
    spdhg_entry entry;
    for (size_t i = 0; i < sizeof group / sizeof *group; i++)
        if (cli_find_option(options, group[i], key, &entry)) return cli_help_text(&entry, text);
    return (char *)(uintptr_t)text;
}

const struct argp cli_denoise_argp = {options,
                                      parse,
                                      "FILE",
                                      "Remove the noise from FILE (- is standard input): a table (CSV) or a column of text, an "
                                      "array (.npy) or an image (PNG, PGM, PPM), "
                                      "and write the same kind. Each column of a table and each channel of an image is a signal "
                                      "of its own. Missing values (empty, NA, "
                                      "NaN) are filled by the fit. Pixel values are scaled to 0 to 1.",
                                      NULL,
                                      fill_help,
                                      NULL};

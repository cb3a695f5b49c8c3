/* generate.c - `spdhg generate`: data whose true coefficients are known; these can be written too, one number per line. */
#include "cli.h"

enum { ROWS = 0x100, FEATURES, OUTPUTS, HEIGHT, WIDTH, DENSITY, NOISE, CORRELATION, SEED, TRUTH, TO };

typedef struct generate {
    spd_synthetic_options synthetic; /* 0: the default of the kind */
    const char *kind, *out_path, *truth_path, *to;
    bool force;
} generate;

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write (required); .spd is the cache", 0},
    {"to", TO, "FORMAT", 0, "its format (default: by the ending of OUT)", 0},
    {"truth", TRUTH, "FILE", 0, "write the true coefficients, one number per line", 0},
    {"rows", ROWS, "N", 0, "rows", 0},
    {"features", FEATURES, "D", 0, "columns", 0},
    {"outputs", OUTPUTS, "K", 0, "classes or targets", 0},
    {"height", HEIGHT, "H", 0, "of an image of coefficients", 0},
    {"width", WIDTH, "W", 0, "of an image of coefficients", 0},
    {"density", DENSITY, "PART", 0, "fraction of nonzero entries, above 0 and at most 1", 0},
    {"noise", NOISE, "S", 0, "standard deviation of the noise", 0},
    {"correlation", CORRELATION, "R", 0, "of the columns, from 0 to below 1", 0},
    {"seed", SEED, "NUMBER", 0, "of all random choices (default 0)", 0},
    CLI_FORCE_OPTION,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    generate *o = state->input;
    spd_synthetic_options *s = &o->synthetic;
    switch (key) {
    case 'o': o->out_path = arg; return 0;
    case TO: o->to = arg; return 0;
    case CLI_FORCE: o->force = true; return 0;
    case TRUTH: o->truth_path = arg; return 0;
    case ROWS: s->rows = cli_integer(state, "--rows", arg, 1, INT64_MAX); return 0;
    case FEATURES: s->features = cli_integer(state, "--features", arg, 1, INT32_MAX - 1); return 0;
    case OUTPUTS: s->outputs = cli_integer(state, "--outputs", arg, 1, INT32_MAX); return 0;
    case HEIGHT: s->height = cli_integer(state, "--height", arg, 1, INT32_MAX - 1); return 0;
    case WIDTH: s->width = cli_integer(state, "--width", arg, 1, INT32_MAX - 1); return 0;
    case DENSITY: s->density = cli_positive(state, "--density", arg); return 0;
    case NOISE: s->noise = cli_positive(state, "--noise", arg); return 0;
    case CORRELATION: s->correlation = cli_number(state, "--correlation", arg, 0, 1); return 0;
    case SEED: s->seed = (uint64_t)cli_integer(state, "--seed", arg, 0, INT64_MAX); return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->kind, arg); return 0;
    case ARGP_KEY_END:
        if (!o->kind || !o->out_path)
            cli_usage(state, "KIND and OUT are required: spdhg generate KIND -o OUT (see spdhg list kinds)");
        cli_check_format(state, o->out_path, o->to);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, "KIND", "Write synthetic data with a known truth. KIND: see spdhg list kinds.",
                                 NULL,    NULL,  NULL};

/* NULL, with the error filled in, if there is none of that name. */
static const spd_synthetic_kind *find_kind(const char *name, spdhg_error *err) {
    int entries;
    const spd_synthetic_kind *table = spd_synthetic_table(&entries);
    for (int i = 0; i < entries; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    spd_unknown(err, "kind", name, table, entries, sizeof *table);
    return NULL;
}

static spdhg_status write_truth(const char *path, const double *truth, int64_t truths, spdhg_error *err) {
    if (!path) return SPDHG_OK;
    spd_file file;
    char number[SPD_NUMBER_CHARS];
    SPD_TRY(spd_file_create(&file, path, err));
    for (int64_t j = 0; j < truths; j++) {
        spd_print_double(number, truth[j]);
        fprintf(file.stream, "%s\n", number);
    }
    return spd_file_commit(&file, err);
}

static spdhg_status run(const generate *o, spdhg_error *err) {
    const spd_synthetic_kind *kind = find_kind(o->kind, err);
    if (!kind) return SPDHG_USAGE;
    const cli_output out[] = {{"--output", o->out_path, CLI_DATA}, {"--truth", o->truth_path, CLI_NUMBERS}};
    SPD_TRY(cli_check_outputs(out, 2, NULL, 0, o->force, err));
    spdhg_data *data = NULL;
    double *truth = NULL;
    int64_t truths = 0;
    SPD_TRY(kind->generate(&data, &truth, &truths, &o->synthetic, err));
    cli_signals_catch(); /* finish or remove the file being written */
    spdhg_status status = spdhg_data_write(data, o->out_path, o->to, err);
    if (status == SPDHG_OK) status = write_truth(o->truth_path, truth, truths, err);
    spdhg_data_free(data);
    spd_free(truth);
    return status;
}

int cli_generate(int argc, char **argv) {
    generate o = {0};
    spdhg_error err = {0};
    cli_parse(&argp, argc, argv, &o);
    return run(&o, &err) == SPDHG_OK ? cli_signals_after("spdhg generate") : cli_fail("spdhg generate", &err);
}

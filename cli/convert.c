/* convert.c - `spdhg convert`: converts between formats; .spd is the checksummed cache, which is the fastest to read. */
#include "cli.h"

enum { TO = 0x100 };

typedef struct convert {
    spdhg_read_options read;
    const char *path, *out_path, *to;
    bool force;
} convert;

static const struct argp_option options[] = {
    {"output", 'o', "OUT", 0, "the file to write (required)", 1},
    {"to", TO, "FORMAT", 0, "its format (default: by the ending of OUT; .spd is the cache)", 1},
    CLI_FORCE_OPTION,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    convert *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->read; return 0;
    case 'o': o->out_path = arg; return 0;
    case TO: o->to = arg; return 0;
    case CLI_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->path, arg); return 0;
    case ARGP_KEY_END:
        if (!o->path || !o->out_path) cli_usage(state, "DATA and OUT are required: spdhg convert DATA -o OUT");
        o->to = cli_check_format(state, o->out_path, o->to);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_data_argp, 0, "The data that is read:", 2}, {0}};
static const struct argp argp = {
    options,
    parse,
    "DATA",
    "Write DATA (- is standard input) in another format.\v"
    "LIBSVM text, plain or compressed, becomes a cache (.spd) in constant memory, however long it is.",
    children,
    NULL,
    NULL};

/* Words become their codes where the format has numbers only. */
static void print_codes(FILE *to, const spdhg_data *data, const char *format) {
    char plain[CLI_TEXT_CHARS];
    if (!data->label || strcmp(format, "csv") == 0 || strcmp(format, "cache") == 0) return;
    fprintf(to, "labels are words, and %s has numbers:", format);
    for (int64_t k = 0; k < data->labels && k < 20; k++)
        fprintf(to, "%s %s -> %lld", k ? "," : "", cli_plain(plain, data->label[k]), (long long)k);
    fprintf(to, data->labels > 20 ? ", ...\n" : "\n");
}

/* A signal ends reading at once; once something is written, it is removed first. */
static int follow(void *progress, const spdhg_event *event) {
    if (event->stage && strcmp(event->stage, "writing") == 0 && event->part == 0) cli_signals_catch();
    return cli_progress_event(progress, event);
}

int cli_convert(int argc, char **argv) {
    convert o = {.read = SPDHG_READ_OPTIONS};
    spdhg_error err = {0};
    spdhg_data *data = NULL;
    cli_parse(&argp, argc, argv, &o);
    o.read.unlabelled_ok = true;
    const cli_output out[] = {{"--output", o.out_path, CLI_DATA}};
    const char *const in[] = {o.path, o.read.targets, o.read.names};
    spdhg_status status = CLI_CHECK_OUTPUTS(out, in, o.force, &err);
    cli_progress progress;
    cli_progress_open(&progress, "spdhg convert", false, false);
    o.read.callback = follow;
    o.read.user = &progress;
    const bool to_cache = strcmp(o.to, "cache") == 0;
    if (status == SPDHG_OK && to_cache) status = spd_read_or_pour(&data, o.path, o.out_path, &o.read, &err);
    if (status == SPDHG_OK && !to_cache) status = spdhg_data_read(&data, o.path, &o.read, &err);
    cli_progress_erase(&progress);
    if (status == SPDHG_OK && data) {
        FILE *told = strcmp(o.out_path, "-") == 0 ? stderr : stdout;
        cli_print_columns(told, "", data);
        print_codes(told, data, o.to);
        cli_signals_catch(); /* finish or remove the file being written */
        status = spdhg_data_write(data, o.out_path, o.to, &err);
    }
    spdhg_data_free(data);
    if (status == SPDHG_OK) return cli_signals_after("spdhg convert");
    const int failed = cli_fail("spdhg convert", &err), signalled = cli_signals_status();
    return signalled ? signalled : failed;
}

/* report.c - `spdhg report`: one self-contained page about a race (its directory) or about traces of `spdhg fit --trace`. */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli.h"

typedef struct report {
    const char **path; /* a directory, or traces */
    int paths;
    const char *out_path;
    bool quiet, force;
    char *command;
} report;

static const struct argp_option options[] = {
    {"output", 'o', "HTML", 0, "the file to write (required; - is standard output)", 1},
    {"quiet", 'q', NULL, 0, "print only errors", 1},
    CLI_FORCE_OPTION,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    report *o = state->input;
    switch (key) {
    case 'o': o->out_path = arg; return 0;
    case 'q': o->quiet = true; return 0;
    case CLI_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG: o->path[o->paths++] = arg; return 0;
    case ARGP_KEY_END:
        if (o->paths == 0 || !o->out_path)
            cli_usage(state, "a race directory or traces, and HTML, are required: spdhg report DIR|TRACE... -o HTML");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "DIR|TRACE...",
    "Write one self-contained HTML page about the race in DIR, or about TRACE files written by fit --trace.",
    NULL,
    NULL,
    NULL};

static bool is_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static spdhg_status run(const report *o, spdhg_error *err) {
    for (int i = 0; i < o->paths; i++)
        if (o->paths > 1 && is_directory(o->path[i]))
            return spd_fail(err, SPDHG_USAGE, "%s is a directory: expected one directory, or traces only", o->path[i]);
    const cli_output out[] = {{"--output", o->out_path, CLI_REPORT}};
    SPD_TRY(cli_check_outputs(out, 1, o->path, (size_t)o->paths, o->force, err));
    cli_signals_catch(); /* finish or remove the file being written */
    if (is_directory(o->path[0])) return spd_report_race(o->path[0], o->out_path, err);
    const spdhg_status status = spd_report_traces(o->path, o->paths, o->command, o->out_path, err);
    for (int i = 0; i < o->paths && status == SPDHG_DATA; i++)
        if (cli_may_be(CLI_MODEL, o->path[i]))
            return spd_fail(err, status,
                            "%s is a model, not a trace: spdhg show prints it, fit --report and path --report write its page",
                            o->path[i]);
    return status;
}

int cli_report(int argc, char **argv) {
    spdhg_error err = {0};
    report o = {.path = SPD_NEW(const char *, argc), .command = cli_command_line(argc, argv)};
    int status;
    if (o.path) {
        cli_parse(&argp, argc, argv, &o);
        status = run(&o, &err) == SPDHG_OK ? cli_signals_after("spdhg report") : cli_fail("spdhg report", &err);
        char plain[CLI_TEXT_CHARS];
        if (status == 0 && !o.quiet && strcmp(o.out_path, "-") != 0) printf("written to %s\n", cli_plain(plain, o.out_path));
    } else {
        spd_say_memory(&err, argc);
        status = cli_fail("spdhg report", &err);
    }
    spd_free(o.path);
    spd_free(o.command);
    return status;
}

/* cli.h - what the verbs of the command share: options, messages, progress, signals. The contract is docs/spdhg.1 and `--help`.
 * A verb is `int cli_VERB(int argc, char **argv)`: argv[0] is "spdhg VERB", the answer is the exit status. No numerics here. */
#ifndef SPD_CLI_H
#define SPD_CLI_H

#include <argp.h>
#include <jansson.h>

#include "catalog/catalog.h"
#include "certify/bound.h"
#include "reader/read.h"
#include "report/report.h"
#include "run/run.h"
#include "trace/trace.h"
#include "tune/recipe.h"

int cli_fit(int argc, char **argv);
int cli_denoise(int argc, char **argv);
int cli_path(int argc, char **argv);
int cli_race(int argc, char **argv);
int cli_predict(int argc, char **argv);
int cli_graph(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_bound_verb(int argc, char **argv);

/* ---- console.c: what a person or a program reads. */
#define CLI_TEXT_CHARS 1200
/* text with control characters written as \n, \t, \xNN, so that a message is one line and a terminal obeys nobody's file name. */
const char *cli_plain(char out[CLI_TEXT_CHARS], const char *text);
/* "NAME: MESSAGE" on standard error; returns the exit status. */
int cli_fail(const char *name, const spdhg_error *err);
_Noreturn void cli_usage(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Everything printed must have arrived: status, or 5 with a message if standard output failed. */
int cli_finish(int status);
const char *cli_bytes_text(char out[SPD_NUMBER_CHARS], double bytes); /* "1.5 GB" */
json_t *cli_json_number(double value);                                /* null if not finite */
json_t *cli_json_text(const char *text);                              /* what is not UTF-8 in it becomes '?' */
/* One object and a newline on standard output; frees it. */
spdhg_status cli_json_print(json_t *object, spdhg_error *err);
/* Can path be created or replaced? Asked before the long work. NULL is fine. */
spdhg_status cli_can_write(const char *path, spdhg_error *err);
char *cli_command_line(int argc, char **argv); /* quoted for a shell; NULL when out of memory */

/* ---- values.c: values of options. A wrong one ends the command with a usage error that says what was expected. */
double cli_number(const struct argp_state *state, const char *option, const char *text, double min, double max);
double cli_positive(const struct argp_state *state, const char *option, const char *text);
int64_t cli_integer(const struct argp_state *state, const char *option, const char *text, int64_t min, int64_t max);
uint64_t cli_bytes(const struct argp_state *state, const char *option, const char *text); /* 1000, 500M, 2G */
uint64_t cli_machine_memory(void);                                                        /* bytes: no fit can hold more */
/* Position of text in "a, b, c". */
int cli_choice(const struct argp_state *state, const char *option, const char *text, const char *choices);
/* Ends with a usage error if status is not OK. */
void cli_check(const struct argp_state *state, const char *option, spdhg_status status, const spdhg_error *err);
/* The help of an option without one of its own, from the library's options of that group, with its default: for argp's filter. */
char *cli_fill_help(const struct argp_option *options, const char *group, int key, const char *text);
/* Its two halves: the library's entry for that key (false: none, or the option has a help), and the entry as help; text if there
 * is no memory. */
bool cli_find_option(const struct argp_option *options, const char *group, int key, spdhg_entry *entry);
char *cli_help_text(const spdhg_entry *entry, const char *text);
/* The one positional argument of a verb: remembers it, refuses a second one. */
void cli_argument(const struct argp_state *state, const char **place, const char *text);

/* ---- data_options.c: --format, --label, --targets, --features, --duplicates, --threads, --max-memory; for every verb that
 * reads. */
extern const struct argp cli_data_argp; /* input: spdhg_read_options */
/* A format that can be written, given by --to or by the ending of path; else a usage error. */
void cli_check_format(const struct argp_state *state, const char *path, const char *to);
/* What the reader noticed and mended, a sentence each, every line started with lead. */
void cli_print_notes(FILE *to, const char *lead, const spdhg_data *data);

/* ---- problem_options.c: what is to be minimised; for every verb that solves. */
typedef spd_recipe cli_problem_options;
#define CLI_PROBLEM_OPTIONS                                                                                                      \
    {                                                                                                                            \
        .loss = SPD_LOSS, .penalty = SPD_PENALTY, .structure = SPD_STRUCTURE, .set = SPD_SET, .lambda = SPD_LAMBDA,              \
        .gamma = SPD_GAMMA, .intercept = true                                                                                    \
    }
extern const struct argp cli_problem_argp; /* input: cli_problem_options */

typedef spd_recipe_problem cli_problem;

/* ---- solve_options.c: how it is minimised. */
enum { CLI_PARAMS_MAX = 32 };
typedef struct cli_solve_options {
    const char *solver;
    spdhg_options options;
    int params;
    struct {
        const char *name; /* points into argv; the text ends at the '=' */
        double value;
    } param[CLI_PARAMS_MAX];
} cli_solve_options;
extern const struct argp cli_solve_argp; /* input: cli_solve_options */
spdhg_status cli_solver_new(spdhg_solver **out, const cli_solve_options *o, spdhg_problem *problem, spdhg_error *err);

/* ---- bound_result.c: bounds of the theorems, said; bound_fit.c: those of a fit. */
typedef struct cli_bound {
    bool asked;                 /* fit: --bound was given */
    const spd_bound_rule *rule; /* fit: that of its solver; NULL: all of them */
    spd_bound_setting setting;
    double iterations, epsilon, omega; /* iterations, epsilon 0: not asked; the probability is 1 - 2 exp(-omega) */
} cli_bound;
#define CLI_BOUND                                                                                                                \
    { .omega = 2.995732273553991 } /* log 20: probability 0.9 */
void cli_bound_print(FILE *to, const cli_bound *bound);
json_t *cli_bound_json(const cli_bound *bound);
void cli_bound_sentence(FILE *to, const cli_bound *bound);
void cli_bound_option(const struct argp_state *state, const char *arg, cli_bound *bound); /* --bound[=P] of fit */
/* SPDHG_USAGE with the reason where no theorem speaks of the run. The problem is frozen. */
spdhg_status cli_bound_of_fit(cli_bound *bound, const cli_solve_options *o, const spdhg_problem *p, spdhg_error *err);

/* ---- signals.c: the first interrupt asks, the second ends. */
void cli_signals_catch(void);
int cli_signals_status(void); /* 0, or 130 or 143 once a signal came */

/* ---- progress.c: the learning table and the line that is rewritten on a terminal. */
typedef struct cli_progress {
    const char *name; /* "spdhg fit" */
    FILE *table;      /* NULL: none */
    bool verbose, line, tested, regression;
    double started, drawn;
    int width, rows;
} cli_progress;
int cli_progress_event(void *progress, const spdhg_event *event); /* a spdhg_callback: also answers "stop" after a signal */
void cli_progress_erase(cli_progress *progress);

/* ---- summary.c: what a fit says before and after. */
typedef struct cli_fit_result {
    const spdhg_data *data;
    const spdhg_problem *problem;
    const spdhg_solution *solution;
    const cli_problem_options *asked;
    spdhg_outcome outcome;
    double test_rmse, tol;
    uint64_t seed;
    cli_bound bound;
} cli_fit_result;
void cli_print_header(FILE *to, const cli_fit_result *result, const char *solver, int64_t tests);
void cli_print_learned(FILE *to, const spdhg_graph_report *learned); /* nothing if no structure was */
void cli_print_summary(FILE *to, const cli_fit_result *result, const char *model_path);
json_t *cli_fit_json(const cli_fit_result *result);
/* ---- path_output.c: a path in lines, as CSV, and what it adds to the JSON object of a fit. */
void cli_print_path(FILE *to, const spdhg_path *path, const char *choose);
void cli_csv_cell(FILE *to, const char *text); /* a name as a cell of a CSV file */
spdhg_status cli_path_csv(const spdhg_path *path, const char *file, spdhg_error *err);
/* lambda,feature,output,value of every coefficient that is not 0, on the original scale; feature: its name, or its number. */
spdhg_status cli_path_coefficients(const spdhg_path *path, const spdhg_problem *problem, const spdhg_data *data, const char *file,
                                   spdhg_error *err);
void cli_path_json(json_t *out, const spdhg_path *path, const char *choose);
/* ---- race_output.c: DIR/summary.json as a table or as it is. */
spdhg_status cli_race_print(const char *folder, bool json, spdhg_error *err);
/* "converged", "done", ...: the stable word of an outcome. */
const char *cli_outcome_word(spdhg_outcome outcome);

#endif

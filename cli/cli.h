/* cli.h - shared by the verbs of the command: options, messages, progress, signals. The contract is docs/spdhg.1 and `--help`.
 * A verb is `int cli_VERB(int argc, char **argv)`: argv[0] is "spdhg VERB", the result is the exit status. No numerics here. */
#ifndef SPD_CLI_H
#define SPD_CLI_H

#include <argp.h>
#include <jansson.h>

#include "bound/bound.h"
#include "catalog/catalog.h"
#include "reader/read.h"
#include "report/report.h"
#include "run/run.h"
#include "tune/recipe.h"
#include "tune/tune.h"

int cli_fit(int argc, char **argv);
int cli_denoise(int argc, char **argv);
int cli_path(int argc, char **argv);
int cli_race(int argc, char **argv);
int cli_predict(int argc, char **argv);
int cli_graph(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_generate(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_bound_verb(int argc, char **argv);

/* ---- console.c: output for people and programs. */
#define CLI_TEXT_CHARS 1200
/* text with control characters written as \n, \t, \xNN, so that a message is one line and file names cannot control the
 * terminal. */
const char *cli_plain(char out[CLI_TEXT_CHARS], const char *text);
/* "NAME: MESSAGE" on standard error; returns the exit status. */
int cli_fail(const char *name, const spdhg_error *err);
_Noreturn void cli_usage(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Checks that everything printed was written. Returns status, or 5 with a message if standard output failed. */
void cli_out_of_memory(void) __attribute__((noreturn)); /* where no caller could take an error: exit status 6 */
void *cli_json_memory(size_t size);                     /* for jansson; never NULL */
int cli_finish(int status);
const char *cli_bytes_text(char out[SPD_NUMBER_CHARS], double bytes); /* "1.5 GB" */
json_t *cli_json_number(double value);                                /* null if not finite */
json_t *cli_json_text(const char *text);                              /* bytes that are not UTF-8 become '?' */
/* Prints one object and a newline to standard output; frees the object. */
spdhg_status cli_json_print(json_t *object, spdhg_error *err);
/* Whether path can be created or replaced; checked before long work. NULL is accepted. */
spdhg_status cli_can_write(const char *path, spdhg_error *err);
char *cli_command_line(int argc, char **argv); /* quoted for a shell; NULL when out of memory */

/* ---- outputs.c */
typedef enum cli_kind {
    CLI_MODEL,
    CLI_CERTIFICATE,
    CLI_TRACE,
    CLI_PATH,
    CLI_COEFFICIENTS,
    CLI_PREDICTIONS,
    CLI_REPORT,
    CLI_CHECKPOINT,
    CLI_STRUCTURE,
    CLI_NUMBERS,
    CLI_DATA,
    CLI_SEGMENTS,
    CLI_SIGNALS
} cli_kind;
typedef struct cli_output {
    const char *option, *path; /* path NULL: not asked for */
    cli_kind kind;
} cli_output;
enum { CLI_FORCE = 0x600 };
#define CLI_FORCE_OPTION                                                                                                         \
    { "force", CLI_FORCE, NULL, 0, "replace files of another kind, and files that are read", 0 }
/* Refuses (SPDHG_USAGE) to write over an input, over another output, or over an existing file of another kind; force: only two
 * outputs in one file. SPDHG_IO: an output cannot be written. Inputs may be NULL, and "edges:FILE" means FILE. */
spdhg_status cli_check_outputs(const cli_output *out, size_t outs, const char *const *in, size_t ins, bool force,
                               spdhg_error *err);
bool cli_same_file(const char *a, const char *b); /* whether it exists or not */
/* By its first bytes; true if they cannot be read. */
bool cli_may_be(cli_kind kind, const char *path);
/* The same for the folder of a race: it must be new, empty or a race's. */
spdhg_status cli_check_folder(const char *option, const char *path, bool force, spdhg_error *err);
#define CLI_CHECK_OUTPUTS(out, in, force, err)                                                                                   \
    cli_check_outputs((out), sizeof(out) / sizeof *(out), (in), sizeof(in) / sizeof *(in), (force), (err))

/* ---- values.c: parses values of options. A wrong one ends the command with a usage error that says what was expected. */
double cli_number(const struct argp_state *state, const char *option, const char *text, double min, double max);
double cli_positive(const struct argp_state *state, const char *option, const char *text);
int64_t cli_integer(const struct argp_state *state, const char *option, const char *text, int64_t min, int64_t max);
uint64_t cli_bytes(const struct argp_state *state, const char *option, const char *text); /* 1000, 500M, 2G */
uint64_t cli_machine_memory(void);                                                        /* bytes: no fit can use more */
/* The position of text in the list "a, b, c". */
int cli_choice(const struct argp_state *state, const char *option, const char *text, const char *choices);
/* Ends with a usage error if status is not OK: arg is not what the option takes. */
void cli_check(const struct argp_state *state, const char *option, const char *arg, spdhg_status status, const spdhg_error *err);
/* For argp's filter: the help, with its default, of an option that has none of its own, from the library's options of that
 * group. */
char *cli_fill_help(const struct argp_option *options, const char *group, int key, const char *text);
/* The two halves of cli_fill_help: the library's entry for that key (false: none, or the option has its own help), and the help
 * made from the entry; text if memory runs out. */
bool cli_find_option(const struct argp_option *options, const char *group, int key, spdhg_entry *entry);
char *cli_help_text(const spdhg_entry *entry, const char *text);
/* ---- options.c: parses all options of a verb; ends with a usage error for a wrong one. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);
/* Stores the single positional argument of a verb; a second one is a usage error. */
void cli_argument(const struct argp_state *state, const char **place, const char *text);

/* ---- data_options.c: --format, --label, --columns, --missing, ...; for every verb that reads data. */
extern const struct argp cli_data_argp; /* input: spdhg_read_options */
/* The name of the format given by --to or by the extension of path; a usage error unless it can be written. */
const char *cli_check_format(const struct argp_state *state, const char *path, const char *to);
/* Prints what the reader noticed and repaired, one sentence per line, each starting with lead. */
void cli_print_notes(FILE *to, const char *lead, const spdhg_data *data);
/* ---- columns.c: what was made of the columns of a table, in sentences: categories, gaps, columns that were ignored. */
void cli_print_columns(FILE *to, const char *lead, const spdhg_data *data); /* to NULL: nothing */
/* A sentence for each feature that counts the rows, which is hardly one; their number. */
int64_t cli_print_row_numbers(FILE *to, const char *lead, const spdhg_data *data);
/* Fails if a table whose features go by index is wider than the model; sparse rows may be, and verb, unless NULL, says so. */
spdhg_status cli_check_width(const char *verb, const char *path, const spdhg_data *data, int64_t features, int index_base,
                             spdhg_error *err);
/* A sentence if several rows have the same id; whether there was one. */
bool cli_print_repeated_ids(FILE *to, const char *lead, const spdhg_data *data);
/* Whether there is nothing to learn, and a sentence why: targets that are all the same, no features. */
bool cli_print_trivial(FILE *to, const char *lead, const spdhg_data *data, const char *loss);

/* ---- problem_options.c: the problem; for every verb that solves. */
typedef spd_recipe cli_problem_options;
#define CLI_PROBLEM_OPTIONS                                                                                                      \
    {                                                                                                                            \
        .loss = SPD_LOSS, .penalty = SPD_PENALTY, .structure = SPD_STRUCTURE, .set = SPD_SET, .lambda = SPD_LAMBDA,              \
        .gamma = SPD_GAMMA, .intercept = true                                                                                    \
    }
extern const struct argp cli_problem_argp; /* input: cli_problem_options */
/* --l1-ratio: divides this lambda between the penalty and gamma. */
void cli_part_lambda(cli_problem_options *o, double lambda);

typedef spd_recipe_problem cli_problem;

/* ---- solve_options.c: how the problem is solved. */
enum { CLI_PARAMS_MAX = 32 };
typedef struct cli_solve_options {
    const char *solver;
    spdhg_options options;
    int params;
    struct {
        const char *name; /* points into argv; ends at the '=' */
        double value;
    } param[CLI_PARAMS_MAX];
} cli_solve_options;
extern const struct argp cli_solve_argp; /* input: cli_solve_options */
spdhg_status cli_solver_new(spdhg_solver **out, const cli_solve_options *o, spdhg_problem *problem, spdhg_error *err);

/* ---- bound_result.c: prints the bounds of the theorems; bound_fit.c: the bounds for a fit. */
typedef struct cli_bound {
    bool asked;                 /* fit: --bound was given */
    const spd_bound_rule *rule; /* fit: the rule of its solver; NULL: all rules */
    spd_bound_setting setting;
    double iterations, epsilon, omega; /* iterations, epsilon 0: not asked; the probability is 1 - 2 exp(-omega) */
} cli_bound;
#define CLI_BOUND                                                                                                                \
    { .omega = 2.995732273553991 } /* log 20: probability 0.9 */
void cli_bound_print(FILE *to, const cli_bound *bound);
json_t *cli_bound_json(const cli_bound *bound);
void cli_bound_sentence(FILE *to, const cli_bound *bound);
void cli_bound_option(const struct argp_state *state, const char *arg, cli_bound *bound); /* --bound[=P] of fit */
/* SPDHG_USAGE with the reason if no theorem applies to the run. The problem must be frozen. */
spdhg_status cli_bound_of_fit(cli_bound *bound, const cli_solve_options *o, const spdhg_problem *p, spdhg_error *err);

/* ---- address_space.c: a limited address space is refused before BLAS would wait for it forever. */
void cli_reserve_buffer(void);

/* ---- interrupts.c: the first signal asks the run to stop. The process ends at the second, or if the run has not polled for five
 * seconds. */
void cli_signals_end(void); /* a signal ends the process, with a sentence */
void cli_signals_catch(void);
int cli_signals_status(void); /* 0, or 128 and its number after a signal: 130, 143, ... */
/* The same for a verb that has done all it was asked for: the status is not without a word. */
int cli_signals_after(const char *name);

/* ---- progress.c: the table of measured points, and the line that is updated in place on a terminal. */
typedef struct cli_progress {
    const char *name; /* "spdhg fit" */
    FILE *table;      /* NULL: none */
    bool verbose, line, tested, regression;
    double started, since, part, drawn; /* since: when what is being done began, of which `part` is done */
    int width, rows;
    pthread_mutex_t lock; /* a graph tells from several threads */
} cli_progress;
void cli_progress_open(cli_progress *progress, const char *name, bool quiet, bool verbose);
void cli_progress_stage(cli_progress *progress, const char *stage); /* something that cannot tell how far it is begins */
/* Reads data, and says how far it is. */
spdhg_status cli_read(spdhg_data **out, const char *path, const spdhg_read_options *options, cli_progress *progress,
                      spdhg_error *err);
const char *cli_time_left(char out[32], double seconds); /* ", 15 s left"; "" if not finite */
/* The line at the time now. */
void cli_progress_text(cli_progress *progress, const spdhg_event *event, double now, char *text, size_t size);
int cli_progress_event(void *progress, const spdhg_event *event); /* a spdhg_callback: also answers "stop" after a signal */
void cli_progress_erase(cli_progress *progress);

/* ---- summary.c: what a fit prints before and after the run. */
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
void cli_print_learned(FILE *to, const spdhg_graph_report *learned); /* nothing if no structure was learned */
void cli_print_summary(FILE *to, const cli_fit_result *result, const char *model_path);
json_t *cli_fit_json(const cli_fit_result *result);
/* ---- path_output.c: a path as lines and as CSV, and its part of the JSON object of a fit. */
void cli_print_path(FILE *to, const spdhg_path *path, const char *choose);
void cli_csv_cell(FILE *to, const char *text); /* a name as a cell of a CSV file */
spdhg_status cli_path_csv(const spdhg_path *path, const char *file, spdhg_error *err);
/* The same as cli_coefficients_csv with the column lambda, for every point of the path. The model says names and classes. */
spdhg_status cli_path_coefficients(const spdhg_path *path, const spdhg_problem *problem, const spdhg_model *model,
                                   const char *file, spdhg_error *err);
void cli_path_json(json_t *out, const spdhg_path *path, const char *choose);
/* ---- judged.c: the rows that a page judges a model by, and their scores. which NULL: it was fitted to them. Of a path, every
 * row by the fold that left it out, where there was cross-validation. */
typedef struct cli_judged {
    spd_judged shown;
    char which[CLI_TEXT_CHARS + 4];
    double *score;
    spdhg_data *part;
} cli_judged;
spdhg_status cli_judge_rows(cli_judged *j, const spdhg_model *model, const spdhg_data *data, const char *which, spdhg_error *err);
spdhg_status cli_judge_path(cli_judged *j, const spdhg_model *model, const spdhg_data *data, const spdhg_path *path,
                            spdhg_error *err);
void cli_judged_free(cli_judged *j);
/* ---- coefficients.c: a model's coefficients as CSV: feature, level, class, value, standardized, group; the intercept first. */
spdhg_status cli_coefficients_csv(const spdhg_model *model, const char *file, spdhg_error *err);
/* What feature j is called, and the level of its category or ""; text is room for a number. */
void cli_feature_text(const spdhg_model *model, int64_t j, const char **feature, const char **level, char text[SPD_NUMBER_CHARS]);
/* ---- edges_output.c: the edges of a structure as CSV, from,to,weight, by name or number, as edges:FILE reads them. */
spdhg_status cli_edges_csv(const spdhg_structure *F, const spdhg_data *data, const char *file, spdhg_error *err);
/* ---- race_output.c: prints DIR/summary.json as a table, or unchanged. */
spdhg_status cli_race_print(const char *folder, bool json, spdhg_error *err);
/* "converged", "done", ...: the stable word of an outcome. */
const char *cli_outcome_word(spdhg_outcome outcome);

#endif

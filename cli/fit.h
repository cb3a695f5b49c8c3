/* fit.h - options and state of `spdhg fit`; shared by fit.c and fit_output.c. */
#ifndef SPD_CLI_FIT_H
#define SPD_CLI_FIT_H
#include "processes.h"

typedef struct cli_fit_job {
    spdhg_read_options read;
    cli_problem_options problem_options;
    cli_solve_options solve;
    const char *path, *model_path, *trace_path, *report_path, *truth_path, *test_path, *certificate_path, *coefficients_path;
    double test_fraction; /* 0: none held out */
    cli_bound bound;
    bool json, quiet, verbose, force, single_pass;
    const char *classes; /* of a single pass; NULL: those of its first rows */
    char *command;

    spdhg_data *data, *test;
    int64_t *train_row, *test_row, trains, tests;
    cli_problem problem;
    spdhg_solver *solver;
    spdhg_ranks *ranks; /* processes that fit together; NULL: one */
    spdhg_model *model;
    double *truth;
    FILE *human;  /* where messages go; NULL: nowhere */
    bool trivial; /* there is nothing to learn, and the user has been told */
    cli_progress progress;
} cli_fit_job;

/* ---- fit_output.c */
spdhg_status cli_fit_write(cli_fit_job *f, cli_fit_result *result, spdhg_error *err);
int cli_fit_conclude(const cli_fit_job *f, spdhg_outcome outcome); /* the exit status; prints why it is not 0 */
/* ---- single_pass.c: learns from rows that pass once (--single-pass). */
void cli_single_pass_check(const cli_fit_job *f, const struct argp_state *state); /* options that it does not have */
int cli_single_pass(cli_fit_job *f, spdhg_error *err);
#endif

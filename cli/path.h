/* path.h - options of `spdhg path`; shared by path.c and path_options.c. */
#ifndef SPD_CLI_PATH_H
#define SPD_CLI_PATH_H
#include "cli.h"

enum { CLI_GRID_MOST = 32 };
typedef struct cli_grid {
    int count;
    double value[CLI_GRID_MOST];
} cli_grid;

typedef struct cli_path_options {
    spdhg_read_options read;
    cli_problem_options problem;
    cli_solve_options solve;
    spdhg_path_options path;
    cli_grid gammas, sparsities;
    const char *data_path, *model_path, *csv_path, *coefficients_path, *report_path, *groups_path, *folds_path;
    bool json, quiet, verbose, folds_given, force;
} cli_path_options;
extern const struct argp cli_path_argp; /* input: cli_path_options */
#endif

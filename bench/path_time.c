/* path_time.c - one path, timed around the call, for bench/path:
 *     path_time FILE LOSS GAMMA LAMBDA_MAX RATIO LAMBDAS TOL FOLDS THREADS REPEATS SOLVER [PENALTY [GROUPS [TARGETS]]]
 * Prints the median CPU seconds of the call and the wall seconds of the fastest, then for every lambda: lambda, objective,
 * relative gap, nonzeros, whether it was proven. LAMBDA_MAX 0: found by the call. GROUPS: so many
 * features in a group, 0: each by itself. TARGETS: a file with a row of targets for each row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spdhg.h"

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static spdhg_status make(spdhg_problem **out, spdhg_data *data, spdhg_structure **F, char **argument, int count,
                         spdhg_error *err) {
    spdhg_status status = spdhg_problem_new(out, data, argument[2], err);
    if (status == SPDHG_OK) status = spdhg_structure_new(F, "identity", spdhg_data_features(data), err);
    spdhg_term_options term = SPDHG_TERM_OPTIONS;
    char groups[32];
    snprintf(groups, sizeof groups, "size:%s", count > 13 ? argument[13] : "0");
    if (count > 13 && atoi(argument[13]) > 0) term.groups = groups;
    if (status == SPDHG_OK) status = spdhg_problem_term(*out, count > 12 ? argument[12] : "l1", *F, 1, &term, err);
    if (status == SPDHG_OK) status = spdhg_problem_ridge(*out, atof(argument[3]), err);
    if (status == SPDHG_OK) status = spdhg_problem_intercept(*out, true, err);
    return status;
}

static spdhg_status run(spdhg_data *data, char **argument, int count, double *cpu, double *wall, bool print, spdhg_error *err) {
    spdhg_problem *problem = NULL;
    spdhg_structure *F = NULL;
    spdhg_path *path = NULL;
    spdhg_path_options options = SPDHG_PATH_OPTIONS;
    spdhg_options solve = SPDHG_OPTIONS;
    options.lambda_max = atof(argument[4]);
    options.ratio = atof(argument[5]);
    options.lambdas = atoi(argument[6]);
    options.saturation = 0;
    options.folds = atoi(argument[8]);
    options.choose = options.folds > 0 ? "loss" : "bic";
    options.solver = argument[11];
    solve.tol = atof(argument[7]);
    solve.threads = atoi(argument[9]);
    const double from = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    spdhg_status status = make(&problem, data, &F, argument, count, err);
    if (status == SPDHG_OK) status = spdhg_path_new(&path, problem, &options, &solve, err);
    *cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    *wall = seconds(CLOCK_MONOTONIC) - from;
    int64_t points = 0;
    const spdhg_path_point *point = status == SPDHG_OK ? spdhg_path_points(path, &points) : NULL;
    for (int64_t i = 0; i < points && print; i++)
        printf("%.17g %.17g %.3g %lld %d\n", point[i].lambda, point[i].objective, point[i].gap_relative,
               (long long)point[i].nonzeros, point[i].outcome == SPDHG_OUTCOME_CONVERGED);
    spdhg_path_free(path);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    return status;
}

int main(int count, char **argument) {
    spdhg_error err = {0};
    spdhg_data *data = NULL;
    spdhg_read_options read = SPDHG_READ_OPTIONS;
    if (count < 12) return 2;
    if (count > 14) read.targets = argument[14];
    const int repeats = atoi(argument[10]);
    double *cpu = calloc((size_t)repeats, sizeof *cpu), fastest = 1e300;
    spdhg_status status = cpu ? spdhg_data_read(&data, argument[1], &read, &err) : SPDHG_MEMORY;
    for (int i = 0; i < repeats && status == SPDHG_OK; i++) {
        double wall = 0;
        status = run(data, argument, count, &cpu[i], &wall, i == repeats - 1, &err);
        if (wall < fastest) fastest = wall;
    }
    if (status != SPDHG_OK)
        fprintf(stderr, "%s\n", err.message);
    else {
        qsort(cpu, (size_t)repeats, sizeof *cpu, ascending);
        printf("seconds %.6f %.6f\n", cpu[repeats / 2], fastest);
    }
    free(cpu);
    spdhg_data_free(data);
    return (int)status;
}

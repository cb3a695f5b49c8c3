/* setup_time.c - what bench/setup needs from C: CPU seconds of reading, and from there to the first step of a fit.
 *     setup_time FILE LOSS STRUCTURE (prints reading, making the solver, measuring the start, megabytes) */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "spdhg.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The start has been measured: the steps would begin here. */
static int at_first_point(void *user, const spdhg_event *event) {
    double *first = user;
    if (event->kind == SPDHG_EVENT_POINT && *first == 0) *first = seconds();
    return *first > 0;
}

int main(int count, char **argument) {
    spdhg_error err = {0};
    spdhg_data *data;
    spdhg_structure *F;
    spdhg_problem *problem;
    spdhg_solver *solver;
    spdhg_outcome outcome;
    spdhg_read_options reading = SPDHG_READ_OPTIONS;
    spdhg_options options = SPDHG_OPTIONS;
    double first = 0;
    if (count != 4) return 2;
    reading.threads = options.threads = 1;
    options.callback = at_first_point;
    options.user = &first;
    const double start = seconds();
    if (spdhg_data_read(&data, argument[1], &reading, &err) != SPDHG_OK) return fprintf(stderr, "%s\n", err.message), 1;
    const double read = seconds();
    if (spdhg_structure_new(&F, argument[3], spdhg_data_features(data), &err) != SPDHG_OK ||
        spdhg_problem_new(&problem, data, argument[2], &err) != SPDHG_OK ||
        spdhg_problem_term(problem, "l1", F, 1e-3, NULL, &err) != SPDHG_OK ||
        spdhg_solver_new(&solver, "auto", problem, &options, &err) != SPDHG_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    const double made = seconds();
    if (spdhg_solver_run(solver, &outcome, &err) != SPDHG_OK) return fprintf(stderr, "%s\n", err.message), 1;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%.4f %.4f %.4f %.0f\n", read - start, made - read, first - made, (double)use.ru_maxrss / 1024);
    return 0;
}

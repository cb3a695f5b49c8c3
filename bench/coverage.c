/* coverage.c - COVERAGE SOLVER ITERATIONS RUNS A B1 B2 GAMMA LAMBDA: f(xbar) of runs with seeds 0, 1, ..., one per line.
 * The problem of bench/coverage: two rows a = A, b = B1 and B2, squared loss, (GAMMA/2) x^2 + LAMBDA |x| on [-1, 1]. */
#include <spdhg.h>
#include <stdio.h>
#include <stdlib.h>

/* number: A, B1, B2, GAMMA, LAMBDA */
static spdhg_status build(spdhg_problem **problem, spdhg_data **data, spdhg_structure **F, const double *number,
                          spdhg_error *err) {
    const double a[] = {number[0], number[0]}, *b = number + 1;
    if (spdhg_data_from_csr(data, 2, 1, NULL, NULL, a, b, 1, SPDHG_COPY, err) || spdhg_structure_new(F, "identity", 1, err) ||
        spdhg_problem_new(problem, *data, "squared", err) || spdhg_problem_term(*problem, "l1", *F, number[4], NULL, err) ||
        spdhg_problem_ridge(*problem, number[3], err) || spdhg_problem_set(*problem, "box:-1,1", err))
        return err->status;
    return spdhg_problem_intercept(*problem, false, err);
}

static spdhg_status one_run(spdhg_problem *problem, const char *name, int64_t iterations, uint64_t seed, spdhg_error *err) {
    spdhg_options options = SPDHG_OPTIONS;
    spdhg_solver *solver;
    spdhg_outcome outcome;
    options.epochs = options.every = (double)iterations / 2;
    options.seed = seed;
    options.threads = 1;
    if (spdhg_solver_new(&solver, name, problem, &options, err) == SPDHG_OK &&
        spdhg_solver_run(solver, &outcome, err) == SPDHG_OK) {
        const spdhg_solution *solution = spdhg_solver_solution(solver);
        if (solution->iterations == iterations)
            printf("%.17g\n", solution->objective);
        else
            err->status = SPDHG_INTERNAL;
    }
    spdhg_solver_free(solver);
    return err->status;
}

int main(int argc, char **argv) {
    spdhg_error err = {0};
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    double number[5];
    if (argc != 9) return 2;
    for (int i = 0; i < 5; i++) number[i] = atof(argv[4 + i]);
    const int64_t iterations = atoll(argv[2]), runs = atoll(argv[3]);
    if (build(&problem, &data, &F, number, &err) == SPDHG_OK)
        for (int64_t seed = 0; seed < runs && err.status == SPDHG_OK; seed++)
            one_run(problem, argv[1], iterations, (uint64_t)seed, &err);
    if (err.status != SPDHG_OK) fprintf(stderr, "coverage: %s\n", err.message);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return (int)err.status;
}

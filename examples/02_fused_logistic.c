/* 02_fused_logistic.c - a structure: neighbouring coefficients should be equal (the fused lasso, with the logistic loss).
 *     minimise (1/N) sum_i log(1 + exp(-b_i a_i'x)) + lambda sum_j |x_{j+1} - x_j|
 * Dense rows this time (idx == NULL). The truth has three steps; the fit must find where they are. */
#include <math.h>
#include <stdio.h>

#include "spdhg.h"

enum { N = 400, D = 30 };

static double truth(int j) { return j < 10 ? 1 : j < 20 ? -1 : 0; }

/* A small generator of our own, so that every machine sees the same data. */
static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

int main(void) {
    static double a[N][D], b[N], x_true[D];
    uint64_t state = 1;
    for (int j = 0; j < D; j++) x_true[j] = truth(j);
    for (int i = 0; i < N; i++) {
        double z = 0;
        for (int j = 0; j < D; j++) z += (a[i][j] = 2 * uniform(&state) - 1) * x_true[j];
        b[i] = uniform(&state) < 1 / (1 + exp(-z)) ? 1 : -1;
    }

    spdhg_error err;
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_outcome outcome;
    spdhg_options options = SPDHG_OPTIONS;
    options.epochs = 200;
    double at_truth;
    if (spdhg_data_from_csr(&data, N, D, NULL, NULL, &a[0][0], b, 1, SPDHG_BORROW, &err) ||
        spdhg_structure_new(&F, "chain", D, &err) || spdhg_problem_new(&problem, data, "logistic", &err) ||
        spdhg_problem_term(problem, "l1", F, 0.02, NULL, &err) || spdhg_solver_new(&solver, "auto", problem, &options, &err) ||
        spdhg_solver_run(solver, &outcome, &err) || spdhg_problem_evaluate(problem, x_true, NULL, &at_truth, NULL, NULL, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    const spdhg_solution *s = spdhg_solver_solution(solver);
    int right = 0;
    for (int j = 0; j < D; j++) {
        const int sign = s->x[j] > 0.3 ? 1 : s->x[j] < -0.3 ? -1 : 0;
        right += sign == (int)truth(j);
        printf("%2d  % .3f  (truth % .0f)\n", j, s->x[j], truth(j));
    }
    printf("objective %.6f, at the truth %.6f; %d of %d coefficients in the right step\n", s->objective, at_truth, right, D);
    /* The optimum is below every other point's objective, so below the truth's. */
    const int wrong = right < D || s->objective > at_truth;
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return wrong;
}

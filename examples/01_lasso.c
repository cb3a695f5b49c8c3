/* 01_lasso.c - the smallest fit: rows in memory, squared loss, lambda ||x||_1.
 *     minimise (1/2N) ||Ax - b||^2 + lambda ||x||_1
 * The columns of A are orthogonal (Walsh functions, A'A = N I), so that the answer is known: x_j = soft(A_j'b / N, lambda). */
#include <math.h>
#include <stdio.h>

#include "spdhg.h"

enum { N = 64, D = 16 };

static double walsh(int i, int j) {
    int bits = i & j, odd = 0;
    for (; bits; bits >>= 1) odd ^= bits & 1;
    return odd ? -1 : 1;
}

static double soft(double v, double lambda) { return v > lambda ? v - lambda : v < -lambda ? v + lambda : 0; }

int main(void) {
    /* Rows in compressed form: the entries of row i are idx[ptr[i]..ptr[i+1]) and the values beside them. */
    static int64_t ptr[N + 1];
    static int32_t idx[N * D];
    static double val[N * D], b[N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            idx[i * D + j] = j;
            val[i * D + j] = walsh(i, j);
        }
        ptr[i + 1] = (i + 1) * D;
        b[i] = 3 * walsh(i, 2) - 2 * walsh(i, 5) + 0.3 * walsh(i, 11) + 0.5 * sin(i);
    }
    const double lambda = 0.5;

    spdhg_error err;
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_outcome outcome;
    spdhg_options options = SPDHG_OPTIONS;
    options.epochs = 2000;
    /* Every call returns 0 when it worked. */
    if (spdhg_data_from_csr(&data, N, D, ptr, idx, val, b, 1, SPDHG_BORROW, &err) ||
        spdhg_structure_new(&F, "identity", D, &err) || spdhg_problem_new(&problem, data, "squared", &err) ||
        spdhg_problem_term(problem, "l1", F, lambda, NULL, &err) || spdhg_solver_new(&solver, "auto", problem, &options, &err) ||
        spdhg_solver_run(solver, &outcome, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    const spdhg_solution *s = spdhg_solver_solution(solver);
    double worst = 0;
    for (int j = 0; j < D; j++) {
        double Ab = 0;
        for (int i = 0; i < N; i++) Ab += walsh(i, j) * b[i];
        const double exact = soft(Ab / N, lambda);
        printf("x[%2d] = % .4f   exact % .4f\n", j, s->x[j], exact);
        worst = fmax(worst, fabs(s->x[j] - exact));
    }
    printf("objective %.6f, %s, largest error %.1e\n", s->objective, spdhg_outcome_text(outcome), worst);
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return worst < 0.02 ? 0 : 1;
}

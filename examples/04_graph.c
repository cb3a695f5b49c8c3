/* 04_graph.c - from a file to a saved model: read rows, build F from the edges of a graph of features, fit, save, load, predict.
 *     minimise (1/N) sum_i log(1 + exp(-b_i a_i'x)) + lambda sum_{(i,j) an edge} |x_i - x_j|
 * The graph is two rings of five features; all features of a ring carry the same signal. Writes graph_rows.svm and
 * graph_model.json into the current directory. */
#include <math.h>
#include <stdio.h>

#include "spdhg.h"

enum { N = 400, RING = 5, D = 2 * RING };

/* LIBSVM text: label, then index:value with indices from 1. */
static int write_rows(const char *path, int label[N]) {
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        double a[D], z = 0;
        for (int j = 0; j < D; j++) {
            state = state * 1664525u + 1013904223u;
            a[j] = state / 4294967296.0 - 0.5;
            z += j < RING ? a[j] : -a[j];
        }
        fprintf(file, "%d", label[i] = z > 0 ? 2 : 1);
        for (int j = 0; j < D; j++) fprintf(file, " %d:%.6f", j + 1, a[j]);
        fprintf(file, "\n");
    }
    return fclose(file);
}

int main(void) {
    int label[N], right = 0, together = 1;
    if (write_rows("graph_rows.svm", label)) return 5;
    /* One row of F per edge, +1 and -1 at its ends, columns ascending: feature e and the next one of its ring. */
    int64_t ptr[D + 1] = {0};
    int32_t idx[2 * D];
    double val[2 * D];
    for (int32_t e = 0; e < D; e++) {
        const int32_t next = e % RING == RING - 1 ? e - RING + 1 : e + 1;
        idx[2 * e] = e < next ? e : next;
        idx[2 * e + 1] = e < next ? next : e;
        val[2 * e] = 1;
        val[2 * e + 1] = -1;
        ptr[e + 1] = 2 * (e + 1);
    }

    spdhg_error err;
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_model *model = NULL;
    spdhg_outcome outcome;
    double score[N];
    if (spdhg_data_read(&data, "graph_rows.svm", NULL, &err) || spdhg_structure_from_csr(&F, D, D, ptr, idx, val, &err) ||
        spdhg_problem_new(&problem, data, "logistic", &err) || spdhg_problem_term(problem, "l1", F, 0.01, NULL, &err) ||
        spdhg_solver_new(&solver, "auto", problem, NULL, &err) || spdhg_solver_run(solver, &outcome, &err) ||
        spdhg_model_from_solver(&model, solver, &err) || spdhg_model_write(model, "graph_model.json", &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    spdhg_model_free(model);
    if (spdhg_model_read(&model, "graph_model.json", &err) || spdhg_model_scores(model, data, score, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    const double *x = spdhg_solver_solution(solver)->x;
    for (int i = 0; i < N; i++) right += label[i] == (score[i] > 0 ? 2 : 1); /* a positive score means the larger label */
    for (int j = 0; j < D; j++) together &= (x[j] > 0) == (j < RING) && fabs(x[j] - x[j / RING * RING]) < 0.2 * fabs(x[j]);
    printf("%d of %d rows right, rings %s\n", right, N, together ? "found" : "not found");
    spdhg_model_free(model);
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return right >= 0.95 * N && together ? 0 : 1;
}

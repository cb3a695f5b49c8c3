/* 05_own_penalty.c - a penalty the library does not know: sorted l1 (OSCAR, SLOPE), which makes features equal in size.
 *     r(z) = sum_i w_i |z|_(i),  |z|_(1) >= |z|_(2) >= ...,  w_1 >= w_2 >= ... > 0
 *     Y = { y : |y|_(1) + ... + |y|_(k) <= w_1 + ... + w_k for every k }
 *     polar(y) = max_k (|y|_(1) + ... + |y|_(k)) / (w_1 + ... + w_k)
 * and the projection onto lambda Y is y minus the proximal step of lambda r: sizes less lambda w, in descending order, made
 * monotone by pooling neighbours, cut off at 0. Here pairs of features measure the same thing with different noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spdhg.h"

enum { N = 300, D = 8 };

/* OSCAR: w_i = 1 + slope (n - i). The slope is the penalty's own number, handed over by `data`. */
static double weight(const spdhg_penalty *r, int64_t n, int64_t i) { return 1 + *(const double *)r->data * (double)(n - 1 - i); }

/* Pairs (size, place) in descending order of size. */
static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}
static void sort_sizes(int64_t n, const double *v, double *pair) {
    for (int64_t i = 0; i < n; i++) {
        pair[2 * i] = fabs(v[i]);
        pair[2 * i + 1] = (double)i;
    }
    qsort(pair, (size_t)n, 2 * sizeof *pair, descending);
}

static double value(const spdhg_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    const int64_t n = rows * K;
    double sum = 0;
    sort_sizes(n, z, work);
    for (int64_t i = 0; i < n; i++) sum += weight(r, n, i) * work[2 * i];
    return sum;
}

static double polar(const spdhg_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    const int64_t n = rows * K;
    double sizes = 0, weights = 0, most = 0;
    sort_sizes(n, y, work);
    for (int64_t i = 0; i < n; i++) {
        sizes += work[2 * i];
        weights += weight(r, n, i);
        most = fmax(most, sizes / weights);
    }
    return most;
}

static void project(const spdhg_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    const int64_t n = rows * K;
    double *pair = work, *mean = work + 2 * n, *count = mean + n; /* a stack of pools */
    int64_t pools = 0;
    sort_sizes(n, y, pair);
    for (int64_t i = 0; i < n; i++) {
        mean[pools] = pair[2 * i] - lambda * weight(r, n, i);
        count[pools++] = 1;
        for (; pools > 1 && mean[pools - 2] <= mean[pools - 1]; pools--) {
            const double both = count[pools - 2] + count[pools - 1];
            mean[pools - 2] = (count[pools - 2] * mean[pools - 2] + count[pools - 1] * mean[pools - 1]) / both;
            count[pools - 2] = both;
        }
    }
    for (int64_t pool = 0, i = 0; pool < pools; pool++)
        for (double left = count[pool]; left > 0; left--, i++) {
            const int64_t at = (int64_t)pair[2 * i + 1];
            if (mean[pool] > 0) y[at] = copysign(pair[2 * i] - mean[pool], y[at]);
        }
}

/* The point of Y farthest from 0 is w itself; a ball of radius t has sums of k sizes up to t sqrt(k). */
static double radius(const spdhg_penalty *r, int64_t rows, int64_t K) {
    double sum = 0;
    for (int64_t i = 0; i < rows * K; i++) sum += weight(r, rows * K, i) * weight(r, rows * K, i);
    return sqrt(sum);
}
static double inner(const spdhg_penalty *r, int64_t rows, int64_t K) {
    double weights = 0, least = INFINITY;
    for (int64_t i = 0; i < rows * K; i++) {
        weights += weight(r, rows * K, i);
        least = fmin(least, weights / sqrt((double)i + 1));
    }
    return least;
}
static int64_t work_size(const spdhg_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return 4 * rows * K;
}

int main(void) {
    static double a[N * D], b[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) {
            const double signal = sin(1.7 * i * (j / 2 + 1)); /* the same for both members of a pair */
            a[i * D + j] = signal + 0.3 * cos(2.3 * i * (j + 1) + j);
            b[i] += (j < 4 ? 1 - j / 2 * 0.5 : 0) * signal; /* 1 1 0.5 0.5 0 0 0 0 */
        }
    const double slope = 0.3;
    const spdhg_penalty oscar = {.name = "oscar",
                                 .help = "sorted l1: features of equal size",
                                 .data = &slope,
                                 .block = SPDHG_BLOCK_WHOLE,
                                 .value = value,
                                 .project = project,
                                 .polar = polar,
                                 .radius = radius,
                                 .inner = inner,
                                 .work = work_size};
    spdhg_error err;
    spdhg_data *data = NULL;
    spdhg_structure *F = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_outcome outcome;
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = 1e-9;
    options.epochs = 5000;
    if (spdhg_data_from_csr(&data, N, D, NULL, NULL, a, b, 1, SPDHG_BORROW, &err) ||
        spdhg_structure_new(&F, "identity", D, &err) || spdhg_problem_new(&problem, data, "squared", &err) ||
        spdhg_problem_own_term(problem, &oscar, F, 0.05, NULL, &err) ||
        spdhg_solver_new(&solver, "auto", problem, &options, &err) || spdhg_solver_run(solver, &outcome, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    const spdhg_solution *s = spdhg_solver_solution(solver);
    for (int j = 0; j < D; j++) printf(" %.4f", s->x[j]);
    printf("\nobjective %.6f, proven within %.1e of the best possible, relatively\n", s->objective, s->gap_relative);
    const int wrong = !(s->gap_relative < 1e-8) || fabs(s->x[0] - s->x[1]) > 1e-4 || fabs(s->x[2] - s->x[3]) > 1e-4;
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_structure_free(F);
    spdhg_data_free(data);
    return wrong;
}

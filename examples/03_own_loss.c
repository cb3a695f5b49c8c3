/* 03_own_loss.c - a loss the library does not know: log cosh, a smooth relative of the absolute value.
 *     phi(z,b) = log cosh(z - b),  phi' = tanh(z - b),  phi'' = 1 - phi'^2 <= 1,
 *     phi*(alpha) = alpha b + ((1+alpha) log(1+alpha) + (1-alpha) log(1-alpha)) / 2   on [-1,1]
 * A line through points of which one in ten is far off: least squares would be pulled away, log cosh is not. */
#include <math.h>
#include <stdio.h>

#include "spdhg.h"

enum { N = 200 };

/* arg is the number of a loss "NAME:ARG"; this one takes none. */
static double curvature(double arg) {
    (void)arg;
    return 1;
}
static double value(double z, double b, double arg) {
    (void)arg;
    const double t = fabs(z - b); /* log cosh t = t + log(1 + exp(-2t)) - log 2: no overflow */
    return t + log1p(exp(-2 * t)) - log(2);
}
static double slope(double z, double b, double arg) {
    (void)arg;
    return tanh(z - b);
}
static double second(double z, double b, double arg) {
    const double t = slope(z, b, arg);
    return 1 - t * t;
}
static double xlogx(double v) { return v > 0 ? v * log(v) : 0; }
static double conjugate(double alpha, double b, double arg) {
    (void)arg;
    return fabs(alpha) > 1 ? INFINITY : alpha * b + (xlogx(1 + alpha) + xlogx(1 - alpha)) / 2;
}

static const spdhg_loss log_cosh = {.name = "log-cosh",
                                    .help = "robust regression",
                                    .arg_min = 1, /* arg_max < arg_min: takes no argument */
                                    .curvature = curvature,
                                    .value = value,
                                    .slope = slope,
                                    .second = second,
                                    .conjugate = conjugate};

int main(void) {
    static double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = -1 + 2.0 * i / (N - 1);
        b[i] = 2 * a[i] + 1 + 0.1 * sin(7.0 * i) + (i % 10 == 9 ? 30 * a[i] : 0);
    }

    spdhg_error err;
    spdhg_data *data = NULL;
    spdhg_problem *problem = NULL;
    spdhg_solver *solver = NULL;
    spdhg_outcome outcome;
    spdhg_options options = SPDHG_OPTIONS;
    options.epochs = 500;
    if (spdhg_data_from_csr(&data, N, 1, NULL, NULL, a, b, 1, SPDHG_BORROW, &err) ||
        spdhg_problem_new(&problem, data, "squared", &err) || spdhg_problem_loss(problem, &log_cosh, 0, &err) ||
        spdhg_problem_intercept(problem, true, &err) || spdhg_solver_new(&solver, "auto", problem, &options, &err) ||
        spdhg_solver_run(solver, &outcome, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return (int)err.status;
    }
    const spdhg_solution *s = spdhg_solver_solution(solver);
    double along_a = 0, along_1 = 0; /* at the optimum both derivatives of the mean loss vanish */
    for (int i = 0; i < N; i++) {
        along_a += tanh(a[i] * s->x[0] + s->c[0] - b[i]) * a[i] / N;
        along_1 += tanh(a[i] * s->x[0] + s->c[0] - b[i]) / N;
    }
    printf("b = %.3f a + %.3f   (truth: 2 a + 1);  derivatives % .1e % .1e\n", s->x[0], s->c[0], along_a, along_1);
    const int wrong = fabs(along_a) > 2e-3 || fabs(along_1) > 2e-3 || fabs(s->x[0] - 2) > 0.5;
    spdhg_solver_free(solver);
    spdhg_problem_free(problem);
    spdhg_data_free(data);
    return wrong;
}

/* linf.c - r(z) = max |z_e|: pulls the largest entries of Fx to a common size.
 * Y is the unit l1 ball; the polar norm is sum |y_e|. */
#include "la/la.h"
#include "penalty/penalty.h"

static double value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    (void)r, (void)work;
    return spd_max_abs(rows * K, z);
}

static void project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)r;
    spd_project_l1_ball(rows * K, lambda, y, work);
}

static double polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    (void)r, (void)work;
    return spd_sum_abs(rows * K, y);
}

static double radius(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return rows * K > 0 ? 1 : 0;
}

static double inner(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return rows * K > 0 ? 1 / sqrt((double)rows * (double)K) : 1;
}

static int64_t work_size(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return 2 * rows * K;
}

/* Outside the l1 ball: on the support S of the projection, dir minus its mean along the signs; 0 elsewhere. */
static void project_derivative(const spd_penalty *r, int64_t rows, int64_t K, double lambda, const double *v, const double *dir,
                               double *out, double *work) {
    (void)r;
    const int64_t n = rows * K;
    const bool inside = spd_sum_abs(n, v) <= lambda;
    double *at = work, along = 0, support = 0;
    memcpy(at, v, (size_t)n * sizeof *at);
    spd_project_l1_ball(n, lambda, at, work + n);
    for (int64_t i = 0; i < n; i++) {
        along += at[i] > 0 ? dir[i] : at[i] < 0 ? -dir[i] : 0;
        support += at[i] != 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const double sign = at[i] > 0 ? 1 : at[i] < 0 ? -1 : 0;
        out[i] = inside ? dir[i] : sign == 0 ? 0 : dir[i] - sign * along / support;
    }
}

const spd_penalty spd_penalty_linf = {.name = "linf",
                                      .help = "largest |z|, of all rows or of each group: bounded, flat F x",
                                      .block = SPDHG_BLOCK_WHOLE,
                                      .largest_size = true,
                                      .groups_ok = true,
                                      .value = value,
                                      .project = project,
                                      .project_derivative = project_derivative,
                                      .polar = polar,
                                      .radius = radius,
                                      .inner = inner,
                                      .work = work_size};

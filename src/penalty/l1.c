/* l1.c - r(z) = sum |z_e|: sparsity of Fx; total variation and fused lasso with a suitable F.
 * Y is the cube |y_e| <= 1, so the projection clips; the polar norm is max |y_e|. */
#include "la/la.h"
#include "penalty/penalty.h"

static double value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    (void)r, (void)work;
    return spd_sum_abs(rows * K, z);
}

static void project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)r, (void)work;
    for (int64_t i = 0; i < rows * K; i++) y[i] = y[i] > lambda ? lambda : y[i] < -lambda ? -lambda : y[i];
}

static double polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    (void)r, (void)work;
    return spd_max_abs(rows * K, y);
}

static double radius(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return sqrt((double)rows * (double)K);
}

static void project_derivative(const spd_penalty *r, int64_t rows, int64_t K, double lambda, const double *v, const double *dir,
                               double *out, double *work) {
    (void)r, (void)work;
    for (int64_t i = 0; i < rows * K; i++) out[i] = fabs(v[i]) <= lambda ? dir[i] : 0;
}

const spd_penalty spd_penalty_l1 = {.name = "l1",
                                    .help = "sum of |z|: many entries of F x become exactly 0",
                                    .block = SPDHG_BLOCK_ROW,
                                    .sum_of_sizes = true,
                                    .zeros = SPDHG_ZEROS_NUMBER,
                                    .groups_ok = false,
                                    .value = value,
                                    .project = project,
                                    .project_derivative = project_derivative,
                                    .polar = polar,
                                    .radius = radius,
                                    .inner = spd_penalty_inner_one};

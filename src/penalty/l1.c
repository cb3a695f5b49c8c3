/* l1.c - r(z) = sum |z_e|: sparsity of Fx; total variation and fused lasso with a suitable F.
 * Y is the cube |y_e| <= 1, so the projection clips; the polar norm is max |y_e|. */
#include "la/la.h"
#include "penalty/penalty.h"

static double value(int64_t rows, int64_t K, const double *z, double *work) {
    (void)work;
    return spd_sum_abs(rows * K, z);
}

static void project(int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)work;
    for (int64_t i = 0; i < rows * K; i++) y[i] = y[i] > lambda ? lambda : y[i] < -lambda ? -lambda : y[i];
}

static double polar(int64_t rows, int64_t K, const double *y, double *work) {
    (void)work;
    return spd_max_abs(rows * K, y);
}

static double radius(int64_t rows, int64_t K) { return sqrt((double)rows * (double)K); }

static int64_t work_size(int64_t rows, int64_t K) {
    (void)rows, (void)K;
    return 0;
}

static void slide(int64_t rows, int64_t K, double lambda, const double *v, const double *dir, double *out, double *work) {
    (void)work;
    for (int64_t i = 0; i < rows * K; i++) out[i] = fabs(v[i]) <= lambda ? dir[i] : 0;
}

const spd_penalty spd_penalty_l1 = {.name = "l1",
                                    .help = "sum of |z|: many entries of F x become exactly 0",
                                    .block = SPD_BLOCK_ROW,
                                    .sum_of_sizes = true,
                                    .zeros = SPD_ZEROS_NUMBER,
                                    .groups_ok = false,
                                    .value = value,
                                    .project = project,
                                    .slide = slide,
                                    .polar = polar,
                                    .radius = radius,
                                    .work = work_size};

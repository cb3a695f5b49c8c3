/* linf.c - r(z) = max |z_e|: pulls the largest entries of F x to a common size.
 * Y is the unit l1 ball; the polar norm is sum |y_e|. */
#include "la/la.h"
#include "penalty/penalty.h"

static double value(int64_t rows, int64_t K, const double *z, double *work) {
    (void)work;
    return spd_max_abs(rows * K, z);
}

static void project(int64_t rows, int64_t K, double lambda, double *y, double *work) {
    spd_project_l1_ball(rows * K, lambda, y, work);
}

static double polar(int64_t rows, int64_t K, const double *y, double *work) {
    (void)work;
    return spd_sum_abs(rows * K, y);
}

static double radius(int64_t rows, int64_t K) { return rows * K > 0 ? 1 : 0; }

static int64_t work_size(int64_t rows, int64_t K) { return rows * K; }

const spd_penalty spd_penalty_linf = {.name = "linf",
                                      .help = "largest |z|, of all rows or of each group: bounded, flat F x",
                                      .block = SPD_BLOCK_WHOLE,
                                      .groups_ok = true,
                                      .value = value,
                                      .project = project,
                                      .polar = polar,
                                      .radius = radius,
                                      .work = work_size};

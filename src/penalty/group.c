/* group.c - r(z) = sum_g ||z_g||_2: whole groups of Fx vanish together (group lasso; isotropic total variation on grids).
 * On one group Y is the unit ball, so the projection shortens y_g to length lambda; the polar norm is ||y_g||_2. */
#include "la/la.h"
#include "penalty/penalty.h"

static double value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    (void)r, (void)work;
    return spd_norm2(rows * K, z);
}

static void project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)r, (void)work;
    const double length = spd_norm2(rows * K, y);
    if (length > lambda) spd_scale(rows * K, lambda / length, y);
}

static double polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    return value(r, rows, K, y, work);
}

static double radius(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return rows * K > 0 ? 1 : 0;
}

/* Outside the ball: (lambda/||v||)(dir - v (v'dir)/||v||^2), the shortened tangential part. */
static void project_derivative(const spd_penalty *r, int64_t rows, int64_t K, double lambda, const double *v, const double *dir,
                               double *out, double *work) {
    (void)r, (void)work;
    const int64_t n = rows * K;
    const double norm = spd_norm2(n, v), along = norm > 0 ? spd_dot(n, v, dir) / (norm * norm) : 0;
    for (int64_t i = 0; i < n; i++) out[i] = norm <= lambda ? dir[i] : lambda / norm * (dir[i] - along * v[i]);
}

const spd_penalty spd_penalty_group = {.name = "group",
                                       .help = "sum over groups of the Euclidean norm: groups of F x become 0 together",
                                       .block = SPDHG_BLOCK_GROUP,
                                       .length = true,
                                       .zeros = SPDHG_ZEROS_BLOCK,
                                       .groups_ok = true,
                                       .value = value,
                                       .project = project,
                                       .project_derivative = project_derivative,
                                       .polar = polar,
                                       .radius = radius,
                                       .inner = spd_penalty_inner_one};

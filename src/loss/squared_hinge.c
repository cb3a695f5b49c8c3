/* squared_hinge.c - phi(z,b) = max(0, 1 - bz)^2, b = -1 or +1, as in liblinear.
 *     phi' = -2b max(0, 1 - bz)
 *     phi'' = 2 or 0
 *     phi*(alpha) = alpha^2/4 + b alpha   where b alpha <= 0 */
#include "loss/loss.h"

static double curvature(double arg) {
    (void)arg;
    return 2;
}

static double short_of_margin(double z, double b) { return b * z < 1 ? 1 - b * z : 0; }

static double value(double z, double b, double arg) {
    (void)arg;
    const double m = short_of_margin(z, b);
    return m * m;
}

static double slope(double z, double b, double arg) {
    (void)arg;
    return -2 * b * short_of_margin(z, b);
}

static double second(double z, double b, double arg) {
    (void)arg;
    return b * z < 1 ? 2 : 0;
}

static double conjugate(double alpha, double b, double arg) {
    (void)arg;
    return b * alpha <= 0 ? 0.25 * alpha * alpha + b * alpha : INFINITY;
}

static double slack(double alpha, double b, double arg) {
    (void)arg;
    return b * alpha > 0 ? 0 : fabs(alpha) < 1 ? fabs(alpha) : 1;
}

const spdhg_loss spd_loss_squared_hinge = {.name = "squared-hinge",
                                           .help = "max(0, 1 - bz)^2: two classes, support vectors",
                                           .classify = true,
                                           .arg_max = -1,
                                           .quadratic = true,
                                           .curvature = curvature,
                                           .value = value,
                                           .slope = slope,
                                           .second = second,
                                           .conjugate = conjugate,
                                           .slack = slack};

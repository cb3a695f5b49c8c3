/* squared.c - phi(z,b) = (z - b)^2 / 2, least squares.
 *     phi' = z - b
 *     phi'' = 1
 *     phi*(alpha) = alpha^2/2 + b alpha */
#include "loss/loss.h"

static double curvature(double arg) {
    (void)arg;
    return 1;
}

static double value(double z, double b, double arg) {
    (void)arg;
    return 0.5 * (z - b) * (z - b);
}

static double slope(double z, double b, double arg) {
    (void)arg;
    return z - b;
}

static double second(double z, double b, double arg) {
    (void)z, (void)b, (void)arg;
    return 1;
}

static double conjugate(double alpha, double b, double arg) {
    (void)arg;
    return 0.5 * alpha * alpha + b * alpha;
}

const spdhg_loss spd_loss_squared = {.name = "squared",
                                     .help = "(z - b)^2 / 2: regression",
                                     .arg_max = -1,
                                     .quadratic = true,
                                     .curvature = curvature,
                                     .value = value,
                                     .slope = slope,
                                     .second = second,
                                     .conjugate = conjugate};

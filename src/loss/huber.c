/* huber.c - phi(z,b) = e^2/2 for |e| <= delta, delta (|e| - delta/2) beyond, e = z - b (Huber 1964).
 *     phi' = clip(e, delta)
 *     phi*(alpha) = alpha^2/2 + b alpha   where |alpha| <= delta
 * The default 1.345 is 95 % efficient for normal errors. */
#include "loss/loss.h"

static double curvature(double delta) {
    (void)delta;
    return 1;
}

static double value(double z, double b, double delta) {
    const double e = fabs(z - b);
    return e <= delta ? 0.5 * e * e : delta * (e - 0.5 * delta);
}

static double slope(double z, double b, double delta) {
    const double e = z - b;
    return e > delta ? delta : e < -delta ? -delta : e;
}

static double second(double z, double b, double delta) { return fabs(z - b) <= delta ? 1 : 0; }

static double conjugate(double alpha, double b, double delta) {
    return fabs(alpha) <= delta ? 0.5 * alpha * alpha + b * alpha : INFINITY;
}

static double slack(double alpha, double b, double arg) {
    (void)b;
    const double left = arg - fabs(alpha);
    return left < 0 ? 0 : left < 1 ? left : 1;
}

const spdhg_loss spd_loss_huber = {.name = "huber",
                                   .help = "quadratic up to DELTA, linear beyond: regression with outliers; huber:DELTA",
                                   .arg = 1.345,
                                   .arg_min = 1e-12,
                                   .arg_max = 1e12,
                                   .quadratic = true,
                                   .curvature = curvature,
                                   .value = value,
                                   .slope = slope,
                                   .second = second,
                                   .conjugate = conjugate,
                                   .slack = slack};

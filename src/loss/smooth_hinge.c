/* smooth_hinge.c - the hinge max(0, 1 - bz) with its kink rounded over a width h, b = -1 or +1.
 *     phi = (1-bz)^2/(2h) on 1-h < bz < 1, 1-bz-h/2 below, 0 above
 * With beta = clip01((1-bz)/h):
 *     phi' = -b beta
 *     phi*(alpha) = -beta + h beta^2/2   at beta = -b alpha in [0,1] */
#include "loss/loss.h"

static double curvature(double h) { return 1 / h; }

static double beta_of(double z, double b, double h) {
    const double m = 1 - b * z;
    return m <= 0 ? 0 : m >= h ? 1 : m / h;
}

static double value(double z, double b, double h) {
    const double m = 1 - b * z;
    return m <= 0 ? 0 : m >= h ? m - 0.5 * h : 0.5 * m * (m / h);
}

static double slope(double z, double b, double h) { return -b * beta_of(z, b, h); }

static double second(double z, double b, double h) {
    const double m = 1 - b * z;
    return m > 0 && m < h ? 1 / h : 0;
}

static double conjugate(double alpha, double b, double h) {
    const double beta = -b * alpha;
    return beta >= 0 && beta <= 1 ? beta * (0.5 * h * beta - 1) : INFINITY;
}

static double slack(double alpha, double b, double arg) {
    (void)arg;
    const double beta = -b * alpha;
    return beta < 0 || beta > 1 ? 0 : beta < 0.5 ? beta : 1 - beta;
}

const spdhg_loss spd_loss_smooth_hinge = {.name = "smooth-hinge",
                                          .help =
                                              "hinge rounded over the width EPS below the margin: two classes; smooth-hinge:EPS",
                                          .classify = true,
                                          .arg = 1,
                                          .arg_min = 1e-6,
                                          .arg_max = 1e6,
                                          .quadratic = true,
                                          .curvature = curvature,
                                          .value = value,
                                          .slope = slope,
                                          .second = second,
                                          .conjugate = conjugate,
                                          .slack = slack};

/* logistic.c - phi(z,b) = log(1 + exp(-bz)), b = -1 or +1. With p = 1/(1 + exp(bz)):
 *     phi' = -b p
 *     phi'' = p(1-p)
 *     phi*(alpha) = p log p + (1-p) log(1-p)   at p = -b alpha in [0,1] */
#include "loss/loss.h"

static double curvature(double arg) {
    (void)arg;
    return 0.25;
}

static double value(double z, double b, double arg) {
    (void)arg;
    const double t = b * z;
    return log1p(exp(-fabs(t))) + (t < 0 ? -t : 0);
}

static double slope(double z, double b, double arg) {
    (void)arg;
    return -b / (1 + exp(b * z)); /* exp may overflow to infinity; the quotient is then 0 */
}

static double second(double z, double b, double arg) {
    (void)arg;
    const double e = exp(-fabs(b * z));
    return e / ((1 + e) * (1 + e));
}

static double conjugate(double alpha, double b, double arg) {
    (void)arg;
    const double p = -b * alpha;
    if (!(p >= 0 && p <= 1)) return INFINITY;
    return (p > 0 ? p * log(p) : 0) + (p < 1 ? (1 - p) * log1p(-p) : 0);
}

static double slack(double alpha, double b, double arg) {
    (void)arg;
    const double p = -b * alpha;
    return p < 0 || p > 1 ? 0 : p < 0.5 ? p : 1 - p;
}

/* Keeps the digits of the smaller of the two probabilities. */
static double chance(double z, double b, double arg) {
    (void)arg;
    const double small = exp(-fabs(z));
    return b * z > 0 ? 1 / (1 + small) : small / (1 + small);
}

const spdhg_loss spd_loss_logistic = {.name = "logistic",
                                      .help = "log(1 + exp(-bz)): two classes, probabilities",
                                      .classify = true,
                                      .arg_max = -1,
                                      .curvature = curvature,
                                      .value = value,
                                      .slope = slope,
                                      .second = second,
                                      .conjugate = conjugate,
                                      .slack = slack,
                                      .falls_for_ever = true,
                                      .steady = true,
                                      .chance = chance};

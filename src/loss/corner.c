/* corner.c - losses made of two half-lines that meet in a corner at z = b. With slopes low <= 0 <= high:
 *     phi(z,b) = max over low <= alpha <= high of alpha (z - b)
 *     phi*(alpha) = b alpha   where low <= alpha <= high
 *     phi(z) + phi*(alpha) - alpha z = (phi'(z) - alpha)(z - b)
 *
 *     hinge          max(0, 1 - bz)                            [-1, 0] for b = 1, [0, 1] for b = -1
 *     absolute       |z - b|                                   [-1, 1]
 *     quantile:TAU   TAU (b - z) or (1 - TAU)(z - b), >= 0     [-TAU, 1 - TAU]
 *
 * At the corner every alpha of the interval is a slope; phi' returns 0 there. */
#include "loss/loss.h"

typedef struct sides {
    double low, high;
} sides;

static sides hinge(double b, double arg) {
    (void)arg;
    return b > 0 ? (sides){-1, 0} : (sides){0, 1};
}

static sides absolute(double b, double arg) {
    (void)b, (void)arg;
    return (sides){-1, 1};
}

static sides quantile(double b, double tau) {
    (void)b;
    return (sides){-tau, 1 - tau};
}

static double curvature(double arg) {
    (void)arg;
    return INFINITY;
}

static double second(double z, double b, double arg) {
    (void)z, (void)b, (void)arg;
    return 0;
}

static double slope_of(sides s, double off) { return off > 0 ? s.high : off < 0 ? s.low : 0; }
static double value_of(sides s, double off) { return slope_of(s, off) == 0 ? 0 : slope_of(s, off) * off; }
static bool contains(sides s, double alpha) { return alpha >= s.low && alpha <= s.high; }
static double conjugate_of(sides s, double alpha, double b) { return contains(s, alpha) ? b * alpha : INFINITY; }
static double slack_of(sides s, double alpha) { return contains(s, alpha) ? fmin(alpha - s.low, s.high - alpha) : 0; }
static double bracket_of(sides s, double off, double alpha) {
    if (!contains(s, alpha)) return INFINITY;
    return off == 0 ? 0 : (slope_of(s, off) - alpha) * off;
}

/* The functions of one loss. */
#define FUNCTIONS(loss)                                                                                                          \
    static double loss##_value(double z, double b, double arg) { return value_of(loss(b, arg), z - b); }                         \
    static double loss##_slope(double z, double b, double arg) { return slope_of(loss(b, arg), z - b); }                         \
    static double loss##_conjugate(double alpha, double b, double arg) { return conjugate_of(loss(b, arg), alpha, b); }          \
    static double loss##_slack(double alpha, double b, double arg) { return slack_of(loss(b, arg), alpha); }                     \
    static double loss##_bracket(double z, double b, double alpha, double arg) { return bracket_of(loss(b, arg), z - b, alpha); }

#define SHARED(loss)                                                                                                             \
    .quadratic = true, .curvature = curvature, .value = loss##_value, .slope = loss##_slope, .second = second,                   \
    .conjugate = loss##_conjugate, .slack = loss##_slack, .bracket = loss##_bracket

FUNCTIONS(hinge)
FUNCTIONS(absolute)
FUNCTIONS(quantile)

const spdhg_loss spd_loss_hinge = {.name = "hinge",
                                   .help = "max(0, 1 - bz): two classes, support vector machine",
                                   .classify = true,
                                   .arg_max = -1,
                                   SHARED(hinge)};

const spdhg_loss spd_loss_absolute = {
    .name = "absolute", .help = "|z - b|: regression of the median, with outliers", .arg_max = -1, SHARED(absolute)};

const spdhg_loss spd_loss_quantile = {.name = "quantile",
                                      .help = "TAU (b - z) below the target, (1 - TAU)(z - b) above: regression of the "
                                              "TAU-quantile; quantile:TAU",
                                      .arg = 0.5,
                                      .arg_min = 1e-6,
                                      .arg_max = 1 - 1e-6,
                                      SHARED(quantile)};

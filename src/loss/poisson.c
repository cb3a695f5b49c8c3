/* poisson.c - half the deviance of counts b >= 0 with mean exp(z): phi(z,b) = exp(z) - b z + b log b - b, 0 log 0 = 0.
 * The curvature has no bound:
 *     phi' = exp(z) - b
 *     phi'' = phi''' = exp(z)
 * With q = alpha + b >= 0:
 *     phi*(alpha) = q log q - b log b - alpha
 *     phi(z) + phi*(alpha) - alpha z = q (exp(t) - 1 - t),   t = z - log q,   q = 0: exp(z)
 * and phi is that bracket at alpha = 0. Offsets are logarithms of exposures. */
#include "loss/loss.h"

enum { TERMS = 26 };
static const double SERIES = 2; /* up to here a series, because exp(t) - 1 - t would lose digits to cancellation */

static double curvature(double arg) {
    (void)arg;
    return INFINITY;
}

/* q (exp(t) - 1 - t), z = t + log q; valid also for t near 700. */
static double excess(double q, double t, double z) {
    double sum = 1;
    if (t > SERIES) return exp(z) - q * (1 + t);
    if (t < -1) return q * (expm1(t) - t);
    for (int k = TERMS; k > 2; k--) sum = 1 + sum * (t / k);
    return q * (0.5 * t * t * sum);
}

static double value(double z, double b, double arg) {
    (void)arg;
    return b > 0 ? excess(b, z - log(b), z) : exp(z);
}

static double slope(double z, double b, double arg) {
    (void)arg;
    return exp(z) - b;
}

static double second(double z, double b, double arg) {
    (void)b, (void)arg;
    return exp(z);
}

static double conjugate(double alpha, double b, double arg) {
    (void)arg;
    if (!(alpha >= -b)) return INFINITY;
    if (!(b > 0)) return alpha > 0 ? alpha * log(alpha) - alpha : 0;
    return alpha * log(b) - alpha + (alpha > -b ? (alpha + b) * log1p(alpha / b) : 0);
}

/* q is represented as a sum of two numbers, without rounding, so that log q is accurate to its last digits. */
static double bracket(double z, double b, double alpha, double arg) {
    (void)arg;
    if (!(alpha >= -b)) return INFINITY;
    const double q = alpha + b, part = q - b, rest = (alpha - part) + (b - (q - part));
    return q > 0 ? excess(q, z - log(q) - rest / q, z) : exp(z);
}

static double slack(double alpha, double b, double arg) {
    (void)arg;
    return alpha > -b ? alpha + b : 0;
}

static double mean(double z, double arg) {
    (void)arg;
    return exp(z);
}

static const char *wrong_target(double b) { return b >= 0 && isfinite(b) ? NULL : "a count, a finite number of at least 0"; }

const spdhg_loss spd_loss_poisson = {.name = "poisson",
                                     .help = "exp(z) - bz + b log b - b, half the deviance: counts, means exp(z)",
                                     .arg_max = -1,
                                     .curvature = curvature,
                                     .value = value,
                                     .slope = slope,
                                     .second = second,
                                     .conjugate = conjugate,
                                     .slack = slack,
                                     .falls_for_ever = true,
                                     .steady = true,
                                     .bracket = bracket,
                                     .mean = mean,
                                     .wrong_target = wrong_target};

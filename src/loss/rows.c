/* rows.c - value, slope and curvature of many rows of a scalar loss at once. The logistic loss from one exponential a row:
 *     e = exp(-|bz|):   phi = log(1 + e) + max(-bz, 0),   phi' = -b p,  p = e/(1+e) or 1/(1+e),   phi'' = e/(1+e)^2
 * with exp and log written out, so that the loop runs in vectors; logistic.c is the readable form, to which it agrees to
 * rounding. */
#include "la/la.h"
#include "loss/loss.h"

enum { EXP_TERMS = 14, LOG_TERMS = 17 };
static const double FAR = 700; /* beyond it exp(-a) stays at 1e-304 */

/* exp(-a) for 0 <= a <= FAR: 2^-k exp(r), r = k log 2 - a, |r| <= log(2)/2, by its series. */
static inline double exp_minus(double a) {
    const double magic = 6755399441055744.0, log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
    union {
        double d;
        int64_t i;
    } shifted = {.d = a * 1.44269504088896340736 + magic}, start = {.d = magic}, scale;
    const double k = shifted.d - magic, r = (k * log2_high - a) + k * log2_low;
    static const double term[EXP_TERMS] = {
        1,          1,           1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
        1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    double sum = term[EXP_TERMS - 1];
#pragma GCC unroll 16
    for (int i = EXP_TERMS - 2; i >= 0; i--) sum = sum * r + term[i];
    scale.i = (int64_t)((uint64_t)(1023 - (shifted.i - start.i)) << 52);
    return sum * scale.d;
}

/* log(1 + e) for 0 <= e <= 1: 2 artanh(s), s = e/(2 + e) <= 1/3. */
static inline double log_one_plus(double e) {
    const double s = e / (2 + e), q = s * s;
    double sum = 1.0 / (2 * LOG_TERMS - 1);
#pragma GCC unroll 20
    for (int i = LOG_TERMS - 2; i >= 0; i--) sum = sum * q + 1.0 / (2 * i + 1);
    return 2 * s * sum;
}

SPD_WIDE static void logistic(int64_t n, const double *restrict z, const double *restrict b, double *restrict value,
                              double *restrict slope, double *restrict second) {
    for (int64_t i = 0; i < n; i++) {
        const double t = b[i] * z[i], size = fabs(t), e = exp_minus(size < FAR ? size : FAR), one = 1 / (1 + e), p = e * one;
        value[i] = log_one_plus(e) + 0.5 * (size - t);
        slope[i] = -b[i] * (t < 0 ? one : p);
        second[i] = p * one;
    }
}

void spd_loss_rows(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, double *value, double *slope,
                   double *second) {
    if (loss == &spd_loss_logistic) {
        logistic(n, z, b, value, slope, second);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        value[i] = loss->value(z[i], b[i], arg);
        slope[i] = loss->slope(z[i], b[i], arg);
        second[i] = loss->second(z[i], b[i], arg);
    }
}

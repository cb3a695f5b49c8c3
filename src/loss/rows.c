/* rows.c - many rows of a scalar loss at once. The logistic loss takes one exponential a row:
 *     e     = exp(-|bz|)
 *     phi   = log(1 + e) + max(-bz, 0)
 *     phi'  = -b p,   p = e/(1+e) or 1/(1+e)
 *     phi'' = e/(1+e)^2
 * exp and log are written out, so that the loops vectorise. logistic.c is the readable form, with which they agree up to
 * rounding. The squared loss needs no call for each row, and its bracket is (z - b - alpha)^2/2. */
#include <float.h>

#include "la/la.h"
#include "loss/loss.h"

enum { EXP_TERMS = 14, LOG_TERMS = 11 };
static const double FAR = 750;                                                     /* exp(-a) is 0 from here on */
static const double ROOT = 1.41421356237309504880, LOG2 = 0.693147180559945309417; /* sqrt(2), log(2) */

typedef union bits {
    double d;
    uint64_t i;
} bits;

/* exp(-a) for 0 <= a <= FAR: 2^-k exp(r), r = k log 2 - a, |r| <= log(2)/2, by its series. 2^-k is a product of two, since it
 * may be smaller than any double. */
static inline double exp_minus(double a) {
    const double magic = 6755399441055744.0, log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
    const bits shifted = {.d = a * 1.44269504088896340736 + magic}, start = {.d = magic};
    const double k = shifted.d - magic, r = (k * log2_high - a) + k * log2_low;
    static const double term[EXP_TERMS] = {
        1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
        1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    double sum = term[EXP_TERMS - 1];
#pragma GCC unroll 16
    for (int i = EXP_TERMS - 2; i >= 0; i--) sum = sum * r + term[i];
    const uint64_t whole = shifted.i - start.i, half = whole >> 1;
    const bits scale = {.i = (1023 - half) << 52}, rest = {.i = (1023 - (whole - half)) << 52};
    return sum * scale.d * rest.d;
}

/* log((1 + s)/(1 - s)) = 2 artanh(s) for |s| <= 3 - 2 sqrt(2). */
static inline double log_ratio(double s) {
    const double q = s * s;
    double sum = 1.0 / (2 * LOG_TERMS - 1);
#pragma GCC unroll 16
    for (int i = LOG_TERMS - 2; i >= 0; i--) sum = sum * q + 1.0 / (2 * i + 1);
    return 2 * s * sum;
}

/* log(1 + e) for 0 <= e <= 1, accurate even if e is tiny: expanded around 1 or around sqrt(2). */
static inline double log_one_plus(double e) {
    const double centre = e > ROOT - 1 ? ROOT : 1, offset = e > ROOT - 1 ? ROOT - 1 : 0, plus = e > ROOT - 1 ? 0.5 * LOG2 : 0;
    return plus + log_ratio((e - offset) / (1 + e + centre));
}

/* log(v) for DBL_MIN <= v <= 1: v = m 2^k, m between sqrt(1/2) and sqrt(2). */
static inline double log_of(double v) {
    const bits given = {.d = v}, one = {.d = 1}, low = {.d = 0.5 * ROOT}, big = {.d = 4503599627370496.0};
    const uint64_t shifted = (given.i + (one.i - low.i)) >> 52; /* k + 1023 */
    const bits m = {.i = given.i - ((shifted - 1023) << 52)}, k = {.i = shifted | big.i};
    return (k.d - big.d - 1023) * LOG2 + log_ratio((m.d - 1) / (m.d + 1));
}

SPD_WIDEST static void logistic(int64_t n, const double *restrict z, const double *restrict b, double *restrict value,
                                double *restrict slope, double *restrict second) {
    for (int64_t i = 0; i < n; i++) {
        const double t = b[i] * z[i], size = fabs(t), e = exp_minus(size < FAR ? size : FAR), one = 1 / (1 + e), p = e * one;
        value[i] = log_one_plus(e) + 0.5 * (size - t);
        slope[i] = -b[i] * (t < 0 ? one : p);
        second[i] = p * one;
    }
}

/* phi(z) + phi*(alpha) - alpha z with phi*(-b q) = q log q + (1 - q) log(1 - q). */
SPD_WIDEST static void logistic_bracket(int64_t n, const double *restrict z, const double *restrict b,
                                        const double *restrict alpha, double *restrict out) {
    for (int64_t i = 0; i < n; i++) {
        const double t = b[i] * z[i], size = fabs(t), e = exp_minus(size < FAR ? size : FAR), q = -b[i] * alpha[i], r = 1 - q;
        const double near = log_ratio(-q / (2 - q)), far = log_of(r > DBL_MIN ? r : DBL_MIN),
                     tiny = log_of(q > DBL_MIN ? q : DBL_MIN);
        const double bracket = log_one_plus(e) + 0.5 * (size - t) + q * t + q * tiny + r * (q < 0.25 ? near : far);
        out[i] = q >= 0 && q <= 1 ? bracket : INFINITY;
    }
}

SPD_WIDE static void squared(int64_t n, const double *restrict z, const double *restrict b, double *restrict value,
                             double *restrict slope, double *restrict second) {
    for (int64_t i = 0; i < n; i++) {
        slope[i] = z[i] - b[i];
        value[i] = 0.5 * slope[i] * slope[i];
        second[i] = 1;
    }
}

SPD_WIDE static void squared_bracket(int64_t n, const double *restrict z, const double *restrict b, const double *restrict alpha,
                                     double *restrict out) {
    for (int64_t i = 0; i < n; i++) {
        const double by = (z[i] - b[i]) - alpha[i];
        out[i] = 0.5 * by * by;
    }
}

void spd_loss_rows(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, double *value, double *slope,
                   double *second) {
    if (loss == &spd_loss_logistic) {
        logistic(n, z, b, value, slope, second);
        return;
    }
    if (loss == &spd_loss_squared) {
        squared(n, z, b, value, slope, second);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        value[i] = loss->value(z[i], b[i], arg);
        slope[i] = loss->slope(z[i], b[i], arg);
        second[i] = loss->second(z[i], b[i], arg);
    }
}

void spd_loss_slopes(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, double *slope) {
    enum { AT_ONCE = 64 };
    double value[AT_ONCE], second[AT_ONCE];
    for (int64_t i = 0; loss == &spd_loss_logistic && i < n; i += AT_ONCE)
        logistic(n - i < AT_ONCE ? n - i : AT_ONCE, z + i, b + i, value, slope + i, second);
    for (int64_t i = 0; loss != &spd_loss_logistic && i < n; i++) slope[i] = loss->slope(z[i], b[i], arg);
}

void spd_loss_brackets(const spdhg_loss *loss, double arg, int64_t n, const double *z, const double *b, const double *alpha,
                       double *out) {
    if (loss == &spd_loss_logistic) {
        logistic_bracket(n, z, b, alpha, out);
        return;
    }
    if (loss == &spd_loss_squared) {
        squared_bracket(n, z, b, alpha, out);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = loss->bracket ? loss->bracket(z[i], b[i], alpha[i], arg)
                               : loss->value(z[i], b[i], arg) + loss->conjugate(alpha[i], b[i], arg) - alpha[i] * z[i];
}

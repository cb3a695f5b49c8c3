/* softmax.c - phi(z,c) = log sum_k exp(z_k) - z_c over K classes, c the class number: multinomial logistic regression.
 * With q = exp(z) / sum exp(z):
 *     phi' = q - e_c
 *     phi'' = diag(q) - q q'
 *     phi*(alpha) = sum_k q_k log q_k   at q = alpha + e_c, q in the simplex
 * The sum of q is rounded, so that it is 1 only up to SUM_ERROR; the signs of q are exact. */
#include "loss/loss.h"

static const double SUM_ERROR = 1e-12;

static double curvature(double arg) {
    (void)arg;
    return 0.5; /* largest eigenvalue of diag(q) - q q': q = (1/2, 1/2) */
}

static double largest(const double *z, int64_t K) {
    double top = z[0];
    for (int64_t k = 1; k < K; k++) top = z[k] > top ? z[k] : top;
    return top;
}

/* log(1 + the others) + (top - z_c): two nonnegative numbers, each accurate to its last digits however small it is. */
static double value(const double *z, int64_t K, double b) {
    int64_t top = 0;
    double others = 0;
    for (int64_t k = 1; k < K; k++) top = z[k] > z[top] ? k : top;
    for (int64_t k = 0; k < K; k++) others += k == top ? 0 : exp(z[k] - z[top]);
    return log1p(others) + (z[top] - z[(int64_t)b]);
}

static void slope(const double *z, int64_t K, double b, double *out) {
    const int64_t c = (int64_t)b;
    const double top = largest(z, K);
    double others = 0; /* 1 - q_c without cancellation */
    for (int64_t k = 0; k < K; k++) {
        out[k] = exp(z[k] - top);
        if (k != c) others += out[k];
    }
    const double all = others + out[c];
    for (int64_t k = 0; k < K; k++) out[k] /= all;
    out[c] = -(others / all);
}

/* (phi''p)_k = q_k sum_l q_l (p_k - p_l), with p relative to that of the largest score. What is left there of 1 - q is the sum of
 * the other q: nothing cancels, however near to 1 it is. */
static void second(const double *z, int64_t K, double b, const double *p, double *hp) {
    (void)b;
    int64_t top = 0;
    double all = 0, mean = 0;
    for (int64_t k = 1; k < K; k++) top = z[k] > z[top] ? k : top;
    const double own = p[top];
    for (int64_t k = 0; k < K; k++) all += hp[k] = exp(z[k] - z[top]);
    for (int64_t k = 0; k < K; k++) mean += hp[k] / all * (p[k] - own);
    for (int64_t k = 0; k < K; k++) hp[k] = hp[k] / all * (p[k] - own - mean);
}

static double conjugate(const double *alpha, int64_t K, double b) {
    double sum = 0, entropy = 0;
    for (int64_t k = 0; k < K; k++) {
        const double q = k == (int64_t)b ? 1 + alpha[k] : alpha[k];
        if (!(q >= 0)) return INFINITY;
        sum += alpha[k];
        if (q > 0) entropy += k == (int64_t)b ? q * log1p(alpha[k]) : q * log(q);
    }
    return fabs(sum) <= SUM_ERROR ? entropy : INFINITY;
}

static void chances(const double *z, int64_t K, double *out) {
    const double top = largest(z, K);
    double sum = 0;
    for (int64_t k = 0; k < K; k++) sum += out[k] = exp(z[k] - top);
    for (int64_t k = 0; k < K; k++) out[k] /= sum;
}

const spdhg_loss spd_loss_softmax = {.name = "softmax",
                                     .help = "log sum exp(z) - z_b: any number of classes, probabilities",
                                     .classify = true,
                                     .arg_max = -1,
                                     .curvature = curvature,
                                     .value_k = value,
                                     .slope_k = slope,
                                     .second_k = second,
                                     .conjugate_k = conjugate,
                                     .falls_for_ever = true,
                                     .chance_k = chances};

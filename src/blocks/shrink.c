/* shrink.c - the minimiser in one block of a model. With a diagonal Hessian and the Euclidean length
 *     y_q = u_q / (D_q + gamma + lambda / t),   t = ||y||,   where ||u|| > lambda;   y = 0 otherwise
 * so that t is the root of
 *     h(t) = 1 / sqrt( sum_q (u_q / ((D_q + gamma) t + lambda))^2 ) - 1
 * which is nearly a line (as in trust regions: Conn, Gould, Toint 2000, section 7.3). */
#include "blocks/blocks.h"

enum { STEPS_MOST = 100, ROUNDS_MOST = 200 };
static const double EXACT = 1e-15, ENOUGH = 1e-3;

static double root(int64_t n, const double *D, double gamma, double lambda, const double *u, double length) {
    double least = INFINITY, most = 0;
    for (int64_t q = 0; q < n; q++) {
        least = fmin(least, D[q] + gamma);
        most = fmax(most, D[q] + gamma);
    }
    double low = (length - lambda) / most, high = least > 0 ? (length - lambda) / least : INFINITY, t = low;
    if (least == most) return low;
    for (int i = 0; i < STEPS_MOST; i++) {
        double sum = 0, slope = 0;
        for (int64_t q = 0; q < n; q++) {
            const double by = 1 / ((D[q] + gamma) * t + lambda), part = u[q] * by * (u[q] * by);
            sum += part;
            slope += part * (D[q] + gamma) * by;
        }
        const double over = 1 / sqrt(sum), step = (over - 1) / (slope * over * over * over); /* h'(t) = slope sum^-3/2 */
        if (over < 1)
            low = fmax(low, t);
        else
            high = fmin(high, t);
        double next = t - step;
        if (!(next >= low && next <= high)) next = isfinite(high) ? 0.5 * (low + high) : 2 * low;
        if (fabs(next - t) <= EXACT * t) return next;
        t = next;
    }
    return t;
}

void spd_blocks_shrink(int64_t n, const double *D, double gamma, double lambda, const double *u, double *y) {
    const double length = spd_norm2(n, u);
    if (!(length > lambda)) {
        memset(y, 0, (size_t)n * sizeof *y);
        return;
    }
    const double t = lambda > 0 ? root(n, D, gamma, lambda, u, length) : 1;
    for (int64_t q = 0; q < n; q++) y[q] = u[q] * t / ((D[q] + gamma) * t + lambda);
}

void spd_blocks_shrink_numbers(int64_t n, const double *H, double gamma, double lambda, const double *x, double *s, double *y) {
    for (int64_t q = 0; q < n; q++) y[q] = x[q];
    double first = 0;
    for (int i = 0; i < ROUNDS_MOST; i++) {
        double most = 0;
        for (int64_t q = 0; q < n; q++) {
            const double h = H[q * n + q] + gamma, u = h * y[q] - s[q];
            if (!(h > 0)) continue;
            const double to = fabs(u) > lambda ? (u - copysign(lambda, u)) / h : 0, by = to - y[q];
            if (by == 0) continue;
            spd_axpy(n, by, H + q * n, s);
            s[q] += gamma * by;
            y[q] = to;
            most = fmax(most, h * fabs(by));
        }
        first = fmax(first, most);
        if (most <= ENOUGH * first) return;
    }
}

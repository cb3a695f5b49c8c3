/* vec.c - sums and updates of plain arrays of doubles.
 * Sums run in eight lanes that are added in a fixed order, so the bits are the same whatever vector width the compiler chose. */
#include "la/la.h"

enum { LANES = 8 };

static inline double add_lanes(const double s[LANES]) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

SPD_WIDE double spd_dot(int64_t n, const double *x, const double *y) {
    double s[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) s[j] += x[i + j] * y[i + j];
    for (int j = 0; i < n; i++, j++) s[j] += x[i] * y[i];
    return add_lanes(s);
}

SPD_WIDE double spd_sum_lanes(int64_t n, const double *x) {
    double s[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) s[j] += x[i + j];
    for (int j = 0; i < n; i++, j++) s[j] += x[i];
    return add_lanes(s);
}

SPD_WIDE double spd_sum_abs(int64_t n, const double *x) {
    double s[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) s[j] += fabs(x[i + j]);
    for (int j = 0; i < n; i++, j++) s[j] += fabs(x[i]);
    return add_lanes(s);
}

/* NaN entries are ignored. */
SPD_WIDE double spd_max_abs(int64_t n, const double *x) {
    double s[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
#pragma GCC unroll 1 /* unrolled, it would not become vectors */
        for (int j = 0; j < LANES; j++) s[j] = fabs(x[i + j]) > s[j] ? fabs(x[i + j]) : s[j];
    for (; i < n; i++) s[0] = fabs(x[i]) > s[0] ? fabs(x[i]) : s[0];
    for (int j = 1; j < LANES; j++) s[0] = s[j] > s[0] ? s[j] : s[0];
    return s[0];
}

double spd_power_near_inverse(double t) {
    int exponent = 0;
    if (t != 0) (void)frexp(t, &exponent);
    return ldexp(1, exponent < -1020 ? 1020 : -exponent); /* finite, and so is its inverse */
}

double spd_norm2(int64_t n, const double *x) {
    const double square = spd_dot(n, x, x);
    if ((square > 1e-280 && square < INFINITY) || isnan(square)) return sqrt(square);
    const double largest = spd_max_abs(n, x); /* squares are out of the range of doubles: divide first */
    if (largest == 0 || isinf(largest)) return largest;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

SPD_WIDE void spd_axpy(int64_t n, double a, const double *restrict x, double *restrict y) {
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

SPD_WIDE void spd_scale(int64_t n, double a, double *x) {
    for (int64_t i = 0; i < n; i++) x[i] *= a;
}

SPD_WIDE bool spd_all_finite(int64_t n, const double *x) {
    double s[LANES] = {0}; /* x - x is 0 if x is finite, otherwise NaN */
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) s[j] += x[i + j] - x[i + j];
    for (; i < n; i++) s[0] += x[i] - x[i];
    return add_lanes(s) == 0;
}

int64_t spd_count_nonzero(int64_t n, const double *x) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += x[i] != 0;
    return count;
}

double spd_sum(int64_t n, const double *x) {
    double sum = 0, lost = 0;
    for (int64_t i = 0; i < n; i++) {
        const double next = sum + x[i];
        lost += fabs(sum) >= fabs(x[i]) ? (sum - next) + x[i] : (x[i] - next) + sum;
        sum = next;
    }
    return isfinite(sum) ? sum + lost : sum;
}

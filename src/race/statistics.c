/* statistics.c - ranks, Friedman's test, Nemenyi's critical difference, Wilcoxon's signed rank test, Holm's adjustment:
 * what Demsar (JMLR 7, 2006) recommends for several methods on several data sets. */
#include "race/statistics.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right, void *values) {
    const double *value = values;
    const int64_t i = *(const int64_t *)left, j = *(const int64_t *)right;
    if (value[i] != value[j]) return value[i] < value[j] ? -1 : 1;
    return (i > j) - (i < j);
}

static void sort(const double *value, int64_t n, int64_t *order) {
    for (int64_t i = 0; i < n; i++) order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_value, (void *)(uintptr_t)value);
}

void spd_rank(const double *value, int64_t n, double *rank, int64_t *work) {
    sort(value, n, work);
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && value[work[end]] == value[work[first]];) end++;
        for (int64_t i = first; i < end; i++) rank[work[i]] = 0.5 * (double)(first + 1 + end);
    }
}

/* Upper tail of the gamma distribution: series for its complement where x < a + 1, Lentz's continued fraction beyond. */
double spd_chi2_tail(double chi2, double degrees) {
    enum { ROUNDS = 10000 };
    const double a = degrees / 2, x = chi2 / 2;
    if (!(x > 0)) return 1;
    const double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int i = 1; i < ROUNDS && term > 1e-17 * sum; i++) sum += term *= x / (a + i);
        return 1 - front * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < ROUNDS; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return front * h;
}

spdhg_status spd_friedman(const double *value, int64_t N, int64_t k, double *mean_rank, double *chi2, double *p,
                          spdhg_error *err) {
    *chi2 = *p = NAN;
    double *rank = SPD_NEW(double, k);
    int64_t *work = SPD_NEW(int64_t, k);
    const spdhg_status status = rank && work ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)k);
    double ties = 0, squares = 0;
    for (int64_t j = 0; status == SPDHG_OK && j < k; j++) mean_rank[j] = 0;
    for (int64_t i = 0; status == SPDHG_OK && i < N; i++) {
        const double *row = value + i * k;
        spd_rank(row, k, rank, work);
        for (int64_t j = 0; j < k; j++) mean_rank[j] += rank[j] / (double)N;
        for (int64_t first = 0, end; first < k; first = end) { /* work is still sorted by value */
            for (end = first + 1; end < k && row[work[end]] == row[work[first]];) end++;
            const double t = (double)(end - first);
            ties += t * t * t - t;
        }
    }
    const double n = (double)N, m = (double)k, correction = 1 - ties / (n * m * (m * m - 1));
    for (int64_t j = 0; status == SPDHG_OK && j < k; j++) squares += n * mean_rank[j] * n * mean_rank[j];
    if (status == SPDHG_OK && N > 1 && k > 1 && correction > 0) {
        *chi2 = (12 / (n * m * (m + 1)) * squares - 3 * n * (m + 1)) / correction;
        *p = spd_chi2_tail(*chi2, m - 1);
    }
    spd_free(rank);
    spd_free(work);
    return status;
}

static double normal_below(double z) { return 0.5 * erfc(-z / sqrt(2)); }

/* With z the largest of k standard normals, by Simpson's rule:
 *     P(range <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz */
static double range_below(double q, int64_t k) {
    enum { PIECES = 2000 };
    const double from = -8, step = 16.0 / PIECES, norm = 1 / sqrt(2 * acos(-1));
    double sum = 0;
    for (int i = 0; i <= PIECES; i++) {
        const double z = from + i * step;
        const double weight = i == 0 || i == PIECES ? 1 : i % 2 ? 4 : 2;
        sum += weight * norm * exp(-z * z / 2) * pow(normal_below(z) - normal_below(z - q), (double)(k - 1));
    }
    return (double)k * sum * step / 3;
}

double spd_studentized_range(double alpha, int64_t k) {
    double low = 0, high = 20;
    while (high - low > 1e-12 * high) {
        const double q = 0.5 * (low + high);
        if (range_below(q, k) < 1 - alpha)
            low = q;
        else
            high = q;
    }
    return 0.5 * (low + high);
}

double spd_nemenyi(int64_t N, int64_t k, double alpha) {
    if (N < 1 || k < 2) return NAN;
    return spd_studentized_range(alpha, k) / sqrt(2) * sqrt((double)k * ((double)k + 1) / (6 * (double)N));
}

/* a - b, where the difference of two infinite values ("never") is 0. */
static double difference(double a, double b) { return isinf(a) && isinf(b) ? 0 : a - b; }

/* P(sum over a random half of the ranks <= s). Ranks are doubled to make them integers; chance[t] = P(doubled sum = t) is built
 * up one rank at a time. */
static double two_sided(const double *rank, int64_t n, double positive, double *chance) {
    int64_t most = 0;
    chance[0] = 1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = llround(2 * rank[i]);
        for (int64_t t = most; t >= 0; t--) {
            chance[t + r] += 0.5 * chance[t];
            chance[t] *= 0.5;
        }
        most += r;
    }
    const int64_t seen = llround(2 * positive);
    double below = 0, above = 0;
    for (int64_t t = 0; t <= most; t++) {
        if (t <= seen) below += chance[t];
        if (t >= seen) above += chance[t];
    }
    return fmin(1, 2 * fmin(below, above));
}

spdhg_status spd_wilcoxon(const double *a, const double *b, int64_t n, double *p, spdhg_error *err) {
    double *size = SPD_NEW(double, n), *rank = SPD_NEW(double, n), *chance = SPD_NEW(double, n *(n + 1) + 1);
    int64_t *work = SPD_NEW(int64_t, n), used = 0;
    bool *up = SPD_NEW(bool, n);
    const spdhg_status status =
        size && rank && chance && work && up ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)n * ((double)n + 4));
    for (int64_t i = 0; status == SPDHG_OK && i < n; i++) {
        const double d = difference(a[i], b[i]);
        if (d == 0) continue;
        up[used] = d > 0;
        size[used++] = fabs(d);
    }
    if (status == SPDHG_OK) {
        double positive = 0;
        spd_rank(size, used, rank, work);
        for (int64_t i = 0; i < used; i++) positive += up[i] ? rank[i] : 0;
        *p = two_sided(rank, used, positive, chance);
    }
    spd_free(size);
    spd_free(rank);
    spd_free(chance);
    spd_free(work);
    spd_free(up);
    return status;
}

void spd_holm(const double *p, int64_t n, double *adjusted, int64_t *work) {
    sort(p, n, work);
    double least = 0;
    for (int64_t i = 0; i < n; i++) {
        least = fmax(least, fmin(1, (double)(n - i) * p[work[i]]));
        adjusted[work[i]] = least;
    }
}

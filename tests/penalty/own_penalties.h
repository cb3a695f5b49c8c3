/* own_penalties.h - penalties as a user would define them, with no form claimed: sorted l1 (its weights in data, r is no sum),
 * a multiple of l1 (sizes other than 1), and falls only, max(-z, 0), whose Y has 0 at its edge. */
#ifndef OWN_PENALTIES_H
#define OWN_PENALTIES_H
#include "penalty/penalty.h"

/* ---- r(z) = sum_i w_i |z|_(i), w_i = 1/i + data: the sums by repeated search for the next largest size, O(n^2) */
static inline double sorted_weight(const spd_penalty *r, int64_t i) { return 1 / (double)(i + 1) + *(const double *)r->data; }

/* order: places in descending order of size */
static inline void sorted_order(int64_t n, const double *v, double *order) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && fabs(v[i]) > fabs(v[(int64_t)order[at - 1]]); at--) order[at] = order[at - 1];
        order[at] = (double)i;
    }
}
static inline double sorted_value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    double sum = 0;
    sorted_order(rows * K, z, work);
    for (int64_t i = 0; i < rows * K; i++) sum += sorted_weight(r, i) * fabs(z[(int64_t)work[i]]);
    return sum;
}
static inline double sorted_polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    double sizes = 0, weights = 0, most = 0;
    sorted_order(rows * K, y, work);
    for (int64_t i = 0; i < rows * K; i++) {
        sizes += fabs(y[(int64_t)work[i]]);
        weights += sorted_weight(r, i);
        most = fmax(most, sizes / weights);
    }
    return most;
}
/* Moreau: y minus the largest of 0 and the monotone fit of |y| - lambda w by its min-max formula. */
static inline void sorted_project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    const int64_t n = rows * K;
    double *order = work, *fit = work + n;
    sorted_order(n, y, order);
    for (int64_t i = 0; i < n; i++) {
        fit[i] = INFINITY;
        for (int64_t a = 0; a <= i; a++) { /* the least over a of the largest mean of a..b, b >= i */
            double sum = 0, most = -INFINITY;
            for (int64_t b = a; b < n; b++) {
                sum += fabs(y[(int64_t)order[b]]) - lambda * sorted_weight(r, b);
                if (b >= i) most = fmax(most, sum / (double)(b - a + 1));
            }
            fit[i] = fmin(fit[i], most);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        double *at = &y[(int64_t)order[i]];
        if (fit[i] > 0) *at = copysign(fabs(*at) - fit[i], *at);
    }
}
static inline double sorted_radius(const spd_penalty *r, int64_t rows, int64_t K) {
    double sum = 0;
    for (int64_t i = 0; i < rows * K; i++) sum += sorted_weight(r, i) * sorted_weight(r, i);
    return sqrt(sum);
}
static inline double sorted_inner(const spd_penalty *r, int64_t rows, int64_t K) {
    double sum = 0, least = INFINITY;
    for (int64_t i = 0; i < rows * K; i++) {
        sum += sorted_weight(r, i);
        least = fmin(least, sum / sqrt((double)i + 1));
    }
    return least;
}
static inline int64_t sorted_work(const spd_penalty *r, int64_t rows, int64_t K) { return r ? 2 * rows * K : 0; }

static const double own_sorted_rest = 0.2;
static const spd_penalty own_sorted = {.name = "own-sorted",
                                       .data = &own_sorted_rest,
                                       .block = SPDHG_BLOCK_WHOLE,
                                       .groups_ok = true,
                                       .value = sorted_value,
                                       .project = sorted_project,
                                       .polar = sorted_polar,
                                       .radius = sorted_radius,
                                       .inner = sorted_inner,
                                       .work = sorted_work};

/* ---- r(z) = data sum |z_i|, row by row */
static inline double times(const spd_penalty *r) { return *(const double *)r->data; }
static inline double times_value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    double sum = 0;
    for (int64_t i = 0; i < rows * K; i++) sum += times(r) * fabs(z[i]);
    return work ? sum : sum;
}
static inline void times_project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)work;
    for (int64_t i = 0; i < rows * K; i++) y[i] = fmax(-lambda * times(r), fmin(lambda * times(r), y[i]));
}
static inline double times_polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    double most = 0;
    for (int64_t i = 0; i < rows * K; i++) most = fmax(most, fabs(y[i]) / times(r));
    return work ? most : most;
}
static inline double times_radius(const spd_penalty *r, int64_t rows, int64_t K) { return times(r) * sqrt((double)(rows * K)); }
static inline double times_inner(const spd_penalty *r, int64_t rows, int64_t K) { return rows * K < 0 ? 0 : times(r); }

static const double own_hundred = 100, own_hundredth = 0.01;
#define OWN_TIMES(label, factor)                                                                                                 \
    {                                                                                                                            \
        .name = (label), .data = &(factor), .block = SPDHG_BLOCK_ROW, .value = times_value, .project = times_project,            \
        .polar = times_polar, .radius = times_radius, .inner = times_inner                                                       \
    }
static const spd_penalty own_large = OWN_TIMES("own-large", own_hundred), own_small = OWN_TIMES("own-small", own_hundredth);

/* ---- r(z) = sum max(-z_i, 0): Y = [-1, 0]^n */
static inline double falls_value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    double sum = 0;
    for (int64_t i = 0; i < rows * K; i++) sum += fmax(-z[i], 0);
    return r || work ? sum : 0;
}
static inline void falls_project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)r, (void)work;
    for (int64_t i = 0; i < rows * K; i++) y[i] = fmax(-lambda, fmin(0, y[i]));
}
static inline double falls_polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    double most = 0;
    for (int64_t i = 0; i < rows * K; i++) most = fmax(most, y[i] > 0 ? INFINITY : -y[i]);
    return r || work ? most : 0;
}
static inline double falls_radius(const spd_penalty *r, int64_t rows, int64_t K) { return r ? sqrt((double)(rows * K)) : 0; }
static inline double falls_inner(const spd_penalty *r, int64_t rows, int64_t K) { return r && rows * K >= 0 ? 0 : 1; }

static const spd_penalty own_falls = {.name = "own-falls",
                                      .block = SPDHG_BLOCK_ROW,
                                      .value = falls_value,
                                      .project = falls_project,
                                      .polar = falls_polar,
                                      .radius = falls_radius,
                                      .inner = falls_inner};
#endif

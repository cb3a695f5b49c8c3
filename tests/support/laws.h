/* laws.h - shared by the tests of the tables: cmocka, reproducible random numbers, temporary files. */
#ifndef LAWS_H
#define LAWS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"

/* Entry `at` of a sequence of standard normal numbers. */
static inline double law_normal(uint64_t sequence, int64_t at) {
    uint64_t bits[2];
    double out[2];
    spd_random(sequence, SPD_STREAM_TEST, (uint64_t)at, bits);
    spd_normal(bits, out);
    return out[0];
}

static inline void law_normals(uint64_t sequence, int64_t n, double scale, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = scale * law_normal(sequence, i);
}

static inline double law_dot(int64_t n, const double *x, const double *y) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (long double)x[i] * y[i];
    return (double)sum;
}

static inline double law_distance(int64_t n, const double *x, const double *y) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (long double)(x[i] - y[i]) * (x[i] - y[i]);
    return (double)sqrtl(sum);
}

/* |a - b| <= tolerance; shows the numbers and the subject on failure. */
#define assert_near(subject, a, b, tolerance)                                                                                    \
    do {                                                                                                                         \
        const double a_ = (a), b_ = (b), t_ = (tolerance);                                                                       \
        if (!(fabs(a_ - b_) <= t_)) fail_msg("%s: %.17g is not %.17g within %g", (subject), a_, b_, t_);                         \
    } while (0)
#define assert_at_most(subject, a, b)                                                                                            \
    do {                                                                                                                         \
        const double a_ = (a), b_ = (b);                                                                                         \
        if (!(a_ <= b_)) fail_msg("%s: %.17g exceeds %.17g", (subject), a_, b_);                                                 \
    } while (0)

/* Writes a file with this content to the working directory; the caller unlinks it. */
static inline void law_file(const char *path, const char *content) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
    assert_int_equal(fclose(file), 0);
}
#endif

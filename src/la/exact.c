/* exact.c - sums of products without rounding: is a_1 b_1 + ... + a_n b_n exactly 0?
 * Error-free transformations (Dekker 1971; Shewchuk 1997, Grow-Expansion): the running sum is stored as a list of doubles that
 * add up to it exactly. For integers of ordinary size the list has one entry. */
#include <float.h>

#include "la/la.h"

static const double SMALL = 1e-280; /* the rounding error of a product smaller than this may not be representable */

/* Adds a to the expansion of `count` numbers, dropping zeros; returns the new count. */
static int64_t grow(double *part, int64_t count, double a) {
    int64_t kept = 0;
    for (int64_t q = 0; q < count; q++) {
        const spd_twofold sum = spd_two_sum(a, part[q]);
        if (sum.low != 0) part[kept++] = sum.low;
        a = sum.high;
    }
    if (a != 0) part[kept++] = a;
    return kept;
}

bool spd_sums_to_zero(int64_t n, const double *a, const double *b, double *work) {
    int64_t count = 0;
    for (int64_t q = 0; q < n; q++) {
        if (a[q] == 0 || b[q] == 0) continue;
        const spd_twofold product = spd_two_product(a[q], b[q]);
        if (!isfinite(product.high) || fabs(product.high) < SMALL) return false;
        count = grow(work, count, product.high);
        if (product.low != 0) count = grow(work, count, product.low);
    }
    return count == 0;
}

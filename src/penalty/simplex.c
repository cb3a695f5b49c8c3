/* simplex.c - projections onto the simplex { v >= 0, sum v = R } and onto the l1 ball of radius R.
 * Both shrink by the threshold theta with
 *     sum_i max(u_i - theta, 0) = R
 * found by random pivots (Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008). The largest entry is subtracted from all
 * entries: theta then lies in [-R, 0), only entries above -R matter, and there is no cancellation however large v is. */
#include "la/la.h"
#include "penalty/penalty.h"

/* theta of the n numbers u (at least one of them 0, all in (-radius, 0]); u is reordered. */
static double threshold(int64_t n, double radius, double *u) {
    double sum = 0;    /* of the entries known to be above theta */
    int64_t above = 0; /* and their number */
    for (uint64_t round = 0; n > 0; round++) {
        uint64_t bits[2];
        spd_random(0, SPD_STREAM_SAMPLE, round, bits);
        const double pivot = u[spd_below(bits[0], n)];
        int64_t greater = 0, not_less = 0; /* u = greater | equal | less; ties exceed the pivot by exactly 0 */
        double excess = sum - (double)above * pivot, part = 0;
        for (int64_t i = 0; i < n; i++) {
            const double x = u[i];
            if (x < pivot) continue;
            excess += x - pivot;
            part += x;
            u[i] = u[not_less];
            u[not_less] = x;
            if (x > pivot) {
                u[not_less] = u[greater];
                u[greater++] = x;
            }
            not_less++;
        }
        if (excess < radius) { /* theta is below the pivot */
            sum += part;
            above += not_less;
            u += not_less;
            n -= not_less;
        } else
            n = greater;
    }
    return (sum - radius) / (double)above;
}

void spd_project_simplex(int64_t n, double radius, double *v, double *work) {
    if (n == 0) return;
    double top = v[0];
    for (int64_t i = 1; i < n; i++) top = v[i] > top ? v[i] : top;
    int64_t candidates = 0;
    for (int64_t i = 0; i < n; i++)
        if (v[i] - top > -radius) work[candidates++] = v[i] - top;
    const double theta = threshold(candidates, radius, work);
    for (int64_t i = 0; i < n; i++) {
        const double left = (v[i] - top) - theta;
        v[i] = left < 0 ? 0 : left; /* NaN stays NaN: the loop that owns the iterate checks for it */
    }
}

void spd_project_l1_ball(int64_t n, double radius, double *v, double *work) {
    if (spd_sum_abs(n, v) <= radius) return;
    const double top = spd_max_abs(n, v);
    int64_t candidates = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(v[i]) - top > -radius) work[candidates++] = fabs(v[i]) - top;
    const double theta = radius > 0 ? threshold(candidates, radius, work) : 0;
    for (int64_t i = 0; i < n; i++) {
        const double left = (fabs(v[i]) - top) - theta;
        v[i] = left < 0 ? 0 : copysign(left, v[i]);
    }
}

/* sums.c - sums over the rows that a proof takes, in lanes: their order is fixed, and no addition waits for the one before. */
#include <float.h>

#include "lasso/lasso.h"

static const double TINY = 1e-150; /* the square of a smaller number may underflow */

/* sum_i share_i ((u_i - v_i)/most)^2, in lanes as in vec.c */
SPD_WIDE static double scaled_square(int64_t n, const double *restrict share, const double *restrict u, const double *restrict v,
                                     double most) {
    double s[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) {
            const double t = (u[i + j] - v[i + j]) / most;
            s[j] += share[i + j] * t * t;
        }
    for (int j = 0; i < n; i++, j++) {
        const double t = (u[i] - v[i]) / most;
        s[j] += share[i] * t * t;
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

SPD_WIDE static double largest_difference(int64_t n, const double *restrict u, const double *restrict v) {
    double s[8] = {0}, most = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) {
            const double t = fabs(u[i + j] - v[i + j]);
            s[j] = t > s[j] ? t : s[j];
        }
    for (int j = 0; i < n; i++, j++) s[j] = fmax(s[j], fabs(u[i] - v[i]));
    for (int j = 0; j < 8; j++) most = fmax(most, s[j]);
    return most;
}

double spd_lasso_distance(const spd_lasso *a, const double *u, const double *v) {
    const double most = largest_difference(a->p->n, u, v);
    const double sum = most > 0 ? scaled_square(a->p->n, a->share, u, v, most) : 0;
    return most * (sqrt(sum) * (1 + ((double)a->p->n + 32) * DBL_EPSILON) + TINY);
}

SPD_WIDE double spd_lasso_slopes(const spd_lasso *a, double scale, double more, double *product) {
    const double *restrict share = a->share, *restrict slope = a->slope, *restrict z = a->z, *restrict dual = a->alpha;
    const int64_t n = a->p->n;
    double s[4] = {0}, t[4] = {0};
    for (int64_t i = 0; i < n; i += 4)
        for (int j = 0; j < 4 && i + j < n; j++) {
            const double alpha = scale * dual[i + j];
            s[j] += share[i + j] * (fabs(slope[i + j]) + fabs(slope[i + j] - alpha) + more);
            t[j] += share[i + j] * fabs(alpha * z[i + j]);
        }
    *product = (t[0] + t[2]) + (t[1] + t[3]);
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* l1ball.c - X = { ||x||_1 <= R }, the constrained form of the lasso.
 * Support function: R max |u_j|. */
#include <float.h>

#include "la/la.h"
#include "penalty/penalty.h"
#include "set/set.h"

static const char *check(const double *R) { return R[0] > 0 && isfinite(R[0]) ? NULL : "the radius R must be a number above 0"; }

static void project(int64_t n, const double *R, double *x, double *work) { spd_project_l1_ball(n, R[0], x, work); }

static double diameter(int64_t n, const double *R) { return n > 0 ? 2 * R[0] : 0; }

static double support(int64_t n, const double *R, const double *u) { return R[0] * spd_max_abs(n, u); }

/* Relative to R: if x is this near to the boundary, the sign of the multiplier tells whether it is on it. */
static const double NEAR = 1e-6;

static spd_set_side side(int64_t n, const double *R, const double *x, double *s) {
    for (int64_t j = 0; j < n; j++) s[j] = x[j] > 0 ? 1 : x[j] < 0 ? -1 : 0;
    return spd_sum_abs(n, x) < (1 - NEAR) * R[0] ? SPD_SIDE_NONE : SPD_SIDE_OUTWARD;
}

/* With the multiplier tau of ||P||_1 <= R, for any tau >= 0,
 *     h*(-v) <= sum_j max(|v_j| - tau, 0)^2 / (2 gamma) + tau R
 * With gamma = 0, tau must be max |v_j|. An error e_j of v_j costs e_j |x_j| plus
 *     gamma > 0:  the growth of the square, or e_j R if that is less, because P is within R of 0 for any v
 *     gamma = 0:  the growth of R tau */
static double bracket(int64_t n, const double *R, double gamma, const double *x, const double *v, const double *e, double *work) {
    double tau = spd_max_abs(n, v), sum = 0, norm = 0, off = 0, most = tau;
    if (gamma > 0) {
        for (int64_t j = 0; j < n; j++) work[j] = -v[j] / gamma;
        if (spd_sum_abs(n, work) > R[0]) {
            double top = 0;
            spd_project_l1_ball(n, R[0], work, work + n);
            for (int64_t j = 0; j < n; j++)
                if (fabs(work[j]) > top) {
                    top = fabs(work[j]);
                    tau = fmax(fabs(v[j]) - gamma * top, 0);
                }
        } else
            tau = 0;
    }
    for (int64_t j = 0; j < n; j++) {
        const double towards = v[j] > 0 ? -1 : 1, s = fabs(v[j]) - tau, miss = gamma * x[j] - towards * s;
        const double size = (fabs(v[j]) + tau + gamma * fabs(x[j])) * fabs(x[j]);
        sum += s > 0 ? miss * (miss / (2 * gamma)) + tau * (fabs(x[j]) - towards * x[j])
                     : 0.5 * gamma * x[j] * x[j] + v[j] * x[j] + tau * fabs(x[j]);
        norm += fabs(x[j]);
        off += e[j] * fabs(x[j]) + 8 * DBL_EPSILON * size;
        if (gamma > 0 && s + e[j] > 0) off += fmin(e[j] * R[0], e[j] * (fmax(s, 0) / gamma) + e[j] * (e[j] / (2 * gamma)));
        most = fmax(most, fabs(v[j]) + e[j]);
        if (s > 0) off += 8 * DBL_EPSILON * fabs(miss / gamma) * (fabs(v[j]) + tau + gamma * fabs(x[j]));
    }
    if (gamma == 0) off += (most - tau) * R[0];
    return fmax(sum, 0) + tau * fmax(R[0] - norm, 0) + off + ((double)n + 8) * DBL_EPSILON * (fabs(sum) + tau * R[0]);
}

const spd_set_kind spd_set_l1ball = {.name = "l1ball",
                                     .help = "sum of absolute values at most R; l1ball:R",
                                     .args = 1,
                                     .check = check,
                                     .project = project,
                                     .diameter = diameter,
                                     .support = support,
                                     .bracket = bracket,
                                     .side = side,
                                     .bounded = true,
                                     .symmetric = true,
                                     .sum_of_sizes = true};

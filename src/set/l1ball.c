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

/* By the multiplier tau of ||P||_1 <= R: for any tau >= 0, h*(-v) <= sum_j max(|v_j| - tau, 0)^2 / (2 gamma) + tau R; with gamma =
 * 0 tau has to be max |v_j|. P is within R of 0, whatever v is: an error e_j of v_j costs at most e_j (|x_j| + R). */
static double bracket(int64_t n, const double *R, double gamma, const double *x, const double *v, const double *e, double *work) {
    double tau = spd_max_abs(n, v), sum = 0, norm = 0, off = 0;
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
        off += e[j] * (fabs(x[j]) + R[0]) + 8 * DBL_EPSILON * size;
        if (s > 0) off += 8 * DBL_EPSILON * fabs(miss / gamma) * (fabs(v[j]) + tau + gamma * fabs(x[j]));
    }
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
                                     .bounded = true,
                                     .symmetric = true,
                                     .sum_of_sizes = true};

/* simplex.c - X = { x >= 0, sum x = R }: mixtures, portfolios.
 * Support function: R max u_j. */
#include <float.h>

#include "penalty/penalty.h"
#include "set/set.h"

static const char *check(const double *R) { return R[0] > 0 && isfinite(R[0]) ? NULL : "the sum R must be a number above 0"; }

static void project(int64_t n, const double *R, double *x, double *work) { spd_project_simplex(n, R[0], x, work); }

static double diameter(int64_t n, const double *R) { return n > 1 ? M_SQRT2 * R[0] : 0; }

static double support(int64_t n, const double *R, const double *u) {
    double top = n > 0 ? u[0] : 0;
    for (int64_t j = 1; j < n; j++) top = u[j] > top ? u[j] : top;
    return R[0] * top;
}

static spd_set_side side(int64_t n, const double *R, const double *x, double *s) {
    (void)R;
    for (int64_t j = 0; j < n; j++) s[j] = x[j] > 0;
    return SPD_SIDE_FIXED;
}

/* With the multiplier tau of sum P = R, for any tau,
 *     h*(-v) <= sum_j max(-v_j - tau, 0)^2 / (2 gamma) + tau R
 * With gamma = 0, tau must be max -v_j. An error e_j of v_j costs the same as for l1ball. */
static double bracket(int64_t n, const double *R, double gamma, const double *x, const double *v, const double *e, double *work) {
    double tau = -INFINITY, sum = 0, total = 0, off = 0, top = 0, most = -INFINITY;
    for (int64_t j = 0; j < n; j++) tau = fmax(tau, -v[j]);
    if (gamma > 0) {
        for (int64_t j = 0; j < n; j++) work[j] = -v[j] / gamma;
        spd_project_simplex(n, R[0], work, work + n);
        for (int64_t j = 0; j < n; j++)
            if (work[j] > top) {
                top = work[j];
                tau = -v[j] - gamma * top;
            }
    }
    for (int64_t j = 0; j < n; j++) {
        const double s = -v[j] - tau, miss = gamma * x[j] - s, size = fabs(v[j]) + fabs(tau) + gamma * fabs(x[j]);
        sum += s > 0 && gamma > 0 ? miss * (miss / (2 * gamma)) : 0.5 * gamma * x[j] * x[j] - s * x[j];
        total += x[j];
        off += e[j] * fabs(x[j]) + 8 * DBL_EPSILON * size * fabs(x[j]);
        if (gamma > 0 && s + e[j] > 0) off += fmin(e[j] * R[0], e[j] * (fmax(s, 0) / gamma) + e[j] * (e[j] / (2 * gamma)));
        most = fmax(most, e[j] - v[j]);
        if (s > 0 && gamma > 0) off += 8 * DBL_EPSILON * fabs(miss / gamma) * size;
    }
    if (gamma == 0) off += (most - tau) * R[0];
    return fmax(sum, 0) + fmax(tau * (R[0] - total), 0) + off + ((double)n + 8) * DBL_EPSILON * (fabs(sum) + fabs(tau) * R[0]);
}

static void sides(const double *R, double *low, double *high) {
    (void)R;
    *low = 0;
    *high = INFINITY;
}

/* Scales instead of projecting, because the projection would move zeros too. */
static void round_into(int64_t n, const double *R, double *x, double *work) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += x[j] = x[j] > 0 ? x[j] : 0;
    for (int64_t j = 0; j < n && sum > 0; j++) x[j] *= R[0] / sum;
    if (!(sum > 0)) project(n, R, x, work); /* no entry is positive */
}

const spd_set_kind spd_set_simplex = {.name = "simplex",
                                      .help = "no coefficient below 0, their sum is R; simplex:R",
                                      .args = 1,
                                      .check = check,
                                      .project = project,
                                      .diameter = diameter,
                                      .support = support,
                                      .bracket = bracket,
                                      .side = side,
                                      .bounded = true,
                                      .sides = sides,
                                      .round = round_into,
                                      .sum = true};

/* lipschitz.c - the constant L of Assumption 1: the gradient of the expected smooth part l(x) + (gamma/2)||x||^2 is L-Lipschitz.
 *     H = (kappa/W) sum_i w_i a_i a_i'   (a_i with a last entry 1 for the intercept),   L = lmax(H) + gamma
 * Three upper bounds of it, docs/theory.md says what each is for:
 *     expected   lmax(H) itself, bounded from above in two passes over the data
 *     mean       trace H = kappa sum_i (w_i/W) ||a_i||^2
 *     max        kappa max_i ||a_i||^2: bounds the curvature of every row, not only of their mean
 * The first is deterministic. With G the matrix of all kappa sqrt(w_i w_j)/W |a_i|'|a_j| >= 0 and any positive u,
 *     lmax(H) <= lmax(G) <= max_i (G u)_i / u_i   (Collatz and Wielandt)
 * and u <- G u lowers the bound or keeps it. With u_i = sqrt(w_i) t_i one round is
 *     v = sum_i w_i t_i |a_i|,   s_i = (kappa/W) |a_i|'v,   bound = max_i s_i/t_i,   t <- s
 * from t_i = ||a_i||. Where no entry is negative G has the same lmax as H. */
#include <float.h>

#include "problem/lipschitz.h"

enum { ROUNDS = 2 };
static const double FAR = 1e150, STEEP = 1e100; /* a slope above STEEP at z = FAR counts as unbounded */

static const char *const word[] = {"expected", "max", "mean"};
enum { WORDS = sizeof word / sizeof *word };

const char *spd_smoothness_word(double code) {
    const int at = (int)-code - 1;
    return code < 0 && at < WORDS ? word[at] : NULL;
}

spd_smoothness spd_smoothness_find(const char *name) {
    for (int i = 0; i < WORDS; i++)
        if (strcmp(word[i], name) == 0) return (spd_smoothness)(-i - 1);
    return SPD_L_NUMBER;
}

/* norm: f_i = 2m/(m + ||a_i||) (sample.c), so that f_i ||a_i||^2 is largest for the longest row. */
double spd_problem_row_curvature(const spdhg_problem *p, spdhg_sampling sampling) {
    switch (sampling) {
    case SPDHG_SAMPLING_SHUFFLE: return p->kappa * p->weight_factor_max;
    case SPDHG_SAMPLING_NORM: return p->kappa * spd_problem_norm_factor(p, sqrt(p->row_norm2_max)) * p->row_norm2_max;
    case SPDHG_SAMPLING_IID: break;
    }
    return p->kappa * p->row_norm2_max;
}

double spd_problem_lipschitz(const spdhg_problem *p, spdhg_sampling sampling) {
    return spd_problem_row_curvature(p, sampling) + p->gamma;
}

bool spd_problem_bounded_slopes(const spdhg_problem *p) {
    if (p->loss->slope_k) return p->loss->chance_k != NULL; /* probabilities minus a unit vector */
    const double low = p->loss->slope(-FAR, p->b[0], p->loss_arg), high = p->loss->slope(FAR, p->b[0], p->loss_arg);
    return fmax(fabs(low), fabs(high)) < STEEP;
}

spd_smoothness spd_problem_smoothness_by_rule(const spdhg_problem *p, spd_smoothness usual) {
    if (!spd_problem_bounded_slopes(p)) return SPD_L_MAX;
    if (usual == SPD_L_BY_RIDGE) return p->gamma > 0 ? SPD_L_MEAN : SPD_L_EXPECTED;
    return usual;
}

int64_t spd_problem_smoothness_work(const spdhg_problem *p) { return p->n + p->d + 1; }

static double row_norm(const spdhg_problem *p, int64_t i) {
    spd_row row;
    spd_problem_row(p, i, &row);
    return sqrt(spd_dot(row.nnz, row.val, row.val) + p->intercept);
}

void spd_problem_factors(const spdhg_problem *p, spdhg_sampling sampling, double *f) {
    const bool norm = sampling == SPDHG_SAMPLING_NORM;
    for (int64_t i = 0; i < p->n; i++) f[i] = norm ? spd_problem_norm_factor(p, row_norm(p, i)) : 1;
}

/* One round: t <- s; returns the largest s_i/t_i. v: d + 1 entries. */
static double collatz_wielandt(const spdhg_problem *p, double *t, double *v) {
    memset(v, 0, (size_t)(p->d + 1) * sizeof *v);
    for (int64_t i = 0; i < p->n; i++) {
        const double u = p->kappa * spd_problem_share(p, i) * t[i];
        if (!(u > 0)) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) v[row.idx ? row.idx[q] : q] += u * fabs(row.val[q]);
        v[p->d] += u;
    }
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!(t[i] > 0)) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        double s = p->intercept ? v[p->d] : 0;
        for (int64_t q = 0; q < row.nnz; q++) s += fabs(row.val[q]) * v[row.idx ? row.idx[q] : q];
        most = fmax(most, s / t[i]);
        t[i] = s;
    }
    return most;
}

/* Sums of numbers of one sign: the relative rounding error is below one unit for each summand. */
static double rounded_up(const spdhg_problem *p, double bound) {
    return bound * (1 + 4 * DBL_EPSILON * (double)(p->n + p->d + 8));
}

double spd_problem_smoothness(const spdhg_problem *p, spd_smoothness which, spdhg_sampling sampling, double *work) {
    if (which == SPD_L_MAX) return spd_problem_lipschitz(p, sampling);
    double bound = fmin(rounded_up(p, p->kappa * p->row_norm2_mean), spd_problem_row_curvature(p, SPDHG_SAMPLING_IID));
    for (int64_t i = 0; i < p->n && which == SPD_L_EXPECTED; i++) work[i] = spd_problem_weight(p, i) > 0 ? row_norm(p, i) : 0;
    for (int round = 0; round < ROUNDS && which == SPD_L_EXPECTED; round++)
        bound = fmin(bound, rounded_up(p, collatz_wielandt(p, work, work + p->n)));
    return bound + p->gamma;
}

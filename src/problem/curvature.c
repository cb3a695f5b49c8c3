/* curvature.c - the constants behind the step sizes: L, the bound H of the Hessian, a bound on ||F||, the dual ball's radius.
 *     H = (kappa/W) sum_i w_i a_i a_i'   (a_i with a last entry 1 for the intercept) */
#include <float.h>

#include "problem/lipschitz.h"
#include "problem/rows.h"

/* Mean of phi'' over rows and outputs at the scores z + c. */
static double mean_curvature(const spdhg_problem *p, const double *z, const double *c) {
    double sum = 0;
    for (int64_t i = 0; i < p->n * p->K; i++) {
        const double w = spd_problem_weight(p, i / p->K) / p->W;
        if (w > 0) sum += w * p->loss->second(z[i] + c[i % p->K], p->b[i], p->loss_arg);
    }
    return sum / (double)p->K;
}

spdhg_status spd_problem_find_curvature(spdhg_problem *p, spdhg_error *err) {
    p->kappa = p->kappa_usual = p->loss->curvature(p->loss_arg);
    if (isfinite(p->kappa) || !p->loss->value) return SPDHG_OK;
    const int64_t nK = p->n * p->K, partials = spd_problem_blocks(p) * (1 + 3 * p->K);
    double *z = SPD_NEW(double, nK + partials + 8 * p->K);
    p->constant = SPD_NEW(double, p->K);
    const bool good = z && p->constant;
    for (int64_t i = 0; i < p->n && good && p->data->offset; i++)
        memcpy(z + i * p->K, p->data->offset + (p->row ? p->row[i] : i) * p->K, (size_t)p->K * sizeof *z);
    if (good) {
        if (p->intercept) spd_problem_best_intercept(p, 1, z, p->constant, z + nK, z + nK + partials, NULL);
        p->kappa_usual = mean_curvature(p, z, p->constant);
        if (!(p->kappa_usual > 0 && isfinite(p->kappa_usual))) p->kappa_usual = 1; /* no usable scale */
    }
    spd_free(z);
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)nK);
}

/* || [F_1; F_2; ...] ||^2 <= sum_t ||F_t||^2 */
double spd_problem_structure_norm(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) square += p->term[t].F->norm_bound * p->term[t].F->norm_bound;
    return sqrt(square);
}

double spd_problem_dual_radius(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const double radius = spd_term_radius(&p->term[t], p->K);
        square += radius * radius;
    }
    return sqrt(square);
}

double spd_problem_curvature_rows(const spdhg_problem *p, spdhg_sampling sampling, const double *D) {
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double w = spd_problem_weight(p, i), factor = sampling == SPDHG_SAMPLING_IID ? 1 : (double)p->n * w / p->W;
        if (w == 0) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        double sum = p->intercept ? 1 / D[p->d] : 0;
        for (int64_t q = 0; q < row.nnz; q++) sum += row.val[q] * row.val[q] / D[row.idx ? row.idx[q] : q];
        most = fmax(most, factor * sum);
    }
    return p->kappa * most;
}

/* ---- power iteration */

typedef struct product {
    const spdhg_problem *p;
    const double *v;
} product;

/* The part of H v from some rows. */
static void add_products(void *context, int64_t first, int64_t end, double *Hv) {
    const product *a = context;
    const spdhg_problem *p = a->p;
    for (int64_t i = first; i < end; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        double z = p->intercept ? a->v[p->d] : 0;
        for (int64_t q = 0; q < row.nnz; q++) z += row.val[q] * a->v[row.idx ? row.idx[q] : q];
        z *= p->kappa * spd_problem_weight(p, i) / p->W;
        for (int64_t q = 0; q < row.nnz; q++) Hv[row.idx ? row.idx[q] : q] += z * row.val[q];
        if (p->intercept) Hv[p->d] += z;
    }
}

static double norm_in(int64_t n, const double *D, const double *v) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += D[j] * v[j] * v[j];
    return sqrt(sum);
}

/* With v = D^-1/2 w the iteration w <- D^-1/2 H D^-1/2 w is v <- D^-1 H v, and ||w|| is the norm of v in D. */
double spd_problem_curvature_norm(const spdhg_problem *p, int threads, const double *D, int rounds, double *v, double *work) {
    const int64_t n = p->d + 1;
    product a = {.p = p, .v = v};
    const spd_row_sum sum = spd_sum_of_rows(p, spd_problem_shards(p), n, n, add_products, &a);
    double estimate = 0;
    for (int r = 0; r < rounds; r++) {
        const double size = norm_in(n, D, v);
        if (!(size > 0)) break;
        spd_scale(n, 1 / size, v);
        spd_row_sum_run(&sum, threads, work);
        for (int64_t j = 0; j < n; j++) v[j] = work[j] / D[j];
        const double before = estimate;
        estimate = fmax(estimate, norm_in(n, D, v));
        if (estimate <= 1.005 * before) break;
    }
    return estimate;
}

/* ---- lipschitz.h: the constant L of Assumption 1. The gradient of the expected smooth part l(x) + (gamma/2)||x||^2 is
 * L-Lipschitz.
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
    for (int64_t i = 0; i < p->n && which == SPD_L_EXPECTED; i++)
        work[i] = spd_problem_weight(p, i) > 0 ? spd_problem_row_norm(p, i) : 0;
    for (int round = 0; round < ROUNDS && which == SPD_L_EXPECTED; round++)
        bound = fmin(bound, rounded_up(p, collatz_wielandt(p, work, work + p->n)));
    return bound + p->gamma;
}

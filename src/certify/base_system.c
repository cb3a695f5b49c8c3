/* base_system.c - can alpha absorb, exactly, what the routes leave at the bases and at the intercept?
 * Row i multiplied by the bases' directions u_b (routes.c), with the intercept last:
 *   h_i = (a_i'u_1, ..., a_i'u_B, 1)
 *   G = sum_i (w_i D_i / W) h_i h_i' + sum_t nu_t (F_t U)'(F_t U),   0 <= D_i <= the slack of alpha_i
 * If G is positive definite, p = G^-1 r exists for every r, and these changes absorb r exactly:
 *   alpha_i += D_i h_i'p
 *   y += nu F U p
 * They are bounded by E, where p'G p = r'G^-1 r <= E^2:
 *   |h_i'p| <= E / sqrt(w_i D_i / W)
 *   ||nu F U p|| <= sqrt(nu) E
 * No solution is computed: repair.c needs only its existence and E. Both follow from a proven mu > 0 with
 *   mu |q|^2 <= q'S G S q,   S = diag(scale)
 * The proof (Rump 2006): the Cholesky factorisation of the computed matrix
 *   S G S - (mu + bound on the rounding errors) I
 * succeeds. The smallest eigenvalue of the exact S G S is then at least mu. Directions N with h_i'N = 0 in exact arithmetic for
 * every i (null_vectors.c, uniform_nulls.c) are harmless, because r is orthogonal to them: N N' is added first.
 * The alphas of one row of a coupled loss move within their sum, and only outputs whose probability is not 0 move (o of them):
 *   G = sum_i (w_i D_i / W) (I - 11'/o)_open (x) h_i h_i' + I (x) sum_t nu_t (F_t U)'(F_t U)
 * If this is too large a matrix, all outputs of a row move or none, by the same D_i, and G is that of one output. */
#include <float.h>

#include "certify/certify.h"

enum { FAILURES_MOST = 8 };
static const double WASTED_MOST = 1e7; /* multiplications without a proof: a later alpha may have other null directions */
static const double CUT = 1e-18;       /* relative to the largest w_i D_i: rows below it keep their alpha */
static const double SPARE = 0.5;       /* of the slack is kept free, so that G can be reused for later points */

/* ---- the proof that S G S is positive definite */

/* copy = S G S + N N' - shift I, factored. */
static bool factor(spd_base_system *s, double shift) {
    const int64_t n = s->n;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = s->scale[a] * s->scale[b] * s->G[a * n + b];
            for (int64_t v = 0; v < s->nulls; v++)
                sum += s->null[v * n + a] / (s->unit[a] * s->scale[a]) * (s->null[v * n + b] / (s->unit[b] * s->scale[b])) /
                       s->null_square[v];
            s->copy[a * n + b] = a == b ? sum - shift : sum;
        }
    return spd_cholesky(n, s->copy);
}

/* |N|^2 in the scaled coordinates S^-1 N. */
static void measure_nulls(spd_base_system *s) {
    for (int64_t v = 0; v < s->nulls; v++) {
        s->null_square[v] = 0;
        for (int64_t b = 0; b < s->n; b++) {
            const double here = s->null[v * s->n + b] / (s->unit[b] * s->scale[b]);
            s->null_square[v] += here * here;
        }
    }
}

/* Approximate smallest eigenvalue, by inverse iteration, of the matrix that `copy` holds the factor of. */
static double smallest(spd_base_system *s) {
    const int64_t n = s->n;
    double *q = s->vector, length = 1;
    for (int64_t b = 0; b < n; b++) q[b] = 1 + 0.1 * (double)(b % 7);
    for (int round = 0; round < 6; round++) {
        spd_scale(n, 1 / spd_norm2(n, q), q);
        spd_cholesky_solve(n, s->copy, q);
        length = spd_norm2(n, q);
    }
    return 1 / length;
}

/* Bound on the spectral norm of the rounding errors: in the entries of S G S (each a sum of products that is at most 1), in
 * their scaling, in adding N N', and in the factorisation. */
static double rounding(const spd_base_system *s) {
    const double n = (double)s->n, rows = (double)s->problem->n + (double)s->problem->m, u = 0.5 * DBL_EPSILON;
    return u * (n * (rows + 16) + 4 * n * (n + 4) * (1 + (double)s->nulls) + 16 * n * (double)s->nulls);
}

static bool prove(spd_base_system *s) {
    const double lost = rounding(s);
    double errors = 0;
    for (int64_t b = 0; b < s->n; b++) errors += s->scale[b] * s->scale[b] * s->off[b];
    if (!(lost < 0.25) || !factor(s, lost)) return false;
    const double about = smallest(s);
    for (double mu = 0.5 * about; mu > 1e-3 * about; mu *= 0.1) {
        if (!factor(s, mu + lost)) continue;
        const double tilt = s->inexact ? spd_base_tilt(s, lost + (double)s->n * sqrt(errors)) / mu : 0, left = mu - tilt * tilt;
        s->root = sqrt(fmax(left, 0)) - sqrt(errors);
        return s->root > 0.1 * sqrt(mu);
    }
    return false;
}

static double work_of(const spd_base_system *s) { return (double)(s->n * s->n) * (double)(s->n + s->problem->n + s->problem->m); }

static void set_scale(spd_base_system *s) {
    for (int64_t b = 0; b < s->n; b++) {
        const double diagonal = s->G[b * (s->n + 1)];
        s->scale[b] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
    }
}

/* share_i = (w_i D_i / W) / max_l (w_l D_l / W), and 0 below the cut. */
static void share_out(spd_base_system *s, double cut) {
    const spdhg_problem *p = s->problem;
    s->top = s->least = 0;
    for (int64_t i = 0; i < p->n; i++) {
        s->share[i] = spd_problem_share(p, i) * s->D[i];
        s->top = fmax(s->top, s->share[i]);
    }
    for (int64_t i = 0; i < p->n && s->top > 0; i++) {
        if (s->share[i] < cut * s->top) s->share[i] = s->D[i] = 0;
        if (s->share[i] > 0) s->least = s->least > 0 ? fmin(s->least, s->share[i]) : s->share[i];
        s->share[i] /= s->top;
    }
}

bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *slack, double cut, int threads) {
    s->root = 0;
    if (s->hopeless) return false;
    if (s->passing || s->inexact) s->nulls = 0;
    s->passing = s->inexact = false;
    if (!s->measured) spd_base_find_units(s, r, threads);
    s->measured = true;
    for (int64_t i = 0; i < s->problem->n && !s->rowless; i++) s->D[i] = SPARE * slack[i];
    s->top = s->least = 1;
    if (!s->rowless) share_out(s, fmax(cut, CUT));
    if (!(s->top > 0)) return false;
    if (!spd_base_assemble(s, r, threads)) return false;
    set_scale(s);
    measure_nulls(s);
    for (int64_t t = 0; t < s->problem->terms; t++) s->lambda[t] = s->problem->term[t].lambda;
    if (prove(s)) return true;
    s->nulls = 0;
    if (spd_base_find_nulls(s, r) > 0) {
        measure_nulls(s);
        if (prove(s)) return true;
    }
    if (spd_base_find_uniform(s, r)) {
        measure_nulls(s);
        if (prove(s)) return true;
        s->nulls = 0;
    }
    s->root = 0;
    if (cut == 0) s->failures++; /* singular, and not because of exactly null directions of this alpha */
    s->hopeless = s->failures > FAILURES_MOST && (double)s->failures * work_of(s) > WASTED_MOST;
    return false;
}

/* True if G of an earlier point can be reused: its D fits into the present slack, and lambda is the same. */
bool spd_base_holds(const spd_base_system *s, const double *slack) {
    if (!(s->root > 0) || s->passing || s->outputs > 1) return false; /* other outputs may be open now */
    for (int64_t i = 0; i < s->problem->n && !s->rowless; i++)
        if (s->D[i] > slack[i]) return false;
    for (int64_t t = 0; t < s->problem->terms; t++)
        if (s->rest[t] && s->lambda[t] != s->problem->term[t].lambda) return false;
    return true;
}

bool spd_base_in_null(const spd_base_system *s, int64_t b) {
    for (int64_t v = 0; v < s->nulls; v++)
        if (s->null[v * s->n + b] != 0) return true;
    return false;
}

double spd_base_energy(const spd_base_system *s, int64_t K, const double *residual) {
    double sum = 0;
    for (int64_t b = 0; b < s->n; b++)
        for (int64_t k = 0; k < K; k++) {
            const double here = residual[b * K + k] * s->unit[b] * s->scale[b] / s->root;
            sum += here * here;
        }
    return sqrt(sum / s->top) * (1 + 1e-6);
}

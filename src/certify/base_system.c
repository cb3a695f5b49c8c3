/* base_system.c - can alpha take up, exactly, what the routes leave at the bases and at the intercept?
 * h_i = (a_i'u_1, ..., a_i'u_B, 1): row i seen by the bases' directions u_b (routes.c), the intercept last.
 * G = sum_i (w_i D_i / W) h_i h_i' + sum_t nu_t (F_t U)'(F_t U),   0 <= D_i <= the room of alpha_i
 * If G is positive definite, p = G^-1 r exists for every r, and alpha_i += D_i h_i'p, y += nu F U p take up r to the last bit.
 * With p'G p = r'G^-1 r <= E^2: |h_i'p| <= E / sqrt(w_i D_i / W), ||nu F U p|| <= sqrt(nu) E. No solution is computed: that it
 * exists, and E, is all that repair.c needs. So a number mu > 0 with mu |q|^2 <= q'S G S q has to be right, S = diag(scale).
 * It is, if the Cholesky factorisation of the computed S G S less (mu + what rounding can have done) I runs to its end (Rump
 * 2006): then the smallest eigenvalue of the matrix with rounding left out is at least mu. Directions N with h_i'N = 0 in exact
 * arithmetic for every i (null_vectors.c) are harmless, for r is orthogonal to them: N N' is added first. */
#include <float.h>

#include "certify/certify.h"

enum { FAILURES_MOST = 8 };
static const double CUT = 1e-18; /* of the largest w_i D_i: rows with less stay as they are */
static const double SPARE = 0.5; /* of the room is kept for later points, so that G serves them too */

/* ---- the proof that S G S is positive */

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

/* Smallest eigenvalue of what `copy` is the factor of, roughly, by inverse iteration. */
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

/* Rounding in the entries of S G S (each a sum of n products at most 1 in all), in scaling them, in adding N N', and in the
 * factorisation: bounds of the spectral norm. */
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
        s->root = sqrt(mu) - sqrt(errors);
        return s->root > 0.1 * sqrt(mu);
    }
    return false;
}

static void set_scale(spd_base_system *s) {
    for (int64_t b = 0; b < s->n; b++) {
        const double diagonal = s->G[b * (s->n + 1)];
        s->scale[b] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
    }
}

/* share_i = w_i D_i / W over the largest of them, 0 below the cut. */
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

bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *room, double cut, int threads) {
    s->root = 0;
    if (s->hopeless) return false;
    if (s->passing) s->nulls = 0;
    s->passing = false;
    if (!s->measured) spd_base_find_units(s, r);
    s->measured = true;
    for (int64_t i = 0; i < s->problem->n && !s->rowless; i++) s->D[i] = SPARE * room[i];
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
    if (cut == 0) s->hopeless = ++s->failures > FAILURES_MOST; /* singular, and not by directions that are exactly null */
    return false;
}

/* G of an earlier point will do: it has no more than the room there is now, and the same lambda. */
bool spd_base_holds(const spd_base_system *s, const double *room) {
    if (!(s->root > 0) || s->passing) return false;
    for (int64_t i = 0; i < s->problem->n && !s->rowless; i++)
        if (s->D[i] > room[i]) return false;
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

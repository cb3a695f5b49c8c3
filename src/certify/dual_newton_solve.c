/* dual_newton_solve.c - the system of dual_newton.c: M p + tau s = r, s'p = 0. M may be singular but for rounding. */
#include "certify/certify.h"

static const double ROUNDING = 1e-14, LOST = 1e-8; /* of the diagonal: added for the factorisation, at least and at most */

/* s'p = 0 gives p_k of the others; k: of the least curvature. -1: no side, or none that is free. The system's upper triangle is
 * filled in on the way, the lower one becomes that of the others. */
static int64_t eliminate(spd_newton_dual *a, int64_t N) {
    int64_t k = -1;
    for (int64_t q = 0; q < N; q++)
        if (a->s[q] != 0 && (k < 0 || a->M[q * (N + 1)] / (a->s[q] * a->s[q]) < a->M[k * (N + 1)] / (a->s[k] * a->s[k]))) k = q;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++) a->M[j * N + i] = a->M[i * N + j];
    if (k < 0) return k;
    for (int64_t q = 0; q < N; q++) a->reply[q] = a->M[k * N + q]; /* row k, whole: the triangles are equal */
    for (int64_t i = 0; i < N; i++) {
        const double left = a->s[i] / a->s[k];
        for (int64_t j = 0; j <= i; j++) {
            const double right = a->s[j] / a->s[k];
            a->M[i * N + j] += left * right * a->reply[k] - left * a->reply[j] - right * a->reply[i];
        }
        if (i != k) a->r[i] -= left * a->r[k];
    }
    a->scale[k] = 0;
    return k;
}

/* M in its own scale, factored; rows and columns of scale 0 are those of the identity. The upper triangle keeps the entries, should
 * more be needed on the diagonal. */
static bool factor(spd_newton_dual *a, int64_t N) {
    for (int64_t q = 0; q < N; q++) {
        const double diagonal = a->M[q * (N + 1)];
        a->scale[q] = a->scale[q] > 0 && diagonal > 0 ? 1 / sqrt(diagonal) : 0;
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++) a->M[j * N + i] = a->M[i * N + j] * a->scale[i] * a->scale[j];
    for (double more = ROUNDING; more <= LOST; more *= 100) {
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 0; j < i; j++) a->M[i * N + j] = a->M[j * N + i];
            a->M[i * N + i] = 1 + more;
        }
        if (spd_cholesky(N, a->M)) return true;
    }
    return false;
}

/* p, and tau of equation k: (M p)_k + tau s_k = r_k. */
bool spd_newton_dual_solve(spd_newton_dual *a, int64_t N, double *tau) {
    const int64_t k = eliminate(a, N);
    if (!factor(a, N)) return false;
    for (int64_t q = 0; q < N; q++) a->p[q] = a->scale[q] * a->r[q];
    spd_cholesky_solve(N, a->M, a->p);
    for (int64_t q = 0; q < N; q++) a->p[q] *= a->scale[q];
    *tau = 0;
    if (k < 0) return spd_all_finite(N, a->p);
    a->p[k] = -spd_dot(N, a->s, a->p) / a->s[k];
    *tau = (a->r[k] - spd_dot(N, a->reply, a->p)) / a->s[k];
    return spd_all_finite(N, a->p);
}

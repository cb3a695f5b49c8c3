/* dual_newton_solve.c - solves the system of dual_newton.c, whose M may be singular up to rounding:
 *     M p + tau s = r
 *     s'p = 0 */
#include "certify/certify.h"

static const double ROUNDING = 1e-14, LOST = 1e-8; /* least and most added to the unit diagonal before factoring */

/* Eliminates p_k by s'p = 0 and returns k, the unknown with the least curvature; -1: s is 0. The upper triangle of M receives a
 * copy of the lower one, which then becomes the system of the other unknowns. */
static int64_t eliminate(spd_newton_dual *a, int64_t N) {
    int64_t k = -1;
    for (int64_t q = 0; q < N; q++)
        if (a->s[q] != 0 && (k < 0 || a->M[q * (N + 1)] / (a->s[q] * a->s[q]) < a->M[k * (N + 1)] / (a->s[k] * a->s[k]))) k = q;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < i; j++) a->M[j * N + i] = a->M[i * N + j];
    if (k < 0) return k;
    for (int64_t q = 0; q < N; q++) a->reply[q] = a->M[k * N + q]; /* all of row k: both triangles are filled */
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

/* Scales M to a unit diagonal and factors it. Rows and columns with scale 0 become those of the identity. The upper triangle
 * keeps the entries, in case the factorisation has to be repeated with a larger diagonal. */
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

/* p from the reduced system, and tau from equation k: (M p)_k + tau s_k = r_k. */
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

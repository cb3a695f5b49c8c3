/* quic_face.c - the Newton system of one face by conjugate gradients (Oztoprak, Nocedal, Rennie & Olsen 2012):
 * with the signs z of Theta + D fixed, minimise  <S - W + rho z, D> + tr(W D W D)/2  over D_F, F the pairs with z != 0 and the
 * diagonal. Coordinate descent crawls here when columns are nearly the same. The preconditioner is the inverse of the whole
 * Hessian, cut to F: Hessian: R -> (W R W)_F,   preconditioner: R -> (Theta R Theta)_F. */
#include "graph/quic.h"

#define REDUCE 0.2 /* of the residual in the preconditioner's norm */
enum { MOST = 60 };

/* Off-diagonal pairs stand for two entries. */
static double inner(const spd_quic_state *s, const double *a, const double *b) {
    const int64_t pairs = s->start[s->g->p];
    return 2 * spd_dot(pairs, a, b) + spd_dot(s->g->p, a + pairs, b + pairs);
}

/* out = (M X M)_F for a symmetric p x p matrix M. */
static void sandwich(spd_quic_state *s, const double *M, const double *X, double *out) {
    const int64_t p = s->g->p, pairs = s->start[p];
    memset(s->U, 0, (size_t)(p * p) * sizeof *s->U);
    for (int64_t i = 0; i < p; i++) { /* U = X M by rows */
        spd_axpy(p, X[pairs + i], M + i * p, s->U + i * p);
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
            if (X[q] == 0) continue;
            spd_axpy(p, X[q], M + s->other[q] * p, s->U + i * p);
            spd_axpy(p, X[q], M + i * p, s->U + s->other[q] * p);
        }
    }
    for (int64_t i = 0; i < p; i++) { /* (M U)_ij = m_j'u_i, u_i column i of U */
        for (int64_t k = 0; k < p; k++) s->v[k] = s->U[k * p + i];
        out[pairs + i] = spd_dot(p, M + i * p, s->v);
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++)
            out[q] = s->face[q] == 0 ? 0 : spd_dot(p, M + s->other[q] * p, s->v);
    }
}

/* R = -(S - W + rho z + W D W)_F */
static void residual(spd_quic_state *s) {
    const spd_glasso *g = s->g;
    const int64_t p = g->p, pairs = s->start[p];
    const double *W = s->x->W;
    sandwich(s, W, s->D, s->R);
    for (int64_t i = 0; i < p; i++) {
        s->R[pairs + i] = -(s->R[pairs + i] + g->S[i * p + i] - W[i * p + i] + g->diagonal);
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
            const int64_t at = i * p + s->other[q];
            if (s->face[q] != 0) s->R[q] = -(s->R[q] + g->S[at] - W[at] + g->rho * s->face[q]);
        }
    }
}

void spd_quic_face(spd_quic_state *s) {
    const int64_t p = s->g->p, length = s->start[p] + p;
    residual(s);
    sandwich(s, s->x->Theta, s->R, s->Z);
    memcpy(s->P, s->Z, (size_t)length * sizeof *s->P);
    double now = inner(s, s->R, s->Z);
    const double enough = REDUCE * REDUCE * now;
    for (int k = 0; k < MOST && now > enough; k++) {
        sandwich(s, s->x->W, s->P, s->Q);
        const double curvature = inner(s, s->P, s->Q);
        if (!(curvature > 0)) return;
        const double step = now / curvature;
        spd_axpy(length, step, s->P, s->D);
        spd_axpy(length, -step, s->Q, s->R);
        sandwich(s, s->x->Theta, s->R, s->Z);
        const double before = now;
        now = inner(s, s->R, s->Z);
        spd_scale(length, now / before, s->P);
        spd_axpy(length, 1, s->Z, s->P);
    }
}

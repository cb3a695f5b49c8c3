/* quic_face.c - the Newton system of one face by conjugate gradients (Oztoprak, Nocedal, Rennie & Olsen 2012):
 * with the signs z of Theta + D fixed, minimise  <S - W + rho z, D> + tr(W D W D)/2  over D_F, F the pairs with z != 0 and the
 * diagonal. The preconditioner is the inverse of the whole Hessian, cut to F: Hessian: R -> (W R W)_F, preconditioner: R ->
 * (Theta R Theta)_F. Pairs that the solution takes across 0 are put there and leave F; with the rest it goes on. -log det is
 * self-concordant: the square root of <R, (Theta R Theta)_F> tells how far the quadratic model is right, so how exact to be. */
#include "graph/quic.h"

#define REDUCE 0.3  /* of the residual, far from the solution */
#define CROSSED 0.1 /* what crosses 0, over D, that is worth another round */
enum { ROUNDS = 3, FEW = 4, MOST = 60 };

/* Off-diagonal pairs stand for two entries. */
static double inner(const spd_quic_state *s, const double *a, const double *b) {
    const int64_t pairs = s->free.start[s->g.p];
    return 2 * spd_dot(pairs, a, b) + spd_dot(s->g.p, a + pairs, b + pairs);
}

/* out = (M X M)_F */
static void sandwich(spd_quic_state *s, const double *M, const double *X, double *out) {
    const int64_t pairs = s->free.start[s->g.p];
    spd_sandwich(&s->free, M, X, s->U, out);
    for (int64_t q = 0; q < pairs; q++) out[q] *= s->face[q] * s->face[q];
}

/* The signs: of Theta where it is not 0, elsewhere that of the descent. */
static void find_face(spd_quic_state *s) {
    const int64_t p = s->g.p, *start = s->free.start;
    for (int64_t i = 0; i < p; i++) {
        s->face[start[p] + i] = 1;
        for (int64_t q = start[i]; q < start[i + 1]; q++) {
            const int64_t at = i * p + s->free.other[q];
            const double towards = s->x->Theta[at] != 0 ? s->x->Theta[at] : s->x->W[at] - s->g.S[at];
            s->face[q] = towards > 0 ? 1 : -1;
        }
    }
}

/* R = -(S - W + rho z + W D W)_F */
static void residual(spd_quic_state *s, bool at_zero) {
    const spd_glasso *g = &s->g;
    const int64_t p = g->p, *start = s->free.start, pairs = start[p];
    const double *W = s->x->W;
    if (at_zero)
        for (int64_t q = 0; q < pairs + p; q++) s->R[q] = 0;
    else
        sandwich(s, W, s->D, s->R);
    for (int64_t i = 0; i < p; i++) {
        s->R[pairs + i] = -(s->R[pairs + i] + g->S[i * p + i] - W[i * p + i] + g->diagonal);
        for (int64_t q = start[i]; q < start[i + 1]; q++) {
            const int64_t at = i * p + s->free.other[q];
            if (s->face[q] != 0) s->R[q] = -(s->R[q] + g->S[at] - W[at] + g->rho * s->face[q]);
        }
    }
}

/* Conjugate gradients from D on, until <R, R> is `enough`; Z is the preconditioned residual. */
static void solve(spd_quic_state *s, double enough, int most) {
    const int64_t length = s->free.start[s->g.p] + s->g.p;
    memcpy(s->P, s->Z, (size_t)length * sizeof *s->P);
    double now = inner(s, s->R, s->Z);
    for (int k = 0; k < most; k++) {
        sandwich(s, s->x->W, s->P, s->Q);
        const double curvature = inner(s, s->P, s->Q);
        if (!(curvature > 0)) return;
        spd_axpy(length, now / curvature, s->P, s->D);
        spd_axpy(length, -now / curvature, s->Q, s->R);
        if (k + 1 == most || inner(s, s->R, s->R) <= enough) return;
        sandwich(s, s->x->Theta, s->R, s->Z);
        const double before = now;
        now = inner(s, s->R, s->Z);
        spd_scale(length, now / before, s->P);
        spd_axpy(length, 1, s->Z, s->P);
    }
}

/* What crosses 0 stops there; the sum of squares of what it went beyond. */
static double stop_crossing(spd_quic_state *s) {
    const int64_t p = s->g.p, *start = s->free.start;
    double beyond = 0;
    for (int64_t i = 0; i < p; i++)
        for (int64_t q = start[i]; q < start[i + 1]; q++) {
            const double from = s->x->Theta[i * p + s->free.other[q]], to = from + s->D[q];
            if (to * s->face[q] >= 0) continue;
            beyond += 2 * to * to;
            s->D[q] = -from;
            s->face[q] = 0;
        }
    return beyond;
}

double spd_quic_face(spd_quic_state *s, double reduce) {
    const int64_t length = s->free.start[s->g.p] + s->g.p;
    double enough = 0, decrement = 0;
    int most = FEW;
    find_face(s);
    for (int64_t q = 0; q < length; q++) s->D[q] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        residual(s, round == 0);
        const double size = inner(s, s->R, s->R);
        if (size <= enough) break;
        sandwich(s, s->x->Theta, s->R, s->Z);
        if (round == 0) {
            decrement = sqrt(inner(s, s->R, s->Z));
            const double factor = fmax(reduce, fmin(decrement, REDUCE));
            enough = factor * factor * size;
            if (decrement < 1) most = MOST;
        }
        solve(s, enough, most);
        const double beyond = stop_crossing(s);
        if (beyond <= CROSSED * CROSSED * inner(s, s->D, s->D)) break;
    }
    return decrement;
}

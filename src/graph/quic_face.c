/* quic_face.c - the Newton system of one face by conjugate gradients (Oztoprak, Nocedal, Rennie & Olsen 2012):
 * with the signs z of Theta + D fixed, minimise
 *     <S - W + rho z, D> + tr(W D W D)/2
 * over D_F, where F holds the pairs with z != 0 and the diagonal. The preconditioner is the inverse of the full Hessian,
 * restricted to F:
 *     Hessian:         R -> (W R W)_F
 *     preconditioner:  R -> (Theta R Theta)_F, Theta without its small partial correlations.
 * Dropping those makes it very cheap and costs few extra iterations. Both products use single precision if W is well enough
 * conditioned; the gradient, and hence the solution, is unaffected. Pairs that the solution takes across 0 are set to 0 and
 * leave F; the iteration continues with the rest. Since -log det is self-concordant, the square root of
 *     <R, (Theta R Theta)_F>
 * tells how far the quadratic model can be trusted, and hence how accurately to solve. */
#include <float.h>

#include "graph/quic.h"

#define REDUCE 0.15 /* reduction of the residual, far from the solution */
#define CROSSED 0.1 /* another round pays if the part that crosses 0, relative to D, exceeds this */
#define SMALL 0.04  /* a partial correlation below this counts as small */
#define HARMLESS 1  /* sufficient because the row sums are several times the norms they bound */
enum { ROUNDS = 3, FEW = 4, MOST = 60 };

/* Each off-diagonal pair stands for two entries. */
static double inner(const spd_quic_state *s, const double *a, const double *b) {
    const int64_t pairs = s->free.start[s->g.p];
    return 2 * spd_dot(pairs, a, b) + spd_dot(s->g.p, a + pairs, b + pairs);
}

static void cut(const spd_quic_state *s, double *out) {
    for (int64_t q = 0; q < s->free.start[s->g.p]; q++) out[q] *= s->face[q] * s->face[q];
}

/* out = (W X W)_F */
static void curve(spd_quic_state *s, const double *X, double *out) {
    if (s->rough)
        spd_sandwich_float(&s->free, &s->W, X, out);
    else
        spd_sandwich(&s->free, s->x->W, X, s->U, out);
    cut(s, out);
}

/* Z becomes the preconditioned residual; returns <R, Z>. */
static double precondition(spd_quic_state *s) {
    const int64_t p = s->g.p;
    if (s->whole && !s->rough)
        spd_sandwich(&s->free, s->x->Theta, s->R, s->U, s->Z);
    else if (s->rough && s->free.from[p] / p * spd_csr_nnz(&s->main) > p * p) /* a sparse product would visit as many entries */
        spd_sandwich_light(&s->free, &s->main, s->R, s->W.U, s->Z);
    else
        spd_sandwich_sparse(&s->free, &s->main, s->R, s->Z);
    cut(s, s->Z);
    return inner(s, s->R, s->Z);
}

static void find_main(spd_quic_state *s) {
    const int64_t p = s->g.p;
    const double *Theta = s->x->Theta, least = s->whole ? 0 : SMALL * SMALL;
    int64_t count = 0;
    for (int64_t i = 0; i < p; i++) {
        s->main.ptr[i] = count;
        for (int64_t k = s->free.from[i]; k < s->free.from[i + 1]; k++) {
            const int32_t j = s->free.near[k];
            const double Theta_ij = Theta[i * p + j];
            if (Theta_ij * Theta_ij <= least * (Theta[i * p + i] * Theta[j * p + j])) continue;
            s->main.idx[count] = j;
            s->main.val[count++] = Theta_ij;
        }
    }
    s->main.ptr[p] = count;
}

static double norm(int64_t p, const double *M) {
    double largest = 0;
    for (int64_t i = 0; i < p; i++) largest = fmax(largest, spd_sum_abs(p, M + i * p));
    return largest;
}

/* The error eps ||W||^2 ||D||^2 of <D, W D W> is harmless compared with its lower bound ||D||^2/||Theta||^2. */
static void find_precision(spd_quic_state *s) {
    const double condition = norm(s->g.p, s->x->W) * norm(s->g.p, s->x->Theta);
    s->rough = FLT_EPSILON * condition * condition < HARMLESS;
    if (s->rough) spd_float_copy(&s->W, s->g.p, s->x->W);
}

/* The signs: that of Theta where it is nonzero, elsewhere that of the descent direction. */
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
        curve(s, s->D, s->R);
    for (int64_t i = 0; i < p; i++) {
        s->R[pairs + i] = -(s->R[pairs + i] + g->S[i * p + i] - W[i * p + i] + g->diagonal);
        for (int64_t q = start[i]; q < start[i + 1]; q++) {
            const int64_t at = i * p + s->free.other[q];
            if (s->face[q] != 0) s->R[q] = -(s->R[q] + g->S[at] - W[at] + g->rho * s->face[q]);
        }
    }
}

/* Conjugate gradients starting at D, until <R, R> is at most `enough`. Z is the preconditioned residual, now = <R, Z>. */
static void solve(spd_quic_state *s, double now, double enough, int most) {
    const int64_t length = s->free.start[s->g.p] + s->g.p;
    memcpy(s->P, s->Z, (size_t)length * sizeof *s->P);
    for (int k = 0; k < most; k++) {
        curve(s, s->P, s->Q);
        const double curvature = inner(s, s->P, s->Q);
        if (!(curvature > 0)) return;
        spd_axpy(length, now / curvature, s->P, s->D);
        spd_axpy(length, -now / curvature, s->Q, s->R);
        if (k + 1 == most || inner(s, s->R, s->R) <= enough) return;
        const double before = now;
        now = precondition(s);
        spd_scale(length, now / before, s->P);
        spd_axpy(length, 1, s->Z, s->P);
    }
}

/* Entries that cross 0 stop there. Returns the sum of squares of the overshoot. */
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

/* The preconditioned residual is close to the solution. New pairs whose sign it contradicts are not on the face after all. They
 * are removed before the first product rather than after a round. Returns <R, Z> without them. */
static double turn_away(spd_quic_state *s) {
    const int64_t p = s->g.p, *start = s->free.start;
    for (int64_t i = 0; i < p; i++)
        for (int64_t q = start[i]; q < start[i + 1]; q++)
            if (s->Z[q] * s->face[q] < 0 && s->x->Theta[i * p + s->free.other[q]] == 0) s->face[q] = s->R[q] = s->Z[q] = 0;
    return inner(s, s->R, s->Z);
}

double spd_quic_face(spd_quic_state *s, double reduce) {
    const int64_t length = s->free.start[s->g.p] + s->g.p;
    double enough = 0, decrement = 0;
    int most = FEW;
    find_face(s);
    find_precision(s);
    find_main(s);
    for (int64_t q = 0; q < length; q++) s->D[q] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        residual(s, round == 0);
        const double size = inner(s, s->R, s->R);
        if (size <= enough) break;
        double now = precondition(s);
        if (round == 0) {
            if (!s->whole) now = turn_away(s);
            decrement = sqrt(now);
            const double factor = fmax(reduce, fmin(decrement, REDUCE));
            enough = factor * factor * size;
            if (decrement < 1) most = MOST;
        }
        solve(s, now, enough, most);
        const double beyond = stop_crossing(s);
        if (beyond <= CROSSED * CROSSED * inner(s, s->D, s->D)) break;
    }
    return decrement;
}

/* quic.c - sparse inverse covariance by proximal Newton steps (Hsieh, Sustik, Dhillon, Ravikumar 2014), dense in one component.
 * Direction: coordinate descent on  <S - W, D> + tr(W D W D)/2 + penalty(Theta + D)  over the free pairs, those with Theta_ij !=
 * 0 or |S_ij - W_ij| > rho; for the pair (i,j) a = W_ij^2 + W_ii W_jj,  b = S_ij - W_ij + w_i'D w_j,  c = Theta_ij + D_ij,  D_ij
 * += mu = -c + soft(c - b/a, rho/a). U = D W is kept by rows; v = w_i'D, its column i, is kept up to date while i stays, so that
 * every product is one of whole rows. When that has not settled after a few sweeps, quic_face.c goes on from the signs it found.
 * Then a step of Armijo's rule that keeps Theta positive definite. It stops on the duality gap. */
#include "graph/quic.h"

#define ARMIJO 1e-3
#define SETTLED 0.15 /* change of D in a sweep over D */
#define CRAWL 0.8    /* change of D in a sweep over that in the sweep before */
enum { SWEEPS = 20, VECTORS = 7 };
typedef spd_quic_state quic;

static double soft(double v, double k) { return v > k ? v - k : v < -k ? v + k : 0; }

static void start(quic *s) {
    const spd_glasso *g = s->g;
    spd_glasso_point *x = s->x;
    memset(x->Theta, 0, (size_t)(g->p * g->p) * sizeof *x->Theta);
    memset(x->W, 0, (size_t)(g->p * g->p) * sizeof *x->W);
    x->logdet = 0;
    for (int64_t i = 0; i < g->p; i++) {
        const double w = g->S[i * g->p + i] + g->diagonal;
        x->W[i * g->p + i] = w;
        x->Theta[i * g->p + i] = 1 / w;
        x->logdet -= log(w);
    }
    x->iterations = 0;
    spd_glasso_evaluate(g, x);
}

static bool make_room(quic *s, int64_t pairs) {
    if (pairs <= s->room) return true;
    const int64_t room = pairs + pairs / 4, length = room + s->g->p;
    spd_free(s->other);
    spd_free(s->D);
    s->other = spd_alloc_raw(room, sizeof *s->other);
    s->D = spd_alloc_raw(VECTORS * length, sizeof *s->D);
    if (!s->other || !s->D) return false;
    double **const part[VECTORS - 1] = {&s->face, &s->R, &s->Z, &s->P, &s->Q, &s->kept};
    for (int k = 0; k < VECTORS - 1; k++) *part[k] = s->D + (k + 1) * length;
    s->room = room;
    return true;
}

/* The free pairs, each once with i < j, and a direction of 0; false: out of memory. */
static bool find_free(quic *s) {
    const int64_t p = s->g->p;
    for (int pass = 0; pass < 2; pass++) { /* count, then list */
        int64_t count = 0;
        for (int64_t i = 0; i < p; i++) {
            const double *S = s->g->S + i * p, *W = s->x->W + i * p, *Theta = s->x->Theta + i * p;
            s->start[i] = count;
            for (int64_t j = i + 1; j < p; j++)
                if (Theta[j] != 0 || fabs(S[j] - W[j]) > s->g->rho) {
                    if (pass) s->other[count] = (int32_t)j;
                    count++;
                }
        }
        s->start[p] = count;
        if (pass == 0 && !make_room(s, count)) return false;
    }
    for (int64_t q = 0; q < s->start[p] + p; q++) s->D[q] = 0;
    memset(s->U, 0, (size_t)(p * p) * sizeof *s->U);
    return true;
}

/* One pass over the coordinates of row i, pairs at 0 only if `all`; the sum of their changes. */
static double descend_row(quic *s, int64_t i, bool all) {
    const spd_glasso *g = s->g;
    const int64_t p = g->p;
    const double *W = s->x->W, *wi = W + i * p;
    double *v = s->v, *ui = s->U + i * p, *D_ii = s->D + s->start[p] + i;
    for (int64_t k = 0; k < p; k++) v[k] = s->U[k * p + i];
    const double a_ii = wi[i] * wi[i], c_ii = s->x->Theta[i * p + i] + *D_ii;
    const double mu_ii = -c_ii + soft(c_ii - (g->S[i * p + i] - wi[i] + spd_dot(p, v, wi)) / a_ii, g->diagonal / a_ii);
    double moved = fabs(mu_ii);
    *D_ii += mu_ii;
    spd_axpy(p, mu_ii, wi, ui);
    v[i] += mu_ii * wi[i];
    for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
        const int64_t j = s->other[q];
        const double *wj = W + j * p, c = s->x->Theta[i * p + j] + s->D[q];
        if (c == 0 && !all) continue;
        const double a = wi[j] * wi[j] + wi[i] * wj[j], b = g->S[i * p + j] - wi[j] + spd_dot(p, v, wj);
        const double mu = -c + soft(c - b / a, g->rho / a);
        if (mu == 0) continue;
        s->D[q] += mu;
        spd_axpy(p, mu, wj, ui);
        spd_axpy(p, mu, wi, s->U + j * p);
        v[j] += mu * wi[i];
        v[i] += mu * wi[j];
        moved += 2 * fabs(mu);
    }
    return moved;
}

/* Sweeps until the direction settles; false: it crawls, or has not settled within `most` of them. */
static bool descend(quic *s, int most) {
    const int64_t p = s->g->p, pairs = s->start[p];
    double before = INFINITY;
    for (int sweep = 0; sweep < most; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < p; i++) moved += descend_row(s, i, sweep == 0);
        if (moved <= SETTLED * (2 * spd_sum_abs(pairs, s->D) + spd_sum_abs(p, s->D + pairs))) return true;
        if (sweep > 1 && moved > CRAWL * before) return false;
        before = moved;
    }
    return false;
}

static void find_face(quic *s) {
    const int64_t p = s->g->p;
    for (int64_t i = 0; i < p; i++) {
        s->face[s->start[p] + i] = 1;
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
            const double to = s->x->Theta[i * p + s->other[q]] + s->D[q];
            s->face[q] = (to > 0) - (to < 0);
        }
    }
}

/* Theta + step D; on a face what would change its sign becomes 0. */
static void trial(const quic *s, double step, bool on_face, double *Theta) {
    const int64_t p = s->g->p;
    memcpy(Theta, s->x->Theta, (size_t)(p * p) * sizeof *Theta);
    for (int64_t i = 0; i < p; i++) {
        Theta[i * p + i] += step * s->D[s->start[p] + i];
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
            const int64_t j = s->other[q];
            double to = Theta[i * p + j] + step * s->D[q];
            if (on_face && to * s->face[q] < 0) to = 0;
            Theta[i * p + j] = Theta[j * p + i] = to;
        }
    }
}

/* <S - W, Next - Theta> + penalty(Next) - penalty(Theta): what f loses to first order, negative for a descent. */
static double expected(const quic *s, const double *Next) {
    const int64_t p = s->g->p;
    const double *S = s->g->S, *W = s->x->W, *Theta = s->x->Theta;
    double sum = 0;
    for (int64_t i = 0; i < p; i++) {
        const int64_t ii = i * p + i;
        sum += (S[ii] - W[ii] + s->g->diagonal) * (Next[ii] - Theta[ii]);
        for (int64_t q = s->start[i]; q < s->start[i + 1]; q++) {
            const int64_t at = i * p + s->other[q];
            sum += 2 * ((S[at] - W[at]) * (Next[at] - Theta[at]) + s->g->rho * (fabs(Next[at]) - fabs(Theta[at])));
        }
    }
    return sum;
}

/* Steps 1, 1/2, 1/4, ... until f falls enough; then Theta, W and f are those of the new point and *decrease what was expected. */
static bool search(quic *s, bool on_face, double least, double *decrease) {
    const spd_glasso *g = s->g;
    const size_t size = (size_t)(g->p * g->p) * sizeof(double);
    const double before = spd_glasso_value(s->x);
    spd_glasso_point next = *s->x;
    next.Theta = s->U; /* the direction is complete: U is free */
    for (double step = 1; step > least; step /= 2) {
        trial(s, step, on_face, next.Theta);
        *decrease = expected(s, next.Theta);
        memcpy(s->T, next.Theta, size);
        if (!(*decrease < 0) || !spd_cholesky(g->p, s->T)) continue;
        next.logdet = spd_cholesky_logdet(g->p, s->T);
        spd_glasso_evaluate(g, &next);
        if (!(spd_glasso_value(&next) <= before + ARMIJO * *decrease + 1e-15 * fabs(before))) continue;
        if (!spd_cholesky_inverse(g->p, s->T)) continue;
        memcpy(s->x->Theta, next.Theta, size);
        memcpy(s->x->W, s->T, size);
        s->x->logdet = next.logdet;
        s->x->trace = next.trace;
        s->x->penalty = next.penalty;
        return true;
    }
    return false;
}

/* One Newton step; false if f could not be made smaller. */
static bool step(quic *s, double *decrease) {
    const size_t size = (size_t)(s->start[s->g->p] + s->g->p) * sizeof *s->D;
    if (!descend(s, SWEEPS)) {
        find_face(s);
        memcpy(s->kept, s->D, size);
        spd_quic_face(s);
        if (search(s, true, 0.05, decrease)) return true;
        memcpy(s->D, s->kept, size); /* the face was not the right one: the direction of coordinate descent always descends */
    }
    return search(s, false, 1e-10, decrease);
}

/* Newton steps until the gap is small; false: out of memory. */
static bool iterate(quic *s) {
    const spd_glasso *g = s->g;
    spd_glasso_point *x = s->x;
    const double enough = g->tol * (double)g->p;
    start(s);
    x->gap = spd_glasso_gap(g, x, s->T);
    while (x->iterations < g->most && !(x->gap <= enough)) {
        double decrease = 0;
        if (!find_free(s)) return false;
        x->iterations++;
        const bool moved = step(s, &decrease);
        /* the gap costs a factorisation: asked for only where the decrease says that it may be small */
        if (-decrease <= 10 * enough || x->iterations % 5 == 0 || x->iterations == g->most || !moved)
            x->gap = spd_glasso_gap(g, x, s->T);
        if (!moved) break;
    }
    return true;
}

bool spd_quic(const spd_glasso *g, spd_glasso_point *x) {
    const int64_t p = g->p;
    quic s = {.g = g,
              .x = x,
              .U = spd_alloc_raw(p * p, sizeof(double)),
              .T = spd_alloc_raw(p * p, sizeof(double)),
              .v = SPD_NEW(double, p),
              .start = SPD_NEW(int64_t, p + 1),
              .room = -1};
    const bool good = s.U && s.T && s.v && s.start && iterate(&s);
    spd_free(s.U);
    spd_free(s.T);
    spd_free(s.v);
    spd_free(s.start);
    spd_free(s.other);
    spd_free(s.D);
    return good;
}

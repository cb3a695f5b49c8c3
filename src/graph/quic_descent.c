/* quic_descent.c - the direction of QUIC by coordinate descent (Hsieh, Sustik, Dhillon, Ravikumar 2014), minimising
 *     <S - W, D> + tr(W D W D)/2 + penalty(Theta + D)
 * over the free pairs. The update for the pair (i,j) is
 *     a = W_ij^2 + W_ii W_jj
 *     b = S_ij - W_ij + w_i'D w_j
 *     c = Theta_ij + D_ij
 *     D_ij += mu = -c + soft(c - b/a, rho/a).
 * U = D W is stored by rows. v = w_i'D, its column i, is kept up to date while i stays the same, so every product uses whole
 * rows. */
#include "graph/quic.h"

#define SETTLED 0.15 /* stop when the change of D in a sweep, relative to D, is below this */
enum { SWEEPS = 20 };

static double soft(double v, double k) { return v > k ? v - k : v < -k ? v + k : 0; }

/* One pass over the coordinates of row i, including pairs at 0 only if `all`. Returns the sum of their changes. */
static double descend_row(spd_quic_state *s, int64_t i, bool all) {
    const spd_glasso *g = &s->g;
    const int64_t p = g->p, *start = s->free.start;
    const double *W = s->x->W, *wi = W + i * p;
    double *v = s->v, *ui = s->U + i * p, *D_ii = s->D + start[p] + i;
    for (int64_t k = 0; k < p; k++) v[k] = s->U[k * p + i];
    const double a_ii = wi[i] * wi[i], c_ii = s->x->Theta[i * p + i] + *D_ii;
    const double mu_ii = -c_ii + soft(c_ii - (g->S[i * p + i] - wi[i] + spd_dot(p, v, wi)) / a_ii, g->diagonal / a_ii);
    double moved = fabs(mu_ii);
    *D_ii += mu_ii;
    spd_axpy(p, mu_ii, wi, ui);
    v[i] += mu_ii * wi[i];
    for (int64_t q = start[i]; q < start[i + 1]; q++) {
        const int64_t j = s->free.other[q];
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

void spd_quic_descent(spd_quic_state *s) {
    const int64_t p = s->g.p, pairs = s->free.start[p];
    for (int64_t q = 0; q < pairs + p; q++) s->D[q] = 0;
    memset(s->U, 0, (size_t)(p * p) * sizeof *s->U);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < p; i++) moved += descend_row(s, i, sweep == 0);
        if (moved <= SETTLED * (2 * spd_sum_abs(pairs, s->D) + spd_sum_abs(p, s->D + pairs))) return;
    }
}

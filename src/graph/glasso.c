/* glasso.c - one component of the sparse inverse covariance problem: its objective and its duality gap,
 *     f(Theta) = -log det Theta + <S, Theta> + rho sum_{i != j} |Theta_ij| + diagonal sum_i Theta_ii
 *     dual: max { log det(S + U) + p : |U_ij| <= rho, U_ii = diagonal }.
 * With W = Theta^{-1}, the dual point is U = clip(W - S, rho), or the same with
 *     U_ij = rho sign(Theta_ij) where Theta_ij != 0.
 * Then <Theta, U - U*> is 0 once the signs are right, and the gap is of second order in the error of W instead of first. */
#include "graph/graph.h"

double spd_glasso_value(const spd_glasso_point *x) { return -x->logdet + x->trace + x->penalty; }

void spd_glasso_evaluate(const spd_glasso *g, spd_glasso_point *x) {
    const int64_t p = g->p;
    double on = 0, off = 0;
    for (int64_t i = 0; i < p; i++) {
        on += fabs(x->Theta[i * p + i]);
        off += spd_sum_abs(p, x->Theta + i * p) - fabs(x->Theta[i * p + i]);
    }
    x->trace = spd_dot(p * p, g->S, x->Theta);
    x->penalty = g->rho * off + g->diagonal * on;
}

double spd_glasso_gap(const spd_glasso *g, const spd_glasso_point *x, bool signs, double *work) {
    const int64_t p = g->p;
    for (int64_t i = 0; i < p; i++) { /* the factorisation reads only the lower triangle */
        const double *S = g->S + i * p, *W = x->W + i * p, *Theta = x->Theta + i * p;
        for (int64_t j = 0; j < i; j++) {
            const double towards = signs && Theta[j] != 0 ? copysign(g->rho, Theta[j]) : W[j] - S[j];
            work[i * p + j] = S[j] + (towards > g->rho ? g->rho : towards < -g->rho ? -g->rho : towards);
        }
        work[i * p + i] = S[i] + g->diagonal;
    }
    if (!spd_cholesky(p, work)) return INFINITY;
    return fmax(0, spd_glasso_value(x) - spd_cholesky_logdet(p, work) - (double)p);
}

bool spd_glasso_goes_on(const spd_glasso *g, const spd_glasso_point *x) {
    if (x->iterations >= g->most) return false;
    if (!g->ask || !g->ask->callback) return true;
    /* the gap falls from about 1 a feature to tol; x->gap is that of the step before, if there was one */
    const double fallen = x->iterations > 0 && g->tol > 0 ? log(x->gap / (double)g->p) / log(g->tol) : 0;
    const double part = g->before + g->own * (isfinite(fallen) ? fmin(1, fmax(0, fallen)) : 0);
    return g->ask->callback(g->ask->user, &(spdhg_event){.kind = SPDHG_EVENT_POLL, .stage = "graph", .part = part}) == 0;
}

/* repair_intercept.c - the first case of repair.c: only sum_i w_i alpha_i = 0 and y in its ball are required. */
#include "certify/certify.h"

static const double GENEROUS = 1.01; /* covers the rounding in these few sums of positive numbers */

/* y is in (1 + t) lambda Y: t is 0 where entries of y were clipped at lambda, and a rounding error where a norm was computed. */
double spd_dual_outside(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double most = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double polar = spd_term_polar(term, p->K, c->y + term->first, c->work);
        const double rounded = spd_rounding(term->units);
        if (polar == 0 || (term->penalty->sum_of_sizes && polar <= term->lambda)) continue;
        most = fmax(most, term->lambda > 0 ? polar / term->lambda * (1 + rounded) - 1 : INFINITY);
    }
    return GENEROUS * fmax(most, 0);
}

static double tau_scalar(const spd_certifier *c, int64_t k) {
    const spdhg_problem *p = c->problem;
    double up = 0, down = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double a = spd_problem_share(p, i) * c->alpha[i * p->K + k];
        up += fmax(a, 0);
        down += fmax(-a, 0);
    }
    const double miss = fabs(c->v0[k]) + c->e[p->dK + k], side = fmax(up, down) * (1 - 1e-9) - miss;
    return miss == 0 ? 0 : side > 0 && fmin(up, down) > 0 ? GENEROUS * miss / side : INFINITY;
}

/* Q_k = (1/W) sum_i w_i q_ik >= (share of class k) - miss_k
 * Mixing by any tau >= miss_k / Q_k can balance the sums. */
static double tau_coupled(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double tau = 0;
    memset(c->slope, 0, (size_t)p->K * sizeof *c->slope);
    for (int64_t i = 0; i < p->n; i++) c->slope[(int64_t)p->b[i]] += spd_problem_share(p, i);
    for (int64_t k = 0; k < p->K; k++) {
        const double miss = fabs(c->v0[k]) + c->e[p->dK + k], mass = 0.999 * c->slope[k] - miss;
        if (miss > 0) tau = fmax(tau, mass > 0 ? GENEROUS * miss / mass : INFINITY);
    }
    return tau;
}

void spd_dual_repair_intercept(spd_certifier *c, spd_repair *out) {
    const spdhg_problem *p = c->problem;
    *out = (spd_repair){.stretch = spd_dual_outside(c)};
    if (!p->intercept) return;
    double *tau = c->tau;
    for (int64_t k = 0; k < p->K; k++) tau[k] = p->loss->value ? tau_scalar(c, k) : tau_coupled(c);
    for (int64_t k = 0; k < p->K; k++) {
        out->mixed = fmax(out->mixed, tau[k]);
        for (int64_t j = 0; j < p->d && tau[k] > 0; j++)
            c->e[j * p->K + k] += tau[k] * (p->loss->value ? c->alpha_size[k] : 1) * c->norm[j];
    }
    if (!(out->mixed < 0.5)) out->mixed = INFINITY;
}

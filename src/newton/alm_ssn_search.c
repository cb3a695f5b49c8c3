/* alm_ssn_search.c - Psi of alm_ssn.c along a direction, and the choice of the step:
 *   Psi(x + t dx) = l + (gamma/2)||.||^2 + (sig/2)||. - x_j||_D^2 + env,   t = 1, 1/2, ... (Armijo 1e-4) */
#include "newton/alm_ssn.h"

enum { HALVINGS_MOST = 40 };
static const double DAMP_FIRST = 1e-2, DAMP_MOST = 1;

double spd_alm_envelope(spd_alm_ssn *self, const spdhg_problem *p, const double *Fx) {
    spd_newton *b = &self->base;
    const int64_t mK = p->m * p->K;
    const double rho = self->scalar[SPD_ALM_RHO];
    double sum = 0;
    for (int64_t e = 0; e < mK; e++) self->v[e] = self->pi[e] = b->y[e] + rho * self->S[e] * Fx[e];
    spd_problem_project_dual(p, self->pi, b->term);
    for (int64_t e = 0; e < mK; e++) sum += (self->v[e] - 0.5 * self->pi[e]) * self->pi[e] / self->S[e];
    return sum / rho;
}

static double proximal(const spd_alm_ssn *self, int64_t n, const double *x, double t) {
    double sum = 0;
    for (int64_t q = 0; q < n; q++) {
        const double e = x[q] + t * self->dx[q] - self->centre[q];
        sum += self->D[q] * e * e;
    }
    return 0.5 * self->scalar[SPD_ALM_SIG] * sum;
}

/* The quadratic part along x + t dx. The scores move by b->move and Fx by Fu, so that no pass over the data is needed. */
typedef struct line {
    double xx, xd, dd; /* ||x||^2, x'dx, ||dx||^2 without the intercepts */
} line;

static double along(spd_alm_ssn *self, spd_run *run, const line *l, double t) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    for (int64_t e = 0; e < p->m * p->K; e++) b->Ftrial[e] = b->Fx[e] + t * self->Fu[e];
    return spd_newton_loss(run, b, t) + 0.5 * p->gamma * (l->xx + 2 * t * l->xd + t * t * l->dd) +
           proximal(self, spd_problem_normal_size(p), b->x, t) + spd_alm_envelope(self, p, b->Ftrial);
}

bool spd_alm_search(spd_alm_ssn *self, spd_run *run, double slope) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    spd_newton_direction_scores(run, b, self->dx);
    spd_problem_apply(p, self->dx, self->Fu);
    const line l = {spd_dot(p->dK, b->x, b->x), spd_dot(p->dK, b->x, self->dx), spd_dot(p->dK, self->dx, self->dx)};
    const double now = along(self, run, &l, 0), rounding = 1e-15 * fabs(now);
    double t = 1, trial = along(self, run, &l, t);
    int halvings = 0;
    for (; trial > now + 1e-4 * t * slope + rounding; trial = along(self, run, &l, t *= 0.5))
        if (++halvings > HALVINGS_MOST) return false;
    for (double next; (next = along(self, run, &l, 0.5 * t)) < trial - rounding; trial = next) t *= 0.5;
    spd_axpy(n, t, self->dx, b->x);
    if (t < 0.25) self->scalar[SPD_ALM_DAMP] = fmin(fmax(4 * self->scalar[SPD_ALM_DAMP], DAMP_FIRST), DAMP_MOST);
    if (t == 1) self->scalar[SPD_ALM_DAMP] /= 4;
    return spd_norm2(n, self->dx) * t > 1e-16 * spd_norm2(n, b->x);
}

/* rpdg.c - randomized primal-dual gradient of Lan and Zhou (2015; Math. Prog. 171, 2018), their Algorithm 3, with one number a
 * row: the gradient of f_i(x) = phi_i(a_i'x) is phi_i' a_i, so that the point at which it was last taken is kept as its score.
 *
 *   For t = 1, 2, ...  with a batch of B rows and u = (1/N) sum_i alpha_i a_i':
 *     xbar = x + theta (x - x_before)
 *     s_i  = (a_i'xbar + o_i + eta_d s_i)/(1 + eta_d),   alpha_i+ = phi_i'(s_i)                       for the rows of the batch
 *     x+   = argmin_x g(x) + < u + (1/B) sum_{batch} (alpha_i+ - alpha_i) a_i', x > + (gamma eta/2)||x - x_t||^2
 *     u+   = u + (1/N) sum_{batch} (alpha_i+ - alpha_i) a_i'
 *   Output the last x
 *
 * where g(x) = (gamma/2)||x||^2 + lambda r(x) as in SPDC. It is SPDC with another dual step: the distance is that of phi* itself,
 * which turns the proximal step of phi* into a gradient. With M = N/B, C = 4 kappa max ||a_i||^2/gamma and S = sqrt((M-1)^2 +
 * 4MC), theirs for rows drawn evenly (they have L_i/p_i for kappa ||a_i||^2, and tau for eta_d):
 *     eta_d = (S - (M-1))/(2M),   eta = (S + (M-1))/2,   theta = 1 - 1/(M + 1 + S)
 * F must be the identity, for the reason given in spdc.c. A row that is drawn twice in a batch moves its score twice. */
#include "primal_dual/spdc.h"

/* sigma of SPDC is eta_d here. */
static void constants(spd_run *run, spd_spdc *self) {
    const spdhg_problem *p = run->problem;
    const double R = spd_spdc_longest(run), M = self->M, C = 4 * p->kappa * R * R / p->gamma;
    const double S = sqrt((M - 1) * (M - 1) + 4 * M * C);
    self->sigma = 2 * C / (S + (M - 1)); /* (S - (M-1))/(2M) without cancellation */
    self->tau = 2 / (p->gamma * (S + (M - 1)));
    self->theta = 1 - 1 / (M + 1 + S);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        spd_row_slope(p, &row, self->x, self->c, self->score + i * p->K, self->next);
    }
}

static void next(const spd_run *run, const spd_row *row, double *next) {
    spd_spdc *self = run->self;
    const spdhg_problem *p = run->problem;
    double *s = self->score + row->id * p->K;
    spd_row_slope(p, row, self->x_bar, self->c_bar, self->prox, next);
    for (int64_t k = 0; k < p->K; k++) s[k] = (self->prox[k] + self->sigma * s[k]) / (1 + self->sigma);
    spd_loss_slope(p->loss, p->loss_arg, p->K, s, row->b, next);
}

static const spd_spdc_rule rule = {.constants = constants, .next = next, .scores = true};

const spd_solver_kind spd_solver_rpdg = {
    .name = "rpdg",
    .what = "randomized primal-dual gradient for F = identity and gamma > 0, N scores, last iterate",
    .reference = "Lan, Zhou: An optimal randomized incremental gradient method, Math. Prog. 2018, Alg. 3",
    .variant = &rule,
    .step = spd_spdc_step,
    SPD_SPDC_KIND};

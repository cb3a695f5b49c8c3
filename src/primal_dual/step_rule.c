/* step_rule.c - the paper's Table 1: step sizes beta^{k+1} and weights alpha^{k+1} of the averages, k = 0, 1, ...
 *     general convex    beta = 1/(sqrt(k+1) + L)      alpha = 1/(t+1)
 *     strongly convex   beta = 1/(mu(k+1) + L)        alpha = 1/(t+1)                 (SC1)
 *                       beta = 2/(mu(k+2) + 2L)       alpha = 2(k+1)/((t+1)(t+2))     (SC2)
 * and two that use half of the strong convexity to control the noise, so that O(1/t) also holds with high probability
 * (docs/theory.md):
 *                       beta = 1/((mu/2)(k+1) + L)    alpha = 1/(t+1)                 (SC1')
 *                       beta = 4/(mu(k+2) + 4L)       alpha = 2(k+1)/((t+1)(t+2))     (SC2')
 *     constant          beta = 1/L                    no average, the last iterate: LPDHG as the paper displays it
 * Weights are stored without their normalisation: 1 or k+1. The dual step s is constant: set_constants() in spdhg.c. */
#include "primal_dual/step_rule.h"

static double gc_beta(int64_t k, double L, double mu) {
    (void)mu;
    return 1 / (sqrt((double)k + 1) + L);
}
static double sc1_beta(int64_t k, double L, double mu) { return 1 / (mu * ((double)k + 1) + L); }
static double sc2_beta(int64_t k, double L, double mu) { return 2 / (mu * ((double)k + 2) + 2 * L); }
static double sc1h_beta(int64_t k, double L, double mu) { return sc1_beta(k, L, mu / 2); }
static double sc2h_beta(int64_t k, double L, double mu) { return sc2_beta(k, L, mu / 2); }

static double constant_beta(int64_t k, double L, double mu) {
    (void)k;
    (void)mu;
    return 1 / L;
}

static double uniform_weight(int64_t k) {
    (void)k;
    return 1;
}
static double no_weight(int64_t k) {
    (void)k;
    return 0;
}
static double linear_weight(int64_t k) { return (double)k + 1; }

const spd_step_rule spd_rule_gc = {"gc", gc_beta, uniform_weight, false};
const spd_step_rule spd_rule_sc1 = {"sc1", sc1_beta, uniform_weight, true};
const spd_step_rule spd_rule_sc2 = {"sc2", sc2_beta, linear_weight, true};
const spd_step_rule spd_rule_sc1h = {"sc1h", sc1h_beta, uniform_weight, true};
const spd_step_rule spd_rule_sc2h = {"sc2h", sc2h_beta, linear_weight, true};
const spd_step_rule spd_rule_constant = {"constant", constant_beta, no_weight, true};

/* formulas.c - the bounds of the paper's theorems and their corrections, one formula per function, for T = t+1 iterations. They
 * hold with probability
 *   1 - 2 exp(-Omega)
 * Letters as in bound.h. docs/theory.md has the proofs and the corrections; the primed rules SC1', SC2' (sc1h, sc2h) are not in
 * the paper. */
#include "bound/bound.h"

typedef spd_bound_constants constants;

static double square(double v) { return v * v; }
/* Without a penalty y = 0, and s does not matter. */
static double over_s(double radius, double s) { return radius > 0 ? square(radius) / s : 0; }

/* ---- as printed: with D_y in place of R_y, ||F|| D_y in place of M_F, D_x in place of R_x */
static double printed_tail(const constants *c, double T, double Omega) { return 2 * sqrt(Omega) * c->D_x * c->sigma / sqrt(T); }
static double printed_dual(const constants *c) { return square(c->norm_F * c->D_y); }
static double printed_start(const constants *c, double L, double T) {
    return (over_s(c->D_y, c->s) + L * square(c->D_x)) / (2 * T);
}

static double gc_printed(const constants *c, double T, double Omega) {
    return printed_start(c, c->L, T) + (square(c->D_x) + 2 * printed_dual(c) + (1 + Omega) * square(c->sigma)) / sqrt(T) +
           printed_tail(c, T, Omega);
}
static double gc_printed_mean(const constants *c, double T) {
    return printed_start(c, c->L, T) + (square(c->D_x) + 2 * printed_dual(c) + 2 * square(c->sigma)) / sqrt(T);
}
static double sc1_printed(const constants *c, double T, double Omega) {
    return printed_start(c, c->L_sc, T) + (printed_dual(c) + (1 + Omega) * square(c->sigma) / 2) * log(T) / (c->mu * T) +
           printed_tail(c, T, Omega);
}
static double sc1_printed_mean(const constants *c, double T) {
    return printed_start(c, c->L_sc, T) + (printed_dual(c) + square(c->sigma)) * log(T) / (c->mu * T);
}
static double sc2_printed(const constants *c, double T, double Omega) {
    return (over_s(c->D_y, c->s) + c->L_sc * square(c->D_x) + 4 * (printed_dual(c) + (1 + Omega) * square(c->sigma)) / c->mu) /
               (T + 1) +
           2 * sqrt(2 * Omega) * c->D_x * c->sigma / sqrt(T + 1);
}
static double sc2_printed_mean(const constants *c, double T) { return sc2_printed(c, T, 0); }

/* ---- corrected */
static double start(const constants *c, double L, double T) { return (over_s(c->R_y, c->s) + L * square(c->R_x)) / (2 * T); }
static double weighted_start(const constants *c, double T) { return (over_s(c->D_y, c->s) + c->L_sc * square(c->D_x)) / (T + 1); }
static double noise(const constants *c, double Omega) { return square(c->M_F) + (1 + Omega) * square(c->sigma); }
/* What the steps' L has above that of Assumption 1; it damps the noise of the first steps. */
static double excess(const constants *c) { return fmax(c->L_sc - c->L, 0); }
/* sum_{k=1}^T 1/(mu k + theta), from above. */
static double uniform_sum(double mu, double theta, double T) {
    return 1 / (mu + theta) + log((mu * T + theta) / (mu + theta)) / mu;
}
/* (1/T) sum_{k=1}^T mu k/(mu k + theta), from above: 1 for theta = 0. */
static double weighted_share(double mu, double theta, double T) {
    return 1 - theta / (mu * T) * log((mu * (T + 1) + theta) / (mu + theta));
}
/* The martingale sum_k w_k <x* - x^k, delta^{k+1}>; spread = sqrt(sum w_k^2)/sum w_k. */
static double tail(const constants *c, double spread, double Omega) { return sqrt(3 * Omega) * c->D_x * c->sigma * spread; }

static double gc(const constants *c, double T, double Omega) {
    return start(c, c->L, T) + (square(c->D_x) / 2 + 2 * noise(c, Omega)) / sqrt(T) + tail(c, 1 / sqrt(T), Omega);
}
static double sc1(const constants *c, double T, double Omega) {
    return start(c, c->L_sc, T) + noise(c, Omega) * uniform_sum(c->mu, excess(c), T) / T + tail(c, 1 / sqrt(T), Omega);
}
static double sc2(const constants *c, double T, double Omega) {
    return weighted_start(c, T) + 4 * noise(c, Omega) * weighted_share(c->mu / 2, excess(c), T) / (c->mu * (T + 1)) +
           tail(c, 2 * sqrt((2 * T + 1) / (6 * T * (T + 1))), Omega);
}
static double sc1h(const constants *c, double T, double Omega) {
    return start(c, c->L_sc, T) + noise(c, Omega) * uniform_sum(c->mu / 2, excess(c), T) / T +
           3 * Omega * square(c->sigma) / (c->mu * T);
}
static double sc2h(const constants *c, double T, double Omega) {
    const double kept = weighted_share(c->mu / 4, excess(c), T);
    return weighted_start(c, T) + (8 * noise(c, Omega) * kept + 6 * Omega * square(c->sigma)) / (c->mu * (T + 1));
}

static const spd_bound_rule table[] = {
    {"gc", "spdhg", false, gc_printed, gc_printed_mean, gc},
    {"sc1", "spdhg-sc1", true, sc1_printed, sc1_printed_mean, sc1},
    {"sc2", "spdhg-sc2", true, sc2_printed, sc2_printed_mean, sc2},
    {"sc1h", "spdhg-sc1h", true, NULL, NULL, sc1h},
    {"sc2h", "spdhg-sc2h", true, NULL, NULL, sc2h},
};
enum { RULES = sizeof table / sizeof *table };

const spd_bound_rule *spd_bound_table(int *entries) {
    *entries = RULES;
    return table;
}

const spd_bound_rule *spd_bound_of_solver(const char *solver) {
    for (int i = 0; i < RULES; i++)
        if (strcmp(table[i].solver, solver) == 0) return &table[i];
    return NULL;
}

double spd_bound(const spd_bound_rule *rule, spd_bound_kind kind, const constants *c, double T, double Omega) {
    if (rule->strongly_convex && !(c->mu > 0)) return NAN;
    switch (kind) {
    case SPD_BOUND_PRINTED: return rule->printed ? rule->printed(c, T, Omega) : NAN;
    case SPD_BOUND_PRINTED_MEAN: return rule->printed_mean ? rule->printed_mean(c, T) : NAN;
    case SPD_BOUND_CORRECTED: return rule->corrected(c, T, Omega);
    case SPD_BOUND_CORRECTED_MEAN: return rule->corrected(c, T, 0);
    }
    return NAN;
}

/* Every bound decreases with T for T >= 3 (log(T)/T increases up to T = e). */
double spd_bound_iterations(const spd_bound_rule *rule, spd_bound_kind kind, const constants *c, double Omega, double epsilon) {
    if (isnan(spd_bound(rule, kind, c, 3, Omega))) return NAN;
    int64_t below = 3, reached = 3;
    while (spd_bound(rule, kind, c, (double)reached, Omega) > epsilon) {
        below = reached;
        if (reached >= INT64_C(1) << 61) return INFINITY;
        reached *= 2;
    }
    while (reached - below > 1) {
        const int64_t middle = below + (reached - below) / 2;
        *(spd_bound(rule, kind, c, (double)middle, Omega) > epsilon ? &below : &reached) = middle;
    }
    while (reached > 1 && reached <= 3 && spd_bound(rule, kind, c, (double)reached - 1, Omega) <= epsilon) reached--;
    return (double)reached;
}

double spd_bound_omega(double probability) { return log(2 / (1 - probability)); }

double spd_bound_vacuous_from(const constants *c) { return fmin(c->start_value, c->trivial); } /* fmin ignores a NAN */

#define SYMBOL(member, text)                                                                                                     \
    { #member, text, offsetof(spd_bound_constants, member) }
const spd_bound_symbol spd_bound_symbols[SPD_BOUND_SYMBOLS] = {
    SYMBOL(L, "smoothness of the expected loss, Assumption 1"),
    SYMBOL(mu, "strong convexity used in the steps, gamma"),
    SYMBOL(s, "dual step"),
    SYMBOL(D_x, "distance of the iterates from the minimiser"),
    SYMBOL(R_x, "distance of the start from the minimiser"),
    SYMBOL(D_y, "diameter of the dual ball"),
    SYMBOL(R_y, "largest ||y|| in the dual ball"),
    SYMBOL(norm_F, "||F||"),
    SYMBOL(M_F, "largest ||F'(y - y')|| in the dual ball"),
    SYMBOL(sigma, "noise of a stochastic gradient"),
    SYMBOL(L_sc, "smoothness in the steps of the rules for mu > 0"),
};

double *spd_bound_number(constants *c, int symbol) { return (double *)(void *)((char *)c + spd_bound_symbols[symbol].offset); }

const char *spd_certainty_text(spd_certainty how) {
    return how == SPD_RIGOROUS ? "rigorous" : how == SPD_ESTIMATED ? "estimated" : "given";
}

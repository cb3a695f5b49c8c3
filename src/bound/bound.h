/* bound.h - the paper's theorems in numbers: how far f(xbar) may be above f* after T = t+1 iterations of a step rule.
 * docs/theory.md derives every formula. "Printed" is what the paper states, "corrected" what its proof gives once repaired. */
#ifndef SPD_BOUND_H
#define SPD_BOUND_H
#include "problem/problem.h"

/* The constants of a bound. The members before `start_value` are the symbols of spd_bound_symbols, in the same order. */
typedef struct spd_bound_constants {
    double L;           /* smoothness of the expected loss with its ridge: Assumption 1; also in the steps of gc */
    double mu;          /* strong convexity used in the steps: gamma */
    double s;           /* dual step */
    double D_x;         /* ||x* - x^k|| for every k */
    double R_x;         /* ||x* - x^0|| */
    double D_y;         /* ||y - y'|| over the dual ball */
    double R_y;         /* ||y - y^0|| over the dual ball */
    double norm_F;      /* ||F|| */
    double M_F;         /* ||F'(y - y')|| over the dual ball; at most norm_F D_y */
    double sigma;       /* noise: E exp(||delta||^2 / sigma^2) <= e */
    double L_sc;        /* L in the steps of the rules for mu > 0; at least L */
    double start_value; /* f(x^0), a bound of f(x^0) - f* since f* >= 0; NAN: not known */
    double trivial;     /* f(x) - f* for every x within D_x of x*; NAN: not known */
} spd_bound_constants;

typedef enum spd_certainty { SPD_RIGOROUS, SPD_ESTIMATED, SPD_GIVEN } spd_certainty;
enum { SPD_BOUND_SYMBOLS = 11 };
typedef struct spd_bound_symbol {
    const char *name; /* as in the paper */
    const char *what;
    size_t offset; /* in spd_bound_constants */
} spd_bound_symbol;
extern const spd_bound_symbol spd_bound_symbols[SPD_BOUND_SYMBOLS];

typedef struct spd_bound_setting {
    spd_bound_constants value;
    spd_certainty how[SPD_BOUND_SYMBOLS];
} spd_bound_setting;
double *spd_bound_number(spd_bound_constants *c, int symbol);
const char *spd_certainty_text(spd_certainty how); /* "rigorous", "estimated", "given" */

typedef enum spd_bound_kind {
    SPD_BOUND_PRINTED,
    SPD_BOUND_PRINTED_MEAN,
    SPD_BOUND_CORRECTED,
    SPD_BOUND_CORRECTED_MEAN
} spd_bound_kind;

typedef struct spd_bound_rule {
    const char *name, *solver; /* "gc", "spdhg" */
    bool strongly_convex;
    double (*printed)(const spd_bound_constants *c, double T,
                      double Omega); /* with probability 1 - 2 exp(-Omega); NULL: not in the paper */
    double (*printed_mean)(const spd_bound_constants *c, double T);
    double (*corrected)(const spd_bound_constants *c, double T, double Omega); /* Omega = 0 gives the bound of the mean */
} spd_bound_rule;
const spd_bound_rule *spd_bound_table(int *entries);
const spd_bound_rule *spd_bound_of_solver(const char *solver); /* NULL: no theorem covers it */

/* NAN where there is none: not in the paper, or mu = 0 for a strongly convex rule. */
double spd_bound(const spd_bound_rule *rule, spd_bound_kind kind, const spd_bound_constants *c, double T, double Omega);
/* Iterations T after which the bound is, and stays, at most epsilon; INFINITY beyond 2^62, NAN where there is no bound. */
double spd_bound_iterations(const spd_bound_rule *rule, spd_bound_kind kind, const spd_bound_constants *c, double Omega,
                            double epsilon);
double spd_bound_omega(double probability); /* 1 - 2 exp(-Omega) = probability */
/* What the bound must stay below to say anything: the smaller of start_value and trivial. */
double spd_bound_vacuous_from(const spd_bound_constants *c);

/* ---- constants.c: from a frozen problem; all rigorous except those given by the caller. */
typedef struct spd_bound_question {
    double radius;   /* ||x|| of the minimiser and of every iterate, as the caller promises; 0: nothing promised */
    double distance; /* ||x* - x^k|| for every k, as the caller promises; NAN: nothing promised */
    double L, s;     /* as given to the solver, L also as a word (spd_smoothness); NAN: its own rules */
    int64_t batch;
    spdhg_sampling sampling; /* iid or norm */
    int threads;
    bool estimate_noise; /* sigma from the gradients at the start instead of its bound over all x */
} spd_bound_question;
/* SPDHG_USAGE with the reason where some constant is infinite. */
spdhg_status spd_bound_constants_of(spd_bound_setting *out, const spdhg_problem *p, const spd_bound_question *question,
                                    spdhg_error *err);
#endif

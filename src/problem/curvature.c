/* curvature.c - the constants that step sizes are made of: L, a bound on ||F||, and the radius of the dual ball. */
#include "problem/problem.h"

double spd_problem_lipschitz(const spdhg_problem *p, spdhg_sampling sampling) {
    return p->kappa * (sampling == SPDHG_SAMPLING_IID ? p->row_norm2_max : p->weight_factor_max) + p->gamma;
}

/* || [F_1; F_2; ...] ||^2 <= sum_t ||F_t||^2 */
double spd_problem_structure_norm(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) square += p->term[t].F->norm_bound * p->term[t].F->norm_bound;
    return sqrt(square);
}

double spd_problem_dual_radius(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const double radius = spd_term_radius(&p->term[t], p->K);
        square += radius * radius;
    }
    return sqrt(square);
}

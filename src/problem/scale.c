/* scale.c - one factor for all lambda_t, along a path, and for gamma where it follows them. */
#include "problem/problem.h"

spdhg_status spdhg_problem_scale_lambda(spdhg_problem *p, double factor, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    if (!(factor >= 0) || !isfinite(factor))
        return spd_fail(err, SPDHG_USAGE, "the factor of lambda must be a number >= 0, not %g", factor);
    for (int64_t t = 0; t < p->terms; t++) p->term[t].lambda = factor * p->term[t].lambda_given;
    if (p->ridge_follows) p->gamma = factor * p->gamma_given;
    return SPDHG_OK;
}

/* dual_newton_curve.c - C of dual_newton.c: how far the alpha of each row may follow its score. */
#include "certify/certify.h"

static const double AT_END = 0.01; /* of the interval: the way that an alpha at its end is given at first */

/* The domain of alpha: between the limits of the slope at -infinity and +infinity. */
void spd_newton_dual_domain(const spdhg_problem *p, int64_t i, double *least, double *most) {
    *least = p->loss->slope(-INFINITY, p->b[i], p->loss_arg);
    *most = p->loss->slope(INFINITY, p->b[i], p->loss_arg);
}

/* C of a loss with corners: a row counts as one at its corner if rounding x would move it there, or if the gap can afford any
 * alpha there. */
static void corners(spd_certifier *c, const spd_trial *at, bool first) {
    const spdhg_problem *p = c->problem;
    const double along = sqrt(p->row_norm2_max) * spd_norm2(p->dK, at->x);
    const double affordable = SPD_GAP_SHARE * c->enough * spd_gap_scale(c, at->objective) / (double)(p->n * p->K);
    for (int64_t i = 0; i < p->n * p->K; i++) {
        double least, most, *alpha = &c->alpha[i];
        spd_newton_dual_domain(p, i, &least, &most);
        const double off = fabs(at->z[i] - p->b[i]), cost = spd_problem_share(p, i / p->K) * (most - least) * off;
        const bool corner = cost <= affordable || off <= 8 * DBL_EPSILON * (along + fabs(at->z[i]) + fabs(p->b[i]));
        if (!corner) *alpha = at->z[i] > p->b[i] ? most : least;
        if (!corner) c->newton.low[i] = 0;
        c->newton.curve[i] = corner ? fmax(fmin(*alpha - least, most - *alpha), first ? AT_END * (most - least) : 0) : 0;
    }
}

/* phi'' at z or, where that is 0, at a point within the rounding of z; 0 where alpha is held at an end of its domain. For a
 * coupled loss z itself. */
void spd_newton_dual_curvatures(spd_certifier *c, const spd_trial *at, bool first) {
    const spdhg_problem *p = c->problem;
    if (spd_problem_has_corners(p)) {
        corners(c, at, first);
        return;
    }
    for (int64_t i = 0; i < p->n * p->K; i++) {
        double *curve = &c->newton.curve[i];
        const double z = at->z[i], b = p->loss->value ? p->b[i] : 0, beside = 4 * DBL_EPSILON * (fabs(z) + fabs(b));
        if (!p->loss->value) {
            *curve = z;
            continue;
        }
        *curve = c->forced && c->forced[i / p->K] ? 0 : p->loss->second(z, b, p->loss_arg);
        for (int side = -1; side <= 1 && *curve == 0 && !(c->forced && c->forced[i / p->K]); side += 2)
            *curve = p->loss->second(z + side * beside, b, p->loss_arg);
        if (first || *curve == 0) continue;
        double least, most;
        spd_newton_dual_domain(p, i, &least, &most);
        if (c->alpha[i] <= least || c->alpha[i] >= most) *curve = 0;
    }
}

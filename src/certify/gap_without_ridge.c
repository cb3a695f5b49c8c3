/* gap_without_ridge.c - the duality gap for gamma = 0 where X has no bound, on one side at least. Its second bracket (certify.h)
 *     h(x) + h*(-v) + v'x
 * is finite only if -v is in dom h*: v = 0 where X is all of R, v >= 0 where X is unbounded above only. dual_without_ridge.c
 * moves alpha and y there, repair.c bounds what rounding leaves, and then
 *     h(x) + h*(-v) + v'x = sum over the coordinates with one bound of v_j (x_j - bound_j)
 * Within a radius R the bracket is finite for any v. set.h has it for gamma > 0 and for bounded X. */
#include "certify/certify.h"

/* At the repaired v, which is 0 where X has no bound and keeps its sign where X is a half-line. */
double spd_bracket_without_ridge(const spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double total = 0, low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK && (isfinite(low) || isfinite(high)); q++) {
        if (c->whole[q]) continue;
        const double v = isfinite(low) ? c->v[q] : -c->v[q], way = isfinite(low) ? x[q] - low : high - x[q];
        total += fmax(fmax(v - c->e[q], 0) * way, (fmax(v, 0) + c->e[q]) * way);
    }
    return spd_bracket(total * (1 + spd_rounding((double)p->dK + 8)));
}

/* The second bracket within the radius R:
 *     v'x + max over u in X, ||u|| <= R of -v'u
 * The maximum is at most R ||v||. It is also at most R ||excess|| - sum of v_j side_j, where the excess is the part of v on the
 * unbounded sides of X, and the sum is over the other coordinates. */
double spd_bracket_within_radius(const spd_certifier *c, const double *x, double R) {
    const spdhg_problem *p = c->problem;
    double total = 0, off = 0, size = 0, low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) {
        const double side = c->v[q] > 0 ? low : high, way = isfinite(side) ? x[q] - side : x[q];
        c->P[q] = spd_dual_excess(c->v[q], low, high);
        total += c->v[q] * way;
        size += fabs(c->v[q] * x[q]) + fabs(c->v[q] * way);
        off += c->e[q] * (fabs(x[q]) + fabs(way));
    }
    const double most = fmin(total + R * spd_norm2(p->dK, c->P), spd_dot(p->dK, c->v, x) + R * spd_norm2(p->dK, c->v));
    const double few = spd_rounding((double)p->dK + 16);
    return spd_bracket(most) * (1 + few) + few * size + off + R * spd_norm2(p->dK, c->e);
}

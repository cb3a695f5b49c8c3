/* accelerated.c - accelerated projected gradient for a smooth convex function of y in lambda Y (Beck and Teboulle 2009):
 *     y+ = Pi_{lambda Y}(u - s gradient(u))
 *     u+ = y+ + (t - 1)/t+ (y+ - y)
 *     t+ = (1 + sqrt(1 + 4 t^2))/2
 * The caller, who knows the gradient, makes the step in u. */
#include "problem/problem.h"

void spd_accelerated_start(spd_accelerated *a, const spdhg_problem *p) {
    memcpy(a->u, a->y, (size_t)(p->m * p->K) * sizeof *a->u);
    a->t = 1;
}

void spd_accelerated_project(spd_accelerated *a, const spdhg_problem *p, double *work) {
    const size_t bytes = (size_t)(p->m * p->K) * sizeof *a->y;
    memcpy(a->previous, a->y, bytes);
    memcpy(a->y, a->u, bytes);
    spd_problem_project_dual(p, a->y, work);
}

void spd_accelerated_extrapolate(spd_accelerated *a, const spdhg_problem *p) {
    const double next = 0.5 * (1 + sqrt(1 + 4 * a->t * a->t)), momentum = (a->t - 1) / next;
    for (int64_t i = 0; i < p->m * p->K; i++) a->u[i] = a->y[i] + momentum * (a->y[i] - a->previous[i]);
    a->t = next;
}

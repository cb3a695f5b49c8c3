/* value.c - f at u, and the point to begin at where others lead nowhere (interior.h). For the
 * problem itself, whose loss is given by its rows. */
#include "interior/interior.h"

double spd_interior_value(spd_interior *a, double *work) {
    const spdhg_problem *p = a->p;
    const spd_scores at = {.z = a->next};
    memcpy(a->next, a->short_of, (size_t)(p->n * p->K) * sizeof *a->next);
    if (a->pieces) spd_axpy(p->n * p->K, 1, p->b, a->next);
    return spd_problem_losses(p, a->threads, &at, NULL, NULL, a->scratch) + 0.5 * p->gamma * spd_dot(p->dK, a->u, a->u) +
           spd_problem_penalty(p, a->z, work);
}

double spd_interior_place(spd_interior *a, bool cold, double *work) {
    const spdhg_problem *p = a->p;
    if (cold) { /* f at a point outside X may be far too small */
        memset(a->u, 0, (size_t)a->n * sizeof *a->u);
        p->set.kind->project(p->dK, p->set.arg, a->u, a->fix);
    }
    if (cold && p->intercept && p->constant) memcpy(a->u + p->dK, p->constant, (size_t)p->K * sizeof *a->u);
    spd_interior_rows_score(a);
    spd_problem_apply(p, a->u, a->z);
    return fabs(spd_interior_value(a, work));
}

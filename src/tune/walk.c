/* walk.c - a chain of solves by falling lambda: x, c and y of one are the start of the next, y projected onto the smaller ball.
 */
#include "tune/tune.h"

spdhg_status spd_walk_new(spd_walk *walk, spdhg_problem *p, const char *solver, const spdhg_options *options, const double *x,
                          const double *c, const double *y, spdhg_error *err) {
    *walk = (spd_walk){.problem = p, .options = *options};
    SPD_TRY(spd_tune_solver(p, solver, &walk->solver, err));
    walk->before = SPD_NEW(double, p->dK + p->K);
    walk->x = x ? spd_copy(x, p->dK, sizeof *x) : SPD_NEW(double, p->dK);
    walk->c = c ? spd_copy(c, p->K, sizeof *c) : SPD_NEW(double, p->K);
    walk->y = SPD_NEW(double, p->m * p->K + spd_problem_term_work(p));
    if (walk->y && y) memcpy(walk->y, y, (size_t)(p->m * p->K) * sizeof *y);
    if (walk->before && walk->x && walk->c && walk->y) return SPDHG_OK;
    spd_walk_free(walk);
    return spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
}

/* Starts where x(lambda) and c(lambda) come to if they go on as they went: they have kinks, but are smooth between them. What is
 * 0 stays 0. With squared loss one Newton step is the solution anyway. */
static spdhg_status look_ahead(spd_walk *walk, double lambda, spdhg_error *err) {
    const spdhg_problem *p = walk->problem;
    if (!(walk->fallen > 0 && lambda < walk->lambda) || p->loss == &spd_loss_squared) return SPDHG_OK;
    const double further = (walk->lambda - lambda) / walk->fallen;
    double *x = walk->before, *c = x + p->dK;
    for (int64_t q = 0; q < p->dK; q++) x[q] = walk->x[q] == 0 ? 0 : walk->x[q] + further * (walk->x[q] - x[q]);
    for (int64_t k = 0; k < p->K; k++) c[k] = walk->c[k] + further * (walk->c[k] - c[k]);
    return spd_solver_start(walk->last, x, c, NULL, err);
}

spdhg_status spd_walk_step(spd_walk *walk, double lambda, spdhg_error *err) {
    spdhg_problem *p = walk->problem;
    SPD_TRY(spdhg_problem_scale_lambda(p, lambda, err));
    if (!walk->last) {
        spd_problem_project_dual(p, walk->y, walk->y + p->m * p->K);
        SPD_TRY(spdhg_solver_new(&walk->last, walk->solver, p, &walk->options, err));
        SPD_TRY(spd_solver_start(walk->last, walk->x, walk->c, walk->y, err));
    }
    SPD_TRY(look_ahead(walk, lambda, err));
    if (!walk->once) spd_solver_keep_running(walk->last, walk->options.seconds);
    SPD_TRY(spdhg_solver_run(walk->last, &walk->outcome, err));
    if (walk->outcome == SPDHG_OUTCOME_INFIMUM) walk->outcome = SPDHG_OUTCOME_CONVERGED; /* a path is judged by its gaps alone */
    const spdhg_solution *s = spdhg_solver_solution(walk->last);
    walk->fallen = walk->lambda - lambda;
    walk->lambda = lambda;
    memcpy(walk->before, walk->x, (size_t)p->dK * sizeof *s->x);
    memcpy(walk->before + p->dK, walk->c, (size_t)p->K * sizeof *s->c);
    memcpy(walk->x, s->x, (size_t)p->dK * sizeof *s->x);
    memcpy(walk->c, spd_solver_intercept(walk->last), (size_t)p->K * sizeof *walk->c);
    memcpy(walk->y, s->y, (size_t)(p->m * p->K) * sizeof *s->y);
    return SPDHG_OK;
}

void spd_walk_free(spd_walk *walk) {
    spdhg_solver_free(walk->last);
    spd_free(walk->before);
    spd_free(walk->x);
    spd_free(walk->c);
    spd_free(walk->y);
    *walk = (spd_walk){0};
}

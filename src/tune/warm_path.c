/* warm_path.c - a chain of solves for decreasing lambda: x, c and y of one solve start the next, with y projected onto the
 * smaller ball. */
#include "tune/tune.h"

static const double TIGHTER = 1e-2, TIGHTEST = 1e-10;

spdhg_status spd_warm_path_new(spd_warm_path *warm, spdhg_problem *p, const char *solver, const spdhg_options *options,
                               const double *x, const double *c, const double *y, spdhg_error *err) {
    *warm = (spd_warm_path){.problem = p, .options = *options};
    SPD_TRY(spd_tune_solver(p, solver, &warm->solver, err));
    warm->before = SPD_NEW(double, p->dK + p->K);
    warm->x = x ? spd_copy(x, p->dK, sizeof *x) : SPD_NEW(double, p->dK);
    warm->c = c ? spd_copy(c, p->K, sizeof *c) : SPD_NEW(double, p->K);
    warm->y = SPD_NEW(double, p->m * p->K + spd_problem_term_work(p));
    if (warm->y && y) memcpy(warm->y, y, (size_t)(p->m * p->K) * sizeof *y);
    if (warm->before && warm->x && warm->c && warm->y) return SPDHG_OK;
    spd_warm_path_free(warm);
    return spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
}

/* Starts from the linear extrapolation of x(lambda) and c(lambda), which are smooth between their kinks. Zeros stay 0. With
 * squared loss a single Newton step gives the solution, so this is not needed. */
static spdhg_status look_ahead(spd_warm_path *warm, double lambda, spdhg_error *err) {
    const spdhg_problem *p = warm->problem;
    if (!(warm->fallen > 0 && lambda < warm->lambda) || spd_loss_is_square(p->loss)) return SPDHG_OK;
    const double further = (warm->lambda - lambda) / warm->fallen;
    double *x = warm->before, *c = x + p->dK;
    for (int64_t q = 0; q < p->dK; q++) x[q] = warm->x[q] == 0 ? 0 : warm->x[q] + further * (warm->x[q] - x[q]);
    for (int64_t k = 0; k < p->K; k++) c[k] = warm->c[k] + further * (warm->c[k] - c[k]);
    return spd_solver_start(warm->last, x, c, NULL, err);
}

static spdhg_status ask_settled(spdhg_solver *solver, bool *settled, spdhg_error *err) {
    const spdhg_solution *s = spdhg_solver_solution(solver);
    if (!s->solver) return spd_fail(err, SPDHG_NUMERICAL, "the objective is not finite at any point that was reached");
    return spd_answer_settled(spd_solver_problem(solver), spd_threads(spd_solver_options(solver)->threads), s->x,
                              spd_solver_intercept(solver), s->y, settled, err);
}

/* Missing a tighter tolerance because of rounding is no failure: the requested one has been reached. */
spdhg_status spd_tune_settle(spdhg_solver *solver, spd_settling zeros, bool *settled, spdhg_outcome *outcome, spdhg_error *err) {
    *settled = false;
    if (zeros == SPD_SETTLE_NOTHING) return SPDHG_OK;
    SPD_TRY(ask_settled(solver, settled, err));
    const spdhg_outcome reached = *outcome;
    const double asked = spd_solver_options(solver)->tol;
    const bool exact = spd_solver_find(spdhg_solver_solution(solver)->solver)->exact; /* others take too long to get there */
    if (zeros != SPD_SETTLE || reached != SPDHG_OUTCOME_CONVERGED || !exact) return SPDHG_OK;
    for (double tol = TIGHTER * asked; !*settled && tol >= TIGHTEST; tol *= TIGHTER) {
        spd_solver_tolerate(solver, tol);
        SPD_TRY(spdhg_solver_run(solver, outcome, err));
        spd_solver_tolerate(solver, asked);
        if (*outcome == SPDHG_OUTCOME_INTERRUPTED) return SPDHG_OK;
        *outcome = reached;
        SPD_TRY(ask_settled(solver, settled, err));
    }
    return SPDHG_OK;
}

spdhg_status spd_warm_path_step(spd_warm_path *warm, double lambda, spdhg_error *err) {
    spdhg_problem *p = warm->problem;
    SPD_TRY(spdhg_problem_scale_lambda(p, lambda, err));
    if (p->ridge_follows) { /* gamma is another one: what the last solver prepared no longer holds */
        spdhg_solver_free(warm->last);
        warm->last = NULL;
    }
    if (!warm->last) {
        spd_problem_project_dual(p, warm->y, warm->y + p->m * p->K);
        SPD_TRY(spdhg_solver_new(&warm->last, warm->solver, p, &warm->options, err));
        SPD_TRY(spd_solver_start(warm->last, warm->x, warm->c, warm->y, err));
    }
    SPD_TRY(look_ahead(warm, lambda, err));
    if (!warm->once) spd_solver_keep_running(warm->last, warm->options.seconds);
    SPD_TRY(spdhg_solver_run(warm->last, &warm->outcome, err));
    SPD_TRY(spd_tune_settle(warm->last, warm->zeros, &warm->settled, &warm->outcome, err));
    if (warm->outcome == SPDHG_OUTCOME_INFIMUM) warm->outcome = SPDHG_OUTCOME_CONVERGED; /* a path is judged by its gaps alone */
    const spdhg_solution *s = spdhg_solver_solution(warm->last);
    warm->fallen = warm->lambda - lambda;
    warm->lambda = lambda;
    memcpy(warm->before, warm->x, (size_t)p->dK * sizeof *s->x);
    memcpy(warm->before + p->dK, warm->c, (size_t)p->K * sizeof *s->c);
    memcpy(warm->x, s->x, (size_t)p->dK * sizeof *s->x);
    memcpy(warm->c, spd_solver_intercept(warm->last), (size_t)p->K * sizeof *warm->c);
    memcpy(warm->y, s->y, (size_t)(p->m * p->K) * sizeof *s->y);
    return SPDHG_OK;
}

void spd_warm_path_free(spd_warm_path *warm) {
    spdhg_solver_free(warm->last);
    spd_free(warm->before);
    spd_free(warm->x);
    spd_free(warm->c);
    spd_free(warm->y);
    *warm = (spd_warm_path){0};
}

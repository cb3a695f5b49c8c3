/* warm_path.c - the solves of a path, lambda falling. Each starts at the previous answer x, c and y; y is first projected onto
 * the ball of the new lambda, which is smaller. */
#include "tune/tune.h"

static const double TIGHTER = 1e-2, TIGHTEST = 1e-10;

/* By columns if the choice of a solver is left to us, F is the identity, the loss is smooth and memory allows. */
static spdhg_status open_columns(spd_warm_path *warm, const char *solver, spdhg_error *err) {
    const spdhg_problem *p = warm->problem;
    const double most = (double)warm->options.max_memory;
    const int threads = spd_threads(warm->options.threads);
    if (strcmp(solver, "auto") != 0 || spd_problem_has_corners(p)) return SPDHG_OK;
    const bool blocks = !spd_blocks_refuses(p) && spd_blocks_pays(p);
    if (blocks && !(most > 0 && spd_blocks_bytes(p) > most)) {
        SPD_TRY(spd_blocks_new(&warm->blocks, p, threads, err));
        spd_blocks_start(warm->blocks, warm->x, warm->c, INFINITY);
        return SPDHG_OK;
    }
    if (!spd_lasso_pays(p) && strcmp(warm->solver, "prox-newton") == 0) return SPDHG_OK;
    if (spd_lasso_refuses(p) || (most > 0 && spd_lasso_bytes(p) > most)) return SPDHG_OK;
    SPD_TRY(spd_lasso_new(&warm->lasso, p, true, threads, err));
    spd_lasso_start(warm->lasso, warm->x, warm->c[0], INFINITY);
    return SPDHG_OK;
}

spdhg_status spd_warm_path_new(spd_warm_path *warm, spdhg_problem *p, const char *solver, const spdhg_options *options,
                               const double *x, const double *c, const double *y, spdhg_error *err) {
    *warm = (spd_warm_path){.problem = p, .asked = solver, .options = *options};
    SPD_TRY(spd_tune_solver(p, solver, &warm->solver, err));
    warm->before = SPD_NEW(double, p->dK + p->K);
    warm->x = x ? spd_copy(x, p->dK, sizeof *x) : SPD_NEW(double, p->dK);
    warm->c = c ? spd_copy(c, p->K, sizeof *c) : SPD_NEW(double, p->K);
    warm->y = SPD_NEW(double, p->m * p->K + spd_problem_term_work(p));
    if (warm->y && y) memcpy(warm->y, y, (size_t)(p->m * p->K) * sizeof *y);
    const bool good = warm->before && warm->x && warm->c && warm->y;
    const spdhg_status status =
        good ? open_columns(warm, solver, err) : spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
    if (status != SPDHG_OK) spd_warm_path_free(warm);
    return status;
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
    if (!s->solver) return spd_fail(err, SPDHG_NUMERICAL, "the objective is not finite at any point reached");
    return spd_answer_settled(spd_solver_problem(solver), spd_threads(spd_solver_options(solver)->threads), s->x,
                              spd_solver_intercept(solver), spd_solver_slopes(solver), s->y, settled, err);
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

bool spd_tune_asked(void *context) {
    const spdhg_options *o = context;
    const spdhg_point nowhere = {0};
    return o->callback && o->callback(o->user, &(spdhg_event){.kind = SPDHG_EVENT_POLL, .point = &nowhere}) != 0;
}

/* The point that the answer is about, and the answer itself. */
static void take(spd_warm_path *warm, const spd_lasso_answer *answer) {
    const spd_lasso *a = warm->lasso;
    const spdhg_problem *p = warm->problem;
    const double *x = a ? a->now.x : warm->blocks->now.x, *c = a ? &a->now.c : warm->blocks->now.c;
    const double small = spd_zero_within(spd_norm2(p->dK, x));
    int64_t large = 0, nonzeros = a ? a->now.count : spd_count_nonzero(p->dK, x);
    for (int64_t q = 0; a && q < nonzeros; q++) large += fabs(x[a->now.list[q]]) > small;
    for (int64_t q = 0; !a && q < p->dK; q++) large += fabs(x[q]) > small;
    const spd_gap_kind kind = isfinite(answer->gap) ? SPD_GAP_CERTIFIED : SPD_GAP_NONE;
    warm->answer = (spd_warm_answer){.objective = answer->objective,
                                     .train_loss = answer->loss,
                                     .penalty = answer->penalty,
                                     .gap = answer->gap,
                                     .gap_relative = answer->relative,
                                     .gap_kind = spd_gap_kind_name(kind),
                                     .gap_radius = NAN,
                                     .nonzeros = nonzeros,
                                     .structure_nonzeros = large};
    warm->settled = answer->settled;
    memcpy(warm->x, x, (size_t)p->dK * sizeof *x);
    memcpy(warm->c, c, (size_t)p->K * sizeof *c);
}

static void solve_by_columns(spd_warm_path *warm, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out) {
    if (warm->lasso)
        spd_lasso_solve(warm->lasso, tol, plain, stop, out);
    else
        spd_blocks_solve(warm->blocks, tol, plain, stop, out);
}

static void start_columns(spd_warm_path *warm, const double *x, const double *c, double lambda) {
    if (warm->lasso) spd_lasso_start(warm->lasso, x, c[0], lambda);
    if (warm->blocks) spd_blocks_start(warm->blocks, x, c, lambda);
}

/* By columns. *done: the tolerance has been reached, or the work was stopped. */
static spdhg_status step_by_columns(spd_warm_path *warm, bool *done) {
    const double from = spd_now(), seconds = warm->options.seconds;
    spd_lasso_answer answer;
    spd_stop stop;
    spd_stop_start(&stop, seconds > 0 ? from + seconds : INFINITY, spd_tune_asked, &warm->options);
    solve_by_columns(warm, warm->options.tol, false, &stop, &answer);
    const bool proven = answer.proven;
    *done = proven || spd_stop_why(&stop) != SPD_GO_ON;
    if (*done) take(warm, &answer);
    for (double tol = TIGHTER * warm->options.tol; proven && !answer.settled && warm->zeros == SPD_SETTLE && tol >= TIGHTEST;
         tol *= TIGHTER) {
        solve_by_columns(warm, tol, false, &stop, &answer);
        if (!(answer.relative <= warm->options.tol)) break;
        take(warm, &answer);
    }
    warm->answer.seconds = spd_now() - from;
    warm->outcome = proven                                  ? SPDHG_OUTCOME_CONVERGED
                    : spd_stop_why(&stop) == SPD_CALLED_OFF ? SPDHG_OUTCOME_INTERRUPTED
                                                            : SPDHG_OUTCOME_LIMIT;
    return SPDHG_OK;
}

static spdhg_status step_by_solver(spd_warm_path *warm, double lambda, spdhg_error *err) {
    spdhg_problem *p = warm->problem;
    if (p->ridge_follows) { /* gamma is another one: what the last solver prepared no longer holds */
        spdhg_solver_free(warm->last);
        warm->last = NULL;
    }
    if (!warm->last) {
        spd_problem_project_dual(p, warm->y, warm->y + p->m * p->K);
        SPD_TRY(spd_solver_new_near(&warm->last, warm->asked, p, &warm->options, err));
        SPD_TRY(spd_solver_start(warm->last, warm->x, warm->c, warm->y, err));
        if (warm->known) spd_solver_expect(warm->last);
    }
    SPD_TRY(look_ahead(warm, lambda, err));
    if (!warm->once) spd_solver_keep_running(warm->last, warm->options.seconds);
    SPD_TRY(spdhg_solver_run(warm->last, &warm->outcome, err));
    SPD_TRY(spd_tune_settle(warm->last, warm->zeros, &warm->settled, &warm->outcome, err));
    if (warm->outcome == SPDHG_OUTCOME_INFIMUM) warm->outcome = SPDHG_OUTCOME_CONVERGED; /* a path is judged by its gaps alone */
    const spdhg_solution *s = spdhg_solver_solution(warm->last);
    warm->answer = (spd_warm_answer){.objective = s->objective,
                                     .train_loss = s->train_loss,
                                     .penalty = s->penalty,
                                     .gap = s->gap,
                                     .gap_relative = s->gap_relative,
                                     .gap_kind = s->gap_kind,
                                     .gap_radius = strcmp(s->gap_kind, "within_radius") == 0 ? s->gap_radius : NAN,
                                     .seconds = s->seconds,
                                     .nonzeros = s->nonzeros,
                                     .structure_nonzeros = s->structure_nonzeros};
    warm->fallen = warm->lambda - lambda;
    warm->lambda = lambda;
    memcpy(warm->before, warm->x, (size_t)p->dK * sizeof *s->x);
    memcpy(warm->before + p->dK, warm->c, (size_t)p->K * sizeof *s->c);
    memcpy(warm->x, s->x, (size_t)p->dK * sizeof *s->x);
    memcpy(warm->c, spd_solver_intercept(warm->last), (size_t)p->K * sizeof *warm->c);
    memcpy(warm->y, s->y, (size_t)(p->m * p->K) * sizeof *s->y);
    return SPDHG_OK;
}

spdhg_status spd_warm_path_step(spd_warm_path *warm, double lambda, spdhg_error *err) {
    bool done = false;
    SPD_TRY(spdhg_problem_scale_lambda(warm->problem, lambda, err));
    if (warm->lasso || warm->blocks) SPD_TRY(step_by_columns(warm, &done));
    if (done) return SPDHG_OK;
    SPD_TRY(step_by_solver(warm, lambda, err));
    start_columns(warm, warm->x, warm->c, lambda);
    return SPDHG_OK;
}

static void free_columns(spd_warm_path *warm) {
    spd_lasso_free(warm->lasso);
    spd_blocks_free(warm->blocks);
    warm->lasso = NULL;
    warm->blocks = NULL;
}

spdhg_status spd_warm_path_back(spd_warm_path *warm, double lambda, const double *x, const double *c, spdhg_error *err) {
    spdhg_problem *p = warm->problem;
    SPD_TRY(spdhg_problem_scale_lambda(p, lambda, err));
    memcpy(warm->x, x, (size_t)p->dK * sizeof *x);
    memcpy(warm->c, c, (size_t)p->K * sizeof *c);
    memset(warm->y, 0, (size_t)(p->m * p->K) * sizeof *warm->y);
    warm->fallen = 0;
    warm->once = true;
    spdhg_solver_free(warm->last);
    warm->last = NULL;
    if (!warm->lasso && !warm->blocks) return SPDHG_OK;
    spd_lasso_answer answer;
    start_columns(warm, x, c, lambda);
    solve_by_columns(warm, warm->options.tol, true, NULL, &answer);
    if (answer.proven) solve_by_columns(warm, TIGHTEST, true, NULL, &answer);
    warm->known = answer.relative <= warm->options.tol;
    if (warm->known) {
        if (strcmp(warm->solver, "prox-newton") == 0 && !spd_solver_refuses(spd_solver_find("cd-newton"), p))
            warm->asked = warm->solver = "cd-newton"; /* which forms no matrix: nothing is left to do */
        take(warm, &answer);
        if (warm->lasso)
            spd_lasso_dual(warm->lasso, warm->y);
        else
            spd_blocks_dual(warm->blocks, warm->y);
    }
    free_columns(warm);
    return SPDHG_OK;
}

void spd_warm_path_free(spd_warm_path *warm) {
    spdhg_solver_free(warm->last);
    free_columns(warm);
    spd_free(warm->before);
    spd_free(warm->x);
    spd_free(warm->c);
    spd_free(warm->y);
    *warm = (spd_warm_path){0};
}

/* path.c - the handle spdhg_path: lambdas from lambda_max down, evenly spaced on a logarithmic scale, solved one after the other
 * with warm starts; then cross-validation, the choice, and the solution at the chosen lambda. */
#include "tune/tune.h"

enum { POINTS_LEAST = 5, LAMBDAS_MOST = 10000 };
static const double GAIN_LEAST = 1e-5; /* smallest gain in the explained fraction from one lambda to the next */

static spdhg_status take_options(spdhg_path *path, const spdhg_path_options *options, const spdhg_options *solve,
                                 spdhg_error *err) {
    path->options = (spdhg_path_options)SPDHG_PATH_OPTIONS;
    path->solve = (spdhg_options)SPDHG_OPTIONS;
    path->learn = (spdhg_graph_options)SPDHG_GRAPH_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_path_options, &path->options, options, err));
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_options, &path->solve, solve, err));
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_graph_options, &path->learn, path->options.learn, err));
    path->ranks = path->solve.ranks;
    path->solve.ranks = NULL;
    spd_path_listen(path);
    path->learn.threads = 1; /* the folds run in parallel instead */
    spdhg_path_options *o = &path->options;
    if (path->solve.tol == 0 || path->solve.tol == SPDHG_TOL_DEFAULT) path->solve.tol = 1e-6;
    if (path->solve.checkpoint || path->solve.resume) return spd_fail(err, SPDHG_USAGE, "a path has no checkpoints");
    if (o->lambdas < 1 || o->lambdas > LAMBDAS_MOST)
        return spd_fail(err, SPDHG_USAGE, "%lld lambdas: expected 1 to %d", (long long)o->lambdas, LAMBDAS_MOST);
    if (!(o->ratio >= 0 && o->ratio < 1) || !(o->lambda_max >= 0) || !isfinite(o->lambda_max) || !(o->saturation >= 0))
        return spd_fail(err, SPDHG_USAGE,
                        "the ratio, the largest lambda and the saturation must be finite and not negative, the ratio below 1");
    for (int64_t i = 0; o->lambda && i < o->lambdas; i++)
        if (!(o->lambda[i] >= 0) || !isfinite(o->lambda[i]) || (i > 0 && o->lambda[i] >= o->lambda[i - 1]))
            return spd_fail(err, SPDHG_USAGE, "lambda %lld, %g, is not a number of at least 0 below the one before",
                            (long long)i + 1, o->lambda[i]);
    SPD_TRY(spd_problem_freeze(path->problem, err));
    if (o->ratio == 0) o->ratio = path->problem->n > path->problem->d ? 1e-4 : 1e-2;
    const double bytes = 8.0 * (double)o->lambdas * (double)(path->problem->dK + path->problem->K);
    if (path->solve.max_memory > 0 && bytes > (double)path->solve.max_memory)
        return spd_fail(err, SPDHG_MEMORY, "the coefficients of %lld lambdas need %.3g MB, the limit is %.3g MB (--max-memory)",
                        (long long)o->lambdas, bytes / 1e6, (double)path->solve.max_memory / 1e6);
    return spd_path_check(path, err);
}

static spdhg_status record(spdhg_path *path, const spd_warm_path *warm, double lambda, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    const spd_warm_answer *s = &warm->answer;
    spdhg_path_point *point = &path->point[path->points];
    *point = (spdhg_path_point){.lambda = lambda,
                                .objective = s->objective,
                                .train_loss = s->train_loss,
                                .penalty = s->penalty,
                                .gap = s->gap,
                                .gap_relative = s->gap_relative,
                                .gap_kind = s->gap_kind,
                                .gap_radius = s->gap_radius,
                                .seconds = s->seconds,
                                .nonzeros = s->nonzeros,
                                .structure_nonzeros = s->structure_nonzeros,
                                .outcome = warm->outcome,
                                .loss = NAN,
                                .accuracy = NAN,
                                .auc = NAN,
                                .loss_error = NAN,
                                .accuracy_error = NAN,
                                .auc_error = NAN};
    point->explained = 1 - s->train_loss / path->point[0].train_loss;
    point->degrees = NAN;
    if (warm->settled && (warm->lasso || (warm->blocks && p->K == 1)))
        point->degrees = (double)s->structure_nonzeros;
    else if (warm->settled)
        SPD_TRY(spd_path_degrees(p, warm->x, &point->degrees, err));
    spd_path_criteria(p, path->options.noise, point);
    memcpy(path->x + path->points * p->dK, warm->x, (size_t)p->dK * sizeof *warm->x);
    memcpy(path->c + path->points * p->K, warm->c, (size_t)p->K * sizeof *warm->c);
    memcpy(path->given + path->points * p->K, warm->c, (size_t)p->K * sizeof *warm->c);
    spd_problem_c_outward(p, warm->x, path->given + path->points * p->K);
    path->points++;
    if (warm->outcome != SPDHG_OUTCOME_CONVERGED)
        path->outcome = warm->outcome == SPDHG_OUTCOME_INTERRUPTED ? warm->outcome : SPDHG_OUTCOME_LIMIT;
    return SPDHG_OK;
}

static bool saturated(const spdhg_path *path) {
    if (path->points > 0 && path->point[path->points - 1].degrees > path->ways.degrees_most) return true;
    if (path->options.saturation == 0 || path->options.lambda || path->points < POINTS_LEAST) return false;
    const double now = path->point[path->points - 1].explained, before = path->point[path->points - 2].explained;
    if (now < path->options.saturation && now - before >= GAIN_LEAST * now) return false;
    spd_path_tell(path, "the path ends after %d lambdas: %.4f of the loss is explained", (int)path->points, now);
    return true;
}

static spdhg_status descend(spdhg_path *path, spd_warm_path *warm, double first, spdhg_error *err) {
    const spdhg_path_options *o = &path->options;
    const double from = spd_now(), limit = path->solve.seconds;
    warm->zeros = spd_path_counts_degrees(path) ? SPD_SETTLE : SPD_SETTLE_ASK;
    spd_path_tell(path, "every lambda is solved by %s to a relative gap of %g",
                  warm->lasso || warm->blocks ? "columns" : warm->solver, path->solve.tol);
    spdhg_status status = SPDHG_OK;
    for (int64_t i = 0; i < o->lambdas && status == SPDHG_OK && path->outcome != SPDHG_OUTCOME_INTERRUPTED && !saturated(path);
         i++) {
        const double lambda = spd_path_lambda(o, first, i), left = limit - (spd_now() - from);
        if (limit > 0 && left <= 0) {
            path->outcome = SPDHG_OUTCOME_LIMIT;
            break;
        }
        if (limit > 0) warm->options.seconds = left;
        status = spd_warm_path_step(warm, lambda, err);
        if (status == SPDHG_OK) status = record(path, warm, lambda, err);
    }
    return status;
}

/* Solves at the chosen lambda once more, with all rows, for the model. */
static spdhg_status solve_chosen(spdhg_path *path, spd_warm_path *warm, spdhg_error *err) {
    const int64_t chosen = spdhg_path_chosen(path), dK = path->problem->dK, K = path->problem->K;
    warm->zeros = spd_path_counts_degrees(path) ? SPD_SETTLE : SPD_SETTLE_NOTHING;
    warm->options = path->solve;
    SPD_TRY(spd_warm_path_back(warm, path->point[chosen].lambda, path->x + chosen * dK, path->c + chosen * K, err));
    if (path->outcome == SPDHG_OUTCOME_INTERRUPTED) { /* the point already computed is the model: at most one step, a short one */
        warm->options.callback = NULL;
        warm->options.seconds = 1;
        warm->options.epochs = 1;
    }
    const spdhg_status status = spd_warm_path_step(warm, path->point[chosen].lambda, err);
    path->solver = warm->last;
    warm->last = NULL;
    if (path->solver && path->outcome == SPDHG_OUTCOME_INTERRUPTED) spd_solver_interrupted(path->solver);
    return status;
}

/* The path itself: from lambda_max down. */
static spdhg_status lead(spdhg_path *path, spd_warm_path *warm, double *x, double *c, double *y, spdhg_error *err) {
    double first;
    SPD_TRY(spd_path_start(path, x, c, y, &first, err));
    SPD_TRY(spd_warm_path_new(warm, path->problem, path->options.solver, &path->solve, x, c, y, err));
    SPD_TRY(descend(path, warm, first, err));
    return path->points > 0 ? SPDHG_OK : spd_fail(err, SPDHG_USAGE, "the time limit left no time for a single lambda");
}

static spdhg_status validate(spdhg_path *path, spdhg_error *err) {
    bool stopped = false;
    if (path->options.folds == 0 || path->outcome == SPDHG_OUTCOME_INTERRUPTED) return SPDHG_OK;
    spd_path_tell(path, "%d folds, %d times", (int)path->options.folds, (int)path->options.repeats);
    SPD_TRY(path->ways.validate(path, path->ways.context, &stopped, err));
    if (stopped) path->outcome = SPDHG_OUTCOME_INTERRUPTED;
    return SPDHG_OK;
}

/* Of several processes the first has the path's solver, and solves for the model. */
static spdhg_status run(spdhg_path *path, double *x, double *c, double *y, spdhg_error *err) {
    const bool leads = spdhg_ranks_rank(path->ranks) == 0;
    spd_warm_path warm = {0};
    spdhg_status status = spd_path_share_points(path, leads ? lead(path, &warm, x, c, y, err) : SPDHG_OK, err);
    if (status == SPDHG_OK) status = validate(path, err);
    if (status == SPDHG_OK) spd_path_choose(path);
    if (status == SPDHG_OK && leads && spd_path_chooses(path)) status = solve_chosen(path, &warm, err);
    spd_warm_path_free(&warm);
    return status;
}

spdhg_status spdhg_path_new(spdhg_path **out, spdhg_problem *problem, const spdhg_path_options *options,
                            const spdhg_options *solve, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    return spd_path_new(out, problem, options, solve, &(spd_path_ways){spd_cross_validate, NULL, INFINITY}, err);
}

spdhg_status spd_path_new(spdhg_path **out, spdhg_problem *problem, const spdhg_path_options *options, const spdhg_options *solve,
                          const spd_path_ways *ways, spdhg_error *err) {
    *out = NULL;
    spdhg_path *path = SPD_NEW(spdhg_path, 1);
    if (!path) return spd_fail_memory(err, sizeof *path);
    path->problem = problem;
    path->ways = *ways;
    path->outcome = SPDHG_OUTCOME_CONVERGED;
    spdhg_status status = take_options(path, options, solve, err);
    double *x = NULL, *c = NULL, *y = NULL;
    if (status == SPDHG_OK) {
        const int64_t lambdas = path->options.lambdas, dK = problem->dK, K = problem->K;
        path->point = SPD_NEW(spdhg_path_point, lambdas);
        path->x = SPD_NEW(double, lambdas *dK);
        path->c = SPD_NEW(double, lambdas *K);
        path->given = SPD_NEW(double, lambdas *K);
        x = SPD_NEW(double, dK);
        c = SPD_NEW(double, K);
        y = SPD_NEW(double, problem->m *K);
        if (!(path->point && path->x && path->c && path->given && x && c && y))
            status = spd_fail_memory(err, 8.0 * (double)lambdas * (double)dK);
    }
    status = spd_ranks_settle(path->ranks, status, err);
    if (status == SPDHG_OK) status = spd_ranks_settle(path->ranks, run(path, x, c, y, err), err);
    spd_free(x);
    spd_free(c);
    spd_free(y);
    if (status != SPDHG_OK) {
        spdhg_path_free(path);
        return status;
    }
    *out = path;
    return SPDHG_OK;
}

const spdhg_path_point *spdhg_path_points(const spdhg_path *path, int64_t *points) {
    *points = path->points;
    return path->point;
}

const double *spdhg_path_coefficients(const spdhg_path *path, int64_t point, const double **c) {
    if (c) *c = path->given + point * path->problem->K;
    return path->x + point * path->problem->dK;
}

spdhg_status spdhg_path_choose(spdhg_path *path, int64_t point, spdhg_error *err) {
    if (point < 0 || point >= path->points)
        return spd_fail(err, SPDHG_USAGE, "point %lld is not one of the %lld of the path", (long long)point,
                        (long long)path->points);
    path->best = path->one_se = point;
    spdhg_solver_free(path->solver);
    path->solver = NULL;
    spd_warm_path warm;
    SPD_TRY(spd_warm_path_new(&warm, path->problem, path->options.solver, &path->solve, NULL, NULL, NULL, err));
    const spdhg_status status = solve_chosen(path, &warm, err);
    spd_warm_path_free(&warm);
    return status;
}

spdhg_outcome spdhg_path_outcome(const spdhg_path *path) { return path->outcome; }
int64_t spdhg_path_best(const spdhg_path *path) { return path->best; }
int64_t spdhg_path_one_se(const spdhg_path *path) { return path->one_se; }
int64_t spdhg_path_chosen(const spdhg_path *path) { return strcmp(path->options.rule, "1se") == 0 ? path->one_se : path->best; }
spdhg_solver *spdhg_path_solver(spdhg_path *path) { return path->solver; }

void spdhg_path_free(spdhg_path *path) {
    if (!path) return;
    spdhg_solver_free(path->solver);
    spd_free(path->point);
    spd_free(path->x);
    spd_free(path->c);
    spd_free(path->given);
    spd_fold_results_free(path);
    spd_free(path);
}

/* path_start.c - the lambdas of a path: from lambda_max down, evenly spaced on a logarithmic scale, or the caller's. */
#include "tune/tune.h"

enum { ROUNDS_MOST = 20 };
static const double LAMBDA_ANY = 1e-15; /* where every lambda has the same solution: a target that never varies */

static bool is_penalised(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda_given > 0) return true;
    return false;
}

/* Leaves x as it is if it is in X: then it is the best there as well, with the same y. Otherwise all start at 0. */
static spdhg_status keep_inside(const spdhg_problem *p, double *x, double *c, double *y, spdhg_error *err) {
    if (p->set.kind->whole) return SPDHG_OK;
    double *nearest = SPD_NEW(double, 2 * p->dK);
    if (!nearest) return spd_fail_memory(err, 16.0 * (double)p->dK);
    memcpy(nearest, x, (size_t)p->dK * sizeof *x);
    p->set.kind->project(p->dK, p->set.arg, nearest, nearest + p->dK);
    const bool inside = memcmp(nearest, x, (size_t)p->dK * sizeof *x) == 0;
    spd_free(nearest);
    if (inside) return SPDHG_OK;
    memset(x, 0, (size_t)p->dK * sizeof *x);
    memset(c, 0, (size_t)p->K * sizeof *c);
    memset(y, 0, (size_t)(p->m * p->K) * sizeof *y);
    return SPDHG_OK;
}

/* lambda_max of all of R^d, and its solution. If gamma follows lambda, they have to fit together: the solution without a penalty
 * depends on gamma (unless it is 0, as for F = identity). */
static spdhg_status largest(spdhg_path *path, double *x, double *c, double *y, double *lower, double *lambda, spdhg_error *err) {
    spdhg_problem *p = path->problem;
    spdhg_status status = SPDHG_OK;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        const double before = *lambda;
        status = spd_lambda_max(p, path->solve.threads, lower, lambda, x, c, y, err);
        if (!p->ridge_follows || status != SPDHG_OK || isinf(*lambda) || fabs(*lambda - before) <= 1e-6 * *lambda) break;
        SPD_TRY(spdhg_problem_scale_lambda(p, *lambda, err));
    }
    return status;
}

spdhg_status spd_path_start(spdhg_path *path, double *x, double *c, double *y, double *lambda, spdhg_error *err) {
    *lambda = path->options.lambda ? path->options.lambda[0] : path->options.lambda_max;
    if (*lambda > 0 || path->options.lambda) return SPDHG_OK;
    if (!is_penalised(path->problem)) return spd_fail(err, SPDHG_USAGE, "there is no penalty");
    double lower;
    spdhg_error why = {0};
    const spdhg_status status = largest(path, x, c, y, &lower, lambda, &why);
    if (status == SPDHG_OK && isinf(*lambda)) return spd_fail(err, SPDHG_USAGE, "%s", why.message);
    if (status != SPDHG_OK && !(status == SPDHG_NUMERICAL && isfinite(*lambda))) return spd_fail(err, status, "%s", why.message);
    SPD_TRY(keep_inside(path->problem, x, c, y, err));
    spd_path_tell(path, "lambda_max is between %.9g and %.9g", lower, *lambda);
    *lambda *= 1 + 1e-6; /* strictly inside: there the zeros of F x are exact */
    if (*lambda > 0) return SPDHG_OK;
    spd_path_tell(path, "lambda has no effect on the solution: one stands for all");
    path->options.lambdas = 1;
    *lambda = LAMBDA_ANY;
    return SPDHG_OK;
}

double spd_path_lambda(const spdhg_path_options *o, double first, int64_t i) {
    if (o->lambda) return o->lambda[i];
    return first * (o->lambdas > 1 ? pow(o->ratio, (double)i / (double)(o->lambdas - 1)) : 1);
}

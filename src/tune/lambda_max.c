/* lambda_max.c - the smallest lambda at which some x in null(F) is optimal (x in R^d, intercept free).
 *
 *     x0 = argmin over null(F) of l + (gamma/2)||x||^2
 *     g = grad l(x0) + gamma x0,   which is orthogonal to null(F)
 *     lambda_max = min { r°(y) : F'y = -g } = max { g'p : r(F p) <= 1 },   r° the polar norm of the stacked terms
 *
 * X is not looked at: the same lambda is where a path over x in X begins.
 *
 * If the last columns of the rows of F all differ (identity, chain, trend), y is unique. Otherwise Dinkelbach's method is used
 * (dinkelbach.c). A loss with corners has no gradient at x0: corner_lambda.c. */
#include "tune/tune.h"

/* max over the terms t of r_t°(y_t) / (lambda_t as given). */
double spd_terms_polar(const spdhg_problem *p, const double *y, double *work) {
    double most = 0;
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda_given > 0)
            most = fmax(most, spd_term_polar(&p->term[t], p->K, y + p->term[t].first, work) / p->term[t].lambda_given);
    return most;
}

/* ---- g at x0 */
typedef struct centre {
    double *x, *c, *g, *y, *work; /* work: gradient's scratch, the terms' work, dK numbers */
} centre;

/* g = grad l(x0) + gamma x0, with the component in null(F) that rounding leaves removed. */
static void make_gradient(const spdhg_problem *p, const spd_nullspace *null, int threads, centre *at) {
    spd_problem_gradient(p, threads, at->x, at->c, at->g, NULL, NULL, at->work);
    spd_axpy(p->dK, p->gamma, at->x, at->g);
    memset(at->work, 0, (size_t)(null->k * p->K) * sizeof *at->work);
    spd_csr_apply_transposed(&null->N, p->K, at->g, at->work);
    double *along = at->work + null->k * p->K;
    spd_csr_apply(&null->N, p->K, at->work, along);
    spd_axpy(p->dK, -1, along, at->g);
}

/* What lambda_max would be if phi' = 0 at the corners, or its order of magnitude. */
static double guess(const spdhg_problem *p, const centre *at, bool unique) {
    const double polar = unique ? spd_terms_polar(p, at->y, at->work) : 0;
    double least = INFINITY;
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda_given > 0) least = fmin(least, p->term[t].lambda_given);
    return polar > 0 ? polar : sqrt(p->row_norm2_max) / (double)p->n / least;
}

static spdhg_status interval(spdhg_problem *p, const spd_nullspace *null, int threads, spd_stop *rough, centre *at, double *lower,
                             double *upper, spdhg_error *err) {
    bool found, unique;
    SPD_TRY(spd_restricted_minimum(p, null, threads, at->x, at->c, &found, err));
    if (!found) {
        *lower = *upper = INFINITY;
        return spd_fail(err, SPDHG_OK,
                        "lambda_max is infinite: the loss has no minimiser among the models that no penalty touches (classes "
                        "that can be separated "
                        "exactly); give the largest lambda, or --gamma above 0");
    }
    make_gradient(p, null, threads, at);
    const double size = spd_max_abs(p->dK, at->g);
    *lower = *upper = 0;
    if (spd_problem_has_corners(p)) {
        SPD_TRY(spd_nullspace_eliminate(p, at->g, at->y, at->work, &unique, err));
        return spd_corner_lambda_max(p, threads, at->x, at->c, guess(p, at, unique), rough != NULL, at->y, lower, upper, err);
    }
    if (!(size > 1e-14 * p->kappa_usual * sqrt(p->row_norm2_max))) return SPDHG_OK;
    SPD_TRY(spd_nullspace_eliminate(p, at->g, at->y, at->work, &unique, err));
    if (!unique) return spd_dinkelbach(p, threads, at->g, rough, at->y, lower, upper, err);
    *lower = *upper = spd_terms_polar(p, at->y, at->work);
    return SPDHG_OK;
}

static spdhg_status find(spdhg_problem *p, int threads, spd_stop *rough, double *lower, double *upper, double *x, double *c,
                         double *y, spdhg_error *err) {
    *lower = *upper = NAN;
    SPD_TRY(spd_problem_freeze(p, err));
    spd_nullspace null;
    SPD_TRY(spd_nullspace_new(&null, p, NULL, INFINITY, err));
    int64_t work = spd_problem_gradient_work(p);
    if (work < 2 * p->dK + spd_problem_term_work(p)) work = 2 * p->dK + spd_problem_term_work(p);
    centre at = {SPD_NEW(double, p->dK), SPD_NEW(double, p->K), SPD_NEW(double, p->dK), SPD_NEW(double, p->m * p->K),
                 SPD_NEW(double, work)};
    const bool good = at.x && at.c && at.g && at.y && at.work;
    const spdhg_status status =
        good ? interval(p, &null, spd_threads(threads), rough, &at, lower, upper, err) : spd_fail_memory(err, 8.0 * (double)work);
    if (status == SPDHG_OK && x) memcpy(x, at.x, (size_t)p->dK * sizeof *x);
    if (status == SPDHG_OK && c) memcpy(c, at.c, (size_t)p->K * sizeof *c);
    if (status == SPDHG_OK && y) memcpy(y, at.y, (size_t)(p->m * p->K) * sizeof *y);
    double *const array[] = {at.x, at.c, at.g, at.y, at.work};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) spd_free(array[i]);
    spd_nullspace_free(&null);
    return status;
}

spdhg_status spd_lambda_max(spdhg_problem *p, int threads, double *lower, double *upper, double *x, double *c, double *y,
                            spdhg_error *err) {
    return find(p, threads, NULL, lower, upper, x, c, y, err);
}

spdhg_status spd_lambda_max_bound(spdhg_problem *p, const spdhg_options *solve, double *upper, spdhg_error *err) {
    double lower;
    spd_stop stop;
    spdhg_options asked = SPDHG_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_options, &asked, solve, err));
    spd_stop_start(&stop, INFINITY, spd_tune_asked, &asked);
    return find(p, asked.threads, &stop, &lower, upper, NULL, NULL, NULL, err);
}

spdhg_status spdhg_lambda_max(spdhg_problem *p, int threads, double *lower, double *upper, double *x, double *c,
                              spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    SPD_TRY(spd_problem_freeze(p, err));
    if (!p->set.kind->whole) return spd_fail(err, SPDHG_USAGE, "lambda_max is known for --set all only");
    double *at = x || !c ? x : SPD_NEW(double, p->dK);
    if (c && !at) return spd_fail_memory(err, 8.0 * (double)p->dK);
    const spdhg_status status = spd_lambda_max(p, threads, lower, upper, at, c, NULL, err);
    if (status == SPDHG_OK && c) spd_problem_c_outward(p, at, c);
    if (at != x) spd_free(at);
    return status;
}

/* dinkelbach.c - lambda_max where y with F'y = -g is not unique:
 *     min { r°(y) : F'y = -g } = max { g'p : r(F p) <= 1 }.
 * Start at p = g and repeat
 *     lam = max(lam, g'p / r(F p))
 *     p = argmin_p ||p - g||^2/2 + lam r(F p),   with dual y in lam Y and p = g + F'y.
 * lam is a lower bound for every p. The point
 *     y - F (F'F)^+ (g + F'y)
 * satisfies F'y = -g, so its polar norm is an upper bound. */
#include "tune/tune.h"

enum { ROUNDS_MOST = 30, EPOCHS_MOST = 20000 };
static const double CLOSE = 1e-8, PROMISED = 1e-6;
static const double LEFT_MOST = 1e-8; /* largest relative residual of F'y = -g */

/* The denoising problem (1/d) sum_j ||p_j - g_j||^2/2 + (lam/d) r(F p), its solver and its vectors. */
typedef struct denoising {
    spdhg_data *data;
    spdhg_problem *problem;
    double *p, *y, *v, *z, *cg, *diagonal;
    double *best; /* y with F'y = -g and the smallest polar norm so far */
    int threads;
    spd_stop *stop; /* NULL: none */
} denoising;

static void close_denoising(denoising *n) {
    spdhg_problem_free(n->problem);
    spdhg_data_free(n->data);
    double *const array[] = {n->p, n->y, n->v, n->z, n->cg, n->diagonal, n->best};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) spd_free(array[i]);
}

static spdhg_status open_denoising(denoising *n, const spdhg_problem *p, const double *g, spdhg_error *err) {
    const int64_t d = p->d;
    int64_t *ptr = SPD_NEW(int64_t, d + 1);
    int32_t *idx = SPD_NEW(int32_t, d);
    double *val = SPD_NEW(double, d);
    spdhg_status status = ptr && idx && val ? SPDHG_OK : spd_fail_memory(err, 20.0 * (double)d);
    for (int64_t j = 0; status == SPDHG_OK && j < d; j++) {
        idx[j] = (int32_t)j;
        val[j] = 1;
        ptr[j + 1] = j + 1;
    }
    if (status == SPDHG_OK) status = spdhg_data_from_csr(&n->data, d, d, ptr, idx, val, g, p->K, SPDHG_COPY, err);
    spd_free(ptr);
    spd_free(idx);
    spd_free(val);
    SPD_TRY(status);
    SPD_TRY(spdhg_problem_new(&n->problem, n->data, "squared", err));
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *from = &p->term[t];
        const spdhg_term_options options = {sizeof options, NULL, 0, NULL, from->group_asked, from->m};
        if (from->lambda_given > 0)
            SPD_TRY(spdhg_problem_own_term(n->problem, from->penalty, from->F, from->lambda_given / (double)d, &options, err));
    }
    SPD_TRY(spd_problem_freeze(n->problem, err));
    const spdhg_problem *q = n->problem;
    n->p = spd_copy(g, p->dK, sizeof *g);
    n->y = SPD_NEW(double, q->m * q->K);
    n->v = SPD_NEW(double, q->dK);
    n->best = SPD_NEW(double, q->m * q->K);
    n->z = SPD_NEW(double, q->m * q->K + spd_problem_term_work(q));
    n->cg = SPD_NEW(double, 5 * q->dK);
    n->diagonal = SPD_NEW(double, q->dK + q->d);
    return n->p && n->y && n->v && n->best && n->z && n->cg && n->diagonal ? SPDHG_OK
                                                                           : spd_fail_memory(err, 80.0 * (double)q->dK);
}

/* Computes p and y at this lam, starting from the previous ones. y is scaled such that F'y = p - g. */
static spdhg_status denoise(denoising *n, double lam, spdhg_error *err) {
    spdhg_problem *q = n->problem;
    const double d = (double)q->d;
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = 1e-13;
    options.epochs = EPOCHS_MOST;
    options.threads = n->threads;
    const char *name;
    spdhg_solver *solver;
    SPD_TRY(spdhg_problem_scale_lambda(q, lam, err));
    SPD_TRY(spd_tune_solver(q, "auto", &name, err));
    SPD_TRY(spdhg_solver_new(&solver, name, q, &options, err));
    spd_scale(q->m * q->K, -1 / d, n->y);
    spdhg_status status = spdhg_solver_start(solver, n->p, NULL, n->y, err);
    if (status == SPDHG_OK) status = spdhg_solver_run(solver, NULL, err);
    if (status == SPDHG_OK) {
        const spdhg_solution *s = spdhg_solver_solution(solver);
        memcpy(n->p, s->x, (size_t)q->dK * sizeof *n->p);
        memcpy(n->y, s->y, (size_t)(q->m * q->K) * sizeof *n->y);
        spd_scale(q->m * q->K, -d, n->y);
    }
    spdhg_solver_free(solver);
    return status;
}

static void gram(const void *context, const double *x, double *out) {
    const denoising *n = context;
    spd_problem_apply(n->problem, x, n->z);
    memset(out, 0, (size_t)n->problem->dK * sizeof *out);
    spd_problem_add_transposed(n->problem, n->z, out);
}

/* r° of y - F q with F'F q = g + F'y; *left: the relative residual of F'y = -g. */
static double feasible_polar(denoising *n, const double *g, double *left) {
    const spdhg_problem *q = n->problem;
    double *x = n->cg + 4 * q->dK;
    memcpy(n->v, g, (size_t)q->dK * sizeof *g);
    spd_problem_add_transposed(q, n->y, n->v);
    spd_problem_gram_diagonal(q, n->diagonal + q->dK);
    for (int64_t i = 0; i < q->dK; i++) n->diagonal[i] = n->diagonal[q->dK + i / q->K] > 0 ? n->diagonal[q->dK + i / q->K] : 1;
    memset(x, 0, (size_t)q->dK * sizeof *x);
    const double goal =
        1e-11 * spd_norm2(q->dK, g) / fmax(spd_norm2(q->dK, n->v), 1e-300); /* less is rounding, outside the range of F' */
    const spd_cg cg = {.apply = gram,
                       .context = n,
                       .diagonal = n->diagonal,
                       .tolerance = fmax(1e-9, goal),
                       .most = (int)fmin(20.0 * (double)q->dK, 1e5),
                       .stop = n->stop};
    spd_cg_solve(&cg, q->dK, n->v, x, n->cg);
    spd_problem_apply(q, x, n->z);
    double *moved = n->z; /* becomes y - F q, in place */
    for (int64_t e = 0; e < q->m * q->K; e++) moved[e] = n->y[e] - moved[e];
    memcpy(n->v, g, (size_t)q->dK * sizeof *g);
    spd_problem_add_transposed(q, moved, n->v);
    *left = spd_norm2(q->dK, n->v) / spd_norm2(q->dK, g);
    return spd_terms_polar(q, moved, n->z + q->m * q->K) / (double)q->d;
}

static spdhg_status bracket(denoising *n, const double *g, double *lower, double *upper, spdhg_error *err) {
    const spdhg_problem *q = n->problem;
    *lower = 0;
    *upper = INFINITY;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        SPD_TRY(spdhg_problem_scale_lambda(n->problem, (double)q->d, err)); /* r as given: lambda/d times d */
        spd_problem_apply(q, n->p, n->z);
        const double r = spd_problem_penalty(q, n->z, n->z + q->m * q->K), before = *lower;
        if (r > 0) *lower = fmax(*lower, spd_dot(q->dK, g, n->p) / r);
        if (round > 0 && !(*lower > before)) break; /* rounding: p gives no new direction */
        SPD_TRY(denoise(n, *lower, err));
        double left;
        const double bound = feasible_polar(n, g, &left);
        if (left <= LEFT_MOST && bound * (1 + left) < *upper) {
            *upper = bound * (1 + left);
            memcpy(n->best, n->z, (size_t)(q->m * q->K) * sizeof *n->best);
        }
        if (*upper - *lower <= CLOSE * *upper) break;
    }
    if (*upper < *lower) *upper = *lower; /* rounding */
    if (*upper - *lower <= PROMISED * *upper) return SPDHG_OK;
    return spd_fail(err, SPDHG_NUMERICAL, "lambda_max lies between %g and %g; closer bounds could not be proven", *lower, *upper);
}

/* The polar norm of the shortest y with F'y = -g, or of that reached when the caller asked to stop. */
static spdhg_status bound(denoising *n, const double *g, double *lower, double *upper, spdhg_error *err) {
    double left;
    *lower = 0;
    *upper = feasible_polar(n, g, &left) * (1 + left);
    if (left <= LEFT_MOST || spd_stop_why(n->stop) != SPD_GO_ON) return SPDHG_OK;
    return spd_fail(err, SPDHG_NUMERICAL, "no bound of lambda_max could be found; give lambda");
}

spdhg_status spd_dinkelbach(const spdhg_problem *p, int threads, const double *g, spd_stop *rough, double *y, double *lower,
                            double *upper, spdhg_error *err) {
    denoising n = {.threads = threads, .stop = rough};
    spdhg_status status = open_denoising(&n, p, g, err);
    if (status == SPDHG_OK) status = rough ? bound(&n, g, lower, upper, err) : bracket(&n, g, lower, upper, err);
    for (int64_t t = 0, from = 0; status == SPDHG_OK && !rough && t < p->terms; t++) { /* best has no terms with lambda 0 */
        if (p->term[t].lambda_given == 0) continue;
        memcpy(y + p->term[t].first, n.best + from, (size_t)(p->term[t].m * p->K) * sizeof *y);
        from += p->term[t].m * p->K;
    }
    close_denoising(&n);
    return status;
}

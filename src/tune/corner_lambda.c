/* corner_lambda.c - lambda_max of a loss with corners. At x0, the minimiser over null(F), the slopes of rows at their corners are
 * not determined, so that there is no gradient from which lambda_max would follow. With f = loss + ridge:
 *     lambda_max = max over p of -f'(x0; p) / r(F p)
 * f' being the directional derivative. f is convex, hence for every p and t > 0
 *     ( f(x0) - f(x0 + t p) ) / (t r(F p)) <= lambda_max
 * Dinkelbach's method: solve at a lambda below lambda_max, and let p lead from x0 to the solution; that gives the next lambda.
 * f' and r are made of finitely many linear pieces, so that the last p is found after finitely many steps. lambda is an upper
 * bound if the solution there is proven to 1e-7 of f, and has F x = 0. */
#include "tune/tune.h"

enum { ROUNDS_MOST = 60, EPOCHS_MOST = 5000 };
static const double TOL = 1e-11, PROVEN = 1e-7; /* relative gaps: asked for; that an upper bound needs */
static const double ABOVE = 4e-7;               /* the next lambda, relative to the lower bound: it may already be an upper one */
static const double PROMISED = 1e-6, ROUGHLY = 1e-2;
static const double NOTHING = 1e-10;   /* relative to f(x0): a penalty that counts as 0 */
static const double LEAST = 1e-13;     /* relative to the first lambda: a bound below this counts as 0 */
static const double STEP_LEAST = 1e-9; /* smallest t |A p| relative to the scores that is tried */

typedef struct search {
    spdhg_problem *p;
    int threads;
    const double *x0, *c0;
    double *z0, *move; /* n x K: scores at x0; A p + change of the intercept */
    double *Fx, *work;
    double f0, lower, upper, within; /* within: how close the two bounds shall be, relative to upper */
} search;

/* The change of f from x0 along p, by t, summed row by row so that nothing cancels. */
static double fall(const search *s, const double *p_x, double t) {
    const spdhg_problem *p = s->p;
    double sum = 0;
    for (int64_t i = 0; i < p->n * p->K; i++) {
        const double w = spd_problem_share(p, i / p->K), b = p->b[i];
        if (!(w > 0)) continue;
        sum += w * (p->loss->value(s->z0[i], b, p->loss_arg) - p->loss->value(s->z0[i] + t * s->move[i], b, p->loss_arg));
    }
    return sum - p->gamma * (t * spd_dot(p->dK, s->x0, p_x) + 0.5 * t * t * spd_dot(p->dK, p_x, p_x));
}

/* The largest lower bound along p, over a few t. */
static double bound_along(const search *s, const double *p_x, double r) {
    const double size = spd_max_abs(s->p->n * s->p->K, s->move),
                 scale = size > 0 ? (1 + spd_max_abs(s->p->n * s->p->K, s->z0)) / size : 1;
    double best = fall(s, p_x, 1) / r;
    for (double t = 1; t >= STEP_LEAST * scale; t *= 0.1) best = fmax(best, fall(s, p_x, t) / (t * r));
    return best;
}

/* What the solution at lambda says: a lower or an upper bound. y: of the solution, kept where it proves an upper bound. */
static void learn(search *s, const spdhg_solution *at, double lambda, double *y) {
    spdhg_problem *p = s->p;
    spdhg_problem_scale_lambda(p, 1, NULL);
    spd_problem_apply(p, at->x, s->Fx);
    const double r = spd_problem_penalty(p, s->Fx, s->work);
    if (lambda * r <= NOTHING * s->f0 || at->structure_nonzeros == 0) { /* of long sums F x, rounding alone may leave more */
        const bool proven = strcmp(at->gap_kind, spd_gap_kind_name(SPD_GAP_CERTIFIED)) == 0 && at->gap_relative <= PROVEN;
        if (!proven || !(lambda < s->upper)) return;
        s->upper = lambda;
        memcpy(y, at->y, (size_t)(p->m * p->K) * sizeof *y);
        return;
    }
    double *p_x = s->work, *p_c = p_x + p->dK;
    for (int64_t q = 0; q < p->dK; q++) p_x[q] = at->x[q] - s->x0[q];
    memcpy(p_c, at->c, (size_t)p->K * sizeof *p_c);
    spd_problem_c_inward(p, at->x, p_c);
    spd_axpy(p->K, -1, s->c0, p_c);
    spd_problem_products(p, s->threads, p_x, s->move);
    if (p->intercept) spd_problem_shift(p, p_c, s->move);
    s->lower = fmax(s->lower, bound_along(s, p_x, r));
}

static spdhg_status solve_at(search *s, double lambda, double *y, spdhg_error *err) {
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = TOL;
    options.epochs = EPOCHS_MOST;
    options.threads = s->threads;
    spdhg_solver *solver;
    SPD_TRY(spdhg_problem_scale_lambda(s->p, lambda, err));
    SPD_TRY(spdhg_solver_new(&solver, "auto", s->p, &options, err));
    const spdhg_status status = spdhg_solver_run(solver, NULL, err);
    if (status == SPDHG_OK) learn(s, spdhg_solver_solution(solver), lambda, y);
    spdhg_solver_free(solver);
    return status;
}

static spdhg_status narrow(search *s, double guess, double *y, spdhg_error *err) {
    double lambda = guess;
    s->lower = 0;
    s->upper = INFINITY;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        SPD_TRY(solve_at(s, lambda, y, err));
        if (isfinite(s->upper) && s->upper - s->lower <= s->within * s->upper) return SPDHG_OK;
        if (s->upper <= LEAST * guess) {
            s->upper = 0;
            return SPDHG_OK;
        }
        const double above = fmax(ABOVE, 0.4 * s->within), next = s->lower * (1 + above);
        lambda = s->lower == 0 ? 0.5 * lambda : next > lambda ? next : lambda * (1 + above * (1 + round));
    }
    return spd_fail(err, SPDHG_NUMERICAL, "lambda_max lies between %g and %g; closer bounds could not be proven", s->lower,
                    s->upper);
}

spdhg_status spd_corner_lambda_max(spdhg_problem *p, int threads, const double *x0, const double *c0, double guess, bool rough,
                                   double *y, double *lower, double *upper, spdhg_error *err) {
    const int64_t nK = p->n * p->K, work = p->dK + p->K + spd_problem_term_work(p);
    search s = {.p = p, .threads = threads, .x0 = x0, .c0 = c0, .within = rough ? ROUGHLY : PROMISED};
    s.z0 = SPD_NEW(double, nK);
    s.move = SPD_NEW(double, nK);
    s.Fx = SPD_NEW(double, p->m * p->K);
    s.work = SPD_NEW(double, work);
    double *given = SPD_NEW(double, p->terms);
    spdhg_status status = s.z0 && s.move && s.Fx && s.work && given ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)nK);
    for (int64_t t = 0; t < p->terms && status == SPDHG_OK; t++) given[t] = p->term[t].lambda;
    if (status == SPDHG_OK) {
        spd_problem_scores(p, threads, x0, s.z0);
        if (p->intercept) spd_problem_shift(p, c0, s.z0);
        memset(s.move, 0, (size_t)nK * sizeof *s.move);
        for (int64_t i = 0; i < nK; i++) s.f0 += spd_problem_share(p, i / p->K) * p->loss->value(s.z0[i], p->b[i], p->loss_arg);
        s.f0 += 0.5 * p->gamma * spd_dot(p->dK, x0, x0);
        status = narrow(&s, guess, y, err);
        for (int64_t t = 0; t < p->terms; t++) p->term[t].lambda = given[t];
        *lower = s.lower;
        *upper = s.upper;
    }
    SPD_FREE_ALL(s.z0, s.move, s.Fx, s.work, given);
    return status;
}

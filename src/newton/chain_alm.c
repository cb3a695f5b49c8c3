/* chain_alm.c - semismooth Newton augmented Lagrangian method (Li, Sun, Toh, SIAM J. Optim. 2018) with the exact proximal map of
 * total variation on lines and trees (chain.h): general A, F of differences and single coefficients, X separable.
 *
 *   outer j: (x_{j+1}, c_{j+1}) ~ argmin f(u, c) + (1/2sigma)||(u, c) - (x_j, c_j)||_D^2
 *            by its dual, over the scores z, which give alpha = phi'(z) and
 *               g = A'alpha/W
 *               u(z) = argmin over X of g'u + (gamma/2)||u||^2 + lambda r(F u) + (1/2sigma)||u - x_j||_D^2   (dynamic program)
 *               c(z) = c_j - sigma g_c/D_c
 *               zhat = A u + c + o
 *            maximise Psi(z); its gradient is phi''(z)(zhat - z), and z = zhat at the maximum
 *   inner:   R = zhat - z,  u = B t near u(z): the groups of columns that move together
 *            dz = R - A B t,  (Q + B'A'phi''(z)A B/W) t = B'A'phi''(z)R/W,  Q = B'(D/sigma + gamma)B     chain_alm_system.c
 *            z += s dz,  s = 1 or less (Wolfe's rules on Psi)
 *            until the inner problem's duality gap at u(z) is a tenth of (1/2sigma)||u - x_j||_D^2
 *   sigma:   grows fast after few Newton steps, slowly after many; falls where rounding errors, in proportion to it, show
 *   metric:  D_j = the largest curvature of the loss along column j, + gamma, but at least a hundredth of the mean
 *
 * One step of the loop is one outer iteration. y is the dual of the proximal map. */
#include "newton/chain_alm.h"

enum { WORK_PER_NODE = 20, INNER_MOST = 60, TRIES_MOST = 30, IDLE_MOST = 8, OUTER_MOST = 300 };
static const double SIGMA_FIRST = 10, SIGMA_MOST = 1e12, SOLVED = 0.1, WOLFE = 0.5;
static const double FLOOR = 1e-2; /* of D, relative to its mean */
/* Relative to f: a first proof may pay; rounding of f; gaps so small that rounding may keep them from falling; no gap at all. */
static const double FAR = 1e-2, ROUNDING = 1e-15, ROUNDED = 1e-14, LEAST = 1e-28;

static const char *refuses(const spdhg_problem *p) {
    if (p->loss->value && !p->loss->second) return "it works for losses that have a curvature";
    if (!p->set.kind->separable) return "it works for the sets all, box and nonneg";
    return spd_forest_refuses(p);
}

typedef struct prepared {
    spd_forest whole;
    spd_merged merged;
    spd_arena arena;
} prepared;

static void release(void *made) {
    prepared *m = made;
    spd_free(m->arena.base);
    spd_free(m);
}

static void lay_out_forests(prepared *m, const spdhg_problem *p) {
    spd_forest_layout(&m->whole, p, &m->arena);
    spd_merged_layout(&m->merged, &m->whole, &m->arena);
}

static spdhg_status prepare(spd_run *run, spdhg_error *err) {
    prepared *m = SPD_NEW(prepared, 1);
    if (!m) return spd_fail_memory(err, sizeof *m);
    lay_out_forests(m, run->problem);
    m->arena.size = m->arena.used;
    m->arena.used = 0;
    m->arena.base = SPD_NEW(double, m->arena.size);
    run->prepared = m;
    run->prepared_bytes = 8.0 * (double)m->arena.size;
    if (!m->arena.base) return spd_fail_memory(err, run->prepared_bytes);
    lay_out_forests(m, run->problem);
    return SPDHG_OK;
}

static void layout(spd_run *run) {
    spd_chain_alm *a = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t all = p->dK + p->K, nK = p->n * p->K, mK = p->m * p->K;
    a->p = p;
    a->threads = run->threads;
    a->whole = &((prepared *)run->prepared)->whole;
    a->merged = &((prepared *)run->prepared)->merged;
    a->forest = &a->merged->forest;
    a->x = spd_arena_take(&run->state, all);
    a->y = spd_arena_take(&run->state, mK);
    a->z = spd_arena_take(&run->state, nK);
    a->D = spd_arena_take(&run->state, all);
    a->scalar = spd_arena_take(&run->state, SPD_CHAIN_SCALARS);
    spd_variation_layout(&a->variation, a->forest, &run->work);
    spd_chain_point_layout(p, &a->now, &run->work);
    spd_chain_point_layout(p, &a->trial, &run->work);
    spd_chain_system_layout(a, &run->work);
    double **const node[] = {&a->q, &a->m, &a->zero, &a->node, &a->t, &a->s};
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = spd_arena_take(&run->work, p->d);
    a->range = spd_arena_take(&run->work, 4 * p->d);
    a->group = spd_arena_int32(&run->work, p->d);
    a->B.label = spd_arena_int32(&run->work, p->dK);
    a->B.coef = spd_arena_take(&run->work, p->dK);
    a->Q = spd_arena_take(&run->work, all);
    a->g = spd_arena_take(&run->work, all);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->scratch = spd_arena_take(&run->work, spd_problem_gradient_work(p) + spd_problem_blocks(p) * (1 + 3 * p->K) + 8 * p->K);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_chain_alm *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, p->intercept ? c0 : NULL, y0, a->x, a->x + p->dK, a->y, a->term);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->now.u);
    spd_forest_fill(a->whole, p);
    spd_merged_fill(a->merged, a->whole, p);
    for (int64_t k = 0; k < p->K; k++) spd_merged_spread(a->merged, a->whole, p->K, k, a->x);
    for (int64_t q = 0; q < p->dK; q++) a->B.label[q] = -1;
    a->stop = run->stop;
    spd_run_log(run,
                "chain-alm: %lld coefficients on %s, of which %lld can differ; a proximal point takes %.3g multiplications, a "
                "dense system "
                "has up to %lld unknowns",
                (long long)p->dK, a->whole->line ? "lines" : "trees", (long long)(a->forest->d * p->K),
                (double)p->K * (4 * (double)p->nnz + WORK_PER_NODE * (double)a->forest->d), (long long)a->most);
}

/* z, D and sigma of the first step. */
static void begin(spd_chain_alm *a) {
    const spdhg_problem *p = a->p;
    double *bound = a->Q;
    spd_problem_scores(p, a->threads, a->x, a->z);
    if (p->intercept) {
        spd_problem_best_intercept(p, a->threads, a->z, a->x + p->dK, a->scratch,
                                   a->scratch + spd_problem_blocks(p) * (1 + 3 * p->K), a->stop);
        spd_problem_shift(p, a->x + p->dK, a->z);
    }
    spd_problem_curvature_columns(p, a->threads, bound, a->scratch);
    const double mean = spd_sum(p->d, bound) / (double)p->d;
    for (int64_t q = 0; q < p->dK + p->K; q++) {
        const double ridge = q < p->dK ? p->gamma : 0, least = FLOOR * mean;
        a->D[q] = fmax(bound[q / p->K], least > 0 ? least : 1) + ridge;
    }
    a->scalar[SPD_CHAIN_SIGMA] = SIGMA_FIRST;
}

/* The derivative of Psi along dz at a point. */
static double slope_at(const spd_chain_alm *a, const spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t q = i * p->K; q < (i + 1) * p->K; q++) sum += spd_problem_share(p, i) * at->CR[q] * a->dz[q];
    return sum;
}

/* One Newton step from `now`, which becomes the new point. The kinks of Psi can leave the best s far below 1: it is bracketed by
 * the slopes. False: no step was made, and the last point evaluated is `now`. */
static bool newton_step(spd_chain_alm *a, int64_t *passes) {
    const spdhg_problem *p = a->p;
    spd_chain_point *now = &a->now, *trial = &a->trial;
    const int64_t nK = p->n * p->K;
    spd_chain_point_groups(a, now);
    const double tolerance = fmin(1e-2, sqrt(now->gap / (now->f + now->gap)));
    if (!spd_chain_system_solve(a, now, fmax(tolerance, 1e-8), passes)) return false;
    const double slope = slope_at(a, now), rounding = ROUNDING * fabs(now->psi);
    double s = 1;
    for (int tries = 0; tries < TRIES_MOST && !spd_stop_now(a->stop); tries++) {
        for (int64_t q = 0; q < nK; q++) trial->z[q] = now->z[q] + s * a->dz[q];
        spd_chain_point_evaluate(a, trial);
        *passes += 2;
        const double there = slope_at(a, trial);
        const bool rises = trial->psi >= now->psi + 1e-4 * s * slope - rounding;
        if (rises && (there >= -WOLFE * slope || s * slope <= rounding)) {
            const spd_chain_point kept = *now;
            *now = *trial;
            *trial = kept;
            return true;
        }
        const double zero = s * slope / (slope - there); /* of the slope, if it were linear */
        s = there < 0 && isfinite(zero) ? fmax(zero, 0.1 * s) : 0.5 * s;
    }
    spd_chain_point_evaluate(a, now);
    *passes += 2;
    return false;
}

/* How Newton's method on an inner problem ended. ROUNDED_OFF: rounding errors, which grow with
 * sigma, prevent further progress. */
typedef enum inner_end { INNER_SOLVED, INNER_ROUNDED_OFF, INNER_UNSOLVED } inner_end;

static inner_end solve_inner(spd_chain_alm *a, int *steps, int64_t *passes) {
    const spd_chain_point *now = &a->now;
    for (*steps = 0; *steps < INNER_MOST && !spd_stop_now(a->stop); ++*steps) {
        const double before = now->gap;
        if (before <= SOLVED * now->moved + LEAST * now->f) return INNER_SOLVED;
        const bool moved = newton_step(a, passes), tiny = before <= ROUNDED * now->f;
        if (tiny && (!moved || now->gap > 0.5 * before)) return INNER_ROUNDED_OFF;
        if (!moved) return INNER_UNSOLVED;
    }
    return INNER_UNSOLVED;
}

static void next_sigma(spd_chain_alm *a, inner_end end, int steps) {
    double *sigma = a->scalar + SPD_CHAIN_SIGMA;
    const double factor = end == INNER_ROUNDED_OFF ? 0.1
                          : end == INNER_UNSOLVED  ? 0.3
                          : steps <= 3             ? 10
                          : steps <= 8             ? 4
                          : steps <= 15            ? 2
                                                   : 1;
    *sigma = fmin(*sigma * factor, SIGMA_MOST);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    spd_chain_alm *a = run->self;
    const spdhg_problem *p = run->problem;
    double *s = a->scalar;
    int64_t passes = 2;
    int steps;
    if (k == 0) begin(a);
    memcpy(a->now.z, a->z, (size_t)(p->n * p->K) * sizeof *a->z);
    spd_chain_point_evaluate(a, &a->now);
    const inner_end end = solve_inner(a, &steps, &passes);
    run->rows_visited += passes * p->n;
    if (spd_stop_now(run->stop)) return SPD_CONTINUE;
    spd_chain_point_dual(a, &a->now, a->y);
    memcpy(a->x, a->now.u, (size_t)(p->dK + p->K) * sizeof *a->x);
    for (int64_t out = 0; out < p->K; out++) spd_merged_spread(a->merged, a->whole, p->K, out, a->x);
    memcpy(a->z, a->now.z, (size_t)(p->n * p->K) * sizeof *a->z);
    next_sigma(a, end, steps);
    s[SPD_CHAIN_IDLE] = k == 0 || a->now.f < s[SPD_CHAIN_BEST] - ROUNDING * fabs(s[SPD_CHAIN_BEST]) ? 0 : s[SPD_CHAIN_IDLE] + 1;
    s[SPD_CHAIN_BEST] = k == 0 ? a->now.f : fmin(a->now.f, s[SPD_CHAIN_BEST]);
    run->far = a->now.moved > FAR * a->now.f;
    if (s[SPD_CHAIN_IDLE] >= IDLE_MOST) return end == INNER_UNSOLVED ? SPD_GIVES_UP : SPD_STALLED;
    return run->rescue != SPD_ALONE && k + 1 >= OUTER_MOST ? SPD_GIVES_UP : SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const spd_chain_alm *a = run->self;
    spd_run_give(run, a->x, a->x + run->problem->dK, a->y, x, c, y);
}

const spd_solver_kind spd_solver_chain_alm = {
    .name = "chain-alm",
    .what = "semismooth Newton augmented Lagrangian by dynamic programming; exact, for many features on lines and trees",
    .reference = "Li, Sun, Toh: On efficiently solving the subproblems of a level-set method for fused lasso problems, SIAM J. "
                 "Optim. 2018",
    .refuses = refuses,
    SPD_PREPARED_KIND(spd_chain_alm)};

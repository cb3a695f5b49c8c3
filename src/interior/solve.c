/* solve.c - the interior-point iteration (interior.h): from a centre for mu, with every step
 *     a step to mu = 0 tells how far it would get; then the one that is made aims at mu (that part left)^3 and corrects for the
 *     second order of the first (Mehrotra: On the implementation of a primal-dual interior point method, 1992). */
#include "interior/interior.h"

enum { SMALL = 300, STEPS_MOST = 100, SHORT_MOST = 5, IDLE_MOST = 2, REFINEMENTS = 2 };
static const double BACK = 0.995, SHORT = 1e-3, ROUNDING = 1e-14, LOST = 1e-6, NEAR = 1e-8, WORSE = 100, GAIN = 0.5,
                    LEAST = 1e-20, SAFE = 0.3;

const char *spd_interior_refuses(const spdhg_problem *p) {
    if (spd_problem_refuses_factor(p)) return spd_problem_refuses_factor(p);
    for (int64_t t = 0; t < p->terms; t++)
        if (!spd_part_known(&p->term[t], p->K))
            return "it supports the penalties l1, group and linf only, and nuclear of one row or one output";
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (!(low < high)) return "the set X has no interior";
    return NULL;
}

bool spd_interior_rescues(const spdhg_problem *p) {
    const bool small = spd_problem_normal_size(p) <= SMALL;
    return !spd_interior_refuses(p) && (!p->set.kind->whole || p->loss->quadratic || small);
}

/* A squared loss has no sides: its model is the loss itself, and made once. */
static bool has_pieces(const spdhg_problem *p) {
    const spdhg_loss *loss = p->loss;
    return loss->quadratic &&
           (isfinite(loss->slope(-INFINITY, 1, p->loss_arg)) || isfinite(loss->slope(INFINITY, 1, p->loss_arg)));
}

void spd_interior_layout(spd_interior *a, const spdhg_problem *p, int threads, spd_arena *work) {
    const int64_t n = spd_problem_normal_size(p), nK = p->n * p->K, mK = p->m * p->K;
    int64_t scratch = spd_problem_gradient_work(p), normal = spd_problem_normal_work(p, threads);
    *a = (spd_interior){.p = p, .threads = threads, .n = n, .pieces = has_pieces(p)};
    double **const pairs[] = {&a->s, &a->g, &a->k, &a->dg};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) *pairs[i] = spd_arena_take(work, spd_pairs_all(a));
    double **const columns[] = {&a->u, &a->du, &a->q, &a->rhs, &a->column, &a->fix, &a->bend, &a->pull, &a->best_u};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) *columns[i] = spd_arena_take(work, n + p->K);
    a->touched = spd_arena_int32(work, n + p->K);
    double **const squares[] = {&a->P, &a->M, &a->L};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = spd_arena_take(work, n * n);
    double **const rows[] = {&a->alpha, &a->short_of, &a->curve, &a->next};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = spd_arena_take(work, a->pieces ? nK : 0);
    double **const duals[] = {&a->y,      &a->z, &a->dz, &a->weight, &a->next_y, &a->normal,
                              &a->best_y, &a->t, &a->dt, &a->goal0,  &a->goal,   &a->work};
    for (size_t i = 0; i < sizeof duals / sizeof *duals; i++) *duals[i] = spd_arena_take(work, mK);
    spd_tied_layout(p, work, &a->whole, n);
    scratch = scratch > normal ? scratch : normal;
    a->scratch = spd_arena_take(work, scratch > nK ? scratch : nK);
}

/* M = P + A'CA/W + F'DF + that of X; L its factor, with as little on the diagonal as it takes. */
static bool factor(spd_interior *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = a->n;
    if (a->rows && !spd_problem_normal_matrix(p, a->threads, a->curve, a->L, a->scratch, a->stop)) return false;
    if (!a->rows) memcpy(a->L, a->P, (size_t)(n * n) * sizeof *a->L);
    spd_tied_gram(&a->whole, p, a->weight, a->M);
    spd_interior_terms_radial(a);
    for (int64_t i = 0; i < n; i++) {
        spd_axpy(i + 1, 1, a->L + i * n, a->M + i * n);
        if (a->rows && i < p->dK) a->M[i * n + i] += p->gamma;
    }
    spd_interior_set_matrix(a);
    for (double extra = ROUNDING; extra <= LOST; extra *= 10) {
        memcpy(a->L, a->M, (size_t)(n * n) * sizeof *a->L);
        for (int64_t i = 0; i < n; i++) a->L[i * n + i] += a->M[i * n + i] > 0 ? extra * a->M[i * n + i] : 1;
        if (spd_cholesky(n, a->L)) return true;
    }
    return false;
}

/* out = M^{-1} b; fix is lost. */
static void solve_system(spd_interior *a, const double *b, double *out) {
    memcpy(out, b, (size_t)a->n * sizeof *b);
    spd_cholesky_solve(a->n, a->L, out);
    for (int round = 0; round < REFINEMENTS; round++) {
        spd_symmetric_apply(a->n, a->M, out, a->fix);
        for (int64_t i = 0; i < a->n; i++) a->fix[i] = b[i] - a->fix[i];
        spd_cholesky_solve(a->n, a->L, a->fix);
        spd_axpy(a->n, 1, a->fix, out);
    }
}

/* -( P u + q + A'alpha/W + F'y ) with alpha and y as they would be at du = 0. */
static void right_side(spd_interior *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = a->n;
    double *sum = a->fix;
    if (a->rows) {
        spd_problem_adjoint(p, a->threads, a->next, sum, p->intercept ? sum + p->dK : NULL, a->scratch);
        spd_axpy(p->dK, p->gamma, a->u, sum);
    } else {
        spd_symmetric_apply(n, a->P, a->u, sum);
        spd_axpy(n, 1, a->q, sum);
    }
    spd_problem_add_transposed(p, a->next_y, sum);
    for (int64_t i = 0; i < n; i++) a->rhs[i] = -sum[i];
    spd_interior_set_prepare(a);
}

/* The direction for the targets k; with a sum to keep, M du + (eta + change) 1 = rhs and 1'du = what is missing. The right side
 * then goes to 0: what is left of it is not lost in rounding. Returns the decrement. */
static double direct(spd_interior *a) {
    const int64_t d = a->p->dK;
    const double total = spd_interior_set_sum(a);
    right_side(a);
    for (int64_t j = 0; j < d && isfinite(total); j++) a->rhs[j] -= a->eta;
    solve_system(a, a->rhs, a->du);
    if (isfinite(total)) {
        double *ones = a->rhs, *reply = a->column;
        for (int64_t i = 0; i < a->n; i++) ones[i] = i < d;
        solve_system(a, ones, reply);
        const double eta = (spd_sum(d, a->du) - (total - spd_sum(d, a->u))) / spd_sum(d, reply);
        spd_axpy(a->n, -eta, reply, a->du);
        a->eta += eta;
    }
    spd_interior_rows_follow(a);
    spd_interior_terms_follow(a);
    spd_interior_set_follow(a);
    spd_symmetric_apply(a->n, a->M, a->du, a->fix);
    return spd_dot(a->n, a->du, a->fix);
}

static void look(spd_interior *a) {
    spd_interior_rows_look(a);
    spd_problem_apply(a->p, a->u, a->z);
}

static void aim(spd_interior *a, double mu, bool corrected) {
    spd_pairs_aim(a, mu, corrected);
    spd_cones_aim(a, mu, corrected);
    spd_interior_rows_prepare(a);
    spd_interior_terms_prepare(a);
}

static double products(const spd_interior *a, double step, double *count) {
    int64_t cones;
    const double sum = spd_cones_sum(a, step, &cones) + spd_pairs_sum(a, step);
    if (count) *count = (double)(cones + spd_pairs_count(a));
    return sum;
}

static double longest(const spd_interior *a) { return BACK * spd_cones_longest(a, spd_pairs_longest(a, 1 / BACK)); }

/* One step; false if the system cannot be solved. */
static bool advance(spd_interior *a, double *step, double *decrement) {
    double count;
    const double now = products(a, 0, &count);
    aim(a, 0, false);
    if (!factor(a)) return false;
    *decrement = direct(a);
    const double most = spd_cones_longest(a, spd_pairs_longest(a, 1)),
                 left = now > 0 ? fmax(products(a, most, NULL) / now, 0) : 0;
    a->mu = count > 0 ? left * left * left * (now / count) : 0;
    aim(a, a->mu, true);
    direct(a);
    *step = longest(a);
    if (products(a, *step, NULL) > now && *decrement < now) { /* the correction was too bold: without it the products fall */
        aim(a, SAFE * (now / count), false);
        direct(a);
        *step = longest(a);
    }
    if (!spd_all_finite(a->n, a->du) || !(*step > 0)) return false;
    spd_axpy(a->n, *step, a->du, a->u);
    spd_interior_rows_move(a, *step);
    spd_interior_terms_move(a, *step);
    spd_pairs_move(a, *step);
    look(a);
    return true;
}

/* The best for u and mu, and every direction 0. */
static void centre(spd_interior *a) {
    const int64_t mK = a->p->m * a->p->K;
    double *const changes[] = {a->dz, a->next_y, a->dt};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) memset(changes[i], 0, (size_t)mK * sizeof(double));
    spd_interior_set_enter(a);
    look(a);
    spd_interior_rows_centre(a);
    spd_interior_terms_centre(a);
}

/* A part `start` of f for all products together: how many there are is known once they are made. */
static void begin(spd_interior *a, double start) {
    double count;
    spd_tied_whole(&a->whole, a->p);
    a->eta = 0;
    a->mu = start;
    memcpy(a->best_u, a->u, (size_t)a->n * sizeof *a->u);
    centre(a);
    products(a, 0, &count);
    a->mu = start / (count + 1);
    memcpy(a->u, a->best_u, (size_t)a->n * sizeof *a->u);
    centre(a);
}

static void keep(spd_interior *a) {
    memcpy(a->best_u, a->u, (size_t)a->n * sizeof *a->u);
    memcpy(a->best_y, a->y, (size_t)(a->p->m * a->p->K) * sizeof *a->y);
    spd_interior_set_settle(a);
}

bool spd_interior_solve(spd_interior *a, double start, double enough) {
    double decrement = INFINITY, step = 0, best = INFINITY;
    int short_ones = 0, idle = 0;
    begin(a, start);
    for (a->steps = 0; a->steps < STEPS_MOST && short_ones < SHORT_MOST && best > enough; a->steps++) {
        if (spd_stop_now(a->stop) || !advance(a, &step, &decrement)) break;
        short_ones = step < SHORT ? short_ones + 1 : 0;
        const double left = products(a, 0, NULL) + fmax(1 - step, LEAST) * decrement;
        idle = left < GAIN * best ? 0 : idle + 1;
        if (best <= NEAR * start && (left > WORSE * best || idle > IDLE_MOST)) break; /* rounding has taken over */
        if (left < best) {
            best = left;
            keep(a);
        }
    }
    return best <= NEAR * start;
}

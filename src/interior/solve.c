/* solve.c - the interior-point iteration (interior.h), started from a centre for mu (Mehrotra: On the implementation of a
 * primal-dual interior point method, 1992). In every iteration a trial step to mu = 0 shows which part of the products it would
 * leave. The actual step aims at
 *     mu (part left)^3
 * and corrects for the second-order term of the trial step. */
#include "interior/interior.h"

enum { SMALL = 300, STEPS_MOST = 100, SHORT_MOST = 5, IDLE_MOST = 2 };
static const double BACK = 0.995, SHORT = 1e-3, NEAR = 1e-8, WORSE = 100, GAIN = 0.5, LEAST = 1e-20, SAFE = 0.3;
static const double RESIDUAL = 1e-8; /* of a system; the next step's right side contains it again */

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

/* A squared loss has no sides: its model is the loss itself and is built once. */
static bool has_pieces(const spdhg_problem *p) {
    const spdhg_loss *loss = p->loss;
    return loss->quadratic &&
           (isfinite(loss->slope(-INFINITY, 1, p->loss_arg)) || isfinite(loss->slope(INFINITY, 1, p->loss_arg)));
}

static void take(spd_arena *arena, double **const array[], size_t arrays, int64_t count) {
    for (size_t i = 0; i < arrays; i++) *array[i] = spd_arena_take(arena, count);
}
#define TAKE(arena, count, ...)                                                                                                  \
    take((arena), (double **const[]){__VA_ARGS__}, sizeof((double **[]){__VA_ARGS__}) / sizeof(double **), (count))

static int64_t most_of(int64_t a, int64_t b) { return a > b ? a : b; }

void spd_interior_layout(spd_interior *a, const spdhg_problem *p, int threads, const spd_interior_stack *stack, spd_arena *state,
                         spd_arena *work) {
    const int64_t n = spd_problem_normal_size(p), nK = p->n * p->K, mK = p->m * p->K;
    *a = (spd_interior){.p = p,
                        .threads = threads,
                        .n = n,
                        .pieces = has_pieces(p),
                        .corners = spd_problem_has_corners(p),
                        .stack = stack,
                        .residual = RESIDUAL};
    a->curved = stack && !p->loss->quadratic;
    a->algebra = stack ? &spd_interior_sparse : &spd_interior_dense;
    TAKE(state, spd_pairs_all(a), &a->s, &a->g);
    TAKE(work, spd_pairs_all(a), &a->k, &a->dg);
    TAKE(state, n + p->K, &a->u, &a->best_u);
    TAKE(work, n + p->K, &a->du, &a->q, &a->rhs, &a->column, &a->fix, &a->bend, &a->pull);
    a->touched = spd_arena_int32(work, stack ? 0 : n + p->K);
    TAKE(work, stack ? 0 : n * n, &a->P, &a->M, &a->L);
    if (!stack && a->pieces && spd_interior_fine_fits(p)) {
        a->doubled = (spd_twofold *)(void *)spd_arena_take(work, 2 * n * n);
        a->doubled_x = (spd_twofold *)(void *)spd_arena_take(work, 2 * n);
    }
    TAKE(state, a->pieces || stack ? nK : 0, &a->alpha, &a->short_of, &a->curve);
    TAKE(work, a->pieces || stack ? nK : 0, &a->next);
    TAKE(state, a->pieces ? nK : 0, &a->best_alpha);
    TAKE(work, a->corners ? nK : 0, &a->pulled);
    TAKE(state, mK, &a->y, &a->z, &a->best_y, &a->t);
    TAKE(work, mK, &a->dz, &a->weight, &a->next_y, &a->normal, &a->dt, &a->goal0, &a->goal, &a->work);
    if (stack)
        spd_sparse_layout(&a->system, &stack->pattern, work);
    else
        spd_tied_layout(p, work, &a->whole, n);
    const int64_t sums = spd_problem_blocks(p) * (1 + p->K), matrix = stack ? 0 : spd_problem_normal_work(p, threads);
    a->scratch = spd_arena_take(work, most_of(most_of(spd_problem_gradient_work(p), matrix), most_of(nK, sums)));
}

/* -( P u + q + A'alpha/W + F'y ) with the alpha and y at du = 0. */
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

/* The direction for the targets k. With a sum constraint,
 *     M du + (eta + change) 1 = rhs
 *     1'du = required sum - present sum
 * The right side then tends to 0, so that its residual is not lost in rounding. Returns the decrement. */
static double direct(spd_interior *a) {
    const int64_t d = a->p->dK;
    const double total = spd_interior_set_sum(a);
    right_side(a);
    for (int64_t j = 0; j < d && isfinite(total); j++) a->rhs[j] -= a->eta;
    a->algebra->solve(a, a->rhs, a->du);
    if (isfinite(total)) {
        double *ones = a->rhs, *reply = a->column;
        for (int64_t i = 0; i < a->n; i++) ones[i] = i < d;
        a->algebra->solve(a, ones, reply);
        const double eta = (spd_sum(d, a->du) - (total - spd_sum(d, a->u))) / spd_sum(d, reply);
        spd_axpy(a->n, -eta, reply, a->du);
        a->eta += eta;
        if (a->fine) { /* F du is computed from the last solution */
            right_side(a);
            for (int64_t j = 0; j < d; j++) a->rhs[j] -= a->eta;
            a->algebra->solve(a, a->rhs, a->du);
        }
    }
    spd_interior_rows_follow(a);
    spd_interior_terms_follow(a);
    spd_interior_set_follow(a);
    if (!isfinite(total)) return spd_dot(a->n, a->du, a->rhs); /* M du = rhs */
    a->algebra->apply(a, a->du, a->fix);
    return spd_dot(a->n, a->du, a->fix);
}

static void evaluate(spd_interior *a) {
    spd_interior_rows_score(a);
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

bool spd_interior_advance(spd_interior *a, double *decrement) {
    double count, *step = &a->step;
    const double now = a->before = products(a, 0, &count);
    aim(a, 0, false);
    if (!a->algebra->factor(a)) return false;
    *decrement = direct(a);
    const double most = spd_cones_longest(a, spd_pairs_longest(a, 1)),
                 left = now > 0 ? fmax(products(a, most, NULL) / now, 0) : 0;
    /* If the curvature changes, a step reduces the gradient less than the products; the target of the products then waits. So it
     * does where short steps along corners leave the gradient behind, until that is rounding. */
    const bool waits = a->curved || (a->corners && now > NEAR * a->start);
    const double short_of = waits ? fmax(*decrement - now, 0) : 0;
    a->mu = count > 0 ? fmax(left * left * left * now, short_of) / count : 0;
    aim(a, a->mu, true);
    direct(a);
    *step = longest(a);
    if (products(a, *step, NULL) > now && *decrement < now) { /* too large a correction: products decrease without it */
        aim(a, SAFE * (now / count), false);
        direct(a);
        *step = longest(a);
    }
    if (!spd_all_finite(a->n, a->du) || !(*step > 0)) return false;
    *step = spd_interior_set_trust(a, spd_interior_rows_trust(a, *step));
    spd_axpy(a->n, *step, a->du, a->u);
    spd_interior_rows_move(a, *step);
    spd_interior_terms_move(a, *step);
    spd_pairs_move(a, *step);
    spd_interior_rows_score(a);
    spd_axpy(a->p->m * a->p->K, *step, a->dz, a->z); /* computed anew, F u would have rounding errors of u, not of du */
    a->sum = products(a, 0, NULL);
    return true;
}

void spd_interior_stand(spd_interior *a) {
    const int64_t mK = a->p->m * a->p->K;
    double *const changes[] = {a->dz, a->next_y, a->dt}, *const pairs[] = {a->k, a->dg};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) memset(changes[i], 0, (size_t)mK * sizeof(double));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) memset(pairs[i], 0, (size_t)spd_pairs_all(a) * sizeof(double));
}

/* The best pairs for u and mu. */
static void centre(spd_interior *a) {
    spd_interior_stand(a);
    spd_interior_set_enter(a);
    evaluate(a);
    spd_interior_rows_centre(a);
    spd_interior_terms_centre(a);
}

/* The products shall add up to `start`. Their number is known only after a first centring. */
void spd_interior_begin(spd_interior *a, double start) {
    double count;
    a->fine = false;
    a->eta = 0;
    a->mu = a->start = start;
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
    spd_interior_rows_keep(a, a->alpha);
    spd_interior_set_settle(a);
}

double spd_interior_left(const spd_interior *a, double decrement) { return a->sum + fmax(1 - a->step, LEAST) * decrement; }

bool spd_interior_solve(spd_interior *a, double start, double enough) {
    double decrement = INFINITY, best = INFINITY;
    int short_ones = 0, idle = 0;
    spd_interior_begin(a, start);
    for (a->steps = 0; a->steps < STEPS_MOST && short_ones < SHORT_MOST && best > enough; a->steps++) {
        if (spd_stop_now(a->stop) || !spd_interior_advance(a, &decrement)) break;
        short_ones = a->step < SHORT ? short_ones + 1 : 0;
        const double left = spd_interior_left(a, decrement);
        idle = left < GAIN * best ? 0 : idle + 1;
        if (best <= NEAR * start && (left > WORSE * best || idle > IDLE_MOST)) break; /* only rounding is left */
        if (left < best) {
            best = left;
            keep(a);
        }
    }
    return best <= NEAR * start;
}

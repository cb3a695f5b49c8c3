/* ipm.c - a primal-dual interior-point method on the problem itself (interior.h), one iteration a step, with a sparse factor.
 *
 *   M du = -(grad l(x) + gamma x + F'y at du = 0)
 *   M = A'CA/W + gamma I + F'DF + the matrix of X (stack.c)
 *   predictor: towards mu = 0
 *   corrector: towards mu (fraction of the products that the predictor leaves)^3, with the second-order term
 *   step:      0.995 of the way to the nearest side; for a loss that is neither quadratic nor piecewise no further than its model
 *              holds
 *
 * Meant for many coefficients that each interact with few others: signals, trends, images, graphs. The gradient of a piecewise
 * loss (huber, the hinges) is represented by pairs like those of the penalty. Near the end, with l1 and X = R^d, the zeros of
 * Fx are identified and the minimiser is computed on its face: crossover.c. */
#include "newton/newton.h"

enum { STEPS_MOST = 200, IDLE_MOST = 10, PASSES = 5, LOOKS = 20 };      /* LOOKS: steps between proofs that cannot succeed yet */
static const double GAIN = 0.999, LEAST = 1e-22, LEAST_CORNERS = 1e-15; /* below LEAST only rounding is left */
static const double AHEAD = 10; /* sum of the products at the start of a loss with corners, relative to f */
/* Bounds on what is left, relative to f. NEAR: steps go on to the end. NEARER: the face may be tried. WORTH: a proof may pay. */
static const double NEAR = 1e-5, NEARER = 1e-6, WORTH = 1e-3;

typedef struct ipm {
    spd_interior inner;
    double *eta, *loss, *fine, *best, *idle, *first; /* state: three of inner; left at best_u; steps since then; f at the start */
    double *cold;                                    /* state: 1 if the start was not the given x, which had led nowhere */
    double *work;                                    /* scratch of the terms */
} ipm;

static const char *refuses(const spdhg_problem *p) {
    if (!p->loss->value && !p->loss->chance_k) return "of losses that couple their outputs it takes softmax only";
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_penalty *r = p->term[t].penalty;
        if (!r->sum_of_sizes && !r->length && !r->largest_size) return "it supports the penalties l1, group and linf only";
    }
    if (p->set.kind->length || p->set.kind->sum_of_sizes) return "of the sets X it takes all, box, nonneg and simplex";
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    return low < high ? NULL : "the set X has no interior";
}

/* Many rows with enough entries to fill the matrix: a dense factor. Losses without corners have other solvers for that. Also
 * where a factor with twice the digits takes no time: at a corner the weights of rows and sides tend to 0 or infinity. */
static bool is_dense(const spdhg_problem *p) {
    if (spd_problem_has_corners(p) && spd_interior_fine_is_free(p)) return true;
    const double n = (double)spd_problem_normal_size(p), each = (double)p->nnz / (double)p->n;
    return spd_problem_has_corners(p) && n <= SPD_DENSE_MOST && (double)p->n >= n && (double)p->n * each * each >= n * n;
}

static spdhg_status prepare(spd_run *run, spdhg_error *err) {
    spd_interior_stack *stack;
    if (is_dense(run->problem)) return SPDHG_OK;
    SPD_TRY(spd_interior_stack_new(&stack, run->problem, run->stop, err));
    run->prepared = stack;
    run->prepared_bytes = spd_interior_stack_bytes(stack);
    return SPDHG_OK;
}

static void release(void *prepared) { spd_interior_stack_free(prepared); }

static void layout(spd_run *run) {
    ipm *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_interior_layout(&self->inner, p, run->threads, run->prepared, &run->state, &run->work);
    self->inner.rows = true;
    double **const numbers[] = {&self->eta, &self->loss, &self->fine, &self->best, &self->idle, &self->first, &self->cold};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = spd_arena_take(&run->state, 1);
    self->work = spd_arena_take(&run->work, spd_problem_term_work(p));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    ipm *self = run->self;
    spd_interior *a = &self->inner;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, a->best_u, a->best_u + p->dK, a->best_y, self->work);
    if (a->stack) {
        const spd_sparse_pattern *q = &a->stack->pattern;
        spd_run_log(run, "ipm: %lld unknowns, %lld rows beside; the factor has %.3g entries and takes %.3g multiplications",
                    (long long)q->n, (long long)(q->nodes - q->n), (double)q->fill + (double)q->nodes, q->work);
    } else
        spd_run_log(run, "ipm: %lld unknowns, a dense factor", (long long)a->n);
}

static double products_at_first(const ipm *self) { return (self->inner.corners ? AHEAD : 1) * *self->first; }

/* Starts at the given x, which saves steps if it is the solution for another lambda; or at the point of X nearest to 0 if that is
 * too far from the central path to get anywhere, as solutions at corners always are. There, products that add up to more than f
 * put alpha near the middle of its interval, from where longer steps are possible. */
static void begin(ipm *self, bool cold) {
    spd_interior *a = &self->inner;
    a->fine = false;
    *self->cold = cold;
    memcpy(a->u, a->best_u, (size_t)a->n * sizeof *a->u);
    *self->first = spd_interior_place(a, cold, self->work);
    spd_interior_begin(a, products_at_first(self));
    *self->best = INFINITY;
    *self->idle = 0;
}

/* One iteration; keeps the best iterate. False: the system could not be solved, or no gain is left. fall: of the products. */
static bool iterate(ipm *self, double *left, double *fall) {
    spd_interior *a = &self->inner;
    double decrement;
    *left = INFINITY;
    if (!spd_interior_advance(a, &decrement)) return false;
    *fall = a->sum / a->before;
    *left = spd_interior_left(a, decrement);
    *self->idle = *left < GAIN * *self->best ? 0 : *self->idle + 1;
    if (*left < *self->best) {
        *self->best = *left;
        memcpy(a->best_u, a->u, (size_t)a->n * sizeof *a->u);
        memcpy(a->best_y, a->y, (size_t)(a->p->m * a->p->K) * sizeof *a->y);
        spd_interior_rows_keep(a, a->alpha);
        spd_interior_set_settle(a);
        if (!spd_interior_is_free(a))
            spd_set_round(&a->p->set, a->p->dK, a->best_u, a->fix); /* the sum of a simplex is rounded */
    }
    const double now = a->corners ? a->sum : *self->best;
    double least = (a->corners ? LEAST_CORNERS : LEAST) * self->first[0];
    if (a->corners && now <= least) least = fmin(least, LEAST_CORNERS * fabs(spd_interior_value(a, self->work)));
    return self->idle[0] < IDLE_MOST && now > least;
}

/* Near the end the zeros of Fx can be identified: iterates until the minimiser is found, however many iterations that takes. The
 * last iterate of all is tried too, going false: where f at the start is 1e9 times the minimum, it
 * may be the only one near it. */
static bool finish(spd_run *run, ipm *self, bool going, double f, double left, double fall) {
    spd_interior *a = &self->inner;
    while (!spd_stop_now(run->stop)) {
        if (left <= NEARER * f && spd_interior_cross(a, fall)) {
            run->settled = spd_loss_is_square(run->problem->loss);
            return true;
        }
        if (!going) return false;
        run->rows_visited += PASSES * run->problem->n;
        going = iterate(self, &left, &fall);
    }
    return false;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    ipm *self = run->self;
    spd_interior *a = &self->inner;
    double left = INFINITY, fall = 1;
    a->stop = run->stop;
    spd_interior_newton_scales(a);
    if (k == 0)
        begin(self, a->corners);
    else {
        spd_interior_stand(a);
        a->eta = *self->eta;
        a->loss = *self->loss;
        a->start = products_at_first(self);
        a->fine = *self->fine != 0;
    }
    run->rows_visited += PASSES * run->problem->n;
    bool going = iterate(self, &left, &fall);
    const double f = spd_interior_value(&self->inner, self->work);
    const bool descended = f <= (1 + NEAR) * *self->first; /* else the start was the minimiser */
    if (left <= NEAR * f && descended && spd_interior_can_cross(a)) going = finish(run, self, going, f, left, fall);
    *self->eta = a->eta;
    *self->loss = a->loss;
    *self->fine = a->fine;
    run->own_alpha = a->pieces ? a->best_alpha : NULL;
    const double worth = run->goal > 0 ? fmin(WORTH, 10 * run->goal) : WORTH; /* the proof's gap is about what is left */
    run->far = left > worth * f && (k + 1) % LOOKS != 0;
    if (spd_stop_now(run->stop)) return SPD_CONTINUE;
    if (going && k + 1 < STEPS_MOST) return SPD_CONTINUE;
    if (*self->best > NEAR * f && *self->cold == 0 && k + 1 < STEPS_MOST) {
        begin(self, true);
        return SPD_CONTINUE;
    }
    return *self->best <= NEAR * f ? SPD_STALLED : SPD_GIVES_UP;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const spd_interior *a = &((const ipm *)run->self)->inner;
    spd_run_give(run, a->best_u, a->best_u + run->problem->dK, a->best_y, x, c, y);
}

const spd_solver_kind spd_solver_ipm = {
    .name = "ipm",
    .what = "primal-dual interior-point method, sparse factor; exact, for signals, trends, images and graphs of any size",
    .reference = "Mehrotra 1992; Kim, Koh, Boyd and Gorinevsky: l1 trend filtering, SIAM Review 2009",
    .corners = true,
    .holds_rows = true,
    .refuses = refuses,
    SPD_PREPARED_KIND(ipm)};

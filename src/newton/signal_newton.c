/* signal_newton.c - Newton's method for signals: each row of A has one entry, F joins columns to a graph, X is separable.
 *
 *   model: f is separable except for F and the intercept c. At (x, c), for column j and for c:
 *              q_j = sum_i (w_i/W) phi''_i a_ij^2 + gamma + damping
 *              B_j = sum_i (w_i/W) phi''_i a_ij
 *              C   = sum_i (w_i/W) phi''_i
 *          the way (dynamic programming on lines and trees, cuts on other graphs) computes
 *              u(dc) = argmin over X of sum_j [ (g_j + dc B_j)(u_j - x_j) + q_j (u_j - x_j)^2/2 ] + lambda r(F u)
 *          dc is the zero of the increasing function
 *              s(dc) = g_c + C dc + sum_j B_j (u_j(dc) - x_j)
 *          found by Newton's method between bounds, with
 *              s' = C - sum over groups of (sum B)^2 / sum q
 *          where a group is a set of columns that move together
 *   step:  (x, c) += s (u - x, dc), s = 1, 1/2, ... until f falls by 1e-4 s Delta
 *
 * With the squared loss the model is exact and one step suffices. y is the dual point of the model. Where the intercept adds
 * nothing (A = I, F of differences) s is 0. */
#include "newton/signal_newton.h"

enum { HALVINGS_MOST = 40, SHIFTS_MOST = 60, STEPS_MOST = 100 };
static const double DAMP_LEAST = 1e-10, DAMP_FIRST = 1e-3; /* relative to the largest curvature a column can have */
static const double BALANCED = 1e-13;                      /* relative to the sizes of the summands of s */

const char *spd_signal_newton_refuses(const spdhg_problem *p) {
    if (!p->loss->value || !p->loss->second) return "it works for losses that are separate for each output and have a curvature";
    if (!p->set.kind->separable) return "it works for the sets all, box and nonneg";
    return spd_problem_is_signal(p) ? NULL : "it works for signals: data with one entry in each row";
}

void spd_signal_newton_layout(spd_run *run, spd_signal_newton *self, const spd_signal_way *way) {
    const spdhg_problem *p = run->problem;
    const int64_t all = p->dK + p->K;
    self->way = way;
    self->column = NULL;
    self->flip = NULL;
    spd_newton_layout(run, &self->base);
    self->damp = spd_arena_take(&run->state, 1);
    double **const node[] = {&self->q, &self->m, &self->g, &self->u, &self->sum_B, &self->sum_q};
    for (size_t i = 0; i < sizeof node / sizeof *node; i++) *node[i] = spd_arena_take(&run->work, p->d);
    self->curve = spd_arena_take(&run->work, all);
    self->B = spd_arena_take(&run->work, all);
    self->dx = spd_arena_take(&run->work, all);
    self->Fu = spd_arena_take(&run->work, p->m * p->K);
    self->bound = spd_arena_take(&run->work, p->d + 1);
    self->group = spd_arena_int32(&run->work, p->d);
}

void spd_signal_newton_start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_signal_newton *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_start(run, &self->base, x0, c0, y0);
    p->set.kind->project(p->dK, p->set.arg, self->base.x, self->base.scratch_n);
    if (isfinite(p->kappa)) spd_problem_curvature_columns(p, run->threads, self->bound, self->base.scratch);
    *self->damp = 0;
}

static inline int64_t column_of(const spd_signal_newton *self, int64_t node) { return self->column ? self->column[node] : node; }

static inline double flip_of(const spd_signal_newton *self, int64_t node) { return self->flip ? self->flip[node] : 1; }

static spd_unary model_of(const spd_signal_newton *self) { return (spd_unary){self->q, self->m, self->g}; }

static double damping(const spd_signal_newton *self, const spdhg_problem *p) {
    return spd_loss_is_square(p->loss) ? 0 : fmax(*self->damp, DAMP_LEAST);
}

/* q, m, g of output k for a change dc of its intercept. Where there is curvature, m is the minimiser of the column's own part. */
static void fill_nodes(spd_signal_newton *self, const spdhg_problem *p, int64_t k, double dc) {
    const spd_newton *b = &self->base;
    const double damp = damping(self, p);
    for (int64_t i = 0; i < p->d; i++) {
        const int64_t j = column_of(self, i), q = j * p->K + k;
        const double slope = b->g[q] + (dc == 0 ? 0 : dc * self->B[q]);
        self->q[i] = self->curve[q] + p->gamma + damp * (isfinite(p->kappa) ? self->bound[j] : self->curve[q]);
        const double least = b->x[q] - slope / self->q[i];
        const bool curved = self->q[i] > 0 && isfinite(least);
        self->m[i] = flip_of(self, i) * (curved ? least : b->x[q]);
        self->g[i] = curved ? 0 : flip_of(self, i) * slope;
    }
}

/* Computes u for dc and returns s(dc). size: sum of the sizes of the summands of s. */
static double balance(spd_signal_newton *self, const spdhg_problem *p, int64_t k, double dc, double *size, spd_stop *stop) {
    const spd_newton *b = &self->base;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    fill_nodes(self, p, k, dc);
    const spd_unary model = model_of(self);
    self->way->minimise(self, &model, low, high, self->u, stop);
    if (!p->intercept) return 0;
    double s = b->g[p->dK + k] + self->B[p->dK + k] * dc;
    *size = fabs(b->g[p->dK + k]) + fabs(self->B[p->dK + k] * dc);
    for (int64_t i = 0; i < p->d; i++) {
        const int64_t q = column_of(self, i) * p->K + k;
        const double part = self->B[q] * (flip_of(self, i) * self->u[i] - b->x[q]);
        s += part;
        *size += fabs(part);
    }
    return s;
}

/* s'(dc) at u. */
static double rise(spd_signal_newton *self, const spdhg_problem *p, int64_t k) {
    double low, high, sum = self->B[p->dK + k];
    spd_set_sides(&p->set, &low, &high);
    self->way->groups(self, low, high, self->u, self->group);
    memset(self->sum_B, 0, (size_t)p->d * sizeof *self->sum_B);
    memset(self->sum_q, 0, (size_t)p->d * sizeof *self->sum_q);
    for (int64_t i = 0; i < p->d; i++) {
        if (self->group[i] < 0) continue;
        self->sum_B[self->group[i]] += flip_of(self, i) * self->B[column_of(self, i) * p->K + k];
        self->sum_q[self->group[i]] += self->q[i];
    }
    for (int64_t i = 0; i < p->d; i++)
        if (self->sum_q[i] > 0) sum -= self->sum_B[i] * self->sum_B[i] / self->sum_q[i];
    return sum;
}

/* The model's best (u, dc) for output k. Where s does not rise, every column moves against c and s is 0 in exact arithmetic: any
 * other value is rounding. */
static double minimise_model(spd_signal_newton *self, const spdhg_problem *p, int64_t k, spd_stop *stop) {
    double dc = 0, below = -INFINITY, above = INFINITY, size = 0, s = balance(self, p, k, dc, &size, stop);
    for (int round = 0; round < SHIFTS_MOST && fabs(s) > BALANCED * size && !spd_stop_now(stop); round++) {
        const double slope = rise(self, p, k), newton = dc - s / slope;
        if (!(slope > BALANCED * self->B[p->dK + k])) break;
        if (s < 0)
            below = dc;
        else
            above = dc;
        const double next = newton > below && newton < above ? newton : 0.5 * (below + above);
        if (next == dc || !isfinite(next)) break;
        dc = next;
        s = balance(self, p, k, dc, &size, stop);
    }
    return dc;
}

static void solve_model(spd_run *run, spd_signal_newton *self) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    spd_problem_curvature_diagonal(p, run->threads, b->curve, self->curve, b->scratch);
    if (p->intercept) spd_problem_adjoint(p, run->threads, b->curve, self->B, self->B + p->dK, b->scratch);
    for (int64_t k = 0; k < p->K && p->intercept; k++)
        self->B[p->dK + k] += damping(self, p) * (isfinite(p->kappa) ? self->bound[p->d] : self->B[p->dK + k]);
    for (int64_t k = 0; k < p->K; k++) {
        if (self->way->begin) self->way->begin(self, p, k, b->y);
        const double dc = minimise_model(self, p, k, run->stop);
        for (int64_t i = 0; i < p->d; i++) {
            const int64_t q = column_of(self, i) * p->K + k;
            b->scratch_n[q] = flip_of(self, i) * self->u[i];
            self->dx[q] = b->scratch_n[q] - b->x[q];
        }
        self->dx[p->dK + k] = p->intercept ? dc : 0;
        const spd_unary model = model_of(self);
        if (!spd_stop_now(run->stop)) self->way->dual(self, p, k, &model, low, high, self->u, b->y);
    }
    spd_problem_project_dual(p, b->y, b->term);
}

/* Moves (x, c) along dx. whole: the full step was made. False: no step was made. */
static bool go(spd_run *run, spd_signal_newton *self, double delta, bool *whole) {
    const spdhg_problem *p = run->problem;
    spd_newton *b = &self->base;
    const int64_t n = p->dK + (p->intercept ? p->K : 0);
    bool moved = spd_norm2(n, self->dx) > 1e-16 * spd_norm2(n, b->x);
    *whole = spd_loss_is_square(p->loss);
    if (*whole)
        spd_axpy(n - p->dK, 1, self->dx + p->dK, b->x + p->dK);
    else {
        int64_t most = 0;
        for (int64_t q = 1; q < p->dK; q++)
            if (fabs(self->dx[q]) > fabs(self->dx[most])) most = q;
        const double before = b->x[most];
        moved = spd_newton_line_search(run, b, self->dx, self->Fu, delta, HALVINGS_MOST);
        *whole = b->x[most] == before + self->dx[most];
    }
    if (*whole) memcpy(b->x, b->scratch_n, (size_t)p->dK * sizeof *b->x); /* keeps ties and zeros exact to the last bit */
    return moved;
}

spd_step spd_signal_newton_step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    spd_signal_newton *self = run->self;
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    bool whole;
    spd_newton_gradient(run, b, true);
    solve_model(run, self);
    if (spd_stop_now(run->stop)) return SPD_CONTINUE; /* an unsolved model says nothing about convergence */
    spd_problem_apply(p, b->scratch_n, self->Fu);
    const double delta =
        spd_dot(p->dK + (p->intercept ? p->K : 0), b->g, self->dx) + spd_problem_penalty(p, self->Fu, b->term) - *b->penalty;
    const bool moved = go(run, self, delta, &whole);
    run->settled = spd_loss_is_square(p->loss);
    *self->damp = whole ? 0.25 * *self->damp : fmin(fmax(4 * *self->damp, DAMP_FIRST), 1);
    if ((!moved || spd_loss_is_square(p->loss)) && -delta <= 1e-15 * fabs(*b->value)) return SPD_STALLED;
    if (run->rescue != SPD_ALONE && k + 1 >= STEPS_MOST) return SPD_GIVES_UP; /* kinks: Newton's models promise too much */
    return moved || *self->damp < 1 ? SPD_CONTINUE : SPD_GIVES_UP;
}

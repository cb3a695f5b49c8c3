/* working_set.c - which zeros of F x may open. With y fixed on the nonzero entries, the others are priced by
 *     min over y_closed in lambda Y of ||g + F'y||^2 / 2
 * solved by warm-started accelerated projected gradient steps, which use F only and need no pass over the data. The entries whose
 * step leaves the ball by most are opened first. With F = identity the test is |g_j| > lambda, and one step is exact. */
#include "face/working_set.h"
#include "face/zeros.h"

enum { FREE_MOST = 2000, STEPS_MOST = 60, TRIALS = 24, GROWTH_LEAST = 200 };
static const double MARGINS[] = {1e-2, 1e-4, SPD_STRICTLY}; /* of lambda, several since a stochastic method's y is inaccurate */

int64_t spd_working_set_work(const spdhg_problem *p) { return 4 * p->m * p->K + p->dK + p->K; }

typedef struct pricing {
    const spdhg_problem *p;
    const spd_iterate *b;
    double *open, *nonzero, *u, *previous, *v; /* u: the step before its projection, m x K */
    const spd_tree_flow *flow;
} pricing;

/* u = y - step F(g + F'y) at the point in a->u. */
static void gradient_step(pricing *a, double step) {
    const spdhg_problem *p = a->p;
    memcpy(a->v, a->b->g, (size_t)p->dK * sizeof *a->v);
    spd_problem_add_transposed(p, a->u, a->v);
    spd_problem_apply(p, a->v, a->b->Ftrial);
    spd_axpy(p->m * p->K, -step, a->b->Ftrial, a->u);
}

/* y += dy on closed rows, with dy minimising ||r - F'dy||, by conjugate gradients. */
static void balance_by_gradients(pricing *a, double *r) {
    const spdhg_problem *p = a->p;
    const int64_t mK = p->m * p->K;
    double *y = a->b->y, *q = a->b->scratch_n, *s = a->u, *dir = a->previous, first = 0, ss = 0;
    for (int it = 0; it < FREE_MOST && !spd_stop_now(a->b->stop); it++) {
        spd_problem_apply(p, r, s);
        for (int64_t i = 0; i < mK; i++)
            if (a->nonzero[i] != 0) s[i] = 0;
        const double next = spd_dot(mK, s, s), ratio = it > 0 ? next / ss : 0;
        if (it == 0) first = next;
        if (!(next > 1e-24 * first)) return;
        ss = next;
        for (int64_t i = 0; i < mK; i++) dir[i] = s[i] + (it > 0 ? ratio * dir[i] : 0);
        memset(q, 0, (size_t)p->dK * sizeof *q);
        spd_problem_add_transposed(p, dir, q);
        const double step = ss / spd_dot(p->dK, q, q);
        spd_axpy(mK, step, dir, y);
        spd_axpy(p->dK, -step, q, r);
    }
}

/* The least squares problem in y_closed, without the balls. On trees (chains) the solution is unique and found directly; cycles
 * and rows without exactly two entries are left to conjugate gradients. B: the ties of the closed rows; NULL: too many
 * unknowns. */
static void balance_freely(pricing *a, const spd_tied *B) {
    const spdhg_problem *p = a->p;
    double *r = a->v;
    memcpy(r, a->b->g, (size_t)p->dK * sizeof *r);
    spd_problem_add_transposed(p, a->b->y, r);
    spd_scale(p->dK, -1, r);
    if (!B || spd_tree_flow_balance(a->flow, p, B, a->nonzero, r, a->b->y) > 0) balance_by_gradients(a, r);
}

/* A term with F = identity can balance any residual: a few projected steps then suffice. */
static bool has_identity(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (spd_csr_is_identity(&p->term[t].F->F)) return true;
    return false;
}

static void price(pricing *a, const spd_tied *B) {
    const spdhg_problem *p = a->p;
    const int64_t mK = p->m * p->K;
    spd_accelerated ahead = {.y = a->b->y, .u = a->u, .previous = a->previous};
    const double norm = spd_problem_structure_norm(p), step = norm > 0 ? 1 / (norm * norm) : 0;
    const int steps = p->terms == 1 && spd_csr_is_identity(&p->term[0].F->F) ? 1 : STEPS_MOST;
    if (!has_identity(p)) balance_freely(a, B);
    spd_problem_project_dual(p, a->b->y, a->b->term);
    spd_accelerated_start(&ahead, p);
    for (int it = 0; it < steps; it++) {
        gradient_step(a, step);
        spd_accelerated_project(&ahead, p, a->b->term);
        for (int64_t i = 0; i < mK; i++)
            if (a->nonzero[i] != 0) a->b->y[i] = a->previous[i];
        if (it == steps - 1 || spd_stop_now(a->b->stop)) return;
        spd_accelerated_extrapolate(&ahead, p);
    }
}

/* open = the nonzero entries, and those whose u is outside its ball by more than `beyond` lambda. */
static bool try_opening(pricing *a, spd_tied *r, double beyond, int64_t most) {
    const spdhg_problem *p = a->p;
    memcpy(a->open, a->nonzero, (size_t)(p->m * p->K) * sizeof *a->open);
    spd_zeros_of_dual(p, a->u, -beyond, a->open, a->b->term);
    return spd_tied_make(r, p, a->open, most);
}

/* open = the entries that are not zero at x. */
static void mark_nonzero(const spdhg_problem *p, const spd_iterate *b, double *open) {
    const double rounding = 1e-15 * spd_problem_structure_norm(p) * spd_max_abs(p->dK, b->x);
    memset(open, 0, (size_t)(p->m * p->K) * sizeof *open);
    spd_zeros_of_primal(p, b->Fx, (spd_small){.absolute = rounding}, open,
                        b->term); /* tied entries are zero only up to rounding */
}

bool spd_working_set_enter(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, double *work) {
    double *open = work, *t = work + p->m * p->K;
    spd_problem_apply(p, b->x, b->Fx);
    mark_nonzero(p, b, open);
    if (spd_tied_make(r, p, open, most)) return false;
    for (size_t i = 0; i < sizeof MARGINS / sizeof *MARGINS; i++) {
        memset(open, 0, (size_t)(p->m * p->K) * sizeof *open);
        spd_zeros_of_dual(p, b->y, MARGINS[i], open, b->term);
        if (!spd_tied_make(r, p, open, most)) continue;
        spd_tied_nearest(r, p, b->x, t);
        spd_tied_expand(r, p, t, b->x);
        return true;
    }
    return false;
}

bool spd_working_set(const spdhg_problem *p, const spd_iterate *b, spd_tied *r, int64_t most, const spd_tree_flow *flow,
                     double *work, bool *full) {
    const int64_t mK = p->m * p->K;
    pricing a = {.p = p,
                 .b = b,
                 .open = work,
                 .nonzero = work + mK,
                 .u = work + 2 * mK,
                 .previous = work + 3 * mK,
                 .v = work + 4 * mK,
                 .flow = flow};
    mark_nonzero(p, b, a.nonzero);
    const bool fits = spd_tied_make(r, p, a.nonzero, most);
    *full = false;
    price(&a, fits ? r : NULL);
    if (!fits) return false;
    const bool nearly_full = p->gamma > 0 && 4 * r->size > 3 * most; /* without a ridge entries may become zero again */
    const int64_t limit = 2 * r->size + GROWTH_LEAST < most ? 2 * r->size + GROWTH_LEAST : most;
    double high = 1e6, beyond = 0;
    if (try_opening(&a, r, 1e-9, limit)) return true;
    *full = limit == most;
    if (nearly_full) return false; /* the solution will not fit: further steps would cost much and gain little */
    double low = 1e-9;
    for (int i = 0; i < TRIALS && high > 1.05 * low && !spd_stop_now(b->stop);
         i++) { /* bisection for the smallest violation that still fits, to five per cent */
        beyond = sqrt(low * high);
        if (try_opening(&a, r, beyond, limit))
            high = beyond;
        else
            low = beyond;
    }
    return try_opening(&a, r, high, most);
}

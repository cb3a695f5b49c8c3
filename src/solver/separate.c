/* separate.c - data that a plane separates. Without ridge, along (u, e) with F u = 0 and b_i (a_i'u + e) > 0 in every row the
 * logistic loss falls for ever and nothing rises: f has no minimiser and its infimum is 0. Where the iterate of an exact solver
 * has every row on its right side, the point nearest to it with F u = 0 (to rounding) is tried as u; if it separates the rows,
 * the answer is so far along it that the loss is 1e-20, instead of Newton's walk there by about 1 a step. */
#include "solver/loop.h"

static const double MARGIN = 50;      /* exp(-50) is the loss of the row with the least */
static const double ROUNDING = 1e-9;  /* of the largest score: a margin below is none */
static const double RESIDUAL = 1e-14; /* of F x: where the projection may stop */
static const double NOTHING = 1e-9;   /* of ||F|| u: what F u = 0 may be for rounding */
static const double ZERO = 1e-13;     /* of f(0): more than this f is not, what rounding leaves of F u included */
enum { STEPS_MOST = 100 };            /* of the projection */

typedef struct plane {
    const spdhg_problem *p;
    spd_stop *stop;
    double *u, *wide;     /* d: the direction; scratch */
    double *z;            /* n: its scores */
    double *y, *w, *work; /* m, m, 4 m: 0, the dual of the answer; the projection's */
    double *c, e;         /* intercept of the answer, and of the direction */
} plane;

/* The loss of every row is below log 2. */
static bool all_right(const spdhg_solver *s) {
    const spdhg_problem *p = s->problem;
    for (int64_t i = 0; i < p->n; i++)
        if ((!p->weight || p->weight[i] > 0) && !(fabs(s->evaluator.slope[i]) < 0.5)) return false;
    return true;
}

static bool worth_a_try(const spd_loop *l, spdhg_outcome outcome) {
    const spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    const bool open = outcome == SPDHG_OUTCOME_DONE || outcome == SPDHG_OUTCOME_STALLED || outcome == SPDHG_OUTCOME_LIMIT;
    return open && p->gamma == 0 && p->loss == &spd_loss_logistic && p->set.kind == &spd_set_all && l->run.kind->exact &&
           !s->compared && !l->thin && s->evaluator.certifier.identity < 0 && all_right(s); /* F = identity: u = 0 */
}

/* out = F x of the terms that count: without lambda F x may be anything. */
static void apply(const spdhg_problem *p, const double *x, double *out) {
    spd_problem_apply(p, x, out);
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda == 0) memset(out + p->term[t].first, 0, (size_t)p->term[t].m * sizeof *out);
}

/* F F' w, for the projection; context: the plane. */
static void square(const void *context, const double *w, double *out) {
    const plane *a = context;
    memset(a->wide, 0, (size_t)a->p->d * sizeof *a->wide);
    spd_problem_add_transposed(a->p, w, a->wide);
    apply(a->p, a->wide, out);
}

/* u = x - F'w, F F' w = F x: the point nearest to x with F u = 0. False if it is not, but for rounding. */
static bool to_null_space(plane *a, const double *x) {
    const spdhg_problem *p = a->p;
    const spd_cg cg = {.apply = square, .context = a, .tolerance = RESIDUAL, .most = STEPS_MOST, .stop = a->stop};
    apply(p, x, a->y);
    spd_cg_solve(&cg, p->m, a->y, a->w, a->work);
    memset(a->wide, 0, (size_t)p->d * sizeof *a->wide);
    spd_problem_add_transposed(p, a->w, a->wide);
    for (int64_t j = 0; j < p->d; j++) a->u[j] = x[j] - a->wide[j];
    apply(p, a->u, a->y);
    const double left = spd_max_abs(p->m, a->y);
    memset(a->y, 0, (size_t)p->m * sizeof *a->y);
    return left <= NOTHING * spd_problem_structure_norm(p) * spd_max_abs(p->d, a->u);
}

/* The scores of u; e in the middle where there is an intercept. Returns the least b_i (a_i'u + e), -INFINITY if a class is
 * missing. */
static double least_margin(plane *a, const spdhg_solver *s) {
    const spdhg_problem *p = s->problem;
    double low = INFINITY, high = -INFINITY; /* the least of the positive rows, the largest of the negative ones */
    spd_problem_scores(p, s->threads, a->u, a->z);
    for (int64_t i = 0; i < p->n; i++) {
        if (p->weight && !(p->weight[i] > 0)) continue;
        const double z = a->z[i] - (p->data->offset ? p->data->offset[p->row ? p->row[i] : i] : 0);
        if (p->b[i] > 0)
            low = fmin(low, z);
        else
            high = fmax(high, z);
    }
    if (isinf(low) || isinf(high)) return -INFINITY;
    a->e = p->intercept ? -0.5 * (low + high) : 0;
    const double least = fmin(low + a->e, -high - a->e);
    return least > ROUNDING * spd_max_abs(p->n, a->z) ? least : -INFINITY;
}

static double largest_offset(const spdhg_problem *p) {
    double most = 0;
    for (int64_t i = 0; i < p->n && p->data->offset; i++) most = fmax(most, fabs(p->data->offset[p->row ? p->row[i] : i]));
    return most;
}

/* Far along (u, e), evaluated, and kept if that is the proof: f there against 0. */
static spdhg_status go_far(spd_loop *l, plane *a, double least, spdhg_outcome *outcome, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    spdhg_point point = s->trace.point[s->trace.points - 1];
    const double length = (MARGIN + largest_offset(p)) / least;
    spd_scale(p->d, length, a->u);
    *a->c = length * a->e;
    s->evaluator.certifier.worth = INFINITY;
    spd_evaluate(&s->evaluator, a->u, a->c, a->y, &point);
    l->run.seen = (spd_seen){0}; /* it was of the iterate */
    if (!(point.objective <= fmin(s->solution.objective, ZERO * s->evaluator.certifier.start_value))) {
        memcpy(a->c, s->c, sizeof *a->c);
        spd_evaluate(&s->evaluator, s->x, a->c, s->y, &point); /* as it was */
        return SPDHG_OK;
    }
    *outcome = SPDHG_OUTCOME_CONVERGED;
    s->evaluator.certifier.unattained = true;
    spd_solver_keep(s, l->run.kind, a->u, a->c, a->y, &point);
    return spd_trace_add(&s->trace, &point, err);
}

spdhg_status spd_loop_separate(spd_loop *l, spdhg_outcome *outcome, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    if (!worth_a_try(l, *outcome)) return SPDHG_OK;
    plane a = {.p = p,
               .stop = &s->stop,
               .u = SPD_NEW(double, p->d),
               .wide = SPD_NEW(double, p->d),
               .z = SPD_NEW(double, p->n),
               .c = SPD_NEW(double, 1),
               .y = SPD_NEW(double, p->m),
               .w = SPD_NEW(double, p->m),
               .work = SPD_NEW(double, 4 * p->m)};
    spdhg_status status = a.u && a.wide && a.z && a.c && a.y && a.w && a.work
                              ? SPDHG_OK
                              : spd_fail_memory(err, 8.0 * (double)(2 * p->d + p->n + 6 * p->m));
    if (status == SPDHG_OK) {
        const double least = to_null_space(&a, s->x) ? least_margin(&a, s) : -INFINITY;
        if (least > 0) status = go_far(l, &a, least, outcome, err);
    }
    void *const block[] = {a.u, a.wide, a.z, a.c, a.y, a.w, a.work};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    return status;
}

/* separate.c - data that a plane separates. Without ridge, along (u, e) with F u = 0 and s_i (a_i'u + e) > 0 in every row, s_i the
 * direction in which its loss falls for ever (logistic: b_i), and nothing rises: f has no minimiser and its infimum is 0. The point nearest to x with F u = 0
 * (to rounding) is tried as u; if it separates the rows, the answer is so far along it that the loss is 1e-20. */
#include "recession/recession.h"

static const double MARGIN = 50;      /* exp(-50) is the loss of the row with the least */
static const double ROUNDING = 1e-9;  /* of the largest score: a margin below is none */
static const double RESIDUAL = 1e-14; /* of F x: where the projection may stop */
static const double NOTHING = 1e-9;   /* of ||F|| u: what F u = 0 may be for rounding */
enum { STEPS_MOST = 100 };            /* of the projection */

typedef struct plane {
    const spdhg_problem *p;
    double *u, *wide;     /* d: the direction; scratch */
    double *z;            /* n: its scores */
    double *y, *w, *work; /* m, m, 4 m: F x, F u; the projection's */
    double e;             /* intercept of the direction */
} plane;

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
    const spd_cg cg = {.apply = square, .context = a, .tolerance = RESIDUAL, .most = STEPS_MOST};
    apply(p, x, a->y);
    spd_cg_solve(&cg, p->m, a->y, a->w, a->work);
    memset(a->wide, 0, (size_t)p->d * sizeof *a->wide);
    spd_problem_add_transposed(p, a->w, a->wide);
    for (int64_t j = 0; j < p->d; j++) a->u[j] = x[j] - a->wide[j];
    apply(p, a->u, a->y);
    return spd_max_abs(p->m, a->y) <= NOTHING * spd_problem_structure_norm(p) * spd_max_abs(p->d, a->u);
}

/* The scores of u; e in the middle where there is an intercept. Returns the least s_i (a_i'u + e), -INFINITY if a class is
 * missing. */
static double least_margin(plane *a, int threads) {
    const spdhg_problem *p = a->p;
    double low = INFINITY, high = -INFINITY; /* the least of the positive rows, the largest of the negative ones */
    spd_problem_scores(p, threads, a->u, a->z);
    for (int64_t i = 0; i < p->n; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        const double z = a->z[i] - (p->data->offset ? *spd_problem_offset(p, i) : 0);
        if (spd_loss_never_rises(p->loss, p->loss_arg, p->b[i]) > 0)
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
    for (int64_t i = 0; i < p->n && p->data->offset; i++) most = fmax(most, fabs(*spd_problem_offset(p, i)));
    return most;
}

spdhg_status spd_recession_separate(const spdhg_problem *p, int threads, const double *x, double *u, double *c, bool *found,
                                    spdhg_error *err) {
    plane a = {.p = p,
               .u = u,
               .wide = SPD_NEW(double, p->d),
               .z = SPD_NEW(double, p->n),
               .y = SPD_NEW(double, p->m),
               .w = SPD_NEW(double, p->m),
               .work = SPD_NEW(double, 4 * p->m)};
    const bool good = a.wide && a.z && a.y && a.w && a.work;
    const double least = good && to_null_space(&a, x) ? least_margin(&a, threads) : -INFINITY;
    *found = least > 0;
    if (*found) {
        const double length = (MARGIN + largest_offset(p)) / least;
        spd_scale(p->d, length, u);
        *c = length * a.e;
    }
    SPD_FREE_ALL(a.wide, a.z, a.y, a.w, a.work);
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(p->d + p->n + 6 * p->m));
}

/* separate.c - data that a plane separates: a direction (u, e) with
 *     F u = 0
 *     s_i (a_i'u + e) > 0 for every row
 * where s_i is the direction in which the row's loss decreases forever (logistic: b_i). Without a ridge nothing increases along
 * it: f has no minimiser, and its infimum is 0. With several classes (softmax) the score of a row's class exceeds all others. The
 * point nearest to x with F u = 0 (up to rounding) is tried as u. If it separates the rows, the answer is so far along it that
 * the loss is 1e-20. */
#include "recession/recession.h"

static const double MARGIN = 50;      /* of the row with the least; its loss is exp(-50) */
static const double ROUNDING = 1e-9;  /* relative to the largest score: smaller margins count as 0 */
static const double RESIDUAL = 1e-14; /* relative to F x: the projection stops here */
static const double NOTHING = 1e-9;   /* relative to ||F|| ||u||: F u = 0 up to rounding */
enum { STEPS_MOST = 100 };            /* of the projection */

typedef struct plane {
    const spdhg_problem *p;
    double *u, *wide;     /* d x K: the direction; scratch */
    double *z;            /* n x K: its scores */
    double *y, *w, *work; /* m x K, the same, 4 times as many: F x; F u; scratch of the projection */
    double *e;            /* K: intercept of the direction */
} plane;

/* out = F x for the terms with lambda > 0; the others do not constrain F x. */
static void apply(const spdhg_problem *p, const double *x, double *out) {
    spd_problem_apply(p, x, out);
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda == 0) memset(out + p->term[t].first, 0, (size_t)(p->term[t].m * p->K) * sizeof *out);
}

/* F F' w, for the projection; context: the plane. */
static void square(const void *context, const double *w, double *out) {
    const plane *a = context;
    memset(a->wide, 0, (size_t)a->p->dK * sizeof *a->wide);
    spd_problem_add_transposed(a->p, w, a->wide);
    apply(a->p, a->wide, out);
}

/* The point nearest to x with F u = 0:
 *     u = x - F'w
 *     F F' w = F x
 * False if F u is not 0 up to rounding. */
static bool to_null_space(plane *a, const double *x) {
    const spdhg_problem *p = a->p;
    const spd_cg cg = {.apply = square, .context = a, .tolerance = RESIDUAL, .most = STEPS_MOST};
    apply(p, x, a->y);
    spd_cg_solve(&cg, p->m * p->K, a->y, a->w, a->work);
    memset(a->wide, 0, (size_t)p->dK * sizeof *a->wide);
    spd_problem_add_transposed(p, a->w, a->wide);
    for (int64_t j = 0; j < p->dK; j++) a->u[j] = x[j] - a->wide[j];
    apply(p, a->u, a->y);
    return spd_max_abs(p->m * p->K, a->y) <= NOTHING * spd_problem_structure_norm(p) * spd_max_abs(p->dK, a->u);
}

/* Computes the scores of u and, with an intercept, e in the middle between the classes. Returns the least s_i (a_i'u + e),
 * -INFINITY if a class is missing. */
static double least_of_two(plane *a) {
    const spdhg_problem *p = a->p;
    double low = INFINITY, high = -INFINITY; /* the least score of the positive rows, the largest of the negative ones */
    for (int64_t i = 0; i < p->n; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        const double z = a->z[i];
        if (spd_loss_never_rises(p->loss, p->loss_arg, p->b[i]) > 0)
            low = fmin(low, z);
        else
            high = fmax(high, z);
    }
    if (isinf(low) || isinf(high)) return -INFINITY;
    *a->e = p->intercept ? -0.5 * (low + high) : 0;
    return fmin(low + *a->e, -high - *a->e);
}

/* The least (z_b - z_k), z = a_i'u + e, over the rows and the classes k other than their own b; e is that of the iterate. */
static double least_of_classes(plane *a) {
    const spdhg_problem *p = a->p;
    double least = INFINITY;
    if (p->intercept) spd_problem_shift(p, a->e, a->z);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0, b = (int64_t)p->b[i]; k < p->K && spd_problem_weight(p, i) > 0; k++)
            if (k != b) least = fmin(least, a->z[i * p->K + b] - a->z[i * p->K + k]);
    return isfinite(least) ? least : -INFINITY;
}

static double least_margin(plane *a, int threads) {
    const spdhg_problem *p = a->p;
    spd_problem_products(p, threads, a->u, a->z);
    const double least = p->loss->value ? least_of_two(a) : least_of_classes(a);
    return least > ROUNDING * spd_max_abs(p->n * p->K, a->z) ? least : -INFINITY;
}

static double largest_offset(const spdhg_problem *p) {
    double most = 0;
    for (int64_t i = 0; i < p->n && p->data->offset; i++) most = fmax(most, spd_max_abs(p->K, spd_problem_offset(p, i)));
    return p->K > 1 ? 2 * most : most; /* with classes the difference of two counts */
}

spdhg_status spd_recession_separate(const spdhg_problem *p, int threads, const double *x, double *u, double *c, bool *found,
                                    spdhg_error *err) {
    plane a = {.p = p,
               .u = u,
               .e = c,
               .wide = SPD_NEW(double, p->dK),
               .z = SPD_NEW(double, p->n * p->K),
               .y = SPD_NEW(double, p->m * p->K),
               .w = SPD_NEW(double, p->m * p->K),
               .work = SPD_NEW(double, 4 * p->m * p->K)};
    const bool good = a.wide && a.z && a.y && a.w && a.work;
    const double least = good && to_null_space(&a, x) ? least_margin(&a, threads) : -INFINITY;
    *found = least > 0;
    if (*found) {
        const double length = (MARGIN + largest_offset(p)) / least;
        spd_scale(p->dK, length, u);
        spd_scale(p->K, length, c);
    }
    SPD_FREE_ALL(a.wide, a.z, a.y, a.w, a.work);
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)((p->d + p->n + 6 * p->m) * p->K));
}

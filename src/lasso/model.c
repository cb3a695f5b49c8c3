/* model.c - the quadratic model of the loss at a point (x0, z0), and its minimiser by coordinate descent:
 *     alpha = phi'(z0) + phi''(z0) (z - z0)            slopes of the model at the scores z = A x + c + o
 *     r = share alpha                                  kept up to date, column by column
 *     s_j = A_j'r + gamma x_j                          slope of the smooth part along column j
 *     x_j = shrink(h_j x_j - s_j, lambda) / h_j        h_j = A_j'Q A_j + gamma,  Q = share phi''(z0); X cuts it
 * (Friedman, Hastie, Tibshirani, J. Stat. Softw. 2010). A zero column with |s_j| <= lambda takes one product and nothing else.
 * Sweeps over the active columns alternate with sweeps over the whole set. Where columns are correlated, sweeps converge
 * slowly; as soon as they have cost as much as one step on the face of the present signs would, that step is made (face.c). */
#include "lasso/sides.h"

enum { ROUNDS_MOST = 100, SWEEPS_MOST = 1000 };
static const double TRIED = 0.2;  /* part of the cost of a step on the face that sweeps may have cost before it is made */
static const double FLAT = 1e-12; /* relative to the largest possible phi'' */

/* out = now, in time proportional to the nonzeros. */
void spd_lasso_keep(const spd_lasso *a, spd_sparse_point *out) {
    for (int64_t q = 0; q < out->count; q++) out->x[out->list[q]] = 0;
    out->count = a->now.count;
    out->c = a->now.c;
    memcpy(out->list, a->now.list, (size_t)a->now.count * sizeof *out->list);
    for (int64_t q = 0; q < out->count; q++) out->x[out->list[q]] = a->now.x[out->list[q]];
}

void spd_lasso_model(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n;
    const double least = FLAT * p->kappa_usual;
    const bool square = spd_loss_is_square(p->loss); /* the model is f itself, and its curvature never changes */
    a->ready = a->kept = spd_factor_keeps(a);
    spd_lasso_keep(a, &a->origin);
    memcpy(a->z0, a->z, (size_t)n * sizeof *a->z);
    memcpy(a->slope0, a->slope, (size_t)n * sizeof *a->slope);
    for (int64_t i = 0; i < n; i++) {
        if (a->kept)
            a->curve0[i] = a->factor.scale * a->factor.curve[i];
        else
            a->curve0[i] = square ? a->curve[i] : (a->curve[i] > least ? a->curve[i] : least) + a->damp * p->kappa_usual;
        a->Q[i] = a->share[i] * a->curve0[i];
        a->r[i] = a->share[i] * a->slope[i];
    }
    if (a->gram.size > 0)
        spd_gram_slopes(a, a->gram.s);
    else
        spd_gram_when_due(a);
    if (a->number == 0 || !square) a->number++;
}

double spd_lasso_curvature(spd_lasso *a, int64_t j) {
    if (a->gram.size > 0) return a->gram.H.val[j * (a->gram.size + 1)] + a->p->gamma;
    if (a->h_of[j] != a->number) {
        a->h[j] = spd_matrix_square(&a->A, j, a->Q);
        a->h_of[j] = a->number;
        a->work += 0.5 * (double)spd_matrix_count(&a->A, j);
    }
    return a->h[j] + a->p->gamma; /* which may follow lambda */
}

double spd_lasso_move(spd_lasso *a, int64_t j, double to) {
    const double by = to - a->now.x[j];
    if (by == 0) return 0;
    a->now.x[j] = to;
    if (to != 0 && !a->is_active[j]) {
        a->is_active[j] = true;
        a->now.list[a->now.count++] = (int32_t)j;
    }
    if (a->gram.size > 0)
        spd_gram_move(&a->gram, j, by, a->gram.s);
    else
        spd_matrix_add_weighted(&a->A, j, by, a->Q, a->r);
    return by;
}

void spd_lasso_shift(spd_lasso *a, double by) {
    a->now.c += by;
    if (a->gram.size > 0)
        spd_gram_move(&a->gram, a->p->d, by, a->gram.s);
    else
        spd_axpy(a->p->n, by, a->Q, a->r);
}

/* What a visit costs, in multiplications: to know the slope, to move. */
static double slope_cost(const spd_lasso *a, int64_t j) { return a->gram.size > 0 ? 1 : (double)spd_matrix_count(&a->A, j); }
static double move_cost(const spd_lasso *a, int64_t j) {
    return (double)(a->gram.size > 0 ? a->gram.size : spd_matrix_count(&a->A, j));
}

/* Minimises over one column; returns how far its slope was off. */
static double visit(spd_lasso *a, int64_t j, double lambda) {
    const double x = a->now.x[j], loss = a->gram.size > 0 ? a->gram.s[j] : spd_matrix_dot(&a->A, j, a->r);
    const double s = loss + a->p->gamma * x;
    a->work += slope_cost(a, j);
    if (x == 0 && fabs(s) <= lambda) return 0;
    const double h = spd_lasso_curvature(a, j), u = h * x - s;
    if (!(h > 0)) return 0;
    const double by = spd_lasso_move(a, j, spd_lasso_inside(a, fabs(u) > lambda ? (u - copysign(lambda, u)) / h : 0));
    a->work += move_cost(a, j);
    return h * fabs(by);
}

static double visit_intercept(spd_lasso *a) {
    const int64_t n = a->p->n, d = a->p->d;
    const spd_gram *g = &a->gram;
    if (!a->p->intercept) return 0;
    const double h = g->size > 0 ? g->H.val[d * g->size + d] : spd_sum_lanes(n, a->Q);
    const double s = g->size > 0 ? g->s[d] : spd_sum_lanes(n, a->r);
    a->work += g->size > 0 ? (double)g->size : 3 * (double)n;
    if (!(h > 0) || s == 0) return 0;
    spd_lasso_shift(a, -s / h);
    return fabs(s);
}

void spd_lasso_tidy(spd_lasso *a) {
    int64_t kept = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        a->is_active[j] = a->now.x[j] != 0;
        if (a->is_active[j]) a->now.list[kept++] = j;
    }
    a->now.count = kept;
}

static double sweep(spd_lasso *a, const int32_t *list, int64_t count, double lambda) {
    double most = visit_intercept(a);
    for (int64_t q = 0; q < count; q++) most = fmax(most, visit(a, list[q], lambda));
    spd_lasso_tidy(a);
    return most;
}

void spd_lasso_sweeps(spd_lasso *a, const int32_t *list, int64_t count, int most, double accuracy) {
    const double lambda = spd_lasso_lambda(a);
    double off = INFINITY;
    for (int i = 0; i < most && off > accuracy * lambda && !spd_lasso_over(a); i++) {
        off = 0;
        for (int64_t q = 0; q < count; q++) off = fmax(off, visit(a, list[q], lambda));
    }
    spd_lasso_tidy(a);
}

static void start_count(spd_lasso *a) {
    a->touched += a->work;
    a->work = 0;
}

void spd_lasso_descend(spd_lasso *a, double accuracy) {
    const double lambda = spd_lasso_lambda(a), enough = accuracy * lambda;
    bool face = true;
    start_count(a);
    for (int round = 0; round < ROUNDS_MOST && !spd_lasso_over(a); round++) {
        spd_gram_when_due(a);
        if (sweep(a, a->set, a->size, lambda) <= enough) return;
        for (int i = 0; i < SWEEPS_MOST && !spd_lasso_over(a); i++) {
            if (sweep(a, a->now.list, a->now.count, lambda) <= enough) break;
            if (face && a->work >= TRIED * spd_lasso_face_cost(a)) {
                face = spd_lasso_face_by_factor(a) || spd_lasso_face(a, enough);
                spd_lasso_tidy(a);
                start_count(a);
                break;
            }
        }
    }
}

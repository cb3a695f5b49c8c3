/* anchors.c - rows of A with one entry: their alpha can absorb v_j alone, as a row of F with one entry does (routes.c).
 * If a_i = a e_j, then
 *   alpha_i += -v_j W / (w_i a)
 * brings v_j to 0 and changes no other column. A signal, an image or a graph with a measurement at each node has such a row for
 * every column, so any F is repaired in O(nnz).
 * With a free intercept the row passes v_j on to the intercept, because sum_i w_i alpha_i changes as well. Only rows with an
 * entry +1 or -1 are then used, so that the direction whose product with all of these rows is 0 has integer entries.
 * The anchor of a column is the row whose alpha_i moves least relative to its slack D_i: the one with the largest w_i |a_ij| D_i.
 * If s = |change| / D_i <= 1, alpha_i stays in its domain, and by convexity the loss's bracket grows by at most
 *   s M_i,   M_i = the larger of the brackets at alpha_i +- D_i */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

enum { HALVINGS = 60 };
static const double FEW = 64 * DBL_EPSILON; /* rounding error of a bracket, relative to the terms it is a difference of */

/* In a pass: the column of row i's only entry, and the entry; -1: the row has no or several entries, or no weight. */
static int64_t only_column(const spdhg_problem *p, bool open, int64_t i, double *value) {
    spd_row row;
    spd_pass_row_in_memory(p, i, &row);
    if (row.nnz != 1 || !(spd_problem_share(p, i) > 0)) return -1;
    spd_pass_to(p, open, i);
    if (row.val[0] == 0) return -1;
    *value = row.val[0];
    return row.idx ? row.idx[0] : 0;
}

void spd_anchors_find(const spdhg_problem *p, const double *slack, int64_t *anchor, double *weight) {
    double a = 0, *reach = weight;
    for (int64_t j = 0; j < p->d; j++) {
        anchor[j] = -1;
        reach[j] = 0;
    }
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t j = only_column(p, open, i, &a);
        if (j < 0 || (p->intercept && fabs(a) != 1)) continue;
        const double here = spd_problem_share(p, i) * fabs(a) * (slack ? slack[i] : 1);
        if (!(here > reach[j])) continue;
        reach[j] = here;
        anchor[j] = i;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t j = only_column(p, open, i, &a);
        if (j >= 0 && anchor[j] == i) weight[j] = spd_problem_share(p, i) * a;
    }
    spd_pass_end(p, open);
}

/* Adding 1 to every x_j and -1 to the intercept changes neither a score nor F x. The intercept is then redundant, and
 * sum_i w_i alpha_i = 0 follows from v = 0. */
static bool intercept_is_redundant(const spdhg_problem *p, double *work) {
    double a = 0, *ones = work, *rest = work + p->d;
    for (int64_t j = 0; j < p->d; j++) ones[j] = 1;
    bool all = true;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n && all; i++)
        if (spd_problem_share(p, i) > 0) all = only_column(p, open, i, &a) >= 0 && a == 1;
    spd_pass_end(p, open);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (r.term->lambda > 0 && !spd_sums_to_zero(r.row.n, ones, r.row.val, rest)) return false;
    return all;
}

bool spd_anchors_suffice(const spdhg_problem *p, const int64_t *anchor, double *work) {
    double a;
    if (!p->loss->value || p->scale) return false;
    for (int64_t j = 0; j < p->d; j++)
        if (anchor[j] < 0) return false;
    bool all = true;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n && all; i++)
        if (spd_problem_share(p, i) > 0) all = only_column(p, open, i, &a) >= 0;
    spd_pass_end(p, open);
    return all && (!p->intercept || intercept_is_redundant(p, work));
}

/* ---- alpha absorbs as much of v as it can: c->r is the change that v needs. */

static double slack_of(const spd_certifier *c, int64_t q) {
    const spdhg_problem *p = c->problem;
    return p->loss->slack ? p->loss->slack(c->alpha[q], p->b[q], p->loss_arg) : 1;
}

/* The largest factor <= most that brings alpha into its domain, which contains 0; 0: no useful one. */
static double into_domain(const spdhg_problem *p, double alpha, double b, double most) {
    double low = 0, high = most;
    if (isfinite(p->loss->conjugate(most * alpha, b, p->loss_arg))) return most;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = 0.5 * (low + high);
        if (isfinite(p->loss->conjugate(middle * alpha, b, p->loss_arg)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* P_j = sum over the rows of column j of (w_i D_i / W) a_i^2
 * Where no row has slack, D_i = 1 (P_j is stored negated), and shrinking brings alpha back into its domain. */
static void find_steps(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double a = 0;
    memset(c->P, 0, (size_t)p->dK * sizeof *c->P);
    const bool open = spd_pass_begin(p);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < p->n; i++) {
            const int64_t j = only_column(p, open, i, &a);
            for (int64_t k = 0; k < K && j >= 0; k++) {
                double *sum = &c->P[j * K + k];
                if (pass == 0) *sum += spd_problem_share(p, i) * a * a * (c->forced && c->forced[i] ? 0 : slack_of(c, i * K + k));
                if (pass == 1 && *sum <= 0) *sum -= spd_problem_share(p, i) * a * a;
            }
        }
    spd_pass_end(p, open);
}

/* Called twice: first for the largest factor that keeps every alpha in its domain (0: none), then, `really`, for the moves. */
static double move_alphas(spd_certifier *c, bool really) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double a = 0, factor = 1;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n && factor > 0.5; i++) {
        const int64_t j = only_column(p, open, i, &a);
        for (int64_t k = 0; k < K && j >= 0; k++) {
            const double sum = c->P[j * K + k], D = sum < 0 ? 1 : slack_of(c, i * K + k);
            const double move = sum == 0 ? 0 : D * a * c->r[j * K + k] / fabs(sum);
            double *alpha = &c->alpha[i * K + k];
            if (c->forced && c->forced[i] && move != 0)
                factor = 0;
            else if (really)
                *alpha += move;
            else
                factor = into_domain(p, *alpha + move, p->b[i * K + k], factor);
        }
    }
    spd_pass_end(p, open);
    return factor > 0.5 ? factor : 0;
}

/* For each column the losses' brackets grow by about r^2/2 divided by their curvature. */
bool spd_anchors_take(spd_certifier *c, double affordable) {
    const spdhg_problem *p = c->problem;
    double cost = 0;
    if (!c->diagonal) return false;
    find_steps(c);
    for (int64_t q = 0; q < p->dK; q++) cost += c->P[q] == 0 ? 0 : 0.5 * c->r[q] * c->r[q] / fabs(c->P[q]);
    const double factor = cost <= affordable ? move_alphas(c, false) : 0;
    if (factor == 0) return false;
    move_alphas(c, true);
    spd_scale(p->n * p->K, factor, c->alpha);
    spd_scale(p->m * p->K, factor, c->y);
    c->gradient = false;
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    return true;
}

/* ---- the exact repair: routes that end at rows with slack, what arrives at each column, and what that costs. */

/* The present routes end at the same columns, each of which still has a row with slack, and with the same signs towards the
 * intercept. The first routes were made before any slack was known. */
static bool still_lead(const spd_certifier *c) {
    const double *now = c->anchor_weight, *before = c->anchor_before;
    for (int64_t j = 0; j < c->problem->d; j++)
        if ((c->routes.row[j] >= 0 && c->anchor[j] < 0) || (now[j] > 0) != (before[j] > 0) || (now[j] < 0) != (before[j] < 0))
            return false;
    return true;
}

bool spd_anchors_follow(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->base;
    spd_anchors_find(p, c->slack, c->anchor, c->anchor_weight);
    if (!still_lead(c)) {
        spd_routes made;
        if (!spd_routes_new(&made, p, c->anchor, c->anchor_weight)) {
            spd_routes_free(&made);
            return false;
        }
        spd_routes_free(&c->routes);
        c->routes = made;
        s->n = s->blocks = made.bases + (p->intercept ? 1 : 0);
        s->root = 0;
        s->nulls = s->failures = 0;
        s->passing = s->measured = s->hopeless = false;
        memcpy(c->anchor_before, c->anchor_weight, (size_t)p->d * sizeof *c->anchor_before);
    }
    for (int64_t j = 0; j < p->d; j++)
        if (c->routes.row[j] >= 0) {
            c->routes.row[j] = c->anchor[j];
            c->routes.size[j] = fabs(c->anchor_weight[j]);
        }
    return s->n <= s->most;
}

bool spd_anchors_reach(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    bool inside = true;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < K; k++) {
            const int64_t q = j * K + k, i = c->routes.row[j];
            const double all = fabs(c->excess[q]) * (1 + 4 * DBL_EPSILON) + c->doubt[q];
            c->taken[q] = i < 0 || all == 0 ? 0 : all / (c->routes.size[j] * c->slack[i]) * (1 + 16 * DBL_EPSILON);
            inside = inside && c->taken[q] <= 1;
        }
    return inside;
}

double spd_anchors_cost(const spd_certifier *c, double shrunk, const double *z) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    double sum = 0;
    for (int64_t j = 0; j < p->d; j++) {
        const int64_t i = c->routes.row[j];
        for (int64_t k = 0; k < K && i >= 0; k++) {
            const int64_t q = i * K + k;
            double most = 0;
            for (int side = -1; side <= 1 && c->taken[j * K + k] > 0; side += 2) {
                const double at = (1 - shrunk) * c->alpha[q] + side * c->slack[i];
                double bracket;
                spd_loss_brackets(p->loss, p->loss_arg, 1, z + q, p->b + q, &at, &bracket);
                most = fmax(most, spd_bracket(bracket) + FEW * (fabs(bracket) + fabs(at) * (fabs(z[q]) + fabs(p->b[q]))));
            }
            sum += spd_problem_share(p, i) * c->taken[j * K + k] * most;
        }
    }
    return sum;
}

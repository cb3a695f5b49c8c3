/* constants.c - the constants of the theorems for a problem, each an upper bound over every x that a run can reach.
 * sigma is the smallest number with
 *     sum_i q_i exp(r_i^2/sigma^2) <= e
 *     r_i = f_i G_i + sum_j (w_j/W) G_j
 *     G_i = ||a_i|| sup |phi_i'|
 * where row i is drawn with probability q_i and carries the factor f_i = (w_i/W)/q_i: 1 unless rows are drawn by norm (sample.c).
 * D_x is the diameter of X. If X is unbounded and gamma > 0, it follows from
 *     ||x|| <= (max_i f_i G_i + M_F/2)/gamma   for all iterates
 *     gamma ||x*||^2 <= f(0) */
#include "bound/bound.h"
#include "problem/lipschitz.h"
#include "problem/rows.h"

static const double FAR = 1e150, UNBOUNDED = 1e100;      /* a slope above UNBOUNDED at z = FAR counts as unbounded */
static const double PINELIS = 2 * (M_E + 1) / (M_E - 1); /* Pinelis' tail bound for a mean of B independent vectors, integrated */

/* A row's bound of its gradient, the factor of its draw, and r of the noise. */
typedef struct drawn {
    double *G, *f, *r;
} drawn;

#define HOW(member) out->how[offsetof(spd_bound_constants, member) / sizeof(double)]

/* sup ||phi_i'|| over scores within `reach` of the offset. phi' increases with z, so a scalar loss attains it at an end. */
static double slope_bound(const spdhg_problem *p, const spd_row *row, double reach, double *z) {
    if (p->loss->slope_k) {
        for (int64_t k = 0; k < p->K; k++) z[k] = row->offset ? row->offset[k] : 0;
        spd_loss_slope(p->loss, p->loss_arg, p->K, z, row->b, z + p->K);
        const double growing = spd_norm2(p->K, z + p->K) + p->kappa * reach;
        return p->loss->chance_k ? fmin(growing, M_SQRT2) : growing; /* norm of probabilities minus a unit vector */
    }
    double sum = 0;
    for (int64_t k = 0; k < p->K; k++) {
        const double offset = row->offset ? row->offset[k] : 0, r = fmin(reach, FAR);
        const double low = p->loss->slope(offset - r, row->b[k], p->loss_arg),
                     high = p->loss->slope(offset + r, row->b[k], p->loss_arg);
        const double most = fmax(fabs(low), fabs(high));
        if (most > UNBOUNDED) return INFINITY;
        sum += most * most;
    }
    return sqrt(sum);
}

static double chance(const spdhg_problem *p, const drawn *rows, int64_t i) { return spd_problem_share(p, i) / rows->f[i]; }

/* G_i of all rows for ||x|| <= radius; returns the largest f_i G_i among the rows that can be drawn. z: 2K doubles. */
static double gradient_bounds(const spdhg_problem *p, double radius, const drawn *rows, double *z) {
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        const double norm = spd_norm2(row.nnz, row.val);
        rows->G[i] = norm > 0 ? norm * slope_bound(p, &row, norm * radius, z) : 0;
        if (spd_problem_share(p, i) > 0) most = fmax(most, rows->f[i] * rows->G[i]);
    }
    return most;
}

/* Smallest sigma with E exp(r^2/sigma^2) <= e; its square lies between the mean and the maximum of r^2. */
static double noise_level(const spdhg_problem *p, const drawn *rows) {
    const double *r = rows->r;
    double most = 0, mean = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (spd_problem_share(p, i) > 0) most = fmax(most, r[i]);
        mean += chance(p, rows, i) * r[i] * r[i];
    }
    double low = mean, high = most * most;
    for (int round = 0; round < 60 && high - low > 1e-12 * high; round++) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            sum += spd_problem_share(p, i) > 0 ? chance(p, rows, i) * exp(r[i] * r[i] / middle - 1) : 0;
        *(sum <= 1 ? &high : &low) = middle;
    }
    return sqrt(high);
}

/* Noise of a batch of B rows: by convexity at most that of one row, and by Pinelis' inequality at most
 *     sqrt(PINELIS / B) max_i r_i */
static double batch_noise(const spdhg_problem *p, const drawn *rows, int64_t B) {
    double most = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (spd_problem_share(p, i) > 0) most = fmax(most, rows->r[i]);
    return fmin(noise_level(p, rows), sqrt(PINELIS / (double)B) * most);
}

/* r_i = ||f_i phi_i'(z_i) a_i - gradient|| at the start x, exactly. */
static spdhg_status noise_at(const spdhg_problem *p, const double *x, int threads, const drawn *rows, spdhg_error *err) {
    double *work = SPD_NEW(double, p->dK + 3 * p->K + p->n * p->K + spd_problem_gradient_work(p));
    if (!work) return spd_fail_memory(err, 8.0 * (double)(p->dK + p->n * p->K));
    double *g = work, *c = g + p->dK, *z = c + p->K, *slope = z + 2 * p->K;
    spd_problem_gradient(p, threads, x, c, g, NULL, slope, slope + p->n * p->K);
    const double square = spd_dot(p->dK, g, g);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        row.offset = NULL;
        spd_row_score(p, &row, g, z);
        const double f = rows->f[i], a = f * spd_norm2(row.nnz, row.val) * spd_norm2(p->K, slope + i * p->K);
        rows->r[i] = sqrt(fmax(a * a - 2 * f * spd_dot(p->K, slope + i * p->K, z) + square, 0));
    }
    spd_free(work);
    return SPDHG_OK;
}

/* max ||F'y|| over the dual ball, at most
 *     sum_t min( ||F_t|| R_t, rho ||column sums of |F_t|||_2 )
 * The second bound needs every row to be a block: its part of y then has norm at most rho = R_t/sqrt(m). */
static double dual_push(const spdhg_problem *p, double *column) {
    double sum = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double R = spd_term_radius(term, p->K);
        double push = term->F->norm_bound * R;
        if (term->blocks == term->m && term->m > 0) {
            memset(column, 0, (size_t)p->d * sizeof *column);
            for (spd_rows r = spd_rows_of_term(p, term); spd_rows_next(&r);)
                for (int64_t q = 0; q < r.row.n; q++) column[r.row.idx[q]] += fabs(r.row.val[q]);
            push = fmin(push, R / sqrt((double)term->m) * spd_norm2(p->d, column));
        }
        sum += push;
    }
    return fmin(sum, spd_problem_structure_norm(p) * spd_problem_dual_radius(p));
}

/* sup ||x|| over X, INFINITY if there is none. x: the start, Pi_X(0). */
static double largest_norm(const spdhg_problem *p, const double *x) {
    const spd_set *X = &p->set;
    const double D = X->kind->diameter(p->dK, X->arg);
    double low, high;
    spd_set_sides(X, &low, &high);
    if (X->kind->symmetric) return D / 2;
    if (isfinite(low) && isfinite(high)) return sqrt((double)p->dK) * fmax(fabs(low), fabs(high));
    return D + spd_norm2(p->dK, x);
}

static spdhg_status no_distance(const spdhg_problem *p, spdhg_error *err) {
    if (p->gamma > 0)
        return spd_fail(
            err, SPDHG_USAGE,
            "D_x is infinite: X = %s has no diameter and the slopes of the %s loss no bound; give a bounded --set, or a "
            "radius to `spdhg bound --radius R`",
            p->set.kind->name, p->loss->name);
    return spd_fail(
        err, SPDHG_USAGE,
        "D_x is infinite: gamma is 0 and X = %s has no diameter; give a bounded --set, a --gamma above 0, or a radius to "
        "`spdhg bound --radius R`",
        p->set.kind->name);
}

/* D_x, R_x, and reach = sup ||x||, the radius over which the G_i are taken. */
static spdhg_status distances(spd_bound_setting *out, const spdhg_problem *p, const spd_bound_question *asked, const double *x,
                              const drawn *rows, double *z, double *reach, spdhg_error *err) {
    spd_bound_constants *c = &out->value;
    const double D = p->set.kind->diameter(p->dK, p->set.arg), start = spd_norm2(p->dK, x);
    *reach = largest_norm(p, x);
    c->D_x = D;
    c->R_x = fmin(D, start + *reach);
    if (!isfinite(D) && p->gamma > 0 && start == 0) {
        const double invariant = (gradient_bounds(p, INFINITY, rows, z) + c->M_F / 2) / p->gamma;
        c->R_x = fmin(sqrt(c->start_value / p->gamma), invariant);
        c->D_x = c->R_x + invariant;
        *reach = invariant;
    }
    const double radius = asked->radius, distance = asked->distance;
    if (radius > 0 && 2 * radius < c->D_x) {
        *reach = fmin(*reach, radius);
        c->D_x = 2 * radius;
        c->R_x = fmin(c->R_x, radius + start);
        HOW(D_x) = HOW(R_x) = SPD_GIVEN;
    }
    if (!isnan(distance)) { /* bounds ||x|| only because x^0 and x^k are both within `distance` of x* */
        *reach = fmin(*reach, start + 2 * distance);
        c->D_x = distance;
        c->R_x = fmin(c->R_x, distance);
        HOW(D_x) = HOW(R_x) = SPD_GIVEN;
    }
    return isfinite(c->D_x) ? SPDHG_OK : no_distance(p, err);
}

/* L and L_sc as the solvers choose them, or as given. */
static void smoothness(spd_bound_setting *out, const spdhg_problem *p, const spd_bound_question *q, double *work) {
    spd_bound_constants *c = &out->value;
    const spd_smoothness word = q->L < 0 ? (spd_smoothness)q->L : SPD_L_NUMBER;
    const spd_smoothness gc = word ? word : spd_problem_smoothness_by_rule(p, SPD_L_EXPECTED),
                         sc = word ? word : spd_problem_smoothness_by_rule(p, SPD_L_MEAN);
    c->L = q->L >= 0 ? q->L : spd_problem_smoothness(p, gc, q->sampling, work);
    c->L_sc = q->L >= 0 ? q->L : spd_problem_smoothness(p, sc, q->sampling, work);
    if (q->L >= 0) HOW(L) = HOW(L_sc) = SPD_GIVEN;
}

static spdhg_status constants_but_L(spd_bound_setting *out, const spdhg_problem *p, const spd_bound_question *q, double *x,
                                    const drawn *rows, double *work, spdhg_error *err) {
    spd_bound_constants *c = &out->value;
    spd_value f;
    double *z = work + spd_problem_value_work(p), *column = z + 3 * p->K, reach, mean = 0;
    p->set.kind->project(p->dK, p->set.arg, x, column);
    spd_problem_value(p, q->threads, x, z, NULL, NULL, work, &f, NULL);
    c->start_value = f.objective;
    c->norm_F = spd_problem_structure_norm(p);
    c->R_y = spd_problem_dual_radius(p);
    c->D_y = 2 * c->R_y;
    c->M_F = 2 * dual_push(p, column);
    c->mu = p->gamma;
    c->s = !isnan(q->s) ? q->s : c->norm_F > 0 ? c->R_y / c->norm_F : 0;
    spd_problem_factors(p, q->sampling, rows->f);
    SPD_TRY(distances(out, p, q, x, rows, z, &reach, err));
    gradient_bounds(p, reach, rows, z);
    for (int64_t i = 0; i < p->n; i++) mean += spd_problem_share(p, i) * rows->G[i];
    /* f(x) - f* <= ||subgradient at x|| ||x - x*||
     * If X is the whole space, 0 is a subgradient at x*, and smoothness gives a second bound. */
    c->trivial = (mean + p->gamma * reach + c->M_F / 2) * c->D_x;
    if (p->set.kind->whole) c->trivial = fmin(c->trivial, (c->L * c->D_x / 2 + c->M_F) * c->D_x);
    for (int64_t i = 0; i < p->n; i++) rows->r[i] = rows->f[i] * rows->G[i] + mean;
    if (q->estimate_noise) {
        SPD_TRY(noise_at(p, x, q->threads, rows, err));
        HOW(sigma) = SPD_ESTIMATED;
    }
    c->sigma = batch_noise(p, rows, q->batch);
    return SPDHG_OK;
}

spdhg_status spd_bound_constants_of(spd_bound_setting *out, const spdhg_problem *p, const spd_bound_question *question,
                                    spdhg_error *err) {
    *out = (spd_bound_setting){.how = {SPD_RIGOROUS}};
    if (p->intercept)
        return spd_fail(
            err, SPDHG_USAGE,
            "no bound holds with a free intercept: it has no bound of its own (D_x is infinite) and no strong convexity; "
            "use --no-intercept");
    if (!isfinite(p->kappa) && !(question->L >= 0))
        return spd_fail(err, SPDHG_USAGE, "L is infinite: the %s loss has no bound on its curvature, which the theorems need",
                        p->loss->name);
    if (question->L >= 0 &&
        question->L < p->gamma) /* the steps would then be too long for the invariant ball of the iterates as well */
        return spd_fail(err, SPDHG_USAGE, "L = %g is below gamma = %g: the smoothness of the loss with its ridge is not",
                        question->L, p->gamma);
    double *x = SPD_NEW(double, p->dK), *G = SPD_NEW(double, 3 * p->n), *L = SPD_NEW(double, spd_problem_smoothness_work(p));
    const drawn rows = {G, G + p->n, G + 2 * p->n};
    const bool good = x && G && L;
    if (good) smoothness(out, p, question, L);
    double *work = SPD_NEW(double, spd_problem_value_work(p) + 3 * p->K + p->dK + p->d);
    const spdhg_status status = good && work ? constants_but_L(out, p, question, x, &rows, work, err)
                                             : spd_fail_memory(err, 8.0 * (double)(2 * p->dK + 4 * p->n));
    spd_free(x);
    spd_free(G);
    spd_free(L);
    spd_free(work);
    return status;
}

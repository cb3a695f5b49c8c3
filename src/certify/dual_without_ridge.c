/* dual_without_ridge.c - for gamma = 0 and X unbounded, a dual point with -v in dom h*, that is v = 0 where X is all of R, v >= 0
 * where X is unbounded above only. Rows of F with one entry for each column absorb v at once. Otherwise one positive definite
 * system moves alpha and y together:
 *     ( A'diag(w D)A/W + nu F'F ) p = target - v
 *     alpha_i += D_i (A p)_i
 *     y += nu F p
 * D_i is the distance of alpha_i to the boundary of its domain (coupled losses: phi''(z_i)). The solution is refined iteratively.
 * Finally alpha and y, and v with them, are scaled by the largest c <= 1 that brings y back into its ball.
 * Rounding leaves a residual, which repair.c bounds. gap_without_ridge.c has the gap. */
#include "certify/certify.h"
#include "problem/rows.h"

enum { REFINEMENTS = 4, CG_MOST = 200 };
static const double GAIN = 0.5; /* a round must leave at most this part of the residual for another to follow */
/* Residuals relative to the largest alpha, in the scale of the system: the rounding level; small enough to accept. */
static const double ROUNDED = 1e-15, ACCEPTED = 1e-12;

/* v = g + F'y; returns its largest excess over dom h*, in the scale of the system. r = the change that v needs (the intercept
 * last): minus the excess or, where x is inside X, minus v. The optimum has v = 0 there, and the excess alone might not be
 * attainable (softmax: A'alpha sums to 0 over the classes). x NULL: minus the excess everywhere. */
static double residual(spd_certifier *c, const double *x) {
    const spdhg_problem *p = c->problem;
    double most = 0, low, high;
    spd_set_sides(&p->set, &low, &high);
    memcpy(c->v, c->g, (size_t)p->dK * sizeof *c->v);
    spd_problem_add_transposed(p, c->y, c->v);
    for (int64_t q = 0; q < p->dK; q++) c->r[q] = -spd_dual_excess(c->v[q], low, high);
    for (int64_t k = 0; k < p->K && p->intercept; k++) c->r[p->dK + k] = -c->gc[k];
    for (int64_t q = 0; q < spd_problem_normal_size(p) && c->scale; q++) most = fmax(most, fabs(c->r[q]) * c->scale[q]);
    for (int64_t q = 0; q < p->dK; q++)
        if (x && x[q] > low && x[q] < high) c->r[q] = -c->v[q];
    return most;
}

/* out += nu F'F q */
static void add_gram(const spd_certifier *c, const double *q, double *out) {
    const spdhg_problem *p = c->problem;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        double *z = c->Fq + term->first;
        spd_term_apply(term, p->K, q, z);
        spd_scale(term->m * p->K, spd_dual_nu(term), z);
        spd_term_add_transposed(term, p->K, z, out);
    }
}

/* out = S M S q, S = diag(scale): the columns of A and F may be of any size. */
static void apply_system(const void *context, const double *q, double *out) {
    const spd_certifier *c = context;
    const spdhg_problem *p = c->problem;
    const int64_t n = spd_problem_normal_size(p);
    const bool free = p->intercept;
    for (int64_t i = 0; i < n; i++) c->q[i] = c->scale[i] * q[i];
    spd_problem_normal_product(p, c->threads, c->curve, c->q, free ? c->q + p->dK : NULL, out, free ? out + p->dK : NULL,
                               c->Mwork);
    add_gram(c, c->q, out);
    for (int64_t i = 0; i < n; i++) out[i] *= c->scale[i];
}

/* scale = 1/sqrt(diagonal), 1 where that is 0. */
static void set_scale(spd_certifier *c, int64_t n, const double *diagonal, int64_t stride) {
    for (int64_t q = 0; q < n; q++) c->scale[q] = diagonal[q * stride] > 0 ? 1 / sqrt(diagonal[q * stride]) : 1;
}

/* Assembles and factors S M S; H: A'diag(w D)A/W if it is already known. */
static bool factor(spd_certifier *c, const double *H, int64_t n) {
    if (H)
        memcpy(c->M, H, (size_t)(n * n) * sizeof *H);
    else if (!spd_problem_normal_matrix(c->problem, c->threads, c->curve, c->M, c->Mwork, c->stop))
        return false;
    spd_problem_add_gram(c->problem, spd_dual_nu, n, c->M);
    set_scale(c, n, c->M, n + 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) c->M[i * n + j] *= c->scale[i] * c->scale[j];
        c->M[i * n + i] += 1e-13;
    }
    return spd_cholesky(n, c->M);
}

static void find_diagonal(spd_certifier *c, int64_t n) {
    const spdhg_problem *p = c->problem;
    spd_problem_curvature_diagonal(p, c->curve, c->q);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++)
            for (int64_t k = 0; k < p->K; k++) c->q[r.row.idx[q] * p->K + k] += spd_dual_nu(r.term) * r.row.val[q] * r.row.val[q];
    set_scale(c, n, c->q, 1);
}

static void solve(spd_certifier *c) {
    const int64_t n = spd_problem_normal_size(c->problem);
    for (int64_t q = 0; q < n; q++) c->r[q] *= c->scale[q];
    if (c->M) {
        memcpy(c->p, c->r, (size_t)n * sizeof *c->p);
        spd_cholesky_solve(n, c->M, c->p);
    } else {
        memset(c->p, 0, (size_t)n * sizeof *c->p);
        const spd_cg cg = {.apply = apply_system, .context = c, .tolerance = 1e-10, .most = CG_MOST, .stop = c->stop};
        spd_cg_solve(&cg, n, c->r, c->p, c->work);
    }
    for (int64_t q = 0; q < n; q++) c->p[q] *= c->scale[q];
}

/* alpha += D A p, y += nu F p; recomputes g and gc. */
static void move(spd_certifier *c, const double *z) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    spd_problem_products(p, c->threads, c->p, c->t);
    if (p->intercept) spd_problem_shift(p, c->p + p->dK, c->t);
    for (int64_t i = 0; i < p->n; i++) {
        double *t = c->t + i * K, *alpha = c->alpha + i * K;
        if (p->loss->value)
            for (int64_t k = 0; k < K; k++) alpha[k] += c->curve[i * K + k] * t[k];
        else if (spd_max_abs(K, alpha) > 0) {
            p->loss->second_k(z + i * K, K, p->b[i], t, c->work);
            for (int64_t k = 0; k < K; k++) /* a probability of 0 stays so */
                if (alpha[k] + ((double)k == p->b[i]) > 0) alpha[k] += c->work[k];
            spd_dual_even_out(p, i, alpha);
        }
    }
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        spd_term_apply(term, K, c->p, c->Fq + term->first);
        spd_axpy(term->m * K, spd_dual_nu(term), c->Fq + term->first, c->y + term->first);
    }
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
}

static void curvatures(spd_certifier *c, const double *z) {
    const spdhg_problem *p = c->problem;
    for (int64_t i = 0; i < p->n * p->K; i++) {
        if (c->forced && c->forced[i])
            c->curve[i] = 0;
        else if (!p->loss->value)
            c->curve[i] = z[i];
        else
            c->curve[i] = p->loss->slack ? p->loss->slack(c->alpha[i], p->b[i], p->loss_arg) : 1;
    }
}

/* Solves and moves until the residual stops decreasing; true if it is small. */
static bool refine(spd_certifier *c, const double *x, const double *z) {
    double left = residual(c, x), before = INFINITY;
    const double size = spd_max_abs(c->problem->n * c->problem->K, c->alpha);
    for (int round = 0; round < REFINEMENTS && left > ROUNDED * size && left < GAIN * before; round++) {
        before = left;
        solve(c);
        move(c, z);
        left = residual(c, x);
    }
    return left <= ACCEPTED * size;
}

static double slack_of(const spd_certifier *c, int64_t i) {
    return c->problem->loss->slack(c->alpha[i], c->problem->b[i], c->problem->loss_arg);
}

static bool in_domain(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    for (int64_t i = 0; i < p->n * p->K && p->loss->slack; i++)
        if (!(slack_of(c, i) > 0) && !isfinite(p->loss->conjugate(c->alpha[i], p->b[i], p->loss_arg))) return false;
    return true;
}

/* Copies D = phi'' of a solver's Hessian to c->kept, if D_i <= 2 slack_i for all nonzero alphas. At the same point D_i <= slack_i
 * always holds if |phi'''| <= phi'': phi'' as a function of alpha then has slopes of at most 1, and it is 0 on the boundary.
 * False if the Hessian belongs to a point too far away. */
static bool borrow(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    if (!c->lent || (p->loss->slack && !p->loss->steady)) return false;
    for (int64_t i = 0; i < p->n * p->K; i++) {
        c->kept[i] = c->forced && c->forced[i] ? 0 : c->lent_curve[i];
        if (p->loss->slack && c->kept[i] > 2 * slack_of(c, i) && c->alpha[i] != 0) return false;
    }
    return true;
}

/* D may be any positive numbers: reusing those of an earlier factor or of a solver's Hessian avoids assembling the matrix. If
 * that fails, alpha and y are restored. */
static bool solve_at_hand(spd_certifier *c, const double *x, const double *z) {
    const spdhg_problem *p = c->problem;
    const int64_t nK = p->n * p->K, mK = p->m * p->K, n = spd_problem_normal_size(p);
    if (!c->M || !p->loss->value) return false;
    if (!c->factored && c->lent) c->factored = borrow(c) && factor(c, c->lent, n);
    if (!c->factored) return false;
    double *alpha = c->saved, *y = alpha + nK;
    memcpy(c->curve, c->kept, (size_t)nK * sizeof *c->curve);
    memcpy(alpha, c->alpha, (size_t)nK * sizeof *alpha);
    memcpy(y, c->y, (size_t)mK * sizeof *y);
    if (refine(c, x, z) && in_domain(c)) return true;
    memcpy(c->alpha, alpha, (size_t)nK * sizeof *alpha);
    memcpy(c->y, y, (size_t)mK * sizeof *y);
    spd_problem_adjoint(p, c->threads, c->alpha, c->g, c->gc, c->Mwork);
    return false;
}

static bool solve_exactly(spd_certifier *c, const double *x, const double *z, double affordable) {
    const int64_t n = spd_problem_normal_size(c->problem), nK = c->problem->n * c->problem->K;
    c->gradient = false; /* g will follow alpha */
    spd_dual_drop_small(c, affordable);
    if (solve_at_hand(c, x, z)) return true;
    curvatures(c, z);
    if (c->M && !(c->factored = factor(c, NULL, n))) return false;
    if (c->M) memcpy(c->kept, c->curve, (size_t)nK * sizeof *c->kept);
    if (!c->M) find_diagonal(c, n);
    refine(c, x, z);
    return in_domain(c);
}

bool spd_dual_without_ridge(spd_certifier *c, const double *x, const double *z, double affordable) {
    const spdhg_problem *p = c->problem;
    if (c->absorbs) {
        residual(c, NULL);
        spd_routes_absorb(&c->routes, p, c->r, c->y);
        residual(c, NULL); /* recomputes v: what is left is rounding */
    } else if (!c->low) {  /* with low, dual_newton.c has already done this */
        residual(c, x);
        const bool taken = spd_anchors_take(c, c->M ? affordable : INFINITY); /* M also moves y: a smaller gap */
        if (!taken && !solve_exactly(c, x, z, affordable)) return false;
        if (taken) residual(c, x);
    }
    spd_dual_scale(c, spd_dual_shrink(c));
    return true;
}

bool spd_dual_can_correct(const spd_certifier *c) {
    return c->absorbs || (c->diagonal && !c->low) || (c->M && c->factored && !c->low);
}

/* Iterative refinement (Wilkinson): one more round, with the residual v computed in twice the precision. */
bool spd_dual_correct(spd_certifier *c, const double *z) {
    const spdhg_problem *p = c->problem;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t q = 0; q < p->dK; q++) c->r[q] = -spd_dual_excess(c->v[q], low, high);
    for (int64_t k = 0; k < p->K && p->intercept; k++) c->r[p->dK + k] = -c->v0[k];
    if (c->absorbs) {
        spd_routes_absorb(&c->routes, p, c->r, c->y);
        return true;
    }
    if (spd_anchors_take(c, INFINITY)) return true;
    if (!c->M || !c->factored) return false;
    solve(c);
    move(c, z);
    return in_domain(c);
}

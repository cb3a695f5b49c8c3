/* newton_model.c - solves the quadratic model by ADMM with dense factors (docs/algorithms.md), warm started with the last (y, z):
 *     t = (H + rho B'F'SFB)^{-1} ( H t_x + B'( F'(rho S z - y) - g ) ),   u = B t
 *     v = y + rho S (1.6 F u - 0.6 z)
 *     y = Pi_{lambda Y}(v)
 *     z = (v - y)/(rho S)
 * until the duality gap of the model
 *     e'H^{-1}e/2 + lambda r(Fu) - y'Fu,   e = B'(g + F'y) + H(t - t_x)
 * is a hundredth of the decrease it promises, or small enough to end the run. The residuals determine rho. After 50 + n/8
 * iterations, four times as many, and so on, Newton steps are tried (newton_model_ssn.c): they converge once ADMM has identified
 * the zeros. X = box or nonneg: u in X is one more block, split like F u with y_X and z_X = Pi_X; the candidate is
 * then Pi_X(u). */
#include "newton/newton_model.h"

enum { ITERATIONS_MOST = 2000, NEWTON_FIRST = 50 };
static const double RELAX = 1.6, NEAR = 1e-2; /* NEAR: a decrease of less than this fraction of f */

bool spd_newton_model_bounded(const spdhg_problem *p) { return !p->set.kind->whole; }

void spd_newton_model_layout(spd_run *run, spd_newton_model *a, spd_newton *b, int64_t most) {
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    a->b = b;
    a->z = spd_arena_take(&run->state, mK);
    a->rho = spd_arena_take(&run->state, 1);
    a->zX = spd_arena_take(&run->state, spd_newton_model_bounded(p) ? p->dK : 0);
    a->yX = spd_arena_take(&run->state, spd_newton_model_bounded(p) ? p->dK : 0);
    spd_tied_layout(p, &run->work, &a->B, most);
    spd_tied_layout(p, &run->work, &a->zeros, n);
    double **const squares[] = {&a->H, &a->LH, &a->M, &a->LM};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) *squares[i] = spd_arena_take(&run->work, most * most);
    double **const vectors[] = {&a->t, &a->tx, &a->tg, &a->rhs, &a->e, &a->solved, &a->kept, &a->u, &a->full};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = spd_arena_take(&run->work, n);
    a->touched = spd_arena_int32(&run->work, n);
    double **const duals[] = {&a->Fu, &a->v, &a->old, &a->scale, &a->open, &a->kept_y};
    for (size_t i = 0; i < sizeof duals / sizeof *duals; i++) *duals[i] = spd_arena_take(&run->work, mK);
}

/* out = B'F'y */
void spd_newton_model_transposed(spd_newton_model *a, const spdhg_problem *p, const double *y, double *out) {
    memset(a->full, 0, (size_t)spd_problem_normal_size(p) * sizeof *a->full);
    spd_problem_add_transposed(p, y, a->full);
    spd_tied_gather(&a->B, p, a->full, out);
}

void spd_newton_model_multiply(const spd_newton_model *a, const double *t, double *Ht) {
    spd_symmetric_apply(a->B.size, a->H, t, Ht);
}

static bool factor_with_rho(spd_newton_model *a) {
    const int64_t n = a->B.size;
    for (int64_t i = 0; i < n * n; i++) a->LM[i] = a->H[i] + a->rho[0] * a->M[i];
    return spd_cholesky(n, a->LM);
}

/* One inner iteration: t, u, y, z. rhs = H t_x - B'g is constant. */
static void inner_iteration(spd_newton_model *a, const spdhg_problem *p) {
    spd_newton *b = a->b;
    const int64_t mK = p->m * p->K;
    const double rho = a->rho[0];
    for (int64_t i = 0; i < mK; i++) a->v[i] = rho * a->scale[i] * a->z[i] - b->y[i];
    spd_newton_model_transposed(a, p, a->v, a->t);
    spd_axpy(a->B.size, 1, a->rhs, a->t);
    for (int64_t q = 0; q < p->dK && spd_newton_model_bounded(p); q++) a->t[q] += rho * a->zX[q] - a->yX[q];
    spd_cholesky_solve(a->B.size, a->LM, a->t);
    spd_tied_expand(&a->B, p, a->t, a->u);
    spd_problem_apply(p, a->u, a->Fu);
    memcpy(a->old, a->z, (size_t)mK * sizeof *a->old);
    for (int64_t i = 0; i < mK; i++) a->v[i] = b->y[i] + rho * a->scale[i] * (RELAX * a->Fu[i] + (1 - RELAX) * a->z[i]);
    memcpy(b->y, a->v, (size_t)mK * sizeof *b->y);
    spd_problem_project_dual(p, b->y, b->term);
    for (int64_t i = 0; i < mK; i++) a->z[i] = (a->v[i] - b->y[i]) / (rho * a->scale[i]);
    if (!spd_newton_model_bounded(p)) return;
    for (int64_t q = 0; q < p->dK; q++) {
        a->yX[q] += rho * (RELAX * a->u[q] + (1 - RELAX) * a->zX[q]);
        a->zX[q] = a->yX[q] / rho;
    }
    p->set.kind->project(p->dK, p->set.arg, a->zX, b->scratch_n);
    spd_axpy(p->dK, -rho, a->zX, a->yX);
}

/* t, u and Fu of the point of X nearest to u, to which the line search may go. */
static void into_set(spd_newton_model *a, const spdhg_problem *p) {
    if (!spd_newton_model_bounded(p)) return;
    p->set.kind->project(p->dK, p->set.arg, a->u, a->b->scratch_n);
    spd_tied_nearest(&a->B, p, a->u, a->t);
    spd_problem_apply(p, a->u, a->Fu);
}

double spd_newton_model_gap(spd_newton_model *a, const spdhg_problem *p, double *decrease) {
    spd_newton *b = a->b;
    const int64_t n = a->B.size, mK = p->m * p->K;
    double *dt = a->solved;
    into_set(a, p);
    for (int64_t q = 0; q < n; q++) dt[q] = a->t[q] - a->tx[q];
    spd_newton_model_transposed(a, p, b->y, a->e);
    spd_axpy(n, 1, a->tg, a->e);
    const double linear = spd_dot(n, a->tg, dt);
    spd_newton_model_multiply(a, dt, a->full);
    const double square = spd_dot(n, dt, a->full);
    const double penalty = spd_problem_penalty(p, a->Fu, b->term);
    double slack = penalty - spd_dot(mK, b->y, a->Fu);
    if (spd_newton_model_bounded(p)) {
        slack += p->set.kind->support(p->dK, p->set.arg, a->yX) - spd_dot(p->dK, a->yX, a->u);
        spd_axpy(p->dK, 1, a->yX, a->e);
    }
    *decrease = -(linear + 0.5 * square + penalty - b->penalty[0]);
    spd_axpy(n, 1, a->full, a->e);
    memcpy(a->solved, a->e, (size_t)n * sizeof *a->e);
    spd_cholesky_solve(n, a->LH, a->solved);
    return 0.5 * spd_dot(n, a->e, a->solved) + slack;
}

/* Sets rho from the balance of primal and dual residual; true if it changed. */
static bool balance(spd_newton_model *a, const spdhg_problem *p) {
    const int64_t n = a->B.size, mK = p->m * p->K;
    for (int64_t i = 0; i < mK; i++) {
        a->v[i] = a->Fu[i] - a->z[i];
        a->old[i] = a->scale[i] * (a->z[i] - a->old[i]);
    }
    const double primal = spd_norm2(mK, a->v) / fmax(fmax(spd_norm2(mK, a->Fu), spd_norm2(mK, a->z)), 1e-300);
    spd_newton_model_transposed(a, p, a->old, a->e);
    const double moved = a->rho[0] * spd_norm2(n, a->e);
    spd_newton_model_transposed(a, p, a->b->y, a->e);
    const double dual = moved / fmax(spd_norm2(n, a->e), 1e-300);
    if (!(primal > 10 * dual || dual > 10 * primal)) return false;
    a->rho[0] *= fmin(10, fmax(0.1, sqrt(primal / fmax(dual, 1e-300))));
    a->rho[0] = fmin(fmax(a->rho[0], 1e-12), 1e12);
    return true;
}

/* H, its factor, S, M and the first rho. */
static bool prepare(spd_newton_model *a, const spdhg_problem *p) {
    const int64_t n = a->B.size;
    double trace = 0, gram = 0;
    memcpy(a->LH, a->H, (size_t)(n * n) * sizeof *a->LH);
    if (!spd_cholesky(n, a->LH)) return false;
    spd_tied_scale(&a->B, p, a->H, a->scale);
    spd_tied_gram(&a->B, p, a->scale, a->M);
    for (int64_t q = 0; q < p->dK && spd_newton_model_bounded(p); q++) a->M[q * n + q] += 1;
    for (int64_t q = 0; q < n; q++) {
        trace += a->H[q * n + q];
        gram += a->M[q * n + q];
    }
    if (a->rho[0] == 0) a->rho[0] = gram > 0 && trace > 0 ? trace / gram : 1;
    spd_newton_model_multiply(a, a->tx, a->rhs);
    spd_axpy(n, -1, a->tg, a->rhs);
    return factor_with_rho(a);
}

/* Near the end the gap of the model becomes that of the certificate (prox_newton.c): a tenth of the required gap suffices. */
static bool good(const spd_newton_model *a, double gap, double decrease) {
    const double f = fabs(a->b->value[0]), goal = decrease < NEAR * f && a->enough > 0 ? 0.1 * a->enough * f : INFINITY;
    return gap <= fmax(fmin(0.01 * decrease, goal), 1e-13 * f);
}

bool spd_newton_model_solve(spd_newton_model *a, const spdhg_problem *p, bool *solved) {
    *solved = true;
    if (!prepare(a, p)) return false;
    int newton = NEWTON_FIRST + (int)(a->B.size / 80) * 10; /* a factorisation costs about n/10 iterations */
    for (int it = 1; it <= ITERATIONS_MOST && !(it > 1 && spd_stop_now(a->b->stop)); it++) {
        inner_iteration(a, p);
        if (it > 2 && it % 10 != 0) continue;
        double decrease, gap = spd_newton_model_gap(a, p, &decrease);
        if (good(a, gap, decrease) || (p->m == 0 && !spd_newton_model_bounded(p))) return true;
        bool anew = it % 10 == 0 && balance(a, p);
        if (it == newton) {
            newton *= 4;
            anew = true;
            if (spd_newton_model_newton(a, p, &gap, &decrease) && good(a, gap, decrease)) return true;
        }
        if (anew && !factor_with_rho(a)) return false;
    }
    *solved = false;
    return true;
}

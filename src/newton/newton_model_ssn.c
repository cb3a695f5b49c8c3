/* newton_model_ssn.c - semismooth Newton on the augmented Lagrangian of the quadratic model (docs/algorithms.md), started from
 * the zeros that ADMM has found:
 *   v = y + big S F u
 *   ( H + B'F' big S DPi(v) F B ) dt = -( H(t - t_x) + B'(g + F'Pi(v)) )
 *   t += s dt (Armijo)
 *   y <- Pi(v) after a full step
 * where DPi is
 *   l1:     1 inside, 0 outside
 *   group:  1 inside, (lambda/||v||)(I - vv'/||v||^2) outside */
#include <cblas.h>

#include "face/zeros.h"
#include "newton/newton_model.h"

enum { STEPS_MOST = 15, HALVINGS_MOST = 20 };
static const double BIG = 1e5; /* times ADMM's rho: closed entries are then closed to five more digits */

void spd_newton_model_exact_zeros(spd_newton_model *a, const spdhg_problem *p, double *x) {
    memset(a->open, 0, (size_t)(p->m * p->K) * sizeof *a->open);
    spd_zeros_of_primal(p, a->z, (spd_small){0}, a->open, a->b->term); /* ADMM's proximal step makes zeros exact */
    spd_tied_make(&a->zeros, p, a->open, spd_problem_normal_size(p));
    spd_tied_nearest(&a->zeros, p, a->u, a->full);
    spd_tied_expand(&a->zeros, p, a->full, x);
}

/* M = B'F' big S DPi(v) F B; old: its diagonal weights. */
static void curvature(spd_newton_model *a, const spdhg_problem *p, double big) {
    const int64_t K = p->K;
    for (int pass = 0; pass < 2; pass++) { /* first the diagonal weights, then the radial part */
        for (int64_t i = 0; i < p->terms; i++) {
            const spd_term *t = &p->term[i];
            const bool l1 = t->penalty->sum_of_sizes;
            if (l1)
                for (int64_t q = t->first; q < t->first + t->m * K && pass == 0; q++)
                    a->old[q] = fabs(a->v[q]) <= t->lambda ? big * a->scale[q] : 0;
            for (int64_t b = 0; b < t->blocks && !l1; b++) {
                double square = 0;
                for (int64_t r = 0; r < spd_term_block_rows(t, b); r++)
                    for (int64_t k = 0; k < K; k++)
                        square += a->v[t->first + spd_term_block_row(t, b, r) * K + k] *
                                  a->v[t->first + spd_term_block_row(t, b, r) * K + k];
                const double norm = sqrt(square), w = big * a->scale[t->first] * (norm <= t->lambda ? 1 : t->lambda / norm);
                if (pass == 1 && norm > t->lambda)
                    spd_tied_take_block(&a->B, p, t, b, a->v, w / (norm * norm), a->M, a->solved, a->touched);
                for (int64_t r = 0; r < spd_term_block_rows(t, b) && pass == 0; r++)
                    for (int64_t k = 0; k < K; k++) a->old[t->first + spd_term_block_row(t, b, r) * K + k] = w;
            }
        }
        if (pass == 0) spd_tied_gram(&a->B, p, a->old, a->M);
        memset(a->solved, 0, (size_t)a->B.size * sizeof *a->solved);
    }
}

/* u, Fu, v = y0 + big S F u and y = Pi(v) at t; returns the augmented Lagrangian. */
static double follow(spd_newton_model *a, const spdhg_problem *p, double big) {
    const int64_t n = a->B.size, mK = p->m * p->K;
    double sum = 0;
    spd_tied_expand(&a->B, p, a->t, a->u);
    spd_problem_apply(p, a->u, a->Fu);
    for (int64_t i = 0; i < mK; i++) a->b->y[i] = a->v[i] = a->open[i] + big * a->scale[i] * a->Fu[i];
    spd_problem_project_dual(p, a->b->y, a->b->term);
    for (int64_t i = 0; i < mK; i++)
        sum += ((a->v[i] - 0.5 * a->b->y[i]) * a->b->y[i] - 0.5 * a->open[i] * a->open[i]) / (big * a->scale[i]);
    spd_newton_model_multiply(a, a->t, a->full);
    return sum + 0.5 * spd_dot(n, a->t, a->full) - spd_dot(n, a->t, a->rhs);
}

/* e = -dt; returns the slope along it, or 1 if the matrix is not definite. */
static double direction(spd_newton_model *a, const spdhg_problem *p, double big) {
    const int64_t n = a->B.size;
    curvature(a, p, big);
    for (int64_t i = 0; i < n * n; i++) a->LM[i] = a->H[i] + a->M[i];
    if (!spd_cholesky(n, a->LM)) return 1;
    spd_newton_model_transposed(a, p, a->b->y, a->e);
    spd_newton_model_multiply(a, a->t, a->full); /* H t + B'F'Pi(v) - (H t_x - B'g) */
    for (int64_t q = 0; q < n; q++) a->solved[q] = a->e[q] += a->full[q] - a->rhs[q];
    spd_cholesky_solve(n, a->LM, a->e);
    return -spd_dot(n, a->e, a->solved);
}

/* One Newton step with Armijo's rule; after a full step y0 is updated. False if nothing was gained. */
static bool newton_step(spd_newton_model *a, const spdhg_problem *p, double big) {
    const int64_t n = a->B.size;
    const double now = follow(a, p, big), slope = direction(a, p, big);
    double s = 1;
    if (!(slope < 0)) return false;
    spd_axpy(n, -1, a->e, a->t);
    for (int halving = 0; halving < HALVINGS_MOST; halving++, s *= 0.5) {
        if (follow(a, p, big) <= now + 1e-4 * s * slope + 1e-15 * fabs(now)) {
            if (s == 1) memcpy(a->open, a->b->y, (size_t)(p->m * p->K) * sizeof *a->open);
            return true;
        }
        spd_axpy(n, 0.5 * s, a->e, a->t);
    }
    return false;
}

bool spd_newton_model_newton(spd_newton_model *a, const spdhg_problem *p, double *gap, double *decrease) {
    const int64_t n = a->B.size, mK = p->m * p->K;
    const double big = BIG * a->rho[0], before = *gap, before_decrease = *decrease;
    if (spd_newton_model_bounded(p)) return false;
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->sum_of_sizes && !p->term[t].penalty->length) return false;
    memcpy(a->kept, a->t, (size_t)n * sizeof *a->kept);
    memcpy(a->kept_y, a->b->y, (size_t)mK * sizeof *a->kept_y);
    spd_newton_model_exact_zeros(a, p, a->u);
    spd_tied_nearest(&a->B, p, a->u, a->t);
    memcpy(a->open, a->b->y, (size_t)mK * sizeof *a->open); /* from here on this is y0 */
    for (int step = 0; step < STEPS_MOST && !spd_stop_now(a->b->stop) && newton_step(a, p, big); step++) {
        *gap = spd_newton_model_gap(a, p, decrease);
        if (*gap <= 0.01 * *decrease) break;
    }
    spd_tied_gram(&a->B, p, a->scale, a->M);
    if (*gap < before) {
        for (int64_t i = 0; i < mK; i++) a->z[i] = (a->v[i] - a->b->y[i]) / (big * a->scale[i]);
        return true;
    }
    memcpy(a->t, a->kept, (size_t)n * sizeof *a->kept);
    memcpy(a->b->y, a->kept_y, (size_t)mK * sizeof *a->kept_y);
    spd_tied_expand(&a->B, p, a->t, a->u);
    spd_problem_apply(p, a->u, a->Fu);
    *gap = before, *decrease = before_decrease;
    return false;
}

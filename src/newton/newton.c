/* newton.c - the vector (x, c), its scores, slopes, curvatures, gradient and line search; shared by the second-order solvers. */
#include "newton/newton.h"

void spd_newton_layout(spd_run *run, spd_newton *b) {
    const spdhg_problem *p = run->problem;
    const int64_t n = p->dK + p->K, nK = p->n * p->K, mK = p->m * p->K;
    int64_t scratch = spd_problem_gradient_work(p);
    if (!spd_problem_refuses_factor(p) && !spd_solver_refuses(run->kind, p) && spd_problem_normal_work(p, run->threads) > scratch)
        scratch = spd_problem_normal_work(p, run->threads);
    b->x = spd_arena_take(&run->state, n);
    b->y = spd_arena_take(&run->state, mK);
    b->value = spd_arena_take(&run->work, 1);
    b->penalty = spd_arena_take(&run->work, 1);
    b->g = spd_arena_take(&run->work, n);
    b->score = spd_arena_take(&run->work, nK);
    b->move = spd_arena_take(&run->work, nK);
    b->curve = spd_arena_take(&run->work, nK);
    b->alpha = spd_arena_take(&run->work, nK);
    b->Fx = spd_arena_take(&run->work, mK);
    b->Ftrial = spd_arena_take(&run->work, mK);
    b->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    b->scratch_n = spd_arena_take(&run->work, n);
    b->scratch = spd_arena_take(&run->work, scratch + spd_problem_blocks(p) * (1 + 3 * p->K) + 8 * p->K);
}

void spd_newton_start(spd_run *run, spd_newton *b, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    b->stop = run->stop;
    if (!run->again) spd_run_clear(run);
    spd_run_take(run, x0, p->intercept ? c0 : NULL, y0, b->x, b->x + p->dK, b->y, b->term);
}

void spd_newton_output(const spd_run *run, double *x, double *c, double *y) {
    const spd_newton *b = run->self;
    spd_run_give(run, b->x, b->x + run->problem->dK, b->y, x, c, y);
}

double spd_newton_loss(spd_run *run, const spd_newton *b, double t) {
    return spd_problem_losses(run->problem, run->threads, &(spd_scores){.z = b->score, .move = b->move, .t = t}, NULL, NULL,
                              b->scratch);
}

/* The scores including c; best_c: the loss is minimised over c first. */
static void find_scores(spd_run *run, spd_newton *b, bool best_c) {
    const spdhg_problem *p = run->problem;
    double *c = b->x + p->dK;
    spd_problem_scores(p, run->threads, b->x, b->score);
    if (p->intercept && best_c)
        spd_problem_best_intercept(p, run->threads, b->score, c, b->scratch, b->scratch + spd_problem_blocks(p) * (1 + 3 * p->K),
                                   run->stop);
    if (p->intercept) spd_problem_shift(p, c, b->score);
}

void spd_newton_gradient(spd_run *run, spd_newton *b, bool best_c) {
    const spdhg_problem *p = run->problem;
    const spd_evaluation *here = &run->evaluation;
    const bool known = here->z && (best_c || !p->intercept);
    double loss = here->loss;
    if (known) {
        spd_parallel_copy(run->threads, p->n * p->K, here->z, b->score);
        if (p->intercept) memcpy(b->x + p->dK, here->c, (size_t)p->K * sizeof *b->x);
    } else
        find_scores(run, b, best_c);
    if (known) {
        spd_parallel_copy(run->threads, p->n * p->K, here->slope, b->alpha);
        spd_parallel_copy(run->threads, p->n * p->K, here->curve, b->curve);
    } else
        loss = spd_problem_losses(p, run->threads, &(spd_scores){.z = b->score}, b->alpha, b->curve, b->scratch);
    if (known && here->g) {
        memcpy(b->g, here->g, (size_t)p->dK * sizeof *b->g);
        memcpy(b->g + p->dK, here->gc, (size_t)p->K * sizeof *b->g);
    } else {
        spd_problem_adjoint(p, run->threads, b->alpha, b->g, b->g + p->dK, b->scratch);
    }
    spd_axpy(p->dK, p->gamma, b->x, b->g);
    spd_problem_apply(p, b->x, b->Fx);
    *b->penalty = spd_problem_penalty(p, b->Fx, b->term);
    *b->value = loss + 0.5 * p->gamma * spd_dot(p->dK, b->x, b->x) + *b->penalty;
    run->rows_visited += 2 * p->n;
}

void spd_newton_direction_scores(spd_run *run, spd_newton *b, const double *dx) {
    const spdhg_problem *p = run->problem;
    spd_problem_products(p, run->threads, dx, b->move);
    if (p->intercept) spd_problem_shift(p, dx + p->dK, b->move);
    run->rows_visited += p->n;
}

void spd_newton_stiffen(const spdhg_problem *p, double f, int64_t n, const double *g, double *H, double *work) {
    double *d = work, *Hd = work + n;
    if (isfinite(p->kappa)) return;
    for (int64_t i = 0; i < n; i++) d[i] = H[i * n + i] > 0 ? g[i] / H[i * n + i] : 0;
    spd_symmetric_apply(n, H, d, Hd);
    const double slope = spd_dot(n, g, d), bend = spd_dot(n, d, Hd), factor = slope / bend * (slope / (2 * f));
    if (factor > 1 && isfinite(factor)) spd_scale(n * n, factor, H);
}

bool spd_newton_line_search(spd_run *run, spd_newton *b, const double *dx, const double *Fu, double delta, int halvings) {
    const spdhg_problem *p = run->problem;
    const int64_t mK = p->m * p->K, n = p->dK + (p->intercept ? p->K : 0);
    spd_newton_direction_scores(run, b, dx);
    const double xx = spd_dot(p->dK, b->x, b->x), xd = spd_dot(p->dK, b->x, dx), dd = spd_dot(p->dK, dx, dx);
    double t = 1;
    for (int i = 0; i < halvings; i++, t *= 0.5) {
        for (int64_t e = 0; e < mK; e++) b->Ftrial[e] = b->Fx[e] + t * (Fu[e] - b->Fx[e]);
        const double trial = spd_newton_loss(run, b, t) + 0.5 * p->gamma * (xx + 2 * t * xd + t * t * dd) +
                             spd_problem_penalty(p, b->Ftrial, b->term);
        if (trial <= *b->value + 1e-4 * t * delta + 1e-15 * fabs(*b->value)) {
            spd_axpy(n, t, dx, b->x);
            return spd_norm2(n, dx) * t > 1e-16 * spd_norm2(n, b->x);
        }
    }
    return false;
}

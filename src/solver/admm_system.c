/* admm_system.c - the x-step of the exact ADMMs: ( diag(h) + rho F'F ) x = b, K outputs at once.
 * A feature that F does not touch is x = b/h. The others by conjugate gradients warm started at the previous x: with h = 1/eta
 * the condition is at most 1 + rho eta ||F||^2, which falls to 1 as the steps shrink, so a handful of products with F and F' is
 * enough. No inverse, no fill-in. */
#include "solver/admm.h"

void spd_admm_system_layout(spd_run *run, spd_admm_system *s) {
    const spdhg_problem *p = run->problem;
    s->gram = spd_arena_take(&run->state, p->d);
    s->touched = spd_arena_take(&run->state, p->d);
    s->h = spd_arena_take(&run->work, p->dK);
    s->b = spd_arena_take(&run->work, p->dK);
    s->wide = spd_arena_take(&run->work, p->dK);
    s->Fp = spd_arena_take(&run->work, p->m * p->K);
    s->x = spd_arena_take(&run->work, p->dK);
    s->right = spd_arena_take(&run->work, p->dK);
    s->narrow_h = spd_arena_take(&run->work, p->dK);
    s->diagonal = spd_arena_take(&run->work, p->dK);
    s->cg = spd_arena_take(&run->work, 4 * p->dK);
}

void spd_admm_system_start(spd_admm_system *s, const spdhg_problem *p, double rho, double tolerance) {
    s->problem = p;
    s->rho = rho;
    s->tolerance = tolerance;
    spd_problem_gram_diagonal(p, s->gram);
    s->count = 0;
    for (int64_t j = 0; j < p->d; j++)
        if (s->gram[j] > 0) s->touched[s->count++] = (double)j;
}

static void gather(const spd_admm_system *s, const double *wide, double *narrow) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < K; k++) narrow[i * K + k] = wide[(int64_t)s->touched[i] * K + k];
}

static void scatter(const spd_admm_system *s, const double *narrow, double *wide) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t k = 0; k < K; k++) wide[(int64_t)s->touched[i] * K + k] = narrow[i * K + k];
}

/* Ax = h x + rho F'(F x) of the features that F touches; the others are neither read nor written. */
static void apply(const void *context, const double *x, double *Ax) {
    const spd_admm_system *s = context;
    const spdhg_problem *p = s->problem;
    scatter(s, x, s->wide);
    spd_problem_apply(p, s->wide, s->Fp);
    spd_scale(p->m * p->K, s->rho, s->Fp);
    for (int64_t q = 0; q < s->count * p->K; q++) Ax[q] = s->narrow_h[q] * x[q];
    scatter(s, Ax, s->wide);
    spd_problem_add_transposed(p, s->Fp, s->wide);
    gather(s, s->wide, Ax);
}

void spd_admm_system_solve(spd_admm_system *s, double *x) {
    const spdhg_problem *p = s->problem;
    gather(s, x, s->x);
    gather(s, s->b, s->right);
    gather(s, s->h, s->narrow_h);
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t q = i * p->K; q < (i + 1) * p->K; q++)
            s->diagonal[q] = s->narrow_h[q] + s->rho * s->gram[(int64_t)s->touched[i]];
    const spd_cg cg = {.apply = apply, .context = s, .diagonal = s->diagonal, .tolerance = s->tolerance, .most = 1000};
    spd_cg_solve(&cg, s->count * p->K, s->right, s->x, s->cg);
    for (int64_t q = 0; q < p->dK; q++) x[q] = s->b[q] / s->h[q];
    scatter(s, s->x, x);
}

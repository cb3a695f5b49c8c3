/* admm_system.c - the x-step of the exact ADMMs: ( diag(h) + rho F'F ) x = b, K outputs at once.
 * Conjugate gradients warm started at the previous x: with h = 1/eta the condition is at most 1 + rho eta ||F||^2, which falls to
 * 1 as the steps shrink, so a handful of products with F and F' is enough. No inverse, no fill-in. */
#include "solver/admm.h"

void spd_admm_system_layout(spd_run *run, spd_admm_system *s) {
    const spdhg_problem *p = run->problem;
    s->gram = spd_arena_take(&run->state, p->d);
    s->h = spd_arena_take(&run->work, p->dK);
    s->diagonal = spd_arena_take(&run->work, p->dK);
    s->Fp = spd_arena_take(&run->work, p->m * p->K);
    s->cg = spd_arena_take(&run->work, 4 * p->dK);
    s->b = spd_arena_take(&run->work, p->dK);
}

void spd_admm_system_start(spd_admm_system *s, const spdhg_problem *p, double rho, double tolerance) {
    s->problem = p;
    s->rho = rho;
    s->tolerance = tolerance;
    spd_problem_gram_diagonal(p, s->gram);
}

/* Ax = h x + rho F'(F x) */
static void apply(const void *context, const double *x, double *Ax) {
    const spd_admm_system *s = context;
    const spdhg_problem *p = s->problem;
    spd_problem_apply(p, x, s->Fp);
    spd_scale(p->m * p->K, s->rho, s->Fp);
    for (int64_t q = 0; q < p->dK; q++) Ax[q] = s->h[q] * x[q];
    spd_problem_add_transposed(p, s->Fp, Ax);
}

void spd_admm_system_solve(spd_admm_system *s, double *x) {
    const spdhg_problem *p = s->problem;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < p->K; k++) s->diagonal[j * p->K + k] = s->h[j * p->K + k] + s->rho * s->gram[j];
    const spd_cg cg = {.apply = apply, .context = s, .diagonal = s->diagonal, .tolerance = s->tolerance, .most = 1000};
    spd_cg_solve(&cg, p->dK, s->b, x, s->cg);
}

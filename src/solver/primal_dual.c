/* primal_dual.c - the state that PD3O, Condat-Vu and the variance-reduced methods share, and PD3O's step; primal_dual.h has the equations. */
#include "solver/primal_dual.h"

void spd_pd_layout(spd_run *run, spd_primal_dual *a) {
    const spdhg_problem *p = run->problem;
    const int64_t mK = p->m * p->K;
    a->q = spd_arena_take(&run->state, p->dK);
    a->c = spd_arena_take(&run->state, p->K);
    a->y = spd_arena_take(&run->state, mK);
    a->u = spd_arena_take(&run->state, p->dK);
    a->tau = spd_arena_take(&run->state, p->d + 1);
    a->s = spd_arena_take(&run->state, p->m);
    a->x = spd_arena_take(&run->work, p->dK);
    a->g = spd_arena_take(&run->work, p->dK);
    a->gc = spd_arena_take(&run->work, p->K);
    a->v = spd_arena_take(&run->work, p->dK);
    a->Fv = spd_arena_take(&run->work, mK);
    a->projection = spd_arena_take(&run->work, p->dK);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->full = spd_arena_take(&run->work, spd_problem_gradient_work(p));
    a->h = spd_arena_take(&run->work, p->d + 1);
    a->columns = spd_arena_take(&run->work, p->d + 1);
    a->power = spd_arena_take(&run->work, 2 * (p->d + 1) + spd_problem_gradient_work(p));
    a->sums = spd_arena_take(&run->work, p->d + p->m);
}

static void set_transposed(spd_primal_dual *a, const spdhg_problem *p) {
    memset(a->u, 0, (size_t)p->dK * sizeof *a->u);
    spd_problem_add_transposed(p, a->y, a->u);
}

void spd_pd_start(spd_run *run, spd_primal_dual *a, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    memset(run->state.base, 0, (size_t)run->state.size * sizeof(double));
    if (x0) memcpy(a->q, x0, (size_t)p->dK * sizeof *x0);
    if (c0) memcpy(a->c, c0, (size_t)p->K * sizeof *c0);
    if (y0) memcpy(a->y, y0, (size_t)(p->m * p->K) * sizeof *y0);
    p->set.kind->project(p->dK, p->set.arg, a->q, a->projection);
    spd_problem_project_dual(p, a->y, a->term);
    set_transposed(a, p);
}

void spd_pd_primal(spd_primal_dual *a, const spdhg_problem *p) {
    memcpy(a->x, a->q, (size_t)p->dK * sizeof *a->x);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
}

void spd_pd_dual(spd_primal_dual *a, const spdhg_problem *p) {
    const int64_t K = p->K;
    spd_problem_apply(p, a->v, a->Fv);
    for (int64_t e = 0; e < p->m; e++)
        for (int64_t i = e * K; i < (e + 1) * K; i++) a->y[i] += a->s[e] * a->Fv[i];
    spd_problem_project_dual(p, a->y, a->term);
    set_transposed(a, p);
}

void spd_pd_pd3o(spd_primal_dual *a, const spdhg_problem *p) {
    const int64_t K = p->K;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t i = j * K; i < (j + 1) * K; i++) a->v[i] = 2 * a->x[i] - a->q[i] - a->tau[j] * (a->g[i] + a->u[i]);
    spd_pd_dual(a, p);
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t i = j * K; i < (j + 1) * K; i++) a->q[i] = a->x[i] - a->tau[j] * (a->g[i] + a->u[i]);
    if (p->intercept) spd_axpy(K, -a->tau[p->d], a->gc, a->c);
}

/* Pi_X needs room that no step uses: `projection` is work, which carries nothing. */
void spd_pd_output(const spd_run *run, const spd_primal_dual *a, double *x, double *c, double *y) {
    const spdhg_problem *p = run->problem;
    memcpy(x, a->q, (size_t)p->dK * sizeof *x);
    p->set.kind->project(p->dK, p->set.arg, x, a->projection);
    memcpy(c, a->c, (size_t)p->K * sizeof *c);
    memcpy(y, a->y, (size_t)(p->m * p->K) * sizeof *y);
}

int64_t spd_pd_dual_cost(const spdhg_problem *p) {
    int64_t cost = 6 * p->d;
    for (int64_t t = 0; t < p->terms; t++) cost += 2 * spd_csr_nnz(&p->term[t].F->F) + 2 * p->term[t].m;
    return cost * p->K;
}

const char *spd_pd_refuses(const spdhg_problem *p) {
    (void)p;
    return NULL;
}

/* primal_dual.c - the state that PD3O, Condat-Vu and the variance-reduced methods share, and PD3O's step; the equations are in
 * primal_dual.h. */
#include "primal_dual/primal_dual.h"

void spd_pd_layout(spd_run *run) {
    spd_primal_dual *a = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t mK = p->m * p->K;
    a->q = spd_arena_take(&run->state, p->dK);
    a->c = spd_arena_take(&run->state, p->K);
    a->y = spd_arena_take(&run->state, mK);
    a->u = spd_arena_take(&run->state, p->dK);
    a->tau = spd_arena_take(&run->state, p->dK + 1);
    a->s = spd_arena_take(&run->state, p->m);
    a->x = spd_arena_take(&run->work, p->dK);
    a->g = spd_arena_take(&run->work, p->dK);
    a->gc = spd_arena_take(&run->work, p->K);
    a->v = spd_arena_take(&run->work, p->dK);
    a->Fv = spd_arena_take(&run->work, mK);
    a->projection = spd_arena_take(&run->work, p->dK);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->gradient_work = spd_arena_take(&run->work, spd_problem_gradient_work(p));
    a->h = spd_arena_take(&run->work, p->d + 1);
    a->columns = spd_arena_take(&run->work, p->d + 1);
    a->power = spd_arena_take(&run->work, 2 * (p->d + 1) + spd_problem_gradient_work(p));
    a->sums = spd_arena_take(&run->work, p->d + p->m);
}

void spd_pd_start(spd_run *run, spd_primal_dual *a, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, a->q, a->c, a->y, a->term);
    p->set.kind->project(p->dK, p->set.arg, a->q, a->projection);
    spd_problem_add_transposed(p, a->y, a->u);
}

void spd_pd_primal(spd_primal_dual *a, const spdhg_problem *p) {
    memcpy(a->x, a->q, (size_t)p->dK * sizeof *a->x);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
}

static inline double clip(double v, double bound) { return v > bound ? bound : v < -bound ? -bound : v; }

/* l1 and one output: product, clipping and transposed product of a row in one pass over F, which halves the time of a small
 * step. */
static void row_by_row(const spd_term *t, const double *s, const double *v, double *y, double *u) {
    const spd_csr *F = &t->F->F;
    for (int64_t e = 0; e < F->m && spd_csr_is_identity(F); e++) {
        y[e] = clip(y[e] + s[e] * v[e], t->lambda);
        u[e] += y[e];
    }
    for (int64_t e = 0; e < F->m && F->ptr; e++) {
        double z = 0;
        for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++) z += F->val[q] * v[F->idx[q]];
        y[e] = clip(y[e] + s[e] * z, t->lambda);
        for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++) u[F->idx[q]] += F->val[q] * y[e];
    }
}

void spd_pd_dual(spd_primal_dual *a, const spdhg_problem *p) {
    const int64_t K = p->K;
    memset(a->u, 0, (size_t)p->dK * sizeof *a->u);
    for (int64_t i = 0; i < p->terms; i++) {
        const spd_term *t = &p->term[i];
        double *y = a->y + t->first;
        const double *s = a->s + t->first / K;
        if (K == 1 && t->penalty->sum_of_sizes) {
            row_by_row(t, s, a->v, y, a->u);
            continue;
        }
        spd_term_apply(t, K, a->v, a->Fv);
        for (int64_t e = 0; e < t->m; e++)
            for (int64_t k = e * K; k < (e + 1) * K; k++) y[k] += s[e] * a->Fv[k];
        spd_term_project(t, K, y, a->term);
        spd_term_add_transposed(t, K, y, a->u);
    }
}

/* v = 2x - q - T(G + F'y) and q = x - T(G + F'y) */
SPD_WIDE static void predict(int64_t n, const double *x, const double *q, const double *tau, const double *g, const double *u,
                             double *restrict v) {
    for (int64_t i = 0; i < n; i++) v[i] = 2 * x[i] - q[i] - tau[i] * (g[i] + u[i]);
}
SPD_WIDE static void descend(int64_t n, const double *x, const double *tau, const double *g, const double *u,
                             double *restrict q) {
    for (int64_t i = 0; i < n; i++) q[i] = x[i] - tau[i] * (g[i] + u[i]);
}

void spd_pd_pd3o(spd_primal_dual *a, const spdhg_problem *p) {
    predict(p->dK, a->x, a->q, a->tau, a->g, a->u, a->v);
    spd_pd_dual(a, p);
    descend(p->dK, a->x, a->tau, a->g, a->u, a->q);
    if (p->intercept) spd_axpy(p->K, -a->tau[p->dK], a->gc, a->c);
}

/* Pi_X needs scratch: `projection` is free, because work is not kept between steps. */
void spd_pd_output(const spd_run *run, double *x, double *c, double *y) {
    const spd_primal_dual *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_give(run, a->q, a->c, a->y, x, c, y);
    p->set.kind->project(p->dK, p->set.arg, x, a->projection);
}

int64_t spd_pd_dual_cost(const spdhg_problem *p) {
    int64_t cost = p->d; /* as measured: a feature in a vector loop costs about a fifth of an entry of a row */
    for (int64_t t = 0; t < p->terms; t++) {
        const bool one_pass = p->K == 1 && p->term[t].penalty->sum_of_sizes;
        cost += (one_pass ? 1 : 3) * spd_csr_nnz(&p->term[t].F->F);
    }
    return cost * p->K;
}

const char *spd_pd_refuses(const spdhg_problem *p) {
    (void)p;
    return NULL;
}

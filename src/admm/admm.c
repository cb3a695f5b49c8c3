/* admm.c - the tail, the averages and the start that all ADMM methods here share; the equations are in admm.h. */
#include "admm/admm.h"

void spd_admm_layout(spd_run *run, spd_admm *a) {
    const spdhg_problem *p = run->problem;
    const int64_t mK = p->m * p->K;
    a->x = spd_arena_take(&run->state, p->dK);
    a->c = spd_arena_take(&run->state, p->K);
    a->z = spd_arena_take(&run->state, mK);
    a->y = spd_arena_take(&run->state, mK);
    a->Fx = spd_arena_take(&run->state, mK);
    a->x_sum = spd_arena_take(&run->state, p->dK);
    a->c_sum = spd_arena_take(&run->state, p->K);
    a->y_sum = spd_arena_take(&run->state, mK);
    a->scalar = spd_arena_take(&run->state, SPD_ADMM_SCALARS);
    a->g = spd_arena_take(&run->work, p->dK);
    a->gc = spd_arena_take(&run->work, p->K);
    a->v = spd_arena_take(&run->work, mK);
    a->slope = spd_arena_take(&run->work, (run->batch + 1) * p->K);
    a->projection = spd_arena_take(&run->work, p->dK);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->smoothness = spd_arena_take(&run->work, run->kind->smoothness ? spd_problem_smoothness_work(p) : 0);
}

void spd_admm_start(spd_run *run, spd_admm *a, const double *x0, const double *c0, const double *y0) {
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, a->x, a->c, a->y, a->term);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
    spd_problem_apply(p, a->x, a->Fx);
    memcpy(a->z, a->Fx, (size_t)(p->m * p->K) * sizeof *a->z);
}

void spd_admm_gradient(spd_admm *a, const spdhg_problem *p, const spd_batch *batch, double ridge) {
    spd_batch_slopes(p, batch, a->x, a->c, a->slope);
    for (int64_t j = 0; j < p->dK; j++) a->g[j] = ridge * a->x[j];
    spd_batch_add(p, batch, a->slope, 1, a->g);
    spd_batch_sum(p, batch, a->slope, a->gc);
}

void spd_admm_tail(spd_admm *a, const spdhg_problem *p) {
    const int64_t mK = p->m * p->K;
    spd_problem_apply(p, a->x, a->Fx);
    memcpy(a->v, a->y, (size_t)mK * sizeof *a->v);
    spd_axpy(mK, a->rho, a->Fx, a->y);
    spd_problem_project_dual(p, a->y, a->term);
    for (int64_t e = 0; e < mK; e++) a->z[e] = a->Fx[e] - (a->y[e] - a->v[e]) / a->rho;
}

void spd_admm_add_augmented(spd_admm *a, const spdhg_problem *p, double *g) {
    for (int64_t e = 0; e < p->m * p->K; e++) a->v[e] = a->y[e] + a->rho * (a->Fx[e] - a->z[e]);
    spd_problem_add_transposed(p, a->v, g);
}

void spd_admm_add_target(spd_admm *a, const spdhg_problem *p, double *b) {
    for (int64_t e = 0; e < p->m * p->K; e++) a->v[e] = a->rho * a->z[e] - a->y[e];
    spd_problem_add_transposed(p, a->v, b);
}

double spd_admm_rho(const spdhg_problem *p, double given, double L) {
    if (!isnan(given)) return given;
    const double norm = spd_problem_structure_norm(p);
    return norm > 0 && L > 0 ? L / (norm * norm) : 1;
}

void spd_admm_average(spd_admm *a, const spdhg_problem *p) { spd_admm_average_dual(a, p, a->y); }

void spd_admm_average_dual(spd_admm *a, const spdhg_problem *p, const double *y) {
    spd_admm_add_primal(a, p, 1);
    spd_admm_add_dual(a, p, 1, y);
}

void spd_admm_add_primal(spd_admm *a, const spdhg_problem *p, double weight) {
    spd_axpy(p->dK, weight, a->x, a->x_sum);
    spd_axpy(p->K, weight, a->c, a->c_sum);
}

void spd_admm_add_dual(spd_admm *a, const spdhg_problem *p, double weight, const double *y) {
    spd_axpy(p->m * p->K, weight, y, a->y_sum);
    a->scalar[SPD_ADMM_TOTAL] += weight;
}

static void scaled(int64_t n, double factor, const double *from, double *to) {
    for (int64_t i = 0; i < n; i++) to[i] = factor * from[i];
}

void spd_admm_output_average(const spd_run *run, double *x, double *c, double *y) {
    const spd_admm *a = run->self;
    const spdhg_problem *p = run->problem;
    const double total = a->scalar[SPD_ADMM_TOTAL];
    if (total == 0) {
        spd_admm_output_last(run, x, c, y);
        return;
    }
    scaled(p->dK, 1 / total, a->x_sum, x);
    scaled(p->K, 1 / total, a->c_sum, c);
    scaled(p->m * p->K, 1 / total, a->y_sum, y);
}

void spd_admm_output_last(const spd_run *run, double *x, double *c, double *y) {
    const spd_admm *a = run->self;
    spd_run_give(run, a->x, a->c, a->y, x, c, y);
}

const char *spd_admm_accepts(const spdhg_problem *p) {
    (void)p;
    return NULL;
}

const char *spd_admm_refuses_sets(const spdhg_problem *p) {
    return p->set.kind->whole ? NULL
                              : "its x-step is a linear system, which a set X would turn into a quadratic program; use --set all";
}

int64_t spd_admm_dual_cost(const spdhg_problem *p) {
    int64_t cost = 6 * p->d;
    for (int64_t t = 0; t < p->terms; t++) cost += 3 * spd_csr_nnz(&p->term[t].F->F) + 4 * p->term[t].m;
    return cost * p->K;
}

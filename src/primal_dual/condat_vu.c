/* condat_vu.c - the primal-dual splitting of Condat (JOTA 2013) and Vu (2013) with full gradients; one iteration is one pass.
 *
 *   x^{k+1} = Pi_X[ x^k - T( grad l(x^k) + gamma x^k + F'y^k ) ]
 *   y^{k+1} = Pi_{lambda Y}( y^k + S F (2x^{k+1} - x^k) )
 *   Output x, y: the iterates themselves converge, for T^-1 - F'SF >= L/2
 *
 * Steps: primal_dual_steps.c chooses s such that both parts of this condition are equal. Diagonal T, S as in Pock and Chambolle
 * (2011). */
#include "primal_dual/primal_dual.h"

static const spd_param param[SPD_PD_PARAMS] = {SPD_PD_PARAM_ROWS};

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_primal_dual *a = run->self;
    spd_pd_start(run, a, x0, c0, y0);
    spd_pd_curvature(run, a, INFINITY);
    spd_pd_condat_vu_steps(run, a);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    (void)batch;
    spd_primal_dual *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_problem_gradient(p, run->threads, a->q, a->c, a->g, a->gc, NULL, a->gradient_work);
    for (int64_t i = 0; i < p->dK; i++) a->x[i] = a->q[i] - a->tau[i] * (a->g[i] + p->gamma * a->q[i] + a->u[i]);
    p->set.kind->project(p->dK, p->set.arg, a->x, a->projection);
    for (int64_t i = 0; i < p->dK; i++) a->v[i] = 2 * a->x[i] - a->q[i];
    memcpy(a->q, a->x, (size_t)p->dK * sizeof *a->q);
    spd_pd_dual(a, p);
    if (p->intercept) spd_axpy(p->K, -a->tau[p->dK], a->gc, a->c);
    run->rows_visited += p->n;
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_condat_vu = {
    .name = "condat-vu",
    .what = "Condat-Vu primal-dual splitting, full gradient, constant steps, last iterate",
    .reference = "Condat: A primal-dual splitting method for convex optimization, JOTA 2013; Vu 2013",
    .param = param,
    .params = SPD_PD_PARAMS,
    .full_information = true,
    .self_size = sizeof(spd_primal_dual),
    .refuses = spd_pd_refuses,
    .layout = spd_pd_layout,
    .start = start,
    .step = step,
    .output = spd_pd_output};

/* pd3o.c - primal-dual three-operator splitting of Yan (J. Sci. Comput. 2018) with full gradients; one iteration is one pass.
 *
 *   x^k     = Pi_X(q^k)
 *   y^{k+1} = Pi_{lambda Y}( y^k + S F (2x^k - q^k - T(grad l(x^k) + gamma x^k + F'y^k)) )
 *   q^{k+1} = x^k - T(grad l(x^k) + gamma x^k + F'y^{k+1})
 *   Output x, y: the iterates themselves converge, for tau < 2/L and ||S^1/2 F T^1/2|| <= 1
 *
 * Steps: primal_dual_steps.c. The diagonal metrics T, S are our extension; Yan's steps are scalars. */
#include "primal_dual/primal_dual.h"

enum { PARAM_THETA = SPD_PD_PARAMS, PARAMS };
static const spd_param param[PARAMS] = {
    SPD_PD_PARAM_ROWS,
    {"theta", 1.5, 1e-6, 1.99, "primal step times L"},
};

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_primal_dual *a = run->self;
    spd_pd_start(run, a, x0, c0, y0);
    spd_pd_curvature(run, a, INFINITY);
    spd_pd_pd3o_steps(run, a, run->param[PARAM_THETA]);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    (void)batch;
    spd_primal_dual *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_pd_primal(a, p);
    spd_problem_gradient(p, run->threads, a->x, a->c, a->g, a->gc, NULL, a->gradient_work);
    spd_axpy(p->dK, p->gamma, a->x, a->g);
    spd_pd_pd3o(a, p);
    run->rows_visited += p->n;
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_pd3o = {
    .name = "pd3o",
    .what = "primal-dual three-operator splitting, full gradient, constant steps, last iterate",
    .reference = "Yan: A new primal-dual algorithm for minimizing the sum of three functions with a linear operator, 2018",
    .param = param,
    .params = PARAMS,
    .full_information = true,
    .self_size = sizeof(spd_primal_dual),
    .refuses = spd_pd_refuses,
    .layout = spd_pd_layout,
    .start = start,
    .step = step,
    .output = spd_pd_output};

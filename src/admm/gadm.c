/* gadm.c - gradient-based ADMM of Gao, Jiang and Zhang, the deterministic scheme at the end of the paper's Section 2.2.
 *
 *   For k = 0, 1, ...: z^{k+1}, x^{k+1}, y^{k+1} by the step of sgadm.h with
 *     g = grad l(x^k) + gamma x^k
 *     eta = 1/C,  C = L + rho ||F||^2
 *   Output the uniform averages of x^{k+1} and yhat^{k+1}
 *
 * The paper's display misprints the x-step: the step length is written rho (it is eta; with rho the method diverges once rho >
 * 2/L), and the F' before the gradient of the penalty is missing. Its lambda^k is our y^k. With this eta the x-step minimises a
 * majoriser of the augmented Lagrangian, so that the scheme is a proximal ADMM, whose averages converge at O(1/k).
 * One iteration is one pass over the data. */
#include "admm/sgadm.h"

typedef struct gadm {
    spd_sgadm common; /* first, so that the functions of sgadm.c work on it */
    double *gradient_work;
} gadm;

static void layout(spd_run *run) {
    gadm *self = run->self;
    spd_admm_layout(run, &self->common.admm);
    self->gradient_work = spd_arena_take(&run->work, spd_problem_gradient_work(run->problem));
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    (void)batch;
    gadm *self = run->self;
    spd_admm *a = &self->common.admm;
    const spdhg_problem *p = run->problem;
    spd_problem_gradient(p, run->threads, a->x, a->c, a->g, a->gc, NULL, self->gradient_work);
    spd_axpy(p->dK, p->gamma, a->x, a->g);
    spd_sgadm_advance(&self->common, p, 1 / self->common.C);
    run->rows_visited += p->n;
    return SPD_CONTINUE;
}

const spd_solver_kind spd_solver_gadm = {
    .name = "gadm",
    .what = "gradient-based ADMM, full gradient, constant step 1/(L + rho ||F||^2), uniform average",
    .reference = "Gao, Jiang, Zhang: On the information-adaptive variants of the ADMM, J. Sci. Comput. 2018",
    .param = spd_sgadm_param,
    .params = SPD_SGADM_PARAMS,
    .full_information = true,
    .smoothness = SPD_L_EXPECTED,
    .self_size = sizeof(gadm),
    .refuses = spd_admm_accepts,
    .layout = layout,
    .start = spd_sgadm_start,
    .step = step,
    .output = spd_admm_output_average};

/* lpdhg.c - linearised primal-dual hybrid gradient: the deterministic scheme the paper starts from (its Section 2.2).
 *
 *   y^{k+1} = Pi_{lambda Y}( y^k + s F x^k )
 *   x^{k+1} = Pi_X[ x^k - beta ( grad l(x^k) + F'y^{k+1} ) ]
 *
 * One iteration is one pass over the data. The paper leaves beta open. Its experiments use
 *   beta = 1/(sqrt(k+1) + L)
 * with uniform averages, which is sound for every constant s: this is `lpdhg`. `lpdhg-const` is the scheme as displayed, with
 *   beta = 1/L,   s = 1/(beta ||F||^2)
 * constant, and the last iterate. Without extrapolation that is the method of Arrow and Hurwicz, a damped rotation of (x, y), and
 * the ridge is the damping: on quadratics whose Hessian h commutes with F'F, and while y is inside its ball, the eigenvalues have
 * modulus at most sqrt(1 - gamma/L). That so large an s works in general is observed, not proven. gamma = 0 is refused: the
 * scheme can then cycle forever (l = 0, F = 1), and the theorem leaves the averages an error of order beta max ||F'(y - y')||^2,
 * which does not vanish. */
#include "primal_dual/spdhg.h"

typedef struct lpdhg {
    spd_spdhg common; /* first, so that the functions of spdhg.c work on it */
    double *gradient_work;
} lpdhg;

static void layout(spd_run *run) {
    lpdhg *self = run->self;
    spd_spdhg_layout(run);
    self->gradient_work = spd_arena_take(&run->work, spd_problem_gradient_work(run->problem));
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    lpdhg *self = run->self;
    spd_spdhg *common = &self->common;
    const spdhg_problem *p = run->problem;
    spd_problem_gradient(p, run->threads, common->x, common->c, common->g, common->gc, NULL, self->gradient_work);
    spd_spdhg_dual_update(common, p);
    spd_spdhg_primal_update(common, p, spd_spdhg_beta(common, k));
    spd_spdhg_average(common, p, common->rule->weight(k));
    run->rows_visited += p->n;
    return SPD_CONTINUE;
}

/* s and L in the order in which spdhg.c reads them. */
static const spd_param const_param[] = {
    {"s", NAN, 0, INFINITY, "dual step; default: L / bound of ||F||^2"},
    {"L", NAN, 1e-300, INFINITY, "1/L is the primal step, a number or expected, mean or max (over the rows); default: expected"},
};

static const char *const_refuses(const spdhg_problem *p) {
    return p->gamma > 0
               ? NULL
               : "constant steps without extrapolation can cycle forever when --gamma is 0; use lpdhg, or --gamma above 0";
}

const spd_solver_kind spd_solver_lpdhg = {.name = "lpdhg",
                                          .what = "linearised PDHG, full gradient, steps 1/(sqrt(k+1)+L), uniform average",
                                          .reference = "Qiao, Lin, Qin, Lu: On stochastic primal-dual hybrid gradient, Sec. 2.2",
                                          .param = spd_spdhg_param,
                                          .params = SPD_SPDHG_PARAM_PLAIN, /* s, L and scale; there is only the plain form */
                                          .variant = &spd_rule_gc,
                                          .full_information = true,
                                          .smoothness = SPD_L_EXPECTED,
                                          .self_size = sizeof(lpdhg),
                                          .refuses = spd_spdhg_refuses,
                                          .layout = layout,
                                          .start = spd_spdhg_start,
                                          .step = step,
                                          .output = spd_spdhg_output};

const spd_solver_kind spd_solver_lpdhg_const = {
    .name = "lpdhg-const",
    .what = "linearised PDHG for gamma > 0, full gradient, constant steps, last iterate",
    .reference = "Qiao, Lin, Qin, Lu: On stochastic primal-dual hybrid gradient, Sec. 2.2",
    .param = const_param,
    .params = sizeof const_param / sizeof *const_param,
    .variant = &spd_rule_constant,
    .full_information = true,
    .smoothness = SPD_L_EXPECTED,
    .self_size = sizeof(lpdhg),
    .refuses = const_refuses,
    .layout = layout,
    .start = spd_spdhg_start,
    .step = step,
    .output = spd_spdhg_output};

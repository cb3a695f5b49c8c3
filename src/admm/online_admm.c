/* online_admm.c - online alternating direction method of Wang and Banerjee (ICML 2012): the sampled loss is kept, not linearised.
 *
 *   For t = 1, 2, ...  with f_t(x,c) = (1/B) sum_{i in batch} phi_i(a_i'x + c + o_i), y = -w as in admm.h:
 *     x_{t+1} = argmin_x f_t(x) + (gamma/2)||x||^2 + <y_t, F x> + (rho/2)||F x - z_t||^2 + D_t(x, x_t)
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 * Their D_t is eta times any Bregman divergence. Here
 *     D_t = ||x - x_t||^2_H/2,   H = I/tau - rho F'F,   1/tau = 1/eta_t + rho ||F||^2
 * so that H >= I/eta_t (our eta_t is 1/eta of theirs). It cancels the quadratic in F x and leaves the proximal step of f_t:
 *     q_t  = F'( y_t + rho (F x_t - z_t) )
 *     tau' = tau/(1 + gamma tau)
 *     v    = (x_t - tau q_t)/(1 + gamma tau)
 *     x_{t+1} = argmin_x f_t(x) + ||x - v||^2/(2 tau')
 *             = v - (tau'/B) sum_i alpha_i a_i',   alpha_i = phi_i' at the scores of x_{t+1}
 * For one row that is an equation in K unknowns
 *     z + q phi'(z) = a'v + c + o,   q = tau' ||a||^2 + eta_t
 * solved by Newton (loss/prox.c). For several rows it is solved for one alpha_i after the other until no score moves: exact
 * ascent on the dual of the x-step, whose maximum is unique because phi is smooth. The batch loss is thus kept exactly as well.
 * The intercept is a coordinate outside F and the ridge, with step eta_t.
 *
 * eta_t = eta0/sqrt(t). For gamma > 0, eta_t = 1/(1/eta0 + gamma t), because f_t + ridge is strongly convex and lets 1/eta_t grow
 * by gamma in every step (theirs is eta0 = infinity). A set X would turn the x-step into a quadratic program and is refused. */
#include "admm/admm.h"

enum { SWEEPS_MAX = 1000 };

typedef struct online_admm {
    spd_admm admm;
    double eta0, norm2, tolerance; /* norm2 bounds ||F||^2 */
    double *next, *prox;           /* work: K; scratch of the proximal step */
} online_admm;

enum { PARAM_ETA0, PARAM_RHO, PARAM_BATCH_TOL, PARAMS };
static const spd_param param[PARAMS] = {
    {"eta0", 1, 1e-12, 1e12, "step: eta0/sqrt(t), or 1/(1/eta0 + gamma t) when gamma > 0"},
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"batch_tol", 1e-10, 1e-16, 0.1, "with several rows: the x-step is solved until no score moves more than this"},
};

static void layout(spd_run *run) {
    online_admm *self = run->self;
    spd_admm_layout(run, &self->admm);
    self->next = spd_arena_take(&run->work, run->problem->K);
    self->prox = spd_arena_take(&run->work, spd_row_prox_work(run->problem));
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    online_admm *self = run->self;
    const double rho = run->param[PARAM_RHO], norm = spd_problem_structure_norm(run->problem);
    self->eta0 = run->param[PARAM_ETA0];
    self->norm2 = norm * norm;
    self->tolerance = run->param[PARAM_BATCH_TOL];
    self->admm.rho = spd_admm_rho(run->problem, rho, spd_problem_lipschitz(run->problem, run->sampling));
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_run_log(run, "%s: eta0 = %.6g, rho = %.6g, batch %lld", run->kind->name, self->eta0, self->admm.rho,
                (long long)run->batch);
}

/* Optimises one alpha_i with the others fixed and updates x and c. Returns how far the scores of the row moved. */
static double improve(online_admm *self, const spdhg_problem *p, const spd_row *row, double tau, double eta, double *alpha) {
    spd_admm *a = &self->admm;
    const spd_batch one = {.size = 1, .row = row};
    const double q = tau * spd_dot(row->nnz, row->val, row->val) + (p->intercept ? eta : 0);
    spd_row_prox(p, row, q, a->x, a->c, alpha, self->next, self->prox);
    spd_axpy(p->K, -1, alpha, self->next); /* the change */
    spd_axpy(p->K, 1, self->next, alpha);
    spd_batch_add(p, &one, self->next, -tau, a->x);
    if (p->intercept) spd_axpy(p->K, -eta, self->next, a->c);
    return q * spd_max_abs(p->K, self->next);
}

/* (x, c) = the proximal step of the batch loss at (x, c), of length tau in x and eta in c. A single row needs no iteration. */
static void keep_loss(online_admm *self, const spdhg_problem *p, const spd_batch *batch, double tau, double eta) {
    double *alpha = self->admm.slope;
    memset(alpha, 0, (size_t)(batch->size * p->K) * sizeof *alpha);
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < batch->size; i++) {
            const double share = batch->row[i].weight / (double)batch->size;
            moved = fmax(moved, improve(self, p, &batch->row[i], share * tau, share * eta, alpha + i * p->K));
        }
        if (batch->size == 1 || moved <= self->tolerance) return;
    }
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    online_admm *self = run->self;
    spd_admm *a = &self->admm;
    const spdhg_problem *p = run->problem;
    const double t = (double)k + 1, eta = p->gamma > 0 ? 1 / (1 / self->eta0 + p->gamma * t) : self->eta0 / sqrt(t);
    const double tau = 1 / (1 / eta + a->rho * self->norm2), keep = 1 / (1 + p->gamma * tau);
    memset(a->g, 0, (size_t)p->dK * sizeof *a->g);
    spd_admm_add_augmented(a, p, a->g);
    for (int64_t j = 0; j < p->dK; j++) a->x[j] = keep * (a->x[j] - tau * a->g[j]);
    keep_loss(self, p, batch, keep * tau, eta);
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

static const char *refuses(const spdhg_problem *p) {
    return p->set.kind->whole
               ? NULL
               : "its x-step is the proximal step of the loss, which a set X would turn into a quadratic program; use --set all";
}

const spd_solver_kind spd_solver_online_admm = {
    .name = "online-admm",
    .what = "online ADMM, exact proximal step of the sampled loss by Newton, uniform average",
    .reference = "Wang, Banerjee: Online alternating direction method, ICML 2012",
    .param = param,
    .params = PARAMS,
    .gradient_only = true,
    .refuses = refuses,
    SPD_ADMM_KIND(online_admm)};

/* alm_ssn.c - semismooth Newton augmented Lagrangian method (after Li, Sun, Toh, SIAM J. Optim. 2018, here for the primal split),
 * matrix-free, X = R^d.
 *
 *   outer j: x_{j+1} ~ argmin Psi(x) = l(x) + (gamma/2)||x||^2 + (sig/2)||x - x_j||_D^2 + env(F x + y_j/(rho S))
 *            env = Moreau envelope of lambda r in the metric rho S: its gradient at u is Pi_{lambda Y}(rho S u)
 *            y_{j+1} = Pi_{lambda Y}( y_j + rho S F x_{j+1} )
 *            After few Newton steps rho grows and sig falls fast, after many slowly. If the steps did not suffice, rho falls and
 *            sig grows.
 *   inner:   grad Psi = A'phi'/W + gamma x + sig D (x - x_j) + F'Pi(y_j + rho S F x)
 *            ( A'CA/W + gamma I + (sig + damp) D + F' DPi rho S F ) dx = -grad
 *            by conjugate gradients with Jacobi's preconditioner, to the residual min(0.05, sqrt(||grad||/||first||)) ||grad||
 *            x += t dx,  t = 1, 1/2, ... (Armijo 1e-4)
 *            until ||grad||_{D^-1} is small for this j
 *   metric:  D = diag(A'CA/W) + gamma at the start, but at least a hundredth of the largest value it can take
 *            S_e = 1/(F_e D^{-1} F_e')
 *            Without the metric, columns of very different size (word counts) would leave rho wrong for all but a few of them.
 *
 * One step of the loop is one Newton iteration. A product with the Hessian counts as a pass over the data. */
#include "newton/alm_ssn.h"

enum { CG_MOST = 200, INNER_MOST = 12 };
static const double RHO_MOST = 1e12, SIG_LEAST = 1e-10, MOST_PART = 1e-2;

static const char *refuses(const spdhg_problem *p) {
    if (!p->set.kind->whole) return "it works for X = R^d only; use --set all";
    return spd_problem_can_differentiate(p) ? NULL
                                            : "the projection of the penalty has no derivative (the nuclear norm's, or your own)";
}

static void layout(spd_run *run) {
    spd_alm_ssn *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    spd_newton_layout(run, &self->base);
    self->centre = spd_arena_take(&run->state, n);
    self->scalar = spd_arena_take(&run->state, SPD_ALM_SCALARS);
    self->D = spd_arena_take(&run->state, n);
    self->S = spd_arena_take(&run->state, mK);
    self->recent = spd_arena_take(&run->state, n);
    self->v = spd_arena_take(&run->work, mK);
    self->pi = spd_arena_take(&run->work, mK);
    self->Fp = spd_arena_take(&run->work, mK);
    self->Fu = spd_arena_take(&run->work, mK);
    self->grad = spd_arena_take(&run->work, n);
    self->dx = spd_arena_take(&run->work, n);
    self->diagonal = spd_arena_take(&run->work, n);
    self->cg = spd_arena_take(&run->work, 4 * n);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_alm_ssn *self = run->self;
    spd_newton_start(run, &self->base, x0, c0, y0);
    memcpy(self->centre, self->base.x, (size_t)spd_problem_normal_size(run->problem) * sizeof(double));
}

/* diag(A'CA/W), accurate enough for the coming Newton steps; returns its mean. */
static double loss_diagonal(spd_alm_ssn *self, spd_run *run) {
    const int64_t n = spd_problem_normal_size(run->problem);
    spd_problem_curvature_diagonal(run->problem, run->threads, self->base.curve, self->recent, self->base.scratch);
    run->rows_visited += run->problem->n;
    return spd_sum(n, self->recent) / (double)n;
}

/* Adds gamma + (sig + damp) D + rho diag(F'SWF), where W is the fraction of each row of F that the projection lets through. */
static void make_diagonal(spd_alm_ssn *self, const spdhg_problem *p) {
    const double metric = self->scalar[SPD_ALM_SIG] + self->scalar[SPD_ALM_DAMP];
    for (int64_t q = 0; q < spd_problem_normal_size(p); q++)
        self->diagonal[q] = self->recent[q] + (metric + 1e-14) * self->D[q] + (q < p->dK ? p->gamma : 0);
    for (int64_t t = 0; t < p->terms; t++) {
        const bool l1 = p->term[t].penalty->sum_of_sizes;
        for (int64_t e = p->term[t].first; e < p->term[t].first + p->term[t].m * p->K; e++) {
            const double ratio = self->v[e] != 0 ? self->pi[e] / self->v[e] : 1;
            self->Fp[e] = self->scalar[SPD_ALM_RHO] * self->S[e] * (ratio >= 1 ? 1 : l1 ? 0 : ratio);
        }
    }
    spd_metric_add_squares(p, self->Fp, self->diagonal);
}

static void hessian(const void *context, const double *q, double *Hq) {
    spd_run *run = (spd_run *)(uintptr_t)context; /* counts the rows visited */
    const spd_alm_ssn *self = run->self;
    const spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const bool free = p->intercept;
    const int64_t n = spd_problem_normal_size(p);
    spd_problem_normal_product(p, run->threads, b->curve, q, free ? q + p->dK : NULL, Hq, free ? Hq + p->dK : NULL, b->scratch);
    const double metric = self->scalar[SPD_ALM_SIG] + self->scalar[SPD_ALM_DAMP];
    for (int64_t i = 0; i < n; i++) Hq[i] += (metric * self->D[i] + (i < p->dK ? p->gamma : 0)) * q[i];
    spd_problem_apply(p, q, self->Fp);
    for (int64_t e = 0; e < p->m * p->K; e++) self->Fp[e] *= self->scalar[SPD_ALM_RHO] * self->S[e];
    spd_problem_project_derivative(p, self->v, self->Fp, b->term);
    spd_problem_add_transposed(p, self->Fp, Hq);
    run->rows_visited += p->n;
}

/* grad Psi at x; alpha, curve, v, pi are current. */
static double gradient(spd_alm_ssn *self, spd_run *run) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    memcpy(self->grad, b->g, (size_t)n * sizeof *self->grad);
    for (int64_t q = 0; q < n; q++) self->grad[q] += self->scalar[SPD_ALM_SIG] * self->D[q] * (b->x[q] - self->centre[q]);
    spd_alm_envelope(self, p, b->Fx);
    spd_problem_add_transposed(p, self->pi, self->grad);
    double sum = 0;
    for (int64_t q = 0; q < n; q++) sum += self->grad[q] * self->grad[q] / self->D[q];
    return sqrt(sum);
}

/* The metric and the initial scalars. All scalars start at 1 because the metric has removed the scales. */
static void first_scalars(spd_alm_ssn *self, spd_run *run) {
    const spdhg_problem *p = run->problem;
    const double floor = 1e-6 * (loss_diagonal(self, run) + p->gamma);
    spd_problem_curvature_columns(p, run->threads, self->cg,
                                  self->base.scratch); /* the largest possible: where a loss is linear it has no curvature now */
    run->rows_visited += p->n;
    double *small = self->grad;
    spd_metric_small_units(p, self->cg, self->base.value[0], small);
    for (int64_t q = 0; q < spd_problem_normal_size(p); q++) {
        const double now = fmax(self->recent[q], MOST_PART * self->cg[q / p->K]) + (q < p->dK ? p->gamma : 0);
        self->D[q] = small[q / p->K] > 0 ? now : fmax(now, floor > 0 ? floor : 1);
    }
    spd_metric_rows(p, self->D, self->S);
    const double norm = spd_metric_norm(p, self->D, self->S, self->dx);
    self->scalar[SPD_ALM_RHO] = norm > 0 ? 1 / norm : 1;
    self->scalar[SPD_ALM_SIG] = 1;
}

/* y, rho, sig of the next outer iteration: bolder after few Newton steps, more cautious if the steps did not suffice. */
static void next_outer(spd_alm_ssn *self, const spdhg_problem *p, bool solved) {
    double *s = self->scalar;
    if (solved) memcpy(self->base.y, self->pi, (size_t)(p->m * p->K) * sizeof *self->pi);
    memcpy(self->centre, self->base.x, (size_t)spd_problem_normal_size(p) * sizeof *self->centre);
    s[SPD_ALM_RHO] = fmin(s[SPD_ALM_RHO] * (!solved                 ? 0.25
                                            : s[SPD_ALM_INNER] <= 2 ? 3
                                            : s[SPD_ALM_INNER] <= 6 ? 1.5
                                                                    : 0.7),
                          RHO_MOST);
    s[SPD_ALM_SIG] = fmin(fmax(s[SPD_ALM_SIG] * (!solved ? 3 : s[SPD_ALM_INNER] <= 3 ? 0.1 : 1.0 / 3), SIG_LEAST), 1);
    s[SPD_ALM_GOAL] /= solved ? 3 : 1;
    s[SPD_ALM_INNER] = 0;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    spd_alm_ssn *self = run->self;
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    double *s = self->scalar;
    spd_newton_gradient(run, b, false);
    if (s[SPD_ALM_RHO] == 0) first_scalars(self, run);
    double norm = gradient(self, run);
    if (k == 0) s[SPD_ALM_FIRST] = norm, s[SPD_ALM_GOAL] = 0.1 * norm;
    const bool solved = norm <= s[SPD_ALM_GOAL];
    if (solved || s[SPD_ALM_INNER] >= INNER_MOST) {
        next_outer(self, p, solved);
        loss_diagonal(self, run);
        norm = gradient(self, run);
    }
    make_diagonal(self, p);
    for (int64_t q = 0; q < n; q++) b->scratch_n[q] = -self->grad[q];
    memset(self->dx, 0, (size_t)n * sizeof *self->dx);
    const spd_cg cg = {.apply = hessian,
                       .context = run,
                       .diagonal = self->diagonal,
                       .tolerance = fmin(0.05, sqrt(norm / s[SPD_ALM_FIRST])),
                       .most = CG_MOST,
                       .stop = run->stop};
    spd_cg_solve(&cg, n, b->scratch_n, self->dx, self->cg);
    s[SPD_ALM_INNER] += 1;
    if (spd_alm_search(self, run, spd_dot(n, self->grad, self->dx)) || spd_stop_now(run->stop)) return SPD_CONTINUE;
    if (solved || norm < 1e-15 * s[SPD_ALM_FIRST]) return SPD_STALLED;
    s[SPD_ALM_GOAL] = norm; /* rounding prevents further progress: treat this inner problem as solved */
    return SPD_CONTINUE;
}

/* y is one multiplier step ahead: Pi(y + rho S F x) is the dual point that belongs to this x. */
static void output(const spd_run *run, double *x, double *c, double *y) {
    const spd_alm_ssn *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_output(run, x, c, y);
    if (self->scalar[SPD_ALM_RHO] == 0) return;
    spd_problem_apply(p, x, self->Fp);
    for (int64_t e = 0; e < p->m * p->K; e++) y[e] += self->scalar[SPD_ALM_RHO] * self->S[e] * self->Fp[e];
    spd_problem_project_dual(p, y, self->base.term);
}

const spd_solver_kind spd_solver_alm_ssn = {
    .name = "alm-ssn",
    .what = "semismooth Newton augmented Lagrangian, conjugate gradients; exact, for many features",
    .reference = "Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method, 2018",
    SPD_EXACT_KIND(spd_alm_ssn),
    .refuses = refuses,
    .step = step,
    .output = output};

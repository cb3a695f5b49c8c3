/* alm_ssn.c - semismooth Newton augmented Lagrangian (after Li, Sun, Toh, SIAM J. Optim. 2018, on the primal split), matrix-free,
 * X = R^d.
 *
 *   outer j: x_{j+1} ~ argmin Psi(x) = l(x) + (gamma/2)||x||^2 + (sig/2)||x - x_j||^2 + env(F x + y_j/rho)
 *            env = Moreau envelope of lambda r with parameter rho: its gradient at u is Pi_{lambda Y}(rho u)
 *            y_{j+1} = Pi_{lambda Y}( y_j + rho F x_{j+1} ),   rho <- 2 rho up to 1e12 of the first,   sig <- sig/3 (0 where
 * gamma > 0, with a small floor) inner:   grad Psi = A'phi'/W + gamma x + sig (x - x_j) + F'Pi(y_j + rho F x) ( A'DA/W + (gamma +
 * sig) I + rho F' DPi F ) dx = -grad   by conjugate gradients, Jacobi, to min(0.1, sqrt||grad||) ||grad|| x += t dx, t = 1, 1/2,
 * ... (Armijo 1e-4) until ||grad|| is small for this j
 *
 * One step of the loop is one Newton iteration. A product with the Hessian counts as a pass over the data. */
#include "solver/newton.h"

enum { CG_MOST = 200, HALVINGS_MOST = 40, INNER_MOST = 30 };

enum {
    RHO,
    RHO_MOST,
    SIG,
    SIG_LEAST,
    DAMP,
    INNER,
    GOAL,
    SCALARS
}; /* numbers of the state; INNER: Newton steps made in this outer iteration */

typedef struct alm_ssn {
    spd_newton base;
    double *centre, *scalar;           /* state: x_j; the numbers above */
    double *v, *pi;                    /* work: y + rho F x and its projection, m x K */
    double *grad, *dx, *diagonal, *cg; /* work */
    double *Fp, *Fu;                   /* work: m x K */
} alm_ssn;

static const char *refuses(const spdhg_problem *p) {
    if (p->set.kind != &spd_set_all) return "it works for X = R^d only; use --set all";
    return spd_problem_can_slide(p) ? NULL : "the derivative of the nuclear norm's projection is not available to it";
}

static void layout(spd_run *run) {
    alm_ssn *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    spd_newton_layout(run, &self->base);
    self->centre = spd_arena_take(&run->state, n);
    self->scalar = spd_arena_take(&run->state, SCALARS);
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
    alm_ssn *self = run->self;
    spd_newton_start(run, &self->base, x0, c0, y0);
    memcpy(self->centre, self->base.x, (size_t)spd_problem_normal_size(run->problem) * sizeof(double));
}

/* v = y + rho F x, pi = Pi(v); env = (v'pi - ||pi||^2/2 - ||y||^2/2)/rho up to a constant that all x share. */
static double envelope(alm_ssn *self, const spdhg_problem *p, const double *Fx) {
    spd_newton *b = &self->base;
    const int64_t mK = p->m * p->K;
    const double rho = self->scalar[RHO];
    double sum = 0;
    for (int64_t e = 0; e < mK; e++) self->v[e] = self->pi[e] = b->y[e] + rho * Fx[e];
    spd_problem_project_dual(p, self->pi, b->term);
    for (int64_t e = 0; e < mK; e++) sum += (self->v[e] - 0.5 * self->pi[e]) * self->pi[e];
    return sum / rho;
}

static double proximal(const alm_ssn *self, int64_t n, const double *x, double t) {
    double sum = 0;
    for (int64_t q = 0; q < n; q++) {
        const double e = x[q] + t * self->dx[q] - self->centre[q];
        sum += e * e;
    }
    return 0.5 * self->scalar[SIG] * sum;
}

/* diag(A'DA/W) + gamma + sig + rho diag(F'WF), W the fraction of each row of F that the projection lets through. */
static double make_diagonal(alm_ssn *self, spd_run *run) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), K = p->K;
    double trace = 0;
    spd_problem_curvature_diagonal(p, b->curve, self->diagonal);
    for (int64_t q = 0; q < n; q++) trace += self->diagonal[q];
    run->rows_visited += p->n;
    if (self->scalar[RHO] == 0) return trace;
    for (int64_t q = 0; q < n; q++)
        self->diagonal[q] += self->scalar[SIG] + self->scalar[DAMP] + (q < p->dK ? p->gamma : 0) + 1e-14 * trace / (double)n;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const spd_csr *F = &term->F->F;
        const bool l1 = term->penalty == &spd_penalty_l1, identity = spd_csr_is_identity(F);
        for (int64_t e = 0; e < term->m; e++)
            for (int64_t k = 0; k < K; k++) {
                const double v = self->v[term->first + e * K + k], ratio = v != 0 ? self->pi[term->first + e * K + k] / v : 1;
                const double w = self->scalar[RHO] * (ratio >= 1 ? 1 : l1 ? 0 : ratio);
                if (identity)
                    self->diagonal[e * K + k] += w;
                else
                    for (int64_t q = F->ptr[e]; q < F->ptr[e + 1]; q++)
                        self->diagonal[F->idx[q] * K + k] += w * F->val[q] * F->val[q];
            }
    }
    return trace;
}

static void hessian(const void *context, const double *q, double *Hq) {
    spd_run *run = (spd_run *)(uintptr_t)context; /* counts the rows it visits */
    const alm_ssn *self = run->self;
    const spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const bool free = p->intercept;
    const int64_t n = spd_problem_normal_size(p);
    spd_problem_normal_product(p, run->threads, b->curve, q, free ? q + p->dK : NULL, Hq, free ? Hq + p->dK : NULL, b->scratch);
    for (int64_t i = 0; i < n; i++) Hq[i] += (self->scalar[SIG] + self->scalar[DAMP] + (i < p->dK ? p->gamma : 0)) * q[i];
    spd_problem_apply(p, q, self->Fp);
    spd_problem_slide(p, self->v, self->Fp, b->term);
    spd_scale(p->m * p->K, self->scalar[RHO], self->Fp);
    spd_problem_add_transposed(p, self->Fp, Hq);
    run->rows_visited += p->n;
}

/* grad Psi at x; alpha, curve, v, pi are current. */
static double gradient(alm_ssn *self, spd_run *run) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    memcpy(self->grad, b->g, (size_t)n * sizeof *self->grad);
    for (int64_t q = 0; q < n; q++) self->grad[q] += self->scalar[SIG] * (b->x[q] - self->centre[q]);
    envelope(self, p, b->Fx);
    spd_problem_add_transposed(p, self->pi, self->grad);
    return spd_norm2(n, self->grad);
}

/* First numbers: rho balances F'F against the Hessian, sig is a thousandth of it where nothing else is strongly convex. */
static void first_scalars(alm_ssn *self, spd_run *run) {
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    const double mean = make_diagonal(self, run) / (double)n, norm = spd_problem_structure_norm(p);
    self->scalar[RHO] = norm > 0 && mean > 0 ? (mean + p->gamma) / (norm * norm) : 1;
    self->scalar[RHO_MOST] = 1e12 * self->scalar[RHO];
    self->scalar[SIG] = p->gamma > 0 && !p->intercept ? 0 : fmax(mean, 1e-300);
    self->scalar[SIG_LEAST] = 1e-10 * self->scalar[SIG];
}

/* y, rho, sig of the next outer iteration. */
static void next_outer(alm_ssn *self, const spdhg_problem *p) {
    double *s = self->scalar;
    memcpy(self->base.y, self->pi, (size_t)(p->m * p->K) * sizeof *self->pi);
    memcpy(self->centre, self->base.x, (size_t)spd_problem_normal_size(p) * sizeof *self->centre);
    s[RHO] = fmin(s[RHO] * (s[INNER] <= 3 ? 5 : 2), s[RHO_MOST]); /* few Newton steps: the next problem may be harder */
    s[SIG] = fmax(s[SIG] / 3, s[SIG_LEAST]);
    s[INNER] = 0;
}

/* x += t dx with Armijo on Psi; false if no t is accepted. */
static bool search(alm_ssn *self, spd_run *run, double slope) {
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p), mK = p->m * p->K;
    spd_newton_direction_scores(run, b, self->dx);
    spd_problem_apply(p, self->dx, self->Fu);
    const double xx = spd_dot(p->dK, b->x, b->x), xd = spd_dot(p->dK, b->x, self->dx), dd = spd_dot(p->dK, self->dx, self->dx);
    const double now = spd_newton_loss(run, b, 0) + 0.5 * p->gamma * xx + proximal(self, n, b->x, 0) + envelope(self, p, b->Fx);
    double t = 1;
    for (int i = 0; i < HALVINGS_MOST; i++, t *= 0.5) {
        for (int64_t e = 0; e < mK; e++) b->Ftrial[e] = b->Fx[e] + t * self->Fu[e];
        const double trial = spd_newton_loss(run, b, t) + 0.5 * p->gamma * (xx + 2 * t * xd + t * t * dd) +
                             proximal(self, n, b->x, t) + envelope(self, p, b->Ftrial);
        if (trial <= now + 1e-4 * t * slope + 1e-15 * fabs(now)) {
            spd_axpy(n, t, self->dx, b->x);
            if (t < 0.25) self->scalar[DAMP] = fmax(4 * self->scalar[DAMP], self->scalar[SIG_LEAST] * 1e6);
            if (t == 1) self->scalar[DAMP] /= 4;
            return spd_norm2(n, self->dx) * t > 1e-16 * spd_norm2(n, b->x);
        }
    }
    return false;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    alm_ssn *self = run->self;
    spd_newton *b = &self->base;
    const spdhg_problem *p = run->problem;
    const int64_t n = spd_problem_normal_size(p);
    double *s = self->scalar;
    spd_newton_gradient(run, b, false);
    if (s[RHO] == 0) first_scalars(self, run);
    double norm = gradient(self, run);
    if (k == 0) s[GOAL] = 0.1 * norm;
    const bool solved = norm <= s[GOAL] || s[INNER] >= INNER_MOST;
    if (solved) {
        next_outer(self, p);
        s[GOAL] = s[GOAL] / 3;
        norm = gradient(self, run);
    }
    make_diagonal(self, run);
    for (int64_t q = 0; q < n; q++) b->scratch_n[q] = -self->grad[q];
    memset(self->dx, 0, (size_t)n * sizeof *self->dx);
    const spd_cg cg = {
        .apply = hessian, .context = run, .diagonal = self->diagonal, .tolerance = fmin(0.1, sqrt(norm)), .most = CG_MOST};
    spd_cg_solve(&cg, n, b->scratch_n, self->dx, self->cg);
    s[INNER] += 1;
    if (search(self, run, spd_dot(n, self->grad, self->dx))) return SPD_CONTINUE;
    if (solved || norm < 1e-15) return SPD_STALLED;
    s[GOAL] = norm; /* rounding stops this inner problem: take it as solved */
    return SPD_CONTINUE;
}

/* y one multiplier step ahead: Pi(y + rho F x) belongs to this x. */
static void output(const spd_run *run, double *x, double *c, double *y) {
    const alm_ssn *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_newton_output(run, &self->base, x, c, y);
    if (self->scalar[RHO] == 0) return;
    spd_problem_apply(p, x, self->Fp);
    spd_axpy(p->m * p->K, self->scalar[RHO], self->Fp, y);
    spd_problem_project_dual(p, y, self->base.term);
}

const spd_solver_kind spd_solver_alm_ssn = {
    .name = "alm-ssn",
    .what = "semismooth Newton augmented Lagrangian, conjugate gradients; exact, for many features",
    .reference = "Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method, 2018",
    .full_information = true,
    .exact = true,
    .self_size = sizeof(alm_ssn),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output};

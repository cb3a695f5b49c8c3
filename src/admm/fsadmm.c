/* fsadmm.c - fast stochastic ADMM of Zhong and Kwok (SA-ADMM, ICML 2014); y = -w as in admm.h; rows have weights w_i, sum W.
 *
 *   Tables: alpha_i = phi_i' at the last visit of row i, X_i = x at that visit, with the means
 *             gbar = (1/W) sum_i w_i alpha_i a_i
 *             xc   = (1/W) sum_i w_i X_i
 *           Start: X_i = x_1, alpha_i by a pass over the data.
 *   For t = 1, 2, ...
 *     for the rows i drawn:
 *       gbar += (w_i/W)(phi_i'(a_i'x_t) - alpha_i) a_i
 *       xc   += (w_i/W)(x_t - X_i)
 *       store alpha_i, X_i = x_t
 *     x_{t+1} = argmin_x <gbar, x> + (L/2)||x - xc||^2 + (gamma/2)||x||^2 + (rho/2)||F x - z_t + y_t/rho||^2
 *             : ( (L + gamma) I + rho F'F ) x_{t+1} = L xc - gbar + F'(rho z_t - y_t)
 *     z_{t+1}, y_{t+1}: the common tail
 *   Output the uniform average of the x_{t+1}
 *
 * If L >= curvature bound * max ||a_i||^2, <gbar, x> + (L/2)||x - xc||^2 is the mean of the rows' own majorisers at X_i, however
 * rows are drawn. The X_i take n x d numbers. The intercept is a feature that is 1 in every row, with its own X_i.
 *
 * `fsadmm-lite` is the form of SAG: x_t in place of xc, so that only the slopes are stored; last iterate, no theorem. Its table
 * starts empty, and gbar is the mean over the rows visited so far (Schmidt, Le Roux, Bach 2017, Sec. 4). With a full table at the
 * start, all steps of the first epoch would follow the gradient at x_1, and x would overshoot by a factor of about sqrt(n). */
#include "admm/admm.h"

typedef struct fsadmm {
    spd_admm admm;
    spd_admm_system system;
    double L;
    double *alpha, *gsum, *gsum_c; /* state: n x K slopes; W gbar, d x K and K entries */
    double *X, *C, *xsum, *csum;   /* state of the faithful form: n x (d x K) and n x K iterates; W xc */
    double *visited, *weight;      /* state: 1 for the rows in the table; their total weight, W once all are in it */
    double *gradient_work;
} fsadmm;

enum { PARAM_RHO, PARAM_L, PARAM_CG_TOL, PARAM_MAX_TABLE, PARAMS };
static const spd_param param[PARAMS] = {
    {"rho", NAN, 1e-12, 1e12, "penalty parameter; default: L / bound of ||F||^2, the augmented term as steep as the loss"},
    {"L", NAN, 1e-300, INFINITY, "curvature of the rows' majorisers; default: curvature bound * max ||a_i||^2"},
    {"cg_tol", 1e-10, 1e-16, 0.1, "relative residual at which the inner linear solve stops"},
    {"max_table_mb", 4096, 0, INFINITY, "refuse when the table of iterates alone is larger, in millions of bytes"},
};
static const bool faithful = true;

static bool keeps_iterates(const spd_run *run) { return run->kind->variant != NULL; }
static spdhg_status check_table(const spd_run *run, spdhg_error *err) {
    const spdhg_problem *p = run->problem;
    const double megabytes = 8e-6 * (double)p->n * (double)(p->dK + p->K), limit = run->param[PARAM_MAX_TABLE];
    if (megabytes <= limit) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE,
                    "solver %s: its table of iterates (%lld rows x %lld coefficients) takes %.4g MB, but max_table_mb is %g; use "
                    "fsadmm-lite, "
                    "which keeps only the slopes of the rows, or --param max_table_mb=%.0f",
                    run->kind->name, (long long)p->n, (long long)(p->dK + p->K), megabytes, limit, ceil(megabytes));
}

static void layout(spd_run *run) {
    fsadmm *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t iterates = keeps_iterates(run) ? 1 : 0;
    spd_admm_layout(run, &self->admm);
    spd_admm_system_layout(run, &self->system, true);
    self->alpha = spd_arena_take(&run->state, p->n * p->K);
    self->gsum = spd_arena_take(&run->state, p->dK);
    self->gsum_c = spd_arena_take(&run->state, p->K);
    self->visited = spd_arena_take(&run->state, p->n);
    self->weight = spd_arena_take(&run->state, 1);
    self->X = spd_arena_take(&run->state, iterates * p->n * p->dK);
    self->C = spd_arena_take(&run->state, iterates * p->n * p->K);
    self->xsum = spd_arena_take(&run->state, iterates * p->dK);
    self->csum = spd_arena_take(&run->state, iterates * p->K);
    self->gradient_work = spd_arena_take(&run->work, spd_problem_gradient_work(p));
}

/* Visits every row at x_1: one pass over the data. */
static void fill_tables(spd_run *run, fsadmm *self) {
    const spdhg_problem *p = run->problem;
    const spd_admm *a = &self->admm;
    spd_problem_gradient(p, run->threads, a->x, a->c, self->gsum, self->gsum_c, self->alpha, self->gradient_work);
    run->rows_visited += p->n;
    spd_scale(p->dK, p->W, self->gsum);
    spd_scale(p->K, p->W, self->gsum_c);
    for (int64_t i = 0; i < p->n; i++) {
        memcpy(self->X + i * p->dK, a->x, (size_t)p->dK * sizeof(double));
        memcpy(self->C + i * p->K, a->c, (size_t)p->K * sizeof(double));
        self->visited[i] = 1;
    }
    spd_axpy(p->dK, p->W, a->x, self->xsum);
    spd_axpy(p->K, p->W, a->c, self->csum);
    self->weight[0] = p->W;
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    fsadmm *self = run->self;
    const spdhg_problem *p = run->problem;
    const double bound = spd_problem_lipschitz(p, SPDHG_SAMPLING_IID) - p->gamma, rho = run->param[PARAM_RHO],
                 L = run->param[PARAM_L];
    self->L = isnan(L) ? bound : L;
    self->admm.rho = spd_admm_rho(p, rho, bound);
    spd_admm_start(run, &self->admm, x0, c0, y0);
    spd_admm_system_start(&self->system, run, self->admm.rho, run->param[PARAM_CG_TOL]);
    if (keeps_iterates(run)) fill_tables(run, self);
    spd_run_log(run, "%s: L = %.6g, rho = %.6g, batch %lld", run->kind->name, self->L, self->admm.rho, (long long)run->batch);
}

/* sum += w (now - table), table = now: the second visit of a row in the same batch changes nothing. */
static void replace(int64_t n, double w, const double *now, double *table, double *sum) {
    for (int64_t j = 0; j < n; j++) {
        sum[j] += w * (now[j] - table[j]);
        table[j] = now[j];
    }
}

/* One drawn row: puts its new slope and iterate into tables and sums, with its own weight; row->weight, that of the draw, is not
 * used. */
static void visit(const spd_run *run, fsadmm *self, const spd_row *row) {
    const spdhg_problem *p = run->problem;
    const double w = spd_problem_weight(p, row->id);
    double *alpha = self->alpha + row->id * p->K, *slope = self->admm.slope, *z = slope + p->K;
    spd_row_slope(p, row, self->admm.x, self->admm.c, z, slope);
    for (int64_t q = 0; q < row->nnz; q++) {
        double *at = self->gsum + (row->idx ? row->idx[q] : q) * p->K;
        for (int64_t k = 0; k < p->K; k++) at[k] += w * row->val[q] * (slope[k] - alpha[k]);
    }
    replace(p->K, w, slope, alpha, self->gsum_c);
    if (keeps_iterates(run)) {
        replace(p->dK, w, self->admm.x, self->X + row->id * p->dK, self->xsum);
        replace(p->K, w, self->admm.c, self->C + row->id * p->K, self->csum);
    }
    if (self->visited[row->id] == 0) self->weight[0] += w;
    self->visited[row->id] = 1;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    fsadmm *self = run->self;
    spd_admm *a = &self->admm;
    spd_admm_system *s = &self->system;
    const spdhg_problem *p = run->problem;
    for (int64_t i = 0; i < batch->size; i++) visit(run, self, &batch->row[i]);
    const double over = self->weight[0] > 0 ? 1 / self->weight[0] : 0; /* 0: under shuffle, only rows of weight 0 so far */
    for (int64_t q = 0; q < p->dK; q++) {
        s->h[q] = self->L + p->gamma;
        s->b[q] = self->L * (keeps_iterates(run) ? over * self->xsum[q] : a->x[q]) - over * self->gsum[q];
    }
    spd_admm_add_target(a, p, s->b);
    spd_admm_system_solve(s, a->x);
    for (int64_t i = 0; i < p->K && p->intercept; i++)
        a->c[i] = (keeps_iterates(run) ? over * self->csum[i] : a->c[i]) - over * self->gsum_c[i] / self->L;
    spd_admm_tail(a, p);
    spd_admm_average(a, p);
    return SPD_CONTINUE;
}

#define FSADMM_KIND(identifier, text, title, form, guard, parameters, result)                                                    \
    const spd_solver_kind identifier = {                                                                                         \
        .name = text,                                                                                                            \
        .what = title,                                                                                                           \
        .reference = "Zhong, Kwok: Fast stochastic alternating direction method of multipliers, ICML 2014",                      \
        .param = param,                                                                                                          \
        .params = parameters,                                                                                                    \
        .variant = form,                                                                                                         \
        .self_size = sizeof(fsadmm),                                                                                             \
        .refuses = spd_admm_refuses_sets,                                                                                        \
        .check = guard,                                                                                                          \
        .layout = layout,                                                                                                        \
        .start = start,                                                                                                          \
        .step = step,                                                                                                            \
        .output = result,                                                                                                        \
        .dual_cost = spd_admm_dual_cost}

FSADMM_KIND(spd_solver_fsadmm, "fsadmm", "fast stochastic ADMM with its table of all rows' iterates, uniform average", &faithful,
            check_table, PARAMS, spd_admm_output_average);
FSADMM_KIND(spd_solver_fsadmm_lite, "fsadmm-lite", "fast stochastic ADMM in the form of SAG: the rows' slopes only, last iterate",
            NULL, NULL, PARAM_MAX_TABLE, spd_admm_output_last);

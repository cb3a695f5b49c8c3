/* fista.c - accelerated proximal gradient (Beck and Teboulle 2009) with restarts (O'Donoghue and Candes 2015), for F = identity.
 *
 *   v^k     = x^k + (t_{k-1} - 1)/t_k (x^k - x^{k-1})
 *   u       = v^k - (1/L)(grad l(v^k) + gamma v^k)
 *   y^{k+1} = Pi_{lambda Y}(L u)
 *   x^{k+1} = u - y^{k+1}/L                                  = prox_{lambda r/L}(u), by Moreau
 *   t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2,   but 1 where <v^k - x^{k+1}, x^{k+1} - x^k> > 0: the momentum points uphill
 *   Output x, y: f(x^k) - f* <= 2L||x^0 - x*||^2/(k+1)^2, linear where f is strongly convex
 *
 * With the squared loss all outputs share one matrix, and the loss is minimised over the intercept:
 *     grad l(x) = H x - R
 *     H = (1/W) sum_i w_i (a_i - a)(a_i - a)'
 *     R = (1/W) sum_i w_i (a_i - a)(b_i - o_i)'
 *     a = mean of a_i
 * so that a step costs d^2 K for any n. This is used where d^2 is less than the number of entries of the data. Otherwise, and for
 * other losses, a step is a pass. */
#include <cblas.h>

#include "primal_dual/primal_dual.h"

enum { PARAM_L, PARAMS, ROUNDS = 30, GRAM_MOST = 5000 };
static const double SAFETY = 1.05; /* the power method approaches L from below */
static const spd_param param[PARAMS] = {{"L", NAN, 0, INFINITY, "curvature of the smooth part; default: estimated"}};

typedef struct fista {
    double *x, *before, *c, *c_before, *y;    /* state; before: x^{k-1} */
    double *t, *L;                            /* state: t_k, L */
    double *gram;                             /* state (constant): H, d x d; R, d x K; a, d; empty where a step is a pass */
    double *v, *cv, *g, *gc, *u, *term;       /* work */
    double *gradient_work, *ones, *h, *power; /* work for the gradient, for H, and for L */
} fista;

static bool by_gram(const spdhg_problem *p) { return spd_loss_is_square(p->loss) && p->d <= GRAM_MOST && p->d * p->d < p->nnz; }

static const char *refuses(const spdhg_problem *p) {
    if (p->terms != 1 || !spd_csr_is_identity(&p->term[0].F->F))
        return "the proximal map of r(F x) has no closed form unless F is the identity, and the only term";
    return p->set.kind->whole ? NULL : "it works for X = R^d only; use --set all";
}

static void layout(spd_run *run) {
    fista *a = run->self;
    const spdhg_problem *p = run->problem;
    const bool gram = by_gram(p);
    a->x = spd_arena_take(&run->state, p->dK);
    a->before = spd_arena_take(&run->state, p->dK);
    a->c = spd_arena_take(&run->state, p->K);
    a->c_before = spd_arena_take(&run->state, p->K);
    a->y = spd_arena_take(&run->state, p->dK);
    a->t = spd_arena_take(&run->state, 1);
    a->L = spd_arena_take(&run->state, 1);
    a->gram = spd_arena_take(&run->state, gram ? p->d * p->d + p->dK + p->d : 0);
    a->v = spd_arena_take(&run->work, p->dK);
    a->cv = spd_arena_take(&run->work, p->K);
    a->g = spd_arena_take(&run->work, p->dK);
    a->gc = spd_arena_take(&run->work, p->K);
    a->u = spd_arena_take(&run->work, p->dK);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->gradient_work =
        spd_arena_take(&run->work, spd_problem_gradient_work(p) + (gram ? spd_problem_gram_work(p, run->threads) : 0));
    a->ones = spd_arena_take(&run->work, gram ? p->n : 0);
    a->h = spd_arena_take(&run->work, p->d + 1);
    a->power = spd_arena_take(&run->work, 2 * (p->d + 1) + spd_problem_gradient_work(p));
}

/* H, R and a from the matrix of all columns with the intercept's, and from the gradient at 0. */
static void write_gram(spd_run *run, fista *a) {
    const spdhg_problem *p = run->problem;
    const int64_t d = p->d, K = p->K, n = d + p->intercept;
    double *H = a->gram, *R = H + d * d, *mean = R + p->dK, *M = a->gradient_work;
    spd_problem_gram(p, run->threads, a->ones, M, M + n * n);
    for (int64_t j = 0; j < d; j++) mean[j] = p->intercept ? M[d * n + j] : 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) H[i * d + j] = H[j * d + i] = p->kappa * (M[i * n + j] - mean[i] * mean[j]);
    memset(a->v, 0, (size_t)p->dK * sizeof *a->v);
    memset(a->cv, 0, (size_t)K * sizeof *a->cv);
    spd_problem_gradient(p, run->threads, a->v, a->cv, R, a->gc, NULL, a->gradient_work);
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < K; k++) R[i * K + k] = (p->intercept ? mean[i] * a->gc[k] : 0) - R[i * K + k];
}

static double estimate_L(spd_run *run, fista *a) {
    const spdhg_problem *p = run->problem;
    if (!isnan(run->param[PARAM_L])) return run->param[PARAM_L];
    for (int64_t j = 0; j <= p->d; j++) {
        uint64_t bits[2];
        spd_random(0, SPD_STREAM_POWER, (uint64_t)j, bits);
        a->power[j] = 0.5 + spd_uniform(bits[0]);
        a->h[j] = 1;
    }
    const double norm = spd_problem_curvature_norm(p, run->threads, a->h, ROUNDS, a->power, a->power + p->d + 1);
    return norm > 0 ? SAFETY * norm + p->gamma : 1;
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    fista *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, a->x, a->c, a->y, a->term);
    memcpy(a->before, a->x, (size_t)p->dK * sizeof *a->x);
    memcpy(a->c_before, a->c, (size_t)p->K * sizeof *a->c);
    *a->t = 1;
    *a->L = estimate_L(run, a);
    if (by_gram(p)) write_gram(run, a);
    spd_run_log(run, "fista: L = %.6g, %s", *a->L, by_gram(p) ? "a step by the Gram matrix" : "a step is a pass");
}

/* g = gradient of the smooth part at v, gc that of the intercept (0 if the loss is minimised over it). */
static void gradient(spd_run *run, fista *a) {
    const spdhg_problem *p = run->problem;
    const int d = (int)p->d, K = (int)p->K;
    if (by_gram(p)) {
        memcpy(a->g, a->gram + p->d * p->d, (size_t)p->dK * sizeof *a->g);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, d, K, d, 1, a->gram, d, a->v, K, -1, a->g, K);
        memset(a->gc, 0, (size_t)p->K * sizeof *a->gc);
        run->rows_visited += 1 + p->n * p->d * p->d / (p->nnz > 0 ? p->nnz : 1);
    } else {
        spd_problem_gradient(p, run->threads, a->v, a->cv, a->g, a->gc, NULL, a->gradient_work);
        run->rows_visited += p->n;
    }
    spd_axpy(p->dK, p->gamma, a->v, a->g);
}

/* v = x + momentum (x - before) */
static void extrapolate(int64_t n, double momentum, const double *x, const double *before, double *v) {
    for (int64_t i = 0; i < n; i++) v[i] = x[i] + momentum * (x[i] - before[i]);
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)k;
    (void)batch;
    fista *a = run->self;
    const spdhg_problem *p = run->problem;
    const double L = *a->L, next = 0.5 * (1 + sqrt(1 + 4 * *a->t * *a->t)), momentum = (*a->t - 1) / next;
    extrapolate(p->dK, momentum, a->x, a->before, a->v);
    extrapolate(p->K, momentum, a->c, a->c_before, a->cv);
    gradient(run, a);
    memcpy(a->before, a->x, (size_t)p->dK * sizeof *a->x);
    memcpy(a->c_before, a->c, (size_t)p->K * sizeof *a->c);
    for (int64_t i = 0; i < p->dK; i++) {
        a->u[i] = a->v[i] - a->g[i] / L;
        a->y[i] = L * a->u[i];
    }
    spd_problem_project_dual(p, a->y, a->term);
    double uphill = 0;
    for (int64_t i = 0; i < p->dK; i++) {
        a->x[i] = a->u[i] - a->y[i] / L;
        uphill += (a->v[i] - a->x[i]) * (a->x[i] - a->before[i]);
    }
    for (int64_t i = 0; i < p->K && p->intercept; i++) {
        a->c[i] = a->cv[i] - a->gc[i] / L;
        uphill += (a->cv[i] - a->c[i]) * (a->c[i] - a->c_before[i]);
    }
    *a->t = uphill > 0 ? 1 : next;
    return SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const fista *a = run->self;
    spd_run_give(run, a->x, a->c, a->y, x, c, y);
}

const spd_solver_kind spd_solver_fista = {
    .name = "fista",
    .what = "accelerated proximal gradient with restarts, full gradient or, for the squared loss, the Gram matrix; F = identity",
    .reference = "Beck, Teboulle: A fast iterative shrinkage-thresholding algorithm, SIAM J. Imaging Sci. 2009",
    .param = param,
    .params = PARAMS,
    .full_information = true,
    .exact = true,
    .self_size = sizeof(fista),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output};

/* primal_dual_steps.c - step sizes from estimated norms, two scalars or two diagonals; nothing to tune.
 *
 *   D_j = 1, or with precondition=1 (and X separable) (kappa/W) sum_i w_i a_ij^2 + gamma, at least eps max_k D_k
 *   L   = (1 - 1/B) lmax(D^-1/2 H D^-1/2) + (1/B) max_i a_i' kappa D^-1 a_i + max_j gamma/D_j
 *   h   = L D
 * lmax is found by power iteration and increased by 5 %. A rare feature has a tiny D_j and makes the sampling term explode: eps
 * is the smallest of 1e-4, 1e-3, ..., 1 for which that term is at most 3 times the first; eps = 1 is the plain method.
 *   PD3O:      tau_j = theta/h_j
 *              s = 1/(tau ||F||^2),  or s_e = 1/sum_j |F_ej| tau_j c_j with c_j = sum_e |F_ej|
 *   Condat-Vu: s = h/||F||^2,        or s_e = 1/sum_j |F_ej| c_j/h_j
 *              1/tau_j = h_j/2 + sum_e s_e |F_ej| sum_k |F_ek|
 * These steps are safe because the spectral radius of S F T F' is at most its largest absolute row sum,
 *   max_e s_e sum_j |F_ej| tau_j c_j = 1
 * and F'SF is at most the diagonal of its absolute row sums. Within a block of the penalty the smallest s_e is used. */
#include "primal_dual/primal_dual.h"

enum { ROUNDS = 30, ROUNDS_TO_CHOOSE = 4 };
static const double SAFETY = 1.05;

static bool preconditioned(const spd_run *run) { return run->param[SPD_PD_PARAM_PRECONDITION] > 0.5; }

/* z = |F| t and t += |F|' z, the sums in the bounds. */
static void apply_absolute(const spd_csr *F, const double *t, double *z) {
    spd_csr_row row;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_take(F, e, &row);
        z[e] = 0;
        for (int64_t q = 0; q < row.n; q++) z[e] += fabs(row.val[q]) * t[row.idx[q]];
    }
}

static void add_absolute_transposed(const spd_csr *F, const double *z, double *t) {
    spd_csr_row row;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_take(F, e, &row);
        for (int64_t q = 0; q < row.n; q++) t[row.idx[q]] += fabs(row.val[q]) * z[e];
    }
}

/* The two parts of L for one floor; v is the vector of the power iteration, which improves from call to call. */
static double full_part(spd_run *run, spd_primal_dual *a, double batch, int rounds) {
    return (1 - 1 / batch) * SAFETY *
           spd_problem_curvature_norm(run->problem, run->threads, a->h, rounds, a->power, a->power + run->problem->d + 1);
}
static double sampling_part(const spd_run *run, const spd_primal_dual *a, double batch) {
    return isinf(batch) ? 0 : spd_problem_curvature_rows(run->problem, run->sampling, a->h) / batch;
}

/* h = D for this floor. */
static void set_floor(const spdhg_problem *p, spd_primal_dual *a, double eps) {
    const double most = spd_max_abs(p->d + 1, a->columns);
    for (int64_t j = 0; j <= p->d; j++) a->h[j] = most > 0 ? fmax(a->columns[j], eps * most) : 1;
}

static double choose_floor(spd_run *run, spd_primal_dual *a, double batch) {
    const double asked = run->param[SPD_PD_PARAM_FLOOR];
    double eps = isnan(asked) ? 1e-4 : asked;
    set_floor(run->problem, a, eps);
    while (isnan(asked) && eps < 1 && sampling_part(run, a, batch) > 3 * full_part(run, a, batch, ROUNDS_TO_CHOOSE)) {
        eps = fmin(10 * eps, 1);
        set_floor(run->problem, a, eps);
    }
    return eps;
}

void spd_pd_curvature(spd_run *run, spd_primal_dual *a, double batch) {
    const spdhg_problem *p = run->problem;
    const double asked = run->param[SPD_PD_PARAM_L];
    double eps = 1;
    for (int64_t j = 0; j <= p->d; j++) {
        uint64_t bits[2];
        spd_random(0, SPD_STREAM_POWER, (uint64_t)j, bits);
        a->power[j] = 0.5 + spd_uniform(bits[0]);
        a->h[j] = 1;
    }
    if (preconditioned(run) && p->set.kind->separable) {
        spd_problem_curvature_columns(p, run->threads, a->columns, a->power + 2 * (p->d + 1));
        for (int64_t j = 0; j < p->d; j++) a->columns[j] += p->gamma;
        eps = choose_floor(run, a, batch);
    }
    double ridge = 0, L = asked;
    for (int64_t j = 0; j < p->d; j++) ridge = fmax(ridge, p->gamma / a->h[j]);
    if (isnan(L)) L = full_part(run, a, batch, ROUNDS) + sampling_part(run, a, batch) + ridge;
    if (!(L > 0)) L = 1; /* the smooth part is constant: any step is right */
    spd_scale(p->d + 1, L, a->h);
    spd_run_log(run, "%s: L = %.6g%s, floor %.0e, batch %lld", run->kind->name, L,
                preconditioned(run) ? " of the preconditioner" : "", eps,
                run->kind->full_information ? (long long)p->n : (long long)run->batch);
}

/* Gives all rows of a block its smallest step. */
static void one_step_per_block(const spd_term *t, double *s) {
    if (t->blocks == t->m && !t->block_ptr) return;
    for (int64_t b = 0; b < t->blocks; b++) {
        const int64_t first = t->block_ptr ? t->block_ptr[b] : 0, end = t->block_ptr ? t->block_ptr[b + 1] : t->m;
        double least = INFINITY;
        for (int64_t r = first; r < end; r++) least = fmin(least, s[t->block_row ? t->block_row[r] : r]);
        for (int64_t r = first; r < end; r++) s[t->block_row ? t->block_row[r] : r] = least;
    }
}

/* s_e = 1/sum_j |F_ej| c_j/h_j; nothing depends on the dual of a row of zeros. */
static void row_steps(const spdhg_problem *p, spd_primal_dual *a) {
    double *c = a->sums, *ones = a->sums + p->d;
    memset(c, 0, (size_t)p->d * sizeof *c);
    for (int64_t e = 0; e < p->m; e++) ones[e] = 1;
    for (int64_t i = 0; i < p->terms; i++) add_absolute_transposed(&p->term[i].F->F, ones, c);
    for (int64_t j = 0; j < p->d; j++) c[j] /= a->h[j];
    for (int64_t i = 0; i < p->terms; i++) {
        const spd_term *term = &p->term[i];
        double *s = a->s + term->first / p->K;
        apply_absolute(&term->F->F, c, s);
        for (int64_t e = 0; e < term->m; e++) s[e] = s[e] > 0 ? 1 / s[e] : INFINITY;
        one_step_per_block(term, s);
        for (int64_t e = 0; e < term->m; e++) s[e] = isinf(s[e]) ? 0 : s[e];
    }
}

/* s from h: by rows, or h/||F||^2. */
static void choose_s(const spd_run *run, spd_primal_dual *a) {
    const spdhg_problem *p = run->problem;
    const double norm = spd_problem_structure_norm(p);
    if (preconditioned(run))
        row_steps(p, a);
    else
        for (int64_t e = 0; e < p->m; e++) a->s[e] = norm > 0 ? a->h[0] / (norm * norm) : 0;
}

static void set_tau(const spdhg_problem *p, spd_primal_dual *a) {
    for (int64_t i = 0; i < p->dK; i++) a->tau[i] = 1 / a->h[i / p->K];
    a->tau[p->dK] = 1 / a->h[p->d];
}

void spd_pd_pd3o_steps(spd_run *run, spd_primal_dual *a, double theta) {
    const spdhg_problem *p = run->problem;
    for (int64_t j = 0; j <= p->d; j++) a->h[j] /= theta;
    choose_s(run, a);
    set_tau(p, a);
}

/* t_j = sum_e s_e |F_ej| sum_k |F_ek|, a diagonal bound of F'SF; with equal steps s ||F||^2, which is h. */
static void dual_share(const spd_run *run, spd_primal_dual *a, double *t) {
    const spdhg_problem *p = run->problem;
    double *z = a->sums + p->d;
    const bool linked = spd_problem_structure_norm(p) > 0;
    for (int64_t j = 0; j < p->d; j++) t[j] = preconditioned(run) ? 1 : linked ? a->h[j] : 0;
    if (!preconditioned(run)) return;
    for (int64_t i = 0; i < p->terms; i++) apply_absolute(&p->term[i].F->F, t, z + p->term[i].first / p->K);
    for (int64_t e = 0; e < p->m; e++) z[e] *= a->s[e];
    memset(t, 0, (size_t)p->d * sizeof *t);
    for (int64_t i = 0; i < p->terms; i++) add_absolute_transposed(&p->term[i].F->F, z + p->term[i].first / p->K, t);
    const double most = spd_max_abs(p->d, t);
    for (int64_t j = 0; j < p->d && !p->set.kind->separable; j++) t[j] = most;
}

void spd_pd_condat_vu_steps(spd_run *run, spd_primal_dual *a) {
    const spdhg_problem *p = run->problem;
    choose_s(run, a);
    dual_share(run, a, a->sums);
    for (int64_t j = 0; j <= p->d; j++) a->h[j] = a->h[j] / 2 + (j < p->d ? a->sums[j] : 0);
    set_tau(p, a);
}

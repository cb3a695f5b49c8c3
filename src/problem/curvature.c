/* curvature.c - the constants behind the step sizes: L, the bound H of the Hessian, a bound on ||F||, the radius of the dual
 * ball.
 *     H = (kappa/W) sum_i w_i a_i a_i'   (a_i with a last entry 1 for the intercept) */
#include "problem/problem.h"

static double row_weight(const spdhg_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

/* Mean of phi'' over rows and outputs at the scores z + c. */
static double mean_curvature(const spdhg_problem *p, const double *z, const double *c) {
    double sum = 0;
    for (int64_t i = 0; i < p->n * p->K; i++) {
        const double w = row_weight(p, i / p->K) / p->W;
        if (w > 0) sum += w * p->loss->second(z[i] + c[i % p->K], p->b[i], p->loss_arg);
    }
    return sum / (double)p->K;
}

spdhg_status spd_problem_find_curvature(spdhg_problem *p, spdhg_error *err) {
    p->kappa = p->kappa_usual = p->loss->curvature(p->loss_arg);
    if (isfinite(p->kappa) || !p->loss->value) return SPDHG_OK;
    const int64_t nK = p->n * p->K, partials = spd_problem_blocks(p) * (1 + 3 * p->K);
    double *z = SPD_NEW(double, nK + partials + 8 * p->K);
    p->constant = SPD_NEW(double, p->K);
    const bool good = z && p->constant;
    for (int64_t i = 0; i < p->n && good && p->data->offset; i++)
        memcpy(z + i * p->K, p->data->offset + (p->row ? p->row[i] : i) * p->K, (size_t)p->K * sizeof *z);
    if (good) {
        if (p->intercept) spd_problem_best_intercept(p, 1, z, p->constant, z + nK, z + nK + partials, NULL);
        p->kappa_usual = mean_curvature(p, z, p->constant);
        if (!(p->kappa_usual > 0 && isfinite(p->kappa_usual))) p->kappa_usual = 1; /* no usable scale */
    }
    spd_free(z);
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)nK);
}

/* || [F_1; F_2; ...] ||^2 <= sum_t ||F_t||^2 */
double spd_problem_structure_norm(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) square += p->term[t].F->norm_bound * p->term[t].F->norm_bound;
    return sqrt(square);
}

double spd_problem_dual_radius(const spdhg_problem *p) {
    double square = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const double radius = spd_term_radius(&p->term[t], p->K);
        square += radius * radius;
    }
    return sqrt(square);
}

void spd_problem_curvature_columns(const spdhg_problem *p, double *diagonal) {
    memset(diagonal, 0, (size_t)(p->d + 1) * sizeof *diagonal);
    for (int64_t i = 0; i < p->n; i++) {
        const double w = p->kappa_usual * spd_problem_weight(p, i) / p->W;
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) diagonal[row.idx ? row.idx[q] : q] += w * row.val[q] * row.val[q];
    }
    diagonal[p->d] = p->intercept ? p->kappa_usual : 0;
}

/* Entry (k,k) of phi''(z), from one column of the matrix; K is small for coupled losses. */
static double coupled_diagonal(const spdhg_problem *p, const double *z, double b, int64_t k) {
    enum { K_MOST = 64 };
    double unit[K_MOST] = {0}, column[K_MOST];
    if (p->K > K_MOST) return p->kappa_usual; /* for preconditioning a bound suffices */
    unit[k] = 1;
    p->loss->second_k(z, p->K, b, unit, column);
    return column[k];
}

void spd_problem_curvature_diagonal(const spdhg_problem *p, const double *curve, double *diagonal) {
    const int64_t K = p->K;
    memset(diagonal, 0, (size_t)spd_problem_normal_size(p) * sizeof *diagonal);
    for (int64_t i = 0; i < p->n; i++) {
        const double w = spd_problem_share(p, i);
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < K; k++) {
            const double D = w * (p->loss->value ? curve[i * K + k] : coupled_diagonal(p, curve + i * K, row.b[0], k));
            for (int64_t q = 0; q < row.nnz; q++) diagonal[(row.idx ? row.idx[q] : q) * K + k] += D * row.val[q] * row.val[q];
            if (p->intercept) diagonal[p->dK + k] += D;
        }
    }
}

double spd_problem_curvature_rows(const spdhg_problem *p, spdhg_sampling sampling, const double *D) {
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double w = spd_problem_weight(p, i), factor = sampling == SPDHG_SAMPLING_IID ? 1 : (double)p->n * w / p->W;
        if (w == 0) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        double sum = p->intercept ? 1 / D[p->d] : 0;
        for (int64_t q = 0; q < row.nnz; q++) sum += row.val[q] * row.val[q] / D[row.idx ? row.idx[q] : q];
        most = fmax(most, factor * sum);
    }
    return p->kappa * most;
}

/* ---- power iteration */

typedef struct product {
    const spdhg_problem *p;
    const double *v;
    double *partial;
    int64_t rows; /* per block */
} product;

/* The part of H v from one block. */
static void product_block(void *context, int64_t b) {
    const product *a = context;
    const spdhg_problem *p = a->p;
    const int64_t first = b * a->rows, end = first + a->rows < p->n ? first + a->rows : p->n;
    double *Hv = a->partial + b * (p->d + 1);
    memset(Hv, 0, (size_t)(p->d + 1) * sizeof *Hv);
    for (int64_t i = first; i < end; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        double z = p->intercept ? a->v[p->d] : 0;
        for (int64_t q = 0; q < row.nnz; q++) z += row.val[q] * a->v[row.idx ? row.idx[q] : q];
        z *= p->kappa * spd_problem_weight(p, i) / p->W;
        for (int64_t q = 0; q < row.nnz; q++) Hv[row.idx ? row.idx[q] : q] += z * row.val[q];
        if (p->intercept) Hv[p->d] += z;
    }
}

static double norm_in(int64_t n, const double *D, const double *v) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += D[j] * v[j] * v[j];
    return sqrt(sum);
}

/* With v = D^-1/2 w the iteration w <- D^-1/2 H D^-1/2 w is v <- D^-1 H v, and ||w|| is the norm of v in D. */
double spd_problem_curvature_norm(const spdhg_problem *p, int threads, const double *D, int rounds, double *v, double *work) {
    const int64_t n = p->d + 1, blocks = spd_problem_gradient_blocks(p);
    product a = {.p = p, .v = v, .partial = work + n, .rows = (p->n + blocks - 1) / blocks};
    double estimate = 0;
    for (int r = 0; r < rounds; r++) {
        const double size = norm_in(n, D, v);
        if (!(size > 0)) break;
        spd_scale(n, 1 / size, v);
        spd_parallel(threads, blocks, product_block, &a);
        memset(work, 0, (size_t)n * sizeof *work);
        for (int64_t b = 0; b < blocks; b++) spd_axpy(n, 1, a.partial + b * n, work);
        for (int64_t j = 0; j < n; j++) v[j] = work[j] / D[j];
        const double before = estimate;
        estimate = fmax(estimate, norm_in(n, D, v));
        if (estimate <= 1.005 * before) break;
    }
    return estimate;
}

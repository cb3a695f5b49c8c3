/* rounding.c - bounds on rounding errors (Higham 2002, 3.1):
 *   u = 2^-53
 *   gamma_k = k u / (1 - k u)
 * A sum of products, each touched by at most k operations, has an error of at most gamma_k times the sum of their absolute
 * values. This file bounds the error of
 *   v = A'alpha/W + F'y
 * first by a cheap bound on those absolute values and, where that is not enough, by computing v in twice the precision.
 * rounding_objective.c does the same for f and its penalty. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double UNIT = 0.5 * DBL_EPSILON;

/* e_j += factor_j (|F|'|y|)_j, where factor_j depends on the number of entries of column j. */
static void add_structure_error(spd_certifier *c, double more) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) {
            const int64_t j = r.row.idx[q];
            const double factor = more * spd_rounding((double)c->F_entries[j] + 4) * fabs(r.row.val[q]);
            for (int64_t k = 0; k < K; k++) c->e[j * K + k] += factor * fabs(c->y[r.at + k]);
        }
}

/* A coupled loss has sum_k alpha_ik = 0 up to rounding. Bounds the distance to the exactly normalised alpha, in which one output
 * is computed from the others. */
static double normalisation(const spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double most = 0;
    for (int64_t i = 0; i < p->n && !p->loss->value; i++) {
        const double *alpha = c->alpha + i * p->K;
        double sum = 0;
        for (int64_t k = 0; k < p->K; k++) sum += alpha[k];
        most = fmax(most, fabs(sum) + spd_rounding((double)p->K + 4) * spd_sum_abs(p->K, alpha));
    }
    return p->loss->value ? 0 : 2 * most;
}

/* For short columns: the rounding error of a sum grows only with its number of entries, and summing the absolute values costs no
 * more than a pass over vectors. */
static void error_by_columns(spd_certifier *c, int64_t blocks) {
    const spdhg_problem *p = c->problem;
    spd_problem_adjoint_sizes(p, c->threads, c->alpha, c->P, c->slope, c->Mwork);
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < p->K; k++)
            c->e[j * p->K + k] = 1.01 * spd_rounding((double)(c->A_entries[j] + blocks) + 8) * c->P[j * p->K + k] +
                                 c->loose * c->norm[j] + c->lost + c->vanishing * c->top[j];
}

void spd_dual_error_of_v(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t blocks = spd_problem_shards(p), rows = (spd_problem_blocks(p) + blocks - 1) / blocks * SPD_ROWS_PER_BLOCK;
    const double sum = spd_rounding((double)((rows < p->n ? rows : p->n) + blocks) + 8);
    spd_dual_alpha_sizes(c);
    c->loose = normalisation(c);
    if (p->nnz <= p->n + p->d) error_by_columns(c, blocks);
    for (int64_t j = 0; j < p->d && p->nnz > p->n + p->d; j++)
        for (int64_t k = 0; k < p->K; k++)
            c->e[j * p->K + k] = (sum * c->alpha_size[k] + c->loose) * c->norm[j] + c->lost + c->vanishing * c->top[j];
    for (int64_t k = 0; k < p->K; k++) c->e[p->dK + k] = sum * c->alpha_size[k] + c->loose + c->lost + c->vanishing;
    add_structure_error(c, 1);
}

/* ---- the same in twice the precision, with --standardize multiplied by the scale of the column:
 *   W v = sum_i w_i alpha_i a_i + W F'y */

static spd_twofold total_weight(const spdhg_problem *p) {
    spd_twofold W = {p->weight ? 0 : (double)p->n, 0};
    for (int64_t i = 0; i < p->n && p->weight; i++) W = spd_twofold_add(W, p->weight[i]);
    return W;
}

/* The output of a coupled loss whose alpha is defined as minus the exact sum of the others: the most probable one. -1: none. */
static int64_t dependent(const spdhg_problem *p, const double *alpha, int64_t i) {
    int64_t top = 0;
    for (int64_t k = 1; k < p->K; k++)
        if (alpha[k] + ((double)k == p->b[i]) > alpha[top] + ((double)top == p->b[i])) top = k;
    return p->loss->value ? -1 : top;
}

/* w alpha_ik. */
static spd_twofold weighted(const spd_certifier *c, int64_t i, int64_t k, int64_t other) {
    const spdhg_problem *p = c->problem;
    const double *alpha = c->alpha + i * p->K;
    spd_twofold sum = {0, 0};
    if (k != other)
        return spd_twofold_times((spd_twofold){alpha[k], c->low ? c->low[i * p->K + k] : 0}, spd_problem_weight(p, i));
    for (int64_t l = 0; l < p->K; l++)
        if (l != k) sum = spd_twofold_add(spd_twofold_add(sum, -alpha[l]), c->low ? -c->low[i * p->K + l] : 0);
    return spd_twofold_times(sum, spd_problem_weight(p, i));
}

static void add_rows_finely(void *context, int64_t first, int64_t end, double *sum) {
    const spd_certifier *c = context;
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    spd_twofold *fine = (spd_twofold *)(void *)sum;
    for (int64_t i = first; i < end; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_pass_row(p, c->open, i, &row);
        const int64_t other = dependent(p, c->alpha + i * K, i);
        for (int64_t k = 0; k < K; k++) {
            const spd_twofold wa = weighted(c, i, k, other);
            if (wa.high == 0) continue;
            fine[p->dK + k] = spd_twofold_add(spd_twofold_add(fine[p->dK + k], wa.high), wa.low);
            for (int64_t q = 0; q < row.nnz; q++) {
                spd_twofold *g = &fine[(row.idx ? row.idx[q] : q) * K + k];
                const double a = spd_problem_undivided(p, &row, q);
                *g = spd_twofold_add_product(*g, wa.high, a);
                if (wa.low != 0) g->low += wa.low * a;
            }
        }
    }
}

static void add_structure_finely(spd_certifier *c, spd_twofold W) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++)
            for (int64_t k = 0; k < K; k++) {
                const int64_t j = r.row.idx[q];
                spd_twofold part = spd_twofold_times(spd_twofold_times(W, c->y[r.at + k]), r.row.val[q]);
                if (p->scale) part = spd_twofold_times(part, p->scale[j]);
                spd_twofold *g = &c->fine[j * K + k];
                *g = spd_twofold_add(spd_twofold_add(*g, part.high), part.low);
            }
}

bool spd_dual_fine_v(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    if (!c->fine) c->fine = SPD_NEW(spd_twofold, p->dK + p->K);
    if (!c->fine) return false;
    const spd_twofold W = total_weight(p);
    spd_dual_alpha_sizes(c); /* a correction has moved alpha since they were measured */
    c->loose = normalisation(c);
    spd_dual_sum_rows(c, 2 * (p->dK + p->K), add_rows_finely, spd_join_twofold);
    memcpy(c->fine, c->Mwork, (size_t)(p->dK + p->K) * sizeof *c->fine);
    add_structure_finely(c, W);
    const double twice = ((double)p->n + 16) * 16 * UNIT * UNIT;
    for (int64_t j = 0; j <= p->d; j++)
        for (int64_t k = 0; k < p->K; k++) {
            const int64_t q = j * p->K + k;
            const double v = c->fine[q].high / (W.high * (p->scale && j < p->d ? p->scale[j] : 1));
            const double norm = j < p->d ? c->norm[j] : 1, top = j < p->d ? c->top[j] : 1;
            c->e[q] = 8 * UNIT * fabs(v) + twice * (c->alpha_size[k] + c->loose) * norm + c->lost + c->vanishing * top;
            if (j < p->d)
                c->v[q] = v;
            else
                c->v0[k] = v;
        }
    add_structure_error(c, 16 * UNIT);
    return spd_all_finite(p->dK, c->v) && spd_all_finite(p->K, c->v0);
}

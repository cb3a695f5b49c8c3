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
static const double SQUARED = 1e-150; /* the square of a smaller number may underflow to 0 */

/* top_j = max_i |a_ij|, and the number of entries; idx NULL: all columns in turn. */
SPD_WIDE static void add_tops(int64_t n, const int32_t *idx, const double *val, double *top, int64_t *entries) {
    for (int64_t q = 0; q < n && idx; q++) {
        top[idx[q]] = fabs(val[q]) > top[idx[q]] ? fabs(val[q]) : top[idx[q]];
        entries[idx[q]]++;
    }
    for (int64_t j = 0; j < n && !idx; j++) {
        top[j] = fabs(val[j]) > top[j] ? fabs(val[j]) : top[j];
        entries[j]++;
    }
}

/* norm_j += share (up_j a_ij)^2 */
SPD_WIDE static void add_squares(int64_t n, const int32_t *idx, const double *val, double share, const double *up, double *norm) {
    for (int64_t q = 0; q < n && idx; q++) norm[idx[q]] += share * (up[idx[q]] * val[q]) * (up[idx[q]] * val[q]);
    for (int64_t j = 0; j < n && !idx; j++) norm[j] += share * (up[j] * val[j]) * (up[j] * val[j]);
}

/* norm_j = sqrt( (1/W) sum_i w_i a_ij^2 ) and top_j, and the norm of every column of F. Entries are multiplied by a power of two
 * near 1/top_j, so that their squares neither overflow nor underflow. */
void spd_dual_measure_columns(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    double *up = c->e; /* scratch */
    if (c->measured) return;
    c->measured = true;
    for (int pass = 0; pass < 2; pass++) {
        const bool open = spd_pass_begin(p);
        for (int64_t i = 0; i < p->n; i++) {
            if (!(spd_problem_weight(p, i) > 0)) continue;
            spd_row row;
            spd_pass_row(p, open, i, &row);
            c->longest = row.nnz > c->longest ? row.nnz : c->longest;
            if (pass == 0)
                add_tops(row.nnz, row.idx, row.val, c->top, c->A_entries);
            else
                add_squares(row.nnz, row.idx, row.val, spd_problem_share(p, i), up, c->norm);
        }
        spd_pass_end(p, open);
        for (int64_t j = 0; j < p->d && pass == 0; j++) up[j] = spd_power_near_inverse(c->top[j]);
    }
    for (int64_t j = 0; j < p->d; j++)
        c->norm[j] = (sqrt(c->norm[j]) * (1 + spd_rounding((double)p->n + 32)) + SQUARED) / up[j] + DBL_MIN;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t q = 0; q < r.row.n; q++) {
            const int64_t j = r.row.idx[q];
            c->F_norm[j] = hypot(c->F_norm[j], r.row.val[q]);
            c->F_entries[j]++;
        }
}

/* size_k = sqrt( (1/W) sum_i w_i alpha_ik^2 )
 * By the Cauchy-Schwarz inequality, (1/W) sum_i w_i |alpha_ik a_ij| <= size_k norm_j. */
static void alpha_sizes(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const double most = spd_max_abs(p->n * p->K, c->alpha);
    memset(c->alpha_size, 0, (size_t)p->K * sizeof *c->alpha_size);
    for (int64_t i = 0; i < p->n && most > 0; i++)
        for (int64_t k = 0; k < p->K; k++) {
            const double a = c->alpha[i * p->K + k] / most;
            c->alpha_size[k] += spd_problem_share(p, i) * a * a;
        }
    for (int64_t k = 0; k < p->K; k++)
        c->alpha_size[k] = most * (sqrt(c->alpha_size[k]) * (1 + spd_rounding((double)p->n + 32)) + SQUARED);
    c->vanishing = most > 0 ? (double)p->n * 8 * DBL_TRUE_MIN * (1 + most) : 0;
    c->lost = most > 0 ? (double)p->n * DBL_MIN : 0;
}

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
    const int64_t blocks = spd_problem_gradient_blocks(p), rows = (p->n + blocks - 1) / blocks;
    const double sum = spd_rounding((double)(rows + blocks) + 8);
    alpha_sizes(c);
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

static void add_rows_finely(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    const int64_t K = p->K;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n; i++) {
        if (!(spd_problem_weight(p, i) > 0)) continue;
        spd_row row;
        spd_pass_row(p, open, i, &row);
        const int64_t other = dependent(p, c->alpha + i * K, i);
        for (int64_t k = 0; k < K; k++) {
            const spd_twofold wa = weighted(c, i, k, other);
            if (wa.high == 0) continue;
            c->fine[p->dK + k] = spd_twofold_add(spd_twofold_add(c->fine[p->dK + k], wa.high), wa.low);
            for (int64_t q = 0; q < row.nnz; q++) {
                spd_twofold *g = &c->fine[(row.idx ? row.idx[q] : q) * K + k];
                const double a = spd_problem_undivided(p, &row, q);
                *g = spd_twofold_add_product(*g, wa.high, a);
                if (wa.low != 0) g->low += wa.low * a;
            }
        }
    }
    spd_pass_end(p, open);
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
    memset(c->fine, 0, (size_t)(p->dK + p->K) * sizeof *c->fine);
    const spd_twofold W = total_weight(p);
    alpha_sizes(c); /* a correction has moved alpha since they were measured */
    c->loose = normalisation(c);
    add_rows_finely(c);
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

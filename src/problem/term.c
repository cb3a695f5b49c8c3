/* term.c - one regulariser lambda r(F x): its value, its dual ball, and the dual half-step of all primal-dual methods here:
 *     y = Pi_{lambda Y}(y + s F x)
 *     g += F'y
 * The plain form takes three calls; spd_term_dual_step does the same in one pass. */
#include "problem/problem.h"

void spd_term_apply(const spd_term *t, int64_t K, const double *x, double *z) { spd_csr_apply(&t->F->F, K, x, z); }

void spd_term_add_transposed(const spd_term *t, int64_t K, const double *y, double *g) {
    spd_csr_apply_transposed(&t->F->F, K, y, g);
}

/* Rows of a block: contiguous rows stay in place, others are gathered. */
typedef struct block {
    int64_t rows, first; /* first row when contiguous */
    const int64_t *row;  /* otherwise their numbers */
} block;

static block block_at(const spd_term *t, int64_t b) {
    if (t->block_ptr) return (block){t->block_ptr[b + 1] - t->block_ptr[b], 0, t->block_row + t->block_ptr[b]};
    if (t->blocks == t->m) return (block){1, b, NULL};
    return (block){t->m, 0, NULL};
}

static void gather(const block *b, int64_t K, const double *from, double *to) {
    for (int64_t r = 0; r < b->rows; r++) memcpy(to + r * K, from + b->row[r] * K, (size_t)K * sizeof *to);
}

static void scatter(const block *b, int64_t K, const double *from, double *to) {
    for (int64_t r = 0; r < b->rows; r++) memcpy(to + b->row[r] * K, from + r * K, (size_t)K * sizeof *to);
}

int64_t spd_term_work(const spd_term *t, int64_t K) {
    return 2 * t->largest * K + (t->penalty->work ? t->penalty->work(t->penalty, t->largest, K) : 0);
}

double spd_term_value(const spd_term *t, int64_t K, const double *z, double *work) {
    double sum = 0;
    for (int64_t b = 0; b < t->blocks; b++) {
        const block k = block_at(t, b);
        const double *part = z + k.first * K;
        if (k.row) {
            gather(&k, K, z, work);
            part = work;
        }
        sum += t->penalty->value(t->penalty, k.rows, K, part, work + t->largest * K);
    }
    return t->lambda * sum;
}

/* A sum of sizes acts entry by entry, so that all blocks can be treated as one. */
static bool by_number(const spd_term *t) { return t->penalty->sum_of_sizes && !t->block_ptr; }

void spd_term_project(const spd_term *t, int64_t K, double *y, double *work) {
    if (by_number(t)) {
        t->penalty->project(t->penalty, t->m, K, t->lambda, y, work);
        return;
    }
    for (int64_t b = 0; b < t->blocks; b++) {
        const block k = block_at(t, b);
        double *part = y + k.first * K;
        if (k.row) {
            gather(&k, K, y, work);
            part = work;
        }
        t->penalty->project(t->penalty, k.rows, K, t->lambda, part, work + t->largest * K);
        if (k.row) scatter(&k, K, work, y);
    }
}

void spd_term_project_derivative(const spd_term *t, int64_t K, const double *v, double *dir, double *work) {
    double *at = work, *gathered = work + t->largest * K, *inner = gathered + t->largest * K;
    for (int64_t b = 0; b < t->blocks; b++) {
        const block k = block_at(t, b);
        if (!k.row) {
            t->penalty->project_derivative(t->penalty, k.rows, K, t->lambda, v + k.first * K, dir + k.first * K,
                                           dir + k.first * K, inner);
            continue;
        }
        gather(&k, K, v, at);
        gather(&k, K, dir, gathered);
        t->penalty->project_derivative(t->penalty, k.rows, K, t->lambda, at, gathered, gathered, inner);
        scatter(&k, K, gathered, dir);
    }
}

int64_t spd_term_block_rows(const spd_term *t, int64_t b) { return block_at(t, b).rows; }

int64_t spd_term_block_row(const spd_term *t, int64_t b, int64_t r) {
    const block k = block_at(t, b);
    return k.row ? k.row[r] : k.first + r;
}

double spd_term_block_polar(const spd_term *t, int64_t K, int64_t b, const double *y, double *work) {
    const block k = block_at(t, b);
    if (k.row) gather(&k, K, y, work);
    return t->penalty->polar(t->penalty, k.rows, K, k.row ? work : y + k.first * K, work + t->largest * K);
}

void spd_term_outside(const spd_term *t, int64_t K, const double *u, double radius, double *open, double *work) {
    const bool l1 = t->penalty->zeros == SPDHG_ZEROS_NUMBER, known = t->penalty->zeros != SPDHG_ZEROS_NONE;
    for (int64_t i = 0; i < t->m * K && (l1 || !known); i++)
        if (!known || fabs(u[i]) > radius) open[i] = 1;
    for (int64_t b = 0; b < t->blocks && known && !l1; b++) {
        const block k = block_at(t, b);
        const double *part = u + k.first * K;
        if (k.row) {
            gather(&k, K, u, work);
            part = work;
        }
        if (!(spd_norm2(k.rows * K, part) > radius)) continue;
        for (int64_t r = 0; r < k.rows; r++)
            for (int64_t i = 0; i < K; i++) open[(k.row ? k.row[r] : k.first + r) * K + i] = 1;
    }
}

double spd_term_polar(const spd_term *t, int64_t K, const double *y, double *work) {
    double most = 0;
    for (int64_t b = 0; b < t->blocks; b++) most = fmax(most, spd_term_block_polar(t, K, b, y, work));
    return most;
}

double spd_term_radius(const spd_term *t, int64_t K) {
    double square = 0;
    for (int64_t b = 0; b < t->blocks; b++) {
        const double radius = t->penalty->radius(t->penalty, block_at(t, b).rows, K);
        square += radius * radius;
    }
    return t->lambda * sqrt(square);
}

/* ---- the fused step */

static inline double clip(double v, double bound) { return v > bound ? bound : v < -bound ? -bound : v; }

/* l1 and F = identity: one vector loop. */
SPD_WIDE static void identity_step(int64_t n, double lambda, double s, const double *x, double *restrict y, double weight,
                                   double *restrict y_sum, double *restrict g) {
    for (int64_t j = 0; j < n; j++) {
        const double v = clip(y[j] + s * x[j], lambda);
        y[j] = v;
        y_sum[j] += weight * v;
        g[j] += v;
    }
}

/* l1, one output, rows of two entries (chain, grid, edges): no inner loop. */
static void pair_step(const spd_csr *F, double lambda, double s, const double *x, double *y, double weight, double *y_sum,
                      double *g) {
    for (int64_t e = 0; e < F->m; e++) {
        const int32_t i = F->idx[2 * e], j = F->idx[2 * e + 1];
        const double a = F->val[2 * e], b = F->val[2 * e + 1];
        const double v = clip(y[e] + s * (a * x[i] + b * x[j]), lambda);
        y[e] = v;
        y_sum[e] += weight * v;
        g[i] += a * v;
        g[j] += b * v;
    }
}

/* l1, one output: y_e = clip(y_e + s F_e x), g += F_e' y_e. */
static void row_step(const spd_csr *F, double lambda, double s, const double *x, double *y, double weight, double *y_sum,
                     double *g) {
    for (int64_t e = 0; e < F->m; e++) {
        double z = 0;
        for (int64_t p = F->ptr[e]; p < F->ptr[e + 1]; p++) z += F->val[p] * x[F->idx[p]];
        const double v = clip(y[e] + s * z, lambda);
        y[e] = v;
        y_sum[e] += weight * v;
        for (int64_t p = F->ptr[e]; p < F->ptr[e + 1]; p++) g[F->idx[p]] += F->val[p] * v;
    }
}

/* u += s F_e x and g += F_e' u for one row and K outputs. */
static void add_row(const spd_csr *F, int64_t e, int64_t K, double s, const double *x, double *u) {
    spd_csr_row row;
    spd_csr_take(F, e, &row);
    for (int64_t q = 0; q < row.n; q++)
        for (int64_t k = 0; k < K; k++) u[k] += s * row.val[q] * x[row.idx[q] * K + k];
}

static void add_row_transposed(const spd_csr *F, int64_t e, int64_t K, const double *u, double *g) {
    spd_csr_row row;
    spd_csr_take(F, e, &row);
    for (int64_t q = 0; q < row.n; q++)
        for (int64_t k = 0; k < K; k++) g[row.idx[q] * K + k] += row.val[q] * u[k];
}

/* Any penalty: block by block, still one pass over F when blocks are rows or groups. */
static void block_step(const spd_term *t, const spd_csr *F, int64_t K, double s, const double *x, double *y, double weight,
                       double *y_sum, double *g, double *work) {
    for (int64_t b = 0; b < t->blocks; b++) {
        const block k = block_at(t, b);
        double *part = k.row ? work : y + k.first * K;
        if (k.row) gather(&k, K, y, work);
        for (int64_t r = 0; r < k.rows; r++) add_row(F, k.row ? k.row[r] : k.first + r, K, s, x, part + r * K);
        t->penalty->project(t->penalty, k.rows, K, t->lambda, part, work + t->largest * K);
        for (int64_t r = 0; r < k.rows; r++) {
            const int64_t e = k.row ? k.row[r] : k.first + r;
            spd_axpy(K, weight, part + r * K, y_sum + e * K);
            add_row_transposed(F, e, K, part + r * K, g);
        }
        if (k.row) scatter(&k, K, work, y);
    }
}

void spd_term_dual_step(const spd_term *t, const spd_csr *F, int64_t K, double s, const double *x, double *y,
                        double average_weight, double *y_sum, double *g, double *work) {
    if (!t->penalty->sum_of_sizes)
        block_step(t, F, K, s, x, y, average_weight, y_sum, g, work);
    else if (spd_csr_is_identity(F))
        identity_step(t->m * K, t->lambda, s, x, y, average_weight, y_sum, g);
    else if (K == 1 && t->pairs)
        pair_step(F, t->lambda, s, x, y, average_weight, y_sum, g);
    else if (K == 1)
        row_step(F, t->lambda, s, x, y, average_weight, y_sum, g);
    else
        block_step(t, F, K, s, x, y, average_weight, y_sum, g, work);
}

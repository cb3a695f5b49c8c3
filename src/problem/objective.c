/* objective.c - sums over all rows: scores, loss, gradient, the best intercept. Rows are cut into blocks whose number depends on the
 * problem alone; blocks run on any number of threads and are added in their order, so the bits never depend on the threads. */
#include "problem/problem.h"

enum { GRADIENT_BLOCKS = 16 };

int64_t spd_problem_blocks(const spdhg_problem *p) { return (p->n + SPD_ROWS_PER_BLOCK - 1) / SPD_ROWS_PER_BLOCK; }

/* One pass over the rows; every member is what some block task needs. */
typedef struct pass {
    const spdhg_problem *p;
    const double *x, *c, *z_in;
    double *z, *partial, *slope;
    int64_t first_size; /* rows per gradient block */
} pass;

static int64_t block_end(const spdhg_problem *p, int64_t first, int64_t size) { return first + size < p->n ? first + size : p->n; }

static double row_weight(const spdhg_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

/* z = a'x + o for K outputs. */
static void score(const spdhg_problem *p, const spd_row *row, const double *x, double *z) {
    const int64_t K = p->K;
    for (int64_t k = 0; k < K; k++) z[k] = row->offset ? row->offset[k] : 0;
    if (K == 1 && row->idx) {
        double sum = 0;
        for (int64_t q = 0; q < row->nnz; q++) sum += row->val[q] * x[row->idx[q]];
        z[0] += sum;
    } else if (K == 1)
        z[0] += spd_dot(row->nnz, row->val, x);
    else
        for (int64_t q = 0; q < row->nnz; q++) spd_axpy(K, row->val[q], x + (row->idx ? row->idx[q] : q) * K, z);
}

static void score_block(void *context, int64_t b) {
    const pass *a = context;
    const int64_t first = b * SPD_ROWS_PER_BLOCK, end = block_end(a->p, first, SPD_ROWS_PER_BLOCK);
    for (int64_t i = first; i < end; i++) {
        spd_row row;
        spd_problem_row(a->p, i, &row);
        score(a->p, &row, a->x, a->z + i * a->p->K);
    }
}

void spd_problem_scores(const spdhg_problem *p, int threads, const double *x, double *z) {
    pass a = {.p = p, .x = x, .z = z};
    spd_parallel(threads, spd_problem_blocks(p), score_block, &a);
}

/* partial[b] = sum of w_i phi(z_i + c) over a block; v has K numbers of room behind the partials. */
static void loss_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = b * SPD_ROWS_PER_BLOCK, end = block_end(p, first, SPD_ROWS_PER_BLOCK);
    double *v = a->partial + spd_problem_blocks(p) + b * K, sum = 0;
    for (int64_t i = first; i < end; i++) {
        const double w = row_weight(p, i);
        if (w == 0) continue;
        for (int64_t k = 0; k < K; k++) v[k] = a->z_in[i * K + k] + (a->c ? a->c[k] : 0);
        sum += w * spd_loss_value(p->loss, p->loss_arg, K, v, p->b + i * p->targets);
    }
    a->partial[b] = sum;
}

static double mean_loss(const spdhg_problem *p, int threads, const double *z, const double *c, double *partial) {
    pass a = {.p = p, .z_in = z, .c = c, .partial = partial};
    spd_parallel(threads, spd_problem_blocks(p), loss_block, &a);
    return spd_sum(spd_problem_blocks(p), partial) / p->W;
}

/* Layout of the scratch: F x (m K), scores (n K), partials (blocks (1 + 3K)), Newton's vectors (8 K), the terms' own work. */
typedef struct value_scratch {
    double *Fx, *z, *partial, *newton, *term;
} value_scratch;

static value_scratch divide(const spdhg_problem *p, double *scratch) {
    value_scratch s = {.Fx = scratch};
    s.z = s.Fx + p->m * p->K;
    s.partial = s.z + p->n * p->K;
    s.newton = s.partial + spd_problem_blocks(p) * (1 + 3 * p->K);
    s.term = s.newton + 8 * p->K;
    return s;
}

int64_t spd_problem_value_work(const spdhg_problem *p) {
    return p->m * p->K + p->n * p->K + spd_problem_blocks(p) * (1 + 3 * p->K) + 8 * p->K + spd_problem_term_work(p);
}

void spd_problem_value(const spdhg_problem *p, int threads, const double *x, double *c, double *scratch, spd_value *out) {
    const value_scratch s = divide(p, scratch);
    spd_problem_scores(p, threads, x, s.z);
    if (p->intercept) spd_problem_best_intercept(p, threads, s.z, c, s.partial, s.newton);
    out->loss = mean_loss(p, threads, s.z, p->intercept ? c : NULL, s.partial);
    out->ridge = 0.5 * p->gamma * spd_dot(p->dK, x, x);
    spd_problem_apply(p, x, s.Fx);
    out->penalty = spd_problem_penalty(p, s.Fx, s.term);
    out->objective = out->loss + out->ridge + out->penalty;
}

/* ---- gradient */

int64_t spd_problem_gradient_blocks(const spdhg_problem *p) {
    const int64_t fill = p->nnz / (p->d + 1) + 1; /* more partial vectors than this would cost more than the rows themselves */
    const int64_t rows = spd_problem_blocks(p);
    int64_t blocks = GRADIENT_BLOCKS < fill ? GRADIENT_BLOCKS : fill;
    return blocks < rows ? blocks : rows;
}

static int64_t gradient_stride(const spdhg_problem *p) { return p->dK + 3 * p->K; }

int64_t spd_problem_gradient_work(const spdhg_problem *p) { return spd_problem_gradient_blocks(p) * gradient_stride(p); }

static void gradient_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K, first = b * a->first_size, end = block_end(p, first, a->first_size);
    double *g = a->partial + b * gradient_stride(p), *gc = g + p->dK, *z = gc + K, *slope = z + K;
    memset(g, 0, (size_t)(p->dK + K) * sizeof *g);
    for (int64_t i = first; i < end; i++) {
        const double w = row_weight(p, i);
        if (w == 0 && !a->slope) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        score(p, &row, a->x, z);
        for (int64_t k = 0; k < K && a->c; k++) z[k] += a->c[k];
        spd_loss_slope(p->loss, p->loss_arg, K, z, row.b, slope);
        if (a->slope) memcpy(a->slope + i * K, slope, (size_t)K * sizeof *slope);
        spd_scale(K, w / p->W, slope);
        for (int64_t k = 0; k < K; k++) gc[k] += slope[k];
        for (int64_t q = 0; q < row.nnz; q++) {
            double *gj = g + (row.idx ? row.idx[q] : q) * K;
            for (int64_t k = 0; k < K; k++) gj[k] += row.val[q] * slope[k];
        }
    }
}

void spd_problem_gradient(const spdhg_problem *p, int threads, const double *x, const double *c, double *g, double *gc, double *slope,
                          double *scratch) {
    const int64_t blocks = spd_problem_gradient_blocks(p);
    pass a = {.p = p, .x = x, .c = c, .partial = scratch, .slope = slope, .first_size = (p->n + blocks - 1) / blocks};
    spd_parallel(threads, blocks, gradient_block, &a);
    memset(g, 0, (size_t)p->dK * sizeof *g);
    if (gc) memset(gc, 0, (size_t)p->K * sizeof *gc);
    for (int64_t b = 0; b < blocks; b++) {
        const double *part = scratch + b * gradient_stride(p);
        spd_axpy(p->dK, 1, part, g);
        if (gc) spd_axpy(p->K, 1, part + p->dK, gc);
    }
}

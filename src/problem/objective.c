/* objective.c - sums over all rows: scores and loss. Rows are cut into blocks whose number depends on the
 * problem alone; blocks run on any number of threads and are added in their order, so the bits never depend on the threads. */
#include "problem/problem.h"

int64_t spd_problem_blocks(const spdhg_problem *p) { return (p->n + SPD_ROWS_PER_BLOCK - 1) / SPD_ROWS_PER_BLOCK; }

/* One pass over the rows; every member is what some block task needs. */
typedef struct pass {
    const spdhg_problem *p;
    const double *x, *c, *z_in;
    double *z, *partial;
} pass;

static int64_t block_end(const spdhg_problem *p, int64_t first, int64_t size) {
    return first + size < p->n ? first + size : p->n;
}

static double row_weight(const spdhg_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

void spd_row_score(const spdhg_problem *p, const spd_row *row, const double *x, double *z) {
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
        spd_row_score(a->p, &row, a->x, a->z + i * a->p->K);
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

double *spd_problem_value_scores(const spdhg_problem *p, double *scratch) { return divide(p, scratch).z; }

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

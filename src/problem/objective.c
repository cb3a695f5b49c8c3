/* objective.c - a row, from anywhere or in a pass over all of them; sums over all rows: scores and loss. Rows are cut into
 * blocks whose number depends on the problem alone. Blocks run on any number of threads and are added in order, so that the
 * result never depends on the threads, to the bit. */
#include "problem/rows.h"

void spd_problem_row(const spdhg_problem *p, int64_t i, spd_row *row) {
    if (p->data->by) spd_data_whole(p->data);
    spd_data_need(p->data, spd_problem_id(p, i), 1);
    spd_pass_row_in_memory(p, i, row);
}

void spd_problem_need_rows(const spdhg_problem *p, int64_t i, int64_t rows) {
    int64_t low = spd_problem_id(p, i), high = low;
    for (int64_t r = 1; p->row && r < rows; r++) {
        low = p->row[i + r] < low ? p->row[i + r] : low;
        high = p->row[i + r] > high ? p->row[i + r] : high;
    }
    spd_data_need(p->data, low, p->row ? high - low + 1 : rows);
}

const spd_columns_given *spd_problem_columns_given(const spdhg_problem *p) {
    return p->row || p->own || p->full || p->val != p->data->val ? NULL : spd_data_columns_given(p->data);
}

bool spd_pass_begin(const spdhg_problem *p) {
    const bool in_order = !p->row && !p->full;
    if (!in_order) spd_data_whole(p->data);
    return in_order && spd_data_pass_begin(p->data);
}

void spd_pass_row_in_memory(const spdhg_problem *p, int64_t i, spd_row *row) {
    const spdhg_data *data = p->data;
    const int64_t id = spd_problem_id(p, i);
    if (data->idx) {
        const int64_t first = data->ptr[id];
        row->nnz = data->ptr[id + 1] - first;
        row->idx = p->full ? NULL : data->idx + first;
        row->val = p->val + first;
    } else {
        row->nnz = p->d;
        row->idx = NULL;
        row->val = p->val + id * p->d;
    }
    row->b = p->b + i * p->targets;
    row->offset = data->offset ? data->offset + id * p->K : NULL;
    row->weight = 1;
    row->id = i;
}

int64_t spd_problem_blocks(const spdhg_problem *p) { return spd_row_blocks(p->n); }

/* One pass over the rows; every member is what some block task needs. */
typedef struct pass {
    const spdhg_problem *p;
    const double *x;
    double *z;
    bool bare; /* without the offsets */
    bool open; /* one block after the other, in a pass over rows that are made of columns */
} pass;

static int64_t block_end(const spdhg_problem *p, int64_t first, int64_t size) {
    return first + size < p->n ? first + size : p->n;
}

void spd_row_score(const spdhg_problem *p, const spd_row *row, const double *x, double *z) {
    const int64_t K = p->K;
    for (int64_t k = 0; k < K; k++) z[k] = row->offset ? row->offset[k] : 0;
    if (K == 1 && row->idx)
        z[0] += spd_gather_dot(row->nnz, row->idx, p->ones ? NULL : row->val, x);
    else if (K == 1)
        z[0] += spd_dot(row->nnz, row->val, x);
    else
        for (int64_t q = 0; q < row->nnz; q++) spd_axpy(K, row->val[q], x + (row->idx ? row->idx[q] : q) * K, z);
}

/* Full rows from `first` on, one output, no offset, several at a time; returns the first row not done. */
static int64_t score_full(const pass *a, int64_t first, int64_t end) {
    const double *row[SPD_ABREAST];
    for (; first + SPD_ABREAST <= end; first += SPD_ABREAST) {
        spd_problem_full_rows(a->p, first, row);
        spd_dense_rows_dots(a->p->d, row, a->x, a->z + first);
    }
    return first;
}

static void score_block(void *context, int64_t b) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const bool plain = p->K == 1 && (a->bare || !p->data->offset), full = spd_problem_full(p);
    int64_t first = b * SPD_ROWS_PER_BLOCK;
    const int64_t end = block_end(p, first, SPD_ROWS_PER_BLOCK);
    if (plain && full) first = score_full(a, first, end);
    if (plain && !full) { /* the usual case, without tests for the others inside the loop */
        const int64_t *ptr = p->data->ptr, *row = p->row;
        const double *val = p->ones ? NULL : p->val;
        for (int64_t i = first; i < end; i++) {
            const int64_t id = row ? row[i] : i, at = ptr[id];
            spd_pass_to(p, a->open, id);
            a->z[i] = spd_gather_dot(ptr[id + 1] - at, p->data->idx + at, val ? val + at : NULL, a->x);
        }
        return;
    }
    for (int64_t i = first; i < end; i++) {
        spd_row row;
        spd_pass_row(a->p, a->open, i, &row);
        if (a->bare) row.offset = NULL;
        spd_row_score(a->p, &row, a->x, a->z + i * a->p->K);
    }
}

static void score(pass *a, int threads) {
    a->open = spd_pass_begin(a->p);
    const spd_row_arrays written = {.rows = a->p->n, .width = a->p->K, .count = 1, .array = {a->z}};
    spd_row_blocks_sum(a->p->ranks, a->open ? 1 : threads, score_block, a, &written, NULL);
    spd_pass_end(a->p, a->open);
}

void spd_problem_scores(const spdhg_problem *p, int threads, const double *x, double *z) {
    score(&(pass){.p = p, .x = x, .z = z}, threads);
}

void spd_problem_products(const spdhg_problem *p, int threads, const double *x, double *t) {
    score(&(pass){.p = p, .x = x, .z = t, .bare = true}, threads);
}

void spd_problem_shift(const spdhg_problem *p, const double *c, double *z) {
    if (p->K == 1)
        for (int64_t i = 0; i < p->n; i++) z[i] += c[0];
    else
        for (int64_t i = 0; i < p->n; i++) spd_axpy(p->K, 1, c, z + i * p->K);
}

/* Layout of the scratch: Fx (m K), scores (n K), partials (blocks (1 + 3K)), Newton's vectors (8 K), work of the terms. */
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

void spd_problem_value(const spdhg_problem *p, int threads, const double *x, double *c, double *alpha, double *curve,
                       double *scratch, spd_value *out, spd_stop *stop) {
    const value_scratch s = divide(p, scratch);
    spd_problem_scores(p, threads, x, s.z);
    if (p->intercept) spd_problem_best_intercept(p, threads, s.z, c, s.partial, s.newton, stop);
    out->loss = spd_problem_losses(p, threads, &(spd_scores){.z = s.z, .c = p->intercept ? c : NULL}, alpha, curve, s.partial);
    out->ridge = 0.5 * p->gamma * spd_dot(p->dK, x, x);
    spd_problem_apply(p, x, s.Fx);
    out->penalty = spd_problem_penalty(p, s.Fx, s.term);
    out->objective = out->loss + out->ridge + out->penalty;
}

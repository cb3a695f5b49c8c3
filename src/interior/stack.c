/* stack.c - the rows that make up the system, stacked, and their order of elimination (interior.h).
 *     M = diag + sum over the rows r of w_r g_r g_r'
 *     g = (a_i, 1)              w = C_i w_i/W
 *     g = (a_i, 1) for output k, -(a_i, 1) for output l < k    w = q_ik q_il w_i/W    (softmax: q are the chances of the classes)
 *     g = F_e                   w = D_e
 *     g = normal of a block     w = -1
 *     g = 1 in all outputs of a feature    w = 0, in crossover.c prox    (softmax without ridge)
 *     g = 1 in all intercepts    w = 1    (softmax)
 * Row r of output k has the columns j K + k; the intercepts are the last K columns. */
#include "interior/interior.h"
#include "problem/rows.h"

enum { SHORT = 16 }; /* entries: a row this short never causes much fill */

static bool couples(const spd_term *t) { return !t->penalty->sum_of_sizes; }

/* The first and the last of the common rows: the intercepts count as feature d. Features have them without ridge only. */
static int64_t common_first(const spdhg_problem *p) { return p->gamma > 0 ? p->d : 0; }
static int64_t common_end(const spdhg_problem *p) { return p->loss->value ? common_first(p) : p->d + (p->intercept ? 1 : 0); }
static int64_t common_rows(const spdhg_problem *p) { return common_end(p) - common_first(p); }

/* The number of entries of A and F for all outputs, and the most that the blocks can have. */
static void count(const spdhg_problem *p, int64_t *fixed, int64_t *coupled, int64_t *blocks) {
    *fixed = (p->nnz + (p->intercept ? p->n : 0)) * (p->loss->value ? p->K : p->K * (p->K - 1));
    *coupled = *blocks = 0;
    for (int64_t t = 0; t < p->terms; t++) {
        const int64_t nnz = spd_csr_nnz(&p->term[t].F->F);
        *fixed += nnz * p->K;
        *coupled += couples(&p->term[t]) ? nnz * p->K : 0;
        *blocks += couples(&p->term[t]) ? p->term[t].blocks : 0;
    }
    *fixed += common_rows(p) * p->K;
}

typedef struct filling {
    spd_interior_stack *s;
    int64_t row, at;
} filling;

static void add(filling *f, int64_t column, double value) {
    f->s->pattern.idx[f->at] = (int32_t)column;
    f->s->value[f->at++] = value;
}

static void end_row(filling *f) { f->s->pattern.ptr[++f->row] = f->at; }

static void add_output(filling *f, const spdhg_problem *p, const spd_row *row, int64_t k, double times) {
    for (int64_t q = 0; q < row->nnz; q++) add(f, (row->idx ? row->idx[q] : q) * p->K + k, times * row->val[q]);
    if (p->intercept) add(f, p->dK + k, times);
}

static void add_data(filling *f, const spdhg_problem *p) {
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < p->K && p->loss->value; k++) {
            add_output(f, p, &row, k, 1);
            end_row(f);
        }
        for (int64_t k = 0; k < p->K && !p->loss->value; k++)
            for (int64_t l = 0; l < k; l++) {
                add_output(f, p, &row, k, 1);
                add_output(f, p, &row, l, -1);
                end_row(f);
            }
    }
}

int64_t spd_interior_loss_rows(const spdhg_problem *p) { return p->n * (p->loss->value ? p->K : p->K * (p->K - 1) / 2); }

static void add_structures(filling *f, const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        for (int64_t e = 0; e < F->m; e++)
            for (int64_t k = 0; k < p->K; k++) {
                spd_csr_row row;
                spd_csr_take(F, e, &row);
                for (int64_t q = 0; q < row.n; q++) add(f, row.idx[q] * p->K + k, row.val[q]);
                end_row(f);
            }
    }
}

static void add_common(filling *f, const spdhg_problem *p) {
    for (int64_t j = common_first(p); j < common_end(p); j++) {
        for (int64_t k = 0; k < p->K; k++) add(f, j * p->K + k, 1);
        end_row(f);
    }
}

/* The columns in which a block's rows have entries, each once; seen: zeros before, then the index of the last block seen. */
static void add_block(filling *f, const spdhg_problem *p, const spd_term *t, int64_t b, int64_t *seen) {
    for (int64_t r = 0; r < spd_term_block_rows(t, b); r++) {
        spd_csr_row row;
        spd_csr_take(&t->F->F, spd_term_block_row(t, b, r), &row);
        for (int64_t q = 0; q < row.n * p->K; q++) {
            const int64_t column = row.idx[q / p->K] * p->K + q % p->K;
            if (seen[column] == f->row) continue;
            seen[column] = f->row;
            add(f, column, 0);
        }
    }
    end_row(f);
}

/* True if there is no ridge and no side, every row of F sums to 0, and every row of A to the same number, exactly: adding t to
 * every x_j then has the same effect as changing c. */
static bool is_spare(const spdhg_problem *p) {
    double first = 0;
    if (!p->intercept || p->gamma > 0 || !p->set.kind->whole) return false;
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        const double sum = spd_sum(row.nnz, row.val);
        if (i == 0) first = sum;
        if (sum != first) return false;
    }
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (spd_sum(r.row.n, r.row.val) != 0) return false;
    return first != 0;
}

static spdhg_status fill(spd_interior_stack *s, const spdhg_problem *p, spdhg_error *err) {
    filling f = {.s = s};
    int64_t *seen = SPD_NEW(int64_t, p->dK);
    if (!seen) return spd_fail_memory(err, 8.0 * (double)p->dK);
    add_data(&f, p);
    add_structures(&f, p);
    add_common(&f, p);
    s->fixed = f.at;
    s->spare = is_spare(p);
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t b = 0; b < p->term[t].blocks && couples(&p->term[t]); b++) add_block(&f, p, &p->term[t], b, seen);
    spd_free(seen);
    return SPDHG_OK;
}

/* Chooses the cheaper: long rows handled outside the matrix, or all rows inside. Inside, the longest row alone costs a dense
 * factor of its size. */
static spdhg_status analyse(spd_interior_stack *s, spd_stop *stop, spdhg_error *err) {
    spd_sparse_pattern *q = &s->pattern;
    int64_t longest = 0;
    for (int64_t r = 0; r < q->rows; r++) longest = q->ptr[r + 1] - q->ptr[r] > longest ? q->ptr[r + 1] - q->ptr[r] : longest;
    SPD_TRY(spd_sparse_analyse(q, SHORT, stop, err));
    const double beside = q->work, least = (double)longest * (double)longest * (double)longest / 3;
    if (longest <= SHORT || least >= beside) return SPDHG_OK;
    spd_sparse_pattern first;
    spd_sparse_set_aside(q, &first);
    const spdhg_status status = spd_sparse_analyse(q, longest, stop, err);
    const bool better = status == SPDHG_OK && q->work <= beside;
    if (!better) spd_sparse_take_back(q, &first, SHORT);
    spd_sparse_forget(&first);
    return SPDHG_OK;
}

spdhg_status spd_interior_stack_new(spd_interior_stack **out, const spdhg_problem *p, spd_stop *stop, spdhg_error *err) {
    int64_t fixed, coupled, blocks;
    count(p, &fixed, &coupled, &blocks);
    spd_interior_stack *s = SPD_NEW(spd_interior_stack, 1);
    *out = NULL;
    if (!s) return spd_fail_memory(err, sizeof *s);
    s->blocks = blocks;
    s->value = SPD_NEW(double, fixed + coupled);
    spdhg_status status = s->value ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(fixed + coupled));
    if (status == SPDHG_OK)
        status = spd_sparse_pattern_new(&s->pattern, spd_problem_normal_size(p),
                                        spd_interior_loss_rows(p) + p->m * p->K + common_rows(p) + blocks, fixed + coupled, err);
    if (status == SPDHG_OK) status = fill(s, p, err);
    if (status == SPDHG_OK) status = analyse(s, stop, err);
    if (status == SPDHG_OK)
        *out = s;
    else
        spd_interior_stack_free(s);
    return status;
}

double spd_interior_stack_bytes(const spd_interior_stack *s) {
    const spd_sparse_pattern *q = &s->pattern;
    return 12.0 * (double)q->ptr[q->rows] + 20.0 * (double)q->rows + 4.0 * (double)q->slot_ptr[q->rows] +
           16.0 * (double)q->nodes + 4.0 * (double)q->column[q->nodes];
}

void spd_interior_stack_free(spd_interior_stack *s) {
    if (!s) return;
    spd_sparse_pattern_free(&s->pattern);
    spd_free(s->value);
    spd_free(s);
}

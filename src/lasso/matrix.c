/* matrix.c - A by columns: a copy of the problem's rows, or the columns that the data was given by; and products with one
 * column or with many. Every product with a column is one sum in a fixed order, so that the bits do not depend on the threads. */
#include <float.h>

#include "lasso/lasso.h"
#include "problem/rows.h"

enum { ENTRIES_PER_BLOCK = 1 << 17 };
static const double TINY = 1e-150; /* the square of a smaller number may underflow */

double spd_matrix_bytes(const spdhg_problem *p) {
    if (spd_problem_columns_given(p)) return 16.0 * (double)p->d;
    return 8.0 * (double)p->nnz + (spd_problem_full(p) ? 0 : 4.0 * (double)p->nnz) + 24.0 * (double)p->d;
}

static void count_columns(spd_matrix *A, const spdhg_problem *p) {
    spd_row row;
    for (int64_t i = 0; i < p->n; i++) {
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) A->ptr[(row.idx ? row.idx[q] : q) + 1]++;
    }
    for (int64_t j = 0; j < p->d; j++) A->ptr[j + 1] += A->ptr[j];
}

static void fill_sparse(spd_matrix *A, const spdhg_problem *p) {
    spd_row row;
    for (int64_t i = 0; i < p->n; i++) {
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) {
            const int64_t at = A->ptr[row.idx[q]]++;
            A->row[at] = (int32_t)i;
            A->val[at] = row.val[q];
        }
    }
    memmove(A->ptr + 1, A->ptr, (size_t)p->d * sizeof *A->ptr); /* each position has advanced to the end of its column */
    A->ptr[0] = 0;
}

/* Eight rows at a time, so that what is written to a column is one line of the cache. */
static void fill_dense(spd_matrix *A, const spdhg_problem *p) {
    enum { ROWS = 8 };
    spd_row row[ROWS];
    for (int64_t j = 0; j <= p->d; j++) A->ptr[j] = j * p->n;
    for (int64_t i = 0; i < p->n; i += ROWS) {
        const int64_t rows = i + ROWS < p->n ? ROWS : p->n - i;
        for (int64_t r = 0; r < rows; r++) spd_problem_row(p, i + r, &row[r]);
        for (int64_t j = 0; j < p->d; j++)
            for (int64_t r = 0; r < rows; r++) A->val[j * p->n + i + r] = row[r].val[j];
    }
}

/* sum_i share_i (up v_i)^2, in lanes as in vec.c */
SPD_WIDE static double scaled_square(int64_t n, const double *restrict share, const double *restrict v, double up) {
    double s[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += share[i + j] * (up * v[i + j]) * (up * v[i + j]);
    for (int j = 0; i < n; i++, j++) s[j] += share[i] * (up * v[i]) * (up * v[i]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void measure(spd_matrix *A, const double *share) {
    for (int64_t j = 0; j < A->d; j++) {
        const int64_t first = A->ptr[j], end = A->ptr[j + 1];
        const double top = A->top[j] = spd_max_abs(end - first, A->val + first), up = spd_power_near_inverse(top);
        double sum = 0;
        for (int64_t q = first; q < end && A->row; q++) sum += share[A->row[q]] * (up * A->val[q]) * (up * A->val[q]);
        if (!A->row) sum = scaled_square(A->n, share, A->val + first, up);
        A->longest = end - first > A->longest ? end - first : A->longest;
        A->norm[j] = (sqrt(sum) * (1 + ((double)A->n + 32) * DBL_EPSILON) + TINY) / up + DBL_MIN;
    }
}

bool spd_matrix_new(spd_matrix *A, const spdhg_problem *p, const double *share) {
    const bool dense = spd_problem_full(p);
    const spd_columns_given *by = spd_problem_columns_given(p);
    if (by) {
        *A = (spd_matrix){.n = p->n,
                          .d = p->d,
                          .ptr = by->ptr,
                          .row = (int32_t *)(uintptr_t)by->row,
                          .val = (double *)(uintptr_t)by->val,
                          .norm = SPD_NEW(double, p->d),
                          .top = SPD_NEW(double, p->d),
                          .borrowed = true};
        if (!A->norm || !A->top) return false;
        measure(A, share);
        return true;
    }
    *A = (spd_matrix){.n = p->n,
                      .d = p->d,
                      .ptr = SPD_NEW(int64_t, p->d + 1),
                      .row = dense ? NULL : spd_alloc_raw(p->nnz, sizeof(int32_t)),
                      .val = spd_alloc_raw(p->nnz, sizeof(double)),
                      .norm = SPD_NEW(double, p->d),
                      .top = SPD_NEW(double, p->d)};
    if (!A->ptr || (!dense && !A->row) || !A->val || !A->norm || !A->top) return false;
    if (dense)
        fill_dense(A, p);
    else {
        count_columns(A, p);
        fill_sparse(A, p);
    }
    measure(A, share);
    return true;
}

void spd_matrix_free(spd_matrix *A) {
    if (!A->borrowed) SPD_FREE_ALL(A->ptr, A->row, A->val);
    SPD_FREE_ALL(A->norm, A->top);
    *A = (spd_matrix){0};
}

double spd_matrix_dot(const spd_matrix *A, int64_t j, const double *r) {
    const int64_t at = A->ptr[j], count = A->ptr[j + 1] - at;
    return A->row ? spd_gather_dot(count, A->row + at, A->val + at, r) : spd_dot(count, A->val + at, r);
}

void spd_matrix_add(const spd_matrix *A, int64_t j, double t, double *z) {
    const int64_t at = A->ptr[j], count = A->ptr[j + 1] - at;
    if (A->row)
        spd_scatter_add(count, t, A->row + at, A->val + at, z);
    else
        spd_axpy(count, t, A->val + at, z);
}

SPD_WIDE static void add_weighted(int64_t n, double t, const double *restrict q, const double *restrict v, double *restrict r) {
    for (int64_t i = 0; i < n; i++) r[i] += t * (q[i] * v[i]);
}

void spd_matrix_add_weighted(const spd_matrix *A, int64_t j, double t, const double *q, double *r) {
    const int64_t at = A->ptr[j], count = A->ptr[j + 1] - at;
    const int32_t *row = A->row ? A->row + at : NULL;
    const double *val = A->val + at;
    if (!row) add_weighted(count, t, q, val, r);
    for (int64_t k = 0; k < count && row; k++) r[row[k]] += t * (q[row[k]] * val[k]);
}

SPD_WIDE static double weighted_square(int64_t n, const double *restrict q, const double *restrict v) {
    double s[8] = {0}; /* lanes, as in vec.c */
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) s[j] += q[i + j] * (v[i + j] * v[i + j]);
    for (int j = 0; i < n; i++, j++) s[j] += q[i] * (v[i] * v[i]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

double spd_matrix_square(const spd_matrix *A, int64_t j, const double *q) {
    const int64_t at = A->ptr[j], count = A->ptr[j + 1] - at;
    if (!A->row) return weighted_square(count, q, A->val + at);
    double sum = 0;
    for (int64_t k = at; k < at + count; k++) sum += q[A->row[k]] * (A->val[k] * A->val[k]);
    return sum;
}

/* ---- many columns */
typedef struct many {
    const spd_matrix *A;
    const int32_t *list;
    int64_t count, each; /* columns in all, and in a block */
    const double *r;
    double *out;
    bool packed; /* out by the position in the list */
} many;

/* Dense columns go four at a time, the last ones singly. */
static void one_block(void *context, int64_t b) {
    const many *m = context;
    const spd_matrix *A = m->A;
    const int64_t end = (b + 1) * m->each < m->count ? (b + 1) * m->each : m->count;
    int64_t q = b * m->each;
    for (; !A->row && q + SPD_ABREAST <= end; q += SPD_ABREAST) {
        const double *column[SPD_ABREAST];
        double sum[SPD_ABREAST];
        for (int r = 0; r < SPD_ABREAST; r++) column[r] = A->val + A->ptr[m->list ? m->list[q + r] : q + r];
        spd_dense_rows_dots(A->n, column, m->r, sum);
        for (int r = 0; r < SPD_ABREAST; r++) m->out[m->packed ? q + r : m->list ? m->list[q + r] : q + r] = sum[r];
    }
    for (; q < end; q++) {
        const int64_t j = m->list ? m->list[q] : q;
        m->out[m->packed ? q : j] = spd_matrix_dot(A, j, m->r);
    }
}

static void run(many *m, int threads) {
    const spd_matrix *A = m->A;
    if (m->count == 0) return; /* data without features */
    const int64_t usual = A->ptr[A->d] / A->d + 8;
    m->each = (ENTRIES_PER_BLOCK / usual / SPD_ABREAST + 1) * SPD_ABREAST;
    spd_parallel(threads, (m->count + m->each - 1) / m->each, one_block, m);
}

void spd_matrix_dots(const spd_matrix *A, int threads, const int32_t *list, int64_t count, const double *r, double *out) {
    run(&(many){.A = A, .list = list, .count = count, .r = r, .out = out}, threads);
}

void spd_matrix_packed_dots(const spd_matrix *A, int threads, const int32_t *list, int64_t count, const double *r, double *out) {
    run(&(many){.A = A, .list = list, .count = count, .r = r, .out = out, .packed = true}, threads);
}

void spd_matrix_combine(const spd_matrix *A, const int32_t *list, int64_t count, const double *d, double *z) {
    int64_t q = 0;
    for (; !A->row && q + SPD_ABREAST <= count; q += SPD_ABREAST) {
        const double *column[SPD_ABREAST];
        for (int r = 0; r < SPD_ABREAST; r++) column[r] = A->val + A->ptr[list[q + r]];
        spd_dense_rows_add(A->n, column, d + q, z);
    }
    for (; q < count; q++) spd_matrix_add(A, list[q], d[q], z);
}

/* rows.c - M d = A_E'Q A_E d for a sparse A, by rows:
 *     out = sum_i a_i Q_i (a_i'd)
 * and M itself,  sum_i Q_i a_i a_i',  which takes half the sum of the squares of the rows' lengths, whatever the columns are.
 * Every entry is read once, and d and out stay in the nearest cache, while columns take two passes over the entries and three
 * over the rows. Conjugate gradients on a face repeat this often enough to pay for the copy of A_E. */
#include "lasso/lasso.h"

bool spd_packed_new(spd_packed *s, const spd_matrix *A) {
    *s = (spd_packed){.n = A->n};
    if (!A->row) return true;
    const int64_t entries = A->ptr[A->d];
    s->ptr = SPD_NEW(int64_t, A->n + 1);
    s->column = SPD_NEW(int32_t, A->d);
    s->at = SPD_NEW(int32_t, A->d);
    s->idx = spd_alloc_sparse(entries, sizeof *s->idx);
    s->val = spd_alloc_sparse(entries, sizeof *s->val);
    if (!s->ptr || !s->idx || !s->val || !s->column || !s->at) return false;
    for (int64_t j = 0; j < A->d; j++) s->at[j] = -1;
    double squares = 0;
    for (int64_t q = 0; q < entries; q++) s->ptr[A->row[q]]++;
    for (int64_t i = 0; i < A->n; i++) squares += (double)s->ptr[i] * (double)s->ptr[i];
    s->uneven = squares / fmax((double)entries * (double)entries, 1);
    return true;
}

void spd_packed_free(spd_packed *s) {
    SPD_FREE_ALL(s->ptr, s->idx, s->val, s->column, s->at);
    *s = (spd_packed){0};
}

void spd_packed_fill(spd_packed *s, const spd_matrix *A, const int32_t *list, int64_t count) {
    for (int64_t k = 0; k < s->count; k++) s->at[s->column[k]] = -1;
    for (int64_t k = 0; k < count; k++) {
        s->column[k] = list[k];
        s->at[list[k]] = (int32_t)k;
    }
    s->count = count;
    memset(s->ptr, 0, (size_t)(s->n + 1) * sizeof *s->ptr);
    for (int64_t k = 0; k < count; k++)
        for (int64_t q = A->ptr[list[k]]; q < A->ptr[list[k] + 1]; q++) s->ptr[A->row[q] + 1]++;
    for (int64_t i = 0; i < s->n; i++) s->ptr[i + 1] += s->ptr[i];
    for (int64_t k = 0; k < count; k++)
        for (int64_t q = A->ptr[list[k]]; q < A->ptr[list[k] + 1]; q++) {
            const int64_t at = s->ptr[A->row[q]]++;
            s->idx[at] = (int32_t)k;
            s->val[at] = A->val[q];
        }
    memmove(s->ptr + 1, s->ptr, (size_t)s->n * sizeof *s->ptr); /* each position has advanced to the end of its row */
    s->ptr[0] = 0;
}

double spd_packed_apply(const spd_packed *s, const double *Q, int64_t count, const double *d, double c, double *out) {
    double sum = 0;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = s->ptr[i], entries = s->ptr[i + 1] - from;
        const int32_t *idx = s->idx + from;
        const double *val = s->val + from, z = Q[i] * (spd_gather_dot(entries, idx, val, d) + c);
        spd_scatter_add(entries, z, idx, val, out);
        sum += z;
    }
    return sum;
}

void spd_packed_gram(const spd_packed *s, const double *Q, int64_t count, bool ones, double *H) {
    const int64_t size = count + ones;
    memset(H, 0, (size_t)(size * size) * sizeof *H);
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t from = s->ptr[i], entries = s->ptr[i + 1] - from;
        const int32_t *idx = s->idx + from;
        const double *val = s->val + from;
        for (int64_t q = 0; q < entries; q++) spd_scatter_add(q + 1, Q[i] * val[q], idx, val, H + idx[q] * size);
        if (!ones) continue;
        spd_scatter_add(entries, Q[i], idx, val, H + count * size);
        H[count * size + count] += Q[i];
    }
}

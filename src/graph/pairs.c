/* pairs.c - all pairs of features with |S_ij| > floor. Columns are processed in blocks, blocks in waves, and results are consumed
 * in order. Features that never occur together have
 *     S_ij = -factor N m_i m_j.
 * Going through the means from the largest finds those above the floor. */
#include <stdlib.h>

#include "graph/graph.h"

enum {
    BLOCK = 16,
    FIRST_WAVE = 4,
    LAST_WAVE = 32
}; /* columns; blocks: before a floor is known, at most 16 * 32 rows of S are in memory */

static int ascending(int64_t a, int64_t b) { return (a > b) - (a < b); }

int spd_pair_by_place(const void *a, const void *b) {
    const spd_pair *p = a, *q = b;
    return p->i != q->i ? ascending(p->i, q->i) : ascending(p->j, q->j);
}

int spd_pair_by_size(const void *a, const void *b) {
    const spd_pair *p = a, *q = b;
    if (fabs(p->s) != fabs(q->s)) return fabs(p->s) > fabs(q->s) ? -1 : 1;
    return spd_pair_by_place(a, b);
}

spdhg_status spd_pair_add(spd_pair_list *list, int32_t i, int32_t j, double s, spdhg_error *err) {
    if (list->count == list->capacity) {
        const int64_t capacity = list->capacity ? 2 * list->capacity : 256;
        spd_pair *grown = spd_grow_raw(list->pair, capacity, sizeof *grown);
        if (!grown) return spd_fail_memory(err, (double)capacity * sizeof *grown);
        list->pair = grown;
        list->capacity = capacity;
    }
    list->pair[list->count++] = (spd_pair){i, j, s};
    return SPDHG_OK;
}

typedef struct wave {
    const spd_columns *c;
    double floor;
    int64_t first; /* block */
    spd_pair_list found[LAST_WAVE];
    spdhg_status status[LAST_WAVE];
    spdhg_error error[LAST_WAVE];
} wave;

static spdhg_status dense_rows(const wave *w, int64_t from, int64_t count, double *G, spd_pair_list *found, spdhg_error *err) {
    const spd_columns *c = w->c;
    spd_gram_rows(c->rows, c->features, c->X, from, count, G);
    for (int64_t i = from; i < from + count; i++)
        for (int64_t j = i + 1; j < c->features; j++) {
            const double s = spd_columns_scale(c, G[(i - from) * c->features + j]);
            if (fabs(s) > w->floor) SPD_TRY(spd_pair_add(found, (int32_t)i, (int32_t)j, s, err));
        }
    return SPDHG_OK;
}

/* product and seen are all 0 on entry and on return. */
static spdhg_status sparse_row(const wave *w, int64_t i, double *product, char *seen, int32_t *touched, spd_pair_list *found,
                               spdhg_error *err) {
    const spd_columns *c = w->c;
    const spd_csr *A = &c->by_row;
    const double mean = (double)c->rows * c->mean[i];
    int64_t count = 0;
    spdhg_status status = SPDHG_OK;
    for (int64_t q = c->ptr[i]; q < c->ptr[i + 1]; q++) {
        const double x = A->val[c->where[q]];
        const int64_t end = A->ptr[c->row[q] + 1];
        for (int64_t e = c->where[q] + 1; e < end; e++) {
            const int32_t j = A->idx[e];
            touched[count] = j;
            count += !seen[j];
            seen[j] = 1;
            product[j] += x * A->val[e];
        }
    }
    for (int64_t k = 0; k < count; k++) {
        const int32_t j = touched[k];
        const double s = spd_columns_scale(c, product[j] - mean * c->mean[j]);
        if (fabs(s) > w->floor && status == SPDHG_OK) status = spd_pair_add(found, (int32_t)i, j, s, err);
    }
    for (int64_t k = 0; k < c->means && status == SPDHG_OK; k++) {
        const int32_t j = c->by_mean[k];
        const double s = spd_columns_scale(c, -mean * c->mean[j]);
        if (!(fabs(s) > w->floor)) break;
        if (j > i && !seen[j]) status = spd_pair_add(found, (int32_t)i, j, s, err);
    }
    for (int64_t k = 0; k < count; k++) {
        product[touched[k]] = 0;
        seen[touched[k]] = 0;
    }
    return status;
}

static spdhg_status sparse_rows(const wave *w, int64_t from, int64_t count, spd_pair_list *found, spdhg_error *err) {
    const int64_t d = w->c->features;
    double *product = SPD_NEW(double, d);
    char *seen = SPD_NEW(char, d);
    int32_t *touched = SPD_NEW(int32_t, d + 1); /* one extra: an entry is written before it is known to count */
    spdhg_status status = product && seen && touched ? SPDHG_OK : spd_fail_memory(err, 13.0 * (double)d);
    for (int64_t i = from; i < from + count && status == SPDHG_OK; i++)
        if (sqrt(w->c->variance[i] * w->c->largest_variance) > w->floor)
            status = sparse_row(w, i, product, seen, touched, found, err);
    spd_free(product);
    spd_free(seen);
    spd_free(touched);
    return status;
}

static void block(void *context, int64_t b) {
    wave *w = context;
    const int64_t from = (w->first + b) * BLOCK, left = w->c->features - from, count = left < BLOCK ? left : BLOCK;
    if (!w->c->X) {
        w->status[b] = sparse_rows(w, from, count, &w->found[b], &w->error[b]);
        return;
    }
    double *G = SPD_NEW(double, count * w->c->features);
    w->status[b] = G ? dense_rows(w, from, count, G, &w->found[b], &w->error[b])
                     : spd_fail_memory(&w->error[b], 8.0 * (double)count * (double)w->c->features);
    spd_free(G);
}

spdhg_status spd_pairs(const spd_columns *c, int threads, double floor, spd_take_pairs take, void *context, spdhg_error *err) {
    wave *w = SPD_NEW(wave, 1);
    if (!w) return spd_fail_memory(err, sizeof *w);
    const int64_t blocks = (c->features + BLOCK - 1) / BLOCK;
    spdhg_status status = SPDHG_OK;
    int64_t size = FIRST_WAVE;
    w->c = c;
    w->floor = floor;
    for (int64_t first = 0; first < blocks && status == SPDHG_OK; first += size, size = size < LAST_WAVE ? 2 * size : size) {
        const int64_t count = blocks - first < size ? blocks - first : size;
        w->first = first;
        for (int64_t b = 0; b < count; b++) w->found[b].count = 0;
        spd_parallel(threads, count, block, w);
        for (int64_t b = 0; b < count && status == SPDHG_OK; b++) {
            status = w->status[b];
            if (status != SPDHG_OK && err) *err = w->error[b];
            if (status == SPDHG_OK) status = take(context, w->found[b].pair, w->found[b].count, &w->floor, err);
        }
        for (int64_t b = 0; b < count; b++) { /* a wave that ran before the floor was known may hold many pairs */
            spd_free(w->found[b].pair);
            w->found[b] = (spd_pair_list){0};
        }
    }
    for (int64_t b = 0; b < LAST_WAVE; b++) spd_free(w->found[b].pair);
    spd_free(w);
    return status;
}

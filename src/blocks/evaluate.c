/* evaluate.c - points whose blocks are listed, and f at one of them. */
#include "blocks/blocks.h"

void spd_blocks_gather(const spd_blocks *a, int64_t b, const double *x, double *out) {
    const int64_t K = a->p->K;
    for (int64_t q = a->first[b]; q < a->first[b + 1]; q++, out += K) memcpy(out, x + a->feature[q] * K, (size_t)K * sizeof *x);
}

void spd_blocks_scatter(const spd_blocks *a, int64_t b, const double *from, double *x) {
    const int64_t K = a->p->K;
    for (int64_t q = a->first[b]; q < a->first[b + 1]; q++, from += K) memcpy(x + a->feature[q] * K, from, (size_t)K * sizeof *x);
}

double spd_blocks_size(const spd_blocks *a, int64_t b, const double *x) {
    const int64_t numbers = spd_blocks_numbers(a, b);
    return a->weight[b] * (a->single ? spd_sum_abs(numbers, x) : spd_norm2(numbers, x));
}

void spd_blocks_activate(spd_blocks *a, int64_t b) {
    if (a->is_active[b]) return;
    a->is_active[b] = true;
    a->now.list[a->now.count++] = (int32_t)b;
    a->version++;
}

void spd_blocks_tidy(spd_blocks *a) {
    int64_t kept = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t b = a->now.list[q];
        bool some = false;
        for (int64_t j = a->first[b]; j < a->first[b + 1] && !some; j++)
            for (int64_t k = 0; k < a->p->K; k++) some = some || a->now.x[a->feature[j] * a->p->K + k] != 0;
        a->is_active[b] = some;
        if (some) a->now.list[kept++] = b;
    }
    a->version += kept != a->now.count;
    a->now.count = kept;
}

void spd_blocks_keep(const spd_blocks *a, spd_block_point *out) {
    const int64_t K = a->p->K;
    for (int64_t q = 0; q < out->count; q++)
        for (int64_t j = a->first[out->list[q]]; j < a->first[out->list[q] + 1]; j++)
            memset(out->x + a->feature[j] * K, 0, (size_t)K * sizeof *out->x);
    out->count = a->now.count;
    memcpy(out->c, a->now.c, (size_t)K * sizeof *out->c);
    memcpy(out->list, a->now.list, (size_t)out->count * sizeof *out->list);
    for (int64_t q = 0; q < out->count; q++)
        for (int64_t j = a->first[out->list[q]]; j < a->first[out->list[q] + 1]; j++)
            memcpy(out->x + a->feature[j] * K, a->now.x + a->feature[j] * K, (size_t)K * sizeof *out->x);
}

void spd_blocks_add(const spd_blocks *a, int64_t b, const double *by, double *v) {
    const int64_t K = a->p->K, features = spd_blocks_features(a, b);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t q = 0; q < features; q++) a->packed[q] = by[q * K + k];
        spd_matrix_combine(&a->A, a->feature + a->first[b], features, a->packed, v + k * a->p->n);
    }
}

/* by output from row by row */
static void turn(const spd_blocks *a, const double *rows, double *out) {
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t k = 0; k < K; k++)
        for (int64_t i = 0; i < n; i++) out[k * n + i] = rows[i * K + k];
}

static void find_scores(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, K = p->K;
    const int64_t columns = spd_blocks_list(a);
    for (int64_t k = 0; k < K; k++) {
        double *z = a->z + k * n;
        for (int64_t i = 0; i < n; i++) z[i] = p->data->offset ? spd_problem_offset(p, i)[k] : 0;
        for (int64_t q = 0; q < columns; q++) a->packed[q] = a->now.x[a->columns[q] * K + k];
        spd_matrix_combine(&a->A, a->columns, columns, a->packed, z);
        if (p->intercept)
            for (int64_t i = 0; i < n; i++) z[i] += a->now.c[k];
        for (int64_t i = 0; i < n; i++) a->rows[i * K + k] = z[i];
    }
}

/* Chances from phi' = chance - e_b. */
static void find_chances(spd_blocks *a) {
    const int64_t n = a->p->n;
    memcpy(a->curve, a->slope, (size_t)(n * a->p->K) * sizeof *a->curve);
    for (int64_t i = 0; i < n; i++) a->curve[(int64_t)a->p->b[i] * n + i] += 1;
}

double spd_blocks_evaluate(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    double square = 0;
    a->size = 0;
    find_scores(a);
    a->loss = spd_problem_losses(p, a->threads, &(spd_scores){.z = a->rows}, a->rows_slope, a->second, a->partial);
    turn(a, a->rows_slope, a->slope);
    if (a->coupled)
        find_chances(a);
    else
        turn(a, a->second, a->curve);
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b);
        spd_blocks_gather(a, b, a->now.x, a->u);
        a->size += spd_blocks_size(a, b, a->u);
        square += spd_dot(numbers, a->u, a->u);
    }
    a->ridge = 0.5 * p->gamma * square;
    a->penalty = spd_blocks_lambda(a) * a->size;
    return a->loss + a->ridge + a->penalty;
}

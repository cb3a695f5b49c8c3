/* step.c - steps of all active blocks at once, taken where the quadratic model is lower:
 *     m(x + by) - m(x) = r'v + v'(share phi'')v/2 + the change of ridge and penalty,   v = A by
 * Packed: the numbers of the active blocks one after the other, then the intercept's. */
#include "blocks/blocks.h"

int64_t spd_blocks_list(spd_blocks *a) {
    int64_t columns = 0;
    for (int64_t q = 0; q < a->now.count; q++)
        for (int64_t j = a->first[a->now.list[q]]; j < a->first[a->now.list[q] + 1]; j++) a->columns[columns++] = a->feature[j];
    return columns;
}

void spd_blocks_pack(const spd_blocks *a, double *out) {
    for (int64_t q = 0; q < a->now.count; q++) {
        spd_blocks_gather(a, a->now.list[q], a->now.x, out);
        out += spd_blocks_numbers(a, a->now.list[q]);
    }
    memcpy(out, a->now.c, (size_t)a->p->K * sizeof *out);
}

/* The penalty and the ridge of packed numbers, times lambda and gamma. */
static double price(const spd_blocks *a, const double *x) {
    double size = 0, square = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b);
        size += spd_blocks_size(a, b, x);
        square += spd_dot(numbers, x, x);
        x += numbers;
    }
    return spd_blocks_lambda(a) * size + 0.5 * a->p->gamma * square;
}

/* v = A (to - x), by output */
static void find_step(spd_blocks *a, const double *x, const double *to, double *v) {
    const int64_t n = a->p->n, K = a->p->K;
    const int64_t columns = spd_blocks_list(a);
    for (int64_t q = 0; q < columns; q++) a->count_work += (double)(K * spd_matrix_count(&a->A, a->columns[q]));
    for (int64_t k = 0; k < K; k++) {
        const double shift = to[columns * K + k] - x[columns * K + k];
        for (int64_t i = 0; i < n; i++) v[k * n + i] = shift;
        for (int64_t q = 0; q < columns; q++) a->packed[q] = to[q * K + k] - x[q * K + k];
        spd_matrix_combine(&a->A, a->columns, columns, a->packed, v + k * n);
    }
}

static void take(spd_blocks *a, const double *to) {
    for (int64_t q = 0; q < a->now.count; q++) {
        spd_blocks_scatter(a, a->now.list[q], to, a->now.x);
        to += spd_blocks_numbers(a, a->now.list[q]);
    }
    memcpy(a->now.c, to, (size_t)a->p->K * sizeof *to);
    spd_blocks_tidy(a);
}

bool spd_blocks_try(spd_blocks *a, const double *x, const double *to) {
    const int64_t nK = a->p->n * a->p->K;
    find_step(a, x, to, a->v);
    double change = price(a, to) - price(a, x) + spd_dot(nK, a->r, a->v);
    change += 0.5 * spd_blocks_curve(a, a->v);
    if (!(change < 0)) return false;
    spd_axpy(nK, 1, a->v, a->r);
    take(a, to);
    return true;
}

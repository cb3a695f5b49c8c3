/* face_gradients.c - the step of face.c by conjugate gradients, for faces too large for a factor: a product with M takes two
 * passes over the active columns. */
#include "blocks/blocks.h"

enum { ITERATIONS_MOST = 300 };
static const double LEAST = 1e-10, MOST = 0.1, SHARE = 0.1; /* relative to the slopes; of the accuracy wanted */
static const double NEWTON = 1e-2; /* with blocks, whose length is no quadratic function, relative to the slopes */

typedef struct context {
    spd_blocks *a;
    int64_t columns;
    const double *diagonal;
} context;

/* out += (the penalty's curvature) p, of blocks */
static void add_penalty(const spd_blocks *a, const double *p, double *out) {
    const double lambda = spd_blocks_lambda(a), *x = a->face.x;
    for (int64_t q = 0, at = 0; q < a->now.count && !a->single; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b);
        const double length = a->face.length[q], curve = lambda * a->weight[b] / length;
        const double along = spd_dot(numbers, x + at, p + at) / (length * length);
        for (int64_t e = at; e < at + numbers; e++) out[e] += curve * (p[e] - along * x[e]);
        at += numbers;
    }
}

static void apply(const void *of, const double *p, double *out) {
    const context *c = of;
    spd_blocks *a = c->a;
    const int64_t n = a->p->n, K = a->p->K, columns = c->columns;
    for (int64_t k = 0; k < K; k++) {
        double *v = a->v + k * n;
        const double shift = p[columns * K + k];
        for (int64_t i = 0; i < n; i++) v[i] = shift;
        for (int64_t e = 0; e < columns; e++) a->packed[e] = p[e * K + k];
        spd_matrix_combine(&a->A, a->columns, columns, a->packed, v);
    }
    spd_blocks_curve(a, a->v);
    for (int64_t k = 0; k < K; k++) {
        spd_matrix_packed_dots(&a->A, 1, a->columns, columns, a->v + k * n, a->packed);
        for (int64_t e = 0; e < columns; e++) out[e * K + k] = a->packed[e] + a->p->gamma * p[e * K + k];
        out[columns * K + k] = spd_dot(n, a->v + k * n, a->one);
    }
    add_penalty(a, p, out);
    for (int64_t q = 0; q < columns * K + K; q++)
        if (a->face.unknown[q] < 0) out[q] = 0;
    a->count_work += 2 * (double)K * a->face.entries;
}

/* The curvature of the loss for every unknown; of a block its mean, and 1 for what is no unknown. */
static void find_diagonal(spd_blocks *a, int64_t columns, double *diagonal) {
    spd_block_face *f = &a->face;
    const int64_t n = a->p->n, K = a->p->K;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t i = 0; i < n; i++) f->weight[i] = a->Q[k * n + i] * (a->coupled ? 1 - a->curve0[k * n + i] : 1);
        for (int64_t e = 0; e < columns; e++)
            if (f->unknown[e * K + k] >= 0)
                diagonal[e * K + k] = spd_matrix_square(&a->A, a->columns[e], f->weight) + a->p->gamma;
        diagonal[columns * K + k] = spd_dot(n, f->weight, a->one);
    }
    for (int64_t q = 0, at = 0; q < a->now.count && !a->single; q++) {
        const int64_t numbers = spd_blocks_numbers(a, a->now.list[q]);
        double sum = 0;
        for (int64_t e = at; e < at + numbers; e++) sum += diagonal[e];
        for (int64_t e = at; e < at + numbers; e++) diagonal[e] = sum / (double)numbers;
        at += numbers;
    }
    for (int64_t q = 0; q < columns * K + K; q++)
        if (f->unknown[q] < 0 || !(diagonal[q] > 0)) diagonal[q] = 1;
}

/* z = P^-1 r with P = h + curve (I - u u') in a block:  r/(h + curve) + u u'r (1/h - 1/(h + curve)) */
static void precondition(const void *of, const double *r, double *z) {
    const context *c = of;
    const spd_blocks *a = c->a;
    const double lambda = spd_blocks_lambda(a), *x = a->face.x;
    for (int64_t q = 0; q < c->columns * a->p->K + a->p->K; q++) z[q] = r[q] / c->diagonal[q];
    for (int64_t q = 0, at = 0; q < a->now.count && !a->single; q++) {
        const int64_t b = a->now.list[q], numbers = spd_blocks_numbers(a, b);
        const double length = a->face.length[q], curve = lambda * a->weight[b] / length, h = c->diagonal[at];
        const double along = spd_dot(numbers, x + at, r + at) / (length * length) * (1 / h - 1 / (h + curve));
        for (int64_t e = at; e < at + numbers; e++) z[e] = r[e] / (h + curve) + along * x[e];
        at += numbers;
    }
}

bool spd_block_face_gradients(spd_blocks *a, int64_t columns, double accuracy) {
    spd_block_face *f = &a->face;
    const int64_t numbers = columns * a->p->K + a->p->K;
    double most = 0, *b = f->right, *diagonal = f->right + numbers, *x = f->right + 2 * numbers;
    f->entries = 0;
    for (int64_t e = 0; e < columns; e++) f->entries += (double)spd_matrix_count(&a->A, a->columns[e]);
    for (int64_t q = 0; q < numbers; q++) {
        b[q] = f->unknown[q] >= 0 ? f->g[q] : 0;
        x[q] = 0;
        most = fmax(most, fabs(b[q]));
    }
    find_diagonal(a, columns, diagonal);
    for (int64_t q = 0, at = 0; q < a->now.count && !a->single; q++) {
        const int64_t in = spd_blocks_numbers(a, a->now.list[q]);
        f->length[q] = spd_norm2(in, f->x + at);
        at += in;
    }
    const double enough = a->single ? fmin(fmax(SHARE * accuracy / most, LEAST), MOST) : NEWTON;
    context c = {a, columns, diagonal};
    spd_cg_solve(&(spd_cg){.apply = apply,
                           .context = &c,
                           .precondition = precondition,
                           .tolerance = enough,
                           .most = ITERATIONS_MOST,
                           .stop = a->stop},
                 numbers, b, x, f->right + 3 * numbers);
    for (int64_t q = 0; q < numbers; q++) f->to[q] = f->x[q] - x[q];
    return spd_all_finite(numbers, f->to);
}

/* sandwich_float.c - the product of sandwich.c in single precision: out = (M X M) on the pattern of X to six digits, in half the
 * time. That is sufficient for directions and curvatures. M and X are scaled to at most 1 so that nothing leaves the range of
 * floats; rows are padded with zeros to whole tiles. Vectors have eight numbers, so the bits do not depend on the processor's
 * vector width. */
#include <float.h>

#include "la/la.h"

enum { LANES = 8, PARTS = 4, TILE = LANES * PARTS, BLOCK = 8 };
typedef float eight __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
#define AT(x, j) (*(const eight *)(const void *)((x) + (j)))

int64_t spd_float_width(int64_t n) { return (n + TILE - 1) / TILE * TILE; }

/* Has a finite inverse for any x. */
static double size(int64_t n, const double *x) { return fmax(spd_max_abs(n, x), DBL_MIN); }

SPD_WIDE void spd_float_copy(spd_float_matrix *s, int64_t n, const double *M) {
    const int64_t width = spd_float_width(n);
    s->scale = size(n * n, M);
    const double inverse = 1 / s->scale;
    for (int64_t i = 0; i < n; i++) {
        float *row = s->M + i * width;
        for (int64_t j = 0; j < n; j++) row[j] = (float)(M[i * n + j] * inverse);
        for (int64_t j = n; j < width; j++) row[j] = 0;
    }
}

/* u = sum_k value_k M_{near_k} in TILE columns. Even and odd k have separate sums: a single sum would be limited by latency. */
static inline __attribute__((always_inline)) void combine(int64_t count, const int32_t *near, const float *value, const float *M,
                                                          float *u) {
    eight even[PARTS] = {{0}}, odd[PARTS] = {{0}};
    int64_t k = 0;
    for (; k + 2 <= count; k += 2) {
        const float *m = M + near[k] * TILE, *n = M + near[k + 1] * TILE;
        for (int c = 0; c < PARTS; c++) even[c] += value[k] * AT(m, LANES * c);
        for (int c = 0; c < PARTS; c++) odd[c] += value[k + 1] * AT(n, LANES * c);
    }
    const float x = k < count ? value[k] : 0, *m = M + (k < count ? near[k] : 0) * TILE;
    for (int c = 0; c < PARTS; c++) *(eight *)(void *)(u + LANES * c) = (even[c] + odd[c]) + x * AT(m, LANES * c);
}

/* U = X M, one tile of columns after another. */
SPD_WIDE static void multiply(const spd_pattern *g, const float *M, float *U) {
    const int64_t n = g->n, width = spd_float_width(n);
    const float *value = g->value;
    float *work = g->work;
    for (int64_t first = 0; first < width; first += TILE) {
        for (int64_t i = 0; i < n; i++) memcpy(work + i * TILE, M + i * width + first, TILE * sizeof *M);
        for (int64_t i = 0; i < n; i++)
            combine(g->from[i + 1] - g->from[i], g->near + g->from[i], value + g->from[i], work, U + i * width + first);
    }
}

/* By address, as in dense_rows.c. */
static inline float total(const eight *a, const eight *b) {
    const eight s = *a + *b;
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* z_r = row_r'x for rows padded to whole tiles. */
static inline __attribute__((always_inline)) void dots(int64_t width, const float *const row[SPD_ABREAST], const float *x,
                                                       float *z) {
    const float *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    eight a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
    for (int64_t j = 0; j < width; j += 2 * LANES) {
        const eight u = AT(x, j), v = AT(x, j + LANES);
        a0 += u * AT(r0, j);
        a1 += u * AT(r1, j);
        a2 += u * AT(r2, j);
        a3 += u * AT(r3, j);
        b0 += v * AT(r0, j + LANES);
        b1 += v * AT(r1, j + LANES);
        b2 += v * AT(r2, j + LANES);
        b3 += v * AT(r3, j + LANES);
    }
    z[0] = total(&a0, &b0);
    z[1] = total(&a1, &b1);
    z[2] = total(&a2, &b2);
    z[3] = total(&a3, &b3);
}

/* out = scale (M U) on the pattern; only for neighbours of i that are at least i. */
SPD_WIDE static void project(const spd_pattern *g, const float *M, const float *U, double scale, double *out) {
    const int64_t n = g->n, width = spd_float_width(n);
    float *work = g->work, z[SPD_ABREAST];
    memset(work, 0, (size_t)(BLOCK * width) * sizeof *work);
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t count = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t k = 0; k < n; k++)
            for (int64_t c = 0; c < count; c++) work[c * width + k] = U[k * width + first + c];
        for (int64_t i = first; i < first + count; i++) {
            const int64_t end = g->from[i + 1];
            for (int64_t k = end - 1 - (g->start[i + 1] - g->start[i]); k < end; k += SPD_ABREAST) {
                const float *row[SPD_ABREAST];
                const int64_t some = end - k < SPD_ABREAST ? end - k : SPD_ABREAST;
                for (int64_t r = 0; r < SPD_ABREAST; r++) row[r] = M + g->near[k + (r < some ? r : 0)] * width;
                dots(width, row, work + (i - first) * width, z);
                for (int64_t r = 0; r < some; r++) out[g->pair[k + r]] = scale * (double)z[r];
            }
        }
    }
}

/* A: columns first .. first + TILE - 1 of X, TILE numbers for each row; columns beyond the last are 0. */
static void unfold(const spd_pattern *g, const double *X, double factor, int64_t first, float *A) {
    memset(A, 0, (size_t)(g->n * TILE) * sizeof *A);
    for (int64_t i = first; i < g->n && i < first + TILE; i++)
        for (int64_t k = g->from[i]; k < g->from[i + 1]; k++) A[g->near[k] * TILE + i - first] = (float)(X[g->pair[k]] * factor);
}

/* A: the tile of rows of U that starts at `first`, transposed. */
static void turn(int64_t n, int64_t width, const float *U, int64_t first, float *A) {
    for (int64_t i = first; i < n && i < first + TILE; i++)
        for (int64_t k = 0; k < n; k++) A[k * TILE + i - first] = U[i * width + k];
}

/* Rows of M A from `from` on, one tile wide, with `stride` numbers from one row to the next. */
SPD_WIDE static void multiply_tile(const spd_csr *M, const float *value, const float *A, int64_t from, int64_t stride,
                                   float *out) {
    for (int64_t i = from; i < M->n; i++)
        combine(M->ptr[i + 1] - M->ptr[i], M->idx + M->ptr[i], value + M->ptr[i], A, out + i * stride);
}

/* U = M X, then M U', of which only entries on the pattern are read. */
void spd_sandwich_light(const spd_pattern *g, const spd_csr *M, const double *X, float *U, double *out) {
    const int64_t n = g->n, width = spd_float_width(n), pairs = g->start[n], entries = spd_csr_nnz(M);
    const double of_X = size(pairs + n, X), of_M = size(entries, M->val), scale = of_X * of_M * of_M;
    float *value = g->value, *A = g->work, *B = A + n * TILE;
    for (int64_t k = 0; k < entries; k++) value[k] = (float)(M->val[k] * (1 / of_M));
    for (int64_t first = 0; first < n; first += TILE) {
        unfold(g, X, 1 / of_X, first, A);
        multiply_tile(M, value, A, 0, width, U + first);
    }
    for (int64_t first = 0; first < n; first += TILE) {
        turn(n, width, U, first, A);
        multiply_tile(M, value, A, first, TILE, B);
        for (int64_t i = first; i < n && i < first + TILE; i++) {
            out[pairs + i] = scale * (double)B[i * TILE + i - first];
            for (int64_t q = g->start[i]; q < g->start[i + 1]; q++) out[q] = scale * (double)B[g->other[q] * TILE + i - first];
        }
    }
}

void spd_sandwich_float(const spd_pattern *g, const spd_float_matrix *s, const double *X, double *out) {
    const double scale = size(g->start[g->n] + g->n, X), inverse = 1 / scale;
    float *value = g->value;
    for (int64_t k = 0; k < g->from[g->n]; k++) value[k] = (float)(X[g->pair[k]] * inverse);
    multiply(g, s->M, s->U);
    project(g, s->M, s->U, scale * s->scale * s->scale, out);
}

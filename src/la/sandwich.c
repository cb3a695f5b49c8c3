/* sandwich.c - (M X M)_ij on the pattern of X, for a symmetric n x n M and a sparse symmetric X: first U = X M, then m_j'u_i.
 * Both products process several rows of M at once, so that the cache and not the latency of a single sum limits them. The order
 * of every sum is fixed, so the bits depend neither on the vector width nor on the tiles. A sparse M is processed entry by
 * entry. */
#include "la/la.h"

enum { TILE = 16, LANES = 8, BLOCK = 8 }; /* tiles in sandwich_float.c have the same number of bytes; it processes two at once */

bool spd_pattern_new(spd_pattern *g, int64_t n) {
    *g = (spd_pattern){.n = n,
                       .capacity = -1,
                       .start = SPD_NEW(int64_t, n + 1),
                       .from = SPD_NEW(int64_t, n + 1),
                       .work = spd_alloc_raw(2 * TILE * (n + TILE), sizeof(double))};
    return g->start && g->from && g->work;
}

void spd_pattern_free(spd_pattern *g) {
    spd_free(g->start);
    spd_free(g->from);
    spd_free(g->work);
    spd_free(g->other);
    spd_free(g->near);
    spd_free(g->value);
}

bool spd_pattern_room(spd_pattern *g, int64_t pairs) {
    if (pairs <= g->capacity) return true;
    const int64_t capacity = pairs + pairs / 4, filled = g->capacity;
    int32_t *other = spd_alloc_raw(capacity, sizeof *other);
    if (other && filled > 0) memcpy(other, g->other, (size_t)filled * sizeof *other);
    spd_free(g->other);
    spd_free(g->near);
    spd_free(g->value);
    g->other = other;
    g->near = spd_alloc_raw(2 * (2 * capacity + g->n), sizeof *g->near);
    g->value = spd_alloc_raw(2 * capacity + g->n, sizeof(double));
    g->capacity = capacity;
    return g->other && g->near && g->value;
}

void spd_pattern_complete(spd_pattern *g) {
    const int64_t n = g->n, pairs = g->start[n];
    for (int64_t i = 0; i <= n; i++) g->from[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        g->from[i] += 1 + g->start[i + 1] - g->start[i];
        for (int64_t q = g->start[i]; q < g->start[i + 1]; q++) g->from[g->other[q]]++;
    }
    int64_t sum = 0;
    for (int64_t i = 0; i <= n; i++) { /* from[i] is where the next neighbour of i is stored */
        const int64_t count = g->from[i];
        g->from[i] = sum;
        sum += count;
    }
    int32_t *pair = g->pair = g->near + sum;
    for (int64_t i = 0; i < n; i++) { /* all neighbours below i are already stored, so the order is ascending */
        g->near[g->from[i]] = (int32_t)i;
        pair[g->from[i]++] = (int32_t)(pairs + i);
        for (int64_t q = g->start[i]; q < g->start[i + 1]; q++) {
            const int64_t j = g->other[q];
            g->near[g->from[i]] = (int32_t)j;
            pair[g->from[i]++] = (int32_t)q;
            g->near[g->from[j]] = (int32_t)i;
            pair[g->from[j]++] = (int32_t)q;
        }
    }
    for (int64_t i = n; i > 0; i--) g->from[i] = g->from[i - 1];
    g->from[0] = 0;
}

/* u = sum_k value_k M_{near_k} in TILE columns. Even and odd k have separate sums: a single sum would be limited by latency. */
static inline void combine(int64_t count, const int32_t *near, const double *value, const double *M, double *restrict u) {
    double s0[LANES] = {0}, s1[LANES] = {0}, t0[LANES] = {0}, t1[LANES] = {0};
    int64_t k = 0;
    for (; k + 2 <= count; k += 2) {
        const double x = value[k], y = value[k + 1], *m = M + near[k] * TILE, *n = M + near[k + 1] * TILE;
        for (int c = 0; c < LANES; c++) s0[c] += x * m[c];
        for (int c = 0; c < LANES; c++) s1[c] += x * m[LANES + c];
        for (int c = 0; c < LANES; c++) t0[c] += y * n[c];
        for (int c = 0; c < LANES; c++) t1[c] += y * n[LANES + c];
    }
    const double x = k < count ? value[k] : 0, *m = M + (k < count ? near[k] : 0) * TILE;
    for (int c = 0; c < LANES; c++) {
        u[c] = (s0[c] + t0[c]) + x * m[c];
        u[LANES + c] = (s1[c] + t1[c]) + x * m[LANES + c];
    }
}

/* U = X M, one tile of columns after another; the last tile overlaps the previous one. */
SPD_WIDEST static void multiply(const spd_pattern *g, const double *M, double *U) {
    const int64_t n = g->n;
    const double *value = g->value;
    double *work = g->work;
    for (int64_t at = 0; at < n; at += TILE) {
        const int64_t first = at + TILE <= n ? at : n - TILE;
        for (int64_t i = 0; i < n; i++) memcpy(work + i * TILE, M + i * n + first, TILE * sizeof *M);
        for (int64_t i = 0; i < n; i++)
            combine(g->from[i + 1] - g->from[i], g->near + g->from[i], value + g->from[i], work, U + i * n + first);
    }
}

static void multiply_small(const spd_pattern *g, const double *M, double *U) {
    const int64_t n = g->n;
    const double *value = g->value;
    memset(U, 0, (size_t)(n * n) * sizeof *U);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = g->from[i]; k < g->from[i + 1]; k++) spd_axpy(n, value[k], M + g->near[k] * n, U + i * n);
}

/* out = (M U) on the pattern. */
static void project(const spd_pattern *g, const double *M, const double *U, double *out) {
    const int64_t n = g->n, pairs = g->start[n];
    double *work = g->work;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t count = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t k = 0; k < n; k++)
            for (int64_t c = 0; c < count; c++) work[c * n + k] = U[k * n + first + c];
        for (int64_t i = first; i < first + count; i++) {
            const double *v = work + (i - first) * n;
            int64_t q = g->start[i];
            out[pairs + i] = spd_dot(n, v, M + i * n);
            for (; q + SPD_ABREAST <= g->start[i + 1]; q += SPD_ABREAST) {
                const double *row[SPD_ABREAST];
                for (int r = 0; r < SPD_ABREAST; r++) row[r] = M + g->other[q + r] * n;
                spd_dense_rows_dots(n, row, v, out + q);
            }
            for (; q < g->start[i + 1]; q++) out[q] = spd_dot(n, v, M + g->other[q] * n);
        }
    }
}

static void spread(const spd_pattern *g, const double *X) {
    double *value = g->value;
    for (int64_t k = 0; k < g->from[g->n]; k++) value[k] = X[g->pair[k]];
}

void spd_sandwich(const spd_pattern *g, const double *M, const double *X, double *U, double *out) {
    spread(g, X);
    (g->n < TILE ? multiply_small : multiply)(g, M, U);
    project(g, M, U, out);
}

static double row_times(const spd_csr *M, int64_t j, const double *u) {
    double sum = 0;
    for (int64_t e = M->ptr[j]; e < M->ptr[j + 1]; e++) sum += M->val[e] * u[M->idx[e]];
    return sum;
}

void spd_sandwich_sparse(const spd_pattern *g, const spd_csr *M, const double *X, double *out) {
    const int64_t n = g->n, pairs = g->start[n];
    const double *value = g->value;
    double *u = g->work;
    spread(g, X);
    for (int64_t i = 0; i < n; i++) {
        memset(u, 0, (size_t)n * sizeof *u);
        for (int64_t e = M->ptr[i]; e < M->ptr[i + 1]; e++) {
            const double m = M->val[e];
            const int64_t row = M->idx[e];
            for (int64_t k = g->from[row]; k < g->from[row + 1]; k++) u[g->near[k]] += m * value[k];
        }
        out[pairs + i] = row_times(M, i, u);
        for (int64_t q = g->start[i]; q < g->start[i + 1]; q++) out[q] = row_times(M, g->other[q], u);
    }
}

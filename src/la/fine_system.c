/* fine_system.c - M = diag(d) + G'WG of a band with twice the digits (sparse_system.h). Trends need them: rows of weight 1e13
 * that take fourth differences leave of M no digit of what holds a smooth x, though x depends on it. M = U'DU by columns, each
 * from its first entry to the diagonal (Jennings 1977):
 *     D_i U_ij = M_ij - sum_{k<i} U_ki D_k U_kj
 *     D_j      = M_jj - sum_{k<j} U_kj D_k U_kj */
#include "la/sparse_system.h"

/* Column j of the triangle: the number of entries above the diagonal, and the first of them. */
static int64_t height(const spd_sparse_pattern *q, int64_t j) { return q->column[j + 1] - q->column[j] - 1; }
static spd_twofold *column_of(const spd_sparse_system *s, int64_t j) { return s->fine + s->pattern->column[j]; }

void spd_fine_layout(spd_sparse_system *s, spd_arena *work) {
    const spd_sparse_pattern *q = s->pattern;
    s->fine = (spd_twofold *)spd_arena_take(work, q->band ? 2 * (int64_t)q->column[q->nodes] : 0);
    s->fine_x = (spd_twofold *)spd_arena_take(work, q->band ? 2 * q->n : 0);
}

static void add_row(spd_sparse_system *s, int64_t r) {
    const spd_sparse_pattern *q = s->pattern;
    const int64_t size = q->ptr[r + 1] - q->ptr[r];
    const int32_t *idx = q->idx + q->ptr[r];
    const double *value = s->value + q->ptr[r];
    for (int64_t a = 0; a < size; a++) {
        const spd_twofold weighted = spd_two_product(s->weight[r], value[a]);
        for (int64_t b = 0; b < size; b++) {
            if (idx[b] > idx[a]) continue;
            spd_twofold *at = column_of(s, idx[a]) + height(q, idx[a]) - (idx[a] - idx[b]);
            *at = spd_twofold_minus(*at, weighted, (spd_twofold){-value[b], 0});
        }
    }
}

/* The entries above the diagonal become D_i U_ij, then U_ij. */
static bool factor_column(spd_sparse_system *s, int64_t j) {
    const int64_t high = height(s->pattern, j), first = j - high;
    spd_twofold *own = column_of(s, j);
    for (int64_t i = first; i < j; i++) {
        const int64_t above = height(s->pattern, i), from = i - above > first ? i - above : first;
        const spd_twofold *other = column_of(s, i) + above - i;
        spd_twofold sum = own[i - first];
        for (int64_t k = from; k < i; k++) sum = spd_twofold_minus(sum, other[k], own[k - first]);
        own[i - first] = sum;
    }
    for (int64_t i = first; i < j; i++) {
        const spd_twofold u = spd_twofold_over(own[i - first], column_of(s, i)[height(s->pattern, i)]);
        own[high] = spd_twofold_minus(own[high], u, own[i - first]);
        own[i - first] = u;
    }
    return isfinite(own[high].high) && own[high].high > 0;
}

bool spd_fine_factor(spd_sparse_system *s, spd_stop *stop) {
    const spd_sparse_pattern *q = s->pattern;
    memset(s->fine, 0, (size_t)q->column[q->nodes] * sizeof *s->fine);
    for (int64_t j = 0; j < q->n; j++) column_of(s, j)[height(q, j)].high = s->diagonal[j];
    for (int64_t r = 0; r < q->rows; r++) add_row(s, r);
    for (int64_t j = 0; j < q->n; j++)
        if ((j % SPD_FINE_LOOKS == 0 && spd_stop_now(stop)) || !factor_column(s, j)) return false;
    return true;
}

void spd_fine_solve(spd_sparse_system *s, const double *b, double *x) {
    const spd_sparse_pattern *q = s->pattern;
    spd_twofold *t = s->fine_x;
    for (int64_t j = 0; j < q->n; j++) {
        const int64_t high = height(q, j);
        const spd_twofold *own = column_of(s, j) + high - j;
        t[j] = (spd_twofold){b[j], 0};
        for (int64_t k = j - high; k < j; k++) t[j] = spd_twofold_minus(t[j], own[k], t[k]);
    }
    for (int64_t j = 0; j < q->n; j++) t[j] = spd_twofold_over(t[j], column_of(s, j)[height(q, j)]);
    for (int64_t j = q->n - 1; j >= 0; j--) {
        const int64_t high = height(q, j);
        const spd_twofold *own = column_of(s, j) + high - j;
        for (int64_t k = j - high; k < j; k++) t[k] = spd_twofold_minus(t[k], own[k], t[j]);
        x[j] = t[j].high;
    }
}

double spd_fine_row(const spd_sparse_system *s, int64_t r) {
    const spd_sparse_pattern *q = s->pattern;
    spd_twofold sum = {0, 0};
    for (int64_t l = q->ptr[r]; l < q->ptr[r + 1]; l++)
        sum = spd_twofold_minus(sum, (spd_twofold){-s->value[l], 0}, s->fine_x[q->idx[l]]);
    return sum.high;
}

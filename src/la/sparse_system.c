/* sparse_system.c - M = diag(d) + G'WG numerically: assembled, factored, applied, solved (sparse_system.h). */
#include "la/sparse_system.h"

#include <ldl.h>

void spd_sparse_layout(spd_sparse_system *s, const spd_sparse_pattern *pattern, spd_arena *work) {
    const spd_sparse_pattern *q = pattern;
    const int64_t nodes = q->nodes;
    *s = (spd_sparse_system){.pattern = q};
    s->diagonal = spd_arena_take(work, q->n);
    s->shift = spd_arena_take(work, q->n);
    s->single = spd_arena_take(work, q->n);
    s->weight = spd_arena_take(work, q->rows);
    s->value = spd_arena_take(work, q->ptr[q->rows]);
    s->M = spd_arena_take(work, q->column[nodes]);
    s->L = spd_arena_take(work, q->fill);
    double **const vectors[] = {&s->D, &s->Y, &s->x, &s->whole};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = spd_arena_take(work, nodes);
    s->cg = spd_arena_take(work, 4 * q->n);
    s->row = spd_arena_int32(work, q->fill);
    int32_t **const lists[] = {&s->count, &s->list, &s->flag};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) *lists[i] = spd_arena_int32(work, nodes);
    spd_fine_layout(s, work);
}

/* Adds the products of a short row, or sqrt|w| g of a long one. */
static void add_row(spd_sparse_system *s, int64_t r) {
    const spd_sparse_pattern *q = s->pattern;
    const int64_t size = q->ptr[r + 1] - q->ptr[r];
    const int32_t *slot = q->slot + q->slot_ptr[r], *idx = q->idx + q->ptr[r];
    const double *value = s->value + q->ptr[r], w = s->weight[r], root = sqrt(fabs(w));
    for (int64_t a = 0; a < size; a++) s->whole[idx[a]] += w * value[a] * value[a];
    if (size == 1) s->single[*idx] += w * *value * *value;
    if (q->node[r] >= 0) {
        for (int64_t a = 0; a < size; a++) s->M[slot[a]] = root * value[a];
        s->M[q->column[q->place[q->node[r]]]] = w < 0 ? 1 : -1;
        return;
    }
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b <= a; b++) s->M[*slot++] += w * value[a] * value[b];
}

/* Pivots must be negative exactly for the long rows with a nonnegative weight. */
static bool signs_are_right(const spd_sparse_system *s) {
    const spd_sparse_pattern *q = s->pattern;
    int64_t wanted = 0, found = 0;
    for (int64_t r = 0; r < q->rows; r++) wanted += q->node[r] >= 0 && s->weight[r] >= 0;
    for (int32_t k = 0; k < q->nodes; k++) {
        if (!isfinite(s->D[k])) return false;
        found += s->D[k] < 0;
    }
    return wanted == found;
}

bool spd_sparse_factor(spd_sparse_system *s, double times, spd_stop *stop) {
    const spd_sparse_pattern *q = s->pattern;
    memset(s->M, 0, (size_t)q->column[q->nodes] * sizeof *s->M);
    memcpy(s->whole, s->diagonal, (size_t)q->n * sizeof *s->whole);
    memcpy(s->single, s->diagonal, (size_t)q->n * sizeof *s->single);
    for (int64_t r = 0; r < q->rows; r++) add_row(s, r);
    for (int64_t j = 0; j < q->n; j++)
        s->M[q->column[q->place[j]]] += s->diagonal[j] + (s->whole[j] > 0 ? times * s->shift[j] * s->whole[j] : 1);
    return spd_sparse_numbers(s, stop) && signs_are_right(s);
}

void spd_sparse_apply(const spd_sparse_system *s, const double *x, double *out) {
    const spd_sparse_pattern *q = s->pattern;
    for (int64_t j = 0; j < q->n; j++) out[j] = s->single[j] * x[j];
    for (int64_t r = 0; r < q->rows; r++) {
        const int64_t size = q->ptr[r + 1] - q->ptr[r];
        if (size == 1) continue;
        const int32_t *idx = q->idx + q->ptr[r];
        const double *value = s->value + q->ptr[r];
        spd_scatter_add(size, s->weight[r] * spd_gather_dot(size, idx, value, x), idx, value, out);
    }
}

static void apply(const void *context, const double *x, double *out) { spd_sparse_apply(context, x, out); }

/* out = the x part of the solution of the factored system. */
static void solve_factored(const void *context, const double *b, double *out) {
    const spd_sparse_system *s = context;
    const spd_sparse_pattern *q = s->pattern;
    memset(s->x, 0, (size_t)q->nodes * sizeof *s->x);
    for (int64_t j = 0; j < q->n; j++) s->x[q->place[j]] = b[j];
    ldl_lsolve(q->nodes, s->x, q->factor_column, s->row, s->L);
    ldl_dsolve(q->nodes, s->x, s->D);
    ldl_ltsolve(q->nodes, s->x, q->factor_column, s->row, s->L);
    for (int64_t j = 0; j < q->n; j++) out[j] = s->x[q->place[j]];
}

int spd_sparse_solve(spd_sparse_system *s, const double *b, double *x, double tolerance, int most, spd_stop *stop) {
    const spd_cg cg = {
        .apply = apply, .context = s, .precondition = solve_factored, .tolerance = tolerance, .most = most, .stop = stop};
    memset(x, 0, (size_t)s->pattern->n * sizeof *x);
    return spd_cg_solve(&cg, s->pattern->n, b, x, s->cg);
}

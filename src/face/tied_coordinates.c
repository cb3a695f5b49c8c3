/* tied_coordinates.c - the subspace { x : (F x)_e = 0 for closed e } as x = B t, from sets of coordinates that are multiples of
 * each other (la/joins.c). A row a x_i + b x_j = 0 makes the tie
 *     x_j = -(a/b) x_i */
#include "face/tied_coordinates.h"
#include "problem/rows.h"

void spd_tied_layout(const spdhg_problem *p, spd_arena *work, spd_tied *r, int64_t most) {
    r->ties = (spd_joins){.n = p->dK, .root = spd_arena_int32(work, p->dK), .ratio = spd_arena_take(work, p->dK)};
    r->label = spd_arena_int32(work, p->dK);
    r->weight = spd_arena_take(work, most);
    r->coef = r->ties.ratio;
}

void spd_tied_whole(spd_tied *r, const spdhg_problem *p) {
    r->size = spd_problem_normal_size(p);
    for (int64_t q = 0; q < p->dK; q++) {
        r->label[q] = (int32_t)q;
        r->coef[q] = 1;
    }
    for (int64_t q = 0; q < r->size; q++) r->weight[q] = 1;
}

bool spd_tied_make(spd_tied *r, const spdhg_problem *p, const double *open, int64_t most) {
    const int64_t K = p->K;
    spd_joins *ties = &r->ties;
    spd_joins_clear(ties);
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);)
        for (int64_t k = 0; k < K; k++)
            if (open[f.at + k] == 0) spd_joins_row(ties, &f.row, K, k);
    r->size = p->intercept ? K : 0;
    for (int64_t q = 0; q < p->dK; q++) r->size += ties->root[q] == q && !spd_joins_is_zero(ties, q);
    if (r->size > most) return false;
    int32_t next = 0;
    memset(r->weight, 0, (size_t)r->size * sizeof *r->weight);
    for (int64_t q = 0; q < p->dK; q++) { /* roots come before the coordinates tied to them */
        double ratio;
        const int64_t root = spd_joins_find(ties, q, &ratio);
        const bool zero = spd_joins_is_zero(ties, root);
        r->label[q] = zero ? -1 : root == q ? next++ : r->label[root];
        if (!zero) r->weight[r->label[q]] += ratio * ratio;
    }
    spd_joins_flatten(ties); /* coef = x_q/t */
    for (int64_t k = 0; k < K && p->intercept; k++) r->weight[next + k] = 1;
    return true;
}

void spd_tied_expand(const spd_tied *r, const spdhg_problem *p, const double *t, double *x) {
    for (int64_t q = 0; q < p->dK; q++) x[q] = r->label[q] < 0 ? 0 : r->coef[q] * t[r->label[q]];
    for (int64_t k = 0; k < p->K && p->intercept; k++) x[p->dK + k] = t[r->size - p->K + k];
}

void spd_tied_gather_row(const spd_tied *r, const spdhg_problem *p, const double *a, double *out) {
    memset(out, 0, (size_t)r->size * sizeof *out);
    for (int64_t q = 0; q < p->dK; q++)
        if (r->label[q] >= 0) out[r->label[q]] += r->coef[q] * a[q];
}

void spd_tied_gather(const spd_tied *r, const spdhg_problem *p, const double *g, double *out) {
    spd_tied_gather_row(r, p, g, out);
    for (int64_t k = 0; k < p->K && p->intercept; k++) out[r->size - p->K + k] = g[p->dK + k];
}

void spd_tied_nearest(const spd_tied *r, const spdhg_problem *p, const double *x, double *t) {
    spd_tied_gather(r, p, x, t);
    for (int64_t i = 0; i < r->size; i++) t[i] /= r->weight[i];
}

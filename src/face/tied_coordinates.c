/* tied_coordinates.c - the manifold {x : (F x)_e = 0 for closed e} as x = B t, by union-find with ratios: a x_i + b x_j = 0 ties
 * x_j =
 * -(a/b) x_i. */
#include "face/tied_coordinates.h"

static const double SAME = 1e-12; /* ratios this close around a cycle agree */

void spd_tied_layout(const spdhg_problem *p, spd_arena *work, spd_tied *r, int64_t most) {
    const int64_t dK = p->dK;
    r->parent = spd_arena_int32(work, dK + 1);
    r->label = spd_arena_int32(work, dK);
    r->coef = spd_arena_take(work, dK + 1);
    r->weight = spd_arena_take(work, most);
}

void spd_tied_whole(spd_tied *r, const spdhg_problem *p) {
    r->size = spd_problem_normal_size(p);
    for (int64_t q = 0; q < p->dK; q++) {
        r->label[q] = (int32_t)q;
        r->coef[q] = 1;
    }
    for (int64_t q = 0; q < r->size; q++) r->weight[q] = 1;
}

/* Root of q; *ratio = x_q / x_root. Halves the path on the way. */
static int32_t find(spd_tied *r, int64_t q, double *ratio) {
    int32_t at = (int32_t)q;
    *ratio = 1;
    while (r->parent[at] != at) {
        const int32_t up = r->parent[at];
        if (r->parent[up] != up) {
            r->coef[at] *= r->coef[up];
            r->parent[at] = r->parent[up];
        }
        *ratio *= r->coef[at];
        at = r->parent[at];
    }
    return at;
}

static void attach(spd_tied *r, int32_t child, int32_t root, double ratio) {
    r->parent[child] = root;
    r->coef[child] = ratio;
}

/* a x_i + b x_j = 0; zero is the node `nil`. The larger index goes under the smaller one, zero above all. */
static void tie(spd_tied *r, int64_t i, double a, int64_t j, double b, int32_t nil) {
    double ri, rj;
    int32_t I = find(r, i, &ri), J = find(r, j, &rj);
    double u = a * ri, v = b * rj; /* u X_I + v X_J = 0 */
    if (I == J) {
        if (I != nil && fabs(u + v) > SAME * (fabs(u) + fabs(v))) attach(r, I, nil, 1);
        return;
    }
    if (J == nil || (I != nil && I > J)) {
        const int32_t swap = I;
        const double w = u;
        I = J, J = swap, u = v, v = w;
    }
    attach(r, J, I, I == nil ? 1 : -u / v);
}

/* One closed row of output k. */
static void close_row(spd_tied *r, const spd_csr *F, int64_t e, int64_t K, int64_t k, int32_t nil) {
    if (spd_csr_is_identity(F)) {
        tie(r, e * K + k, 1, nil, 1, nil);
        return;
    }
    const int64_t first = F->ptr[e], entries = F->ptr[e + 1] - first;
    if (entries == 1) tie(r, F->idx[first] * K + k, 1, nil, 1, nil);
    if (entries == 2) tie(r, F->idx[first] * K + k, F->val[first], F->idx[first + 1] * K + k, F->val[first + 1], nil);
}

bool spd_tied_make(spd_tied *r, const spdhg_problem *p, const double *open, int64_t most) {
    const int64_t K = p->K;
    const int32_t nil = (int32_t)p->dK;
    for (int64_t q = 0; q <= p->dK; q++) attach(r, (int32_t)q, (int32_t)q, 1);
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t e = 0; e < p->term[t].m; e++)
            for (int64_t k = 0; k < K; k++)
                if (open[p->term[t].first + e * K + k] == 0) close_row(r, &p->term[t].F->F, e, K, k, nil);
    r->size = p->intercept ? K : 0;
    for (int64_t q = 0; q < p->dK; q++) r->size += r->parent[q] == q;
    if (r->size > most) return false;
    int32_t next = 0;
    memset(r->weight, 0, (size_t)r->size * sizeof *r->weight);
    for (int64_t q = 0; q < p->dK; q++) {
        double ratio;
        const int32_t root = find(r, q, &ratio);
        r->label[q] = root == nil ? -1 : root == q ? next++ : r->label[root]; /* roots come before what hangs on them */
        if (root == nil) continue;
        r->weight[r->label[q]] += ratio * ratio;
    }
    for (int64_t q = 0; q < p->dK; q++) { /* coef: from x_q/x_parent to x_q/t */
        double ratio;
        const int32_t root = find(r, q, &ratio);
        if (root != q) attach(r, (int32_t)q, root, ratio);
    }
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

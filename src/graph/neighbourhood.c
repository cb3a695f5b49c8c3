/* neighbourhood.c - regresses each feature on all others by the lasso and places edges where a coefficient is nonzero
 * (Meinshausen & Buhlmann 2006):
 *     min_b  S_jj/2 - S_j'b + b'S b/2 + rho ||b||_1,  b_j = 0.
 * Coordinate descent runs on a small working set, with S restricted to it. Then the gradient for all features, computed from
 * the data, adds the features that violate
 *     |S_jk - (S b)_k| <= rho,
 * until none does. Nodes are independent of each other and may be solved in any order. */
#include <stdlib.h>

#include "graph/graph.h"

enum { NODES = 16, ADD_MOST = 100, SWEEPS_MOST = 10000 };

typedef struct node {
    const spd_columns *c;
    double rho, tol;
    int32_t j;
    int64_t count, capacity; /* size and capacity of the working set */
    int32_t *member;
    double *b, *g;     /* coefficients; gradient S_j - S b on the working set */
    double *C;         /* S restricted to the working set, capacity x capacity */
    double *Sj, *full; /* d: row j of S; gradient for all features, or scratch */
    double *t;         /* rows: scratch, all 0 */
    bool *inside;      /* d: whether the feature is in the working set */
    spd_pair_list candidates;
} node;

static double soft(double v, double k) { return v > k ? v - k : v < -k ? v + k : 0; }

static spdhg_status make_room(node *n, int64_t count, spdhg_error *err) {
    if (count <= n->capacity) return SPDHG_OK;
    const int64_t capacity = 2 * count;
    double *C = SPD_NEW(double, capacity *capacity);
    int32_t *member = spd_grow(n->member, n->capacity, capacity, sizeof *member);
    if (member) n->member = member;
    double *b = spd_grow(n->b, n->capacity, capacity, sizeof *b);
    if (b) n->b = b;
    double *g = spd_grow(n->g, n->capacity, capacity, sizeof *g);
    if (g) n->g = g;
    if (!C || !member || !b || !g) {
        spd_free(C);
        return spd_fail_memory(err, 8.0 * (double)capacity * (double)capacity);
    }
    for (int64_t a = 0; a < n->count; a++) memcpy(C + a * capacity, n->C + a * n->capacity, (size_t)n->count * sizeof *C);
    spd_free(n->C);
    n->C = C;
    n->capacity = capacity;
    return SPDHG_OK;
}

/* Adds features outside the working set whose gradient is too large: the largest first, and a limited number at a time. */
static spdhg_status grow(node *n, const double *gradient, bool *grown, spdhg_error *err) {
    const double most = n->rho * (1 + 1e-9) + 1e-15;
    n->candidates.count = 0;
    for (int64_t k = 0; k < n->c->features; k++)
        if (fabs(gradient[k]) > most && !n->inside[k] && k != n->j && n->c->variance[k] > 0)
            SPD_TRY(spd_pair_add(&n->candidates, (int32_t)k, 0, gradient[k], err));
    spd_pair_list *list = &n->candidates;
    *grown = list->count > 0;
    if (list->count > ADD_MOST) {
        qsort(list->pair, (size_t)list->count, sizeof *list->pair, spd_pair_by_size);
        list->count = ADD_MOST;
    }
    SPD_TRY(make_room(n, n->count + list->count, err));
    for (int64_t e = 0; e < list->count; e++) {
        const int32_t k = list->pair[e].i;
        const int64_t a = n->count++;
        const double one = 1;
        n->member[a] = k;
        n->inside[k] = true;
        n->b[a] = 0;
        spd_covariance_times(n->c, 1, &k, &one, n->t, n->full);
        n->full[k] = n->c->variance[k];
        for (int64_t q = 0; q <= a; q++) n->C[a * n->capacity + q] = n->C[q * n->capacity + a] = n->full[n->member[q]];
    }
    return SPDHG_OK;
}

/* Primal minus dual value on the working set; the dual point is the residual, scaled down until it is feasible. */
static double gap_inside(const node *n) {
    double fitted = 0, explained = 0, l1 = 0, largest = 0;
    for (int64_t a = 0; a < n->count; a++) {
        fitted += n->b[a] * (n->Sj[n->member[a]] - n->g[a]); /* b'S b */
        explained += n->b[a] * n->Sj[n->member[a]];
        l1 += fabs(n->b[a]);
        largest = fmax(largest, fabs(n->g[a]));
    }
    const double S = n->c->variance[n->j], residual = S - 2 * explained + fitted;
    const double shrink = largest > n->rho ? n->rho / largest : 1;
    return residual / 2 + n->rho * l1 - (shrink * (S - explained) - shrink * shrink * residual / 2);
}

static void descend(node *n) {
    for (int64_t a = 0; a < n->count; a++) {
        double sum = n->Sj[n->member[a]];
        for (int64_t q = 0; q < n->count; q++) sum -= n->C[a * n->capacity + q] * n->b[q];
        n->g[a] = sum;
    }
    const double enough = n->tol * n->c->variance[n->j] / 10; /* the rest of the allowed gap is for features outside */
    for (int sweep = 0; sweep < SWEEPS_MOST && gap_inside(n) > enough; sweep++)
        for (int64_t a = 0; a < n->count; a++) {
            const double *row = n->C + a * n->capacity, old = n->b[a], now = soft(row[a] * old + n->g[a], n->rho) / row[a];
            if (now == old) continue;
            n->b[a] = now;
            spd_axpy(n->count, old - now, row, n->g);
        }
}

/* S_j - S b for all features. */
static void gradient(node *n, int32_t *list, double *coefficient) {
    int64_t used = 0;
    for (int64_t a = 0; a < n->count; a++)
        if (n->b[a] != 0) {
            list[used] = n->member[a];
            coefficient[used++] = n->b[a];
        }
    spd_covariance_times(n->c, used, list, coefficient, n->t, n->full);
    for (int64_t k = 0; k < n->c->features; k++) n->full[k] = n->Sj[k] - n->full[k];
}

static spdhg_status solve_node(node *n, spd_pair_list *found, spdhg_error *err) {
    const double one = 1;
    bool grown = true;
    spdhg_status status = SPDHG_OK;
    spd_covariance_times(n->c, 1, &n->j, &one, n->t, n->Sj);
    memcpy(n->full, n->Sj, (size_t)n->c->features * sizeof *n->full);
    n->count = 0;
    for (;;) {
        SPD_TRY(grow(n, n->full, &grown, err));
        if (!grown) break;
        descend(n);
        int32_t *list = SPD_NEW(int32_t, n->count);
        double *coefficient = SPD_NEW(double, n->count);
        if (list && coefficient)
            gradient(n, list, coefficient);
        else
            status = spd_fail_memory(err, 12.0 * (double)n->count);
        spd_free(list);
        spd_free(coefficient);
        SPD_TRY(status);
    }
    for (int64_t a = 0; a < n->count; a++) {
        n->inside[n->member[a]] = false;
        if (n->b[a] == 0) continue;
        const int32_t k = n->member[a];
        SPD_TRY(spd_pair_add(found, n->j < k ? n->j : k, n->j < k ? k : n->j, n->b[a], err));
    }
    return SPDHG_OK;
}

typedef struct job {
    const spd_columns *c;
    double rho, tol;
    spd_pair_list *found; /* one list per block */
    spdhg_status *status;
} job;

static void block(void *context, int64_t at) {
    const job *w = context;
    const int64_t d = w->c->features;
    node n = {.c = w->c,
              .rho = w->rho,
              .tol = w->tol,
              .Sj = SPD_NEW(double, d),
              .full = SPD_NEW(double, d),
              .t = SPD_NEW(double, w->c->rows),
              .inside = SPD_NEW(bool, d)};
    spdhg_status status = n.Sj && n.full && n.t && n.inside ? SPDHG_OK : SPDHG_MEMORY;
    for (int64_t j = at * NODES; j < (at + 1) * NODES && j < d && status == SPDHG_OK; j++) {
        n.j = (int32_t)j;
        if (w->c->variance[j] > 0) status = solve_node(&n, &w->found[at], NULL);
    }
    w->status[at] = status;
    spd_free(n.Sj);
    spd_free(n.full);
    spd_free(n.t);
    spd_free(n.inside);
    spd_free(n.member);
    spd_free(n.b);
    spd_free(n.g);
    spd_free(n.C);
    spd_free(n.candidates.pair);
}

/* Keeps every edge once: those chosen at one end (or, if requested, at both). The strength is the mean of both coefficients. */
static void unite(spd_pair_list *edge, bool both) {
    int64_t used = 0;
    if (edge->count > 0) qsort(edge->pair, (size_t)edge->count, sizeof *edge->pair, spd_pair_by_place);
    for (int64_t e = 0; e < edge->count; e++) {
        spd_pair pair = edge->pair[e];
        const bool twice = e + 1 < edge->count && spd_pair_by_place(&pair, &edge->pair[e + 1]) == 0;
        if (twice) pair.s += edge->pair[++e].s;
        pair.s /= 2;
        if (twice || !both) edge->pair[used++] = pair;
    }
    edge->count = used;
}

static spdhg_status learn(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out, spdhg_error *err) {
    const int64_t blocks = (c->features + NODES - 1) / NODES;
    const job w = {c, rho, o->tol, SPD_NEW(spd_pair_list, blocks), SPD_NEW(spdhg_status, blocks)};
    spdhg_status status = w.found && w.status ? SPDHG_OK : spd_fail_memory(err, 28.0 * (double)blocks);
    if (status == SPDHG_OK) spd_parallel(spd_threads(o->threads), blocks, block, (void *)(uintptr_t)&w);
    for (int64_t b = 0; b < blocks && w.found; b++) {
        if (status == SPDHG_OK && w.status[b] != SPDHG_OK) status = spd_fail_memory(err, 17.0 * (double)c->features);
        for (int64_t e = 0; e < w.found[b].count && status == SPDHG_OK; e++)
            if (fabs(w.found[b].pair[e].s) > o->threshold)
                status = spd_pair_add(&out->edge, w.found[b].pair[e].i, w.found[b].pair[e].j, w.found[b].pair[e].s, err);
        spd_free(w.found[b].pair);
    }
    spd_free(w.found);
    spd_free(w.status);
    if (status == SPDHG_OK) unite(&out->edge, o->both);
    out->converged = true;
    return status;
}

const spd_graph_method spd_method_neighbourhood = {
    .name = "neighbourhood",
    .help = "a lasso of each feature on the others; for components too large for quic (Meinshausen & Buhlmann 2006)",
    .uses_rho = true,
    .learn = learn};

/* base_rows.c - assembles the matrix G of base_system.c from the products of rows with the bases' directions. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

enum { POLL_EVERY = 256 };         /* rows */
static const double RANGE = 1e100; /* of column units within which the solvers' Hessian routine is used */

double spd_dual_nu(const spd_term *t) { return 3e-3 * t->lambda; }

/* One row times the bases' directions. */
typedef struct line {
    spd_twofold *sum; /* h_ib; 0 where the row has no entry */
    double *size;     /* the sum of the absolute values of its summands */
    int32_t *touched; /* bases with an entry */
    int64_t count;    /* of them */
} line;

enum { LINE = 4 }; /* numbers for each base */

static line line_in(double *memory, int64_t blocks) {
    memset(memory, 0, (size_t)(LINE * blocks) * sizeof *memory);
    return (line){
        .sum = (spd_twofold *)(void *)memory, .size = memory + 2 * blocks, .touched = (int32_t *)(void *)(memory + 3 * blocks)};
}

static void add_entries(line *h, const spd_routes *r, const spd_row *row) {
    for (int64_t q = 0; q < row->nnz; q++) {
        const int64_t j = row->idx ? row->idx[q] : q, b = r->base[j];
        if (b < 0 || row->val[q] == 0) continue;
        if (h->size[b] == 0) h->touched[h->count++] = (int32_t)b;
        h->sum[b] = spd_twofold_add(h->sum[b], r->sign[j] * row->val[q]);
        h->size[b] += fabs(row->val[q]);
    }
}

static void take_row(const spd_base_system *s, const spd_routes *r, int64_t i, line *h) {
    const spdhg_problem *p = s->problem;
    spd_row row;
    spd_problem_row(p, i, &row);
    add_entries(h, r, &row);
    if (!p->intercept) return;
    const int64_t last = s->blocks - 1;
    if (h->size[last] == 0) h->touched[h->count++] = (int32_t)last;
    h->sum[last] = spd_twofold_add(h->sum[last], 1);
    h->size[last] += 1;
}

static void clear(line *h) {
    for (int64_t q = 0; q < h->count; q++) {
        h->sum[h->touched[q]] = (spd_twofold){0};
        h->size[h->touched[q]] = 0;
    }
    h->count = 0;
}

typedef struct pass {
    const spd_base_system *s;
    const spd_routes *r;
} pass;

/* Partial results have room for G and `off`, then a line. */
static int64_t width(const spd_base_system *s) { return s->most * s->most + s->most; }
static int64_t stride(const spd_base_system *s) { return width(s) + LINE * s->most; }
static int64_t shards(const spd_base_system *s) { return spd_problem_matrix_shards(s->problem, s->most); }

int64_t spd_base_work(const spd_base_system *s, int threads) {
    return spd_row_sum_work(s->problem->ranks, shards(s), stride(s), threads <= 1);
}

static void run(const spd_base_system *s, const spd_routes *r, int threads, int64_t numbers, const spd_row_sum *how) {
    pass a = {s, r};
    spd_row_sum sum = *how;
    sum.ranks = s->problem->ranks;
    sum.rows = s->problem->n;
    sum.shards = shards(s);
    sum.width = numbers;
    sum.stride = stride(s);
    sum.context = &a;
    sum.in_turn = threads <= 1;
    spd_row_sum_run(&sum, threads, s->work);
}

static void largest_of_rows(void *context, int64_t first, int64_t end, double *most) {
    const pass *a = context;
    line h = line_in(most + width(a->s), a->s->blocks);
    for (int64_t i = first; i < end; i++) {
        take_row(a->s, a->r, i, &h);
        for (int64_t q = 0; q < h.count; q++) most[h.touched[q]] = fmax(most[h.touched[q]], fabs(h.sum[h.touched[q]].high));
        clear(&h);
    }
}

static void join_largest(void *context, int64_t at, int64_t count, const double *from, double *into) {
    (void)context, (void)at;
    for (int64_t q = 0; q < count; q++) into[q] = fmax(into[q], from[q]);
}

/* unit_b: the power of two that brings the largest h_ib to between 1/2 and 1. */
void spd_base_find_units(spd_base_system *s, const spd_routes *r, int threads) {
    for (int64_t b = 0; b < s->n; b++) s->unit[b] = 0;
    if (!s->rowless) run(s, r, threads, s->blocks, &(spd_row_sum){.add = largest_of_rows, .join = join_largest});
    for (int64_t b = 0; b < s->blocks && !s->rowless; b++) s->unit[b * s->outputs] = s->work[b];
    for (int64_t b = 0; b < s->n; b += s->outputs) {
        int exponent = 0;
        if (s->unit[b] > 0) (void)frexp(s->unit[b], &exponent);
        for (int64_t k = 0; k < s->outputs; k++) s->unit[b + k] = ldexp(1, -exponent);
    }
}

/* ---- G divided by `top`, in the units of its unknowns */

/* Of outputs k and l. */
static void add_outer(const spd_base_system *s, const line *h, double factor, int64_t k, int64_t l, double *G) {
    for (int64_t q = 0; q < h->count; q++) {
        const int64_t a = h->touched[q] * s->outputs + k;
        const double left = factor * (h->sum[h->touched[q]].high * s->unit[a]);
        for (int64_t o = 0; o < h->count; o++) {
            const int64_t b = h->touched[o] * s->outputs + l;
            if (b <= a) G[a * s->n + b] += left * (h->sum[h->touched[o]].high * s->unit[b]);
        }
    }
}

bool spd_base_is_open(const spd_base_system *s, int64_t i, int64_t k) {
    const spdhg_problem *p = s->problem;
    return s->alpha[i * p->K + k] + ((double)k == p->b[i]) > 0;
}

/* D_i (I - 11'/open) over the open outputs of row i: the alphas move within their sum. */
static void add_coupled(const spd_base_system *s, int64_t i, const line *h, double *G) {
    double open = 0;
    for (int64_t k = 0; k < s->outputs; k++) open += spd_base_is_open(s, i, k);
    for (int64_t k = 0; k < s->outputs; k++)
        for (int64_t l = 0; l < s->outputs; l++)
            if (spd_base_is_open(s, i, k) && spd_base_is_open(s, i, l))
                add_outer(s, h, s->share[i] * ((k == l) - 1 / open), k, l, G);
}

/* off_b = sum_i (w_i D_i / W / top) (error of h_ib)^2
 * The sum over joined columns is rounded, and so are standardized columns. */
static void add_rows(void *context, int64_t from, int64_t end, double *G) {
    const pass *a = context;
    const spd_base_system *s = a->s;
    const double u = 0.5 * DBL_EPSILON, each = s->problem->scale ? 2 * u : 1e-26;
    double *sum_off = G + s->n * s->n;
    line h = line_in(G + width(s), s->blocks);
    for (int64_t i = from; i < end; i++) {
        if (i % POLL_EVERY == 0 && spd_stop_now(s->stop)) return;
        if (!(s->share[i] > 0)) continue;
        take_row(s, a->r, i, &h);
        if (s->outputs > 1)
            add_coupled(s, i, &h, G);
        else
            add_outer(s, &h, s->share[i], 0, 0, G);
        for (int64_t q = 0; q < h.count; q++) {
            const int64_t b = h.touched[q], first = b * s->outputs;
            const double off = s->unit[first] * (2 * u * fabs(h.sum[b].high) + each * h.size[b]);
            for (int64_t k = 0; k < s->outputs; k++) sum_off[first + k] += s->share[i] * off * off;
        }
        clear(&h);
    }
}

/* Rows of F whose product with some direction is not 0: those that are not part of a route. */
static void add_structure(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    line h = line_in(s->work, s->blocks);
    memset(s->rest, 0, (size_t)p->terms * sizeof *s->rest);
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);) {
        if (!(f.term->lambda > 0)) continue;
        add_entries(&h, r, &(spd_row){.nnz = f.row.n, .idx = f.row.idx, .val = f.row.val});
        int64_t kept = 0;
        for (int64_t q = 0; q < h.count; q++) kept += h.sum[h.touched[q]].high != 0;
        for (int64_t k = 0; k < s->outputs && kept > 0; k++) add_outer(s, &h, spd_dual_nu(f.term) / s->top, k, k, s->G);
        s->rest[f.term - p->term] |= kept > 0;
        clear(&h);
    }
}

static bool in_range(const spd_base_system *s) {
    for (int64_t b = 0; b < s->n; b++)
        if (!(s->unit[b] < RANGE && s->unit[b] > 1 / RANGE)) return false;
    return true;
}

bool spd_base_assemble(spd_base_system *s, const spd_routes *r, int threads) {
    const spdhg_problem *p = s->problem;
    const int64_t n = s->n;
    memset(s->G, 0, (size_t)(n * n) * sizeof *s->G);
    memset(s->off, 0, (size_t)n * sizeof *s->off);
    if (s->plain && in_range(s)) { /* every column is its own base: G is the matrix of a Newton step */
        for (int64_t i = 0; i < p->n; i++) s->share[i] = s->share[i] > 0 ? s->D[i] / s->top : 0;
        if (!spd_problem_normal_matrix(p, threads, s->share, s->G, s->work, s->stop)) return false;
        for (int64_t a = 0; a < n; a++) {
            for (int64_t b = 0; b <= a; b++) s->G[a * n + b] *= s->unit[a] * s->unit[b];
            s->off[a] = p->scale ? 16 * DBL_EPSILON * DBL_EPSILON * s->G[a * n + a] : 0;
        }
    } else if (!s->rowless) {
        run(s, r, threads, n * n + n, &(spd_row_sum){.add = add_rows});
        memcpy(s->G, s->work, (size_t)(n * n) * sizeof *s->G);
        memcpy(s->off, s->work + n * n, (size_t)n * sizeof *s->off);
    }
    add_structure(s, r);
    return !spd_stop_now(s->stop);
}

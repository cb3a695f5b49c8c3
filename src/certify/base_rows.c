/* base_rows.c - assembles the matrix G of base_system.c from the products of rows with the bases' directions. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

enum { POLL_EVERY = 256 };         /* rows */
static const double RANGE = 1e100; /* of column units within which the solvers' Hessian routine is used */

double spd_dual_nu(const spd_term *t) { return 3e-3 * t->lambda; }

/* The product of a row with every base's direction; returns the number of bases that have an entry in the row. */
static int64_t add_entries(spd_base_system *s, const spd_routes *r, const spd_row *row) {
    int64_t count = 0;
    for (int64_t q = 0; q < row->nnz; q++) {
        const int64_t j = row->idx ? row->idx[q] : q, b = r->base[j];
        if (b < 0 || row->val[q] == 0) continue;
        if (s->size[b] == 0) s->touched[count++] = (int32_t)b;
        s->sum[b] = spd_twofold_add(s->sum[b], r->sign[j] * row->val[q]);
        s->size[b] += fabs(row->val[q]);
    }
    return count;
}

int64_t spd_base_row(spd_base_system *s, const spd_routes *r, int64_t i) {
    const spdhg_problem *p = s->problem;
    spd_row row;
    spd_problem_row(p, i, &row);
    int64_t count = add_entries(s, r, &row);
    if (p->intercept) {
        const int64_t last = s->blocks - 1;
        if (s->size[last] == 0) s->touched[count++] = (int32_t)last;
        s->sum[last] = spd_twofold_add(s->sum[last], 1);
        s->size[last] += 1;
    }
    return count;
}

void spd_base_clear(spd_base_system *s, int64_t count) {
    for (int64_t q = 0; q < count; q++) {
        s->sum[s->touched[q]] = (spd_twofold){0};
        s->size[s->touched[q]] = 0;
    }
}

/* unit_b: the power of two that brings the largest h_ib to between 1/2 and 1. */
void spd_base_find_units(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    for (int64_t b = 0; b < s->n; b++) s->unit[b] = 0;
    for (int64_t i = 0; i < p->n && !s->rowless; i++) {
        const int64_t count = spd_base_row(s, r, i);
        for (int64_t q = 0; q < count; q++) {
            double *unit = &s->unit[s->touched[q] * s->outputs];
            *unit = fmax(*unit, fabs(s->sum[s->touched[q]].high));
        }
        spd_base_clear(s, count);
    }
    for (int64_t b = 0; b < s->n; b += s->outputs) {
        int exponent = 0;
        if (s->unit[b] > 0) (void)frexp(s->unit[b], &exponent);
        for (int64_t k = 0; k < s->outputs; k++) s->unit[b + k] = ldexp(1, -exponent);
    }
}

/* ---- G divided by `top`, in the units of its unknowns */

/* Of outputs k and l. */
static void add_outer(spd_base_system *s, double factor, int64_t count, int64_t k, int64_t l) {
    for (int64_t q = 0; q < count; q++) {
        const int64_t a = s->touched[q] * s->outputs + k;
        const double left = factor * (s->sum[s->touched[q]].high * s->unit[a]);
        for (int64_t o = 0; o < count; o++) {
            const int64_t b = s->touched[o] * s->outputs + l;
            if (b <= a) s->G[a * s->n + b] += left * (s->sum[s->touched[o]].high * s->unit[b]);
        }
    }
}

bool spd_base_is_open(const spd_base_system *s, int64_t i, int64_t k) {
    const spdhg_problem *p = s->problem;
    return s->alpha[i * p->K + k] + ((double)k == p->b[i]) > 0;
}

/* D_i (I - 11'/open) over the open outputs of row i: the alphas move within their sum. */
static void add_coupled(spd_base_system *s, int64_t i, int64_t count) {
    double open = 0;
    for (int64_t k = 0; k < s->outputs; k++) open += spd_base_is_open(s, i, k);
    for (int64_t k = 0; k < s->outputs; k++)
        for (int64_t l = 0; l < s->outputs; l++)
            if (spd_base_is_open(s, i, k) && spd_base_is_open(s, i, l))
                add_outer(s, s->share[i] * ((k == l) - 1 / open), count, k, l);
}

/* off_b = sum_i (w_i D_i / W / top) (error of h_ib)^2
 * The sum over joined columns is rounded, and so are standardized columns. */
static void add_rows(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    const double u = 0.5 * DBL_EPSILON;
    for (int64_t i = 0; i < p->n; i++) {
        if (i % POLL_EVERY == 0 && spd_stop_now(s->stop)) return;
        if (!(s->share[i] > 0)) continue;
        const int64_t count = spd_base_row(s, r, i);
        if (s->outputs > 1)
            add_coupled(s, i, count);
        else
            add_outer(s, s->share[i], count, 0, 0);
        for (int64_t q = 0; q < count; q++) {
            const int64_t b = s->touched[q], first = b * s->outputs;
            const double off = s->unit[first] * (2 * u * fabs(s->sum[b].high) + (p->scale ? 2 * u : 1e-26) * s->size[b]);
            for (int64_t k = 0; k < s->outputs; k++) s->off[first + k] += s->share[i] * off * off;
        }
        spd_base_clear(s, count);
    }
}

/* Rows of F whose product with some direction is not 0: those that are not part of a route. */
static void add_structure(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    memset(s->rest, 0, (size_t)p->terms * sizeof *s->rest);
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);) {
        if (!(f.term->lambda > 0)) continue;
        const int64_t count = add_entries(s, r, &(spd_row){.nnz = f.row.n, .idx = f.row.idx, .val = f.row.val});
        int64_t kept = 0;
        for (int64_t q = 0; q < count; q++) kept += s->sum[s->touched[q]].high != 0;
        for (int64_t k = 0; k < s->outputs && kept > 0; k++) add_outer(s, spd_dual_nu(f.term) / s->top, count, k, k);
        s->rest[f.term - p->term] |= kept > 0;
        spd_base_clear(s, count);
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
    if (s->work && in_range(s)) { /* every column is its own base: G is the matrix of a Newton step */
        for (int64_t i = 0; i < p->n; i++) s->share[i] = s->share[i] > 0 ? s->D[i] / s->top : 0;
        if (!spd_problem_normal_matrix(p, threads, s->share, s->G, s->work, s->stop)) return false;
        for (int64_t a = 0; a < n; a++) {
            for (int64_t b = 0; b <= a; b++) s->G[a * n + b] *= s->unit[a] * s->unit[b];
            s->off[a] = p->scale ? 16 * DBL_EPSILON * DBL_EPSILON * s->G[a * n + a] : 0;
        }
    } else if (!s->rowless)
        add_rows(s, r);
    add_structure(s, r);
    return !spd_stop_now(s->stop);
}

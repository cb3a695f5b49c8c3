/* null_vectors.c - null directions N, with
 *   h_i'N = 0
 * in exact arithmetic for all rows i that matter: those whose alpha is not 0 or may move. Directions that are null for all rows
 * are kept; the others are valid for one alpha only.
 * They arise from the way data are made: 0/1 columns that add up to the intercept, a duplicate column, a total next to its parts.
 * N then has small integer entries. They are guessed by Gauss-Jordan elimination of S G S, rounded to fractions with a small
 * common denominator, and kept only if each row's sum is 0 without any rounding (la/exact.c). A wrong guess is thus rejected. */
#include "certify/certify.h"
#include "problem/rows.h"

enum { DENOMINATOR_MOST = 720, POLL_EVERY = 64 };
static const double SINGULAR =
    1e-9; /* pivots of a matrix with unit diagonal that are smaller may be 0; this only guides the guess */
static const double WHOLE = 1e-7; /* a guess this close to an integer is taken for one */

/* In-place elimination with diagonal pivots; returns their number. order: the pivots first. A: n x n, both triangles. */
static int64_t eliminate(int64_t n, double *A, int32_t *order, spd_stop *stop) {
    for (int64_t b = 0; b < n; b++) order[b] = (int32_t)b;
    for (int64_t s = 0; s < n; s++) {
        int64_t best = s;
        for (int64_t q = s + 1; q < n; q++)
            if (A[order[q] * (n + 1)] > A[order[best] * (n + 1)]) best = q;
        const int32_t pivot = order[best];
        order[best] = order[s];
        order[s] = pivot;
        if (spd_stop_now(stop)) return n;
        if (!(A[pivot * (n + 1)] > SINGULAR)) return s;
        for (int64_t a = 0; a < n; a++) {
            const double factor = a == pivot ? 0 : A[a * n + pivot] / A[pivot * (n + 1)];
            if (factor != 0) spd_axpy(n, -factor, A + pivot * n, A + a * n);
        }
    }
    return n;
}

/* Replaces q by integers in the same ratios; false: there are no small ones. */
static bool whole_numbers(int64_t n, double *q) {
    double top = 0, least = INFINITY;
    for (int64_t b = 0; b < n; b++) top = fmax(top, fabs(q[b]));
    for (int64_t b = 0; b < n; b++) {
        if (fabs(q[b]) < WHOLE * top) q[b] = 0;
        if (q[b] != 0) least = fmin(least, fabs(q[b]));
    }
    for (int factor = 1; factor <= DENOMINATOR_MOST; factor++) {
        bool good = true;
        for (int64_t b = 0; b < n && good; b++) {
            const double here = q[b] / least * factor;
            good = fabs(here - rint(here)) <= WHOLE * fmax(1, fabs(here)) && fabs(here) < 1e9;
        }
        if (!good) continue;
        for (int64_t b = 0; b < n; b++) q[b] = rint(q[b] / least * factor);
        return true;
    }
    return false;
}

/* The entry of q for a column and output k; less: the same for output `first` is subtracted, unless that is -1. */
static double entry(const spd_base_system *s, const double *q, int64_t block, int64_t k, int64_t first) {
    return q[block * s->outputs + k] - (first < 0 ? 0 : q[block * s->outputs + first]);
}

/* Row i times q, for output k less output `first`. */
static bool sees_nothing(spd_base_system *s, const spd_routes *r, const double *q, int64_t i, int64_t k, int64_t first) {
    const spdhg_problem *p = s->problem;
    double *factor = s->line, *value = factor + p->d + 1, *work = value + p->d + 1;
    spd_row row;
    spd_problem_row(p, i, &row);
    for (int64_t l = 0; l < row.nnz; l++) {
        const int64_t j = row.idx ? row.idx[l] : l;
        factor[l] = r->base[j] < 0 ? 0 : r->sign[j] * entry(s, q, r->base[j], k, first);
        value[l] = spd_problem_undivided(p, &row, l);
    }
    factor[row.nnz] = p->intercept ? entry(s, q, s->blocks - 1, k, first) : 0;
    value[row.nnz] = 1;
    return spd_sums_to_zero(row.nnz + 1, factor, value, work);
}

/* The alphas of a coupled loss add up to 0: a q that is equal in all outputs of the row, or in those whose alpha is not 0, adds
 * nothing. */
static bool is_null_for_row(spd_base_system *s, const spd_routes *r, const double *q, int64_t i, bool active) {
    const spdhg_problem *p = s->problem;
    if (s->outputs == 1) return sees_nothing(s, r, q, i, 0, -1);
    int64_t first = -1;
    for (int64_t k = 0; k < p->K; k++) {
        if (active && s->alpha[i * p->K + k] == 0 && !spd_base_is_open(s, i, k)) continue;
        if (first < 0)
            first = k;
        else if (!sees_nothing(s, r, q, i, k, first))
            return false;
    }
    return true;
}

/* True if every row's product with q is 0, for the data as given: with --standardize, before the division by the scale. q has one
 * entry per unknown. active: only the rows whose alpha is not 0 or may move. */
static bool is_null(spd_base_system *s, const spd_routes *r, const double *q, bool active) {
    const spdhg_problem *p = s->problem;
    double *factor = s->line, *work = factor + 2 * (p->d + 1);
    for (int64_t i = 0; i < p->n && !s->rowless; i++) {
        if (i % POLL_EVERY == 0 && spd_stop_now(s->stop)) return false;
        if ((s->forced && s->forced[i]) || !(spd_problem_weight(p, i) > 0)) continue;
        if (active && s->D[i] == 0 && spd_max_abs(p->K, s->alpha + i * p->K) == 0) continue;
        if (!is_null_for_row(s, r, q, i, active)) return false;
    }
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);) { /* and every row of F */
        if (!s->rest[f.term - p->term]) continue;
        if (p->scale && !s->rowless) return false; /* its columns are not those of the data as given */
        for (int64_t k = 0; k < s->outputs; k++) {
            for (int64_t l = 0; l < f.row.n; l++) {
                const int64_t j = f.row.idx[l];
                factor[l] = r->base[j] < 0 ? 0 : r->sign[j] * entry(s, q, r->base[j], k, -1);
            }
            if (!spd_sums_to_zero(f.row.n, factor, f.row.val, work)) return false;
        }
    }
    return true;
}

/* With standardized columns the entry of base b for the data as given is q_b / scale, which requires a base to be one column. */
static void of_data(const spd_base_system *s, const double *column_scale, bool forwards, double *q) {
    for (int64_t b = 0; b < s->n && column_scale; b++) q[b] = forwards ? q[b] / column_scale[b] : q[b] * column_scale[b];
}

static bool store(spd_base_system *s, const double *q) {
    double *more = spd_grow(s->null, s->nulls * s->n, (s->nulls + 1) * s->n, sizeof *more);
    if (more) s->null = more;
    double *square = spd_grow(s->null_square, s->nulls, s->nulls + 1, sizeof *square);
    if (square) s->null_square = square;
    if (!more || !square) return false;
    memcpy(s->null + s->nulls * s->n, q, (size_t)s->n * sizeof *q);
    s->nulls++;
    return true;
}

/* The scale of each base's only column; false if columns are not scaled, or a base has several columns. */
static bool base_scales(const spd_base_system *s, const spd_routes *r, double *out) {
    const spdhg_problem *p = s->problem;
    if (!p->scale || r->joined || s->rowless) return false;
    for (int64_t b = 0; b < s->n; b++) out[b] = 1;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t k = 0; k < s->outputs && r->base[j] >= 0; k++) out[r->base[j] * s->outputs + k] = p->scale[j];
    return true;
}

int64_t spd_base_find_nulls(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    const int64_t n = s->n;
    double *A = SPD_NEW(double, n *n), *q = SPD_NEW(double, 2 * n);
    int32_t *order = SPD_NEW(int32_t, n);
    s->line = SPD_NEW(double, 4 * (p->d + 1));
    const bool good = A && q && order && s->line;
    const double *scales = good && base_scales(s, r, q + n) ? q + n : NULL;
    if (good && (s->rowless || !(p->scale && r->joined))) {
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b <= a; b++) A[a * n + b] = A[b * n + a] = s->scale[a] * s->scale[b] * s->G[a * n + b];
        const int64_t pivots = eliminate(n, A, order, s->stop);
        for (int64_t f = pivots; f < n; f++) {
            memset(q, 0, (size_t)n * sizeof *q);
            q[order[f]] = s->scale[order[f]] * s->unit[order[f]];
            for (int64_t v = 0; v < pivots; v++) {
                const int64_t b = order[v];
                q[b] = -A[b * n + order[f]] / A[b * (n + 1)] * s->scale[b] * s->unit[b];
            }
            of_data(s, scales, true, q);
            if (!whole_numbers(n, q)) continue;
            const bool lasting = is_null(s, r, q, false);
            if (!lasting && !is_null(s, r, q, true)) continue;
            of_data(s, scales, false, q);
            if (!store(s, q)) break;
            s->passing = s->passing || !lasting;
        }
    }
    spd_free(A);
    spd_free(q);
    spd_free(order);
    spd_free(s->line);
    s->line = NULL;
    return s->nulls;
}

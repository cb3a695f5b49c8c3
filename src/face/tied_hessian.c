/* tied_hessian.c - assembles B'(A'C A/W)B and B'F'F B. A sparse row costs the square of the number of unknowns in it; dense rows
 * of one output are gathered into panels for BLAS. */
#include <cblas.h>

#include "face/tied_coordinates.h"
#include "problem/rows.h"

enum { PANEL = 128, ROWS_A_POLL = 16 };

static bool by_panels(const spdhg_problem *p) { return p->K == 1 && spd_problem_full(p); }

/* Of a shard: H, then a reduced row, C and a unit vector, or a panel. */
static int64_t stride(const spdhg_problem *p, int64_t most) {
    return most * most + (by_panels(p) ? PANEL * most : 2 * most + p->K * (p->K + 1) + 8);
}

int64_t spd_tied_hessian_work(const spdhg_problem *p, int64_t most, int threads) {
    return spd_row_sum_work(p->ranks, spd_problem_matrix_shards(p, most), stride(p, most), threads <= 1);
}

/* What the rows of a sum need. */
typedef struct pass {
    const spd_tied *r;
    const spdhg_problem *p;
    const double *curve;
    spd_stop *stop;
} pass;

/* One row of A B: the unknowns that occur in it, their values (zero elsewhere) and outputs. */
typedef struct reduced_row {
    double *value;
    int32_t *touched, *output;
    int64_t count;
} reduced_row;

static void touch(const spd_tied *r, const spdhg_problem *p, const spd_row *row, int64_t k, reduced_row *out) {
    for (int64_t q = 0; q < row->nnz; q++) {
        const int64_t at = (row->idx ? row->idx[q] : q) * p->K + k;
        const int32_t label = r->label[at];
        if (label < 0 || row->val[q] == 0) continue;
        if (out->value[label] == 0) out->touched[out->count++] = label;
        out->value[label] += r->coef[at] * row->val[q];
        if (out->value[label] == 0) out->value[label] = 1e-300; /* cancelled: a nonzero value marks it as listed */
        out->output[label] = (int32_t)k;
    }
    if (!p->intercept) return;
    const int32_t label = (int32_t)(r->size - p->K + k);
    out->value[label] = 1;
    out->output[label] = (int32_t)k;
    out->touched[out->count++] = label;
}

/* H += (value value') o C, lower triangle; clears the row. C: one number, or K x K by outputs. */
static void add(int64_t n, reduced_row *a, const double *C, int64_t K, double *H) {
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t row = a->touched[i];
        const double vi = a->value[row], *Ci = K > 1 ? C + a->output[row] * K : C;
        for (int64_t j = 0; j < a->count; j++) {
            const int64_t column = a->touched[j];
            if (column <= row) H[row * n + column] += vi * a->value[column] * (K > 1 ? Ci[a->output[column]] : Ci[0]);
        }
    }
    for (int64_t i = 0; i < a->count; i++) a->value[a->touched[i]] = 0;
    a->count = 0;
}

static reduced_row row_in(double *memory, int64_t n) {
    reduced_row a = {.value = memory, .touched = (int32_t *)(void *)(memory + n)};
    a.output = a.touched + n;
    memset(a.value, 0, (size_t)n * sizeof *a.value);
    return a;
}

static void add_sparse(void *context, int64_t first, int64_t end, double *H) {
    const pass *c = context;
    const spd_tied *r = c->r;
    const spdhg_problem *p = c->p;
    const int64_t K = p->K, n = r->size;
    const double *curve = c->curve;
    reduced_row line = row_in(H + n * n, n), *a = &line;
    double *C = H + n * n + 2 * n, *unit = C + K * K;
    for (int64_t i = first; i < end && !(i % ROWS_A_POLL == 0 && spd_stop_now(c->stop)); i++) {
        const double w = spd_problem_share(p, i);
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < K && w > 0; k++) {
            touch(r, p, &row, k, a);
            if (p->loss->value) {
                const double curved = w * curve[i * K + k];
                add(n, a, &curved, 1, H);
                continue;
            }
            memset(unit, 0, (size_t)K * sizeof *unit);
            unit[k] = w;
            p->loss->second_k(curve + i * K, K, row.b[0], unit, C + k * K);
        }
        if (w > 0 && !p->loss->value) add(n, a, C, K, H);
    }
}

/* Panels of sqrt(w phi''/W) a'B. */
static void add_dense(void *context, int64_t first, int64_t end, double *H) {
    const pass *c = context;
    const spd_tied *r = c->r;
    const spdhg_problem *p = c->p;
    const int64_t n = r->size;
    double *panel = H + n * n;
    for (int64_t at = first; at < end && !spd_stop_now(c->stop); at += PANEL) {
        const int64_t rows = at + PANEL < end ? PANEL : end - at;
        for (int64_t i = 0; i < rows; i++) {
            spd_row row;
            spd_problem_row(p, at + i, &row);
            spd_tied_gather_row(r, p, row.val, panel + i * n);
            if (p->intercept) panel[i * n + n - 1] = 1;
            spd_scale(n, sqrt(spd_problem_weight(p, at + i) * c->curve[at + i] / p->W), panel + i * n);
        }
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)rows, 1, panel, (int)n, 1, H, (int)n);
    }
}

bool spd_tied_hessian(const spd_tied *r, const spdhg_problem *p, int threads, const double *curve, int64_t most, double *H,
                      double *work, spd_stop *stop) {
    const int64_t n = r->size;
    pass a = {.r = r, .p = p, .curve = curve, .stop = stop};
    spd_row_sum sum =
        spd_sum_of_rows(p, spd_problem_matrix_shards(p, most), n * n, stride(p, n), by_panels(p) ? add_dense : add_sparse, &a);
    sum.lower = n;
    sum.in_turn = threads <= 1;
    spd_row_sum_run(&sum, threads, work);
    memcpy(H, work, (size_t)(n * n) * sizeof *H);
    return !spd_stop_now(stop);
}

/* C_kk of a row for output k. */
static double curvature(const spdhg_problem *p, const double *curve, const spd_row *row, int64_t i, int64_t k, double *unit) {
    if (p->loss->value) return curve[i * p->K + k];
    memset(unit, 0, (size_t)p->K * sizeof *unit);
    unit[k] = 1;
    p->loss->second_k(curve + i * p->K, p->K, row->b[0], unit, unit + p->K);
    return unit[p->K + k];
}

void spd_tied_diagonal(const spd_tied *r, const spdhg_problem *p, const double *curve, double *diagonal, double *work) {
    double *value = work, *unit = work + 2 * r->size;
    reduced_row a = row_in(work, r->size);
    memset(diagonal, 0, (size_t)r->size * sizeof *diagonal);
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < p->K; k++) {
            touch(r, p, &row, k, &a);
            const double c = spd_problem_share(p, i) * curvature(p, curve, &row, i, k, unit);
            for (int64_t q = 0; q < a.count; q++) {
                double *v = value + a.touched[q];
                diagonal[a.touched[q]] += c * *v * *v;
                *v = 0;
            }
            a.count = 0;
        }
    }
}

/* Entry q of a row of F B, output k: its unknown, or -1, and its value. */
static inline int32_t entry(const spd_tied *r, const spd_csr_row *row, int64_t q, int64_t K, int64_t k, double *value) {
    const int64_t at = row->idx[q] * K + k;
    *value = row->val[q] * (r->label[at] < 0 ? 0 : r->coef[at]);
    return r->label[at];
}

/* The geometric mean of the nonzero entries; 1 if there are none. */
static double middle(int64_t n, const double *scale) {
    double total = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        total += scale[i] > 0 ? log(scale[i]) : 0;
        count += scale[i] > 0;
    }
    return count > 0 ? exp(total / (double)count) : 1;
}

void spd_tied_scale(const spd_tied *r, const spdhg_problem *p, const double *H, double *scale) {
    const int64_t n = r->size, K = p->K;
    for (int64_t t = 0; t < p->terms; t++) {
        const bool own = p->term[t].penalty->zeros == SPDHG_ZEROS_NUMBER;
        const int64_t mK = p->term[t].m * K;
        double *S = scale + p->term[t].first;
        bool all = own;
        for (spd_rows f = spd_rows_of_term(p, &p->term[t]); spd_rows_next(&f);)
            for (int64_t k = 0; k < K; k++) {
                double sum = 0, value;
                for (int64_t a = 0; a < f.row.n; a++) {
                    const int32_t i = entry(r, &f.row, a, K, k, &value);
                    if (i >= 0) sum += value * value / H[i * n + i];
                }
                scale[f.at + k] = sum > 0 ? 1 / sum : 0;
                all = all && sum > 0;
            }
        const double mean = all ? 1 : middle(mK, S);
        for (int64_t i = 0; i < mK && !all; i++)
            if (!own || S[i] == 0) S[i] = mean;
    }
}

/* Each pair of entries a, b of a row is visited once, so a pair tied to the same unknown counts twice. */
void spd_tied_gram(const spd_tied *r, const spdhg_problem *p, const double *scale, double *M) {
    const int64_t n = r->size, K = p->K;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (spd_rows f = spd_rows_of(p); spd_rows_next(&f);)
        for (int64_t k = 0; k < K; k++) {
            const double S = scale[f.at + k];
            for (int64_t a = 0; a < f.row.n; a++) {
                double va, vb;
                const int32_t i = entry(r, &f.row, a, K, k, &va);
                if (i < 0) continue;
                M[i * n + i] += S * va * va;
                for (int64_t b = 0; b < a; b++) {
                    const int32_t j = entry(r, &f.row, b, K, k, &vb);
                    if (j >= 0) M[(i > j ? i : j) * n + (i > j ? j : i)] += (i == j ? 2 : 1) * (S * va * vb);
                }
            }
        }
}

void spd_tied_take_block(const spd_tied *r, const spdhg_problem *p, const spd_term *t, int64_t b, const double *normal,
                         double factor, double *M, double *sum, int32_t *list) {
    const int64_t K = p->K, n = r->size;
    int64_t count = 0;
    for (int64_t at = 0; at < spd_term_block_rows(t, b); at++) {
        const int64_t e = spd_term_block_row(t, b, at);
        spd_csr_row row;
        spd_csr_take(&t->F->F, e, &row);
        for (int64_t q = 0; q < row.n; q++)
            for (int64_t k = 0; k < K; k++) {
                double value;
                const int32_t i = entry(r, &row, q, K, k, &value);
                if (i < 0 || value == 0) continue;
                if (sum[i] == 0) list[count++] = i;
                sum[i] += value * normal[t->first + e * K + k];
                if (sum[i] == 0) sum[i] = 1e-300; /* cancelled: a nonzero value marks it as listed */
            }
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            if (list[j] <= list[i]) M[list[i] * n + list[j]] -= factor * sum[list[i]] * sum[list[j]];
    for (int64_t i = 0; i < count; i++) sum[list[i]] = 0;
}

/* hessian.c - H = (1/W) sum_i w_i (a_i a_i') x C_i written out, indexed by (feature, output), the intercept as a last feature 1.
 * Scalar losses: C_i = diag(curve_i). Coupled losses: C_i = phi''(z_i), column by column. A sparse row costs nnz(a_i)^2 K (or
 * K^2) operations. Full or nearly full rows are gathered into panels for BLAS. Each shard has its own matrix (ranks/ranks.h). */
#include <cblas.h>

#include "problem/rows.h"

enum { SHARDS_LEAST = 4, PANEL = 256, SMALL = 128, ROWS_A_POLL = 16 };

const char *spd_problem_refuses_factor(const spdhg_problem *p) {
    return spd_problem_normal_size(p) <= SPD_DENSE_MOST
               ? NULL
               : "it factors a dense matrix: at most " SPD_TEXT(SPD_DENSE_MOST) " coefficients (features times outputs)";
}

int64_t spd_problem_normal_size(const spdhg_problem *p) { return p->dK + (p->intercept ? p->K : 0); }

int64_t spd_problem_matrix_shards(const spdhg_problem *p, int64_t size) {
    const int64_t fill = p->nnz / (size * size + 1);
    return spd_shards(p->n, fill > SHARDS_LEAST ? fill : SHARDS_LEAST);
}

static int64_t shards_of(const spdhg_problem *p) { return spd_problem_matrix_shards(p, spd_problem_normal_size(p)); }

/* A row with nnz entries costs nnz^2/2 scattered additions, or n^2/2 operations of BLAS, each about an eighth of an addition. */
static bool by_panels(const spdhg_problem *p) {
    return p->K == 1 && p->loss->value &&
           (spd_problem_full(p) || 8.0 * (double)p->nnz * (double)p->nnz > (double)(p->d * p->d) * (double)(p->n * p->n));
}

/* Small panels stay in the L1 cache. If H is large, larger panels reduce how often H itself is read. */
static int64_t panel_rows(int64_t n) { return n <= SMALL ? PANEL / 4 : PANEL; }

static int64_t block_size(const spdhg_problem *p) {
    const int64_t n = spd_problem_normal_size(p);
    return n * n + p->K * p->K + 2 * p->K + (by_panels(p) ? panel_rows(n) * n : 0);
}

double spd_problem_normal_cost(const spdhg_problem *p) {
    const double s = (double)p->nnz / (double)p->n, n = (double)spd_problem_normal_size(p);
    return by_panels(p) ? n * n / 16 : 0.5 * s * s * (double)(p->K * (p->loss->value ? 1 : p->K));
}

int64_t spd_problem_normal_work(const spdhg_problem *p, int threads) {
    return spd_row_sum_work(p->ranks, shards_of(p), block_size(p), threads <= 1);
}

typedef struct pass {
    const spdhg_problem *p;
    const double *curve;
    bool open;    /* one shard after the other, in a pass over rows that are made of columns */
    double *only; /* destination if there is only one shard, or NULL */
    bool signs;   /* entries of curve may be negative: they are differences */
    spd_stop *stop;
} pass;

/* Checks in some rows only, because a row may cost next to nothing. */
static bool over(const pass *a, int64_t i) { return i % ROWS_A_POLL == 0 && spd_stop_now(a->stop); }

/* C (K x K) = w C_i / W */
static void row_curvature(const pass *a, int64_t i, const double *b, double w, double *C, double *unit) {
    const spdhg_problem *p = a->p;
    const int64_t K = p->K;
    const double *curve = a->curve + i * K;
    memset(C, 0, (size_t)(K * K) * sizeof *C);
    for (int64_t k = 0; k < K; k++) {
        if (p->loss->value)
            C[k * K + k] = curve[k];
        else {
            memset(unit, 0, (size_t)K * sizeof *unit);
            unit[k] = 1;
            p->loss->second_k(curve, K, *b, unit, C + k * K);
        }
    }
    spd_scale(K * K, w / p->W, C);
}

/* H += C a a', lower triangle; val NULL: all values are 1. Four rows of H at a time, so that each index is read once for all four
 * and the additions dominate. */
static inline void add_sparse_row(int64_t nnz, double C, const int32_t *idx, const double *val, int64_t n, double *H) {
    int64_t q = 0;
    for (; q + 4 <= nnz; q += 4) {
        double *h0 = H + idx[q] * n, *h1 = H + idx[q + 1] * n, *h2 = H + idx[q + 2] * n, *h3 = H + idx[q + 3] * n;
        const double c0 = val ? C * val[q] : C, c1 = val ? C * val[q + 1] : C, c2 = val ? C * val[q + 2] : C,
                     c3 = val ? C * val[q + 3] : C;
        for (int64_t r = 0; r <= q; r++) {
            const int64_t j = idx[r];
            h0[j] += val ? c0 * val[r] : c0;
            h1[j] += val ? c1 * val[r] : c1;
            h2[j] += val ? c2 * val[r] : c2;
            h3[j] += val ? c3 * val[r] : c3;
        }
        spd_scatter_add(1, c1, idx + q + 1, val ? val + q + 1 : NULL, h1);
        spd_scatter_add(2, c2, idx + q + 1, val ? val + q + 1 : NULL, h2);
        spd_scatter_add(3, c3, idx + q + 1, val ? val + q + 1 : NULL, h3);
    }
    for (; q < nnz; q++) spd_scatter_add(q + 1, val ? C * val[q] : C, idx, val, H + idx[q] * n);
}

/* The same for one output and sparse rows, where nearly all the time is spent. */
static void sparse_block(const pass *a, int64_t first, int64_t end, double *H) {
    const spdhg_problem *p = a->p;
    const int64_t n = spd_problem_normal_size(p), *ptr = p->data->ptr;
    for (int64_t i = first; i < end && !over(a, i); i++) {
        const double C = spd_problem_share(p, i) * a->curve[i];
        if (C == 0) continue;
        const int64_t id = spd_problem_id(p, i), nnz = ptr[id + 1] - ptr[id];
        const int32_t *idx = p->data->idx + ptr[id];
        const double *val = p->ones ? NULL : p->val + ptr[id];
        spd_pass_to(p, a->open, id);
        if (val)
            add_sparse_row(nnz, C, idx, val, n, H);
        else
            add_sparse_row(nnz, C, idx, NULL, n, H);
        if (!p->intercept) continue;
        spd_scatter_add(nnz, C, idx, val, H + p->d * n);
        H[p->d * n + p->d] += C;
    }
}

/* H += (a a') x C, lower triangle; the intercept is one more entry 1 at feature d. */
static void add_row(const spdhg_problem *p, const spd_row *row, const double *C, double *H) {
    const int64_t K = p->K, n = spd_problem_normal_size(p), entries = row->nnz + p->intercept;
    for (int64_t q = 0; q < entries; q++) {
        const int64_t i = q < row->nnz ? (row->idx ? row->idx[q] : q) : p->d;
        const double ai = q < row->nnz ? row->val[q] : 1;
        for (int64_t r = 0; r <= q; r++) {
            const int64_t j = r < row->nnz ? (row->idx ? row->idx[r] : r) : p->d;
            const double aij = ai * (r < row->nnz ? row->val[r] : 1);
            if (K == 1)
                H[i * n + j] += aij * C[0];
            else
                for (int64_t k = 0; k < K; k++)
                    for (int64_t l = 0; l < K; l++) H[(i * K + k) * n + j * K + l] += aij * C[k * K + l];
        }
    }
}

/* Writes factor times a to the row of the panel, the intercept last. */
static void panel_row(const pass *a, int64_t i, double factor, double *at) {
    const spdhg_problem *p = a->p;
    spd_row row;
    spd_pass_row(p, a->open, i, &row);
    if (row.idx) memset(at, 0, (size_t)p->d * sizeof *at);
    for (int64_t q = 0; q < row.nnz && row.idx; q++) at[row.idx[q]] = factor * row.val[q];
    for (int64_t q = 0; q < row.nnz && !row.idx; q++) at[q] = factor * row.val[q];
    if (p->intercept) at[p->d] = factor;
}

/* Full rows, one output: panels of sqrt(w |C|) a for the rows with C of this sign, then H += sign panel' panel. */
static void panel_block(const pass *a, int64_t first, int64_t end, double sign, double *H, double *panel) {
    const spdhg_problem *p = a->p;
    const int64_t n = spd_problem_normal_size(p);
    int64_t rows = 0;
    for (int64_t i = first; i < end; i++) {
        const double C = sign * a->curve[i] * spd_problem_share(p, i);
        if (C > 0) panel_row(a, i, sqrt(C), panel + rows++ * n);
        if (rows < panel_rows(n) && (i + 1 < end || rows == 0)) continue;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)rows, sign, panel, (int)n, 1, H, (int)n);
        if (spd_stop_now(a->stop)) return;
        rows = 0;
    }
}

static void add_rows(void *context, int64_t first, int64_t end, double *part) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t n = spd_problem_normal_size(p);
    double *C = part + n * n, *unit = C + p->K * p->K, *H = a->only ? a->only : part;
    if (by_panels(p)) {
        panel_block(a, first, end, 1, H, unit + 2 * p->K);
        if (a->signs) panel_block(a, first, end, -1, H, unit + 2 * p->K);
        return;
    }
    if (p->K == 1 && !spd_problem_full(p) && p->loss->value) {
        sparse_block(a, first, end, H);
        return;
    }
    for (int64_t i = first; i < end && !over(a, i); i++) {
        const double w = spd_problem_weight(p, i);
        if (w == 0) continue;
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        row_curvature(a, i, row.b, w, C, unit);
        add_row(p, &row, C, H);
    }
}

static void write_out(const spdhg_problem *p, int threads, const double *curve, bool add, double *H, double *scratch,
                      spd_stop *stop) {
    const int64_t n = spd_problem_normal_size(p);
    pass a = {.p = p, .curve = curve, .signs = add, .stop = stop};
    if (!add) memset(H, 0, (size_t)(n * n) * sizeof *H);
    a.only = shards_of(p) == 1 && !add ? H : NULL;
    a.open = spd_pass_begin(p);
    spd_row_sum sum = spd_sum_of_rows(p, shards_of(p), n * n, block_size(p), add_rows, &a);
    sum.lower = n;
    sum.in_turn = threads <= 1 || a.open;
    if (a.only)
        add_rows(&a, 0, p->n, scratch);
    else
        spd_row_sum_run(&sum, threads, scratch);
    spd_pass_end(p, a.open);
    for (int64_t q = 0; q < n && !a.only; q++) spd_axpy(q + 1, 1, scratch + q * n, H + q * n);
}

bool spd_problem_normal_matrix(const spdhg_problem *p, int threads, const double *curve, double *H, double *scratch,
                               spd_stop *stop) {
    write_out(p, threads, curve, false, H, scratch, stop);
    return !spd_stop_now(stop);
}

/* The problem with a single output; rows, weights and intercept are the same. */
static spdhg_problem one_output(const spdhg_problem *p) {
    spdhg_problem view = *p;
    view.K = 1;
    view.dK = p->d;
    return view;
}

int64_t spd_problem_gram_work(const spdhg_problem *p, int threads) {
    const spdhg_problem view = one_output(p);
    const int64_t n = spd_problem_normal_size(&view);
    return n * n + spd_problem_normal_work(&view, threads);
}

void spd_problem_gram(const spdhg_problem *p, int threads, double *ones, double *M, double *scratch) {
    const spdhg_problem view = one_output(p);
    for (int64_t i = 0; i < p->n; i++) ones[i] = 1;
    write_out(&view, threads, ones, false, M, scratch, NULL);
}

bool spd_problem_normal_update(const spdhg_problem *p, int threads, const double *curve, double within, bool first, double *H,
                               double *kept, double *diff, double *scratch, spd_stop *stop) {
    const int64_t nK = p->n * p->K;
    int64_t changed = 0;
    for (int64_t i = 0; i < nK && !first; i++) {
        const bool far = fabs(curve[i] - kept[i]) > within * curve[i];
        diff[i] = far ? curve[i] - kept[i] : 0;
        changed += far;
    }
    if (changed == 0 && !first && p->loss->value) return true;
    const bool anew = first || !p->loss->value || 4 * changed > 3 * nK; /* many rows: avoids rounding left by updates */
    write_out(p, threads, anew ? curve : diff, !anew, H, scratch, stop);
    for (int64_t i = 0; i < nK; i++)
        if (anew || diff[i] != 0) kept[i] = curve[i];
    return !spd_stop_now(stop);
}

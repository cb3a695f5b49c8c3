/* gradient.c - sums over all rows that end in A'u:
 *     g = (1/W) sum_i w_i u_i a_i',   u_i = phi'(z_i), a given alpha_i, or C_i(a_i'x)
 * Each shard of rows has its own vector (ranks/ranks.h). */
#include "problem/rows.h"

enum { AT_ONCE = 64 }; /* rows whose slopes are computed together */

typedef struct pass {
    const spdhg_problem *p;
    const double *x, *c, *alpha, *curve;
    double *slope;
    bool sizes; /* adds the absolute value of every product */
    bool open;  /* one shard after the other, in a pass over rows that are made of columns */
    /* u_i (K entries) of row i; z holds K entries */
    void (*coefficient)(const struct pass *a, const spd_row *row, int64_t i, double *z, double *u);
} pass;

int64_t spd_problem_shards(const spdhg_problem *p) {
    return spd_shards(p->n, p->nnz / (p->d + 1) + 1); /* more vectors than this would cost more than the rows themselves */
}

static int64_t stride(const spdhg_problem *p) { return p->dK + 3 * p->K; }

int64_t spd_problem_gradient_work(const spdhg_problem *p) { return spd_problem_shards(p) * stride(p); }

SPD_WIDE static void add_sizes(int64_t n, double u, const double *restrict val, double *restrict g) {
    for (int64_t q = 0; q < n; q++) g[q] += u * fabs(val[q]);
}

static void add_row(const pass *a, const spd_row *row, const double *u, double *g) {
    const int64_t K = a->p->K;
    if (a->sizes && K == 1 && !row->idx)
        add_sizes(row->nnz, fabs(u[0]), row->val, g);
    else if (a->sizes)
        for (int64_t q = 0; q < row->nnz; q++)
            for (int64_t k = 0; k < K; k++) g[(row->idx ? row->idx[q] : q) * K + k] += fabs(row->val[q] * u[k]);
    else if (K == 1 && row->idx)
        spd_scatter_add(row->nnz, u[0], row->idx, a->p->ones ? NULL : row->val, g);
    else if (K == 1)
        spd_axpy(row->nnz, u[0], row->val, g);
    else
        for (int64_t q = 0; q < row->nnz; q++) spd_axpy(K, row->val[q], u, g + (row->idx ? row->idx[q] : q) * K);
}

/* The same for a given alpha, from row `first` on, one output and sparse rows, where nearly all the time is spent. */
static void given_block(const pass *a, const double *alpha, int64_t first, int64_t end, double *g) {
    const spdhg_problem *p = a->p;
    for (int64_t i = first; i < end; i++) {
        const double u = alpha[i - first] * spd_problem_share(p, i);
        if (u == 0) continue;
        const int64_t id = spd_problem_id(p, i), at = p->data->ptr[id];
        g[p->dK] += u;
        spd_pass_to(p, a->open, id);
        spd_scatter_add(p->data->ptr[id + 1] - at, u, p->data->idx + at, p->ones ? NULL : p->val + at, g);
    }
}

/* The same with the absolute value of every product. */
static void sizes_block(const pass *a, int64_t first, int64_t end, double *g) {
    const spdhg_problem *p = a->p;
    for (int64_t i = first; i < end; i++) {
        const double u = fabs(a->alpha[i] * spd_problem_share(p, i));
        if (u == 0) continue;
        const int64_t id = spd_problem_id(p, i);
        g[p->dK] += u;
        spd_pass_to(p, a->open, id);
        for (int64_t q = p->data->ptr[id]; q < p->data->ptr[id + 1]; q++) g[p->data->idx[q]] += fabs(p->val[q] * u);
    }
}

/* The same with C_i = curve_i. */
static void curved_block(const pass *a, int64_t first, int64_t end, double *g) {
    const spdhg_problem *p = a->p;
    const double c = a->c ? a->c[0] : 0;
    for (int64_t i = first; i < end; i++) {
        const double share = a->curve[i] * spd_problem_share(p, i);
        if (share == 0) continue;
        const int64_t id = spd_problem_id(p, i), at = p->data->ptr[id], count = p->data->ptr[id + 1] - at;
        const double *val = p->ones ? NULL : p->val + at;
        spd_pass_to(p, a->open, id);
        const double u = share * (spd_gather_dot(count, p->data->idx + at, val, a->x) + c);
        g[p->dK] += u;
        spd_scatter_add(count, u, p->data->idx + at, val, g);
    }
}

/* The same for full rows, or with C_i = curve_i where alpha is NULL, several rows at a time; returns the first row not done. */
static int64_t full_block(const pass *a, const double *alpha, int64_t first, int64_t end, double *g) {
    const spdhg_problem *p = a->p;
    const double *row[SPD_ABREAST];
    double u[SPD_ABREAST];
    for (; first + SPD_ABREAST <= end; first += SPD_ABREAST) {
        spd_problem_full_rows(p, first, row);
        if (!alpha) spd_dense_rows_dots(p->d, row, a->x, u);
        for (int r = 0; r < SPD_ABREAST; r++) {
            const double slope = alpha ? *alpha++ : a->curve[first + r] * (u[r] + (a->c ? a->c[0] : 0));
            u[r] = slope * spd_problem_share(p, first + r);
            g[p->dK] += u[r];
        }
        spd_dense_rows_add(p->d, row, u, g);
    }
    return first;
}

static void slope_at_x(const pass *a, const spd_row *row, int64_t i, double *z, double *u) {
    const spdhg_problem *p = a->p;
    spd_row_score(p, row, a->x, z);
    for (int64_t k = 0; k < p->K && a->c; k++) z[k] += a->c[k];
    spd_loss_slope(p->loss, p->loss_arg, p->K, z, row->b, u);
    if (a->slope) memcpy(a->slope + i * p->K, u, (size_t)p->K * sizeof *u);
}

/* Slopes at x, one output: scores, slopes and their sum for AT_ONCE rows at a time, as loss/rows.c takes many in one go. */
static void slope_block(const pass *a, int64_t first, int64_t end, double *g) {
    const spdhg_problem *p = a->p;
    double z[AT_ONCE], u[AT_ONCE];
    const bool full = spd_problem_full(p);
    for (int64_t last = first; first < end; first = last) {
        last = first + AT_ONCE < end ? first + AT_ONCE : end;
        for (int64_t i = first; i < last; i++) {
            spd_row row;
            spd_pass_row(p, false, i, &row);
            spd_row_score(p, &row, a->x, z + i - first);
            z[i - first] += a->c ? a->c[0] : 0;
        }
        spd_loss_slopes(p->loss, p->loss_arg, last - first, z, p->b + first, u);
        if (a->slope) memcpy(a->slope + first, u, (size_t)(last - first) * sizeof *u);
        if (!full) given_block(a, u, first, last, g);
        for (int64_t i = full ? full_block(a, u, first, last, g) : last; i < last; i++) {
            const double slope = u[i - first] * spd_problem_share(p, i);
            spd_row row;
            spd_pass_row(p, false, i, &row);
            g[p->dK] += slope;
            add_row(a, &row, &slope, g);
        }
    }
}

static void add_rows(void *context, int64_t first, int64_t end, double *g) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K;
    double *gc = g + p->dK, *z = gc + K, *u = z + K;
    const bool full = spd_problem_full(p), plain = K == 1 && !a->sizes;
    if (plain && full && (a->alpha || (a->curve && p->loss->value)))
        first = full_block(a, a->alpha ? a->alpha + first : NULL, first, end, g);
    if (a->alpha && K == 1 && !full) {
        if (a->sizes)
            sizes_block(a, first, end, g);
        else
            given_block(a, a->alpha + first, first, end, g);
        return;
    }
    if (a->curve && plain && !full && p->loss->value) {
        curved_block(a, first, end, g);
        return;
    }
    if (a->coefficient == slope_at_x && plain && p->loss->value && !a->open) {
        slope_block(a, first, end, g);
        return;
    }
    for (int64_t i = first; i < end; i++) {
        const double w = spd_problem_weight(p, i);
        if (w == 0 && !a->slope) continue;
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        a->coefficient(a, &row, i, z, u);
        for (int64_t k = 0; k < K; k++) {
            u[k] *= w / p->W;
            gc[k] += a->sizes ? fabs(u[k]) : u[k];
        }
        add_row(a, &row, u, g);
    }
}

static void run(pass *a, int threads, double *g, double *gc, double *scratch) {
    const spdhg_problem *p = a->p;
    const spd_row_sum sum = spd_sum_of_rows(p, spd_problem_shards(p), p->dK + p->K, stride(p), add_rows, a);
    a->open = spd_pass_begin(p);
    spd_row_sum_run(&sum, a->open ? 1 : threads, scratch);
    spd_pass_end(p, a->open);
    if (a->slope) spd_row_sum_share(&sum, a->slope, p->K);
    memcpy(g, scratch, (size_t)p->dK * sizeof *g);
    if (gc) memcpy(gc, scratch + p->dK, (size_t)p->K * sizeof *gc);
}

static void given(const pass *a, const spd_row *row, int64_t i, double *z, double *u) {
    (void)row, (void)z;
    memcpy(u, a->alpha + i * a->p->K, (size_t)a->p->K * sizeof *u);
}

static void curved(const pass *a, const spd_row *row, int64_t i, double *z, double *u) {
    const spdhg_problem *p = a->p;
    spd_row plain = *row;
    plain.offset = NULL;
    spd_row_score(p, &plain, a->x, z);
    for (int64_t k = 0; k < p->K && a->c; k++) z[k] += a->c[k];
    if (p->loss->value)
        for (int64_t k = 0; k < p->K; k++) u[k] = a->curve[i * p->K + k] * z[k];
    else
        p->loss->second_k(a->curve + i * p->K, p->K, row->b[0], z, u);
}

void spd_problem_gradient(const spdhg_problem *p, int threads, const double *x, const double *c, double *g, double *gc,
                          double *slope, double *scratch) {
    pass a = {.p = p, .x = x, .c = c, .slope = slope, .coefficient = slope_at_x};
    run(&a, threads, g, gc, scratch);
}

void spd_problem_adjoint(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch) {
    pass a = {.p = p, .alpha = alpha, .coefficient = given};
    run(&a, threads, g, gc, scratch);
}

void spd_problem_adjoint_sizes(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch) {
    pass a = {.p = p, .alpha = alpha, .coefficient = given, .sizes = true};
    run(&a, threads, g, gc, scratch);
}

void spd_problem_normal_product(const spdhg_problem *p, int threads, const double *curve, const double *x, const double *c,
                                double *g, double *gc, double *scratch) {
    pass a = {.p = p, .x = x, .c = c, .curve = curve, .coefficient = curved};
    run(&a, threads, g, gc, scratch);
}

/* diagonals.c - diagonals of Hessians, as sums over the rows (problem.h, curvature.c). */
#include "problem/rows.h"

typedef struct diagonal {
    const spdhg_problem *p;
    const double *curve;
    bool open; /* one shard after the other, in a pass over rows that are made of columns */
} diagonal;

static void add_columns(void *context, int64_t first, int64_t end, double *sum) {
    const diagonal *a = context;
    const spdhg_problem *p = a->p;
    for (int64_t i = first; i < end; i++) {
        const double w = p->kappa_usual * spd_problem_weight(p, i) / p->W;
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) sum[row.idx ? row.idx[q] : q] += w * row.val[q] * row.val[q];
    }
}

static void add_up(diagonal *a, int threads, int64_t width, spd_add_rows *add, double *into, double *work) {
    const spdhg_problem *p = a->p;
    a->open = spd_pass_begin(p);
    spd_row_sum sum = spd_sum_of_rows(p, spd_problem_shards(p), width, width, add, a);
    sum.in_turn = a->open;
    spd_row_sum_run(&sum, a->open ? 1 : threads, work);
    spd_pass_end(p, a->open);
    memcpy(into, work, (size_t)width * sizeof *into);
}

void spd_problem_curvature_columns(const spdhg_problem *p, int threads, double *into, double *work) {
    add_up(&(diagonal){.p = p}, threads, p->d, add_columns, into, work);
    into[p->d] = p->intercept ? p->kappa_usual : 0;
}

/* Entry (k,k) of phi''(z), from one column of the matrix; K is small for coupled losses. */
static double coupled_diagonal(const spdhg_problem *p, const double *z, double b, int64_t k) {
    enum { K_MOST = 64 };
    double unit[K_MOST] = {0}, column[K_MOST];
    if (p->K > K_MOST) return p->kappa_usual; /* for preconditioning a bound suffices */
    unit[k] = 1;
    p->loss->second_k(z, p->K, b, unit, column);
    return column[k];
}

static void add_diagonal(void *context, int64_t first, int64_t end, double *sum) {
    const diagonal *a = context;
    const spdhg_problem *p = a->p;
    const int64_t K = p->K;
    for (int64_t i = first; i < end; i++) {
        const double w = spd_problem_share(p, i);
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        for (int64_t k = 0; k < K; k++) {
            const double D = w * (p->loss->value ? a->curve[i * K + k] : coupled_diagonal(p, a->curve + i * K, row.b[0], k));
            for (int64_t q = 0; q < row.nnz; q++) sum[(row.idx ? row.idx[q] : q) * K + k] += D * row.val[q] * row.val[q];
            if (p->intercept) sum[p->dK + k] += D;
        }
    }
}

void spd_problem_curvature_diagonal(const spdhg_problem *p, int threads, const double *curve, double *into, double *work) {
    add_up(&(diagonal){.p = p, .curve = curve}, threads, spd_problem_normal_size(p), add_diagonal, into, work);
}

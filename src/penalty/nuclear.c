/* nuclear.c - r(Z) = sum of the singular values of the rows x K matrix Z = F x: low rank across the outputs.
 * Y is the unit ball of the spectral norm: the projection clips singular values at lambda, the polar norm is the largest one. */
#include "la/la.h"
#include "penalty/penalty.h"

/* The parts of work: a copy of the matrix, its factors, LAPACK's scratch. */
typedef struct spd_factors {
    int64_t k;
    double *A, *U, *s, *Vt, *own;
} spd_factors;

static bool factorise(int64_t rows, int64_t K, const double *Z, double *work, spd_factors *f) {
    const int64_t k = rows < K ? rows : K;
    *f = (spd_factors){.k = k, .A = work};
    f->U = f->A + rows * K;
    f->s = f->U + rows * k;
    f->Vt = f->s + k;
    f->own = f->Vt + k * K;
    if (k > 0) memcpy(f->A, Z, (size_t)(rows * K) * sizeof *Z);
    return spd_svd(rows, K, f->A, f->U, f->s, f->Vt, f->own);
}

static double value(const spd_penalty *r, int64_t rows, int64_t K, const double *z, double *work) {
    (void)r;
    spd_factors f;
    return factorise(rows, K, z, work, &f) ? spd_sum_abs(f.k, f.s) : NAN;
}

static void project(const spd_penalty *r, int64_t rows, int64_t K, double lambda, double *y, double *work) {
    (void)r;
    if (spd_norm2(rows * K, y) <= lambda) return; /* the Frobenius norm is at least the spectral norm */
    spd_factors f;
    if (!factorise(rows, K, y, work, &f)) { /* no convergence: takes a point inside, though not the nearest; NaN stays NaN */
        spd_scale(rows * K, lambda / spd_norm2(rows * K, y), y);
        return;
    }
    if (f.s[0] <= lambda) return;
    memset(y, 0, (size_t)(rows * K) * sizeof *y); /* rebuilt: subtracting the excess would leave rounding errors of the size s */
    for (int64_t e = 0; e < rows; e++)
        for (int64_t j = 0; j < f.k; j++) spd_axpy(K, fmin(f.s[j], lambda) * f.U[e * f.k + j], f.Vt + j * K, y + e * K);
}

static double polar(const spd_penalty *r, int64_t rows, int64_t K, const double *y, double *work) {
    (void)r;
    spd_factors f;
    if (!factorise(rows, K, y, work, &f)) return NAN;
    return f.k > 0 ? f.s[0] : 0;
}

static double radius(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    return sqrt((double)(rows < K ? rows : K));
}

static int64_t work_size(const spd_penalty *r, int64_t rows, int64_t K) {
    (void)r;
    const int64_t k = rows < K ? rows : K;
    return rows * K + rows * k + k + k * K + spd_svd_work(rows, K);
}

const spd_penalty spd_penalty_nuclear = {.name = "nuclear",
                                         .help = "sum of the singular values of F x, a rows x outputs matrix: low rank",
                                         .block = SPDHG_BLOCK_WHOLE,
                                         .groups_ok = false,
                                         .singular_values = true,
                                         .value = value,
                                         .project = project,
                                         .polar = polar,
                                         .radius = radius,
                                         .inner = spd_penalty_inner_one,
                                         .work = work_size};

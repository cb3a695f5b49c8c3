/* la.h - vectors, sparse rows, dense factorisations. No domain words. Lengths are int64_t; arrays do not overlap unless said so.
 */
#ifndef SPD_LA_H
#define SPD_LA_H

#include "core/core.h"

/* A loop over arrays that is compiled for several vector widths, one of which is chosen when the program starts. The bits do not
 * depend on the choice. Not with clang: before version 17 its clones cannot be called from another file. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SPD_WIDE __attribute__((target_clones("avx2", "default")))
#define SPD_WIDEST                                                                                                               \
    __attribute__((target_clones("avx512f", "avx2", "default"))) /* for loops that do a lot of arithmetic on each entry */
#else
#define SPD_WIDE
#define SPD_WIDEST
#endif

/* ---- vec.c */
double spd_dot(int64_t n, const double *x, const double *y);
double spd_norm2(int64_t n, const double *x);     /* no overflow for large entries */
double spd_sum_lanes(int64_t n, const double *x); /* plain, in the lanes of spd_dot */
double spd_sum_abs(int64_t n, const double *x), spd_max_abs(int64_t n, const double *x);
double spd_power_near_inverse(double t); /* a power of two within a factor 2 of 1/|t| where that is finite; 1 for 0 */
void spd_axpy(int64_t n, double a, const double *x, double *y); /* y += a x */
void spd_scale(int64_t n, double a, double *x);
bool spd_all_finite(int64_t n, const double *x);
int64_t spd_count_nonzero(int64_t n, const double *x);
double spd_sum(int64_t n, const double *x); /* Neumaier-compensated, fixed order */

/* ---- double-double arithmetic: a number as the sum of two doubles, and error-free operations (Knuth; Dekker 1971). */
typedef struct spd_twofold {
    double high, low;
} spd_twofold;
static inline spd_twofold spd_two_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return (spd_twofold){sum, (a - (sum - part)) + (b - part)};
}
static inline spd_twofold spd_two_product(double a, double b) {
    const double product = a * b;
    return (spd_twofold){product, fma(a, b, -product)};
}
/* s + a and s + a b, with an error of at most 2 eps^2 times the sum of the absolute values added so far. */
static inline spd_twofold spd_twofold_add(spd_twofold s, double a) {
    const spd_twofold t = spd_two_sum(s.high, a);
    return spd_two_sum(t.high, t.low + s.low);
}
static inline spd_twofold spd_twofold_add_product(spd_twofold s, double a, double b) {
    const spd_twofold p = spd_two_product(a, b), t = spd_two_sum(s.high, p.high);
    return spd_two_sum(t.high, t.low + (s.low + p.low));
}
static inline spd_twofold spd_twofold_times(spd_twofold s, double a) {
    const spd_twofold p = spd_two_product(s.high, a);
    return spd_two_sum(p.high, p.low + s.low * a);
}
/* s - a b and a / b, with about twice the digits of a double. */
static inline spd_twofold spd_twofold_minus(spd_twofold s, spd_twofold a, spd_twofold b) {
    const spd_twofold p = spd_two_product(-a.high, b.high), t = spd_two_sum(s.high, p.high);
    return spd_two_sum(t.high, t.low + (s.low + (p.low - (a.high * b.low + a.low * b.high))));
}
static inline spd_twofold spd_twofold_over(spd_twofold a, spd_twofold b) {
    const double first = a.high / b.high;
    const spd_twofold rest = spd_twofold_minus(a, (spd_twofold){first, 0}, b);
    return spd_two_sum(first, rest.high / b.high);
}
/* ---- exact.c: whether a_1 b_1 + ... + a_n b_n is exactly 0. Also false if products leave the range in which this can be
 * decided. work: 2 n numbers. */
bool spd_sums_to_zero(int64_t n, const double *a, const double *b, double *work);

/* ---- sparse rows, one output: sum_q val_q x_idx(q) in four lanes, and x_idx(q) += a val_q. val == NULL: all are 1. */
static inline double spd_gather_dot(int64_t n, const int32_t *idx, const double *val, const double *x) {
    double a = 0, b = 0, c = 0, d = 0;
    int64_t q = 0;
    if (!val) {
        for (; q + 4 <= n; q += 4) {
            a += x[idx[q]];
            b += x[idx[q + 1]];
            c += x[idx[q + 2]];
            d += x[idx[q + 3]];
        }
        for (; q < n; q++) a += x[idx[q]];
    } else {
        for (; q + 4 <= n; q += 4) {
            a += val[q] * x[idx[q]];
            b += val[q + 1] * x[idx[q + 1]];
            c += val[q + 2] * x[idx[q + 2]];
            d += val[q + 3] * x[idx[q + 3]];
        }
        for (; q < n; q++) a += val[q] * x[idx[q]];
    }
    return (a + b) + (c + d);
}
static inline void spd_scatter_add(int64_t n, double a, const int32_t *idx, const double *val, double *x) {
    if (val)
        for (int64_t q = 0; q < n; q++) x[idx[q]] += a * val[q];
    else
        for (int64_t q = 0; q < n; q++) x[idx[q]] += a;
}

/* ---- dense_rows.c: four rows of n numbers. z_r = row_r'x; g += sum_r u_r row_r, in their order. */
enum { SPD_ABREAST = 4 };
void spd_dense_rows_dots(int64_t n, const double *const row[SPD_ABREAST], const double *x, double *z);
void spd_dense_rows_add(int64_t n, const double *const row[SPD_ABREAST], const double *u, double *g);
/* y = A x for a symmetric n x n A, of which only the lower triangle is read. */
void spd_symmetric_apply(int64_t n, const double *A, const double *x, double *y);

/* ---- csr.c: an m x n matrix by rows. val == NULL with idx == NULL means the identity (m == n). */
typedef struct spd_csr {
    int64_t m, n;
    int64_t *ptr; /* m + 1 */
    int32_t *idx; /* ascending in each row */
    double *val;
} spd_csr;
spdhg_status spd_csr_new(spd_csr *A, int64_t m, int64_t n, int64_t nnz, spdhg_error *err);
void spd_csr_free(spd_csr *A);
bool spd_csr_is_identity(const spd_csr *A);
/* Row e as slices. For the identity it is a single 1 whose column is stored in this struct: use the struct in place, do not copy
 * it. */
typedef struct spd_csr_row {
    int64_t n;
    const int32_t *idx;
    const double *val;
    int32_t own;
} spd_csr_row;
static inline void spd_csr_take(const spd_csr *A, int64_t e, spd_csr_row *row) {
    static const double one = 1;
    const int64_t first = A->ptr ? A->ptr[e] : 0;
    row->own = (int32_t)e;
    row->n = A->ptr ? A->ptr[e + 1] - first : 1;
    row->idx = A->ptr ? A->idx + first : &row->own;
    row->val = A->ptr ? A->val + first : &one;
}
bool spd_csr_is_heavy(const spd_csr *A, int64_t i); /* row i has many entries: it is a hub, best eliminated separately */
int64_t spd_csr_nnz(const spd_csr *A);
/* X is n x K, Y is m x K, both row-major (the K numbers of a row contiguous). */
void spd_csr_apply(const spd_csr *A, int64_t K, const double *X, double *Y);            /* Y = A X */
void spd_csr_apply_transposed(const spd_csr *A, int64_t K, const double *Y, double *X); /* X += A' Y */
/* M += factor A'A for K outputs: the lower triangle of a row-major matrix with n numbers a row. */
void spd_csr_add_gram(const spd_csr *A, int64_t K, double factor, int64_t n, double *M);
/* A rigorous bound: ||A||_2 <= min( ||A||_F, sqrt of the largest row sum of |A||A|' ); work has n numbers. */
double spd_csr_norm_bound(const spd_csr *A, double *work);
/* A lower bound of ||A||_2 by `rounds` power iterations from a fixed pseudo-random vector; work has n + m numbers. */
double spd_csr_power(const spd_csr *A, int rounds, double *work);

/* ---- joins.c: which of n unknowns are multiples of each other, x_j = ratio x_root, by union-find. Sets that can only be 0 are
 * marked. */
typedef struct spd_joins {
    int64_t n;
    int32_t *root; /* follow until root[j] == j; the smallest index of a set is its root */
    double *ratio; /* x_j = ratio[j] * x_{root[j]}; for a root 1, or 0 if the whole set is 0 */
} spd_joins;
spdhg_status spd_joins_new(spd_joins *g, int64_t n, spdhg_error *err);
void spd_joins_clear(spd_joins *g);                                         /* every unknown is a set of its own again */
int64_t spd_joins_find(spd_joins *g, int64_t j, double *ratio);             /* root of j's set; x_j = ratio x_root */
void spd_joins_add(spd_joins *g, int64_t i, int64_t j, double a, double b); /* a x_i + b x_j = 0, a and b not 0 */
void spd_joins_zero(spd_joins *g, int64_t j);                               /* x_j = 0, and hence its whole set */
bool spd_joins_is_zero(const spd_joins *g, int64_t root);
/* Adds the equation sum_q val_q x_{idx(q) K + k} = 0: a zero or a tie. False, without effect, if more than two are nonzero. */
bool spd_joins_row(spd_joins *g, const spd_csr_row *row, int64_t K, int64_t k);
void spd_joins_flatten(spd_joins *g); /* root and ratio of every unknown become those of its set */
void spd_joins_free(spd_joins *g);

/* Largest number of unknowns for which a dense square matrix is formed and factored. Beyond it, the cubic cost exceeds that of
 * methods without a factorisation (bench/scaling). */
#define SPD_DENSE_MOST 1500

/* ---- dense.c: LAPACK. Row-major m x K. */
/* Thin singular value decomposition A = U diag(s) V', k = min(m,K): U m x k, s k descending, Vt k x K. A is destroyed. */
bool spd_svd(int64_t m, int64_t K, double *A, double *U, double *s, double *Vt, double *work);
int64_t spd_svd_work(int64_t m, int64_t K); /* doubles of work */
/* Eigenvalues (ascending) and eigenvectors of the symmetric n x n A, which become the rows of A; false if LAPACK fails. */
bool spd_eigen(int64_t n, double *A, double *values, double *work);
int64_t spd_eigen_work(int64_t n); /* doubles of work */

/* The n - r rows of Q are an orthonormal basis of the complement of the r independent rows of A (r x n, destroyed), accurate to
 * rounding whatever the condition of A. False if LAPACK fails. */
bool spd_complement(int64_t r, int64_t n, double *A, double *Q, double *work);
int64_t spd_complement_work(int64_t n); /* doubles of work */

/* ---- cholesky.c */
/* Cholesky factor of the symmetric positive definite n x n A (lower, in place) and solution of A x = b (in place); false if A is
 * not definite. The upper triangle is neither read nor written. */
bool spd_cholesky(int64_t n, double *A);
void spd_cholesky_solve(int64_t n, const double *A, double *b);

/* ---- eigen_add.c: replaces the eigenvalues e (in any order) and eigenvectors (rows of V) of A by those of A + g g'. False if
 * LAPACK fails or g is not finite; V and e are then unusable. */
bool spd_eigen_add(int64_t n, double *V, double *e, const double *g, double *work);
int64_t spd_eigen_add_work(int64_t n); /* doubles of work */

/* ---- cg.c: conjugate gradients for A x = b, A symmetric positive (semi)definite, preconditioned by its diagonal. */
typedef struct spd_cg {
    void (*apply)(const void *context, const double *p, double *Ap); /* Ap = A p */
    const void *context;
    const double *diagonal; /* of A, positive; NULL: 1 */
    const double *factor;   /* Cholesky factor, from spd_cholesky, of a matrix close to A (then without diagonal); NULL: none */
    void (*precondition)(const void *context, const double *r, double *z); /* z near A^{-1} r, instead of the two; NULL: none */
    double tolerance;                                                      /* stop at ||b - A x|| <= tolerance ||b|| */
    int most;                                                              /* maximum number of iterations */
    spd_stop *stop;                                                        /* polled in every iteration; NULL: none */
} spd_cg;
/* x is the start and the result. work has 4 n numbers. Returns the number of iterations. */
int spd_cg_solve(const spd_cg *cg, int64_t n, const double *b, double *x, double *work);

/* ---- product.c: products of dense matrices by BLAS, row-major. */
/* G = X_B' X, count x n: rows from .. from + count of X'X, where X is m x n. */
void spd_gram_rows(int64_t m, int64_t n, const double *X, int64_t from, int64_t count, double *G);
/* C = V' diag(s) V for n x n V: the matrix with eigenvalues s whose eigenvectors are the rows of V. work has n n numbers. */
void spd_recompose(int64_t n, const double *V, const double *s, double *C, double *work);
/* y = V x, or V'x, for n x n V. */
void spd_square_apply(int64_t n, const double *V, bool transposed, const double *x, double *y);
/* Replaces a factor from spd_cholesky by the inverse of its matrix (full, symmetric). */
bool spd_cholesky_inverse(int64_t n, double *A);
/* log det of the matrix with this factor. */
double spd_cholesky_logdet(int64_t n, const double *A);

/* ---- sandwich.c: products with a sparse symmetric X, stored on the pairs of a pattern: one value per pair, then n for the
 * diagonal. */
typedef struct spd_pattern {
    int64_t n;
    int64_t *start; /* n + 1: the pairs (i, other[q]), other[q] > i ascending, start[i] <= q < start[i+1]; filled by the caller */
    int32_t *other;
    int64_t capacity; /* of other */
    /* made by spd_pattern_complete: the neighbours of i, including i, ascending, and the positions of their values in X */
    int64_t *from;
    int32_t *near, *pair;
    void *value, *work; /* scratch for the products, in their respective precision */
} spd_pattern;
bool spd_pattern_new(spd_pattern *g, int64_t n); /* false, as below: out of memory; must be freed even then */
void spd_pattern_free(spd_pattern *g);
bool spd_pattern_room(spd_pattern *g, int64_t pairs); /* preserves the contents of `other` */
void spd_pattern_complete(spd_pattern *g);
/* out = (M X M) on the pattern for a symmetric n x n M; U is n x n work. X and out may be the same. */
void spd_sandwich(const spd_pattern *g, const double *M, const double *X, double *U, double *out);
/* The same for a sparse symmetric M; X and out may not be the same. */
void spd_sandwich_sparse(const spd_pattern *g, const spd_csr *M, const double *X, double *out);

/* ---- sandwich_float.c: a symmetric n x n matrix in single precision for the same product: six digits in half the time. */
typedef struct spd_float_matrix {
    double scale;
    float *M, *U; /* the matrix divided by scale, and work: n x width each, width from spd_float_width; owned by the caller */
} spd_float_matrix;
int64_t spd_float_width(int64_t n);
void spd_float_copy(spd_float_matrix *s, int64_t n, const double *M);
void spd_sandwich_float(const spd_pattern *g, const spd_float_matrix *s, const double *X, double *out);
/* With a sparse M that has no more entries than the pattern of X, where the pattern is too dense for spd_sandwich_sparse. The
 * work U has the size of spd_float_matrix's U. */
void spd_sandwich_light(const spd_pattern *g, const spd_csr *M, const double *X, float *U, double *out);

#endif

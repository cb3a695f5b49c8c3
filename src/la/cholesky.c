/* cholesky.c - A = L L' for a symmetric positive definite A, the lower triangle by rows, in place; and solving with it.
 *     L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj
 * Eight columns j and four rows i are computed at a time. The sums over the preceding columns stay in registers, and their order
 * is fixed, so the bits do not depend on the vector width. Large matrices go to LAPACK. */
#include <cblas.h>

#include "la/la.h"
#include "la/lapack.h"

enum { WIDTH = 8, HALF = WIDTH / 2, OURS_MOST = 1024 }; /* above OURS_MOST, data that are read repeatedly need tiling */

typedef double four __attribute__((vector_size(HALF * sizeof(double)), aligned(sizeof(double)), may_alias));
#define AT(x, j) (*(four *)(void *)((x) + (j)))

/* out_r = columns J .. J+7 of row r minus the contribution of the preceding columns; panel: these columns of L', by k. */
static inline void subtract(int64_t J, double *const row[SPD_ABREAST], double *panel, double (*out)[WIDTH]) {
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    four a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
    for (int64_t k = 0; k < J; k++) {
        const four p = AT(panel, WIDTH * k), q = AT(panel, WIDTH * k + HALF);
        a0 += r0[k] * p;
        b0 += r0[k] * q;
        a1 += r1[k] * p;
        b1 += r1[k] * q;
        a2 += r2[k] * p;
        b2 += r2[k] * q;
        a3 += r3[k] * p;
        b3 += r3[k] * q;
    }
    const four a[SPD_ABREAST] = {a0, a1, a2, a3}, b[SPD_ABREAST] = {b0, b1, b2, b3};
    for (int r = 0; r < SPD_ABREAST; r++) {
        AT(out[r], 0) = AT(row[r], J) - a[r];
        AT(out[r], HALF) = AT(row[r], J + HALF) - b[r];
    }
}

/* Factors a diagonal block in place and stores the reciprocals of its diagonal. */
static inline bool corner(double (*D)[WIDTH], double *inverse) {
    for (int i = 0; i < WIDTH; i++) {
        for (int c = 0; c < i; c++) {
            for (int k = 0; k < c; k++) D[i][c] -= D[i][k] * D[c][k];
            D[i][c] *= inverse[c];
            D[i][i] -= D[i][c] * D[i][c];
        }
        if (!(D[i][i] > 0)) return false;
        D[i][i] = sqrt(D[i][i]);
        inverse[i] = 1 / D[i][i];
    }
    return true;
}

/* x_r = x_r D^{-T}, four rows at once. */
static inline void divide(double (*D)[WIDTH], const double *inverse, double (*x)[WIDTH]) {
    four t[WIDTH];
#pragma GCC unroll 8
    for (int c = 0; c < WIDTH; c++) {
        four sum = {x[0][c], x[1][c], x[2][c], x[3][c]};
#pragma GCC unroll 8
        for (int k = 0; k < c; k++) sum -= t[k] * D[c][k];
        t[c] = sum * inverse[c];
        for (int r = 0; r < SPD_ABREAST; r++) x[r][c] = t[c][r];
    }
}

/* Pointers to rows i .. i+3. Beyond the last row the last one is repeated; it is then written again with the same values. */
static inline void rows_from(int64_t n, double *A, int64_t i, double *row[SPD_ABREAST]) {
    for (int r = 0; r < SPD_ABREAST; r++) row[r] = A + (i + r < n ? i + r : n - 1) * n;
}

/* The remaining columns, fewer than eight: row by row. */
static bool last_columns(int64_t n, double *A, int64_t J) {
    for (int64_t i = J; i < n; i++) {
        double *row = A + i * n;
        for (int64_t c = J; c < i; c++) row[c] = (row[c] - spd_dot(c, row, A + c * n)) / A[c * n + c];
        const double square = row[i] - spd_dot(i, row, row);
        if (!(square > 0)) return false;
        row[i] = sqrt(square);
    }
    return true;
}

SPD_WIDE static bool factor(int64_t n, double *A) {
    double panel[OURS_MOST * WIDTH], D[WIDTH][WIDTH], inverse[WIDTH], x[SPD_ABREAST][WIDTH], *row[SPD_ABREAST];
    int64_t J = 0;
    for (; J + WIDTH <= n; J += WIDTH) {
        for (int64_t k = 0; k < J; k++)
            for (int c = 0; c < WIDTH; c++) panel[WIDTH * k + c] = A[(J + c) * n + k];
        for (int i = 0; i < WIDTH; i += SPD_ABREAST) {
            rows_from(n, A, J + i, row);
            subtract(J, row, panel, D + i);
        }
        if (!corner(D, inverse)) return false;
        for (int i = 0; i < WIDTH; i++) memcpy(A + (J + i) * n + J, D[i], (size_t)(i + 1) * sizeof *A);
        for (int64_t i = J + WIDTH; i < n; i += SPD_ABREAST) {
            rows_from(n, A, i, row);
            subtract(J, row, panel, x);
            divide(D, inverse, x);
            for (int r = 0; r < SPD_ABREAST; r++) memcpy(row[r] + J, x[r], sizeof x[r]);
        }
    }
    return last_columns(n, A, J);
}

/* The lower triangle by rows is the upper one by columns. */
bool spd_cholesky(int64_t n, double *A) {
    if (n <= OURS_MOST) return factor(n, A);
    if (n > INT32_MAX) return false;
    const lapack_int size = (lapack_int)n;
    lapack_int info = 0;
    dpotrf_("U", &size, A, &size, &info, 1);
    return info == 0;
}

void spd_cholesky_solve(int64_t n, const double *A, double *b) {
    if (n == 0) return;
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)n, A, (int)n, b, 1); /* dpotrs packs A at every call */
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)n, A, (int)n, b, 1);
}

/* dense_rows.c - four dense rows at a time: their products with a vector, and their weighted sum added to a vector; combining the
 * two multiplies a symmetric matrix by a vector. Each row uses two vectors of four numbers. The order of every sum is fixed, so
 * the bits do not depend on the processor's vector width. */
#include "la/la.h"

typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define AT(x, j) (*(const four *)(const void *)((x) + (j)))

/* By address: how a vector is passed by value depends on the instructions that a function is compiled for, and the clones of a
 * function are compiled for others than this one. */
static inline double total(const four *a, const four *b) {
    const four sum = *a + *b;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

SPD_WIDE void spd_dense_rows_dots(int64_t n, const double *const row[SPD_ABREAST], const double *x, double *z) {
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    four a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0};
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
        const four u = AT(x, j), v = AT(x, j + 4);
        a0 += u * AT(r0, j);
        a1 += u * AT(r1, j);
        a2 += u * AT(r2, j);
        a3 += u * AT(r3, j);
        b0 += v * AT(r0, j + 4);
        b1 += v * AT(r1, j + 4);
        b2 += v * AT(r2, j + 4);
        b3 += v * AT(r3, j + 4);
    }
    z[0] = total(&a0, &b0);
    z[1] = total(&a1, &b1);
    z[2] = total(&a2, &b2);
    z[3] = total(&a3, &b3);
    for (; j < n; j++)
        for (int r = 0; r < SPD_ABREAST; r++) z[r] += x[j] * row[r][j];
}

SPD_WIDE void spd_dense_rows_add(int64_t n, const double *const row[SPD_ABREAST], const double *u, double *restrict g) {
    const double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3], u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3];
    for (int64_t j = 0; j < n; j++) g[j] = (((g[j] + u0 * r0[j]) + u1 * r1[j]) + u2 * r2[j]) + u3 * r3[j];
}

/* Not by BLAS, which would wake its threads: on a busy machine, waiting for them can take a thousand times the product itself. */
void spd_symmetric_apply(int64_t n, const double *A, const double *x, double *y) {
    int64_t i = 0;
    for (; i + SPD_ABREAST <= n; i += SPD_ABREAST) {
        const double *const row[SPD_ABREAST] = {A + i * n, A + (i + 1) * n, A + (i + 2) * n, A + (i + 3) * n};
        spd_dense_rows_dots(i, row, x, y + i);
        spd_dense_rows_add(i, row, x + i, y);
        for (int r = 0; r < SPD_ABREAST; r++)
            for (int c = 0; c < SPD_ABREAST; c++) y[i + r] += row[r > c ? r : c][i + (r > c ? c : r)] * x[i + c];
    }
    for (; i < n; i++) {
        y[i] = spd_dot(i + 1, A + i * n, x);
        spd_axpy(i, x[i], A + i * n, y);
    }
}

/* factor.c - a Cholesky factor that follows the face: M = A_E'Q A_E + gamma I = scale L L', E the active columns and the
 * intercept. Columns that enter E are appended, a block of rows at a time,
 *     [ L        ] [ L'  W' ]        W = B L^-T,   V V' = C - W W'
 *     [ W     V  ] [     V' ]        B, C: the products of the new columns with the old ones, with each other
 * and columns that leave it are taken out: what a column u had below the diagonal, l, goes back to the columns after it,
 *     V V' = L_22 L_22' + l l'       by plane rotations, one column after the other.
 * Both cost the square of the unknowns for each column. */
#include <cblas.h>
#include <float.h>

#include "lasso/lasso.h"

static const double PIVOT_LEAST = 1e-10; /* relative to the diagonal: columns that depend on each other are kept apart by this */

bool spd_factor_new(spd_factor *f, const spd_matrix *A, int64_t most) {
    *f = (spd_factor){.most = most,
                      .place = spd_alloc_raw(A->d, sizeof(int32_t)),
                      .column = SPD_NEW(int32_t, most),
                      .L = spd_alloc_sparse(most * most, sizeof(double)),
                      .bulk = spd_alloc_sparse(most * most, sizeof(double)),
                      .panel = spd_alloc_raw(A->row ? 1 : spd_gram_work(most), sizeof(double)),
                      .w = SPD_NEW(double, most),
                      .curve = SPD_NEW(double, A->n),
                      .Q = SPD_NEW(double, A->n),
                      .weighted = SPD_NEW(double, A->n)};
    for (int64_t j = 0; j < A->d && f->place; j++) f->place[j] = -1;
    return f->place && f->column && f->L && f->bulk && f->panel && f->w && f->curve && f->Q && f->weighted;
}

void spd_factor_free(spd_factor *f) {
    SPD_FREE_ALL(f->place, f->column, f->L, f->bulk, f->panel, f->w, f->curve, f->Q, f->weighted);
    *f = (spd_factor){0};
}

void spd_factor_drop(spd_factor *f) {
    for (int64_t u = 0; u < f->n; u++)
        if (f->column[u] >= 0) f->place[f->column[u]] = -1;
    f->n = 0;
    f->excess = 0;
}

/* Rotates l into the column that starts at its diagonal: afterwards column column' is what it was plus l l'. */
SPD_WIDE static void rotate(int64_t count, double *restrict column, double *restrict l) {
    const double root = hypot(column[0], l[0]), c = root / column[0], s = l[0] / column[0], by = 1 / c;
    column[0] = root;
    for (int64_t i = 1; i < count; i++) {
        column[i] = (column[i] + s * l[i]) * by;
        l[i] = c * l[i] - s * column[i];
    }
}

void spd_factor_remove(spd_factor *f, int64_t u) {
    const int64_t after = f->n - u - 1;
    double *l = f->w;
    memcpy(l, f->L + u * f->most + u + 1, (size_t)after * sizeof *l);
    for (int64_t c = 0; c < u; c++) {
        double *at = f->L + c * f->most + u;
        memmove(at, at + 1, (size_t)after * sizeof *at);
    }
    for (int64_t c = 0; c < after; c++) {
        double *to = f->L + (u + c) * f->most + u + c;
        memmove(to, to + f->most + 1, (size_t)(after - c) * sizeof *to);
        rotate(after - c, to, l + c);
    }
    f->place[f->column[u]] = -1;
    for (int64_t v = u; v < u + after; v++) {
        f->column[v] = f->column[v + 1];
        f->place[f->column[v]] = (int32_t)v;
    }
    f->n--;
}

/* The last block: the factor of C - W W', in place. */
static bool corner(spd_factor *f, int64_t count) {
    const int64_t n = f->n, most = f->most;
    for (int64_t r = 0; r < count; r++) {
        double *V = f->L + (n + r) * most + n, diagonal = f->w[r], square = V[r];
        for (int64_t c = 0; c < r; c++) {
            const double v = f->L[(n + c) * most + n + r];
            square -= v * v;
        }
        if (!(diagonal > DBL_MIN) || !isfinite(square)) return false;
        V[r] = sqrt(fmax(square, PIVOT_LEAST * diagonal));
        for (int64_t i = r + 1; i < count; i++) {
            double sum = V[i];
            for (int64_t c = 0; c < r; c++) sum -= f->L[(n + c) * most + n + i] * f->L[(n + c) * most + n + r];
            V[i] = sum / V[r];
        }
    }
    return true;
}

bool spd_factor_append(spd_factor *f, const int32_t *column, int64_t count) {
    double *W = f->L + f->n, *C = f->L + f->n * f->most + f->n;
    const int n = (int)f->n, most = (int)f->most;
    for (int64_t r = 0; r < count; r++) f->w[r] = C[r * f->most + r];
    if (n > 0) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)count, n, 1, f->L, most, W, most);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)count, n, -1, W, most, 1, C, most);
    }
    if (!corner(f, count)) return false;
    for (int64_t r = 0; r < count; r++) {
        f->column[f->n + r] = column[r];
        if (column[r] >= 0) f->place[column[r]] = (int32_t)(f->n + r);
    }
    f->n += count;
    return true;
}

void spd_factor_solve(const spd_factor *f, double *b) {
    if (f->n == 0) return;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)f->n, f->L, (int)f->most, b, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)f->n, f->L, (int)f->most, b, 1);
}

double spd_factor_multiply(const spd_factor *f, double *v) {
    if (f->n == 0) return 0;
    cblas_dtrmv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)f->n, f->L, (int)f->most, v, 1);
    const double square = spd_dot(f->n, v, v);
    cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)f->n, f->L, (int)f->most, v, 1);
    return square;
}

void spd_factor_apply(const spd_factor *f, const int32_t *e, int64_t k, bool intercept, const double *r, double *z) {
    if (f->n == 0) return;
    memset(f->w, 0, (size_t)f->n * sizeof *f->w);
    for (int64_t i = 0; i < k; i++)
        if (f->place[e[i]] >= 0) f->w[f->place[e[i]]] = r[i] / f->scale;
    if (intercept) f->w[0] = r[k] / f->scale;
    spd_factor_solve(f, f->w);
    for (int64_t i = 0; i < k; i++)
        if (f->place[e[i]] >= 0) z[i] = f->w[f->place[e[i]]];
    if (intercept) z[k] = f->w[0];
}

/* star_system.c - solves ( diag(D) + rho N'N ) x = b exactly, in one pass over N, where N is a star or a few stars.
 * Some rows u are heavy (a hub's own row). Among the columns of the other, light rows f only some are shared by several light
 * rows (a hub's column). Every other column j is private: it is in at most one light row e(j), with the entry p_j. With v = rho
 * u'x for the heavy rows and s for the shared columns, zeta = (x_s, v) is a corner of few unknowns, and the rest is eliminated.
 * U_j holds the entries of column j in the heavy rows. For a private column
 *     D_j x_j + p_j rho w_e + U_j'v = b_j,    w_e = f_e'x
 * and with sums over the private columns of row e
 *     a_e = sum p_j^2/D_j,   c_e = rho/(1 + rho a_e),   B_e = sum p_j b_j/D_j
 *     t_e = f_e on the shared columns, -sum p_j U_j/D_j on v
 *     rho w_e = c_e (B_e + t_e'zeta)
 * The corner:
 *     ( [ D_s U_s'; U_s -1/rho ] - sum_j U_j U_j'/D_j + sum_e c_e t_e t_e' ) zeta
 *         = (b_s, 0) - sum_j U_j b_j/D_j - sum_e c_e B_e t_e
 * Its matrix is positive on x_s and negative on v (quasi-definite), so that its factors L diag L' exist in this order (Vanderbei
 * 1995). */
#include "admm/star_system.h"

/* Adds the part of one private column to the corner. */
static inline void add_column(spd_star_system *a, int64_t i, double inverse, double b) {
    const spd_csr *U = &a->U;
    const int64_t k = a->shared + a->heavies;
    for (int64_t q = U->ptr[i]; q < U->ptr[i + 1]; q++) {
        const double part = U->val[q] * inverse;
        double *line = a->K + (a->shared + U->idx[q]) * k + a->shared;
        a->zeta[a->shared + U->idx[q]] -= part * b;
        for (int64_t r = U->ptr[i]; r <= q; r++) line[U->idx[r]] -= part * U->val[r];
    }
}

/* Adds the parts of all columns and computes a_e and B_e. */
static void add_columns(spd_star_system *a, const double *D, const double *b) {
    const spd_csr *U = &a->U;
    const int64_t k = a->shared + a->heavies;
    memset(a->sum, 0, (size_t)a->light.m * sizeof *a->sum);
    memset(a->w, 0, (size_t)a->light.m * sizeof *a->w);
    for (int64_t i = 0; i < a->own; i++) {
        const int32_t j = a->column[i];
        const double inverse = a->inverse[i] = 1 / D[j];
        add_column(a, i, inverse, b[j]);
        if (i >= a->paired) continue;
        a->sum[a->row[i]] += a->p[i] * a->p[i] * inverse;
        a->w[a->row[i]] += a->p[i] * b[j] * inverse;
    }
    for (int64_t i = a->own, c = 0; i < a->n; i++, c++) {
        a->K[c * k + c] += D[a->column[i]];
        a->zeta[c] += b[a->column[i]];
        for (int64_t q = U->ptr[i]; q < U->ptr[i + 1]; q++) a->K[(a->shared + U->idx[q]) * k + c] += U->val[q];
    }
}

/* t_e and the positions of its nonzero entries. */
static inline int64_t list_places(spd_star_system *a, int64_t e, int32_t *place, bool *met) {
    int64_t places = 0;
    for (int64_t q = a->light.ptr[e]; q < a->light.ptr[e + 1]; q++) {
        const int64_t j = a->light.idx[q];
        if (j >= a->own) { /* a shared column occurs at most once in a row */
            place[places++] = (int32_t)(j - a->own);
            a->t[j - a->own] = a->light.val[q];
            continue;
        }
        const double part = a->light.val[q] * a->inverse[j];
        for (int64_t r = a->U.ptr[j]; r < a->U.ptr[j + 1]; r++) {
            const int32_t i = (int32_t)a->shared + a->U.idx[r];
            if (!met[i]) place[places++] = i;
            met[i] = true;
            a->t[i] -= part * a->U.val[r];
        }
    }
    return places;
}

/* Adds the parts of the rows. */
static void add_rows(spd_star_system *a) {
    const int64_t k = a->shared + a->heavies;
    int32_t place[2 * SPD_CORNER_MOST];
    bool met[2 * SPD_CORNER_MOST] = {false};
    memset(a->t, 0, (size_t)k * sizeof *a->t);
    for (int64_t e = 0; e < a->light.m; e++) {
        const int64_t places = list_places(a, e, place, met);
        const double c = a->rho / (1 + a->rho * a->sum[e]);
        for (int64_t q = 0; q < places; q++) {
            const double part = c * a->t[place[q]];
            double *line = a->K + place[q] * k;
            a->zeta[place[q]] -= part * a->w[e];
            for (int64_t r = 0; r < places; r++)
                if (place[r] <= place[q]) line[place[r]] += part * a->t[place[r]];
        }
        for (int64_t q = 0; q < places; q++) a->t[place[q]] = 0, met[place[q]] = false;
    }
}

/* zeta by L diag L' of the lower half of K; false if a pivot has the wrong sign. */
static bool solve_corner(spd_star_system *a) {
    const int64_t k = a->shared + a->heavies;
    double *z = a->zeta;
    for (int64_t i = 0; i < k; i++) {
        double *line = a->K + i * k, pivot = line[i];
        for (int64_t j = 0; j < i; j++) line[j] -= spd_dot(j, line, a->K + j * k);
        for (int64_t j = 0; j < i; j++) {
            const double whole = line[j];
            line[j] /= a->K[j * k + j];
            pivot -= whole * line[j];
        }
        if (!(i < a->shared ? pivot > 0 : pivot < 0)) return false;
        line[i] = pivot;
        z[i] -= spd_dot(i, line, z);
    }
    for (int64_t i = 0; i < k; i++) z[i] /= a->K[i * k + i];
    for (int64_t i = k - 1; i >= 0; i--) spd_axpy(i, -z[i], a->K + i * k, z);
    return true;
}

/* x from zeta. y holds the sorted columns, first without the terms rho w_e; then f_e'y = w_e (1 + rho a_e). */
static void fill_in(spd_star_system *a, const double *b, double *x) {
    const spd_csr *U = &a->U, *f = &a->light;
    const double *v = a->zeta + a->shared;
    for (int64_t i = 0; i < a->own; i++) {
        double sum = b[a->column[i]];
        for (int64_t q = U->ptr[i]; q < U->ptr[i + 1]; q++) sum -= U->val[q] * v[U->idx[q]];
        a->y[i] = sum * a->inverse[i];
    }
    memcpy(a->y + a->own, a->zeta, (size_t)a->shared * sizeof *a->y);
    for (int64_t e = 0; e < f->m; e++) {
        double sum = 0;
        for (int64_t q = f->ptr[e]; q < f->ptr[e + 1]; q++) sum += f->val[q] * a->y[f->idx[q]];
        a->w[e] = a->rho * sum / (1 + a->rho * a->sum[e]);
    }
    for (int64_t i = 0; i < a->paired; i++) a->y[i] -= a->inverse[i] * a->p[i] * a->w[a->row[i]];
    for (int64_t i = 0; i < a->n; i++) x[a->column[i]] = a->y[i];
}

bool spd_star_system_solve(spd_star_system *a, const double *D, const double *b, double *x) {
    const int64_t k = a->shared + a->heavies;
    memset(a->K, 0, (size_t)(k * k) * sizeof *a->K);
    memset(a->zeta, 0, (size_t)k * sizeof *a->zeta);
    for (int64_t i = a->shared; i < k; i++) a->K[i * k + i] = -1 / a->rho;
    add_columns(a, D, b);
    add_rows(a);
    if (!solve_corner(a)) return false;
    fill_in(a, b, x);
    return true;
}

/* arrow.c - ( diag(D) + rho N'N ) x = b exactly, in one pass over N, where N is a star or a few: some rows u are long (a hub's
 * own), and of the columns of the others, the light rows f, only some are in several (a hub's, again); every other column j is
 * private: in one light row e(j) at most, with the entry p_j. With v = rho u'x for the long rows, and s for the columns that are
 * shared, zeta = (x_s, v) is a corner of few unknowns, and the rest is eliminated. U_j: the entries of column j in the long rows.
 *     private:     D_j x_j + p_j rho w_e + U_j'v = b_j,    w_e = f_e'x
 *                  a_e = sum p_j^2/D_j,   c_e = rho/(1 + rho a_e),   B_e = sum p_j b_j/D_j   over the private columns of row e
 *                  t_e = f_e on the shared columns, -sum p_j U_j/D_j on v:    rho w_e = c_e (B_e + t_e'zeta)
 *     the corner:  ( [ D_s U_s'; U_s -1/rho ] - sum_j U_j U_j'/D_j + sum_e c_e t_e t_e' ) zeta
 *                  = (b_s, 0) - sum_j U_j b_j/D_j - sum_e c_e B_e t_e
 * positive on x_s and negative on v (quasi-definite), so that L diag L' of it exists in this order (Vanderbei 1995). */
#include "la/la.h"

enum { LONG = 30, CORNER_MOST = 64 }; /* entries of a light row; shared columns, and long rows, of a corner */

static int32_t *take_integers(spd_arena *arena, int64_t count) { return (int32_t *)spd_arena_take(arena, (count + 1) / 2); }

static void take_csr(spd_csr *A, spd_arena *arena, int64_t rows, int64_t entries) {
    A->ptr = (int64_t *)spd_arena_take(arena, rows + 1);
    A->idx = take_integers(arena, entries);
    A->val = spd_arena_take(arena, entries);
}

void spd_arrow_layout(spd_arrow *a, spd_arena *state, spd_arena *work, int64_t rows, int64_t columns, int64_t entries) {
    take_csr(&a->light, state, rows, entries);
    take_csr(&a->U, state, columns, entries);
    a->corner = take_integers(state, columns);
    a->row = take_integers(state, columns);
    a->p = spd_arena_take(state, columns);
    a->inverse = spd_arena_take(work, columns);
    a->sum = spd_arena_take(work, rows);
    a->w = spd_arena_take(work, rows);
    a->K = spd_arena_take(work, 4 * CORNER_MOST * CORNER_MOST);
    a->zeta = spd_arena_take(work, 2 * CORNER_MOST);
    a->t = spd_arena_take(work, 2 * CORNER_MOST);
}

static bool is_long(const spd_csr *N, int64_t e) { return N->ptr[e + 1] - N->ptr[e] > LONG; }

/* The light rows, and which of their columns are shared; false if these are many. */
static bool list_light(spd_arrow *a, const spd_csr *N) {
    int64_t at = 0;
    a->light.m = a->shared = 0;
    for (int64_t j = 0; j < N->n; j++) a->row[j] = a->corner[j] = -1;
    for (int64_t e = 0; e < N->m; e++) {
        if (is_long(N, e)) continue;
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1]; q++, at++) {
            const int32_t j = a->light.idx[at] = N->idx[q];
            a->light.val[at] = N->val[q];
            if (a->row[j] < 0) {
                a->row[j] = (int32_t)a->light.m;
                a->p[j] = N->val[q];
            } else if (a->corner[j] < 0)
                a->corner[j] = (int32_t)a->shared++;
        }
        a->light.ptr[++a->light.m] = at;
        if (a->shared > CORNER_MOST) return false;
    }
    return true;
}

/* U: the long rows by columns. */
static void list_long(spd_arrow *a, const spd_csr *N) {
    int64_t *ptr = a->U.ptr, met = 0;
    for (int64_t e = 0; e < N->m; e++)
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1] && is_long(N, e); q++) ptr[N->idx[q] + 1]++;
    for (int64_t j = 0; j < N->n; j++) ptr[j + 1] += ptr[j];
    for (int64_t e = 0; e < N->m; e++) {
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1] && is_long(N, e); q++) {
            const int64_t at = ptr[N->idx[q]]++;
            a->U.idx[at] = (int32_t)met;
            a->U.val[at] = N->val[q];
        }
        met += is_long(N, e);
    }
    memmove(ptr + 1, ptr, (size_t)N->n * sizeof *ptr);
    ptr[0] = 0;
}

bool spd_arrow_start(spd_arrow *a, const spd_csr *N, double rho) {
    a->rho = rho;
    a->n = a->U.m = N->n;
    a->longs = 0;
    for (int64_t e = 0; e < N->m; e++) a->longs += is_long(N, e);
    memset(a->U.ptr, 0, (size_t)(N->n + 1) * sizeof *a->U.ptr);
    a->light.ptr[0] = 0;
    if (a->longs > CORNER_MOST || !list_light(a, N)) return false;
    list_long(a, N);
    return true;
}

/* The columns' part of the corner; 1/D_j, a_e and B_e on the way. */
static void add_columns(spd_arrow *a, const double *D, const double *b) {
    const spd_csr *U = &a->U;
    const int64_t k = a->shared + a->longs;
    double *v = a->zeta + a->shared;
    memset(a->sum, 0, (size_t)a->light.m * sizeof *a->sum);
    memset(a->w, 0, (size_t)a->light.m * sizeof *a->w);
    for (int64_t j = 0; j < a->n; j++) {
        const int64_t c = a->corner[j], e = a->row[j];
        if (c >= 0) {
            a->K[c * k + c] += D[j];
            a->zeta[c] += b[j];
            for (int64_t q = U->ptr[j]; q < U->ptr[j + 1]; q++) a->K[(a->shared + U->idx[q]) * k + c] += U->val[q];
            continue;
        }
        const double inverse = a->inverse[j] = 1 / D[j];
        for (int64_t q = U->ptr[j]; q < U->ptr[j + 1]; q++) {
            const double part = U->val[q] * inverse;
            double *line = a->K + (a->shared + U->idx[q]) * k + a->shared;
            v[U->idx[q]] -= part * b[j];
            for (int64_t r = U->ptr[j]; r <= q; r++) line[U->idx[r]] -= part * U->val[r];
        }
        if (e < 0) continue;
        a->sum[e] += a->p[j] * a->p[j] * inverse;
        a->w[e] += a->p[j] * b[j] * inverse;
    }
}

/* The nonzero places of t_e. */
static int64_t list_places(spd_arrow *a, int64_t e, int32_t *place, bool *met) {
    int64_t places = 0;
    for (int64_t q = a->light.ptr[e]; q < a->light.ptr[e + 1]; q++) {
        const int32_t j = a->light.idx[q];
        const bool shared = a->corner[j] >= 0;
        const int64_t from = shared ? 0 : a->U.ptr[j], to = shared ? 1 : a->U.ptr[j + 1];
        for (int64_t r = from; r < to; r++) {
            const int32_t i = shared ? a->corner[j] : (int32_t)a->shared + a->U.idx[r];
            if (!met[i]) place[places++] = i;
            met[i] = true;
            a->t[i] += shared ? a->light.val[q] : -a->light.val[q] * a->inverse[j] * a->U.val[r];
        }
    }
    return places;
}

/* The rows' part of it. */
static void add_rows(spd_arrow *a) {
    const int64_t k = a->shared + a->longs;
    int32_t place[2 * CORNER_MOST];
    bool met[2 * CORNER_MOST] = {false};
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

/* zeta by L diag L' of the lower half of K; false if a pivot has not the sign it must have. */
static bool solve_corner(spd_arrow *a) {
    const int64_t k = a->shared + a->longs;
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

/* x from zeta; w becomes rho w_e. */
static void fill_in(spd_arrow *a, const double *b, double *x) {
    const double *v = a->zeta + a->shared;
    for (int64_t j = 0; j < a->n; j++) {
        const int64_t from = a->U.ptr[j];
        x[j] = a->corner[j] >= 0
                   ? a->zeta[a->corner[j]]
                   : a->inverse[j] * (b[j] - spd_gather_dot(a->U.ptr[j + 1] - from, a->U.idx + from, a->U.val + from, v));
    }
    for (int64_t e = 0; e < a->light.m; e++) { /* at these x, in which rho w_e is not yet: w_e (1 + rho a_e) */
        const int64_t from = a->light.ptr[e];
        const double all = spd_gather_dot(a->light.ptr[e + 1] - from, a->light.idx + from, a->light.val + from, x);
        a->w[e] = a->rho * all / (1 + a->rho * a->sum[e]);
    }
    for (int64_t j = 0; j < a->n; j++)
        if (a->corner[j] < 0 && a->row[j] >= 0) x[j] -= a->inverse[j] * a->p[j] * a->w[a->row[j]];
}

bool spd_arrow_solve(spd_arrow *a, const double *D, const double *b, double *x) {
    const int64_t k = a->shared + a->longs;
    memset(a->K, 0, (size_t)(k * k) * sizeof *a->K);
    memset(a->zeta, 0, (size_t)k * sizeof *a->zeta);
    for (int64_t i = a->shared; i < k; i++) a->K[i * k + i] = -1 / a->rho;
    add_columns(a, D, b);
    add_rows(a);
    if (!solve_corner(a)) return false;
    fill_in(a, b, x);
    return true;
}

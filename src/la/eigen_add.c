/* eigen_add.c - eigenvalues and eigenvectors of A + g g' from those of A, at cost n^2 instead of n^3 except for one matrix
 * product:
 *     A + g g' = V'(diag(e) + z z')V,  z = V g.
 * LAPACK's dlaed9 finds the roots t of the secular equation
 *     1 + sum_i z_i^2/(e_i - t) = 0
 * after deflation as in dlaed2: a negligible component |z_i| keeps its eigenpair; of two nearly equal eigenvalues, a rotation
 * gives one all of z (Gu and Eisenstat 1994: only then are the computed eigenvectors orthogonal). */
#include <cblas.h>
#include <float.h>

#include "la/la.h"
#include "la/lapack.h"

/* The rows that change, in ascending order of their eigenvalues. */
typedef struct secular {
    int64_t k;
    int32_t *row;                   /* k of n */
    double *pole, *w, *root;        /* k: e and z of these rows; the new eigenvalues */
    double *old, *turn, *own, *new; /* k x n: these rows; k x k: S and dlaed9's own; k x n */
} secular;

int64_t spd_eigen_add_work(int64_t n) { return 4 * n * n + 5 * n + 1; }

static secular lay_out(int64_t n, double *work) {
    secular s = {.old = work, .turn = work + n * n, .own = work + 2 * n * n, .new = work + 3 * n *n};
    double *rest = work + 4 * n * n;
    s.pole = rest, s.w = rest + n, s.root = rest + 2 * n;
    s.row = (int32_t *)(void *)(rest + 3 * n);
    return s;
}

/* Insertion sort: the rows are nearly sorted from the previous call. */
static void sort(const double *e, int64_t n, int32_t *row) {
    for (int64_t i = 0; i < n; i++) {
        int64_t j = i;
        for (; j > 0 && e[row[j - 1]] > e[i]; j--) row[j] = row[j - 1];
        row[j] = (int32_t)i;
    }
}

/* Rotates rows a and b of V so that b gets all of z. Only done, and true, if A then stays diagonal to within tol. */
static bool merge(int64_t n, double *V, double *e, double *z, int64_t a, int64_t b, double tol) {
    const double size = hypot(z[a], z[b]), c = z[b] / size, s = -z[a] / size;
    if (fabs((e[b] - e[a]) * c * s) > tol) return false;
    z[b] = size;
    z[a] = 0;
    cblas_drot((int)n, V + a * n, 1, V + b * n, 1, c, s);
    const double low = e[a] * c * c + e[b] * s * s;
    e[b] = e[a] * s * s + e[b] * c * c;
    e[a] = low;
    return true;
}

/* Keeps in s->row only the rows that change. */
static void deflate(int64_t n, double *V, double *e, double *z, double length, double tol, secular *s) {
    s->k = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t row = s->row[i];
        if (length * fabs(z[row]) <= tol) continue;
        if (s->k > 0 && merge(n, V, e, z, s->row[s->k - 1], row, tol)) s->k--;
        s->row[s->k++] = row;
    }
}

bool spd_eigen_add(int64_t n, double *V, double *e, const double *g, double *work) {
    secular s = lay_out(n, work);
    double *z = work + 4 * n * n + 4 * n;
    spd_square_apply(n, V, false, g, z);
    double rho = spd_dot(n, z, z);
    if (!isfinite(rho)) return false;
    sort(e, n, s.row);
    const double most = n > 0 ? fmax(fabs(e[s.row[n - 1]]), rho) : 0;
    deflate(n, V, e, z, sqrt(rho), 8 * DBL_EPSILON * most, &s);
    if (s.k == 0) return true;
    for (int64_t i = 0; i < s.k; i++) {
        s.pole[i] = e[s.row[i]];
        s.w[i] = z[s.row[i]];
        memcpy(s.old + i * n, V + s.row[i] * n, (size_t)n * sizeof *V);
    }
    rho = spd_dot(s.k, s.w, s.w); /* dlaed9 requires w of length 1 */
    spd_scale(s.k, 1 / sqrt(rho), s.w);
    const lapack_int k = (lapack_int)s.k, one = 1;
    lapack_int info;
    dlaed9_(&k, &one, &k, &k, s.root, s.own, &k, &rho, s.pole, s.w, s.turn, &k, &info);
    if (info != 0) return false;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, (int)n, k, 1, s.turn, k, s.old, (int)n, 0, s.new, (int)n);
    for (int64_t i = 0; i < s.k; i++) {
        e[s.row[i]] = s.root[i];
        memcpy(V + s.row[i] * n, s.new + i *n, (size_t)n * sizeof *V);
    }
    return true;
}

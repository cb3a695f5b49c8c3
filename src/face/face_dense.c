/* face_dense.c - the Hessian on a face, assembled and factored:
 *     M = N'(Hessian + gamma I)N
 * With few coefficients this is cheaper than the products of conjugate gradients. Only for l1 penalties, which are linear on the
 * face. */
#include "face/face.h"

static const double SINGULAR = 1e-10; /* the least pivot, relative to its diagonal entry */

/* BLAS does about eight multiplications in the time of one in plain code. */
double spd_face_dense_cost(const spdhg_problem *p, double unknowns) {
    const double n = (double)spd_problem_normal_size(p);
    return (double)p->n * spd_problem_normal_cost(p) + 2 * n * n + unknowns * unknowns * unknowns / 48;
}

int64_t spd_face_dense_size(const spdhg_problem *p, double pass) {
    const double n = (double)spd_problem_normal_size(p);
    for (int64_t t = 0; t < p->terms; t++)
        if (!p->term[t].penalty->sum_of_sizes) return 0;
    return 2 * spd_face_dense_cost(p, n) < n * pass ? spd_problem_normal_size(p) : 0; /* conjugate gradients: about n/2 passes */
}

/* Entry e of row i of N: *column and *value; false after the last. The columns are those of the row's output. */
static bool entry(const spd_face *f, int64_t i, int64_t e, int64_t *column, double *value) {
    const spdhg_problem *p = f->p;
    int64_t first = 0;
    if (i >= p->dK) { /* an intercept is its own unknown */
        *column = f->unknowns - p->K + (i - p->dK);
        *value = 1;
        return e == 0;
    }
    for (int64_t k = 0; k < i % p->K; k++) first += f->null[k].k;
    const spd_csr *N = &f->null[i % p->K].N;
    const int64_t at = N->ptr[i / p->K] + e;
    if (at >= N->ptr[i / p->K + 1]) return false;
    *column = first + N->idx[at];
    *value = N->val[at];
    return true;
}

bool spd_face_factor(spd_face *f) {
    const spdhg_problem *p = f->p;
    const int64_t n = spd_problem_normal_size(p), u = f->unknowns;
    double *H = f->H, *T = H + n * n, *M = f->M, value;
    int64_t column;
    *f->passes -= (int)ceil(spd_face_dense_cost(p, (double)u) / f->pass);
    if (!spd_problem_normal_matrix(p, f->threads, f->curve, H, f->normal, f->stop)) return false;
    for (int64_t i = 0; i < n; i++) {
        H[i * n + i] += i < p->dK ? p->gamma : 0;
        for (int64_t j = 0; j < i; j++) H[j * n + i] = H[i * n + j];
    }
    memset(T, 0, (size_t)(u * n) * sizeof *T); /* T = N'H */
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; entry(f, i, e, &column, &value); e++) spd_axpy(n, value, H + i * n, T + column * n);
    memset(M, 0, (size_t)(u * u) * sizeof *M);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; entry(f, i, e, &column, &value); e++)
            for (int64_t a = column; a < u; a++) M[a * u + column] += value * T[a * n + i];
    for (int64_t a = 0; a < u; a++) T[a] = M[a * u + a];
    if (!spd_cholesky(u, M)) return false;
    for (int64_t a = 0; a < u; a++)
        if (!(M[a * u + a] * M[a * u + a] > SINGULAR * T[a])) return false;
    return true;
}

/* dense.c - the system of a step as a dense matrix and its Cholesky factor (interior.h). */
#include "interior/interior.h"

enum { REFINEMENTS = 2 };
static const double ROUNDING = 1e-14, LOST = 1e-6; /* relative to the diagonal: least and most that is added to it */
static const double WEAK = 1e3;                    /* times what is added: a pivot below this is hardly more than that */

/* Subtracts a block's part along its normal from M. */
static void take_radial(spd_interior *a, const spd_part *B) {
    spd_tied_take_block(&a->whole, a->p, B->t, B->b, a->normal, 1, a->M, a->fix, a->touched);
}

/* The least pivot, relative to the diagonal of M. */
static double weakest(const spd_interior *a) {
    double least = INFINITY;
    for (int64_t i = 0; i < a->n; i++) {
        const double whole = a->M[i * (a->n + 1)], pivot = a->L[i * (a->n + 1)];
        if (whole > 0) least = fmin(least, pivot * pivot / whole);
    }
    return least;
}

/* At a corner the weights of rows and sides tend to 0 or infinity. */
static bool wants_digits(const spd_interior *a) { return a->corners && spd_interior_fine_is_free(a->p); }

/* M = P + A'CA/W + F'DF + part of X
 * L is its factor, with as little added to the diagonal as necessary. Where that decides the step, and the rows of the loss are
 * in the model, the system has twice the digits from here on, unless it is singular with these too: the step is then
 * undetermined, and short if more is added. */
static bool factor(spd_interior *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = a->n;
    if (a->rows && !spd_problem_normal_matrix(p, a->threads, a->curve, a->L, a->scratch, a->stop)) return false;
    if (!a->rows) memcpy(a->L, a->P, (size_t)(n * n) * sizeof *a->L);
    spd_tied_whole(&a->whole, p);
    spd_tied_gram(&a->whole, p, a->weight, a->M);
    memset(a->fix, 0, (size_t)n * sizeof *a->fix);
    spd_interior_terms_each(a, NULL, take_radial, take_radial, NULL);
    for (int64_t i = 0; i < n; i++) {
        spd_axpy(i + 1, 1, a->L + i * n, a->M + i * n);
        if (a->rows && i < p->dK) a->M[i * n + i] += p->gamma;
        a->M[i * n + i] += a->prox;
    }
    spd_interior_set_matrix(a, a->M, n + 1);
    const double add = spd_interior_set_column(a);
    for (int64_t j = 0; j < p->dK && add != 0; j++) spd_axpy(j + 1, add * a->column[j], a->column, a->M + j * n);
    bool good = false, weak = true;
    for (double extra = ROUNDING; extra <= LOST && !good; extra *= 10) {
        memcpy(a->L, a->M, (size_t)(n * n) * sizeof *a->L);
        for (int64_t i = 0; i < n; i++) a->L[i * n + i] += a->M[i * n + i] > 0 ? extra * a->M[i * n + i] : 1;
        good = spd_cholesky(n, a->L);
        weak = !good || weakest(a) < WEAK * extra;
    }
    a->fine = a->doubled && a->rows && (a->fine || weak || wants_digits(a)) && spd_interior_fine_factor(a, add);
    return a->fine || good;
}

/* out = M^{-1} b; overwrites fix. */
static void solve_system(spd_interior *a, const double *b, double *out) {
    if (a->fine) {
        spd_interior_fine_solve(a, b, out);
        return;
    }
    memcpy(out, b, (size_t)a->n * sizeof *b);
    spd_cholesky_solve(a->n, a->L, out);
    for (int round = 0; round < REFINEMENTS; round++) {
        spd_symmetric_apply(a->n, a->M, out, a->fix);
        for (int64_t i = 0; i < a->n; i++) a->fix[i] = b[i] - a->fix[i];
        spd_cholesky_solve(a->n, a->L, a->fix);
        spd_axpy(a->n, 1, a->fix, out);
    }
}

static void apply(spd_interior *a, const double *x, double *out) { spd_symmetric_apply(a->n, a->M, x, out); }

const spd_interior_algebra spd_interior_dense = {.factor = factor, .solve = solve_system, .apply = apply};

/* chain_alm_system.c - Newton's direction for the inner problem of chain_alm.c. With the groups u = B t that move together, C the
 * curvatures phi''(z), and R = zhat - z,
 *     dz = R - A B t,    (Q + B'A'C A B/W) t = B'A'C R/W                              one unknown for each group
 * or, for scalar losses, with e_i = sqrt(w_i C_i/W) as a diagonal,
 *     t = Q^-1 (A B)'e s,    (I + e A B Q^-1 (A B)'e) s = e R                         one unknown for each row
 * The smaller of the two is factored. If both are larger than `most`, the first is solved by conjugate gradients. */
#include <cblas.h>

#include "newton/chain_alm.h"

enum { CG_MOST = 500, ROWS_A_POLL = 16 };

static bool by_rows(const spdhg_problem *p) { return p->K == 1 && p->loss->value && p->n <= SPD_CHAIN_DENSE_MOST; }

/* Entries of A B for the system by rows: dense, or as a list sorted by groups. */
static int64_t entries_work(const spdhg_problem *p) {
    if (!by_rows(p)) return 0;
    return spd_problem_full(p) ? p->n * (p->d + 1) : p->nnz + p->nnz / 2 + p->d + 3;
}

void spd_chain_system_layout(spd_chain_alm *a, spd_arena *work) {
    const spdhg_problem *p = a->p;
    const int64_t all = p->dK + p->K, least = by_rows(p) && p->n < all ? p->n : all;
    a->most = least < SPD_CHAIN_DENSE_MOST ? least : SPD_CHAIN_DENSE_MOST;
    const int64_t hessian = spd_tied_hessian_work(p, a->most, a->threads), entries = entries_work(p);
    a->M = spd_arena_take(work, a->most * a->most);
    a->M_work = spd_arena_take(work, hessian > entries ? hessian : entries);
    double **const wide[] = {&a->step, &a->rhs, &a->solution, &a->diagonal, &a->wide};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) *wide[i] = spd_arena_take(work, all);
    a->cg = spd_arena_take(work, 4 * all + 2 * p->K);
    a->dz = spd_arena_take(work, p->n * p->K);
}

/* out = B'A'v/W */
static void gather(spd_chain_alm *a, const double *v, double *out) {
    const spdhg_problem *p = a->p;
    spd_problem_adjoint(p, a->threads, v, a->wide, a->wide + p->dK, a->scratch);
    spd_tied_gather(&a->B, p, a->wide, out);
}

/* ---- one unknown for each group */
static bool factor_groups(spd_chain_alm *a, const spd_chain_point *at, double *t) {
    const int64_t s = a->B.size;
    if (!spd_tied_hessian(&a->B, a->p, a->threads, at->curve, a->most, a->M, a->M_work, a->stop)) return false;
    for (int64_t i = 0; i < s; i++) a->M[i * s + i] += a->Q[i];
    gather(a, at->CR, t);
    if (!spd_cholesky(s, a->M)) return false;
    spd_cholesky_solve(s, a->M, t);
    return true;
}

typedef struct product {
    spd_chain_alm *a;
    const double *curve;
} product;

static void apply(const void *context, const double *t, double *Ht) {
    const product *c = context;
    spd_chain_alm *a = c->a;
    const spdhg_problem *p = a->p;
    const bool free = p->intercept;
    double *x = a->step;
    spd_tied_expand(&a->B, p, t, x);
    spd_problem_normal_product(p, a->threads, c->curve, x, free ? x + p->dK : NULL, a->wide, free ? a->wide + p->dK : NULL,
                               a->scratch);
    spd_tied_gather(&a->B, p, a->wide, Ht);
    for (int64_t i = 0; i < a->B.size; i++) Ht[i] += a->Q[i] * t[i];
}

static void iterate_groups(spd_chain_alm *a, const spd_chain_point *at, double tolerance, double *t, int64_t *passes) {
    const product c = {a, at->curve};
    spd_tied_diagonal(&a->B, a->p, at->curve, a->diagonal, a->cg);
    for (int64_t i = 0; i < a->B.size; i++) a->diagonal[i] += a->Q[i];
    gather(a, at->CR, a->rhs);
    memset(t, 0, (size_t)a->B.size * sizeof *t);
    *passes += 1 + 2 * spd_cg_solve(&(spd_cg){.apply = apply,
                                              .context = &c,
                                              .diagonal = a->diagonal,
                                              .tolerance = tolerance,
                                              .most = CG_MOST,
                                              .stop = a->stop},
                                    a->B.size, a->rhs, t, a->cg);
}

/* ---- one unknown for each row */
static double weight(const spd_chain_alm *a, const spd_chain_point *at, int64_t i) {
    return sqrt(spd_problem_share(a->p, i) * at->curve[i]);
}

/* M += e A B Q^-1 (A B)'e by a dense A B. */
static void add_dense(spd_chain_alm *a, const spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, s = a->B.size;
    for (int64_t i = 0; i < n; i++) {
        double *out = a->M_work + i * s;
        spd_row row;
        spd_problem_row(p, i, &row);
        spd_tied_gather_row(&a->B, p, row.val, out);
        if (p->intercept) out[s - 1] = 1;
        for (int64_t g = 0; g < s; g++) out[g] *= weight(a, at, i) / sqrt(a->Q[g]);
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)s, 1, a->M_work, (int)s, 1, a->M, (int)n);
}

/* A B by groups: rows member[begin .. end), ascending, with their values times e. */
typedef struct columns {
    double *value;
    int32_t *member, *begin, *end;
} columns;

static columns sort_by_groups(spd_chain_alm *a, const spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    columns c = {.value = a->M_work, .member = (int32_t *)(void *)(a->M_work + p->nnz)};
    c.begin = c.member + p->nnz;
    c.end = c.begin + a->B.size;
    memset(c.end, 0, (size_t)a->B.size * sizeof *c.end);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < p->n; i++) {
            spd_row row;
            spd_problem_row(p, i, &row);
            const double e = weight(a, at, i);
            for (int64_t q = 0; q < row.nnz; q++) {
                const int32_t g = a->B.label[row.idx[q]];
                if (g < 0) continue;
                const bool same = pass == 1 && c.end[g] > c.begin[g] && c.member[c.end[g] - 1] == i;
                const int32_t place = same ? c.end[g] - 1 : c.end[g]++;
                if (pass == 0) continue;
                c.member[place] = (int32_t)i;
                c.value[place] = (same ? c.value[place] : 0) + e * a->B.coef[row.idx[q]] * row.val[q];
            }
        }
        for (int64_t g = 0, total = 0; g < a->B.size && pass == 0; g++) {
            const int32_t count = c.end[g];
            c.begin[g] = c.end[g] = (int32_t)total;
            total += count;
        }
    }
    return c;
}

/* The same by a sparse A B. */
static void add_sparse(spd_chain_alm *a, const spd_chain_point *at) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, groups = a->B.size - (p->intercept ? 1 : 0);
    const columns c = sort_by_groups(a, at);
    for (int64_t g = 0; g < groups; g++)
        for (int32_t r = c.begin[g]; r < c.end[g]; r++) {
            double *row = a->M + c.member[r] * n;
            const double v = c.value[r] / a->Q[g];
            for (int32_t o = c.begin[g]; o <= r; o++) row[c.member[o]] += v * c.value[o];
        }
    for (int64_t i = 0; i < n && p->intercept; i++) {
        const double v = weight(a, at, i) / a->Q[groups];
        for (int64_t o = 0; o <= i; o++) a->M[i * n + o] += v * weight(a, at, o);
    }
}

static bool factor_rows(spd_chain_alm *a, const spd_chain_point *at, double *t) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n;
    double *s = a->dz;
    memset(a->M, 0, (size_t)(n * n) * sizeof *a->M);
    if (spd_problem_full(p))
        add_dense(a, at);
    else
        add_sparse(a, at);
    for (int64_t i = 0; i < n; i++) {
        a->M[i * n + i] += 1;
        s[i] = weight(a, at, i) * at->R[i];
    }
    if (spd_stop_now(a->stop) || !spd_cholesky(n, a->M)) return false;
    spd_cholesky_solve(n, a->M, s);
    for (int64_t i = 0; i < n; i++) /* e s as an alpha: the adjoint multiplies by w/W */
        s[i] = spd_problem_share(p, i) > 0 ? s[i] * sqrt(at->curve[i] / spd_problem_share(p, i)) : 0;
    gather(a, s, t);
    for (int64_t g = 0; g < a->B.size; g++) t[g] /= a->Q[g];
    return true;
}

bool spd_chain_system_solve(spd_chain_alm *a, const spd_chain_point *at, double tolerance, int64_t *passes) {
    const spdhg_problem *p = a->p;
    double *t = a->rhs;
    if (a->B.size == 0) { /* u is held everywhere */
        memcpy(a->dz, at->R, (size_t)(p->n * p->K) * sizeof *a->dz);
        return true;
    }
    *passes += 3;
    if (by_rows(p) && p->n < a->B.size) {
        if (!factor_rows(a, at, t)) return false;
    } else if (a->B.size <= a->most) {
        if (!factor_groups(a, at, t)) return false;
    } else
        iterate_groups(a, at, tolerance, t = a->solution, passes);
    spd_tied_expand(&a->B, p, t, a->step);
    spd_problem_products(p, a->threads, a->step, a->dz);
    if (p->intercept) spd_problem_shift(p, a->step + p->dK, a->dz);
    for (int64_t q = 0; q < p->n * p->K; q++) a->dz[q] = at->R[q] - a->dz[q];
    return true;
}

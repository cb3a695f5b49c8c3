/* admm_system.c - the x-step of the exact ADMMs, for K outputs at once:
 *     ( diag(h) + rho F'F ) x = b
 * Rows of F with one entry are part of the diagonal. A feature in no longer row is x = b/diagonal. The other features, N the
 * longer rows, are eliminated if N is like a star (star_system.c). Otherwise conjugate gradients start at the previous x: as h =
 * 1/eta grows, the condition number, at most 1 + rho eta ||N||^2, falls to 1, and a few products with N and N' suffice.
 * A few rows with many entries, U', are part of the preconditioner:
 *     (D + rho U U')^{-1} = D^{-1} - D^{-1}U (1/rho + U'D^{-1}U)^{-1} U'D^{-1}
 * where D is the diagonal without them. If the features are few compared with the entries of N, rho N'N is written out. If h is
 * constant too, it is decomposed once:
 *     rho F'F = Q'diag(e)Q,   x = Q'( Qb/(h + e) ) */
#include "admm/admm.h"
#include "problem/rows.h"

/* A number of a full matrix costs about a tenth of an entry of N in products with N and N'. Eigenvectors of more features than
 * FULL_MOST would cost more than a run. */
enum { FULL_SHARE = 10, FULL_MOST = 1000 };

/* More heavy rows than this do not count as few. */
enum { HEAVIES_MOST = 64 };

/* Counts the rows with several entries, the heavy ones among them, and the entries. */
static void count_long(const spdhg_problem *p, int64_t *rows, int64_t *heavies, int64_t *entries) {
    *rows = *heavies = *entries = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (r.row.n > 1) {
            *rows += 1;
            *heavies += spd_csr_is_heavy(&r.term->F->F, r.e);
            *entries += r.row.n;
        }
}

void spd_admm_system_layout(spd_run *run, spd_admm_system *s, bool uniform) {
    const spdhg_problem *p = run->problem;
    int64_t rows, heavies, entries;
    count_long(p, &rows, &heavies, &entries);
    const int64_t most = entries < p->d ? entries : p->d, size = most * p->K;
    s->full = (uniform || p->K == 1) && most <= FULL_MOST && most * most <= FULL_SHARE * entries;
    if (s->full || heavies > HEAVIES_MOST || p->K > 1) heavies = 0;
    s->spectral = s->full && uniform;
    s->N.ptr = spd_arena_int64(&run->state, rows + 1);
    s->N.idx = spd_arena_int32(&run->state, entries);
    s->N.val = spd_arena_take(&run->state, entries);
    s->touched = spd_arena_int32(&run->state, most);
    s->single = spd_arena_take(&run->state, p->d);
    s->heavy = spd_arena_int32(&run->state, heavies);
    s->heavies = heavies;
    s->gram = spd_arena_take(&run->state, most);
    s->Q = spd_arena_take(&run->state, s->full ? most * most : 0);
    s->e = spd_arena_take(&run->state, s->spectral ? most : 0);
    s->h = spd_arena_take(&run->work, p->dK);
    s->b = spd_arena_take(&run->work, p->dK);
    s->place = spd_arena_int32(&run->work, p->d);
    s->Np = spd_arena_take(&run->work, rows * p->K);
    s->x = spd_arena_take(&run->work, size);
    s->right = spd_arena_take(&run->work, size);
    s->fixed = spd_arena_take(&run->work, size);
    s->diagonal = spd_arena_take(&run->work, size);
    s->G = spd_arena_take(&run->work, heavies * heavies);
    s->t = spd_arena_take(&run->work, heavies);
    s->spread = spd_arena_take(&run->work, heavies > 0 ? most : 0);
    s->starlike = !s->full && p->K == 1; /* decided at the start */
    if (s->starlike) spd_star_system_layout(&s->star, &run->state, &run->work, rows, most, entries);
    s->scratch = spd_arena_take(&run->work, s->spectral && spd_eigen_work(most) > 4 * size ? spd_eigen_work(most) : 4 * size);
}

/* A row with one entry is added to the diagonal. */
static void add_single(spd_admm_system *s, int64_t j, double value) { s->single[j] += s->rho * value * value; }

/* A longer row is added to N, whose columns are numbered in order of first occurrence. */
static void add_long(spd_admm_system *s, const spd_csr_row *row, bool heavy) {
    int64_t at = s->N.ptr[s->N.m];
    if (heavy) s->heavy[s->met++] = (int32_t)s->N.m;
    for (int64_t q = 0; q < row->n; q++, at++) {
        const int32_t j = row->idx[q];
        if (s->place[j] < 0) {
            s->place[j] = (int32_t)s->N.n;
            s->touched[s->N.n++] = j;
        }
        s->N.idx[at] = s->place[j];
        s->N.val[at] = row->val[q];
        if (!heavy) s->gram[s->place[j]] += s->rho * row->val[q] * row->val[q];
    }
    s->N.ptr[++s->N.m] = at;
}

/* Q and e of rho F'F in place of rho N'N; if LAPACK fails, conjugate gradients as if h were not constant. */
static void decompose(spd_admm_system *s) {
    for (int64_t i = 0; i < s->N.n; i++) s->Q[i * s->N.n + i] += s->single[s->touched[i]];
    s->spectral = spd_eigen(s->N.n, s->Q, s->e, s->scratch);
    s->full = s->spectral;
}

void spd_admm_system_start(spd_admm_system *s, const spd_run *run, double rho, double tolerance) {
    const spdhg_problem *p = run->problem;
    s->problem = p;
    s->stop = run->stop;
    s->rho = rho;
    s->tolerance = tolerance;
    s->N.m = s->N.n = s->met = 0;
    for (int64_t j = 0; j < p->d; j++) s->place[j] = -1;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        if (r.row.n > 1)
            add_long(s, &r.row, s->heavies > 0 && spd_csr_is_heavy(&r.term->F->F, r.e));
        else if (r.row.n == 1)
            add_single(s, r.row.idx[0], r.row.val[0]);
    if (s->full) spd_csr_add_gram(&s->N, 1, rho, s->N.n, s->Q); /* Q is 0 at the start, as all state */
    if (s->spectral) decompose(s);
    if (s->starlike) s->starlike = spd_star_system_start(&s->star, &s->N, rho);
}

static void gather(const spd_admm_system *s, const double *wide, double *narrow) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->N.n; i++)
        for (int64_t k = 0; k < K; k++) narrow[i * K + k] = wide[s->touched[i] * K + k];
}

static void scatter(const spd_admm_system *s, const double *narrow, double *wide) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->N.n; i++)
        for (int64_t k = 0; k < K; k++) wide[s->touched[i] * K + k] = narrow[i * K + k];
}

/* Ax = (h + single) x + rho N'(N x) */
static void apply(const void *context, const double *x, double *Ax) {
    const spd_admm_system *s = context;
    const int64_t K = s->problem->K;
    if (s->full) {
        spd_symmetric_apply(s->N.n, s->Q, x, Ax);
        for (int64_t q = 0; q < s->N.n; q++) Ax[q] += s->fixed[q] * x[q];
        return;
    }
    for (int64_t q = 0; q < s->N.n * K; q++) Ax[q] = s->fixed[q] * x[q];
    spd_csr_apply(&s->N, K, x, s->Np);
    spd_scale(s->N.m * K, s->rho, s->Np);
    spd_csr_apply_transposed(&s->N, K, s->Np, Ax);
}

/* G: the factor of 1/rho + U'D^{-1}U; false if it does not exist or no row is heavy. */
static bool factor_heavy(spd_admm_system *s) {
    const spd_csr *N = &s->N;
    const int64_t r = s->heavies;
    if (r == 0) return false;
    memset(s->spread, 0, (size_t)N->n * sizeof *s->spread);
    for (int64_t a = 0; a < r; a++) {
        const int64_t i = s->heavy[a];
        for (int64_t q = N->ptr[i]; q < N->ptr[i + 1]; q++) s->spread[N->idx[q]] = N->val[q] / s->diagonal[N->idx[q]];
        for (int64_t b = 0; b <= a; b++) {
            double sum = a == b ? 1 / s->rho : 0;
            for (int64_t q = N->ptr[s->heavy[b]]; q < N->ptr[s->heavy[b] + 1]; q++) sum += N->val[q] * s->spread[N->idx[q]];
            s->G[a * r + b] = sum;
        }
        for (int64_t q = N->ptr[i]; q < N->ptr[i + 1]; q++) s->spread[N->idx[q]] = 0;
    }
    return spd_cholesky(r, s->G);
}

/* z = (D + rho U U')^{-1} right */
static void precondition(const void *context, const double *right, double *z) {
    const spd_admm_system *s = context;
    const spd_csr *N = &s->N;
    for (int64_t j = 0; j < N->n; j++) z[j] = right[j] / s->diagonal[j];
    for (int64_t a = 0; a < s->heavies; a++) {
        const int64_t first = N->ptr[s->heavy[a]];
        s->t[a] = spd_gather_dot(N->ptr[s->heavy[a] + 1] - first, N->idx + first, N->val + first, z);
    }
    spd_cholesky_solve(s->heavies, s->G, s->t);
    for (int64_t a = 0; a < s->heavies; a++)
        for (int64_t q = N->ptr[s->heavy[a]]; q < N->ptr[s->heavy[a] + 1]; q++)
            z[N->idx[q]] -= s->t[a] * N->val[q] / s->diagonal[N->idx[q]];
}

static void solve_iteratively(spd_admm_system *s) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->N.n; i++)
        for (int64_t q = i * K; q < (i + 1) * K; q++) s->diagonal[q] = s->fixed[q] + s->gram[i];
    const spd_cg cg = {.apply = apply,
                       .context = s,
                       .diagonal = s->diagonal,
                       .precondition = factor_heavy(s) ? precondition : NULL,
                       .tolerance = s->tolerance,
                       .most = 1000,
                       .stop = s->stop};
    spd_cg_solve(&cg, s->N.n * K, s->right, s->x, s->scratch);
}

static void solve_spectrally(spd_admm_system *s) {
    const int64_t n = s->N.n, K = s->problem->K;
    double *one = s->scratch, *turned = one + n;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t i = 0; i < n; i++) one[i] = s->right[i * K + k];
        spd_square_apply(n, s->Q, false, one, turned);
        for (int64_t i = 0; i < n; i++) turned[i] /= s->h[0] + s->e[i];
        spd_square_apply(n, s->Q, true, turned, one);
        for (int64_t i = 0; i < n; i++) s->x[i * K + k] = one[i];
    }
}

SPD_WIDE static void divide(int64_t d, const double *b, const double *h, const double *single, double *x) {
    for (int64_t j = 0; j < d; j++) x[j] = b[j] / (h[j] + single[j]);
}

static void fix(spd_admm_system *s) {
    const int64_t K = s->problem->K;
    for (int64_t i = 0; i < s->N.n; i++)
        for (int64_t k = 0, j = s->touched[i]; k < K; k++) s->fixed[i * K + k] = s->h[j * K + k] + s->single[j];
}

void spd_admm_system_solve(spd_admm_system *s, double *x) {
    const spdhg_problem *p = s->problem;
    gather(s, s->b, s->right);
    if (!s->spectral) fix(s);
    if (s->spectral)
        solve_spectrally(s);
    else if (!s->starlike || !spd_star_system_solve(&s->star, s->fixed, s->right, s->x)) {
        gather(s, x, s->x); /* the start */
        solve_iteratively(s);
    }
    if (p->K == 1) divide(p->d, s->b, s->h, s->single, x);
    for (int64_t q = 0; q < p->dK && p->K > 1; q++) x[q] = s->b[q] / (s->h[q] + s->single[q / p->K]);
    scatter(s, s->x, x);
}

/* fgp.c - accelerated projected gradient on the dual problem, for signals: squared loss, one entry in each row of A, so that
 * f = sum_j q_j (x_j - m_j)^2 / 2 + constant. For groups of differences on large grids (isotropic total variation).
 *
 *   x       = Pi_X( m - Q^-1 F'u^k )
 *   y^{k+1} = Pi_{lambda Y}( u^k + S F x )
 *   u^{k+1} = y^{k+1} + (t_k - 1)/t_{k+1} (y^{k+1} - y^k)
 *   t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2
 *   t_{k+1} = 1 and u^{k+1} = y^{k+1} where <S^-1 (u^k - y^{k+1}), y^{k+1} - y^k> > 0: the momentum points uphill
 *   S:        s_e = 1 / sum_j |F_ej| c_j / q_j,   c_j = sum_e |F_ej|,   the least of each block: ||S^1/2 F Q^-1/2|| <= 1
 *   Output Pi_X( m - Q^-1 F'y ), y: the gap falls like 1/k^2 */
#include "primal_dual/primal_dual.h"
#include "problem/rows.h"

enum { LOOKS = 50, PAIRS_MOST = 4 }; /* steps before a proof is worth its cost; differences at one pixel */

typedef struct fgp {
    double *y, *u, *t;     /* state */
    double *g;             /* state: F'u */
    double *q, *m;         /* work, constant: d x K */
    double *s;             /* work, constant: one for each row of F */
    double *x, *columns;   /* work */
    double *part, *term;   /* work: a block of y; the penalties */
    double *gradient_work; /* work of the gradient */
    double *projection;    /* work of X */
} fgp;

/* Whether every column has curvature. */
static bool is_curved(const spdhg_problem *p) {
    int64_t covered = 0;
    if (p->gamma > 0) return true;
    bool *seen = SPD_NEW(bool, p->d);
    for (int64_t i = 0; seen && i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        if (row.nnz != 1 || row.val[0] == 0 || !(spd_problem_share(p, i) > 0)) continue;
        const int64_t j = row.idx ? row.idx[0] : 0;
        covered += !seen[j];
        seen[j] = true;
    }
    spd_free(seen);
    return covered == p->d;
}

static const char *refuses(const spdhg_problem *p) {
    if (!spd_loss_is_square(p->loss)) return "it works for the squared loss only";
    if (!p->set.kind->separable) return "it works for the sets all, box and nonneg";
    if (p->intercept) return "it works without an intercept only; use --no-intercept";
    if (!spd_problem_is_signal(p)) return "it works for signals: data with one entry in each row";
    return is_curved(p) ? NULL : "every coefficient needs a row of the data, or --gamma";
}

static void layout(spd_run *run) {
    fgp *a = run->self;
    const spdhg_problem *p = run->problem;
    int64_t largest = 1;
    for (int64_t t = 0; t < p->terms; t++) largest = largest > p->term[t].largest ? largest : p->term[t].largest;
    a->y = spd_arena_take(&run->state, p->m * p->K);
    a->u = spd_arena_take(&run->state, p->m * p->K);
    a->t = spd_arena_take(&run->state, 1);
    a->g = spd_arena_take(&run->state, p->dK);
    double **const column[] = {&a->q, &a->m, &a->x, &a->projection};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++) *column[i] = spd_arena_take(&run->work, p->dK);
    a->s = spd_arena_take(&run->work, p->m);
    a->part = spd_arena_take(&run->work, largest * p->K);
    a->columns = spd_arena_take(&run->work, p->d);
    a->term = spd_arena_take(&run->work, spd_problem_term_work(p));
    a->gradient_work = spd_arena_take(&run->work, spd_problem_gradient_work(p) + 2 * p->n * p->K);
}

/* Q from the curvatures of the rows, m from the gradient at 0. */
static void find_columns(spd_run *run, fgp *a) {
    const spdhg_problem *p = run->problem;
    double *curve = a->gradient_work + spd_problem_gradient_work(p), *z = curve + p->n * p->K;
    memset(a->x, 0, (size_t)p->dK * sizeof *a->x);
    spd_problem_scores(p, run->threads, a->x, z);
    spd_problem_losses(p, run->threads, &(spd_scores){.z = z}, z, curve, a->gradient_work);
    spd_problem_adjoint(p, run->threads, z, a->m, NULL, a->gradient_work);
    spd_problem_curvature_diagonal(p, run->threads, curve, a->q, a->gradient_work);
    for (int64_t i = 0; i < p->dK; i++) {
        a->q[i] += p->gamma;
        a->m[i] = -a->m[i] / a->q[i];
    }
}

static void find_steps(const spdhg_problem *p, fgp *a) {
    double *c = a->columns;
    memset(c, 0, (size_t)p->d * sizeof *c);
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);)
        for (int64_t i = 0; i < r.row.n; i++) c[r.row.idx[i]] += fabs(r.row.val[i]);
    for (int64_t j = 0; j < p->d; j++) {
        double least = INFINITY;
        for (int64_t k = 0; k < p->K; k++) least = fmin(least, a->q[j * p->K + k]);
        c[j] /= least;
    }
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        double sum = 0;
        for (int64_t i = 0; i < r.row.n; i++) sum += fabs(r.row.val[i]) * c[r.row.idx[i]];
        a->s[r.number] = sum > 0 ? 1 / sum : INFINITY;
    }
    for (int64_t t = 0; t < p->terms; t++)
        for (int64_t b = 0; b < p->term[t].blocks; b++) {
            double *s = a->s + p->term[t].first / p->K, least = INFINITY;
            const int64_t rows = spd_term_block_rows(&p->term[t], b);
            for (int64_t r = 0; r < rows; r++) least = fmin(least, s[spd_term_block_row(&p->term[t], b, r)]);
            for (int64_t r = 0; r < rows; r++) s[spd_term_block_row(&p->term[t], b, r)] = isfinite(least) ? least : 0;
        }
}

/* No momentum: u = y. */
static void stand(fgp *a, const spdhg_problem *p) {
    *a->t = 1;
    memcpy(a->u, a->y, (size_t)(p->m * p->K) * sizeof *a->y);
    memset(a->g, 0, (size_t)p->dK * sizeof *a->g);
    spd_problem_add_transposed(p, a->u, a->g);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    fgp *a = run->self;
    const spdhg_problem *p = run->problem;
    spd_run_clear(run);
    spd_run_take(run, x0, c0, y0, a->x, a->columns, a->y, a->term);
    stand(a, p);
    find_columns(run, a);
    find_steps(p, a);
}

/* x = Pi_X( m - Q^-1 g ) */
static void find_x(const fgp *a, const spdhg_problem *p, const double *g, double *x) {
    for (int64_t i = 0; i < p->dK; i++) x[i] = a->m[i] - g[i] / a->q[i];
    p->set.kind->project(p->dK, p->set.arg, x, a->projection);
}

/* y, u and g of one block, in one pass over its rows. Returns its share of <S^-1 (u^k - y^{k+1}), y^{k+1} - y^k>. */
static double advance(fgp *a, const spd_term *t, int64_t K, int64_t rows, const int64_t *row, int64_t first, double momentum) {
    const double *s = a->s + t->first / K;
    double *y = a->y + t->first, *u = a->u + t->first, uphill = 0;
    spd_csr_row F;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t e = row ? row[r] : first + r;
        spd_csr_take(&t->F->F, e, &F);
        for (int64_t k = 0; k < K; k++) {
            double z = 0;
            for (int64_t i = 0; i < F.n; i++) z += F.val[i] * a->x[F.idx[i] * K + k];
            a->part[r * K + k] = u[e * K + k] + s[e] * z;
        }
    }
    t->penalty->project(t->penalty, rows, K, t->lambda, a->part, a->term);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t e = row ? row[r] : first + r;
        spd_csr_take(&t->F->F, e, &F);
        for (int64_t k = 0; k < K; k++) {
            const int64_t at = e * K + k;
            const double now = a->part[r * K + k], move = now - y[at];
            if (s[e] > 0) uphill += (u[at] - now) * move / s[e];
            y[at] = now;
            u[at] = now + momentum * move;
            for (int64_t i = 0; i < F.n; i++) a->g[F.idx[i] * K + k] += F.val[i] * u[at];
        }
    }
    return uphill;
}

/* The same for all blocks of a term, where a block is a few differences of two coefficients and its penalty their length. */
static double advance_pairs(fgp *a, const spd_term *t, double momentum) {
    const double *s = a->s + t->first, *val = t->F->F.val, *x = a->x, lambda = t->lambda;
    const int32_t *idx = t->F->F.idx;
    double *y = a->y + t->first, *u = a->u + t->first, *g = a->g, uphill = 0;
    for (int64_t b = 0; b < t->blocks; b++) {
        const int64_t *row = t->block_row + t->block_ptr[b], rows = t->block_ptr[b + 1] - t->block_ptr[b];
        double part[PAIRS_MOST], square = 0, up = 0;
        for (int64_t r = 0; r < rows; r++) {
            const int64_t e = row[r];
            part[r] = u[e] + s[e] * (val[2 * e] * x[idx[2 * e]] + val[2 * e + 1] * x[idx[2 * e + 1]]);
            square += part[r] * part[r];
        }
        const double factor = square > lambda * lambda ? lambda / sqrt(square) : 1;
        for (int64_t r = 0; r < rows; r++) {
            const int64_t e = row[r];
            const double now = part[r] * factor, move = now - y[e];
            up += (u[e] - now) * move;
            y[e] = now;
            u[e] = now + momentum * move;
            g[idx[2 * e]] += val[2 * e] * u[e];
            g[idx[2 * e + 1]] += val[2 * e + 1] * u[e];
        }
        if (rows > 0 && s[row[0]] > 0) uphill += up / s[row[0]];
    }
    return uphill;
}

/* Squares of numbers near lambda neither overflow nor vanish. */
static bool is_short_pairs(const spd_term *t, int64_t K) {
    return K == 1 && t->pairs && t->block_ptr && t->penalty->length && t->largest <= PAIRS_MOST && t->lambda > 1e-100 &&
           t->lambda < 1e100;
}

static spd_step step(spd_run *run, int64_t k, const spd_batch *batch) {
    (void)batch;
    fgp *a = run->self;
    const spdhg_problem *p = run->problem;
    const double next = 0.5 * (1 + sqrt(1 + 4 * *a->t * *a->t)), momentum = (*a->t - 1) / next;
    double uphill = 0;
    find_x(a, p, a->g, a->x);
    memset(a->g, 0, (size_t)p->dK * sizeof *a->g);
    for (const spd_term *t = p->term; t < p->term + p->terms; t++) {
        const bool pairs = is_short_pairs(t, p->K);
        if (pairs) uphill += advance_pairs(a, t, momentum);
        for (int64_t b = 0; b < t->blocks && !pairs; b++) {
            const int64_t *row = t->block_ptr ? t->block_row + t->block_ptr[b] : NULL;
            const int64_t rows = t->block_ptr ? t->block_ptr[b + 1] - t->block_ptr[b] : t->blocks == t->m ? 1 : t->m;
            uphill += advance(a, t, p->K, rows, row, b, momentum);
        }
    }
    *a->t = next;
    if (uphill > 0) stand(a, p);
    run->rows_visited += p->n;
    run->far = k + 1 < LOOKS;
    return SPD_CONTINUE;
}

static void output(const spd_run *run, double *x, double *c, double *y) {
    const fgp *a = run->self;
    const spdhg_problem *p = run->problem;
    memset(a->x, 0, (size_t)p->dK * sizeof *x);
    spd_problem_add_transposed(p, a->y, a->x);
    find_x(a, p, a->x, x);
    memset(c, 0, (size_t)p->K * sizeof *c);
    memcpy(y, a->y, (size_t)(p->m * p->K) * sizeof *y);
}

const spd_solver_kind spd_solver_fgp = {
    .name = "fgp",
    .what = "accelerated projected gradient on the dual, for signals; isotropic total variation of large images",
    .reference = "Beck, Teboulle: Fast gradient-based algorithms for constrained total variation image denoising, IEEE TIP 2009",
    .full_information = true,
    .exact = true,
    .self_size = sizeof(fgp),
    .refuses = refuses,
    .layout = layout,
    .start = start,
    .step = step,
    .output = output};

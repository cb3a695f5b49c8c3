/* face.c - the last digits of x. Once the zeros of F x are known, f is smooth near the minimiser on the face
 *     { x : (F x)_Z = 0 }
 * and Newton's method there is accurate to rounding, while a duality gap of 1e-12 leaves x with an error of about 1e-6. Z
 * consists of the blocks whose dual is strictly inside its ball and of the blocks that are already 0. This is tried if a few
 * dozen passes over the data are cheap. Without a penalty (ridge alone, or lambda = 0) the face is the whole space and nothing is
 * guessed; it is then also tried if it costs a fraction of the run, such as one more Newton step. */
#include "face/face.h"
#include "face/answer.h"
#include "face/zeros.h"

enum { PASSES_MOST = 1000, PASSES_LEAST = 20, SMOOTH_LEAST = 6, TURNS_MOST = 20 };
static const double ANY_RUN = 4e6,
                    MANY_DIGITS = 2e8; /* multiplications to spend; the second when the tolerance is below DIGITS */
static const double DIGITS = 1e-9;
static const double OF_THE_RUN = 1.0 / 3; /* of the run's multiplications that may be spent without a penalty */

static bool smooth(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++)
        if (p->term[t].lambda > 0) return false;
    return true;
}

/* How Z is guessed from F x: a block counts as zero if it is at most `tiny` relative to the largest coefficient, or at most
 * `small` relative to the largest block and its dual is strictly inside its ball. */
typedef struct reading {
    double small, tiny;
} reading;

static void find_zeros(spd_face *f, const double *x, const double *y, reading how) {
    const spdhg_problem *p = f->p;
    const int64_t mK = p->m * p->K;
    double *open = f->dir, *present = f->far;
    memset(open, 0, (size_t)mK * sizeof *open);
    memset(present, 0, (size_t)mK * sizeof *present);
    spd_problem_apply(p, x, f->Fx);
    spd_zeros_of_dual(p, y, SPD_STRICTLY, open, f->work);
    if (isfinite(how.small)) spd_zeros_of_primal(p, f->Fx, (spd_small){.relative = how.small}, open, f->work);
    spd_zeros_of_primal(p, f->Fx, (spd_small){.absolute = how.tiny * spd_max_abs(p->dK, x)}, present, f->work);
    for (int64_t i = 0; i < mK; i++) f->zero[i] = open[i] == 0 || present[i] == 0;
    for (int64_t t = 0; t < p->terms; t++) /* with lambda = 0 there is no kink, and no row is held at 0 */
        for (int64_t i = 0; i < p->term[t].m * p->K && p->term[t].lambda == 0; i++) f->zero[p->term[t].first + i] = true;
}

static void free_bases(spd_face *f) {
    for (int64_t k = 0; k < f->p->K; k++) spd_nullspace_free(&f->null[k]);
}

/* N of every output. SPDHG_USAGE: too costly. */
static spdhg_status make_bases(spd_face *f, double most, spdhg_error *err) {
    const spdhg_problem *p = f->p;
    bool *counts = SPD_NEW(bool, p->m);
    spdhg_status status = counts ? SPDHG_OK : spd_fail_memory(err, (double)p->m);
    free_bases(f);
    f->unknowns = p->intercept ? p->K : 0;
    for (int64_t k = 0; k < p->K && status == SPDHG_OK; k++) {
        for (int64_t e = 0; e < p->m; e++) counts[e] = f->zero[e * p->K + k];
        status = spd_nullspace_new(&f->null[k], p, counts, most, err);
        f->unknowns += f->null[k].k;
    }
    spd_free(counts);
    return status;
}

/* Tries one guess of Z, to which parts of F x that would change direction are added. */
static spdhg_status try_zeros(const spd_answer *a, spd_face *f, double most, bool *kept, spdhg_error *err) {
    const spdhg_problem *p = f->p;
    bool turned = true, better = false;
    memcpy(f->x, a->x, (size_t)p->dK * sizeof *f->x);
    memcpy(f->c, a->c, (size_t)p->K * sizeof *f->c);
    for (int turn = 0; turn < TURNS_MOST && turned && !spd_stop_now(f->stop); turn++) {
        spdhg_error too_costly;
        const spdhg_status status = make_bases(f, most, &too_costly);
        if (status == SPDHG_USAGE) return SPDHG_OK;
        if (status != SPDHG_OK) return spd_fail(err, status, "%s", too_costly.message);
        spd_face_project(f);
        better = spd_face_minimise(f, &turned);
    }
    if (!better || !spd_all_finite(p->dK, f->best_x)) return SPDHG_OK;
    return a->propose(a->context, f->best_x, f->best_c, kept, err);
}

static spdhg_status try_readings(const spd_answer *a, spd_face *f, double most, spdhg_error *err) {
    static const reading all[] = {{INFINITY, 1e-8}, {INFINITY, 0}, {1e-3, 0}, {1e-6, 0}}; /* the most zeros first */
    bool kept = false;
    if (spd_stop_now(f->stop)) return SPDHG_OK;
    const size_t readings = smooth(f->p) ? 1 : sizeof all / sizeof *all; /* no zeros to guess */
    for (size_t i = 0; i < readings && !kept && *f->passes > 0 && !spd_stop_now(f->stop); i++) {
        find_zeros(f, a->x, a->y, all[i]);
        SPD_TRY(try_zeros(a, f, most, &kept, err));
    }
    if (!kept) a->keep_old(a->context, f->c);
    return SPDHG_OK;
}

/* Entries that one pass reads. */
static double cost(const spdhg_problem *p) {
    double sum = (double)p->nnz + (double)p->n;
    for (int64_t t = 0; t < p->terms; t++) sum += (double)(spd_csr_nnz(&p->term[t].F->F) + p->term[t].m);
    return 4 * (double)p->K * sum;
}

/* Penalties with isolated corners, or a set X, have no such face. */
static bool has_faces(const spdhg_problem *p) {
    bool good = p->set.kind->whole;
    for (int64_t t = 0; t < p->terms; t++) good = good && p->term[t].penalty->zeros != SPDHG_ZEROS_NONE;
    return good;
}

/* Zeros of rows with more than two entries come from here alone: exact_zeros.c joins coordinates in pairs. */
static bool wide_rows(const spdhg_problem *p) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_csr *F = &p->term[t].F->F;
        if (spd_csr_nnz(F) > 2 * F->m) return true;
    }
    return false;
}

/* Multiplications that may be spent; 0: too few to be worth trying. *n: unknowns of a dense factor; 0: a factor does not pay off
 * or is too expensive. */
static double budget(const spd_answer *a, double tol, int64_t *n) {
    const spdhg_problem *p = a->p;
    const double any = tol > 0 && tol >= DIGITS && !wide_rows(p) ? ANY_RUN : MANY_DIGITS, pass = cost(p);
    if (!smooth(p)) return any >= PASSES_LEAST * pass ? any : 0;
    const double factor = spd_face_dense_cost(p, (double)spd_problem_normal_size(p)),
                 most = fmax(any, OF_THE_RUN * (a->passes * pass + a->factors * factor));
    if (most < factor + SMOOTH_LEAST * pass) *n = 0;
    return *n > 0 || most >= PASSES_LEAST * pass ? most : 0;
}

spdhg_status spd_answer_last_digits(const spd_answer *a, double tol, spdhg_error *err) {
    const spdhg_problem *p = a->p;
    if (!has_faces(p)) return SPDHG_OK;
    const int64_t dK = p->dK, K = p->K, mK = p->m * K;
    int64_t n = spd_face_dense_size(p, cost(p)); /* 0: with products only */
    const double most = budget(a, tol, &n);
    if (most == 0) return SPDHG_OK;
    int left = (int)fmin(most / cost(p), PASSES_MOST);
    spd_face f = {.p = p, .threads = a->threads, .passes = &left, .stop = a->stop, .pass = cost(p), .dense = n > 0};
    struct {
        double **place;
        int64_t size;
    } const array[] = {{&f.x, dK},
                       {&f.c, K},
                       {&f.best_x, dK},
                       {&f.best_c, K},
                       {&f.Fx, mK},
                       {&f.dir, mK},
                       {&f.far, mK},
                       {&f.g, dK},
                       {&f.along, dK},
                       {&f.part, p->d},
                       {&f.gc, K},
                       {&f.u, dK + K},
                       {&f.curve, p->n * K},
                       {&f.step, 5 * (dK + K)},
                       {&f.score, p->n * K},
                       {&f.alpha, p->n * K},
                       {&f.H, 2 * n * n},
                       {&f.M, n * n},
                       {&f.normal, n > 0 ? spd_problem_normal_work(p, a->threads) : 0},
                       {&f.scratch, spd_problem_gradient_work(p) + spd_problem_blocks(p) * (1 + K)},
                       {&f.work, spd_problem_term_work(p)}};
    enum { ARRAYS = sizeof array / sizeof *array };
    f.zero = SPD_NEW(bool, mK);
    f.null = SPD_NEW(spd_nullspace, K);
    bool good = f.zero && f.null;
    for (int i = 0; i < ARRAYS; i++) good = (*array[i].place = SPD_NEW(double, array[i].size)) && good;
    const spdhg_status status = good ? try_readings(a, &f, most, err) : spd_fail_memory(err, 80.0 * (double)(dK + mK));
    for (int i = 0; i < ARRAYS; i++) spd_free(*array[i].place);
    if (f.null) free_bases(&f);
    spd_free(f.null);
    spd_free(f.zero);
    return status;
}

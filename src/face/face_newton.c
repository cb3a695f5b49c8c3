/* face_newton.c - Newton's method on a face, x = N u and c free:
 *     N'(grad l(x) + gamma x + F'lambda r'(F x)) = 0
 * where r' is constant (l1) or smooth (group) on the face. Every step uses conjugate gradients with products only, or a factor
 * that is reused as long as it gains two digits a step. The next gradient is computed at x itself, so that rounding errors of
 * steps do not accumulate. */
#include "face/face.h"

enum { STEPS_MOST = 8 };
static const double SLOW = 1e-2; /* relative gradient left by a step above which the factor is renewed */

static void expand(const spd_face *f, const double *u, double *x) {
    const int64_t K = f->p->K;
    for (int64_t k = 0; k < K; u += f->null[k++].k) {
        spd_csr_apply(&f->null[k].N, 1, u, f->part);
        for (int64_t j = 0; j < f->p->d; j++) x[j * K + k] = f->part[j];
    }
}

static void gather(const spd_face *f, const double *x, double *u) {
    const int64_t K = f->p->K;
    for (int64_t k = 0; k < K; u += f->null[k++].k) {
        for (int64_t j = 0; j < f->p->d; j++) f->part[j] = x[j * K + k];
        memset(u, 0, (size_t)f->null[k].k * sizeof *u);
        spd_csr_apply_transposed(&f->null[k].N, 1, f->part, u);
    }
}

void spd_face_project(spd_face *f) {
    gather(f, f->x, f->u);
    expand(f, f->u, f->x);
}

static double *intercepts(const spd_face *f, double *u) { return u + f->unknowns - (f->p->intercept ? f->p->K : 0); }

static void clear_zeros(const spd_face *f, double *z) {
    for (int64_t i = 0; i < f->p->m * f->p->K; i++)
        if (f->zero[i]) z[i] = 0;
}

/* far = push F x outside Z, with push so large that every block lies outside its ball. There
 *     Pi(far) = lambda r'(F x)
 *     push DPi(far) = lambda r''(F x) */
static void push_out(spd_face *f) {
    const spdhg_problem *p = f->p;
    double least = INFINITY, lambda = 0;
    spd_problem_apply(p, f->x, f->Fx);
    clear_zeros(f, f->Fx);
    for (int64_t i = 0; i < p->m * p->K; i++)
        if (f->Fx[i] != 0) least = fmin(least, fabs(f->Fx[i]));
    for (int64_t t = 0; t < p->terms; t++) lambda = fmax(lambda, p->term[t].lambda);
    f->push = isfinite(least) ? fmin(4 * lambda / least, 1e12 * lambda / spd_max_abs(p->m * p->K, f->Fx)) : 1;
    for (int64_t i = 0; i < p->m * p->K; i++) f->far[i] = f->push * f->Fx[i];
}

/* Computes the gradient on the face in f->u and the curvatures in f->curve; returns the gradient's norm. */
static double gradient(spd_face *f) {
    const spdhg_problem *p = f->p;
    push_out(f);
    --*f->passes;
    spd_problem_scores(p, f->threads, f->x, f->score);
    spd_problem_losses(p, f->threads, &(spd_scores){.z = f->score, .c = p->intercept ? f->c : NULL}, f->alpha, f->curve,
                       f->scratch);
    spd_problem_adjoint(p, f->threads, f->alpha, f->g, f->gc, f->scratch);
    spd_axpy(p->dK, p->gamma, f->x, f->g);
    memcpy(f->dir, f->far, (size_t)(p->m * p->K) * sizeof *f->dir);
    spd_problem_project_dual(p, f->dir, f->work);
    spd_problem_add_transposed(p, f->dir, f->g);
    gather(f, f->g, f->u);
    if (p->intercept) memcpy(intercepts(f, f->u), f->gc, (size_t)p->K * sizeof *f->gc);
    return spd_norm2(f->unknowns, f->u);
}

static void hessian(const void *context, const double *u, double *out) {
    const spd_face *f = context;
    const spdhg_problem *p = f->p;
    const double *c = p->intercept ? u + f->unknowns - p->K : NULL;
    --*f->passes;
    expand(f, u, f->along);
    spd_problem_normal_product(p, f->threads, f->curve, f->along, c, f->g, f->gc, f->scratch);
    spd_axpy(p->dK, p->gamma, f->along, f->g);
    spd_problem_apply(p, f->along, f->dir);
    clear_zeros(f, f->dir);
    spd_problem_project_derivative(p, f->far, f->dir, f->work);
    spd_scale(p->m * p->K, f->push, f->dir);
    spd_problem_add_transposed(p, f->dir, f->g);
    gather(f, f->g, out);
    if (p->intercept) memcpy(intercepts(f, out), f->gc, (size_t)p->K * sizeof *f->gc);
}

/* The gradient that the step leaves, stored after the step in f->step; returns its norm. */
static double left_over(spd_face *f) {
    const int64_t n = f->unknowns;
    double *image = f->step + n, *rest = image + n;
    hessian(f, f->step, image);
    for (int64_t i = 0; i < n; i++) rest[i] = f->u[i] - image[i];
    return spd_norm2(n, rest);
}

/* Computes Newton's direction in f->along and F along in f->dir; the next x is x - along. *flat: the Hessian is singular and the
 * gradient not in its range. f then decreases along the residual until a part of F x reaches 0. False: the gradient is only
 * rounding error, which conjugate gradients increased. */
static bool direct(spd_face *f, bool *flat) {
    const int64_t n = f->unknowns;
    const double all = spd_norm2(n, f->u);
    double *rest = f->step + 2 * n, left = INFINITY;
    if (f->factored) {
        memcpy(f->step, f->u, (size_t)n * sizeof *f->step);
        spd_cholesky_solve(n, f->M, f->step);
        left = f->checked ? 0 : left_over(f);
        f->checked = true;
    }
    if (left > 0.5 * all) {
        memset(f->step, 0, (size_t)n * sizeof *f->step);
        const int most = *f->passes > 2 ? *f->passes - 2 : *f->passes; /* two passes remain to check the result */
        const spd_cg cg = {.apply = hessian, .context = f, .tolerance = 1e-8, .most = most, .stop = f->stop};
        spd_cg_solve(&cg, n, f->u, f->step, f->step + n);
        left = left_over(f);
    }
    *flat = left > 0.5 * all;
    if (!(left <= 1.01 * all)) return false;
    if (*flat) memcpy(f->step, rest, (size_t)n * sizeof *rest);
    expand(f, f->step, f->along);
    spd_problem_apply(f->p, f->along, f->dir);
    clear_zeros(f, f->dir);
    return true;
}

/* A part of F x: an entry (l1) or a block (group). */
typedef struct part {
    int64_t term, block, k; /* k: the output, with l1 */
} part;

static int64_t part_rows(const spd_face *f, part a) { return spd_term_block_rows(&f->p->term[a.term], a.block); }

static int64_t part_width(const spd_face *f, part a) {
    return f->p->term[a.term].penalty->zeros == SPDHG_ZEROS_NUMBER ? 1 : f->p->K;
}

/* The index in y of the part's entry in row r, output k. */
static int64_t part_place(const spd_face *f, part a, int64_t r, int64_t k) {
    const spd_term *t = &f->p->term[a.term];
    return t->first + spd_term_block_row(t, a.block, r) * f->p->K + a.k + k;
}

/* The step along -dir at which the part reverses its direction. */
static double reach(const spd_face *f, part a) {
    double square = 0, product = 0;
    for (int64_t r = 0; r < part_rows(f, a); r++)
        for (int64_t k = 0; k < part_width(f, a); k++) {
            const int64_t i = part_place(f, a, r, k);
            square += f->Fx[i] * f->Fx[i];
            product += f->Fx[i] * f->dir[i];
        }
    return product > 0 ? square / product : INFINITY;
}

/* The first part that reverses its direction; returns the step at which it does. */
static double first_turn(const spd_face *f, part *first) {
    double least = INFINITY;
    part a = {0};
    for (a.term = 0; a.term < f->p->terms; a.term++)
        for (a.block = 0; a.block < f->p->term[a.term].blocks; a.block++)
            for (a.k = 0; a.k < f->p->K; a.k += part_width(f, a)) {
                const double length = reach(f, a);
                if (length < least) *first = a;
                least = fmin(least, length);
            }
    return least;
}

/* Moves x and c until a part would reverse its direction; that part joins Z, and *turned is set. False: no useful step. */
static bool move(spd_face *f, bool *turned) {
    const spdhg_problem *p = f->p;
    bool flat;
    part first = {0};
    if (!direct(f, &flat)) return false;
    const double limit = first_turn(f, &first), length = flat ? limit : fmin(limit, 1);
    if (!isfinite(length)) return false;
    *turned = limit <= length;
    for (int64_t r = 0; *turned && r < part_rows(f, first); r++)
        for (int64_t k = 0; k < part_width(f, first); k++) f->zero[part_place(f, first, r, k)] = true;
    spd_axpy(p->dK, -length, f->along, f->x);
    if (p->intercept) spd_axpy(p->K, -length, intercepts(f, f->step), f->c);
    return true;
}

bool spd_face_minimise(spd_face *f, bool *turned) {
    const spdhg_problem *p = f->p;
    double last = INFINITY;
    int steps = 0;
    f->factored = false;
    for (*turned = false; steps<STEPS_MOST && * f->passes> 0 && !spd_stop_now(f->stop); steps++) {
        const double size = gradient(f);
        if (!(size < 0.5 * last)) break;
        if (f->dense && (steps == 0 || (f->factored && size > SLOW * last))) {
            f->factored = spd_face_factor(f);
            f->checked = false;
        }
        last = size;
        memcpy(f->best_x, f->x, (size_t)p->dK * sizeof *f->x);
        memcpy(f->best_c, f->c, (size_t)p->K * sizeof *f->c);
        if (!move(f, turned)) break;
        if (*turned) return false;
    }
    return steps > 0;
}

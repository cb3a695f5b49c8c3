/* face_newton.c - Newton's method on a face, x = N u and c free:
 *     N'(grad l(x) + gamma x + F'lambda r'(F x)) = 0,   r' constant (l1) or smooth (group) there,
 * every step by conjugate gradients with products only. The next gradient is computed at x itself, so that rounding in a step
 * does not stay. */
#include "solver/face.h"

enum { STEPS_MOST = 8 };

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

/* far: F x without Z, so long that every block lies outside of its ball. There Pi(far) = lambda r'(F x) and push DPi(far) =
 * lambda r''(F x). */
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

/* The gradient on the face into f->u; its norm. */
static double gradient(spd_face *f) {
    const spdhg_problem *p = f->p;
    push_out(f);
    spd_problem_gradient(p, f->threads, f->x, f->c, f->g, f->gc, NULL, f->scratch);
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
    expand(f, u, f->along);
    spd_problem_normal_product(p, f->threads, f->curve, f->along, c, f->g, f->gc, f->scratch);
    spd_axpy(p->dK, p->gamma, f->along, f->g);
    spd_problem_apply(p, f->along, f->dir);
    clear_zeros(f, f->dir);
    spd_problem_slide(p, f->far, f->dir, f->work);
    spd_scale(p->m * p->K, f->push, f->dir);
    spd_problem_add_transposed(p, f->dir, f->g);
    gather(f, f->g, out);
    if (p->intercept) memcpy(intercepts(f, out), f->gc, (size_t)p->K * sizeof *f->gc);
}

/* phi'' of every score; the scores themselves where a loss couples them. */
static void curvatures(spd_face *f) {
    const spdhg_problem *p = f->p;
    spd_problem_scores(p, f->threads, f->x, f->curve);
    for (int64_t i = 0; i < p->n; i++) {
        double *z = f->curve + i * p->K;
        if (p->intercept) spd_axpy(p->K, 1, f->c, z);
        for (int64_t k = 0; k < p->K && p->loss->value; k++)
            z[k] = p->loss->second(z[k], p->b[i * p->targets + (p->targets > 1 ? k : 0)], p->loss_arg);
    }
}

static void step(spd_face *f) {
    const spdhg_problem *p = f->p;
    curvatures(f);
    memset(f->step, 0, (size_t)f->unknowns * sizeof *f->step);
    const spd_cg cg = {.apply = hessian, .context = f, .tolerance = 1e-8, .most = f->passes};
    spd_cg_solve(&cg, f->unknowns, f->u, f->step, f->step + f->unknowns);
    expand(f, f->step, f->along);
    spd_axpy(p->dK, -1, f->along, f->x);
    if (p->intercept) spd_axpy(p->K, -1, intercepts(f, f->step), f->c);
    spd_problem_apply(p, f->x, f->Fx);
    clear_zeros(f, f->Fx);
}

/* Blocks of F x that have turned round since push_out join Z; false: none did. */
static bool add_turned(spd_face *f) {
    const spdhg_problem *p = f->p;
    bool any = false;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const bool numbers = term->penalty == &spd_penalty_l1;
        const int64_t K = p->K, wide = numbers ? 1 : K; /* l1: a number is a part by itself */
        for (int64_t b = 0; b < term->blocks * (K / wide); b++) {
            const int64_t block = b / (K / wide), rows = spd_term_block_rows(term, block);
            double product = 0;
            for (int pass = 0; pass < 2 && product <= 0; pass++)
                for (int64_t r = 0; r < rows; r++)
                    for (int64_t k = 0; k < wide; k++) {
                        const int64_t i = term->first + spd_term_block_row(term, block, r) * K + b % (K / wide) + k;
                        if (pass == 0) product += f->far[i] * f->Fx[i];
                        if (pass == 1 && product < 0) any = f->zero[i] = true;
                    }
        }
    }
    return any;
}

bool spd_face_minimise(spd_face *f, bool *turned) {
    const spdhg_problem *p = f->p;
    double last = INFINITY;
    int steps = 0;
    for (*turned = false; steps < STEPS_MOST; steps++) {
        const double size = gradient(f);
        if (!(size < 0.5 * last)) break;
        last = size;
        memcpy(f->best_x, f->x, (size_t)p->dK * sizeof *f->x);
        memcpy(f->best_c, f->c, (size_t)p->K * sizeof *f->c);
        step(f);
        if ((*turned = add_turned(f))) return false;
    }
    return steps > 1;
}

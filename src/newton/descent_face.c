/* descent_face.c - Newton steps on the quadratic model where coordinate descent is slow. The zeros of u = x + dx are fixed;
 * for the other coefficients conjugate gradients solve
 *     ( H + lambda r''(u) ) e = -( g + A'push + ridge dx + lambda r'(u) )
 *     dx += t e
 * where t in (0, 1] minimises the model along e (convex; bisection on its slope, which needs no pass).
 * A coefficient that stops the step at its kink becomes zero, and the next step leaves it out. Where the diagonal is too weak a
 * preconditioner and the face is small, the matrix of the face is written out and factored. */
#include "newton/descent.h"

enum { CG_MOST = 60, HALVINGS = 50, STEPS_MOST = 10 };
static const double TOLERANCE = 0.05, FAR = 10;

/* The unknowns: the nonzero entries of x + dx (group: the entries of nonzero columns) and the intercepts. */
typedef struct face {
    spd_descent *a;
    const spdhg_problem *p;
    int64_t n;
    int64_t *place; /* position of each unknown in x */
    bool l1, written_out;
    double *u, *e, *rhs, *diagonal, *cg; /* rhs: minus the model's slope on the face */
    double *M, *L;
} face;

int64_t spd_descent_dense(const spdhg_problem *p) {
    return spd_problem_normal_size(p) < SPD_DENSE_MOST ? spd_problem_normal_size(p) : SPD_DENSE_MOST;
}

static double lambda_of(const face *f, int64_t q) { return spd_descent_lambda(f->p, f->place[q] / f->p->K); }

/* Length of the column (group) that holds unknown q; l1: 1. */
static double length_of(const face *f, int64_t q) { return f->l1 ? 1 : spd_norm2(f->p->K, f->u + q - q % f->p->K); }

/* An unknown that became zero on the way stays zero. */
static bool fixed(const face *f, int64_t q) { return lambda_of(f, q) > 0 && (f->l1 ? f->u[q] : length_of(f, q)) == 0; }

/* ray += A e for one unknown */
static void add_ray(const face *f, int64_t q, double e) {
    const int64_t K = f->p->K, k = f->place[q] % K;
    const spd_column c = spd_descent_column(f->a, f->p, f->place[q] / K);
    double *ray = f->a->ray + k;
    for (int64_t i = 0; i < c.count; i++) ray[(c.row ? c.row[i] : i) * K] += (c.val ? c.val[i] : 1) * e;
    f->a->touched += 0.5 * (double)c.count / (double)K;
}

/* thrust = (w/W) C ray */
static void make_thrust(const face *f) {
    const spd_descent *a = f->a;
    const int64_t K = f->p->K;
    const bool coupled = !f->p->loss->value;
    for (int64_t i = 0; i < f->p->n; i++) {
        const double *C = a->C + i * K, *ray = a->ray + i * K;
        double mean = 0;
        for (int64_t k = 0; k < K && coupled; k++) mean += C[k] * ray[k];
        for (int64_t k = 0; k < K; k++) a->thrust[i * K + k] = a->share[i] * C[k] * (ray[k] - mean);
    }
}

static void look_along(const face *f, const double *e) {
    memset(f->a->ray, 0, (size_t)(f->p->n * f->p->K) * sizeof *f->a->ray);
    for (int64_t q = 0; q < f->n; q++)
        if (e[q] != 0) add_ray(f, q, e[q]);
    make_thrust(f);
}

/* Entry of A'w for one unknown */
static double slope_of(const face *f, int64_t q, const double *w) {
    const int64_t K = f->p->K;
    const spd_column c = spd_descent_column(f->a, f->p, f->place[q] / K);
    double sum = 0;
    w += f->place[q] % K;
    for (int64_t i = 0; i < c.count; i++) sum += (c.val ? c.val[i] : 1) * w[(c.row ? c.row[i] : i) * K];
    f->a->touched += 0.5 * (double)c.count / (double)K;
    return sum;
}

/* out = (H + lambda r'') e; thrust must belong to e. */
static void gather(const face *f, const double *e, double *out) {
    const int64_t K = f->p->K;
    for (int64_t q = 0; q < f->n; q++) {
        const bool curved = !f->l1 && lambda_of(f, q) > 0;
        const int64_t first = q - q % K;
        out[q] = 0;
        if (fixed(f, q)) continue;
        out[q] = f->a->ridge[f->place[q] / K] * e[q] + slope_of(f, q, f->a->thrust);
        if (!curved) continue;
        const double length = length_of(f, q), radial = spd_dot(K, f->u + first, e + first) / (length * length);
        out[q] += lambda_of(f, q) / length * (e[q] - radial * f->u[q]);
    }
}

static void hessian(const void *context, const double *e, double *out) {
    look_along(context, e);
    gather(context, e, out);
}

static void find_unknowns(face *f) {
    const spd_descent *a = f->a;
    const int64_t K = f->p->K;
    for (int64_t s = 0; s < a->size; s++) {
        const int64_t j = a->set[s];
        bool some = j == f->p->d;
        for (int64_t k = 0; k < K; k++) some = some || a->b->x[j * K + k] + a->dx[j * K + k] != 0;
        for (int64_t k = 0; k < K && some; k++)
            if (!f->l1 || j == f->p->d || a->b->x[j * K + k] + a->dx[j * K + k] != 0) f->place[f->n++] = j * K + k;
    }
}

/* Computes u, rhs and the diagonal. */
static void refresh(face *f) {
    const spd_descent *a = f->a;
    for (int64_t q = 0; q < f->n; q++) f->u[q] = a->b->x[f->place[q]] + a->dx[f->place[q]];
    for (int64_t q = 0; q < f->n; q++) {
        const int64_t at = f->place[q];
        const double length = length_of(f, q), lambda = length > 0 ? lambda_of(f, q) / length : 0;
        const double penalty = f->l1 ? copysign(lambda, f->u[q]) : lambda * f->u[q];
        f->rhs[q] = fixed(f, q) ? 0 : -(a->b->g[at] + a->ridge[at / f->p->K] * a->dx[at] + slope_of(f, q, a->push) + penalty);
        f->diagonal[q] = fmax(a->h[at], 1e-300) + (f->l1 ? 0 : lambda);
    }
}

/* Writes out the matrix of the face, column by column. */
static void write_out(face *f) {
    const double before = f->a->touched;
    memset(f->e, 0, (size_t)f->n * sizeof *f->e);
    for (int64_t q = 0; q < f->n && !spd_stop_now(f->a->b->stop); q++) {
        f->e[q] = 1;
        look_along(f, f->e);
        gather(f, f->e, f->M + q * f->n);
        f->e[q] = 0;
    }
    f->a->touched = before + (double)f->p->nnz; /* a Hessian written out counts as a pass */
    f->written_out = true;
}

static bool factor(const face *f) {
    const int64_t n = f->n;
    for (int64_t q = 0; q < n; q++) {
        const bool out = fixed(f, q);
        for (int64_t r = 0; r < q; r++) f->L[q * n + r] = out || fixed(f, r) ? 0 : f->M[q * n + r];
        f->L[q * n + q] = out ? 1 : f->M[q * n + q] + 1e-12 * f->diagonal[q];
    }
    return spd_cholesky(n, f->L);
}

static void solve(face *f) {
    spd_cg cg = {
        .apply = hessian, .context = f, .diagonal = f->diagonal, .tolerance = TOLERANCE, .most = CG_MOST, .stop = f->a->b->stop};
    if (!f->written_out) {
        memset(f->e, 0, (size_t)f->n * sizeof *f->e);
        if (spd_cg_solve(&cg, f->n, f->rhs, f->e, f->cg) < CG_MOST || f->n > SPD_DENSE_MOST) return;
        write_out(f);
    }
    cg.diagonal = NULL;
    cg.factor = f->L;
    memset(f->e, 0, (size_t)f->n * sizeof *f->e);
    if (!spd_stop_now(cg.stop) && factor(f)) spd_cg_solve(&cg, f->n, f->rhs, f->e, f->cg);
}

/* lambda (r(u + t e) - r(u)), or its derivative at t if slope is set. */
static double penalty_along(const face *f, double t, bool slope) {
    const int64_t width = f->l1 ? 1 : f->p->K;
    double sum = 0;
    for (int64_t q = 0; q < f->n; q += width) {
        double then = 0, now = 0, product = 0;
        for (int64_t k = q; k < q + width; k++) {
            const double at = f->u[k] + t * f->e[k];
            then += at * at;
            now += f->u[k] * f->u[k];
            product += at * f->e[k];
        }
        then = sqrt(then);
        sum += lambda_of(f, q) * (slope ? (then > 0 ? product / then : 0) : then - sqrt(now));
    }
    return sum;
}

/* One step along e; returns twice its gain. *whole: the full step was made. */
static double go(face *f, bool *whole) {
    spd_descent *a = f->a;
    const int64_t nK = f->p->n * f->p->K;
    const double longest = spd_max_abs(f->n, f->e), far = FAR * spd_max_abs(f->n, f->u);
    if (longest > far) spd_scale(f->n, far / longest, f->e); /* a singular matrix: the kinks on the way decide the step */
    look_along(f, f->e);
    double square = spd_dot(nK, a->ray, a->thrust), low = 0, t = 1; /* the minimiser is between low and t */
    const double linear = -spd_dot(f->n, f->rhs, f->e) - penalty_along(f, 0, true);
    for (int64_t q = 0; q < f->n; q++) square += a->ridge[f->place[q] / f->p->K] * f->e[q] * f->e[q];
    *whole = linear + square + penalty_along(f, 1, true) <= 0;
    if (*whole) low = 1;
    for (int i = 0; i < HALVINGS && !*whole; i++) {
        const double middle = 0.5 * (low + t);
        if (linear + middle * square + penalty_along(f, middle, true) > 0)
            t = middle;
        else
            low = middle;
    }
    const double gain = -(t * linear + 0.5 * t * t * square + penalty_along(f, t, false));
    if (!(gain > 0)) return 0;
    for (int64_t q = 0; q < f->n; q++) {
        const int64_t at = f->place[q];
        const bool stops = f->l1 && lambda_of(f, q) > 0 && (f->u[q] + low * f->e[q]) * (f->u[q] + t * f->e[q]) <= 0;
        a->dx[at] = stops ? -a->b->x[at] : a->dx[at] + t * f->e[q];
    }
    spd_axpy(nK, t, a->thrust, a->push);
    if (!f->p->loss->value) spd_axpy(nK, t, a->ray, a->along);
    return 2 * gain;
}

double spd_descent_face(spd_descent *a, const spdhg_problem *p) {
    const int64_t all = p->dK + p->K, dense = spd_descent_dense(p);
    face f = {.a = a,
              .p = p,
              .l1 = spd_descent_l1(p),
              .place = a->place,
              .u = a->face,
              .e = a->face + all,
              .rhs = a->face + 2 * all,
              .diagonal = a->face + 3 * all,
              .cg = a->face + 4 * all,
              .M = a->dense,
              .L = a->dense + dense * dense};
    double total = 0;
    bool whole = false;
    find_unknowns(&f);
    for (int i = 0; i < STEPS_MOST && !whole && !spd_stop_now(a->b->stop); i++) {
        refresh(&f);
        solve(&f);
        const double gain = go(&f, &whole);
        total += gain;
        if (gain <= 0.01 * total) break;
    }
    return total;
}

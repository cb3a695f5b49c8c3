/* face.c - one Newton step of the model on the face of the present signs:
 *     M d = -(s + lambda sign(x)),   M = A_E'Q A_E + gamma I,   E the active columns and the intercept
 * by conjugate gradients, preconditioned by the factor of an earlier face (factor.c). A column whose x_j + d_j has the other sign
 * stops at 0, one whose x_j + d_j is not in X at its side; both leave E. If the model does not
 * fall then, all stop where the first one does. */
#include "lasso/sides.h"

enum { REPEATS_MOST = 3, GRADIENTS_MOST = 200, ITERATIONS_LEAST = 4 /* that pay for a copy of A_E by rows */ };

static const double EVEN = 3; /* the largest of many slopes that conjugate gradients leave, over their root mean square */

/* The step on the face of the columns e; the intercept, if any, is the last unknown. */
typedef struct step {
    spd_lasso *a;
    int64_t k, n; /* columns, unknowns */
    int32_t *e;
    double *d, *s;    /* direction; slopes with lambda sign(x) */
    double *diagonal; /* of M */
    double *move;     /* rows: A d */
    double *b, *work; /* vectors of n: 1; 4 */
    bool packed;      /* A_E has been copied by rows */
} step;

static void find_slopes(const step *t) {
    const spd_lasso *a = t->a;
    const double lambda = spd_lasso_lambda(a);
    if (a->gram.size > 0)
        for (int64_t i = 0; i < t->k; i++) t->s[i] = a->gram.s[t->e[i]];
    else
        spd_matrix_packed_dots(&a->A, a->threads, t->e, t->k, a->r, t->s);
    for (int64_t i = 0; i < t->k; i++) {
        const double x = a->now.x[t->e[i]];
        t->s[i] += a->p->gamma * x + copysign(lambda, x);
    }
    if (t->n > t->k) t->s[t->k] = a->gram.size > 0 ? a->gram.s[a->p->d] : spd_sum_lanes(a->p->n, a->r);
}

/* move = A d, or A'Q A d by gram.c */
static void find_move(const step *t, const double *d) {
    const spd_lasso *a = t->a;
    if (a->gram.size > 0) {
        memset(t->move, 0, (size_t)a->gram.size * sizeof *t->move);
        spd_matrix_combine(&a->gram.H, t->e, t->k, d, t->move);
        if (t->n > t->k) spd_gram_move(&a->gram, a->p->d, d[t->k], t->move);
        return;
    }
    for (int64_t i = 0; i < a->p->n; i++) t->move[i] = t->n > t->k ? d[t->k] : 0;
    spd_matrix_combine(&a->A, t->e, t->k, d, t->move);
}

/* out = M d */
static void apply(const void *context, const double *d, double *out) {
    const step *t = context;
    const spd_lasso *a = t->a;
    if (a->gram.size > 0) {
        find_move(t, d);
        for (int64_t i = 0; i < t->k; i++) out[i] = t->move[t->e[i]] + a->p->gamma * d[i];
        if (t->n > t->k) out[t->k] = t->move[a->p->d];
        return;
    }
    if (t->packed) {
        const double sum = spd_packed_apply(&a->packed, a->Q, t->k, d, t->n > t->k ? d[t->k] : 0, out);
        spd_axpy(t->k, a->p->gamma, d, out);
        if (t->n > t->k) out[t->k] = sum;
        return;
    }
    find_move(t, d);
    for (int64_t i = 0; i < a->p->n; i++) t->move[i] *= a->Q[i];
    spd_matrix_packed_dots(&a->A, a->threads, t->e, t->k, t->move, out);
    spd_axpy(t->k, a->p->gamma, d, out);
    if (t->n > t->k) out[t->k] = spd_sum_lanes(a->p->n, t->move);
}

static void precondition(const void *context, const double *r, double *z) {
    const step *t = context;
    for (int64_t i = 0; i < t->n; i++) z[i] = r[i] / t->diagonal[i];
    spd_factor_apply(&t->a->factor, t->e, t->k, t->n > t->k, r, z);
}

/* M d = -s. accuracy: of the slopes. Returns the iterations. */
static int solve(const step *t, double accuracy) {
    for (int64_t i = 0; i < t->k; i++) t->diagonal[i] = spd_lasso_curvature(t->a, t->e[i]);
    if (t->n > t->k) t->diagonal[t->k] = spd_sum_lanes(t->a->p->n, t->a->Q);
    for (int64_t i = 0; i < t->n; i++) t->b[i] = -t->s[i];
    memset(t->d, 0, (size_t)t->n * sizeof *t->d);
    const spd_cg cg = {.apply = apply,
                       .context = t,
                       .precondition = precondition,
                       .tolerance = 0.5 * accuracy * fmax(sqrt((double)t->n) / EVEN, 1) / spd_norm2(t->n, t->b),
                       .most = GRADIENTS_MOST,
                       .stop = t->a->stop};
    return spd_cg_solve(&cg, t->n, t->b, t->d, t->work);
}

/* The change of the model along d, which keeps the signs or ends at 0: s'd + d'M d/2. */
static double change(const step *t) {
    double square = t->a->p->gamma * spd_dot(t->k, t->d, t->d);
    find_move(t, t->d);
    for (int64_t i = 0; i < t->k && t->a->gram.size > 0; i++) square += t->d[i] * t->move[t->e[i]];
    if (t->a->gram.size > 0 && t->n > t->k) square += t->d[t->k] * t->move[t->a->p->d];
    for (int64_t i = 0; i < t->a->p->n && t->a->gram.size == 0; i++) square += t->a->Q[i] * t->move[i] * t->move[i];
    return spd_dot(t->n, t->s, t->d) + 0.5 * square;
}

/* Where x_j ends on the way to `to`. */
static double stop_at(const spd_lasso *a, double x, double to) { return to * x > 0 ? spd_lasso_inside(a, to) : 0; }

/* Cuts the step where columns reach 0 or a side; true if none does. */
static bool cut(const step *t, double *full) {
    double first = 1;
    bool whole = true;
    memcpy(full, t->d, (size_t)t->n * sizeof *full);
    for (int64_t i = 0; i < t->k; i++) {
        const double x = t->a->now.x[t->e[i]], end = stop_at(t->a, x, x + t->d[i]);
        if (end == x + t->d[i]) continue;
        whole = false;
        first = fmin(first, (end - x) / t->d[i]);
        t->d[i] = end - x;
    }
    if (whole || change(t) < 0) return whole;
    for (int64_t i = 0; i < t->n; i++) t->d[i] = first * full[i];
    return false;
}

static void go(step *t) {
    spd_lasso *a = t->a;
    int64_t kept = 0;
    for (int64_t i = 0; i < t->k; i++) {
        const int32_t j = t->e[i];
        const double x = a->now.x[j], to = fabs(x + t->d[i]) <= 1e-14 * fabs(x) ? 0 : stop_at(a, x, x + t->d[i]);
        spd_lasso_move(a, j, to);
        if (to != 0 && !spd_lasso_at_side(a, to)) t->e[kept++] = j;
    }
    if (t->n > t->k) spd_lasso_shift(a, t->d[t->k]);
    t->n -= t->k - kept;
    t->k = kept;
}

int64_t spd_lasso_face_work(int64_t n, int64_t d) { return (n > d ? n : d + 1) + 9 * (d + 1); }

bool spd_lasso_face(spd_lasso *a, double accuracy) {
    const int64_t all = a->p->d + 1;
    double *at = a->face + (a->p->n > a->p->d ? a->p->n : all);
    step t = {.a = a,
              .e = a->edge,
              .move = a->face,
              .d = at,
              .s = at + all,
              .b = at + 2 * all,
              .diagonal = at + 3 * all,
              .work = at + 4 * all};
    bool whole = false;
    for (int64_t q = 0; q < a->now.count; q++)
        if (!spd_lasso_at_side(a, a->now.x[a->now.list[q]])) t.e[t.k++] = a->now.list[q];
    t.n = t.k + a->p->intercept;
    for (int repeat = 0; repeat < REPEATS_MOST && !whole && t.k > 0; repeat++) {
        find_slopes(&t);
        t.packed = a->A.row && a->gram.size == 0 && a->factor.iterations >= ITERATIONS_LEAST;
        if (t.packed) spd_packed_fill(&a->packed, &a->A, t.e, t.k);
        a->factor.iterations = solve(&t, accuracy);
        a->touched += a->factor.iterations * spd_lasso_iteration_cost(a);
        if (!spd_all_finite(t.n, t.d)) return false;
        whole = cut(&t, at + 8 * all);
        go(&t);
    }
    return true;
}

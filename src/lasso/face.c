/* face.c - one Newton step of the model on the face of the present signs:
 *     M d = -(s + lambda sign(x)),   M = A_E'Q A_E + gamma I,   E the active columns and the intercept
 * A column whose x_j + d_j has the other sign stops at 0 and leaves E. If the model does not fall then, all stop where the first one
 * reaches 0. The products A_i'Q A_j are kept as long as Q is the same, which for squared loss is for ever. */
#include "lasso/lasso.h"

enum { REPEATS_MOST = 6, GRADIENTS = 16, GRADIENTS_MOST = 200 };
static const double PRODUCT = 0.25; /* a multiplication of many columns with one, beside one of a sweep */
static const double STIFFER = 1e-9; /* relative to the diagonal: added where M has no factor */

bool spd_products_new(spd_products *s, int64_t n, int64_t d, int64_t most) {
    *s = (spd_products){.most = most,
                        .slot = spd_alloc_raw(d, sizeof(int32_t)),
                        .column = SPD_NEW(int32_t, most),
                        .value = spd_alloc_raw(most * most, sizeof(double)),
                        .weighted = SPD_NEW(double, n)};
    for (int64_t j = 0; j < d && s->slot; j++) s->slot[j] = -1;
    return s->slot && s->column && s->value && s->weighted;
}

void spd_products_free(spd_products *s) {
    SPD_FREE_ALL(s->slot, s->column, s->value, s->weighted);
    *s = (spd_products){0};
}

void spd_products_clear(spd_products *s) {
    for (int64_t k = 0; k < s->used; k++) s->slot[s->column[k]] = -1;
    s->used = 0;
}

static double entries(const spd_lasso *a) {
    double sum = 0;
    for (int64_t q = 0; q < a->now.count; q++) sum += (double)spd_matrix_count(&a->A, a->now.list[q]);
    return sum;
}

/* In multiplications of a sweep: the products that are missing, and the factor. INFINITY: too many columns. */
static double factor_cost(const spd_lasso *a) {
    const double k = (double)a->now.count;
    int64_t missing = 0;
    for (int64_t q = 0; q < a->now.count; q++) missing += a->products.slot[a->now.list[q]] < 0;
    if (a->now.count >= a->products.most) return INFINITY;
    return PRODUCT * (double)missing * (entries(a) + (double)a->p->n) + k * k * k / 12 + 2 * k * k;
}

/* The same for conjugate gradients: each takes as many as a sweep. */
static double gradients_cost(const spd_lasso *a) {
    return 2 * (double)(a->gradients > 0 ? a->gradients : GRADIENTS) * (entries(a) + (double)a->p->n);
}

double spd_lasso_face_cost(const spd_lasso *a) { return fmin(factor_cost(a), gradients_cost(a)); }

/* A slot for column j, with its products with all that have one. */
static void add_slot(spd_lasso *a, int64_t j) {
    spd_products *s = &a->products;
    const spd_matrix *A = &a->A;
    const int64_t at = s->used++, first = A->ptr[j], end = A->ptr[j + 1];
    double *out = s->value + at * s->most;
    s->slot[j] = (int32_t)at;
    s->column[at] = (int32_t)j;
    spd_matrix_add_weighted(A, j, 1, a->Q, s->weighted);
    int64_t k = 0;
    for (; !A->row && k + SPD_ABREAST <= at + 1; k += SPD_ABREAST) {
        const double *row[SPD_ABREAST];
        for (int r = 0; r < SPD_ABREAST; r++) row[r] = A->val + A->ptr[s->column[k + r]];
        spd_dense_rows_dots(A->n, row, s->weighted, out + k);
    }
    for (; k <= at; k++) out[k] = spd_matrix_dot(A, s->column[k], s->weighted);
    if (!A->row) memset(s->weighted, 0, (size_t)A->n * sizeof *s->weighted);
    for (int64_t q = first; q < end && A->row; q++) s->weighted[A->row[q]] = 0;
}

static double product(const spd_products *s, int32_t i, int32_t j) {
    const int64_t p = s->slot[i], q = s->slot[j];
    return p >= q ? s->value[p * s->most + q] : s->value[q * s->most + p];
}

/* The step on the face of the columns e; the intercept, if any, is the last unknown. */
typedef struct step {
    spd_lasso *a;
    int64_t k, n; /* columns, unknowns */
    int32_t *e;
    double *d, *s;          /* direction; slopes with lambda sign(x) */
    double *border, corner; /* products of the intercept with the columns, and with itself */
    double *move;           /* rows: A d */
    double *M;              /* n x n; NULL: by conjugate gradients */
    double *work;           /* vectors of n: 5 */
} step;

static void make_matrix(const step *t, double stiffer) {
    const int64_t n = t->n;
    for (int64_t i = 0; i < t->k; i++) {
        for (int64_t j = 0; j <= i; j++) t->M[i * n + j] = product(&t->a->products, t->e[i], t->e[j]);
        t->M[i * n + i] = (t->M[i * n + i] + t->a->p->gamma) * (1 + stiffer);
    }
    if (n == t->k) return;
    memcpy(t->M + t->k * n, t->border, (size_t)t->k * sizeof *t->M);
    t->M[t->k * n + t->k] = t->corner * (1 + stiffer);
}

static void find_slopes(const step *t) {
    const spd_lasso *a = t->a;
    const double lambda = spd_lasso_lambda(a);
    spd_matrix_packed_dots(&a->A, a->threads, t->e, t->k, a->r, t->s);
    for (int64_t i = 0; i < t->k; i++) {
        const double x = a->now.x[t->e[i]];
        t->s[i] += a->p->gamma * x + copysign(lambda, x);
    }
    if (t->n > t->k) t->s[t->k] = spd_dot(a->p->n, a->r, a->one);
}

/* move = A d */
static void find_move(const step *t, const double *d) {
    const spd_lasso *a = t->a;
    for (int64_t i = 0; i < a->p->n; i++) t->move[i] = t->n > t->k ? d[t->k] : 0;
    spd_matrix_combine(&a->A, t->e, t->k, d, t->move);
}

/* out = M d */
static void apply(const void *context, const double *d, double *out) {
    const step *t = context;
    const spd_lasso *a = t->a;
    find_move(t, d);
    for (int64_t i = 0; i < a->p->n; i++) t->move[i] *= a->Q[i];
    spd_matrix_packed_dots(&a->A, a->threads, t->e, t->k, t->move, out);
    spd_axpy(t->k, a->p->gamma, d, out);
    if (t->n > t->k) out[t->k] = spd_dot(a->p->n, t->move, a->one);
}

/* M d = -s. accuracy: of the slopes. */
static bool solve(const step *t, double accuracy) {
    double *b = t->work, *diagonal = b + t->n;
    if (!t->M) {
        for (int64_t i = 0; i < t->k; i++) diagonal[i] = spd_lasso_curvature(t->a, t->e[i]);
        if (t->n > t->k) diagonal[t->k] = t->corner;
        for (int64_t i = 0; i < t->n; i++) b[i] = -t->s[i];
        memset(t->d, 0, (size_t)t->n * sizeof *t->d);
        const spd_cg cg = {.apply = apply,
                           .context = t,
                           .diagonal = diagonal,
                           .tolerance = accuracy / spd_norm2(t->n, b),
                           .most = GRADIENTS_MOST,
                           .stop = t->a->stop};
        t->a->gradients = spd_cg_solve(&cg, t->n, b, t->d, diagonal + t->n) + 1;
        return spd_all_finite(t->n, t->d);
    }
    make_matrix(t, 0);
    if (!spd_cholesky(t->n, t->M)) {
        make_matrix(t, STIFFER);
        if (!spd_cholesky(t->n, t->M)) return false;
    }
    for (int64_t i = 0; i < t->n; i++) t->d[i] = -t->s[i];
    spd_cholesky_solve(t->n, t->M, t->d);
    return spd_all_finite(t->n, t->d);
}

/* The change of the model along d, which keeps the signs or ends at 0: s'd + d'M d/2. */
static double change(const step *t) {
    double square = t->a->p->gamma * spd_dot(t->k, t->d, t->d);
    find_move(t, t->d);
    for (int64_t i = 0; i < t->a->p->n; i++) square += t->a->Q[i] * t->move[i] * t->move[i];
    return spd_dot(t->n, t->s, t->d) + 0.5 * square;
}

/* Cuts the step where columns reach 0; true if none does. */
static bool cut(const step *t, double *full) {
    double first = 1;
    bool whole = true;
    memcpy(full, t->d, (size_t)t->n * sizeof *full);
    for (int64_t i = 0; i < t->k; i++) {
        const double x = t->a->now.x[t->e[i]];
        if ((x + t->d[i]) * x > 0) continue;
        whole = false;
        first = fmin(first, -x / t->d[i]);
        t->d[i] = -x;
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
        const double x = a->now.x[j], to = x + t->d[i];
        const bool stops = to * x <= 0 || fabs(to) <= 1e-14 * fabs(x);
        spd_lasso_move(a, j, stops ? 0 : to);
        if (stops) continue;
        t->border[kept] = t->border[i];
        t->e[kept++] = j;
    }
    if (t->n > t->k) {
        a->now.c += t->d[t->k];
        spd_axpy(a->p->n, t->d[t->k], a->Q, a->r);
    }
    t->n -= t->k - kept;
    t->k = kept;
}

/* The slots of the active columns. */
static void find_products(spd_lasso *a) {
    if (a->products.used + a->now.count > a->products.most) spd_products_clear(&a->products); /* columns that have left */
    for (int64_t q = 0; q < a->now.count; q++)
        if (a->products.slot[a->now.list[q]] < 0) add_slot(a, a->now.list[q]);
}

int64_t spd_lasso_face_work(int64_t n, int64_t d, int64_t most) { return n + 11 * (d + 1) + (most + 1) * (most + 1); }

bool spd_lasso_face(spd_lasso *a, double accuracy) {
    const int64_t all = a->p->d + 1;
    const bool factor = factor_cost(a) <= gradients_cost(a);
    double *at = a->face + a->p->n;
    step t = {.a = a,
              .k = a->now.count,
              .n = a->now.count + a->p->intercept,
              .e = a->look,
              .d = at,
              .s = at + all,
              .border = at + 3 * all,
              .move = a->face,
              .M = factor ? at + 11 * all : NULL,
              .work = at + 4 * all};
    memcpy(t.e, a->now.list, (size_t)t.k * sizeof *t.e);
    if (factor) find_products(a);
    t.corner = spd_dot(a->p->n, a->Q, a->one);
    if (a->p->intercept && factor) spd_matrix_packed_dots(&a->A, a->threads, t.e, t.k, a->Q, t.border);
    bool whole = false;
    for (int repeat = 0; repeat < (factor ? REPEATS_MOST : 1) && !whole && t.n > 0; repeat++) {
        find_slopes(&t);
        if (!solve(&t, accuracy)) return false;
        whole = cut(&t, at + 2 * all);
        go(&t);
    }
    return true;
}

/* factor.c - the Cholesky factor of M = A_E'Q A_E + gamma I for the active columns and the model of some earlier face. It
 * preconditions the faces that follow: columns that have left E are held at 0, new ones have their own curvature. As Q and E move
 * away, conjugate gradients take more iterations; as soon as these have cost as much as a new factor, there is a new one. The
 * products A_i'Q A_j are kept as long as Q is the same, which for squared loss is for ever. */
#include "lasso/lasso.h"

/* Cost of a multiplication, beside one of a sweep: of many dense columns with one vector; in a triangular solve; of matrices. */
static const double ABREAST = 0.25, SOLVE = 0.2, BLAS = 0.0625, CHOLESKY = 0.1 / 6, PAIR = 1;
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

static void clear_products(spd_products *s) {
    for (int64_t k = 0; k < s->used; k++) s->slot[s->column[k]] = -1;
    s->used = 0;
}

bool spd_factor_new(spd_factor *f, const spd_matrix *A, int64_t most) {
    *f = (spd_factor){.place = spd_alloc_raw(A->d, sizeof(int32_t)),
                      .column = SPD_NEW(int32_t, most),
                      .L = spd_alloc_raw((most + 1) * (most + 1), sizeof(double)),
                      .panel = spd_alloc_raw(A->row ? 1 : spd_gram_work(most + 1), sizeof(double)),
                      .w = SPD_NEW(double, most + 1)};
    for (int64_t j = 0; j < A->d && f->place; j++) f->place[j] = -1;
    return f->place && f->column && f->L && f->panel && f->w;
}

void spd_factor_free(spd_factor *f) {
    SPD_FREE_ALL(f->place, f->column, f->L, f->panel, f->w);
    *f = (spd_factor){0};
}

/* A slot for column j of a dense A, with its products with all that have one. */
static void add_slot(spd_lasso *a, int64_t j) {
    spd_products *s = &a->products;
    const spd_matrix *A = &a->A;
    const int64_t at = s->used++;
    double *out = s->value + at * s->most;
    s->slot[j] = (int32_t)at;
    s->column[at] = (int32_t)j;
    spd_matrix_add_weighted(A, j, 1, a->Q, s->weighted);
    int64_t k = 0;
    for (; k + SPD_ABREAST <= at + 1; k += SPD_ABREAST) {
        const double *row[SPD_ABREAST];
        for (int r = 0; r < SPD_ABREAST; r++) row[r] = A->val + A->ptr[s->column[k + r]];
        spd_dense_rows_dots(A->n, row, s->weighted, out + k);
    }
    for (; k <= at; k++) out[k] = spd_matrix_dot(A, s->column[k], s->weighted);
    memset(s->weighted, 0, (size_t)A->n * sizeof *s->weighted);
}

static double product(const spd_lasso *a, int32_t i, int32_t j) {
    const spd_products *s = &a->products;
    if (a->gram.size > 0) return a->gram.H.val[i * a->gram.size + j];
    const int64_t p = s->slot[i], q = s->slot[j];
    return p >= q ? s->value[p * s->most + q] : s->value[q * s->most + p];
}

static double entries(const spd_lasso *a) {
    double sum = 0;
    if (a->gram.size > 0) return 0.5 * (double)a->now.count * (double)a->gram.size;
    for (int64_t q = 0; q < a->now.count; q++) sum += (double)spd_matrix_count(&a->A, a->now.list[q]);
    return sum;
}

/* In multiplications of a sweep: one iteration of conjugate gradients; a new factor, INFINITY if it has too many columns. */
static double iteration_cost(const spd_lasso *a) {
    return 2 * (entries(a) + (double)a->p->n) + SOLVE * (double)(a->factor.n * a->factor.n);
}

/* The products of a model that is used only once, or of a sparse A: all at once, none is kept. */
static bool at_once(const spd_lasso *a) { return a->gram.size == 0 && (a->A.row || !spd_loss_is_square(a->p->loss)); }

static double factor_cost(const spd_lasso *a) {
    const double k = (double)a->now.count, rest = CHOLESKY * k * k * k + k * k;
    int64_t missing = 0;
    if (a->now.count >= a->products.most) return INFINITY;
    if (a->gram.size > 0) return rest;
    if (a->A.row) return rest + PAIR * a->packed.uneven * entries(a) * entries(a) + 2 * entries(a) + (double)a->p->n;
    if (at_once(a)) return BLAS * k * k * (double)a->p->n + rest;
    for (int64_t q = 0; q < a->now.count; q++) missing += a->products.slot[a->now.list[q]] < 0;
    return ABREAST * (double)missing * k * (double)a->p->n + rest;
}

double spd_lasso_face_cost(const spd_lasso *a) { return (double)(a->factor.iterations + 1) * iteration_cost(a); }

static void make_matrix(const spd_lasso *a, double stiffer) {
    const spd_factor *f = &a->factor;
    const int64_t k = f->k, n = f->n;
    if (at_once(a)) {
        if (a->A.row)
            spd_packed_gram(&a->packed, a->Q, k, n > k, f->L);
        else
            spd_gram_dense(&a->A, a->Q, f->column, k, n > k, f->panel, f->L);
        for (int64_t i = 0; i < n; i++) f->L[i * n + i] = (f->L[i * n + i] + (i < k ? a->p->gamma : 0)) * (1 + stiffer);
        return;
    }
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j <= i; j++) f->L[i * n + j] = product(a, f->column[i], f->column[j]);
        f->L[i * n + i] = (f->L[i * n + i] + a->p->gamma) * (1 + stiffer);
    }
    if (n == k) return;
    if (a->gram.size > 0)
        for (int64_t j = 0; j < k; j++) f->L[k * n + j] = product(a, f->column[j], (int32_t)a->p->d);
    else
        spd_matrix_packed_dots(&a->A, a->threads, f->column, k, a->Q, f->L + k * n);
    f->L[k * n + k] = spd_dot(a->p->n, a->Q, a->one) * (1 + stiffer);
}

static void drop(spd_factor *f) {
    for (int64_t q = 0; q < f->k; q++) f->place[f->column[q]] = -1;
    f->k = f->n = 0;
}

/* The factor for the present face. */
static void make(spd_lasso *a) {
    spd_factor *f = &a->factor;
    spd_products *s = &a->products;
    if (s->of != a->number || s->used + a->now.count > s->most) clear_products(s);
    s->of = a->number;
    drop(f);
    f->k = a->now.count;
    f->n = f->k + a->p->intercept;
    for (int64_t q = 0; q < f->k; q++) {
        const int32_t j = a->now.list[q];
        if (s->slot[j] < 0 && a->gram.size == 0 && !at_once(a)) add_slot(a, j);
        f->column[q] = j;
        f->place[j] = (int32_t)q;
    }
    if (a->A.row && a->gram.size == 0) spd_packed_fill(&a->packed, &a->A, f->column, f->k);
    make_matrix(a, 0);
    if (!spd_cholesky(f->n, f->L)) {
        make_matrix(a, STIFFER);
        if (!spd_cholesky(f->n, f->L)) drop(f);
    }
    f->excess = 0;
    f->iterations = 2;
}

bool spd_factor_renew(spd_lasso *a) {
    const double cost = factor_cost(a);
    if (!(a->factor.excess >= cost || cost <= 2 * iteration_cost(a))) return false;
    a->touched += cost;
    make(a);
    return a->A.row && a->gram.size == 0;
}

void spd_factor_used(spd_lasso *a, int iterations) {
    a->factor.iterations = iterations;
    a->touched += iterations * iteration_cost(a);
    a->factor.excess += fmax(iterations - 2, 0) * iteration_cost(a);
}

void spd_factor_apply(const spd_factor *f, const int32_t *e, int64_t k, bool intercept, const double *r, double *z) {
    if (f->n == 0) return;
    memset(f->w, 0, (size_t)f->n * sizeof *f->w);
    for (int64_t i = 0; i < k; i++)
        if (f->place[e[i]] >= 0) f->w[f->place[e[i]]] = r[i];
    if (intercept) f->w[f->k] = r[k];
    spd_cholesky_solve(f->n, f->L, f->w);
    for (int64_t i = 0; i < k; i++)
        if (f->place[e[i]] >= 0) z[i] = f->w[f->place[e[i]]];
    if (intercept) z[k] = f->w[f->k];
}

/* products.c - the entries of M = A_E'Q A_E + gamma I that a factor needs (factor.c): all at once for a new one, or those of the
 * columns that enter E. Q is kept from one lambda to the next as long as that pays: the model has an old curvature then, times a
 * number, which may cost further models but no new factor. For squared loss Q never changes. */
#include "lasso/lasso.h"

enum { BLOCK = 48 }; /* columns appended at once */
/* Cost of a multiplication, beside one of a sweep: of many dense columns with one vector; in a triangular solve; of matrices. */
static const double ABREAST = 0.25, SOLVE = 0.2, BLAS = 0.0625, CHOLESKY = 0.1 / 6, PAIR = 1;
static const double PACKING = 3; /* of an entry into `packed` */
static const double AWAY = 0.3;  /* root mean square by which an old curvature may be off, relative to the new one */

static double entries(const spd_lasso *a) {
    double sum = 0;
    if (a->gram.size > 0) return 0.5 * (double)a->now.count * (double)a->gram.size;
    for (int64_t q = 0; q < a->now.count; q++) sum += (double)spd_matrix_count(&a->A, a->now.list[q]);
    return sum;
}

/* In multiplications of a sweep: an iteration of conjugate gradients; a new factor; a further model. */
double spd_lasso_iteration_cost(const spd_lasso *a) {
    return 2 * (entries(a) + (double)a->p->n) + SOLVE * (double)(a->factor.n * a->factor.n);
}

static double factor_cost(const spd_lasso *a, double entry) {
    const double k = (double)a->now.count, rest = CHOLESKY * k * k * k + k * k;
    if (a->gram.size > 0) return rest;
    if (a->A.row) return rest + PAIR * a->packed.uneven * entry * entry + 2 * entry + (double)a->p->n;
    return BLAS * k * k * (double)a->p->n + rest;
}

static double model_cost(const spd_lasso *a, double entry) {
    const double dense = a->A.row ? 1 : ABREAST;
    return 3 * dense * entry + 16 * (double)a->p->n + 2 * SOLVE * (double)(a->factor.n * a->factor.n);
}

double spd_lasso_face_cost(const spd_lasso *a) {
    const double entry = entries(a);
    if (a->now.count + a->p->intercept > a->factor.most) return (double)(a->factor.iterations + 1) * spd_lasso_iteration_cost(a);
    return model_cost(a, entry) + (a->ready ? 0 : factor_cost(a, entry));
}

/* sum_i share_i c_i of the present curvature over that of the factor's, and how far the two are apart then. */
static double compare(const spd_lasso *a, double *away) {
    const spd_factor *f = &a->factor;
    double now = 0, then = 0, square = 0;
    for (int64_t i = 0; i < a->p->n; i++) {
        now += a->share[i] * a->curve[i];
        then += f->Q[i];
    }
    const double scale = a->p->gamma > 0 ? 1 : now / then;
    for (int64_t i = 0; i < a->p->n; i++) {
        const double by = scale * f->curve[i] - a->curve[i];
        square += a->share[i] * by * by / fmax(a->curve[i], 1e-3 * a->p->kappa_usual);
    }
    *away = sqrt(square / now);
    return scale;
}

bool spd_factor_keeps(spd_lasso *a) {
    spd_factor *f = &a->factor;
    if (f->n == 0 || f->gamma != a->p->gamma) return false;
    f->scale = 1;
    if (spd_loss_is_square(a->p->loss)) return true;
    const double entry = entries(a), cost = factor_cost(a, entry);
    double away;
    if (a->damp > 0 || f->excess >= cost || cost <= model_cost(a, entry)) return false;
    const double scale = compare(a, &away);
    if (!(away <= AWAY) || !(scale > 0)) return false;
    f->scale = scale;
    return true;
}

void spd_factor_insufficient(spd_lasso *a) {
    if (a->kept) a->factor.excess += model_cost(a, entries(a));
}

/* Row n + r of L is that of column j in M: its products with the unknowns before it, and with itself. */
static void put_row(spd_factor *f, int64_t r, const double *product, double gamma) {
    const int64_t n = f->n;
    for (int64_t c = 0; c <= n + r; c++) f->L[c * f->most + n + r] = product[c];
    f->L[(n + r) * (f->most + 1)] += gamma;
}

/* Products of column j of a sparse A with the unknowns and the r columns of the block before it: by the rows of j, where `packed`
 * has the others. */
static void sparse_products(spd_lasso *a, const int32_t *block, int64_t r, double *out, double *acc) {
    const spd_factor *f = &a->factor;
    const spd_packed *s = &a->packed;
    const spd_matrix *A = &a->A;
    const int32_t j = block[r];
    double sum = 0;
    memset(acc, 0, (size_t)s->count * sizeof *acc);
    spd_matrix_add_weighted(A, j, 1, f->Q, f->weighted);
    for (int64_t q = A->ptr[j]; q < A->ptr[j + 1]; q++) {
        const int64_t i = A->row[q], from = s->ptr[i];
        sum += f->weighted[i];
        if (s->count > 0) spd_scatter_add(s->ptr[i + 1] - from, f->weighted[i], s->idx + from, s->val + from, acc);
    }
    for (int64_t u = 0; u <= f->n + r; u++) {
        const int32_t c = u < f->n ? f->column[u] : block[u - f->n];
        out[u] = c < 0 ? sum : s->at[c] >= 0 ? acc[s->at[c]] : spd_matrix_dot(A, c, f->weighted);
    }
    for (int64_t q = A->ptr[j]; q < A->ptr[j + 1]; q++) f->weighted[A->row[q]] = 0;
    a->touched += (double)spd_matrix_count(A, j) * 8;
}

static void dense_products(spd_lasso *a, const int32_t *block, int64_t r, double *out) {
    const spd_factor *f = &a->factor;
    const bool ones = a->p->intercept;
    int32_t *list = a->edge;
    memcpy(list, f->column + ones, (size_t)(f->n - ones) * sizeof *list);
    memcpy(list + f->n - ones, block, (size_t)(r + 1) * sizeof *list);
    spd_matrix_add_weighted(&a->A, block[r], 1, f->Q, f->weighted);
    spd_matrix_packed_dots(&a->A, a->threads, list, f->n - ones + r + 1, f->weighted, out + ones);
    if (ones) out[0] = spd_sum_lanes(a->p->n, f->weighted);
    memset(f->weighted, 0, (size_t)a->p->n * sizeof *f->weighted);
    a->touched += ABREAST * (double)(f->n * a->p->n);
}

static void gram_products(const spd_lasso *a, const int32_t *block, int64_t r, double *out) {
    const spd_factor *f = &a->factor;
    const double *H = a->gram.H.val + block[r] * a->gram.size;
    for (int64_t u = 0; u <= f->n + r; u++) {
        const int64_t c = u < f->n ? f->column[u] : block[u - f->n];
        out[u] = H[c < 0 ? a->p->d : c];
    }
}

/* Brings `packed` up to date as soon as products with columns that it lacks would cost more. */
static void pack(spd_lasso *a, int64_t count) {
    const spd_matrix *A = &a->A;
    double lacks = 0, all = 0;
    for (int64_t q = 0; q < a->now.count; q++)
        if (a->packed.at[a->now.list[q]] < 0) lacks += (double)spd_matrix_count(A, a->now.list[q]);
    for (int64_t q = 0; q < a->size; q++) all += (double)spd_matrix_count(A, a->set[q]);
    if ((double)count * lacks > PACKING * all + (double)A->n) spd_packed_fill(&a->packed, A, a->set, a->size);
}

/* Columns of which place[] knows nothing yet. work: as many numbers as there are unknowns, twice. */
bool spd_factor_enter(spd_lasso *a, const int32_t *list, int64_t count, double *work) {
    spd_factor *f = &a->factor;
    if (a->A.row && a->gram.size == 0) pack(a, count);
    for (int64_t from = 0, block; from < count; from += block) {
        block = from + BLOCK < count ? BLOCK : count - from;
        for (int64_t r = 0; r < block; r++) {
            if (a->gram.size > 0)
                gram_products(a, list + from, r, work);
            else if (a->A.row)
                sparse_products(a, list + from, r, work, work + f->most);
            else
                dense_products(a, list + from, r, work);
            put_row(f, r, work, a->p->gamma);
        }
        if (!spd_factor_append(f, list + from, block)) return false;
    }
    return true;
}

static bool enter_intercept(spd_lasso *a) {
    const int32_t ones = -1;
    a->factor.L[0] = a->gram.size > 0 ? a->gram.H.val[a->p->d * (a->gram.size + 1)] : spd_sum_abs(a->p->n, a->factor.Q);
    return spd_factor_append(&a->factor, &ones, 1);
}

bool spd_factor_make(spd_lasso *a, const int32_t *list, int64_t count, double *work) {
    spd_factor *f = &a->factor;
    const bool ones = a->p->intercept, at_once = a->gram.size == 0;
    const int64_t size = count + ones;
    spd_factor_drop(f);
    a->touched += factor_cost(a, entries(a));
    memcpy(f->curve, a->curve0, (size_t)a->p->n * sizeof *f->curve);
    memcpy(f->Q, a->Q, (size_t)a->p->n * sizeof *f->Q);
    f->gamma = a->p->gamma;
    f->scale = 1;
    if (size == 0) return true; /* BLAS takes no empty matrix */
    if (at_once && a->A.row) {
        spd_packed_fill(&a->packed, &a->A, list, count);
        spd_packed_gram(&a->packed, a->Q, count, ones, f->bulk);
    } else if (at_once)
        spd_gram_dense(&a->A, a->Q, list, count, ones, f->panel, f->bulk);
    if (ones && !enter_intercept(a)) return false;
    if (!at_once) return spd_factor_enter(a, list, count, work);
    for (int64_t from = 0, block; from < count; from += block) {
        block = from + BLOCK < count ? BLOCK : count - from;
        for (int64_t r = 0; r < block; r++) {
            const int64_t j = from + r;
            if (ones) work[0] = f->bulk[count * size + j];
            memcpy(work + ones, f->bulk + j * size, (size_t)(j + 1) * sizeof *work);
            put_row(f, r, work, f->gamma);
        }
        if (!spd_factor_append(f, list + from, block)) return false;
    }
    return true;
}

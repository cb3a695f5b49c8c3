/* blocks.c - the handle: what it takes, its memory, the start. */
#include "blocks/blocks.h"

enum { CLASSES_MOST = 256, POOL_MOST = 1 << 22, PAST_MOST = 1 << 16, ROWS_MOST = 200, FEW = 500, ROWS_MOST_ANEW = 2 };

/* Every row of F has one positive entry, at its own feature, the same in the whole block: they are the weights. */
static bool has_weights(const spd_term *t) {
    const spd_csr *F = &t->F->F;
    spd_csr_row row;
    if (F->m != F->n) return false;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_take(F, e, &row);
        if (row.n != 1 || row.idx[0] != e || !(row.val[0] > 0)) return false;
    }
    for (int64_t b = 0; b < t->blocks; b++) {
        spd_csr_row head;
        spd_csr_take(F, spd_term_block_row(t, b, 0), &head);
        for (int64_t r = 1; r < spd_term_block_rows(t, b); r++) {
            spd_csr_take(F, spd_term_block_row(t, b, r), &row);
            if (row.val[0] != head.val[0]) return false;
        }
    }
    return true;
}

const char *spd_blocks_refuses(const spdhg_problem *p) {
    const spd_term *t = p->term;
    if (!p->set.kind->whole) return "it works for X = R^d only";
    if (p->terms != 1 || !(t->penalty->sum_of_sizes || (t->penalty->length && t->penalty->block == SPDHG_BLOCK_GROUP)))
        return "it works for one term only, with the penalty l1 or group";
    if (!has_weights(t)) return "it works for the coefficients themselves, F = identity";
    if (t->penalty->sum_of_sizes && p->K == 1 && !t->block_ptr && spd_csr_is_identity(&t->F->F))
        return "with l1 and one output solver lasso works better";
    if (!p->loss->value && !p->loss->chance_k) return "it takes a loss that joins outputs only if it models chances";
    if (!p->loss->value && p->K > CLASSES_MOST) return "it works for up to 256 classes";
    return NULL;
}

/* Where curvatures change with x, the models are made anew at each lambda. With more than twice as many rows as features, a Hessian
 * of all of few features then costs less than passes over columns (bench/before-after, path of groups). */
bool spd_blocks_pays(const spdhg_problem *p) {
    const bool anew = p->K == 1 && !p->loss->quadratic && p->d <= FEW;
    return p->n <= (anew ? ROWS_MOST_ANEW : ROWS_MOST) * p->d;
}

static int64_t pool_size(const spdhg_problem *p) {
    const double each = (double)(p->K * p->K + p->K) * 4096;
    return (int64_t)fmin(fmax(each, 1 << 18), POOL_MOST) + 2 * spd_blocks_hessian_most() * p->K;
}

double spd_blocks_bytes(const spdhg_problem *p) {
    const double n = (double)(p->n * p->K), d = (double)p->dK, past = fmin(d, PAST_MOST);
    return 2 * spd_matrix_bytes(p) + 8.0 * (18 * n + 6 * d + 12.0 * (double)p->d) + 8.0 * (double)pool_size(p) +
           8.0 * (SPD_BLOCK_HISTORY + 1) * past;
}

static bool new_point(spd_block_point *s, const spdhg_problem *p, int64_t count) {
    *s = (spd_block_point){.x = SPD_NEW(double, p->dK), .c = SPD_NEW(double, p->K), .list = SPD_NEW(int32_t, count)};
    return s->x && s->c && s->list;
}

/* Blocks of the penalty; numbers that are penalised one by one are taken feature by feature. */
static bool cut(spd_blocks *a) {
    const spd_term *t = a->p->term;
    a->single = t->penalty->sum_of_sizes;
    a->count = a->single ? a->p->d : t->blocks;
    a->first = SPD_NEW(int64_t, a->count + 1);
    a->feature = SPD_NEW(int32_t, a->p->d);
    a->weight = SPD_NEW(double, a->count);
    if (!a->first || !a->feature || !a->weight) return false;
    for (int64_t b = 0; b < a->count; b++) {
        const int64_t rows = a->single ? 1 : spd_term_block_rows(t, b);
        spd_csr_row row;
        a->first[b + 1] = a->first[b] + rows;
        a->largest = rows > a->largest ? rows : a->largest;
        for (int64_t r = 0; r < rows; r++) a->feature[a->first[b] + r] = (int32_t)(a->single ? b : spd_term_block_row(t, b, r));
        spd_csr_take(&t->F->F, a->feature[a->first[b]], &row);
        a->weight[b] = row.val[0];
    }
    return true;
}

static bool allocate_rows(spd_blocks *a) {
    const int64_t nK = a->p->n * a->p->K;
    double **const rows[] = {&a->z,      &a->slope,  &a->curve, &a->rows, &a->rows_slope, &a->second, &a->z0,
                             &a->slope0, &a->curve0, &a->Q,     &a->r,    &a->v,          &a->alpha,  &a->b};
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) good = (*rows[i] = SPD_NEW(double, nK)) && good;
    return good;
}

static bool allocate(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, K = p->K;
    if (!cut(a)) return false;
    const int64_t most = a->largest * K, square = spd_blocks_hessian_most() > K ? spd_blocks_hessian_most() : K;
    a->past_size = (p->dK < PAST_MOST ? p->dK : PAST_MOST) + K;
    a->pool_size = pool_size(p);
    double **const arrays[] = {&a->share, &a->one, &a->nothing, &a->norm,     &a->bound,  &a->score,   &a->pool,
                               &a->past,  &a->g,   &a->c_curve, &a->c_V,      &a->V,      &a->work,    &a->s,
                               &a->u,     &a->to,  &a->by,      &a->off,      &a->packed, &a->partial, &a->D,
                               &a->t,     &a->c_s, &a->c_by,    &a->columns_g};
    const int64_t sizes[] = {n,
                             n,
                             n,
                             a->count,
                             a->count,
                             a->count,
                             a->pool_size,
                             (SPD_BLOCK_HISTORY + 1) * a->past_size,
                             p->dK,
                             K,
                             K * K,
                             square * square,
                             spd_eigen_work(square),
                             most,
                             most,
                             most,
                             most,
                             K,
                             p->d,
                             spd_problem_blocks(p) * (1 + K) + 16,
                             most,
                             most,
                             K,
                             K,
                             p->d + 2 * most};
    bool good = new_point(&a->now, p, a->count);
    good = new_point(&a->origin, p, a->count) && good;
    good = new_point(&a->before, p, a->count) && good;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) good = (*arrays[i] = SPD_NEW(double, sizes[i])) && good;
    a->is_active = SPD_NEW(bool, a->count);
    a->in_set = SPD_NEW(bool, a->count);
    a->set = SPD_NEW(int32_t, a->count);
    a->made = SPD_NEW(int64_t, a->count);
    a->place = SPD_NEW(int64_t, a->count);
    a->columns = SPD_NEW(int32_t, p->d);
    good = good && allocate_rows(a) && a->is_active && a->in_set && a->set && a->made && a->place && a->columns;
    for (int64_t i = 0; i < n && good; i++) {
        a->share[i] = spd_problem_share(p, i);
        a->one[i] = 1;
    }
    return good && spd_matrix_new(&a->A, p, a->share) && spd_block_face_new(&a->face, &a->A, K);
}

static void measure(spd_blocks *a) {
    const spdhg_problem *p = a->p;
    for (int64_t b = 0; b < a->count; b++) {
        double square = 0;
        for (int64_t q = a->first[b]; q < a->first[b + 1]; q++) square += a->A.norm[a->feature[q]] * a->A.norm[a->feature[q]];
        a->norm[b] = sqrt(square) * (1 + ((double)a->largest + 8) * 0x1p-52) + 1e-150;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const double *offset = spd_problem_offset(p, i);
        for (int64_t k = 0; k < p->K; k++) {
            if (!a->coupled) a->b[k * p->n + i] = p->b[i * p->K + k];
            if (offset) a->offset = fmax(a->offset, fabs(offset[k]));
            if (!a->coupled && a->share[i] > 0) a->least -= a->share[i] * p->loss->conjugate(0, p->b[i * p->K + k], p->loss_arg);
        }
    }
}

spdhg_status spd_blocks_new(spd_blocks **out, const spdhg_problem *p, int threads, spdhg_error *err) {
    spd_blocks *a = *out = SPD_NEW(spd_blocks, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    a->p = p;
    a->threads = threads;
    a->times = 1;
    a->most = a->allowed = INFINITY;
    a->coupled = !p->loss->value;
    a->shared = !a->coupled && spd_loss_is_square(p->loss);
    if (!allocate(a)) {
        spd_blocks_free(a);
        *out = NULL;
        return spd_fail_memory(err, spd_blocks_bytes(p));
    }
    measure(a);
    spd_blocks_forget(a);
    const double f = spd_blocks_evaluate(a), start = a->loss; /* at 0 */
    a->reference = isfinite(f) ? 0x1p-53 / 1e-6 * start : 0;
    return SPDHG_OK;
}

void spd_blocks_forget(spd_blocks *a) {
    a->number = 0;
    a->stiff = 1;
    a->touched = a->count_work = 0;
    a->pool_used = 0;
    memset(a->made, 0, (size_t)a->count * sizeof *a->made);
    memset(a->bound, 0, (size_t)a->count * sizeof *a->bound);
    spd_blocks_ahead_forget(a);
    spd_block_face_forget(a);
}

static void free_point(spd_block_point *s) { SPD_FREE_ALL(s->x, s->c, s->list); }

void spd_blocks_free(spd_blocks *a) {
    if (!a) return;
    spd_matrix_free(&a->A);
    spd_block_face_free(&a->face);
    free_point(&a->now);
    free_point(&a->origin);
    free_point(&a->before);
    SPD_FREE_ALL(a->first, a->feature, a->weight, a->norm, a->share, a->one, a->nothing, a->b, a->is_active, a->z, a->slope,
                 a->curve, a->rows, a->rows_slope, a->second, a->set, a->in_set, a->z0, a->slope0, a->curve0, a->Q, a->r, a->made,
                 a->place, a->pool, a->bound, a->c_curve, a->c_V, a->V, a->work, a->s, a->u, a->to, a->by, a->v, a->columns,
                 a->packed, a->D, a->t, a->c_s, a->c_by, a->columns_g, a->past, a->alpha, a->g, a->score, a->off, a->partial);
    spd_free(a);
}

void spd_blocks_start(spd_blocks *a, const double *x, const double *c, double lambda) {
    memset(a->is_active, 0, (size_t)a->count * sizeof *a->is_active);
    memcpy(a->now.x, x, (size_t)a->p->dK * sizeof *x);
    for (int64_t k = 0; k < a->p->K; k++) a->now.c[k] = a->p->intercept ? c[k] : 0;
    a->now.count = 0;
    for (int64_t b = 0; b < a->count; b++) {
        bool some = false;
        for (int64_t q = a->first[b]; q < a->first[b + 1] && !some; q++)
            for (int64_t k = 0; k < a->p->K; k++) some = some || x[a->feature[q] * a->p->K + k] != 0;
        if (some) spd_blocks_activate(a, b);
    }
    spd_lasso_answer nothing;
    spd_blocks_evaluate(a);
    memcpy(a->alpha, a->slope, (size_t)(a->p->n * a->p->K) * sizeof *a->slope);
    spd_blocks_prove(a, &nothing); /* the lengths of g_b, for the strong rule */
    a->lambda = lambda;
    a->fallen = 0;
}

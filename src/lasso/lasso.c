/* lasso.c - the handle: its memory, the start, and f at a point. */
#include "lasso/lasso.h"

enum {
    FACE_MOST = SPD_DENSE_MOST,
    ITERATIONS_FIRST = 16,
    ROWS_MOST = 200 /* rows for each feature: with more, a Hessian of few features costs less than passes over its columns */
};

const char *spd_lasso_refuses(const spdhg_problem *p) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (!p->set.kind->separable || !(low <= 0 && high >= 0)) return "it takes a set X that bounds each coefficient, with 0 inside";
    if (p->terms != 1 || !spd_csr_is_identity(&p->term[0].F->F) || !p->term[0].penalty->sum_of_sizes)
        return "it works for l1 of the coefficients only";
    if (p->K != 1 || !p->loss->value) return "it works for one output only";
    return NULL;
}

bool spd_lasso_pays(const spdhg_problem *p) { return p->n <= ROWS_MOST * p->d; }

double spd_lasso_bytes(const spdhg_problem *p) {
    const double k = fmin((double)p->d, FACE_MOST);
    return 2 * spd_matrix_bytes(p) + 100.0 * (double)p->d + 100.0 * (double)p->n + 24.0 * k * k;
}

static bool new_point(spd_sparse_point *s, int64_t d) {
    *s = (spd_sparse_point){.x = SPD_NEW(double, d), .list = SPD_NEW(int32_t, d)};
    return s->x && s->list;
}

static void free_point(spd_sparse_point *s) { SPD_FREE_ALL(s->x, s->list); }

static bool allocate(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    const int64_t n = p->n, d = p->d, most = d < FACE_MOST ? d : FACE_MOST;
    double **const rows[] = {&a->share,  &a->nothing, &a->z, &a->slope, &a->curve,       &a->z0,          &a->slope0,
                             &a->curve0, &a->Q,       &a->r, &a->alpha, &a->known_alpha, &a->older_alpha, &a->z_before};
    double **const columns[] = {&a->h, &a->g, &a->s, &a->at, &a->known, &a->older};
    bool good = new_point(&a->now, d);
    good = new_point(&a->origin, d) && good;
    good = new_point(&a->before, d) && good;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) good = (*rows[i] = SPD_NEW(double, n)) && good;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) good = (*columns[i] = SPD_NEW(double, d)) && good;
    for (int64_t i = 0; i < n && good; i++) a->share[i] = spd_problem_share(p, i);
    good = good && spd_matrix_new(&a->A, p, a->share) && spd_packed_new(&a->packed, &a->A) &&
           spd_factor_new(&a->factor, &a->A, most + 1);
    a->is_active = SPD_NEW(bool, d);
    a->in_set = SPD_NEW(bool, d);
    a->set = SPD_NEW(int32_t, d);
    a->examined = SPD_NEW(int32_t, d);
    a->h_of = SPD_NEW(int64_t, d);
    a->edge = SPD_NEW(int32_t, d);
    a->fresh = SPD_NEW(int32_t, d);
    const int64_t face = spd_lasso_face_work(n, d), direct = spd_lasso_direct_work(d, most + 1);
    a->face = spd_alloc_raw(face > direct ? face : direct, sizeof(double));
    a->partial = SPD_NEW(double, spd_problem_blocks(p) * 4 + 16);
    return good && a->is_active && a->in_set && a->set && a->examined && a->h_of && a->edge && a->fresh && a->face && a->partial;
}

spdhg_status spd_lasso_new(spd_lasso **out, const spdhg_problem *p, bool path, int threads, spdhg_error *err) {
    spd_lasso *a = *out = SPD_NEW(spd_lasso, 1);
    if (!a) return spd_fail_memory(err, sizeof *a);
    a->p = p;
    a->threads = threads;
    a->times = 1;
    spd_set_sides(&p->set, &a->low, &a->high);
    a->most = a->allowed = INFINITY;
    if (!allocate(a)) {
        spd_lasso_free(a);
        *out = NULL;
        return spd_fail_memory(err, spd_lasso_bytes(p));
    }
    spd_lasso_forget(a);
    double least = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *offset = spd_problem_offset(p, i);
        a->z[i] = offset ? offset[0] : 0;
        a->offset = fmax(a->offset, fabs(a->z[i]));
        if (a->share[i] > 0) least -= a->share[i] * p->loss->conjugate(0, p->b[i], p->loss_arg);
    }
    a->least = least;
    a->gram_cost = spd_gram_cost(p, FACE_MOST);
    a->path = path;
    if (isfinite(a->gram_cost) && !spd_gram_new(a)) {
        spd_lasso_free(a);
        *out = NULL;
        return spd_fail_memory(err, spd_lasso_bytes(p));
    }
    if (path && isfinite(a->gram_cost)) spd_gram_make(a);
    const double start = spd_problem_losses(p, threads, &(spd_scores){.z = a->z, .c = p->constant}, NULL, NULL, a->partial);
    a->reference = 0x1p-53 / 1e-6 * (isfinite(start) ? start : 0);
    return SPDHG_OK;
}

void spd_lasso_forget(spd_lasso *a) {
    spd_factor_drop(&a->factor);
    a->factor.iterations = ITERATIONS_FIRST;
    a->number = 0;
    a->damp = a->ratio = a->touched = a->work = 0;
    memset(a->h_of, 0, (size_t)a->p->d * sizeof *a->h_of);
    if (!a->path) a->gram.size = 0;
}

void spd_lasso_free(spd_lasso *a) {
    if (!a) return;
    spd_matrix_free(&a->A);
    spd_factor_free(&a->factor);
    spd_packed_free(&a->packed);
    spd_gram_free(&a->gram);
    free_point(&a->now);
    free_point(&a->origin);
    free_point(&a->before);
    SPD_FREE_ALL(a->share, a->nothing, a->z, a->slope, a->curve, a->z0, a->slope0, a->curve0, a->Q, a->r, a->alpha,
                 a->known_alpha, a->older_alpha, a->z_before, a->h, a->g, a->known, a->older, a->is_active, a->in_set, a->set,
                 a->examined, a->h_of, a->edge, a->fresh, a->s, a->at, a->face, a->partial);
    spd_free(a);
}

double spd_lasso_evaluate(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    for (int64_t i = 0; i < p->n; i++) a->z[i] = p->data->offset ? spd_problem_offset(p, i)[0] : 0;
    double *packed = a->face;
    for (int64_t q = 0; q < a->now.count; q++) packed[q] = a->now.x[a->now.list[q]];
    spd_matrix_combine(&a->A, a->now.list, a->now.count, packed, a->z);
    if (p->intercept) spd_problem_shift(p, &a->now.c, a->z);
    return spd_lasso_evaluate_scores(a);
}

double spd_lasso_evaluate_scores(spd_lasso *a) {
    const spdhg_problem *p = a->p;
    double square = 0, size = 0;
    for (int64_t q = 0; q < a->now.count; q++) {
        const double x = a->now.x[a->now.list[q]];
        square += x * x;
        size += fabs(x);
    }
    a->loss = spd_problem_losses(p, a->threads, &(spd_scores){.z = a->z}, a->slope, a->curve, a->partial);
    a->ridge = 0.5 * p->gamma * square;
    a->penalty = spd_lasso_lambda(a) * size;
    return a->loss + a->ridge + a->penalty;
}

void spd_lasso_start(spd_lasso *a, const double *x, double c, double lambda) {
    const int64_t n = a->p->n, d = a->p->d;
    memset(a->is_active, 0, (size_t)d * sizeof *a->is_active);
    memcpy(a->now.x, x, (size_t)d * sizeof *x);
    a->now.c = c;
    a->now.count = 0;
    for (int64_t j = 0; j < d; j++)
        if (x[j] != 0) {
            a->is_active[j] = true;
            a->now.list[a->now.count++] = (int32_t)j;
        }
    spd_lasso_evaluate(a);
    memcpy(a->known_alpha, a->slope, (size_t)n * sizeof *a->slope);
    for (int64_t i = 0; i < n; i++) a->r[i] = a->share[i] * a->slope[i];
    a->known_off = spd_lasso_off(a, a->slope);
    a->older_off = INFINITY;
    spd_matrix_dots(&a->A, a->threads, NULL, d, a->r, a->known);
    memcpy(a->g, a->known, (size_t)d * sizeof *a->g);
    for (int64_t j = 0; j < d; j++) a->examined[j] = (int32_t)j;
    a->examined_count = d;
    a->examined_entries = 0;
    a->lambda = lambda;
    a->fallen = 0;
}

/* restricted.c - the model in which no penalty acts. For orthonormal N, minimises over u and c
 *     (1/W) sum_i w_i phi(a_i'N u + c + o_i, b_i) + (gamma/2)||u||^2.
 * The rows N'a_i become a small problem of their own. */
#include <stdlib.h>

#include "tune/tune.h"

enum { DENSE_COLUMNS = 64, EPOCHS_MOST = 2000 };

spdhg_status spd_tune_solver(const spdhg_problem *p, const char *name, const char **out, spdhg_error *err) {
    spd_plan plan;
    SPD_TRY(spd_plan_make(&plan, name, p, err));
    *out = spd_plan_main(&plan)->kind->name;
    return SPDHG_OK;
}

static int ascending(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* The rows N'a_i: dense for few columns, otherwise sparse. */
typedef struct reduced {
    int64_t *ptr;
    int32_t *idx;
    double *val;
} reduced;

static void free_reduced(reduced *r) {
    spd_free(r->ptr);
    spd_free(r->idx);
    spd_free(r->val);
}

/* sum[column] += N'a_i; touched lists the columns. Returns their number. */
static int64_t reduce_row(const spdhg_problem *p, const spd_csr *N, int64_t i, double *sum, bool *seen, int32_t *touched) {
    spd_row row;
    int64_t count = 0;
    spd_problem_row(p, i, &row);
    for (int64_t q = 0; q < row.nnz; q++) {
        const int64_t j = row.idx ? row.idx[q] : q;
        for (int64_t a = N->ptr[j]; a < N->ptr[j + 1]; a++) {
            const int32_t column = N->idx[a];
            if (!seen[column]) touched[count++] = column;
            seen[column] = true;
            sum[column] += row.val[q] * N->val[a];
        }
    }
    return count;
}

static spdhg_status reduce(reduced *r, const spdhg_problem *p, const spd_nullspace *null, spdhg_error *err) {
    const int64_t k = null->k;
    const bool dense = k <= DENSE_COLUMNS;
    double *sum = SPD_NEW(double, k);
    bool *seen = SPD_NEW(bool, k), good = true;
    int32_t *touched = SPD_NEW(int32_t, k);
    int64_t capacity = dense ? p->n * k : 0;
    *r = (reduced){
        .ptr = SPD_NEW(int64_t, p->n + 1), .idx = dense ? NULL : SPD_NEW(int32_t, capacity), .val = SPD_NEW(double, capacity)};
    good = sum && seen && touched && r->ptr && (dense || r->idx) && r->val;
    for (int64_t i = 0; i < p->n && good; i++) {
        const int64_t count = reduce_row(p, &null->N, i, sum, seen, touched), at = r->ptr[i];
        if (!dense && at + count > capacity) {
            const int64_t more = 2 * capacity + count;
            int32_t *idx = spd_grow(r->idx, capacity, more, sizeof *idx);
            if (idx) r->idx = idx;
            double *val = idx ? spd_grow(r->val, capacity, more, sizeof *val) : NULL;
            if (val) r->val = val;
            capacity = more;
            if (!(good = val != NULL)) break;
        }
        if (!dense) qsort(touched, (size_t)count, sizeof *touched, ascending);
        for (int64_t a = 0; a < count; a++) {
            const int32_t column = touched[a];
            if (!dense) r->idx[at + a] = column;
            r->val[dense ? i * k + column : at + a] = sum[column];
            sum[column] = 0;
            seen[column] = false;
        }
        r->ptr[i + 1] = at + count;
    }
    spd_free(sum);
    spd_free(seen);
    spd_free(touched);
    return good ? SPDHG_OK : spd_fail_memory(err, 12.0 * (double)p->n * (double)k);
}

/* Attaches the weights and offsets of the problem's own rows. */
static spdhg_status attach(spdhg_data *data, const spdhg_problem *p, spdhg_error *err) {
    if (p->weight) SPD_TRY(spdhg_data_set_weights(data, p->weight, err));
    if (!p->data->offset) return SPDHG_OK;
    double *offset = SPD_NEW(double, p->n * p->K);
    if (!offset) return spd_fail_memory(err, 8.0 * (double)p->n * (double)p->K);
    for (int64_t i = 0; i < p->n; i++) memcpy(offset + i * p->K, spd_problem_offset(p, i), (size_t)p->K * sizeof *offset);
    const spdhg_status status = spdhg_data_set_offsets(data, offset, p->K, err);
    spd_free(offset);
    return status;
}

static spdhg_status solve(const spdhg_problem *p, spdhg_problem *small, const spd_nullspace *null, int threads, double *x,
                          double *c, bool *found, spdhg_error *err) {
    SPD_TRY(spdhg_problem_loss(small, p->loss, p->loss_arg, err));
    SPD_TRY(spdhg_problem_ridge(small, p->gamma, err));
    SPD_TRY(spdhg_problem_intercept(small, p->intercept, err));
    SPD_TRY(spdhg_problem_allow_one_class(small, true, err));
    SPD_TRY(spd_problem_freeze(small, err));
    if (small->K != p->K) return spd_fail(err, SPDHG_DATA, "a class has only rows of weight 0");
    spdhg_options options = SPDHG_OPTIONS;
    options.tol = 1e-12;
    options.epochs = EPOCHS_MOST;
    options.threads = threads;
    const char *name;
    spdhg_solver *solver;
    SPD_TRY(spd_tune_solver(small, "auto", &name, err));
    SPD_TRY(spdhg_solver_new(&solver, name, small, &options, err));
    const spdhg_status status = spdhg_solver_run(solver, NULL, err);
    if (status == SPDHG_OK) {
        const spdhg_solution *s = spdhg_solver_solution(solver);
        /* Only a loss that falls forever may have no minimiser. Then it tends to 0 and the gap is as large as the objective. */
        *found = !spd_problem_falls(p) ||
                 (strcmp(s->gap_kind, "certified") == 0 && s->gap_relative <= 1e-9 && s->gap <= 1e-9 * s->objective);
        spd_csr_apply(&null->N, p->K, s->x, x);
        memcpy(c, s->c, (size_t)p->K * sizeof *c);
    }
    spdhg_solver_free(solver);
    return status;
}

/* Only the intercept is free. */
static spdhg_status at_zero(const spdhg_problem *p, int threads, const double *x, double *c, spdhg_error *err) {
    double *scratch = SPD_NEW(double, spd_problem_value_work(p));
    spd_value value;
    if (!scratch) return spd_fail_memory(err, 8.0 * (double)spd_problem_value_work(p));
    spd_problem_value(p, threads, x, c, NULL, NULL, scratch, &value, NULL);
    spd_free(scratch);
    return SPDHG_OK;
}

spdhg_status spd_restricted_minimum(const spdhg_problem *p, const spd_nullspace *null, int threads, double *x, double *c,
                                    bool *found, spdhg_error *err) {
    memset(x, 0, (size_t)p->dK * sizeof *x);
    memset(c, 0, (size_t)p->K * sizeof *c);
    *found = true;
    if (null->k == 0) return at_zero(p, threads, x, c, err);
    reduced r;
    spdhg_data *data = NULL;
    spdhg_problem *small = NULL;
    const int64_t k = null->k;
    spdhg_status status = reduce(&r, p, null, err);
    if (status == SPDHG_OK)
        status = spdhg_data_from_csr(&data, p->n, k, k <= DENSE_COLUMNS ? NULL : r.ptr, r.idx, r.val, p->b, p->targets,
                                     SPDHG_BORROW, err);
    if (status == SPDHG_OK) status = attach(data, p, err);
    if (status == SPDHG_OK) status = spdhg_problem_new(&small, data, "squared", err);
    if (status == SPDHG_OK) status = solve(p, small, null, threads, x, c, found, err);
    spdhg_problem_free(small);
    spdhg_data_free(data);
    free_reduced(&r);
    return status;
}

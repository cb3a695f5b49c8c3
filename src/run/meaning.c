/* meaning.c - what the coefficients of a model mean: how far each feature spreads over the training rows, and which coefficients
 * the structure has made equal. */
#include "model/model.h"
#include "problem/rows.h"
#include "run/run.h"

typedef struct pass {
    const spdhg_problem *p;
    const double *mean; /* NULL: it is computed */
    bool ones;          /* every value is 1: the mean m is all there is to know, as the squares add up to m - m^2 */
    bool open;          /* one shard after the other, in a pass over rows that are made of columns */
} pass;

/* With weight w, one row to the sums of the columns that it lists (idx NULL: all of `count`): their values, and w itself `away`
 * behind; or the squares around the mean. */
static void add_values(int64_t count, const int32_t *idx, const double *val, double w, int64_t away, double *sum) {
    for (int64_t q = 0; q < count; q++) {
        const int64_t j = idx ? idx[q] : q;
        sum[j] += w * val[q];
        sum[away + j] += w;
    }
}
static void add_squares(int64_t count, const int32_t *idx, const double *val, double w, const double *mean, double *sum) {
    for (int64_t q = 0; q < count; q++) {
        const int64_t j = idx ? idx[q] : q;
        sum[j] += w * (val[q] - mean[j]) * (val[q] - mean[j]);
    }
}
static void add_ones(int64_t count, const int32_t *idx, double w, double *sum) {
    for (int64_t q = 0; q < count; q++) sum[idx[q]] += w;
}

/* sum: mean_j, then the weight of the rows that list j; or with a mean, the squares around it. */
static void add_rows(void *context, int64_t first, int64_t end, double *sum) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const spdhg_data *data = p->data;
    for (int64_t i = first; i < end; i++) {
        const int64_t id = spd_problem_id(p, i), from = data->idx ? data->ptr[id] : id * p->d;
        const int64_t count = data->idx ? data->ptr[id + 1] - from : p->d;
        const int32_t *idx = data->idx ? data->idx + from : NULL;
        const double w = spd_problem_share(p, i), *val = data->val + from;
        spd_pass_to(p, a->open, id);
        if (idx && a->ones) /* ones: of sparse rows */
            add_ones(count, idx, w, sum);
        else if (a->mean)
            add_squares(count, idx, val, w, a->mean, sum);
        else
            add_values(count, idx, val, w, p->d, sum);
    }
}

/* The weighted standard deviation of every column; entries that a sparse row does not list are 0. */
static bool spread(const spdhg_problem *p, int threads, double *deviation) {
    const int64_t shards = spd_problem_shards(p), d = p->d;
    double *mean = SPD_NEW(double, 2 * d), *work = SPD_NEW(double, spd_row_sum_work(p->ranks, shards, 2 * d, threads <= 1));
    const bool good = mean && work;
    pass a = {.p = p, .ones = p->ones && p->val == p->data->val};
    spd_row_sum sum = spd_sum_of_rows(p, shards, a.ones ? d : 2 * d, a.ones ? d : 2 * d, add_rows, &a);
    a.open = spd_pass_begin(p);
    sum.in_turn = threads <= 1 || a.open;
    if (good) spd_row_sum_run(&sum, threads, work);
    if (good && !a.ones) {
        memcpy(mean, work, 2 * (size_t)d * sizeof *mean);
        a.mean = mean;
        sum.width = d;
        spd_row_sum_run(&sum, threads, work);
    }
    spd_pass_end(p, a.open);
    for (int64_t j = 0; good && j < d; j++)
        deviation[j] =
            a.ones ? sqrt(work[j] * fmax(0, 1 - work[j])) : sqrt(work[j] + fmax(0, 1 - mean[d + j]) * mean[j] * mean[j]);
    spd_free(mean);
    spd_free(work);
    return good;
}

static int64_t root(int64_t *parent, int64_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Coefficients that differ by nothing along a row x_i - x_j of F, and are not 0, share a group; groups count from 1. */
bool spd_coefficient_groups(const spdhg_problem *p, const double *x, int64_t *group) {
    int64_t *parent = SPD_NEW(int64_t, p->dK), *number = SPD_NEW(int64_t, p->dK), last = 0;
    const bool good = parent && number;
    for (int64_t i = 0; good && i < p->dK; i++) parent[i] = i;
    for (spd_rows r = spd_rows_of(p); good && spd_rows_next(&r);) {
        if (r.row.n != 2 || r.row.val[0] != -r.row.val[1]) continue;
        for (int64_t k = 0; k < p->K; k++) {
            const int64_t i = r.row.idx[0] * p->K + k, j = r.row.idx[1] * p->K + k;
            if (x[i] != 0 && fabs(x[i] - x[j]) <= spd_zero_within(hypot(x[i], x[j]))) parent[root(parent, i)] = root(parent, j);
        }
    }
    for (int64_t i = 0; good && i < p->dK; i++)
        if (root(parent, i) != i) number[root(parent, i)] = -1; /* has company */
    for (int64_t i = 0; good && i < p->dK; i++) {
        int64_t *mine = &number[root(parent, i)];
        if (*mine < 0) *mine = ++last;
        group[i] = *mine;
    }
    spd_free(parent);
    spd_free(number);
    return good;
}

bool spd_model_describe(spdhg_model *m, const spdhg_problem *p, int threads, const double *x) {
    m->spread = SPD_NEW(double, m->features);
    m->group = SPD_NEW(int64_t, m->features * m->outputs);
    m->rows = p->n;
    return m->spread && m->group && spread(p, threads, m->spread) && spd_coefficient_groups(p, x, m->group);
}

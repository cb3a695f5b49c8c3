/* meaning.c - what the coefficients of a model mean: how far each feature spreads over the training rows, and which coefficients
 * the structure has made equal. */
#include "model/model.h"
#include "problem/rows.h"
#include "run/run.h"

/* mean_j, then the weighted standard deviation around it; entries that a sparse row does not list are 0. */
static bool spread(const spdhg_problem *p, double *deviation) {
    double *mean = SPD_NEW(double, p->d), *listed = SPD_NEW(double, p->d);
    const bool good = mean && listed;
    const bool open = spd_pass_begin(p);
    for (int pass = 0; good && pass < 2; pass++)
        for (int64_t i = 0; i < p->n; i++) {
            const spdhg_data *data = p->data;
            spd_pass_to(p, open, spd_problem_id(p, i));
            const int64_t id = spd_problem_id(p, i), from = data->idx ? data->ptr[id] : id * p->d;
            const int64_t count = data->idx ? data->ptr[id + 1] - from : p->d;
            const double w = spd_problem_share(p, i);
            spd_data_need(data, id, 1);
            for (int64_t q = 0; q < count; q++) {
                const int64_t j = data->idx ? data->idx[from + q] : q;
                const double a = data->val[from + q];
                if (pass == 0) {
                    mean[j] += w * a;
                    listed[j] += w;
                } else
                    deviation[j] += w * (a - mean[j]) * (a - mean[j]);
            }
        }
    spd_pass_end(p, open);
    for (int64_t j = 0; good && j < p->d; j++) deviation[j] = sqrt(deviation[j] + fmax(0, 1 - listed[j]) * mean[j] * mean[j]);
    spd_free(mean);
    spd_free(listed);
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

bool spd_model_describe(spdhg_model *m, const spdhg_problem *p, const double *x) {
    m->spread = SPD_NEW(double, m->features);
    m->group = SPD_NEW(int64_t, m->features * m->outputs);
    m->rows = p->n;
    return m->spread && m->group && spread(p, m->spread) && spd_coefficient_groups(p, x, m->group);
}

/* columns.c - the columns whose covariances are computed: scaled, centred where that costs nothing; constant columns are emptied.
 * Row k counts with weight w_k N / sum w, where N is the number of rows of positive weight. Equal weights therefore give the
 * same result as no weights. */
#include <stdlib.h>

#include "graph/graph.h"

#define DENSE_ABOVE 0.3 /* share of nonzero entries above which BLAS is faster than the row products */

typedef struct source {
    const spdhg_data *data;
    int64_t *row;   /* the rows of positive weight */
    double *weight; /* scaled by N / sum of the weights; NULL: all 1 */
    int64_t rows, nnz;
    double *mean, *spread; /* spread: sum of squared deviations */
    int64_t *entries;      /* nonzero entries of each column */
} source;

/* Iterates over the nonzero entries of a row, in order; `at` starts at 0. */
static bool next(const source *s, int64_t k, int64_t *at, int64_t *column, double *value) {
    const spdhg_data *data = s->data;
    const int64_t i = s->row[k], from = data->idx ? data->ptr[i] : i * data->features;
    const int64_t count = data->idx ? data->ptr[i + 1] - from : data->features;
    while (*at < count) {
        const int64_t p = from + (*at)++;
        if (data->val[p] == 0) continue;
        *column = data->idx ? data->idx[p] : *at - 1;
        *value = data->val[p];
        return true;
    }
    return false;
}

static double weight_of(const source *s, int64_t k) { return s->weight ? s->weight[k] : 1; }

static spdhg_status choose_rows(source *s, const int64_t *row, int64_t rows, spdhg_error *err) {
    const spdhg_data *data = s->data;
    if (!row) rows = data->rows;
    s->row = SPD_NEW(int64_t, rows);
    s->weight = data->weight ? SPD_NEW(double, rows) : NULL;
    if (!s->row || (data->weight && !s->weight)) return spd_fail_memory(err, 16.0 * (double)rows);
    double total = 0;
    for (int64_t k = 0; k < rows; k++) {
        const int64_t i = row ? row[k] : k;
        if (i < 0 || i >= data->rows)
            return spd_fail(err, SPDHG_USAGE, "row %lld to learn from: expected 0 to %lld", (long long)i,
                            (long long)data->rows - 1);
        if (data->weight && data->weight[i] == 0) continue;
        if (s->weight) total += s->weight[s->rows] = data->weight[i];
        s->row[s->rows++] = i;
    }
    for (int64_t k = 0; s->weight && k < s->rows; k++) s->weight[k] *= (double)s->rows / total;
    if (s->rows < 2)
        return spd_fail(err, SPDHG_DATA, "%s: a structure cannot be learned from %lld row%s: a covariance needs at least 2",
                        data->source ? data->source : "the data", (long long)s->rows, s->rows == 1 ? "" : "s");
    return SPDHG_OK;
}

/* Means, then squared deviations, in two passes. A column is constant if all its values are equal. */
static spdhg_status measure(source *s, spdhg_error *err) {
    const int64_t d = s->data->features;
    double *first = SPD_NEW(double, d), *present = SPD_NEW(double, d), *drift = SPD_NEW(double, d), value;
    bool *varies = SPD_NEW(bool, d);
    s->mean = SPD_NEW(double, d);
    s->spread = SPD_NEW(double, d);
    s->entries = SPD_NEW(int64_t, d);
    const bool good = first && present && drift && varies && s->mean && s->spread && s->entries;
    int64_t j;
    for (int64_t k = 0; good && k < s->rows; k++)
        for (int64_t at = 0; next(s, k, &at, &j, &value);) {
            if (s->entries[j]++ == 0) first[j] = value;
            varies[j] = varies[j] || value != first[j];
            s->mean[j] += weight_of(s, k) / (double)s->rows * value;
            present[j] += weight_of(s, k);
            s->nnz++;
        }
    for (int64_t k = 0; good && k < s->rows; k++)
        for (int64_t at = 0; next(s, k, &at, &j, &value);) {
            s->spread[j] += weight_of(s, k) * (value - s->mean[j]) * (value - s->mean[j]);
            drift[j] += weight_of(s, k) * (value - s->mean[j]);
        }
    spdhg_status status = good ? SPDHG_OK : spd_fail_memory(err, 48.0 * (double)d);
    for (j = 0; good && j < d; j++) {
        if (s->entries[j] == s->rows) { /* a column that will be centred: correct its mean for rounding */
            s->spread[j] -= drift[j] / (double)s->rows * drift[j];
            s->mean[j] += drift[j] / (double)s->rows;
        } else
            s->spread[j] += fmax(0, (double)s->rows - present[j]) * s->mean[j] * s->mean[j];
        if (!varies[j] && (s->entries[j] == 0 || s->entries[j] == s->rows)) s->spread[j] = 0;
        if (!isfinite(s->spread[j]) && status == SPDHG_OK)
            status = spd_fail(err, SPDHG_DATA, "feature %lld: its values are too large, their variance overflows",
                              (long long)j + s->data->index_base);
    }
    SPD_FREE_ALL(first, present, drift, varies);
    return status;
}

static double scale_of(const spd_columns *c, const source *s, int64_t j) {
    if (!(s->spread[j] > 0)) return 0;
    return c->correlation ? 1 / sqrt(s->spread[j] * c->factor) : 1;
}

static bool fill_dense(spd_columns *c, const source *s) {
    int64_t count, j;
    if (__builtin_mul_overflow(s->rows, c->features, &count) || !(c->X = spd_alloc(count, sizeof *c->X))) return false;
    for (int64_t k = 0; k < s->rows; k++) {
        double *x = c->X + k * c->features, value;
        for (int64_t at = 0; next(s, k, &at, &j, &value);) x[j] = value;
        for (j = 0; j < c->features; j++) x[j] = (x[j] - s->mean[j]) * scale_of(c, s, j) * sqrt(weight_of(s, k));
    }
    return true;
}

static bool fill_sparse(spd_columns *c, const source *s) {
    const int64_t d = c->features;
    int64_t j;
    double value;
    if (spd_csr_new(&c->by_row, s->rows, d, s->nnz, NULL) != SPDHG_OK) return false;
    c->ptr = SPD_NEW(int64_t, d + 1);
    c->row = SPD_NEW(int32_t, s->nnz);
    c->where = SPD_NEW(int64_t, s->nnz);
    int64_t *fill = SPD_NEW(int64_t, d), entries = 0;
    const bool good = c->ptr && c->row && c->where && fill;
    for (j = 0; good && j < d; j++) {
        const bool centred = s->entries[j] == s->rows;
        c->ptr[j + 1] = c->ptr[j] + (s->spread[j] > 0 ? s->entries[j] : 0);
        c->mean[j] = centred ? 0 : s->mean[j] * scale_of(c, s, j);
        fill[j] = c->ptr[j];
    }
    for (int64_t k = 0; good && k < s->rows; k++) {
        for (int64_t at = 0; next(s, k, &at, &j, &value);) {
            if (!(s->spread[j] > 0)) continue;
            if (s->entries[j] == s->rows) value -= s->mean[j];
            c->row[fill[j]] = (int32_t)k;
            c->where[fill[j]++] = entries;
            c->by_row.idx[entries] = (int32_t)j;
            c->by_row.val[entries++] = value * scale_of(c, s, j) * sqrt(weight_of(s, k));
        }
        c->by_row.ptr[k + 1] = entries;
    }
    spd_free(fill);
    return good;
}

typedef struct sized {
    double size;
    int32_t feature;
} sized;

static int largest_first(const void *a, const void *b) {
    const sized *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return p->feature < q->feature ? -1 : p->feature > q->feature;
}

static bool sort_means(spd_columns *c) {
    sized *key = SPD_NEW(sized, c->features);
    c->by_mean = SPD_NEW(int32_t, c->features);
    const bool good = key && c->by_mean;
    for (int64_t j = 0; good && j < c->features; j++)
        if (c->mean[j] != 0) key[c->means++] = (sized){fabs(c->mean[j]), (int32_t)j};
    if (c->means > 0) qsort(key, (size_t)c->means, sizeof *key, largest_first);
    for (int64_t k = 0; k < c->means; k++) c->by_mean[k] = key[k].feature;
    spd_free(key);
    return good;
}

static spdhg_status fill(spd_columns *c, const source *s, spdhg_error *err) {
    const int64_t d = c->features;
    c->rows = s->rows;
    c->factor = 1 / ((double)s->rows - 1);
    c->mean = SPD_NEW(double, d);
    c->variance = SPD_NEW(double, d);
    bool good = c->mean && c->variance;
    double sum = 0;
    for (int64_t j = 0; good && j < d; j++) {
        const bool constant = !(s->spread[j] > 0);
        c->constants += constant;
        c->variance[j] = constant ? 0 : c->correlation ? 1 : s->spread[j] * c->factor;
        c->largest_variance = fmax(c->largest_variance, c->variance[j]);
        sum += c->variance[j];
    }
    if (good && c->constants == d)
        return spd_fail(err, SPDHG_DATA, "%s: every feature is constant in these rows, so no correlation is defined",
                        s->data->source ? s->data->source : "the data");
    c->average_variance = sum / (double)(d - c->constants);
    const bool dense = !s->data->idx || (double)s->nnz > DENSE_ABOVE * (double)s->rows * (double)d;
    good = good && (dense ? fill_dense(c, s) : fill_sparse(c, s)) && sort_means(c);
    return good ? SPDHG_OK : spd_fail_memory(err, dense ? 8.0 * (double)s->rows * (double)d : 24.0 * (double)s->nnz);
}

spdhg_status spd_columns_new(spd_columns **out, const spdhg_data *data, const int64_t *row, int64_t rows, bool covariance,
                             spdhg_error *err) {
    source s = {.data = data};
    *out = NULL;
    if (data->disk)
        return spd_fail(err, SPDHG_USAGE, "%s: its entries stay on disk, and a structure is learned from columns in memory",
                        data->source ? data->source : "the data");
    spd_data_whole(data);
    *out = SPD_NEW(spd_columns, 1);
    spdhg_status status = *out ? choose_rows(&s, row, rows, err) : spd_fail_memory(err, sizeof **out);
    if (status == SPDHG_OK) status = measure(&s, err);
    if (status == SPDHG_OK) {
        (*out)->features = data->features;
        (*out)->correlation = !covariance;
        status = fill(*out, &s, err);
    }
    SPD_FREE_ALL(s.row, s.weight, s.mean, s.spread, s.entries);
    if (status == SPDHG_OK) return SPDHG_OK;
    spd_columns_free(*out);
    *out = NULL;
    return status;
}

void spd_columns_free(spd_columns *c) {
    if (!c) return;
    spd_csr_free(&c->by_row);
    SPD_FREE_ALL(c->X, c->ptr, c->row, c->where, c->mean, c->variance, c->by_mean, c);
}

double spd_columns_scale(const spd_columns *c, double product) {
    const double s = product * c->factor;
    return c->correlation ? fmin(1, fmax(-1, s)) : s;
}

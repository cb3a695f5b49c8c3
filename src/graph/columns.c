/* columns.c - the columns whose covariances are computed: scaled, centred where that costs nothing; constant columns are emptied.
 * Row k counts with weight w_k N / sum w, where N is the number of rows of positive weight. Equal weights therefore give the
 * same result as no weights. */
#include <stdlib.h>

#include "graph/columns.h"

#define DENSE_ABOVE 0.3 /* share of nonzero entries above which BLAS is faster than the row products */

static spdhg_status choose_rows(spd_columns_source *s, const int64_t *row, int64_t rows, spdhg_error *err) {
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

static double scale_of(const spd_columns *c, const spd_columns_source *s, int64_t j) {
    if (!(s->spread[j] > 0)) return 0;
    return c->correlation ? 1 / sqrt(s->spread[j] * c->factor) : 1;
}

/* Rows are filled in by threads, a shard each. */
typedef struct filling {
    spd_columns *c;
    const spd_columns_source *s;
    int64_t *at; /* sparse, shards x d: entries of column j in the shard; then where the shard's first one goes */
} filling;

static int64_t first_of(const filling *f, int64_t shard) { return spd_shard_first(f->s->rows, f->s->shards, shard); }

static void fill_dense_shard(void *context, int64_t shard) {
    const filling *f = context;
    const spd_columns *c = f->c;
    const spd_columns_source *s = f->s;
    int64_t j;
    for (int64_t k = first_of(f, shard); k < first_of(f, shard + 1); k++) {
        double *x = c->X + k * c->features, value;
        for (int64_t at = 0; spd_columns_next(s, k, &at, &j, &value);) x[j] = value;
        for (j = 0; j < c->features; j++) x[j] = (x[j] - s->mean[j]) * scale_of(c, s, j) * sqrt(spd_columns_weight(s, k));
    }
}

static bool fill_dense(spd_columns *c, const spd_columns_source *s) {
    int64_t count;
    if (__builtin_mul_overflow(s->rows, c->features, &count) || !(c->X = spd_alloc(count, sizeof *c->X))) return false;
    spd_parallel(s->threads, s->shards, fill_dense_shard, &(filling){.c = c, .s = s});
    return true;
}

static void count_shard(void *context, int64_t shard) {
    const filling *f = context;
    int64_t j, *count = f->at + shard * f->c->features;
    double value;
    for (int64_t k = first_of(f, shard); k < first_of(f, shard + 1); k++) {
        int64_t kept = 0;
        for (int64_t at = 0; spd_columns_next(f->s, k, &at, &j, &value);)
            if (f->s->spread[j] > 0) count[j]++, kept++;
        f->c->by_row.ptr[k + 1] = kept;
    }
}

static void fill_shard(void *context, int64_t shard) {
    const filling *f = context;
    const spd_columns_source *s = f->s;
    const spd_columns *c = f->c;
    int64_t j, *place = f->at + shard * c->features, entries = c->by_row.ptr[first_of(f, shard)];
    double value;
    for (int64_t k = first_of(f, shard); k < first_of(f, shard + 1); k++)
        for (int64_t at = 0; spd_columns_next(s, k, &at, &j, &value);) {
            if (!(s->spread[j] > 0)) continue;
            if (s->entries[j] == s->rows) value -= s->mean[j];
            c->row[place[j]] = (int32_t)k;
            c->where[place[j]++] = entries;
            c->by_row.idx[entries] = (int32_t)j;
            c->by_row.val[entries++] = value * scale_of(c, s, j) * sqrt(spd_columns_weight(s, k));
        }
}

static bool fill_sparse(spd_columns *c, const spd_columns_source *s) {
    const int64_t d = c->features;
    if (spd_csr_new(&c->by_row, s->rows, d, s->nnz, NULL) != SPDHG_OK) return false;
    c->ptr = SPD_NEW(int64_t, d + 1);
    c->row = SPD_NEW(int32_t, s->nnz);
    c->where = SPD_NEW(int64_t, s->nnz);
    filling f = {c, s, SPD_NEW(int64_t, s->shards * d)};
    const bool good = c->ptr && c->row && c->where && f.at;
    if (good) spd_parallel(s->threads, s->shards, count_shard, &f);
    for (int64_t k = 0; good && k < s->rows; k++) c->by_row.ptr[k + 1] += c->by_row.ptr[k];
    for (int64_t j = 0; good && j < d; j++) {
        const bool centred = s->entries[j] == s->rows;
        int64_t next = c->ptr[j];
        c->mean[j] = centred ? 0 : s->mean[j] * scale_of(c, s, j);
        for (int64_t shard = 0; shard < s->shards; shard++) {
            int64_t *at = f.at + shard * d + j;
            const int64_t count = *at;
            *at = next;
            next += count;
        }
        c->ptr[j + 1] = next;
    }
    if (good) spd_parallel(s->threads, s->shards, fill_shard, &f);
    spd_free(f.at);
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

static spdhg_status fill(spd_columns *c, const spd_columns_source *s, spdhg_error *err) {
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
                             int threads, spdhg_error *err) {
    spd_columns_source s = {.data = data, .threads = threads};
    *out = NULL;
    if (data->disk)
        return spd_fail(err, SPDHG_USAGE, "%s: its entries stay on disk, and a structure is learned from columns in memory",
                        data->source ? data->source : "the data");
    spd_data_whole(data);
    *out = SPD_NEW(spd_columns, 1);
    spdhg_status status = *out ? choose_rows(&s, row, rows, err) : spd_fail_memory(err, sizeof **out);
    if (status == SPDHG_OK) status = spd_columns_measure(&s, err);
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

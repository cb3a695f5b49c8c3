/* moments.c - mean and spread of every column, in two passes over the rows. A column is constant if all its values are equal. */
#include "graph/columns.h"

/* Numbers of a column in a partial sum. LOW and HIGH are of the entries, which are not 0: 0 means that there was none yet. */
enum { MEAN, PRESENT, ENTRIES, LOW, HIGH, KINDS, SPREAD = 0, DRIFT };

static void add_means(void *context, int64_t first, int64_t end, double *sum) {
    const spd_columns_source *s = context;
    const int64_t d = s->data->features;
    int64_t j;
    double value;
    for (int64_t k = first; k < end; k++)
        for (int64_t at = 0; spd_columns_next(s, k, &at, &j, &value);) {
            double *low = &sum[LOW * d + j], *high = &sum[HIGH * d + j];
            sum[MEAN * d + j] += spd_columns_weight(s, k) / (double)s->rows * value;
            sum[PRESENT * d + j] += spd_columns_weight(s, k);
            sum[ENTRIES * d + j]++;
            if (*low == 0 || value < *low) *low = value;
            if (*high == 0 || value > *high) *high = value;
        }
}

static void join_means(void *context, int64_t at, int64_t count, const double *from, double *into) {
    const spd_columns_source *s = context;
    const int64_t d = s->data->features;
    for (int64_t q = 0; q < count; q++) {
        const int64_t kind = (at + q) / d;
        if (kind < LOW)
            into[q] += from[q];
        else if (from[q] != 0 && (into[q] == 0 || (kind == LOW ? from[q] < into[q] : from[q] > into[q])))
            into[q] = from[q];
    }
}

static void add_spreads(void *context, int64_t first, int64_t end, double *sum) {
    const spd_columns_source *s = context;
    const int64_t d = s->data->features;
    int64_t j;
    double value;
    for (int64_t k = first; k < end; k++)
        for (int64_t at = 0; spd_columns_next(s, k, &at, &j, &value);) {
            const double off = value - s->mean[j], w = spd_columns_weight(s, k);
            sum[SPREAD * d + j] += w * off * off;
            sum[DRIFT * d + j] += w * off;
        }
}

static void conclude(spd_columns_source *s, int64_t j, const double *first, const double *second) {
    const int64_t d = s->data->features;
    const double drift = second[DRIFT * d + j], N = (double)s->rows;
    s->spread[j] = second[SPREAD * d + j];
    if (s->entries[j] == s->rows) { /* a column that will be centred: correct its mean for rounding */
        s->spread[j] -= drift / N * drift;
        s->mean[j] += drift / N;
    } else
        s->spread[j] += fmax(0, N - first[PRESENT * d + j]) * s->mean[j] * s->mean[j];
    const bool varies = first[LOW * d + j] != first[HIGH * d + j];
    if (!varies && (s->entries[j] == 0 || s->entries[j] == s->rows)) s->spread[j] = 0;
}

spdhg_status spd_columns_measure(spd_columns_source *s, spdhg_error *err) {
    const int64_t d = s->data->features, one = KINDS * d;
    const int64_t stored =
        s->data->idx ? s->data->nnz : s->data->rows * d; /* more sums than this would cost more than the rows */
    s->shards = spd_shards(s->rows, stored / (one + 1) + 1);
    spd_row_sum sum = {.rows = s->rows,
                       .shards = s->shards,
                       .width = one,
                       .stride = one,
                       .add = add_means,
                       .join = join_means,
                       .context = s,
                       .in_turn = s->threads <= 1};
    double *first = SPD_NEW(double, one), *work = SPD_NEW(double, spd_row_sum_work(NULL, s->shards, one, sum.in_turn));
    s->mean = SPD_NEW(double, d);
    s->spread = SPD_NEW(double, d);
    s->entries = SPD_NEW(int64_t, d);
    const bool good = first && work && s->mean && s->spread && s->entries;
    spdhg_status status = good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(s->shards * one));
    if (good) {
        spd_row_sum_run(&sum, s->threads, work);
        memcpy(first, work, (size_t)one * sizeof *first);
        memcpy(s->mean, first, (size_t)d * sizeof *first);
        for (int64_t j = 0; j < d; j++) s->nnz += s->entries[j] = (int64_t)first[ENTRIES * d + j];
        sum.width = 2 * d;
        sum.add = add_spreads;
        sum.join = NULL;
        spd_row_sum_run(&sum, s->threads, work);
    }
    for (int64_t j = 0; good && j < d; j++) {
        conclude(s, j, first, work);
        if (!isfinite(s->spread[j]) && status == SPDHG_OK)
            status = spd_fail(err, SPDHG_DATA, "feature %lld: its values are too large, their variance overflows",
                              (long long)j + s->data->index_base);
    }
    SPD_FREE_ALL(first, work);
    return status;
}

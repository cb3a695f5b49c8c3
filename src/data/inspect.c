/* inspect.c - summarises a data set and points out possible problems: labels, empty, constant and one-class columns, duplicates,
 * norms, memory. Two passes over the entries and three sorts of n numbers; the only other memory is d-sized arrays. */
#include <stdlib.h>
#include <xxhash.h>

#include "data/data.h"

typedef struct column {
    int64_t nonzeros;
    double low, high, square; /* square: sum of (v / largest |v|)^2, so that nothing overflows */
    int32_t first_class;      /* class of the first row with a nonzero here; -1 before it, -2 once another class has followed */
} column;

typedef struct fingerprint {
    uint64_t hash;
    int64_t row;
} fingerprint;

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_hash(const void *left, const void *right) {
    const fingerprint *a = left, *b = right;
    return a->hash != b->hash ? (a->hash > b->hash) - (a->hash < b->hash) : (a->row > b->row) - (a->row < b->row);
}

static int64_t row_of(const spdhg_data *data, int64_t i, const int32_t **idx, const double **val) {
    const int64_t first = data->idx ? data->ptr[i] : i * data->features;
    spd_data_need(data, i, 1);
    *idx = data->idx ? data->idx + first : NULL;
    *val = data->val + first;
    return data->idx ? data->ptr[i + 1] - first : data->features;
}

/* Distinct labels and their counts; leaves the sorted labels in `work`. More than 64 values are numbers, not classes. */
static void count_labels(const spdhg_data *data, double *work, spd_inspection *out) {
    memcpy(work, data->b, (size_t)data->rows * sizeof *work);
    qsort(work, (size_t)data->rows, sizeof *work, by_value);
    bool up = true, down = true;
    double square = 0;
    for (int64_t i = 0, next; i < data->rows; i = next, out->distinct_labels++) {
        for (next = i + 1; next < data->rows && work[next] == work[i];) next++;
        square += (double)(next - i) * (double)(next - i);
        if (out->distinct_labels >= 64) continue;
        out->label[out->distinct_labels] = work[i];
        out->label_count[out->distinct_labels] = next - i;
    }
    for (int64_t i = 0; i < data->rows; i++) {
        out->label_runs += i == 0 || data->b[i] != data->b[i - 1];
        up = up && (i == 0 || data->b[i] >= data->b[i - 1]);
        down = down && (i == 0 || data->b[i] <= data->b[i - 1]);
    }
    /* A random order has 1 + n - (sum of squared counts)/n runs on average. Up to a hundredth of that above the minimum counts as
     * "almost sorted". */
    const double random_runs = 1 + (double)data->rows - square / (double)data->rows;
    const bool classes = out->distinct_labels <= data->rows / 2;
    const bool few_runs = (double)out->label_runs <= (double)out->distinct_labels + 0.01 * random_runs;
    out->sorted_by_label = out->distinct_labels > 1 && data->rows > 2 && (classes ? few_runs : up || down);
}

static int32_t class_of(const spd_inspection *out, double label) {
    const double *found = bsearch(&label, out->label, (size_t)out->distinct_labels, sizeof label, by_value);
    return found ? (int32_t)(found - out->label) : -1;
}

/* First pass: extremes and classes of the columns, norms of the rows. */
static void first_pass(const spdhg_data *data, bool classes, column *col, double *norm, spd_inspection *out) {
    for (int64_t j = 0; j < data->features; j++) col[j].first_class = -1;
    for (int64_t i = 0; i < data->rows; i++) {
        const int32_t *idx;
        const double *val;
        const int64_t count = row_of(data, i, &idx, &val);
        const int32_t class_here = classes ? class_of(out, data->b[i]) : 0;
        double largest = 0, square = 0;
        for (int64_t e = 0; e < count; e++) {
            const double v = val[e];
            if (v == 0) continue;
            column *c = &col[idx ? idx[e] : e];
            if (c->nonzeros++ == 0) c->low = c->high = v;
            c->low = fmin(c->low, v);
            c->high = fmax(c->high, v);
            c->first_class = c->first_class == -1 || c->first_class == class_here ? class_here : -2;
            out->negative_values += v < 0;
            largest = fmax(largest, fabs(v));
        }
        for (int64_t e = 0; e < count && largest > 0; e++) square += (val[e] / largest) * (val[e] / largest);
        norm[i] = largest * sqrt(square);
        out->empty_rows += largest == 0;
    }
}

static double largest_of(const column *c) { return fmax(fabs(c->low), fabs(c->high)); }

/* Second pass: norms of the columns, then the statistics of the columns. */
static void judge_columns(const spdhg_data *data, bool classes, column *col, spd_inspection *out) {
    for (int64_t i = 0; i < data->rows; i++) {
        const int32_t *idx;
        const double *val;
        const int64_t count = row_of(data, i, &idx, &val);
        for (int64_t e = 0; e < count; e++) {
            column *c = &col[idx ? idx[e] : e];
            if (val[e] != 0) c->square += (val[e] / largest_of(c)) * (val[e] / largest_of(c));
        }
    }
    out->column_norm_min = INFINITY;
    for (int64_t j = 0; j < data->features; j++) {
        const column *c = &col[j];
        if (c->nonzeros == 0) {
            out->empty_columns++;
            continue;
        }
        const double norm = largest_of(c) * sqrt(c->square);
        out->column_norm_min = fmin(out->column_norm_min, norm);
        out->column_norm_max = fmax(out->column_norm_max, norm);
        out->constant_columns += c->nonzeros == data->rows && c->low == c->high;
        out->one_class_columns += classes && c->first_class >= 0; /* without a ridge its coefficient may diverge */
    }
    if (out->empty_columns == data->features) out->column_norm_min = 0;
}

static bool same_row(const spdhg_data *data, int64_t i, int64_t k) {
    const int32_t *idx_i, *idx_k;
    const double *val_i, *val_k;
    const int64_t count = row_of(data, i, &idx_i, &val_i);
    if (row_of(data, k, &idx_k, &val_k) != count) return false;
    if (count == 0) return true;
    return memcmp(val_i, val_k, (size_t)count * sizeof *val_i) == 0 &&
           (!idx_i || memcmp(idx_i, idx_k, (size_t)count * sizeof *idx_i) == 0);
}

/* Counts rows whose features equal those of an earlier row. Each row is compared with all distinct rows of the same hash. */
static int64_t count_duplicates(const spdhg_data *data, fingerprint *mark) {
    for (int64_t i = 0; i < data->rows; i++) {
        const int32_t *idx;
        const double *val;
        const int64_t count = row_of(data, i, &idx, &val);
        const uint64_t seed = idx && count ? XXH3_64bits(idx, (size_t)count * sizeof *idx) : 0;
        mark[i] = (fingerprint){count ? XXH3_64bits_withSeed(val, (size_t)count * sizeof *val, seed) : 0, i};
    }
    qsort(mark, (size_t)data->rows, sizeof *mark, by_hash);
    int64_t duplicates = 0;
    for (int64_t first = 0, next; first < data->rows; first = next) {
        int64_t kinds = first; /* mark[first..kinds) are the distinct rows of this hash; the others are overwritten */
        for (next = first; next < data->rows && mark[next].hash == mark[first].hash; next++) {
            int64_t k = first;
            while (k < kinds && !same_row(data, mark[k].row, mark[next].row)) k++;
            if (k < kinds)
                duplicates++;
            else
                mark[kinds++] = mark[next];
        }
    }
    return duplicates;
}

/* The data; x and y with their averages (identity: y is as long as x); scores, mapped targets and weights of the rows. */
static double bytes_of_fit(const spdhg_data *data, const spd_inspection *out) {
    const bool classes = data->targets == 1 && out->distinct_labels <= 64;
    const double K = classes ? (out->distinct_labels > 2 ? (double)out->distinct_labels : 1) : fmax(1, (double)data->targets);
    const double n = (double)data->rows, d = (double)data->features;
    return spd_data_bytes(data) + sizeof(double) * (4 * d * K + n * K + n * fmax(1, (double)data->targets) + n);
}

spdhg_status spd_data_inspect(const spdhg_data *data, spd_inspection *out, spdhg_error *err) {
    spd_data_whole(data);
    *out = (spd_inspection){.rows = data->rows, .features = data->features, .nnz = data->nnz, .targets = data->targets};
    column *col = SPD_NEW(column, data->features);
    double *work = SPD_NEW(double, data->rows);
    fingerprint *mark = SPD_NEW(fingerprint, data->rows);
    const bool allocated = col && work && mark;
    if (allocated && data->rows > 0) {
        if (data->targets == 1) count_labels(data, work, out);
        const bool classes = out->distinct_labels >= 2 && out->distinct_labels <= 64 && out->distinct_labels <= data->rows / 2;
        first_pass(data, classes, col, work, out);
        judge_columns(data, classes, col, out);
        qsort(work, (size_t)data->rows, sizeof *work, by_value);
        out->row_norm_min = work[0];
        out->row_norm_median = (work[(data->rows - 1) / 2] + work[data->rows / 2]) / 2;
        out->row_norm_max = work[data->rows - 1];
        out->duplicate_rows = count_duplicates(data, mark);
    }
    out->fit_bytes = bytes_of_fit(data, out);
    spd_free(col);
    spd_free(work);
    spd_free(mark);
    if (!allocated)
        return spd_fail_memory(err, (double)data->features * (double)sizeof *col +
                                        (double)data->rows * (double)(sizeof *work + sizeof *mark));
    return spd_data_good(data, err);
}

bool spd_data_counts_rows(const spdhg_data *data, int64_t feature) {
    if (data->idx || data->rows < 3) return false;
    spd_data_need(data, 0, 1);
    const double first = data->val[feature];
    bool counts = first == 0 || first == 1;
    for (int64_t i = 1; counts && i < data->rows; i++) {
        spd_data_need(data, i, 1);
        counts = data->val[i * data->features + feature] == first + (double)i;
    }
    return counts;
}

int64_t spd_data_repeated_ids(const spdhg_data *data, int64_t of[2]) {
    const int64_t slots = data->id ? 2 * data->rows + 1 : 0;
    int64_t repeated = 0, *slot = SPD_NEW(int64_t, slots); /* row + 1, or 0: open addressing */
    if (!slot) return -1;
    for (int64_t i = 0; slots > 0 && i < data->rows; i++) {
        int64_t at = (int64_t)(XXH3_64bits(data->id[i], strlen(data->id[i])) % (uint64_t)slots);
        while (slot[at] && strcmp(data->id[slot[at] - 1], data->id[i]) != 0) at = (at + 1) % slots;
        if (slot[at] && repeated++ == 0) {
            of[0] = slot[at] - 1;
            of[1] = i;
        }
        if (!slot[at]) slot[at] = i + 1;
    }
    spd_free(slot);
    return repeated;
}

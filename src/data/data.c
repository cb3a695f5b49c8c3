/* data.c - the data set itself: made from a file or from memory, checked once, queried for its sizes, freed.
 * Every other room relies on this: indices ascend within a row and lie in 0..features-1, and every number is finite. */
#include "data/data.h"
#include "la/la.h"

spdhg_status spd_data_new(spdhg_data **out, spdhg_error *err) {
    *out = SPD_NEW(spdhg_data, 1);
    if (!*out) return spd_fail_memory(err, sizeof **out);
    (*out)->index_base = 1;
    return SPDHG_OK;
}

void spdhg_data_free(spdhg_data *data) {
    if (!data) return;
    if (data->by || data->disk) { /* idx and val are its own */
        spd_by_columns_free(data->by);
        spd_disk_free(data->disk);
        data->idx = NULL;
        data->val = NULL;
    }
    if (!data->borrowed) {
        spd_free(data->ptr);
        spd_free(data->idx);
        spd_free(data->val);
        spd_free(data->b);
    }
    spd_texts_free(data->label, data->labels);
    spd_texts_free(data->name, data->features);
    spd_texts_free(data->id, data->rows);
    spd_schema_free(data->columns);
    SPD_FREE_ALL(data->weight, data->offset, data->group, data->source, data);
}

spdhg_status spdhg_data_set_columns(spdhg_data *data, const spdhg_columns *columns, const char *target, spdhg_error *err) {
    if (columns->features != data->features)
        return spd_fail(err, SPDHG_USAGE, "the columns make %lld features, the data has %lld", (long long)columns->features,
                        (long long)data->features);
    spdhg_columns *copy = spd_schema_copy(columns);
    char **name = copy ? spd_schema_names(copy) : NULL;
    bool good = name != NULL;
    if (good && target) {
        spd_texts_free(copy->target, copy->targets);
        copy->target = spd_texts_copy((char *const[]){(char *)target}, 1);
        copy->targets = copy->target ? 1 : 0;
        good = copy->target != NULL;
    }
    if (!good) {
        spd_texts_free(name, columns->features);
        spd_schema_free(copy);
        return spd_fail_memory(err, 96.0 * (double)columns->count);
    }
    spd_texts_free(data->name, data->features);
    spd_schema_free(data->columns);
    data->columns = copy;
    data->name = name;
    return SPDHG_OK;
}

const spdhg_columns *spdhg_data_columns(const spdhg_data *data) { return data->columns; }
int64_t spdhg_data_rows(const spdhg_data *data) { return data->rows; }
int64_t spdhg_data_features(const spdhg_data *data) { return data->features; }
int64_t spdhg_data_nonzeros(const spdhg_data *data) { return data->nnz; }

const char *spd_data_place(const spdhg_data *data, int64_t row, char *buffer, size_t size) {
    const char *source = data->source ? data->source : "the data";
    if (data->first_line > 0)
        snprintf(buffer, size, "%s:%lld", source, (long long)(data->first_line + row));
    else
        snprintf(buffer, size, "%s: row %lld", source, (long long)row + 1);
    return buffer;
}

double spd_data_bytes(const spdhg_data *data) {
    const double rows = (double)data->rows, nnz = (double)data->nnz;
    const double entries = data->disk ? spd_disk_bytes(data->disk) : (data->idx ? 12 : 8) * nnz;
    return entries + (data->ptr ? 8 * (rows + 1) : 0) + 8 * rows * (double)data->targets + (data->weight ? 8 * rows : 0) +
           (data->offset ? 8 * rows * (double)data->offsets : 0) + (data->group ? 8 * rows : 0);
}

spdhg_status spd_data_fits(const spdhg_data *data, const char *path, const char *what, double numbers, uint64_t limit,
                           spdhg_error *err) {
    const double bytes = spd_data_bytes(data) + numbers * sizeof(double) * ((double)data->features + (double)data->rows);
    if (limit == 0 || bytes <= (double)limit) return SPDHG_OK;
    return spd_fail(
        err, SPDHG_MEMORY,
        "%s: %s of %lld rows and %lld features needs more than %.3g MB of memory, the limit is %.3g MB (--max-memory)", path,
        what, (long long)data->rows, (long long)data->features, bytes / 1e6, (double)limit / 1e6);
}

static spdhg_status check_finite(const double *value, int64_t rows, int64_t columns, const char *what, spdhg_error *err) {
    if (spd_all_finite(rows * columns, value)) return SPDHG_OK;
    for (int64_t k = 0; k < rows * columns; k++)
        if (!isfinite(value[k]))
            return spd_fail(err, SPDHG_DATA, "%s of row %lld, column %lld is not finite", what, (long long)(k / columns) + 1,
                            (long long)(k % columns) + 1);
    return SPDHG_OK;
}

static spdhg_status check_row(const spdhg_data *data, int64_t i, spdhg_error *err) {
    for (int64_t k = data->ptr[i]; k < data->ptr[i + 1]; k++) {
        const int64_t j = data->idx[k];
        if (j < 0 || j >= data->features)
            return spd_fail(err, SPDHG_DATA, "row %lld: column %lld is not in 0..%lld", (long long)i + 1, (long long)j,
                            (long long)data->features - 1);
        if (k > data->ptr[i] && j <= data->idx[k - 1])
            return spd_fail(err, SPDHG_DATA, "row %lld: column %lld does not ascend", (long long)i + 1, (long long)j);
        if (!isfinite(data->val[k]))
            return spd_fail(err, SPDHG_DATA, "row %lld, column %lld is not finite", (long long)i + 1, (long long)j + 1);
    }
    return SPDHG_OK;
}

spdhg_status spd_data_validate(const spdhg_data *data, spdhg_error *err) {
    int64_t cells;
    if (data->rows < 0 || data->features < 0 || data->features > INT32_MAX || data->targets < 0 ||
        __builtin_mul_overflow(data->rows, data->targets ? data->targets : 1, &cells) ||
        (!data->idx && __builtin_mul_overflow(data->rows, data->features, &cells)))
        return spd_fail(err, SPDHG_DATA, "%lld rows, %lld features, %lld targets: out of range", (long long)data->rows,
                        (long long)data->features, (long long)data->targets);
    if (data->idx) {
        if (data->ptr[0] != 0) return spd_fail(err, SPDHG_DATA, "ptr[0] is %lld, expected 0", (long long)data->ptr[0]);
        for (int64_t i = 0; i < data->rows; i++)
            if (data->ptr[i + 1] < data->ptr[i])
                return spd_fail(err, SPDHG_DATA, "row %lld: ptr does not ascend", (long long)i + 1);
        if (data->ptr[data->rows] != data->nnz)
            return spd_fail(err, SPDHG_DATA, "the last ptr is %lld, expected %lld", (long long)data->ptr[data->rows],
                            (long long)data->nnz);
        for (int64_t i = 0; i < data->rows; i++) SPD_TRY(check_row(data, i, err));
    } else
        SPD_TRY(check_finite(data->val, data->rows, data->features, "value", err));
    return spd_data_check_targets(data, err);
}

spdhg_status spd_data_check_targets(const spdhg_data *data, spdhg_error *err) {
    if (data->b) SPD_TRY(check_finite(data->b, data->rows, data->targets, "target", err));
    if (data->offset) SPD_TRY(check_finite(data->offset, data->rows, data->offsets, "offset", err));
    return SPDHG_OK;
}

/* Replaces the borrowed arrays by copies. */
static spdhg_status own(spdhg_data *data, spdhg_error *err) {
    int64_t *ptr = data->idx ? spd_copy(data->ptr, data->rows + 1, sizeof *data->ptr) : NULL;
    int32_t *idx = data->idx ? spd_copy(data->idx, data->nnz, sizeof *data->idx) : NULL;
    double *val = spd_copy(data->val, data->nnz, sizeof *data->val);
    double *b = data->b ? spd_copy(data->b, data->rows * data->targets, sizeof *data->b) : NULL;
    const bool good = val && (!data->idx || (ptr && idx)) && (!data->b || b);
    data->ptr = ptr;
    data->idx = idx;
    data->val = val;
    data->b = b;
    data->borrowed = false;
    return good ? SPDHG_OK : spd_fail_memory(err, spd_data_bytes(data));
}

spdhg_status spdhg_data_from_csr(spdhg_data **out, int64_t rows, int64_t features, const int64_t *ptr, const int32_t *idx,
                                 const double *val, const double *b, int64_t targets, spdhg_ownership ownership,
                                 spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    if (rows < 0 || features < 0 || targets < 0 || !val || (idx && !ptr) || (targets > 0) != (b != NULL))
        return spd_fail(err, SPDHG_USAGE, "a data set needs values, ptr together with idx, and b exactly when there are targets");
    spdhg_data *data;
    SPD_TRY(spd_data_new(&data, err));
    *data = (spdhg_data){
        .rows = rows, .features = features, .targets = targets, .index_base = 1, .format = "memory", .borrowed = true};
    data->ptr = idx ? (int64_t *)(uintptr_t)ptr : NULL; /* borrowed arrays are never written */
    data->idx = (int32_t *)(uintptr_t)idx;
    data->val = (double *)(uintptr_t)val;
    data->b = (double *)(uintptr_t)b;
    spdhg_status status = SPDHG_OK;
    if (idx)
        data->nnz = ptr[rows];
    else if (__builtin_mul_overflow(rows, features, &data->nnz))
        status = spd_fail(err, SPDHG_DATA, "%lld rows, %lld features: out of range", (long long)rows, (long long)features);
    if (status == SPDHG_OK) status = spd_data_validate(data, err);
    if (status == SPDHG_OK && ownership == SPDHG_COPY) status = own(data, err);
    if (status != SPDHG_OK) {
        spdhg_data_free(data);
        return status;
    }
    *out = data;
    return SPDHG_OK;
}

static spdhg_status copy_texts(char ***out, const char *const *text, int64_t count, spdhg_error *err) {
    char **copy = spd_texts_copy((char *const *)(uintptr_t)text, count);
    if (!copy) return spd_fail_memory(err, 8.0 * (double)count);
    *out = copy;
    return SPDHG_OK;
}

spdhg_status spdhg_data_set_labels(spdhg_data *data, const char *const *text, int64_t labels, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    if (data->targets != 1) return spd_fail(err, SPDHG_USAGE, "texts of labels need one label for each row");
    for (int64_t i = 0; i < data->rows; i++)
        if (!(data->b[i] >= 0 && data->b[i] < (double)labels) || data->b[i] != floor(data->b[i]))
            return spd_fail(err, SPDHG_DATA, "label %g of row %lld is not the position of one of %lld texts", data->b[i],
                            (long long)i + 1, (long long)labels);
    char **copy = NULL;
    SPD_TRY(copy_texts(&copy, text, labels, err));
    spd_texts_free(data->label, data->labels);
    data->label = copy;
    data->labels = labels;
    return SPDHG_OK;
}

spdhg_status spdhg_data_set_names(spdhg_data *data, const char *const *name, spdhg_error *err) {
    char **copy = NULL;
    SPD_TRY(copy_texts(&copy, name, data->features, err));
    spd_texts_free(data->name, data->features);
    data->name = copy;
    return SPDHG_OK;
}

spdhg_status spdhg_data_set_weights(spdhg_data *data, const double *weight, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    bool some = false;
    for (int64_t i = 0; i < data->rows; i++) {
        if (!isfinite(weight[i]) || weight[i] < 0)
            return spd_fail(err, SPDHG_DATA, "weight of row %lld is %g, expected a finite number >= 0", (long long)i + 1,
                            weight[i]);
        some = some || weight[i] > 0;
    }
    if (!some) return spd_fail(err, SPDHG_DATA, "all weights are 0");
    double *copy = spd_copy(weight, data->rows, sizeof *weight);
    if (!copy) return spd_fail_memory(err, 8 * (double)data->rows);
    spd_free(data->weight);
    data->weight = copy;
    return SPDHG_OK;
}

spdhg_status spdhg_data_set_offsets(spdhg_data *data, const double *offset, int64_t outputs, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    int64_t count;
    if (outputs < 1 || __builtin_mul_overflow(data->rows, outputs, &count))
        return spd_fail(err, SPDHG_USAGE, "offsets for %lld outputs: expected at least 1", (long long)outputs);
    SPD_TRY(check_finite(offset, data->rows, outputs, "offset", err));
    double *copy = spd_copy(offset, count, sizeof *offset);
    if (!copy) return spd_fail_memory(err, 8 * (double)count);
    spd_free(data->offset);
    data->offset = copy;
    data->offsets = outputs;
    return SPDHG_OK;
}

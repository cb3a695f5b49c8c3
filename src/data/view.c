/* view.c - looks into a data set: its parts for a caller, the rows that are held out, and a copy of some rows with everything
 * that belongs to them. */
#include "data/data.h"

void spdhg_data_get_view(const spdhg_data *data, spdhg_data_view *out) {
    spd_data_whole(data);
    *out = (spdhg_data_view){.rows = data->rows,
                             .features = data->features,
                             .nonzeros = data->nnz,
                             .targets = data->targets,
                             .offsets = data->offsets,
                             .labels = data->labels,
                             .ptr = data->ptr,
                             .idx = data->idx,
                             .val = data->val,
                             .b = data->b,
                             .weight = data->weight,
                             .offset = data->offset,
                             .group = data->group,
                             .label = (const char *const *)data->label,
                             .name = (const char *const *)data->name};
}

spdhg_status spd_split(int64_t rows, double fraction, uint64_t seed, int64_t **train, int64_t *trains, int64_t **test,
                       int64_t *tests, spdhg_error *err) {
    *train = *test = NULL;
    *trains = *tests = 0;
    if (!(fraction >= 0 && fraction <= 1) || rows < 0)
        return spd_fail(err, SPDHG_USAGE, "test fraction %g: expected a number from 0 to 1", fraction);
    const int64_t held = (int64_t)llround(fraction * (double)rows);
    char *is_test = SPD_NEW(char, rows);
    *train = SPD_NEW(int64_t, rows - held);
    *test = SPD_NEW(int64_t, held);
    if (!is_test || !*train || !*test) {
        spd_free(is_test);
        spd_free(*train);
        spd_free(*test);
        *train = *test = NULL;
        return spd_fail_memory(err, 9.0 * (double)rows);
    }
    for (int64_t at = 0; at < held; at++) is_test[spd_permute(seed, SPD_STREAM_SPLIT, 0, rows, at)] = 1;
    for (int64_t i = 0; i < rows; i++) /* marking instead of sorting: ids come out in ascending order */
        if (is_test[i])
            (*test)[(*tests)++] = i;
        else
            (*train)[(*trains)++] = i;
    spd_free(is_test);
    return SPDHG_OK;
}

/* The chosen rows of a rows x width array; NULL in, NULL out. */
static double *gather(const double *from, int64_t width, const int64_t *row, int64_t rows, bool *good) {
    int64_t count;
    if (!from) return NULL;
    double *to = __builtin_mul_overflow(rows, width, &count) ? NULL : SPD_NEW(double, count);
    if (!to) *good = false;
    for (int64_t i = 0; to && i < rows; i++) memcpy(to + i * width, from + row[i] * width, (size_t)width * sizeof *to);
    return to;
}

static bool gather_sparse(spdhg_data *part, const spdhg_data *data, const int64_t *row) {
    if (!(part->ptr = SPD_NEW(int64_t, part->rows + 1))) return false;
    for (int64_t i = 0; i < part->rows; i++) {
        const int64_t length = data->ptr[row[i] + 1] - data->ptr[row[i]];
        if (__builtin_add_overflow(part->ptr[i], length, &part->ptr[i + 1])) return false;
    }
    part->nnz = part->ptr[part->rows];
    part->idx = SPD_NEW(int32_t, part->nnz);
    part->val = SPD_NEW(double, part->nnz);
    if (!part->idx || !part->val) return false;
    for (int64_t i = 0; i < part->rows; i++) {
        const size_t length = (size_t)(part->ptr[i + 1] - part->ptr[i]);
        if (length == 0) continue;
        spd_data_need(data, row[i], 1);
        memcpy(part->idx + part->ptr[i], data->idx + data->ptr[row[i]], length * sizeof *part->idx);
        memcpy(part->val + part->ptr[i], data->val + data->ptr[row[i]], length * sizeof *part->val);
    }
    return true;
}

static bool copy_rows(spdhg_data *part, const spdhg_data *data, const int64_t *row) {
    bool good = true;
    spd_data_whole(data);
    if (data->idx)
        good = gather_sparse(part, data, row);
    else {
        if (data->disk && !(part->val = SPD_NEW(double, part->rows * part->features))) return false;
        for (int64_t i = 0; data->disk && i < part->rows; i++) {
            spd_data_need(data, row[i], 1);
            memcpy(part->val + i * part->features, data->val + row[i] * data->features,
                   (size_t)part->features * sizeof *part->val);
        }
        if (!data->disk) part->val = gather(data->val, data->features, row, part->rows, &good);
        part->nnz = part->rows * part->features;
    }
    part->b = gather(data->b, data->targets, row, part->rows, &good);
    part->weight = gather(data->weight, 1, row, part->rows, &good);
    part->offset = gather(data->offset, data->offsets, row, part->rows, &good);
    if (data->group) {
        part->group = SPD_NEW(int64_t, part->rows);
        for (int64_t i = 0; part->group && i < part->rows; i++) part->group[i] = data->group[row[i]];
        good = good && part->group;
    }
    if (data->label) good = (part->label = spd_texts_copy(data->label, data->labels)) && good;
    part->labels = part->label ? data->labels : 0; /* never more than the texts that exist: free visits them all */
    if (data->name) good = (part->name = spd_texts_copy(data->name, data->features)) && good;
    if (data->columns) good = (part->columns = spd_schema_copy(data->columns)) && good;
    if (data->id) {
        part->id = SPD_NEW(char *, part->rows);
        for (int64_t i = 0; part->id && i < part->rows; i++) good = (part->id[i] = spd_strdup(data->id[row[i]])) && good;
        good = good && part->id;
    }
    if (data->source) good = (part->source = spd_strdup(data->source)) && good;
    return good;
}

spdhg_status spd_data_subset(spdhg_data **out, const spdhg_data *data, const int64_t *row, int64_t rows, spdhg_error *err) {
    *out = NULL;
    for (int64_t i = 0; i < rows; i++)
        if (row[i] < 0 || row[i] >= data->rows)
            return spd_fail(err, SPDHG_USAGE, "row %lld of the subset: expected 0 to %lld", (long long)row[i],
                            (long long)data->rows - 1);
    spdhg_data *part;
    SPD_TRY(spd_data_new(&part, err));
    part->rows = rows;
    part->features = data->features;
    part->targets = data->targets;
    part->offsets = data->offsets;
    part->index_base = data->index_base;
    part->format = data->format;
    part->notes = data->notes; /* the reader's notes are about the file, whichever rows are used */
    if (!copy_rows(part, data, row)) {
        spdhg_data_free(part);
        return spd_fail_memory(err, (double)rows / fmax(1, (double)data->rows) * spd_data_bytes(data));
    }
    *out = part;
    return SPDHG_OK;
}

/* features.c - from the columns of a table to features: gaps are filled, levels become features of 0 and 1. A table of numbers
 * without gaps is taken as it is; one with categories becomes sparse if that takes less memory. */
#include <stdlib.h>

#include "table/table.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The mean or median of the values of a column; NAN if it has none or memory runs out, which *good tells apart. */
static double centre_of(const spd_table *t, int64_t at, bool *good) {
    double *value = SPD_NEW(double, t->rows), sum = 0;
    int64_t count = 0;
    *good = value != NULL;
    for (int64_t i = 0; value && i < t->rows; i++)
        if (!isnan(t->val[i * t->features + at])) value[count++] = t->val[i * t->features + at];
    for (int64_t i = 0; i < count; i++) sum += (value[i] - sum) / (double)(i + 1); /* no overflow of the sum */
    double middle = count > 0 ? sum : NAN;
    if (count > 0 && t->missing == SPD_GAPS_MEDIAN) {
        qsort(value, (size_t)count, sizeof *value, by_value);
        middle = value[(count - 1) / 2] / 2 + value[count / 2] / 2;
    }
    spd_free(value);
    return middle;
}

static spdhg_status fill_gaps(spd_table *t, spd_file_column *k, spd_table_column *out, spdhg_error *err) {
    bool good = true;
    if (k->gaps == t->rows && t->rows > 0 && !t->o->like)
        return spd_fail(err, SPDHG_DATA, "%s: column '%.60s' has no values: leave it out with --drop '%.60s'", t->path, k->name,
                        k->name);
    out->fill = k->fill;
    out->indicator = k->indicator;
    out->gaps = k->gaps;
    if (t->fills && !t->o->like) {
        out->fill = centre_of(t, k->at, &good);
        out->indicator = k->gaps > 0;
    }
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)t->rows);
}

/* A column with a level for almost every row is a name or a text, unless it was declared a category. */
static bool looks_like_an_id(const spd_table *t, const spd_file_column *k) {
    return k->automatic && k->level.count > 10 && 2 * k->level.count > t->rows;
}

static spdhg_status take_levels(spd_table *t, spd_file_column *k, spd_table_column *out, spdhg_error *err) {
    double number;
    if (looks_like_an_id(t, k))
        return spd_fail(
            err, SPDHG_DATA,
            "%s: column '%.60s' is text with %lld different values in %lld rows, such as '%.40s': "
            "leave it out (--drop '%.60s'), or use it as the name of the rows (--id) or as a category (--categorical)",
            t->path, k->name, (long long)k->level.count, (long long)t->rows, k->level.text[0], k->name);
    for (int64_t i = 0; t->fills && k->gaps > 0 && i < t->rows; i++) { /* gaps before the first level */
        double *place = &t->val[i * t->features + k->at];
        if (isnan(*place)) SPD_TRY(spd_labels_code(&k->level, SPD_GAP_LEVEL, &t->budget, place, err));
    }
    if (!k->closed) SPD_TRY(spd_labels_sort(&k->level, true, t->val + k->at, t->features, t->rows, err));
    for (int64_t l = 0; k->ordered && !k->closed && l < k->level.count; l++)
        if (!spd_to_double(k->level.text[l], &number) && strcmp(k->level.text[l], SPD_GAP_LEVEL) != 0)
            return spd_fail(err, SPDHG_USAGE,
                            "--ordered: the levels of column '%.60s' are words, such as '%.40s': say their order, "
                            "--ordered '%.60s=LOWEST<...<HIGHEST'",
                            k->name, k->level.text[l], k->name);
    out->category = true;
    out->ordered = k->ordered;
    out->automatic = k->automatic;
    out->reference = k->reference;
    out->gaps = k->gaps;
    out->level = k->level.text;
    out->levels = k->level.count;
    k->level.text = NULL;
    k->level.count = 0;
    return SPDHG_OK;
}

/* "first", or NAME=LEVEL for some. */
static spdhg_status take_references(spd_table *t, spdhg_columns *columns, spdhg_error *err) {
    char name[SPD_TEXT_NAME];
    if (!t->o->reference || t->o->like) return SPDHG_OK;
    const bool first = strcmp(t->o->reference, "first") == 0;
    for (int64_t k = 0; first && k < columns->count; k++) {
        spd_table_column *c = &columns->column[k]; /* "(missing)" sorts before words, but nothing is compared with it */
        if (c->category) c->reference = c->levels > 1 && strcmp(c->level[0], SPD_GAP_LEVEL) == 0;
    }
    for (const char *list = first ? NULL : t->o->reference; spd_table_next(t, &list, name);) {
        char *equals = strchr(name, '=');
        if (!equals) return spd_fail(err, SPDHG_USAGE, "--reference: '%.60s' is neither 'first' nor NAME=LEVEL", name);
        *equals = '\0';
        int64_t c;
        SPD_TRY(spd_table_find(t, "reference", name, &c, err));
        spd_table_column *k = t->column[c].role == SPD_ROLE_FEATURE ? &columns->column[t->column[c].at] : NULL;
        if (!k || !k->category)
            return spd_fail(err, SPDHG_USAGE, "--reference: column '%.60s' is not a category; --categorical makes it one", name);
        for (int64_t l = 0; l < k->levels; l++)
            if (strcmp(k->level[l], equals + 1) == 0) k->reference = l;
        if (k->reference >= 0) continue;
        char meant[SPD_DID_YOU_MEAN_CHARS];
        const char *hint = spd_did_you_mean(meant, sizeof meant, equals + 1, k->level, k->levels, sizeof *k->level);
        return spd_fail(err, SPDHG_USAGE, "--reference: column '%.60s' has no level '%.60s'%s%s%.60s%s%.60s", name, equals + 1,
                        hint, hint[0] ? " It has " : "; it has ", k->level[0], k->levels > 2 ? ", ..., " : ", ",
                        k->level[k->levels - 1]);
    }
    return SPDHG_OK;
}

static spdhg_status describe(spd_table *t, spdhg_columns *columns, spdhg_error *err) {
    for (int64_t c = 0; c < t->columns; c++) {
        spd_file_column *k = &t->column[c];
        if (k->role != SPD_ROLE_FEATURE) continue;
        spd_table_column *out = &columns->column[k->at];
        if (!(out->name = spd_strdup(k->name))) return spd_fail_memory(err, 1);
        SPD_TRY((k->cells == SPD_CELLS_LEVELS ? take_levels : fill_gaps)(t, k, out, err));
    }
    SPD_TRY(take_references(t, columns, err));
    spd_schema_lay_out(columns);
    return SPDHG_OK;
}

/* The features of one row, in ascending order: all, or those that are not 0. idx and val may be NULL. Returns how many. */
static int64_t expand(const spdhg_columns *columns, const double *raw, bool dense, int32_t *idx, double *val) {
    int64_t count = 0;
    for (int64_t k = 0; k < columns->count; k++) {
        const spd_table_column *c = &columns->column[k];
        const bool gap = isnan(raw[k]);
        for (int64_t p = 0; p < c->features; p++) {
            double value;
            if (c->category)
                value = raw[k] == (double)spd_column_level(c, p);
            else
                value = p > 0 ? gap : gap ? c->fill : raw[k];
            if (!dense && value == 0) continue;
            if (idx) idx[count] = (int32_t)(c->feature + p);
            if (val) val[count] = value;
            count++;
        }
    }
    return count;
}

/* The cells of the first rows and nothing behind them. Where memory cannot be given back it stays as it is. */
static void keep_cells(spd_table *t, int64_t rows) {
    double *fewer = rows > 0 ? spd_grow_raw(t->val, rows * t->features, sizeof *t->val) : NULL;
    if (fewer) t->val = fewer;
}

/* Where the features of each row begin: of those that are not 0, or of all if that takes less memory (*dense). */
static bool place_rows(const spd_table *t, const spdhg_columns *columns, int64_t *ptr) {
    for (int64_t i = 0; i < t->rows; i++) ptr[i + 1] = ptr[i] + expand(columns, t->val + i * t->features, false, NULL, NULL);
    const double cells = (double)t->rows * (double)columns->features;
    if (8.0 * cells > 12.0 * (double)ptr[t->rows] + 8.0 * (double)t->rows) return false;
    for (int64_t i = 0; i < t->rows; i++) ptr[i + 1] = ptr[i] + columns->features;
    return true;
}

/* The most that cells and features fill together, beyond the cells, when the last rows go first. */
static double most_beyond_cells(const spd_table *t, const int64_t *ptr, bool dense) {
    const double cells = 8.0 * (double)t->features, features = dense ? 8 : 12;
    double most = 0;
    for (int64_t i = 0; i < t->rows; i++)
        most = fmax(most, features * (double)(ptr[t->rows] - ptr[i]) - cells * (double)(t->rows - 1 - i));
    return most;
}

/* From the last row to the first, so that cells can be given back as features are made: there is never a second copy of the
 * table, only a block of it. */
static spdhg_status make_rows(spd_table *t, const spdhg_columns *columns, spdhg_data *data, spdhg_error *err) {
    int64_t cells;
    if (columns->features > INT32_MAX || __builtin_mul_overflow(t->rows, columns->features, &cells))
        return spd_fail(err, SPDHG_DATA, "%s: the categories have too many levels: %lld features", t->path,
                        (long long)columns->features);
    int64_t *ptr = data->ptr = SPD_NEW(int64_t, t->rows + 1);
    if (!ptr) return spd_fail_memory(err, 8.0 * (double)t->rows);
    const bool dense = place_rows(t, columns, ptr);
    const int64_t count = data->nnz = ptr[t->rows], block = 1 + (1 << 17) / (1 + t->features); /* rows in a megabyte */
    SPD_TRY(spd_budget_take(&t->budget, most_beyond_cells(t, ptr, dense), err));
    data->val = spd_alloc_raw(count, sizeof *data->val);
    data->idx = dense ? NULL : spd_alloc_raw(count, sizeof *data->idx);
    if (!data->val || (!dense && !data->idx)) return spd_fail_memory(err, 12.0 * (double)count);
    for (int64_t i = t->rows; i-- > 0;) {
        expand(columns, t->val + i * t->features, dense, dense ? NULL : data->idx + ptr[i], data->val + ptr[i]);
        if (i % block == 0) keep_cells(t, i);
    }
    if (dense) {
        spd_free(ptr);
        data->ptr = NULL;
    }
    return SPDHG_OK;
}

static bool plain(const spd_table *t, const spdhg_columns *columns) {
    bool same = columns->features == t->features;
    for (int64_t k = 0; same && k < columns->count; k++) same = !columns->column[k].category && columns->column[k].gaps == 0;
    return same;
}

spdhg_status spd_table_features(spd_table *t, spdhg_data *data, spdhg_error *err) {
    spdhg_columns *columns = data->columns = spd_schema_new(t->features);
    if (!columns) return spd_fail_memory(err, 96.0 * (double)t->features);
    SPD_TRY(describe(t, columns, err));
    data->features = columns->features;
    if (!plain(t, columns)) return make_rows(t, columns, data, err);
    if (!t->val && !(t->val = SPD_NEW(double, 0))) return spd_fail_memory(err, 1); /* a table of targets only */
    data->val = t->val;
    data->nnz = t->rows * t->features;
    t->val = NULL;
    return SPDHG_OK;
}

/* memory.c - a table in memory, made into features exactly as a file is: the same roles, levels, gaps and references, and the
 * same columns in the model. Its cells are numbers or codes of levels, so that nothing has to be written and parsed. */
#include "table/table.h"

static spdhg_status take_names(spd_table *t, const spdhg_column *given, int64_t count, spdhg_error *err) {
    for (int64_t c = 0; c < count; c++) {
        double code;
        SPD_TRY(spd_table_add_column(t, spd_to_utf8(given[c].name), err));
        SPD_TRY(spd_labels_code(&t->names, t->column[c].name, &t->budget, &code, err));
        if (t->names.count <= c)
            return spd_fail(err, SPDHG_DATA, "two columns of the table are called '%.60s': rename one", given[c].name);
    }
    return SPDHG_OK;
}

/* The text of a level: levels that are numbers are compared as numbers, 1 and 1.0 are the same. NULL: out of memory. */
static char *level_text(const char *given) {
    char text[SPD_NUMBER_CHARS];
    double number;
    if (!spd_to_double(given, &number)) return spd_to_utf8(given);
    spd_print_double(text, number);
    return spd_strdup(text);
}

static spdhg_status no_value(const spd_file_column *k, int64_t row, spdhg_error *err) {
    return spd_fail(err, SPDHG_DATA, "row %lld of the table, column '%.60s': there is no value%s%s", (long long)row + 1, k->name,
                    k->closed ? ", and none was missing in this column when the model was fitted"
                              : "; --missing drop leaves out such rows, mean or median fills them in",
                    k->closed && k->cells == SPD_CELLS_LEVELS ? "; --unseen other gives it no level's coefficient" : "");
}

static spdhg_status unknown_level(spd_table *t, const spd_file_column *k, int64_t row, const char *level, double *code,
                                  spdhg_error *err) {
    *code = -1;
    if (t->o->unseen && strcmp(t->o->unseen, "other") == 0) return SPDHG_OK;
    char meant[SPD_DID_YOU_MEAN_CHARS];
    spd_did_you_mean(meant, sizeof meant, level, k->level.text, k->level.count, sizeof *k->level.text);
    return spd_fail(err, SPDHG_DATA, "row %lld of the table: '%.60s' is not one of the %lld levels of column '%.60s'%s%s",
                    (long long)row + 1, level, (long long)k->level.count, k->name, meant,
                    meant[0] ? " Otherwise: --unseen other" : "; --unseen other gives it no level's coefficient");
}

static spdhg_status code_of(spd_table *t, spd_file_column *k, int64_t row, const char *given, double *code, spdhg_error *err) {
    char *level = level_text(given);
    if (!level) return spd_fail_memory(err, (double)strlen(given));
    spdhg_status status = SPDHG_OK;
    const int64_t known = k->closed ? spd_labels_find(&k->level, level) : 0;
    if (!k->closed)
        status = spd_labels_code(&k->level, level, &t->budget, code, err);
    else if (known < 0)
        status = unknown_level(t, k, row, level, code, err);
    else
        *code = (double)known;
    spd_free(level);
    return status;
}

/* A cell without a value: NAN, which features.c fills, or the level that stands for it. */
static spdhg_status gap(spd_table *t, spd_file_column *k, int64_t row, double *place, spdhg_error *err) {
    k->gaps++;
    *place = NAN;
    if (t->fills || !isnan(k->fill)) return SPDHG_OK;
    const int64_t level = k->cells == SPD_CELLS_LEVELS && k->closed ? spd_labels_find(&k->level, SPD_GAP_LEVEL) : -1;
    if (level >= 0) {
        *place = (double)level;
        return SPDHG_OK;
    }
    if (k->cells == SPD_CELLS_LEVELS && t->o->unseen && strcmp(t->o->unseen, "other") == 0) {
        *place = -1;
        return SPDHG_OK;
    }
    return no_value(k, row, err);
}

/* A new level gets its code at the first row that has it. Levels that no row has are not features,
 * unless their order was given. */
static spdhg_status take_levels(spd_table *t, const spdhg_column *given, spd_file_column *k, spdhg_error *err) {
    double *code = SPD_NEW(double, given->levels);
    if (!code) return spd_fail_memory(err, 8.0 * (double)given->levels);
    spdhg_status status = SPDHG_OK;
    for (int64_t l = 0; l < given->levels; l++) code[l] = NAN;
    for (int64_t i = 0; status == SPDHG_OK && i < t->rows; i++) {
        double *place = &t->val[i * t->features + k->at];
        const int64_t l = given->code[i];
        if (l >= given->levels)
            status = spd_fail(err, SPDHG_DATA, "row %lld of the table: column '%.60s' has %lld levels, not %lld",
                              (long long)i + 1, k->name, (long long)given->levels, (long long)l + 1);
        else if (l < 0)
            status = gap(t, k, i, place, err);
        else if (isnan(code[l]))
            status = code_of(t, k, i, given->level[l], &code[l], err);
        if (status == SPDHG_OK && l >= 0) *place = code[l];
    }
    spd_free(code);
    return status;
}

static spdhg_status take_numbers(spd_table *t, const spdhg_column *given, spd_file_column *k, spdhg_error *err) {
    for (int64_t i = 0; i < t->rows; i++) {
        double *place = &t->val[i * t->features + k->at];
        const double value = given->number[i];
        if (isnan(value)) {
            SPD_TRY(gap(t, k, i, place, err));
            continue;
        }
        if (!isfinite(value))
            return spd_fail(err, SPDHG_DATA, "row %lld of the table, column '%.60s' is not finite", (long long)i + 1, k->name);
        char text[SPD_NUMBER_CHARS];
        if (k->cells == SPD_CELLS_LEVELS) { /* the model has this column as a category */
            spd_print_double(text, value);
            SPD_TRY(code_of(t, k, i, text, place, err));
        } else
            *place = value;
    }
    return SPDHG_OK;
}

static spdhg_status open_column(spd_table *t, const spdhg_column *given, spd_file_column *k, spdhg_error *err) {
    if (t->o->like) {
        if (k->cells == SPD_CELLS_NUMBERS && !given->number)
            return spd_fail(err, SPDHG_DATA, "column '%.60s' of the table has words, the model has numbers there", k->name);
        return SPDHG_OK;
    }
    k->cells = given->number ? SPD_CELLS_NUMBERS : SPD_CELLS_LEVELS;
    k->automatic = !given->number && given->text;
    k->ordered = given->ordered;
    double code;
    for (int64_t l = 0; !given->number && given->ordered && l < given->levels; l++)
        SPD_TRY(code_of(t, k, 0, given->level[l], &code, err));
    k->closed = given->ordered && !given->number;
    return SPDHG_OK;
}

static spdhg_status take_table(spd_table *t, const spdhg_column *given, int64_t count, spdhg_error *err) {
    int64_t cells;
    SPD_TRY(spd_table_choose_gaps(t, err));
    if (t->missing == SPD_GAPS_DROP)
        return spd_fail(err, SPDHG_USAGE, "missing 'drop': leave out rows of a table in memory yourself");
    SPD_TRY(take_names(t, given, count, err));
    SPD_TRY(spd_table_roles(t, err));
    SPD_TRY(spd_table_categories(t, err));
    if (__builtin_mul_overflow(t->rows, t->features, &cells) || !(t->val = spd_alloc_raw(cells, sizeof *t->val)))
        return spd_fail_memory(err, 8.0 * (double)t->rows * (double)t->features);
    for (int64_t c = 0; c < count; c++) {
        spd_file_column *k = &t->column[c];
        if (k->role != SPD_ROLE_FEATURE) continue;
        SPD_TRY(open_column(t, &given[c], k, err));
        SPD_TRY((given[c].number ? take_numbers : take_levels)(t, &given[c], k, err));
    }
    return SPDHG_OK;
}

spdhg_status spdhg_data_from_table(spdhg_data **out, int64_t rows, const spdhg_column *column, int64_t columns,
                                   const spdhg_read_options *options, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    spdhg_read_options o = SPDHG_READ_OPTIONS;
    *out = NULL;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_read_options, &o, options, err));
    o.no_label = true;
    o.label = o.targets = NULL;
    spd_table t = {.o = &o, .path = "the table", .header = true, .separator = ',', .rows = rows};
    t.budget = (spd_budget){.path = t.path, .limit = o.max_memory};
    SPD_TRY(spd_data_new(out, err));
    spdhg_status status = take_table(&t, column, columns, err);
    if (status == SPDHG_OK) status = spd_table_to_data(&t, *out, err);
    spd_table_clear(&t);
    if (status != SPDHG_OK) {
        spdhg_data_free(*out);
        *out = NULL;
    }
    return status;
}

/* categories.c - which columns are categories, and what is known of their levels before the rows are read: from the options
 * categorical, ordered and reference, or from the columns of a model. */
#include "table/table.h"

static spdhg_status add_level(spd_table *t, spd_file_column *k, const char *text, spdhg_error *err) {
    double code;
    const int64_t before = k->level.count;
    SPD_TRY(spd_labels_code(&k->level, text, &t->budget, &code, err));
    if (k->level.count == before)
        return spd_fail(err, SPDHG_USAGE, "--ordered: the level '%.60s' of column '%.60s' is named twice", text, k->name);
    return SPDHG_OK;
}

/* "LEVEL<LEVEL<...": the levels in their order. */
static spdhg_status order_levels(spd_table *t, spd_file_column *k, const char *at, spdhg_error *err) {
    for (; at; at = strchr(at, '<') ? strchr(at, '<') + 1 : NULL) {
        char level[SPD_TEXT_NAME];
        snprintf(level, sizeof level, "%.*s", (int)strcspn(at, "<"), at);
        double number; /* levels that are numbers are compared as numbers: 1 and 1.0 are the same */
        if (spd_to_double(level, &number)) spd_print_double(level, number);
        SPD_TRY(add_level(t, k, level, err));
    }
    k->closed = true;
    return SPDHG_OK;
}

static spdhg_status find_feature(spd_table *t, const char *option, const char *name, spd_file_column **out, spdhg_error *err) {
    int64_t c;
    SPD_TRY(spd_table_find(t, option, name, &c, err));
    *out = &t->column[c];
    if (t->column[c].role == SPD_ROLE_FEATURE) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "%s: --%s: column '%.60s' is not used as a feature%s", t->path, option, name,
                    t->column[c].role == SPD_ROLE_TARGET ? ": it is the target; --label names another" : "");
}

static spdhg_status by_options(spd_table *t, spdhg_error *err) {
    char name[SPD_TEXT_NAME];
    spd_file_column *k;
    for (const char *list = t->o->categorical; spd_table_next(t, &list, name);) {
        SPD_TRY(find_feature(t, "categorical", name, &k, err));
        k->cells = SPD_CELLS_LEVELS;
    }
    for (const char *list = t->o->ordered; spd_table_next(t, &list, name);) {
        char *equals = strchr(name, '=');
        if (equals) *equals = '\0';
        SPD_TRY(find_feature(t, "ordered", name, &k, err));
        k->cells = SPD_CELLS_LEVELS;
        k->ordered = true;
        if (equals) SPD_TRY(order_levels(t, k, equals + 1, err));
    }
    return SPDHG_OK;
}

static spdhg_status like_known(spd_table *t, spdhg_error *err) {
    for (int64_t c = 0; c < t->columns; c++) {
        spd_file_column *k = &t->column[c];
        if (k->role != SPD_ROLE_FEATURE) continue;
        const spd_table_column *known = &t->o->like->column[k->at];
        k->cells = known->category ? SPD_CELLS_LEVELS : SPD_CELLS_NUMBERS;
        k->ordered = known->ordered;
        k->reference = known->reference;
        k->closed = true;
        k->fill = known->fill;
        k->indicator = known->indicator;
        for (int64_t l = 0; l < known->levels; l++) SPD_TRY(add_level(t, k, known->level[l], err));
    }
    return SPDHG_OK;
}

spdhg_status spd_table_categories(spd_table *t, spdhg_error *err) { return t->o->like ? like_known(t, err) : by_options(t, err); }

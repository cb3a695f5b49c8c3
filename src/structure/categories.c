/* categories.c - F for a table with categories: a row x_a - x_b for every two levels of a category that belong together. Levels
 * in an order belong to their neighbours, unordered ones to each other. The reference level, which has no coefficient, counts
 * as 0: its rows have one entry. So do columns of numbers and levels for missing values, which are penalised by themselves.
 * (Gertheiss and Tutz 2010; Devriendt, Antonio, Reynkens and Verbelen 2021.) */
#include "structure/structure.h"

/* The feature of a level; -1: the reference. */
static int64_t feature_of(const spd_table_column *c, int64_t level) {
    return level == c->reference ? -1 : c->feature + level - (c->reference >= 0 && level > c->reference);
}

static bool is_gap(const spd_table_column *c, int64_t level) { return strcmp(c->level[level], SPD_GAP_LEVEL) == 0; }

/* Adds the row x_a - x_b; -1 stands for 0. F NULL: only counts. */
static void add(spd_csr *F, int64_t *rows, int64_t *entries, int64_t a, int64_t b) {
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (high < 0) return;
    if (F && low >= 0) {
        F->idx[*entries] = (int32_t)low;
        F->val[*entries] = -1;
    }
    *entries += low >= 0;
    if (F) {
        F->idx[*entries] = (int32_t)high;
        F->val[*entries] = 1;
        F->ptr[*rows + 1] = *entries + 1;
    }
    ++*entries;
    ++*rows;
}

static void walk(const spdhg_columns *columns, spd_csr *F, int64_t *rows, int64_t *entries) {
    *rows = *entries = 0;
    for (int64_t k = 0; k < columns->count; k++) {
        const spd_table_column *c = &columns->column[k];
        for (int64_t p = 0; !c->category && p < c->features; p++) add(F, rows, entries, -1, c->feature + p);
        int64_t before = -1; /* the level before this one that is not a gap */
        for (int64_t l = 0; c->category && l < c->levels; l++) {
            if (is_gap(c, l)) {
                add(F, rows, entries, -1, feature_of(c, l));
                continue;
            }
            for (int64_t m = c->ordered ? before : 0; before >= 0 && m <= before; m++)
                if (!is_gap(c, m)) add(F, rows, entries, feature_of(c, m), feature_of(c, l));
            before = l;
        }
    }
}

spdhg_status spdhg_structure_categories(spdhg_structure **out, const spdhg_columns *columns, spdhg_error *err) {
    int64_t rows, entries;
    bool some = false;
    *out = NULL;
    for (int64_t k = 0; columns && k < columns->count; k++) some = some || columns->column[k].category;
    if (!some)
        return spd_fail(err, SPDHG_USAGE,
                        "structure 'categories': the data has no categories; it needs a table with columns of text, "
                        "--categorical or --ordered");
    walk(columns, NULL, &rows, &entries);
    SPD_TRY(spd_structure_begin(out, "categories", columns->features, err));
    spdhg_status status = spd_csr_new(&(*out)->F, rows, columns->features, entries, err);
    if (status == SPDHG_OK) walk(columns, &(*out)->F, &rows, &entries);
    return spd_structure_finish(out, status, err);
}

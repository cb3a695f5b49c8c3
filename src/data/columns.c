/* columns.c - makes, copies and frees the columns of a table; numbers and names their features. */
#include "data/columns.h"

void spd_texts_free(char **text, int64_t count) {
    for (int64_t i = 0; text && i < count; i++) spd_free(text[i]);
    spd_free(text);
}

char **spd_texts_copy(char *const *text, int64_t count) {
    char **copy = SPD_NEW(char *, count);
    bool good = copy != NULL;
    for (int64_t i = 0; good && i < count; i++) good = (copy[i] = spd_strdup(text[i])) != NULL;
    if (good) return copy;
    spd_texts_free(copy, count);
    return NULL;
}

spdhg_columns *spd_schema_new(int64_t count) {
    spdhg_columns *k = SPD_NEW(spdhg_columns, 1);
    if (k && !(k->column = SPD_NEW(spd_table_column, count))) {
        spd_free(k);
        return NULL;
    }
    for (int64_t i = 0; k && i < count; i++) k->column[i] = (spd_table_column){.reference = -1, .fill = NAN};
    if (k) k->count = count;
    return k;
}

void spd_schema_free(spdhg_columns *k) {
    if (!k) return;
    for (int64_t i = 0; i < k->count; i++) {
        spd_texts_free(k->column[i].level, k->column[i].levels);
        spd_free(k->column[i].name);
    }
    spd_texts_free(k->target, k->targets);
    spd_texts_free(k->extra, k->extras);
    SPD_FREE_ALL(k->column, k->id, k->offset, k);
}

static bool copy_column(spd_table_column *to, const spd_table_column *from) {
    *to = *from;
    to->level = NULL;
    to->levels = 0;
    to->gaps = 0;
    if (!(to->name = spd_strdup(from->name))) return false;
    if (from->levels > 0 && !(to->level = spd_texts_copy(from->level, from->levels))) return false;
    to->levels = from->levels;
    return true;
}

spdhg_columns *spd_schema_copy(const spdhg_columns *from) {
    spdhg_columns *k = spd_schema_new(from->count);
    bool good = k != NULL;
    for (int64_t i = 0; good && i < from->count; i++) good = copy_column(&k->column[i], &from->column[i]);
    if (good && from->target) good = (k->target = spd_texts_copy(from->target, from->targets)) != NULL;
    if (good && from->id) good = (k->id = spd_strdup(from->id)) != NULL;
    if (good && from->offset) good = (k->offset = spd_strdup(from->offset)) != NULL;
    if (!good) {
        spd_schema_free(k);
        return NULL;
    }
    k->targets = from->target ? from->targets : 0;
    k->named = from->named;
    k->width = from->width;
    k->features = from->features;
    return k;
}

spdhg_columns *spd_schema_numbers(char *const *name, int64_t count) {
    spdhg_columns *k = spd_schema_new(count);
    for (int64_t i = 0; k && i < count; i++)
        if (!(k->column[i].name = spd_strdup(name[i]))) {
            spd_schema_free(k);
            return NULL;
        }
    if (!k) return NULL;
    k->named = true;
    spd_schema_lay_out(k);
    return k;
}

void spd_schema_lay_out(spdhg_columns *k) {
    k->features = 0;
    for (int64_t i = 0; i < k->count; i++) {
        spd_table_column *c = &k->column[i];
        c->feature = k->features;
        c->features = c->category ? c->levels - (c->reference >= 0) : 1 + c->indicator;
        k->features += c->features;
    }
}

int64_t spd_column_level(const spd_table_column *c, int64_t position) {
    return position + (c->reference >= 0 && position >= c->reference);
}

static char *feature_name(const spd_table_column *c, int64_t position) {
    if (!c->category && position == 0) return spd_strdup(c->name);
    const char *level = c->category ? c->level[spd_column_level(c, position)] : "";
    const size_t size = strlen(c->name) + strlen(level) + 16;
    char *name = spd_alloc((int64_t)size, 1);
    if (name && c->category) snprintf(name, size, "%s=%s", c->name, level);
    if (name && !c->category) snprintf(name, size, "%s (missing)", c->name);
    return name;
}

char **spd_schema_names(const spdhg_columns *k) {
    char **name = SPD_NEW(char *, k->features);
    for (int64_t i = 0; name && i < k->count; i++)
        for (int64_t p = 0; p < k->column[i].features; p++)
            if (!(name[k->column[i].feature + p] = feature_name(&k->column[i], p))) {
                spd_texts_free(name, k->features);
                return NULL;
            }
    return name;
}

const spd_table_column *spd_schema_of(const spdhg_columns *k, int64_t feature) {
    int64_t low = 0, high = k->count - 1; /* columns without features (one level, which is the reference) share a start */
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (k->column[middle].feature <= feature)
            low = middle;
        else
            high = middle - 1;
    }
    while (low > 0 && k->column[low].features == 0) low--;
    return &k->column[low];
}

int64_t spdhg_columns_count(const spdhg_columns *k) { return k->count; }

const char *spdhg_columns_name(const spdhg_columns *k, int64_t column) {
    return column >= 0 && column < k->count ? k->column[column].name : NULL;
}

int64_t spdhg_columns_of(const spdhg_columns *k, int64_t feature, const char **level) {
    if (level) *level = NULL;
    if (feature < 0 || feature >= k->features) return -1;
    const spd_table_column *c = spd_schema_of(k, feature);
    if (level && c->category) *level = c->level[spd_column_level(c, feature - c->feature)];
    return c - k->column;
}

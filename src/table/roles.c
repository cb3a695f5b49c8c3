/* roles.c - what each column of a table is for: feature, target, id, weight, offset or nothing.
 * One rule for the target in all verbs: the option label, otherwise the column called label, target, y or class, otherwise the
 * last one. A table that is read like another (like.c) has the roles of that one. */
#include <strings.h>

#include "table/table.h"

bool spd_table_next(const spd_table *t, const char **list, char name[SPD_TEXT_NAME]) {
    if (!*list) return false;
    const char *comma = strchr(*list, ',');
    if (spd_labels_find(&t->names, *list) >= 0) comma = NULL;
    snprintf(name, SPD_TEXT_NAME, "%.*s", (int)(comma ? comma - *list : (ptrdiff_t)strlen(*list)), *list);
    *list = comma ? comma + 1 : NULL;
    return true;
}

/* "a, b, c and 12 more" */
static const char *all_names(const spd_table *t, char out[300]) {
    size_t used = 0;
    int64_t c = 0;
    out[0] = '\0';
    for (; c < t->columns && (used < 60 || (used < 220 && t->columns <= 20)); c++)
        used += (size_t)snprintf(out + used, 300 - used, "%s%.60s", c ? ", " : "", t->column[c].name);
    if (c < t->columns) snprintf(out + used, 300 - used, " and %lld more", (long long)(t->columns - c));
    return out;
}

spdhg_status spd_table_find(const spd_table *t, const char *option, const char *name, int64_t *column, spdhg_error *err) {
    *column = -1;
    for (int64_t c = 0; !t->header && c < t->columns; c++)
        if (strcmp(t->column[c].name, name) == 0) *column = c;
    if (t->header) *column = spd_labels_find(&t->names, name);
    if (*column >= 0) return SPDHG_OK;
    char meant[SPD_DID_YOU_MEAN_CHARS], names[300];
    spd_did_you_mean(meant, sizeof meant, name, t->column, t->columns, sizeof *t->column);
    return spd_fail(err, SPDHG_DATA, "%s:1:1: --%s: no column is called '%.60s'%s %s are: %s", t->path, option, name,
                    meant[0] ? meant : ";", meant[0] ? "The columns" : "the columns", all_names(t, names));
}

void spd_table_give(spd_table *t, int64_t c, spd_role role, int64_t at) {
    t->column[c].role = role;
    t->column[c].at = at;
}

spdhg_status spd_table_named_targets(spd_table *t, spdhg_error *err) {
    char name[SPD_TEXT_NAME];
    for (const char *list = t->o->label; spd_table_next(t, &list, name);) {
        int64_t c;
        SPD_TRY(spd_table_find(t, "label", name, &c, err));
        if (t->column[c].role == SPD_ROLE_TARGET)
            return spd_fail(err, SPDHG_USAGE, "%s: --label: column '%s' is named twice", t->path, name);
        spd_table_give(t, c, SPD_ROLE_TARGET, t->targets++);
    }
    return SPDHG_OK;
}

static void usual_target(spd_table *t) {
    static const char *const usual[] = {"label", "target", "y", "class"};
    for (size_t i = 0; t->header && i < sizeof usual / sizeof *usual; i++)
        for (int64_t c = 0; c < t->columns; c++)
            if (t->column[c].role == SPD_ROLE_NONE && strcasecmp(t->column[c].name, usual[i]) == 0) {
                spd_table_give(t, c, SPD_ROLE_TARGET, t->targets++);
                return;
            }
    int64_t last = t->columns - 1;
    while (last >= 0 && t->column[last].role != SPD_ROLE_NONE) last--;
    if (last < 0) return;
    t->last_is_target = t->header;
    spd_table_give(t, last, SPD_ROLE_TARGET, t->targets++);
}

/* Weights, offsets and the id. Weights and offsets may also be files: a name that no column has is left to others. */
static spdhg_status side_columns(spd_table *t, const char *id, const char *offset, spdhg_error *err) {
    const struct {
        const char *name;
        spd_role role;
    } side[] = {{t->o->weight_column, SPD_ROLE_WEIGHT}, {offset, SPD_ROLE_OFFSET}};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        const int64_t c = side[i].name && t->header ? spd_labels_find(&t->names, side[i].name) : -1;
        if (c >= 0) spd_table_give(t, c, side[i].role, 0);
    }
    int64_t c = t->row_names ? 0 : -1;
    if (t->o->id)
        SPD_TRY(spd_table_find(t, "id", t->o->id, &c, err));
    else if (id && t->header && spd_labels_find(&t->names, id) >= 0)
        c = spd_labels_find(&t->names, id);
    if (c >= 0) spd_table_give(t, c, SPD_ROLE_ID, 0);
    return SPDHG_OK;
}

static spdhg_status features_by_choice(spd_table *t, spdhg_error *err) {
    char name[SPD_TEXT_NAME], *used = SPD_NEW(char, t->columns);
    if (!used) return spd_fail_memory(err, (double)t->columns);
    memset(used, !t->o->columns, (size_t)t->columns);
    spdhg_status status = SPDHG_OK;
    int64_t c;
    for (const char *list = t->o->columns; status == SPDHG_OK && spd_table_next(t, &list, name);)
        if ((status = spd_table_find(t, "columns", name, &c, err)) == SPDHG_OK) used[c] = 1;
    for (const char *list = t->o->drop; status == SPDHG_OK && spd_table_next(t, &list, name);)
        if ((status = spd_table_find(t, "drop", name, &c, err)) == SPDHG_OK) {
            used[c] = 0;
            if (t->column[c].role == SPD_ROLE_TARGET && t->o->label)
                status = spd_fail(err, SPDHG_USAGE, "%s: column '%s' is both --label and --drop", t->path, name);
        }
    for (c = 0; status == SPDHG_OK && c < t->columns; c++)
        if (t->column[c].role == SPD_ROLE_NONE && used[c]) spd_table_give(t, c, SPD_ROLE_FEATURE, t->features++);
    spd_free(used);
    return status;
}

/* Columns that --drop names cannot be the target by the usual rule. */
static spdhg_status hide_dropped(spd_table *t, bool hide, spdhg_error *err) {
    char name[SPD_TEXT_NAME];
    for (const char *list = t->o->drop; spd_table_next(t, &list, name);) {
        int64_t c;
        SPD_TRY(spd_table_find(t, "drop", name, &c, err));
        if (hide && t->column[c].role == SPD_ROLE_NONE) spd_table_give(t, c, SPD_ROLE_ID, -1);
        if (!hide && t->column[c].role == SPD_ROLE_ID && t->column[c].at < 0) spd_table_give(t, c, SPD_ROLE_NONE, 0);
    }
    return SPDHG_OK;
}

static spdhg_status freely(spd_table *t, spdhg_error *err) {
    SPD_TRY(side_columns(t, NULL, t->o->offset_column, err));
    if (t->o->label)
        SPD_TRY(spd_table_named_targets(t, err));
    else if (!t->o->targets && !t->o->no_label) {
        SPD_TRY(hide_dropped(t, true, err));
        usual_target(t);
        SPD_TRY(hide_dropped(t, false, err));
    }
    return features_by_choice(t, err);
}

spdhg_status spd_table_roles(spd_table *t, spdhg_error *err) {
    const spdhg_columns *like = t->o->like;
    if (!like) return freely(t, err);
    SPD_TRY(side_columns(t, like->id, t->o->offset_column ? t->o->offset_column : like->offset, err));
    if (like->offset && t->header && !t->o->offset_column && spd_labels_find(&t->names, like->offset) < 0)
        return spd_fail(err, SPDHG_DATA, "%s:1:1: the model's offset, column '%.60s', is missing; give --offset FILE", t->path,
                        like->offset);
    return spd_table_like(t, err);
}

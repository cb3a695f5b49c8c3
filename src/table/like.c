/* like.c - the roles of the columns of a table that is read like another, whose columns a model has kept. Features go by name, in
 * any order; what is missing is refused, what is more is ignored and remembered. Without names on either side, columns are
 * matched by position. */
#include "table/table.h"

static spdhg_status target_like(spd_table *t, const spdhg_columns *like, spdhg_error *err) {
    if (t->o->label) return spd_table_named_targets(t, err);
    if (t->o->targets || t->o->no_label) return SPDHG_OK;
    for (int64_t k = 0; k < like->targets; k++)
        if (spd_labels_find(&t->names, like->target[k]) < 0) return SPDHG_OK; /* all or none */
    for (int64_t k = 0; k < like->targets; k++)
        spd_table_give(t, spd_labels_find(&t->names, like->target[k]), SPD_ROLE_TARGET, t->targets++);
    return SPDHG_OK;
}

/* Column c is feature number `at`, unless an option has given it another use. */
static spdhg_status take(spd_table *t, int64_t c, int64_t at, spdhg_error *err) {
    if (t->column[c].role != SPD_ROLE_NONE)
        return spd_fail(err, SPDHG_USAGE, "%s: the model needs column '%.60s': --label, --id and --offset cannot name it",
                        t->path, t->column[c].name);
    spd_table_give(t, c, SPD_ROLE_FEATURE, at);
    return SPDHG_OK;
}

/* A column that the model needs cannot be left out. */
static spdhg_status refuse_drop(const spd_table *t, spdhg_error *err) {
    char name[SPD_TEXT_NAME];
    for (const char *list = t->o->drop; spd_table_next(t, &list, name);) {
        const int64_t c = spd_labels_find(&t->names, name);
        if (c >= 0 && t->column[c].role == SPD_ROLE_FEATURE)
            return spd_fail(err, SPDHG_USAGE, "--drop: the model needs column '%.60s'; fit one without it", name);
    }
    return SPDHG_OK;
}

static spdhg_status by_name(spd_table *t, const spdhg_columns *like, spdhg_error *err) {
    char all[700] = "", meant[SPD_DID_YOU_MEAN_CHARS] = "";
    size_t used = 0;
    int64_t missing = 0, listed = 0;
    SPD_TRY(target_like(t, like, err));
    for (int64_t k = 0; k < like->count; k++) {
        const int64_t c = spd_labels_find(&t->names, like->column[k].name);
        if (c >= 0) {
            SPD_TRY(take(t, c, k, err));
            continue;
        }
        if (used + 90 < sizeof all) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s'%.60s'", missing ? ", " : "", like->column[k].name);
            listed++;
        }
        if (++missing == 1) spd_did_you_mean(meant, sizeof meant, like->column[k].name, t->column, t->columns, sizeof *t->column);
    }
    if (missing > listed) snprintf(all + used, sizeof all - used, " and %lld more", (long long)(missing - listed));
    if (missing > 0)
        return spd_fail(err, SPDHG_DATA, "%s:1:1: %lld of the model's %lld columns %s missing: %s%s", t->path, (long long)missing,
                        (long long)like->count, missing == 1 ? "is" : "are", all,
                        missing == 1 && meant[0] ? meant : "; the table needs a column of each name, in any order");
    SPD_TRY(refuse_drop(t, err));
    t->features = like->count;
    if (!(t->extra = SPD_NEW(char *, t->columns))) return spd_fail_memory(err, 8.0 * (double)t->columns);
    for (int64_t c = 0; c < t->columns; c++)
        if (t->column[c].role == SPD_ROLE_NONE && !(t->extra[t->extras++] = spd_strdup(t->column[c].name)))
            return spd_fail_memory(err, 1);
    return SPDHG_OK;
}

/* Column N of a table without a header is called xN; -1: no such name, or beyond the last column. */
static int64_t numbered(const spd_table *t, const char *name) {
    int64_t number;
    return name[0] == 'x' && spd_to_int(name + 1, &number) && number >= 1 && number <= t->columns ? number - 1 : -1;
}

/* Whether the columns of the table are those of the model's, one by one: all of them, or all but targets at the end. */
static bool laid_out(const spd_table *t, const spdhg_columns *like) {
    if (t->columns == like->width) return true;
    int64_t missing = 0;
    for (int64_t k = 0; k < like->targets; k++) missing += numbered(t, like->target[k]) < 0;
    bool all = missing > 0 && t->columns == like->width - missing;
    for (int64_t k = 0; all && k < like->count; k++) all = numbered(t, like->column[k].name) >= 0;
    return all;
}

static spdhg_status by_number(spd_table *t, const spdhg_columns *like, spdhg_error *err) {
    const int64_t id = like->id && !t->o->id ? numbered(t, like->id) : -1;
    if (id >= 0) spd_table_give(t, id, SPD_ROLE_ID, 0);
    for (int64_t k = 0; k < like->count; k++) {
        const int64_t c = numbered(t, like->column[k].name);
        if (c < 0)
            return spd_fail(err, SPDHG_DATA, "%s: the model has no column of the number '%.60s'", t->path, like->column[k].name);
        SPD_TRY(take(t, c, t->features++, err));
    }
    const bool found = t->columns == like->width && !t->o->targets && !t->o->no_label && t->targets == 0;
    for (int64_t k = 0; found && k < like->targets; k++) {
        const int64_t c = numbered(t, like->target[k]);
        if (c >= 0 && t->column[c].role == SPD_ROLE_NONE) spd_table_give(t, c, SPD_ROLE_TARGET, t->targets++);
    }
    return SPDHG_OK;
}

/* The model's columns in their order and no others; one more for each target may follow where it is not known what else the
 * model's table had. */
static spdhg_status by_order(spd_table *t, const spdhg_columns *like, spdhg_error *err) {
    int64_t open = 0;
    for (int64_t c = 0; c < t->columns; c++) open += t->column[c].role == SPD_ROLE_NONE;
    const int64_t more = open - like->count, expected = like->targets > 0 ? like->targets : 1;
    if (more != 0 && like->width > 0)
        return spd_fail(
            err, SPDHG_DATA,
            "%s: %lld columns; the model was fitted to a table of %lld and uses %lld of them, without names: give a table "
            "like that one, or only those columns in their order",
            t->path, (long long)t->columns, (long long)like->width, (long long)like->count);
    if (more != 0 && (more != expected || like->named || t->targets > 0 || t->o->targets))
        return spd_fail(err, SPDHG_DATA,
                        "%s: %lld columns, but the model has %lld, and without names on both sides they are matched by position; "
                        "a header with the model's names lifts this",
                        t->path, (long long)open, (long long)like->count);
    for (int64_t c = 0; c < t->columns; c++) {
        if (t->column[c].role != SPD_ROLE_NONE) continue;
        if (t->features < like->count)
            spd_table_give(t, c, SPD_ROLE_FEATURE, t->features++);
        else
            spd_table_give(t, c, SPD_ROLE_TARGET, t->targets++);
    }
    return SPDHG_OK;
}

static spdhg_status by_position(spd_table *t, const spdhg_columns *like, spdhg_error *err) {
    if (t->o->label) SPD_TRY(spd_table_named_targets(t, err));
    return !like->named && like->width > 0 && laid_out(t, like) ? by_number(t, like, err) : by_order(t, like, err);
}

spdhg_status spd_table_like(spd_table *t, spdhg_error *err) {
    return (t->header && t->o->like->named ? by_name : by_position)(t, t->o->like, err);
}

/* table.h - a CSV table while it is read: its columns, their roles, the numbers so far. Private to this room. */
#ifndef SPD_TABLE_H
#define SPD_TABLE_H

#include "data/columns.h"
#include "table/cells.h"
#include "table/csv.h"
#include "table/labels.h"

typedef enum spd_role {
    SPD_ROLE_NONE,
    SPD_ROLE_FEATURE,
    SPD_ROLE_TARGET,
    SPD_ROLE_ID,
    SPD_ROLE_WEIGHT,
    SPD_ROLE_OFFSET,
    SPD_ROLE_EMPTY /* neither a name nor values: what a spreadsheet leaves behind the last column */
} spd_role;
typedef enum spd_cells { SPD_CELLS_OPEN, SPD_CELLS_NUMBERS, SPD_CELLS_LEVELS } spd_cells;
typedef enum spd_gaps { SPD_GAPS_ERROR, SPD_GAPS_DROP, SPD_GAPS_MEAN, SPD_GAPS_MEDIAN } spd_gaps;

typedef struct spd_file_column {
    char *name; /* x1, x2, ... without a header */
    spd_role role;
    int64_t at;                      /* its number among the columns that are features, or among the targets */
    spd_cells cells;                 /* OPEN: decided by the first cell with a value */
    bool ordered, automatic, closed; /* closed: every level is known beforehand */
    int64_t reference;               /* of a category that is made like a known one; -1: none */
    spd_labels level;
    double fill;    /* like a known column: what a gap counts as; otherwise NAN */
    bool indicator; /* like a known column: marks gaps */
    int64_t gaps;
} spd_file_column;

typedef struct spd_table {
    const spdhg_read_options *o;
    const char *path;
    char separator;
    bool header, row_names, last_is_target;
    spd_file_column *column;
    int64_t columns, columns_room, empty; /* empty: the last ones, which have neither name nor values */
    spd_labels names;                     /* code = number of the column; not used without a header */
    int64_t features;                     /* columns that are features; a category counts once */
    int64_t targets;
    spd_gaps missing;
    bool fills; /* gaps count as the mean or median, or as like says */

    double *val, *b, *weight, *offset; /* rows x features: numbers, codes of levels, NAN for a gap; rows x targets; rows; rows */
    char **id;
    int64_t rows, val_room, b_room, weight_room, offset_room, id_room;
    int64_t first_line;          /* line of row 0 if every row is one line; otherwise 0 */
    int64_t dropped, unseen;     /* rows left out because of a gap; cells with an unknown level */
    bool gap_here, point, comma; /* in this row; a decimal point, a decimal comma has been seen */
    bool words;                  /* the target is words */
    spd_labels labels;
    spd_notes notes;
    spd_budget budget;
    char **extra; /* names of columns that `like` does not use; owned */
    int64_t extras;
} spd_table;

/* ---- csv.c: what a table in a file and one in memory share. */
spdhg_status spd_table_choose_gaps(spd_table *t, spdhg_error *err); /* the option missing */
spdhg_status spd_table_to_data(spd_table *t, spdhg_data *data, spdhg_error *err);
void spd_table_clear(spd_table *t);
/* ---- header.c: separator, names, whether there is a header at all. */
spdhg_status spd_table_header(spd_table *t, spd_text *text, spdhg_error *err);
/* Takes the name, also if it fails; NULL: there was no memory for it. */
spdhg_status spd_table_add_column(spd_table *t, char *name, spdhg_error *err);
/* ---- roles.c: what each column is for. */
spdhg_status spd_table_roles(spd_table *t, spdhg_error *err);
/* The next name of a list "NAME,NAME"; *list moves on and is NULL at the end. A list that is as a whole the name of a column is
 * one name. */
bool spd_table_next(const spd_table *t, const char **list, char name[SPD_TEXT_NAME]);
/* The column of that name. A message with the nearest name if there is none; option: who asks. */
spdhg_status spd_table_find(const spd_table *t, const char *option, const char *name, int64_t *column, spdhg_error *err);
void spd_table_give(spd_table *t, int64_t c, spd_role role, int64_t at);
spdhg_status spd_table_named_targets(spd_table *t, spdhg_error *err); /* of --label */
/* ---- like.c: the same for a table that is read like another. */
spdhg_status spd_table_like(spd_table *t, spdhg_error *err);
/* ---- categories.c: --categorical, --ordered, --reference, and the levels of known columns. */
spdhg_status spd_table_categories(spd_table *t, spdhg_error *err);
/* ---- value.c: the value of a cell of a feature, weight or offset that is not simply a number. */
spdhg_status spd_table_value(spd_table *t, const spd_text *text, const spd_cell *cell, spd_file_column *k, double *place,
                             spdhg_error *err);
bool spd_table_is_gap(const spd_cell *cell, bool number);
bool spd_table_is_infinity(const spd_cell *cell);
/* ---- mistakes.c */
/* What to do about a gap at this cell; expected: "a number", "a label". */
spdhg_status spd_table_gap(spd_table *t, const spd_text *text, const spd_cell *cell, const char *name, const char *expected,
                           spdhg_error *err);
spdhg_status spd_table_too_large(const spd_text *text, const spd_token *token, const char *name, spdhg_error *err);
/* Fails unless the cell is empty: its column has no name. */
spdhg_status spd_table_nothing(const spd_text *text, const spd_cell *cell, int64_t column, spdhg_error *err);
/* found: cells in the row; empty: the last of them is. */
spdhg_status spd_table_uneven(const spd_table *t, const spd_text *text, const spd_token *place, int64_t found, bool empty,
                              spdhg_error *err);
/* ---- features.c: from columns to features. */
spdhg_status spd_table_features(spd_table *t, spdhg_data *data, spdhg_error *err);
#endif

/* columns.h - the columns of a table by name, and the features that they become: a number is one feature (two, if gaps in it were
 * filled: the second is 1 where there was a gap), a category one for each level, or for each but the reference. A model keeps
 * them, so that another table makes the same features whatever the order of its columns. */
#ifndef SPD_COLUMNS_H
#define SPD_COLUMNS_H
#include "core/core.h"

#define SPD_GAP_LEVEL "(missing)" /* the level of a category for cells without a value */

typedef struct spd_table_column {
    char *name;
    bool category;
    int64_t feature, features; /* the first feature it becomes, and how many */
    char **level;              /* category: its levels, in the order of the features */
    int64_t levels, reference; /* reference: the level without a feature; -1: none */
    bool ordered;              /* its levels have an order: neighbours belong together */
    bool automatic;            /* it was not declared a category: its cells are text */
    double fill;               /* number: what a gap counts as; NAN: a gap is an error */
    bool indicator;            /* its last feature is 1 where there was a gap */
    int64_t gaps;              /* cells without a value among the rows that were read */
} spd_table_column;

struct spdhg_columns {
    int64_t count, features;
    spd_table_column *column;
    bool named;    /* by a header; otherwise column N of the table is called xN, and columns are matched by position */
    int64_t width; /* columns of the table without a header, of whatever use; 0: not known, or there was a header */
    char **target;
    int64_t targets;
    char *id, *offset; /* names of those columns, or NULL */
    /* About the file that was read; a model does not keep them. */
    char **extra;                                  /* columns that are not in the model and were ignored */
    int64_t extras, dropped_rows, unseen, empty;   /* empty: columns without name and values, which were left out */
    bool weighted;                                 /* the weights are a column */
    bool like;                                     /* made like the columns of a model, which have been described before */
    bool row_names, decimal_comma, last_is_target; /* the target is the last column because none has a usual name */
};

spdhg_columns *spd_schema_new(int64_t count); /* NULL: out of memory */
spdhg_columns *spd_schema_copy(const spdhg_columns *from);
spdhg_columns *spd_schema_numbers(char *const *name, int64_t count); /* every feature a column of numbers */
void spd_schema_free(spdhg_columns *columns);
/* Numbers the features of every column. */
void spd_schema_lay_out(spdhg_columns *columns);
/* The level of a category's feature, by its position among the column's features. */
int64_t spd_column_level(const spd_table_column *column, int64_t position);
/* The names of all features: NAME, NAME=LEVEL, "NAME (missing)". NULL: out of memory. */
char **spd_schema_names(const spdhg_columns *columns);
/* The column that feature belongs to. */
const spd_table_column *spd_schema_of(const spdhg_columns *columns, int64_t feature);

char **spd_texts_copy(char *const *text, int64_t count); /* NULL: out of memory */
void spd_texts_free(char **text, int64_t count);
#endif

/* data.h - the rows a_i with everything that belongs to a row, as read from a file or given in memory. Nothing here knows a
 * loss. */
#ifndef SPD_DATA_H
#define SPD_DATA_H

#include "data/columns.h"
#include "data/on_disk.h"

/* What a reader noticed and repaired; printed by inspect and by fit -v. */
typedef struct spd_notes {
    int64_t lines, blank_lines, comment_lines, unsorted_rows, duplicate_entries, explicit_zeros;
    bool byte_order_mark;
} spd_notes;

/* by_columns.c: a matrix that was given by columns. */
typedef struct spd_by_columns spd_by_columns;
typedef struct spd_columns_given {
    int64_t *ptr; /* features + 1 */
    const int32_t *row;
    const double *val;
} spd_columns_given;

struct spdhg_data {
    int64_t rows, features, nnz;
    int64_t *ptr; /* rows + 1; NULL when dense */
    int32_t *idx; /* nnz, ascending in a row; NULL when dense: row i is val[i*features ...] */
    double *val;
    int64_t targets; /* columns of b: 0 unlabelled, 1, or more for several targets */
    double *b;       /* rows x targets as read; codes 0, 1, ... if there are label texts */
    char **label;    /* texts of labels that are not numbers, in sorted order; NULL when labels are numbers */
    int64_t labels;
    double *weight; /* rows, or NULL */
    double *offset; /* rows x offsets, or NULL */
    int64_t offsets;
    int64_t *group;         /* qid of each row, or NULL */
    char **name;            /* names of the features, or NULL */
    spdhg_columns *columns; /* of a table: its columns and their features; otherwise NULL */
    char **id;              /* the name of each row, or NULL */
    int index_base;         /* 0 or 1: the file's index of the first feature */
    int hash;               /* features are words, hashed to so many bits; 0: they are not */
    char *source;           /* path, for messages; may be NULL */
    int64_t first_line;     /* line of source with row 0, if every line from there on is a row; otherwise 0 */
    const char *format;     /* the reader's name; static text */
    double read_seconds;
    bool borrowed;      /* ptr, idx, val, b belong to the caller */
    spd_by_columns *by; /* given by columns: idx and val have contents as below; otherwise NULL */
    spd_disk *disk;     /* the entries stay in a file: the same; otherwise NULL */
    spd_notes notes;
};

/* One row as solvers and evaluators see it. idx == NULL: dense, val has `nnz` = features numbers. */
typedef struct spd_row {
    int64_t nnz;
    const int32_t *idx;
    const double *val;
    const double *b;      /* targets in the form the loss expects */
    const double *offset; /* K numbers or NULL */
    double weight;        /* factor of this row's gradient in the batch (1 under i.i.d. sampling) */
    int64_t id;           /* row of the problem */
} spd_row;

spdhg_status spd_data_new(spdhg_data **out, spdhg_error *err); /* empty, to be filled by a reader */
/* Checks what every other room relies on: indices ascending and in range, all numbers finite. Messages name row and column. */
spdhg_status spd_data_validate(const spdhg_data *data, spdhg_error *err);
/* The place of a row: "file:line", or "file: row N" if lines are not known. */
const char *spd_data_place(const spdhg_data *data, int64_t row, char *buffer, size_t size);
double spd_data_bytes(const spdhg_data *data); /* memory it holds */
/* SPDHG_MEMORY if the data and that many numbers for each feature and each row need more than the limit (0: none). what: "a
 * race". */
spdhg_status spd_data_fits(const spdhg_data *data, const char *path, const char *what, double numbers, uint64_t limit,
                           spdhg_error *err);

/* ---- who reads rows of any data, one after the other, needs each first (or a few, to have them at the same time). */
static inline void spd_data_need(const spdhg_data *data, int64_t row, int64_t rows) {
    if (data->disk) spd_disk_need(data, row, rows);
}
/* Not OK: data on disk could not be read, and what was computed since is worthless. err may be NULL. */
spdhg_status spd_data_good(const spdhg_data *data, spdhg_error *err);

/* ---- by_columns.c: who reads rows of data that was given by columns, does so in a pass, or after spd_data_whole, which makes
 * all of them. Other data: nothing to do. */
void spd_data_whole(const spdhg_data *data); /* from any thread */
/* A pass reads rows in ascending order, each after pass_to; false: all rows are there, and there is nothing to end. */
bool spd_data_pass_begin(const spdhg_data *data);
void spd_data_pass_to(const spdhg_data *data, int64_t row);
void spd_data_pass_end(const spdhg_data *data);
const spd_columns_given *spd_data_columns_given(const spdhg_data *data); /* NULL: it was not given by columns */
void spd_by_columns_free(spd_by_columns *by);
spdhg_status spd_data_check_targets(const spdhg_data *data, spdhg_error *err); /* b and offsets are finite; data.c */

/* ---- view.c: selects the test rows: round(fraction * n) positions of a permutation given by seed. Ids ascend. */
spdhg_status spd_split(int64_t rows, double fraction, uint64_t seed, int64_t **train, int64_t *trains, int64_t **test,
                       int64_t *tests, spdhg_error *err);
/* A new data set with copies of some rows: for small sets and for writing parts. */
spdhg_status spd_data_subset(spdhg_data **out, const spdhg_data *data, const int64_t *row, int64_t rows, spdhg_error *err);

/* ---- centre.c: the shifted columns, ascending. */
typedef struct spd_centre {
    int64_t count;
    int32_t *column;
    double *value; /* s_j */
} spd_centre;
spdhg_status spd_centre_new(spd_centre *out, int64_t count, spdhg_error *err); /* to be filled */
spdhg_status spd_centre_copy(spd_centre *out, const spd_centre *from, spdhg_error *err);
void spd_centre_free(spd_centre *centre);
/* c += sign sum_j s_j x_j, x on the scale of the data: +1 turns c into c~, -1 turns c~ into c. */
void spd_centre_constant(const spd_centre *centre, int64_t K, const double *x, double sign, double *c);
/* z += sum_j (a_ij - s_j) x_j over j < features for row i of the data. Its feature j is j + renumber here, which must not be
 * negative. */
void spd_centre_score(const spd_centre *centre, const spdhg_data *data, int64_t i, int64_t renumber, int64_t features, int64_t K,
                      const double *x, double *z);

/* ---- rows.c: filling a data set. */
/* Makes room for `need` elements: grows by half, and fails with SPDHG_MEMORY if that exceeds the limit. */
typedef struct spd_budget {
    const char *path;
    uint64_t limit, held; /* bytes; limit 0: what is free when much has been taken */
    uint64_t free;        /* that, once it is known */
} spd_budget;
spdhg_status spd_budget_take(spd_budget *budget, double bytes, spdhg_error *err);
spdhg_status spd_reserve(void *array, int64_t *capacity, int64_t need, size_t size, spd_budget *budget, spdhg_error *err);

/* Stable sort of idx/val of one row by idx, merging equal indices. *count is the number that remains; *twice is an index that
 * occurs twice, or -1. */
spdhg_status spd_sort_row(int32_t *idx, double *val, int64_t *count, spdhg_duplicates duplicates, int64_t *twice,
                          spdhg_error *err);

/* ---- inspect.c */
typedef struct spd_inspection {
    int64_t rows, features, nnz, targets;
    int64_t distinct_labels;
    double label[64]; /* the first 64 distinct label values, sorted, and their counts */
    int64_t label_count[64];
    int64_t empty_rows, duplicate_rows, empty_columns, constant_columns, one_class_columns, label_runs;
    bool sorted_by_label;
    double row_norm_min, row_norm_median, row_norm_max, column_norm_min,
        column_norm_max; /* columns: of those that are not empty */
    int64_t negative_values;
    double fit_bytes; /* memory needed by a fit with an identity structure */
} spd_inspection;
spdhg_status spd_data_inspect(const spdhg_data *data, spd_inspection *out, spdhg_error *err);
/* Rows whose id an earlier row has; of[0], of[1]: the first such pair. -1: memory ran out. */
int64_t spd_data_repeated_ids(const spdhg_data *data, int64_t of[2]);
bool spd_data_counts_rows(const spdhg_data *data, int64_t feature); /* 0, 1, 2, ... or 1, 2, 3, ... in a dense column */

/* ---- synthetic.c: data with a known truth. The kinds are in a table: name, help, parameters. */
typedef struct spd_synthetic_options {
    int64_t rows, features, outputs, height, width;
    double density, noise, correlation;
    uint64_t seed;
} spd_synthetic_options;
typedef struct spd_synthetic_kind {
    const char *name, *help;
    spdhg_status (*generate)(spdhg_data **out, double **truth, int64_t *truths, const spd_synthetic_options *o, spdhg_error *err);
} spd_synthetic_kind;
const spd_synthetic_kind *spd_synthetic_table(int *entries);

#endif

/* libsvm.h - rows of LIBSVM text as they are parsed, block by block. Private to the LIBSVM reader. */
#ifndef SPD_LIBSVM_H
#define SPD_LIBSVM_H

#include "reader/reader.h"

typedef struct spd_disorder {
    int64_t index, column;
} spd_disorder;

/* The result of parsing one block of lines. The arrays are slices of the final ones (fixed) or grow. Indices are stored minus 1,
 * so -1 is index 0 of the file; whether the file counts from 0 is known only at the end. */
typedef struct spd_part {
    int32_t *idx;
    double *val;
    int64_t *row_end; /* number of entries up to the end of row r, counted from entry_base */
    double *b;
    int64_t *group; /* allocated at the first qid; rows without one have -1 */
    int64_t rows, entries, entry_base, group_room, idx_room, val_room, end_room, b_room;
    int64_t labelled, unlabelled_line, largest; /* rows with a label; the first line without; the largest stored index */
    int64_t rows_most, entries_most;            /* parsing pauses at the end of a row with so many; 0: never */
    int64_t features_most;                      /* a larger index is an error; 0: any */
    bool fixed, index_zero;
    spd_disorder *disorder; /* tokens of the current row from the first one out of ascending order */
    int64_t disorders, disorder_room;
    spd_notes notes;
    spd_budget budget;
} spd_part;

/* Makes room for one more row and one more entry. */
spdhg_status spd_libsvm_room(spd_part *part, spdhg_error *err);
/* What is known of a text only when all of it has been parsed. */
typedef struct spd_libsvm_sum {
    int64_t rows, labelled, unlabelled_line, largest;
    bool index_zero;
    spd_notes notes;
} spd_libsvm_sum;
/* Joins the parts in the arrays of the data, closes the gaps between them that comments and blank lines leave, and adds them to
 * the sum, which begins with largest = -1. Indices are still minus 1. */
spdhg_status spd_libsvm_join(spd_part *const *part, int64_t parts, spd_libsvm_sum *sum, spdhg_data *data, spdhg_error *err);
/* All parts are in the sum: whether rows have labels, and what the indices count from. */
spdhg_status spd_libsvm_conclude(const spd_libsvm_sum *sum, const spdhg_read_options *o, const char *path, spdhg_data *data,
                                 spdhg_error *err);
/* ---- libsvm.c: the rows of whole lines, bytes from..to-1 of a file, the first of which is *line; *line becomes that of byte
 * `to`. */
spdhg_status spd_libsvm_range(spdhg_data *data, spd_libsvm_sum *sum, int64_t *line, int descriptor, const char *path,
                              int64_t from, int64_t to, const spdhg_read_options *o, spdhg_error *err);
/* The rows of a part, which gives its arrays away. */
spdhg_status spd_libsvm_take(spdhg_data *data, spd_libsvm_sum *sum, spd_part *part, spdhg_error *err);
/* Parses the text to its end, or until it pauses; it can then be called again. */
spdhg_status spd_libsvm_rows(spd_part *part, spd_text *text, const spdhg_read_options *o, spdhg_error *err);
/* Removes what was parsed; the arrays stay. */
void spd_libsvm_clear(spd_part *part);
void spd_libsvm_free(spd_part *part);
/* Refills the window. Afterwards at < safe, or the text has ended. */
spdhg_status spd_libsvm_more(spd_text *text, spdhg_error *err);
/* ---- hashed_row.c: the entries of a row whose features are words (--hash). */
spdhg_status spd_hashed_row(spd_part *part, spd_text *text, const spdhg_read_options *o, spdhg_error *err);

#endif

/* csv.h - cells of a CSV file (RFC 4180, separator detected in the first line), for the readers of CSV data and of traces. */
#ifndef SPD_CSV_H
#define SPD_CSV_H

#include "reader/reader.h"

typedef struct spd_cell {
    spd_token token;   /* the content without outer quotes and surrounding blanks; inner quotes are still doubled */
    bool quoted, last; /* last of its line */
} spd_cell;

/* ',', ';' or tab: the one that occurs most often outside quotes in the first line. */
char spd_csv_separator(const spd_text *text);
spdhg_status spd_csv_cell(spd_text *text, char separator, spd_cell *cell, spdhg_error *err);
/* The content as a new string; NULL: out of memory. */
char *spd_csv_text(const spd_cell *cell);

/* The role of each column: role[c] >= 0: feature number; < 0: target number -1 - role[c]. */
typedef struct spd_csv_columns {
    int64_t columns, features, targets;
    int64_t *role;
    char **name; /* of all columns; NULL: the file has no header */
} spd_csv_columns;
spdhg_status spd_csv_assign(spd_csv_columns *columns, const char *path, const spdhg_read_options *o, spdhg_error *err);

#endif

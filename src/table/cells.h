/* cells.h - cells of a CSV file (RFC 4180, separator detected in the first line), for the readers of tables, traces, signals and
 * edges. */
#ifndef SPD_CELLS_H
#define SPD_CELLS_H

#include "text/text.h"

typedef struct spd_cell {
    spd_token token;   /* the content without outer quotes and surrounding blanks; inner quotes are still doubled */
    bool quoted, last; /* last of its line */
} spd_cell;

/* ',', ';', tab or '|': the one that occurs most often outside quotes in the first line; ' ' if there is none of them, but
 * several words. */
char spd_csv_separator(const spd_text *text);
spdhg_status spd_csv_cell(spd_text *text, char separator, spd_cell *cell, spdhg_error *err);
/* The content as a new string; NULL: out of memory. */
char *spd_csv_text(const spd_cell *cell);

#endif

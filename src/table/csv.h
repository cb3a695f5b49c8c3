/* csv.h - reads a CSV table into a data set. */
#ifndef SPD_CSV_H
#define SPD_CSV_H

#include "data/data.h"
#include "text/text.h"

enum { SPD_TEXT_NAME = 1024 }; /* longest name of a column in a list of options */
spdhg_status spd_csv_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
#endif

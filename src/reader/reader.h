/* reader.h - shared by the readers of this room: their entry points, names of features. Private to the room. */
#ifndef SPD_READER_H
#define SPD_READER_H

#include "reader/read.h"
#include "table/csv.h"

/* ---- table.c: the reader for a table of numbers that has a banner or a header; NULL: plain lines of numbers. */
const spd_reader *spd_table_of_numbers(const char *head, size_t size);

/* ---- read.c: the steps of spdhg_data_read that do not depend on where the rows go. */
typedef struct spd_name_list {
    char **name;
    int64_t count;
} spd_name_list;
/* The options checked, the names read, the file opened and its format found. */
typedef struct spd_reading {
    spdhg_read_options o, inner; /* as given; as the reader gets them */
    spd_name_list names;
    spd_stream *stream;
    const spd_reader *reader;
} spd_reading;
spdhg_status spd_reading_open(spd_reading *r, const char *path, const spdhg_read_options *options, spdhg_error *err);
spdhg_status spd_reading_finish(spd_reading *r, spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_reading_all(spd_reading *r, spdhg_data **out, const char *path, spdhg_error *err);
void spd_reading_close(spd_reading *r);

/* ---- readers */
spdhg_status spd_libsvm_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_libsvm_pour(spd_spill *to, spdhg_data *about, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_libsvm_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_csv_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_market_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_market_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_cluto_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cluto_write(const spdhg_data *data, const char *path, spdhg_error *err);

/* ---- foreign.c: SPDHG_DATA, with the remedy, if the head is that of a file which is no data here: an archive, a workbook, a
 * model, ... */
spdhg_status spd_foreign_check(const char *head, size_t size, const char *path, spdhg_error *err);

/* ---- names.c */
spdhg_status spd_names_read(spd_name_list *names, const char *path, spdhg_error *err);
void spd_names_free(spd_name_list *names);
#endif

/* reader.h - shared by the readers of this room: their entry points, names of features. Private to the room. */
#ifndef SPD_READER_H
#define SPD_READER_H

#include "reader/read.h"
#include "table/csv.h"

/* ---- table.c: the reader for a table of numbers that has a banner or a header; NULL: plain lines of numbers. */
const spd_reader *spd_table_of_numbers(const char *head, size_t size);

/* ---- readers */
spdhg_status spd_libsvm_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_libsvm_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_csv_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_market_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_market_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_cluto_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cluto_write(const spdhg_data *data, const char *path, spdhg_error *err);
spdhg_status spd_cache_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
spdhg_status spd_cache_write(const spdhg_data *data, const char *path, spdhg_error *err);
#define SPD_CACHE_MAGIC "\x89SPDHG\r\n"

/* ---- foreign.c: SPDHG_DATA, with the remedy, if the head is that of a file which is no data here: an archive, a workbook, a
 * model, ... */
spdhg_status spd_foreign_check(const char *head, size_t size, const char *path, spdhg_error *err);

/* ---- names.c */
typedef struct spd_name_list {
    char **name;
    int64_t count;
} spd_name_list;
spdhg_status spd_names_read(spd_name_list *names, const char *path, spdhg_error *err);
void spd_names_free(spd_name_list *names);
#endif

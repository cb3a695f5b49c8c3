/* read.h - what other rooms can read: data sets in all formats, matrices, columns of numbers. */
#ifndef SPD_READ_H
#define SPD_READ_H

#include "cache/cache.h"

/* ---- readers: one file each; table.c lists them. */
typedef struct spd_reader {
    const char *name, *help;
    const char *const *ending; /* NULL-terminated: ".svm", ".libsvm", ...; .gz etc. is stripped before comparing */
    bool (*recognise)(const char *head, size_t size); /* by the first decompressed bytes */
    spdhg_status (*read)(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
    /* Gives the rows to a spill in chunks of bounded size, and what does not belong to a row to `about`. NULL: cannot, the rows
     * can be made only when all of them are in memory. */
    spdhg_status (*pour)(spd_spill *to, spdhg_data *about, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
    spdhg_status (*write)(const spdhg_data *data, const char *path, spdhg_error *err); /* NULL: cannot */
} spd_reader;
const spd_reader *spd_reader_table(int *entries);

/* ---- convert.c: writes data of any length as the cache file `to` in constant memory, if format and options allow that; *out
 * is NULL then. Otherwise reads it. The result of the callback counts while it is poured out: nonzero ends it. */
spdhg_status spd_read_or_pour(spdhg_data **out, const char *path, const char *to, const spdhg_read_options *options,
                              spdhg_error *err);

/* ---- text_blocks.c: LIBSVM text of any length, a block of rows at a time, in constant memory. */
typedef struct spd_text_blocks spd_text_blocks;
/* o->features or o->hash says how many features every block has. */
spdhg_status spd_text_blocks_open(spd_text_blocks **out, const char *path, const spdhg_read_options *o, spdhg_error *err);
/* stop is asked, from any thread, while the reader waits for bytes. Once it says true, the text ends there, and a block that is
 * not complete is not given out. */
void spd_text_blocks_watch(spd_text_blocks *blocks, bool (*stop)(void *context), void *context);
/* The next rows, in a data set that belongs to the reader and is valid until the next call but one; 0 rows: the text has ended.
 * How many rows a block has depends on the text alone. */
spdhg_status spd_text_blocks_next(spd_text_blocks *blocks, const spdhg_data **block, spdhg_error *err);
void spd_text_blocks_close(spd_text_blocks *blocks);
enum { SPD_BLOCK_ROWS = 8192, SPD_BLOCK_ENTRIES = 1 << 21 };

/* ---- hashed_row.c: SPDHG_USAGE unless the option hash is possible with the others. */
spdhg_status spd_hash_check(const spdhg_read_options *o, spdhg_error *err);

/* ---- matrix_market.c: any Matrix Market file as sparse rows; also for F. Symmetric and skew-symmetric matrices are expanded;
 * dense arrays are accepted too. */
struct spd_csr;
spdhg_status spd_matrix_market_read(const char *path, struct spd_csr *out, spdhg_error *err);
/* ---- columns.c: numbers from a text file (any compression), separated by blanks, commas or newlines: weights, offsets and
 * the like. */
spdhg_status spd_numbers_read(const char *path, double **out, int64_t *rows, int64_t *columns, spdhg_error *err);

#endif

/* read.h - what other rooms can read: data sets in all formats, matrices, columns of numbers. */
#ifndef SPD_READ_H
#define SPD_READ_H

#include "data/data.h"
#include "text/text.h"

/* ---- readers: one file each; table.c lists them. */
typedef struct spd_reader {
    const char *name, *help;
    const char *const *ending; /* NULL-terminated: ".svm", ".libsvm", ...; .gz etc. is stripped before comparing */
    bool (*recognise)(const char *head, size_t size); /* by the first decompressed bytes */
    spdhg_status (*read)(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err);
    spdhg_status (*write)(const spdhg_data *data, const char *path, spdhg_error *err); /* NULL: cannot */
} spd_reader;
const spd_reader *spd_reader_table(int *entries);

/* ---- matrix_market.c: any Matrix Market file as sparse rows; also for F. Symmetric and skew-symmetric matrices are expanded;
 * dense arrays are accepted too. */
struct spd_csr;
spdhg_status spd_matrix_market_read(const char *path, struct spd_csr *out, spdhg_error *err);
/* ---- columns.c: numbers from a text file (any compression), separated by blanks, commas or newlines: weights, offsets and
 * the like. */
spdhg_status spd_numbers_read(const char *path, double **out, int64_t *rows, int64_t *columns, spdhg_error *err);

#endif

/* signal_file.h - files of signals: tables and columns of text, arrays (.npy), images (PNG, PGM, PPM). Output has the kind of the
 * input. This is not in the library, which needs no image formats: other programs pass arrays. */
#ifndef SPD_CLI_SIGNAL_FILE_H
#define SPD_CLI_SIGNAL_FILE_H
#include "data/data.h"
#include "table/cells.h"

typedef struct signal_file signal_file;

typedef struct signal_kind {
    const char *name;
    const char *const *ending;                        /* NULL-terminated */
    bool (*recognise)(const char *head, size_t size); /* by the first bytes */
    /* Fills points, signals, value, name, side, scale and rest. */
    spdhg_status (*read)(signal_file *file, spd_stream *stream, spdhg_error *err);
    spdhg_status (*write)(const signal_file *file, FILE *out, spdhg_error *err); /* value now holds the fit */
    void (*close)(signal_file *file);                                            /* frees rest */
} signal_kind;
extern const signal_kind signal_kind_table, signal_kind_npy, signal_kind_pnm, signal_kind_png;

struct signal_file {
    const char *path; /* owned by the caller */
    const signal_kind *kind;
    /* For a table: the signals, NAME,NAME,... (NULL: all); columns of positions and weights, if these are names of columns
     * (NULL: none). */
    const char *columns, *positions, *weights;
    bool grid; /* treat a table as an image, the axes of an array as sides */

    int64_t points, signals;
    double *value;             /* signals x points; NAN: missing */
    char **name;               /* of every signal, or NULL */
    double *position, *weight; /* of every point, from columns of the table; or NULL */
    int64_t side[3];           /* of a grid, 0: not known */
    double scale;              /* values were divided by this, the largest value of the image format */
    void *rest;                /* data that the kind needs to write the file again */
};

/* "-" is standard input. The caller sets path and the options; on failure everything is freed. */
spdhg_status signal_file_read(signal_file *file, spdhg_error *err);
/* Written completely or not at all; "-": standard output. */
spdhg_status signal_file_write(const signal_file *file, const char *path, spdhg_error *err);
void signal_file_close(signal_file *file);
/* SPDHG_USAGE if the name has the extension of another kind of file. */
spdhg_status signal_file_check_name(const signal_file *file, const char *path, spdhg_error *err);

/* ---- for the kinds */
/* All bytes of a stream; freed by the caller. */
spdhg_status signal_read_all(spd_stream *stream, unsigned char **bytes, size_t *size, spdhg_error *err);
/* Allocates signals x points values; SPDHG_DATA if these are too many. */
spdhg_status signal_make_values(signal_file *file, int64_t signals, int64_t points, spdhg_error *err);
/* A value of an image, multiplied by scale, rounded and clipped to the range of the image format. */
uint32_t signal_pixel(const signal_file *file, int64_t signal, int64_t point);
#endif

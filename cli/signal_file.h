/* signal_file.h - files of signals: tables and columns of text, arrays (.npy), images (PNG, PGM, PPM). Read and written as the same
 * kind. Here and not in the library, which needs no image format: other programs pass arrays. */
#ifndef SPD_CLI_SIGNAL_FILE_H
#define SPD_CLI_SIGNAL_FILE_H
#include "reader/csv.h"

typedef struct signal_file signal_file;

typedef struct signal_kind {
    const char *name;
    const char *const *ending;                        /* NULL-terminated */
    bool (*recognise)(const char *head, size_t size); /* by the first bytes */
    /* Fills points, signals, value, name, side, scale and rest. */
    spdhg_status (*read)(signal_file *file, spd_stream *stream, spdhg_error *err);
    spdhg_status (*write)(const signal_file *file, FILE *out, spdhg_error *err); /* value has taken the fit's place */
    void (*close)(signal_file *file);                                            /* what is in rest */
} signal_kind;
extern const signal_kind signal_kind_table, signal_kind_npy, signal_kind_pnm, signal_kind_png;

struct signal_file {
    const char *path; /* the caller's */
    const signal_kind *kind;
    /* What is asked of a table: the signals, NAME,NAME,... (NULL: all); names of columns, if they are such (NULL: none). */
    const char *columns, *positions, *weights;
    bool grid; /* a table is an image, an array has sides */

    int64_t points, signals;
    double *value;             /* signals x points; NAN: missing */
    char **name;               /* of every signal; NULL: they have none */
    double *position, *weight; /* of every point, from the table's columns; NULL */
    int64_t side[3];           /* of a grid, 0: not known */
    double scale;              /* values were divided by this: the largest that an image can have */
    void *rest;                /* what the kind needs to write the file again */
};

/* "-" is standard input. file: path and what is asked; on failure all is freed. */
spdhg_status signal_file_read(signal_file *file, spdhg_error *err);
/* Whole or not at all; "-": standard output. */
spdhg_status signal_file_write(const signal_file *file, const char *path, spdhg_error *err);
void signal_file_close(signal_file *file);
/* SPDHG_USAGE if the name ends like another kind of file. */
spdhg_status signal_file_check_name(const signal_file *file, const char *path, spdhg_error *err);

/* ---- for the kinds */
/* All bytes of a stream; freed by the caller. */
spdhg_status signal_read_all(spd_stream *stream, unsigned char **bytes, size_t *size, spdhg_error *err);
/* Room for signals x points values; SPDHG_DATA if these are too many. */
spdhg_status signal_make_values(signal_file *file, int64_t signals, int64_t points, spdhg_error *err);
/* A value of an image, times scale, rounded, in its range. */
uint32_t signal_pixel(const signal_file *file, int64_t signal, int64_t point);
#endif

/* glue.h - what the files of this folder share: handles that R frees, errors as R conditions, long calls beside R.
 * No file here computes: each takes R's vectors apart, calls spdhg.h and puts the answer together. */
#ifndef SPDHG_R_GLUE_H
#define SPDHG_R_GLUE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <spdhg.h>
#include <string.h>

/* ---- handle.c. A handle is an external pointer that frees what it holds, at the latest when R collects it; it keeps alive the R
 * objects that are borrowed (keep). It is made empty, so that whatever R does in between loses nothing. */
SEXP glue_handle(void (*release)(SEXP), SEXP keep);
void *glue_pointer(SEXP handle); /* an R error if it is no handle, or was freed */
SEXP glue_release(SEXP handle);  /* frees now */
#define GLUE_RELEASE(name, type, free_it)                                                                                        \
    static void name(SEXP handle) {                                                                                              \
        type *held = R_ExternalPtrAddr(handle);                                                                                  \
        R_ClearExternalPtr(handle);                                                                                              \
        free_it(held);                                                                                                           \
    }
/* Raises an R condition of class spdhg_error, if status is not SPDHG_OK. */
void glue_check(spdhg_status status, const spdhg_error *err);
spdhg_structure *glue_structure(SEXP handle); /* NULL for R's NULL */
spdhg_data *glue_data(SEXP handle);

/* ---- values.c: entries of a list by name, and lists by names. An entry that is NULL or not there is the default. */
SEXP glue_entry(SEXP list, const char *name);
double glue_number(SEXP list, const char *name, double standard);
const char *glue_text(SEXP list, const char *name, const char *standard);
const double *glue_doubles(SEXP list, const char *name, int64_t *count);
int64_t *glue_longs(SEXP list, const char *name,
                    int64_t *count);      /* whole numbers from R's, in memory that R frees after the call */
SEXP glue_list(const char *const *names); /* to be filled in this order; names end with NULL */
SEXP glue_copy(const double *value, int64_t count);
SEXP glue_word(const char *text); /* NA for NULL */
/* A member of an options struct from the entry of that name, whatever its type; without the entry it stays as it is. */
void glue_take_double(SEXP list, const char *entry, double *to);
void glue_take_int(SEXP list, const char *entry, int *to);
void glue_take_long(SEXP list, const char *entry, int64_t *to);
void glue_take_count(SEXP list, const char *entry, uint64_t *to);
void glue_take_flag(SEXP list, const char *entry, bool *to);
void glue_take_text(SEXP list, const char *entry, const char **to);
#define GLUE_TAKE(list, entry, member)                                                                                           \
    _Generic((member), double                                                                                                    \
             : glue_take_double, int                                                                                             \
             : glue_take_int, int64_t                                                                                            \
             : glue_take_long, uint64_t                                                                                          \
             : glue_take_count, bool                                                                                             \
             : glue_take_flag, const char *                                                                                      \
             : glue_take_text)(list, entry, &(member))
spdhg_options glue_solve_options(SEXP list);
spdhg_graph_options glue_graph_options(SEXP list);

/* ---- work.c: runs call(argument) on a thread of its own, while R's thread prints what it says and listens for Ctrl-C, which
 * asks the work to stop; it then ends with what it has reached. True: it was asked. verbose: 0 nothing, 1 points, 2 also decisions,
 * 3 a line that is written over. */
typedef struct glue_work glue_work;
typedef struct glue_job {
    spdhg_status (*call)(void *argument, spdhg_error *err);
    void *argument;
    int verbose;
    glue_work *work; /* for the callback below */
} glue_job;
int glue_event(void *work, const spdhg_event *event); /* an spdhg_callback; user is job.work */
bool glue_run(glue_job *job, spdhg_callback *callback, void **user);

#endif

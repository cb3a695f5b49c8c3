/* core.h - what every room may use: errors, memory, arenas, numbers, random numbers, threads, clock, files.
 * No domain words here. Each group of declarations is one file of this folder. */
#ifndef SPD_CORE_H
#define SPD_CORE_H

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "spdhg.h"

/* ---- status.c: fill err (may be NULL) and return status, so that `return spd_fail(...)` is one line. spd_fail is a macro so
 * that a static analyser, which sees one file at a time, knows that it does not return SPDHG_OK. */
void spd_say(spdhg_error *err, spdhg_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void spd_say_memory(spdhg_error *err, double bytes); /* "cannot allocate ... bytes" */
static inline spdhg_status spd_said(spdhg_status status) { return status; }
#define spd_fail(err, status, ...) (spd_say((err), (status), __VA_ARGS__), spd_said(status))
#define spd_fail_memory(err, bytes) (spd_say_memory((err), (bytes)), spd_said(SPDHG_MEMORY))
bool spd_ran_out(const spdhg_error *err); /* set by spd_fail_memory: an allocation failed, not a limit known beforehand */
spdhg_status spd_fail_io(spdhg_error *err, const char *path, const char *doing); /* adds strerror(errno) */
#define SPD_TRY(call)                                                                                                            \
    do {                                                                                                                         \
        const spdhg_status spd_status_ = (call);                                                                                 \
        if (spd_status_ != SPDHG_OK) return spd_status_;                                                                         \
    } while (0)
/* The expansion of a macro as a string. */
#define SPD_TEXT(macro) SPD_TEXT_OF(macro)
#define SPD_TEXT_OF(tokens) #tokens

/* ---- options.c: copies into own, which holds the defaults and has `bytes` bytes, what the caller's struct has. A struct from an
 * older header is shorter, from a newer one longer. given NULL: nothing. SPDHG_USAGE: its size was never set. */
spdhg_status spd_options_take(void *own, size_t bytes, const void *given, const char *type, spdhg_error *err);
#define SPD_OPTIONS_TAKE(type, own, given, err) spd_options_take((own), sizeof(type), (given), #type, (err))

/* ---- alloc.c: zeroed, 64-byte aligned, count * size checked for overflow; NULL on failure. count 0 gives a valid pointer. */
void *spd_alloc(int64_t count, size_t size);
void *spd_grow(void *old, int64_t old_count, int64_t count, size_t size); /* realloc; on NULL the old block stays valid */
void *spd_alloc_raw(int64_t count, size_t size);    /* not zeroed: for large arrays that are written completely right away */
void *spd_alloc_sparse(int64_t count, size_t size); /* not zeroed: for large arrays of which often little is touched */
void *spd_grow_raw(void *old, int64_t count, size_t size);
void *spd_copy(const void *source, int64_t count, size_t size);
char *spd_strdup(const char *text);
void spd_free(void *block);
void spd_free_all(void *const *memory, size_t count);
#define SPD_FREE_ALL(...) spd_free_all((void *const[]){__VA_ARGS__}, sizeof(void *const[]){__VA_ARGS__} / sizeof(void *))
#define SPD_NEW(type, count) ((type *)spd_alloc((count), sizeof(type)))

/* ---- memory.c: bytes that can be allocated without another process or this one being ended for it; UINT64_MAX: unknown. */
uint64_t spd_memory_free(void);

/* An arena of doubles. The same code lays it out twice: first with base NULL (counting), then for real. */
typedef struct spd_arena {
    double *base;
    int64_t used, size;
} spd_arena;
double *spd_arena_take(spd_arena *arena, int64_t count); /* 8-double aligned; NULL while counting */
int32_t *spd_arena_int32(spd_arena *arena, int64_t count);
int64_t *spd_arena_int64(spd_arena *arena, int64_t count);

/* ---- number.c: text to number and back, independent of the locale. */
/* Reads a decimal number at text (not beyond end): sign, digits, point, exponent. No hex, nan, inf or blanks. Returns the first
 * character after the number, or NULL if there is none. Overflow gives +-INFINITY (the caller rejects it), underflow 0 or a
 * subnormal. */
const char *spd_parse_double(const char *text, const char *end, double *out);
const char *spd_parse_int(const char *text, const char *end, int64_t *out); /* decimal; NULL also on overflow */
/* The whole string must be one finite number. */
bool spd_to_double(const char *text, double *out);
bool spd_to_int(const char *text, int64_t *out);
#define SPD_NUMBER_CHARS 32
int spd_print_double(char text[SPD_NUMBER_CHARS],
                     double value); /* the shortest form that reads back to the same bits; returns its length */
/* The number of so many digits next to a positive value on the side of `towards`, INFINITY or 0. A bound that is printed must not
 * claim more than is proven: gaps are rounded up, the radius that one is proven for down. */
double spd_round_towards(double towards, double value, int digits);

/* ---- utf8.c */
bool spd_is_utf8(const char *text);
int spd_utf8_length(const char *at, const char *end); /* bytes of the character at `at`; 0: invalid */
char *spd_to_utf8(const char *text);                  /* a copy; text that is not UTF-8 is read as Latin-1. NULL: out of memory */

/* ---- rng.c: counter-based random numbers (Philox4x32-10 of Random123): out is a pure function of the three arguments. */
void spd_random(uint64_t seed, uint64_t stream, uint64_t counter, uint64_t out[2]);
enum {
    SPD_STREAM_SAMPLE = 1,
    SPD_STREAM_SHUFFLE,
    SPD_STREAM_SPLIT,
    SPD_STREAM_SYNTHETIC,
    SPD_STREAM_TEST,
    SPD_STREAM_COIN,
    SPD_STREAM_POWER,
    SPD_STREAM_FOLD,
    SPD_STREAM_ROWS
};
double spd_uniform(uint64_t bits);                      /* in [0,1), 53 bits */
int64_t spd_below(uint64_t bits, int64_t n);            /* in 0..n-1 by multiply-high; bias below n/2^64 */
void spd_normal(const uint64_t bits[2], double out[2]); /* two standard normals (Box-Muller) */
/* Position `at` of a pseudo-random permutation of 0..n-1 chosen by (seed, stream, epoch): O(1), nothing stored. */
int64_t spd_permute(uint64_t seed, uint64_t stream, uint64_t epoch, int64_t n, int64_t at);

/* ---- threads.c */
int spd_threads(int asked); /* 0: cores this process may run on (affinity, OMP_NUM_THREADS, cgroup quota) */
/* Calls task(context, block) for block 0..blocks-1 on up to `threads` threads, in any order; returns when all are done. Results
 * must not depend on the thread: every block writes only its own output. Uses fewer threads if some cannot be started. */
void spd_parallel(int threads, int64_t blocks, void (*task)(void *context, int64_t block), void *context);
/* memcpy by several threads: the system clears memory that is used for the first time, which takes longer than the copy. */
void spd_parallel_copy(int threads, int64_t count, const double *from, double *into);

/* ---- clock.c */
double spd_now(void);            /* seconds, monotonic */
double spd_thread_seconds(void); /* processor time of the calling thread; other threads do not count */

/* ---- stop.c: long computations poll whether to continue. If not, they end soon and leave their result unfinished. */
typedef enum spd_why { SPD_GO_ON, SPD_LATE, SPD_CALLED_OFF } spd_why;
typedef struct spd_stop {
    double deadline;            /* in terms of spd_now() */
    bool (*ask)(void *context); /* whether the caller wants to stop; NULL: never asked */
    void *context;
    double pause, asked; /* seconds between two calls of ask; time of the last one */
    pthread_t owner;     /* the only thread that calls ask; the others read the result */
    _Atomic(spd_why) why;
    bool together; /* with other processes: all stop once they have agreed to, none alone */
    _Atomic(spd_why) wish;
    int64_t polls; /* number of polls by the owner so far */
} spd_stop;
void spd_stop_start(spd_stop *stop, double deadline, bool (*ask)(void *context), void *context); /* owned by this thread */
bool spd_stop_now(spd_stop *stop); /* from any thread; NULL: never. Stays true once it is */
spd_why spd_stop_why(spd_stop *stop);
void spd_stop_call_off(spd_stop *stop);
spd_why spd_stop_wish(spd_stop *stop);            /* together: what this process would do */
void spd_stop_agree(spd_stop *stop, spd_why why); /* together: what all do */

/* ---- floats.c: the first line of every public function that computes. */
fenv_t spd_floats_take(void);
void spd_floats_restore(const fenv_t *callers);
#define SPD_DEFAULT_FLOATS const fenv_t spd_floats __attribute__((cleanup(spd_floats_restore), unused)) = spd_floats_take()

/* ---- file.c: a file that appears complete or not at all: written under a temporary name, fsynced, renamed. */
typedef struct spd_file {
    FILE *stream;
    char *path, *temporary; /* temporary: NULL while the file has no name */
    bool beside;   /* it is written beside its path and renamed; else straight into a device, a pipe or standard output */
    unsigned mode; /* when it is complete */
    bool unsynced; /* set before commit to skip fsync: survives a crash of the process, but perhaps not one of the machine */
} spd_file;
spdhg_status spd_file_create(spd_file *file, const char *path, spdhg_error *err); /* "-": standard output, no renaming */
spdhg_status spd_file_commit(spd_file *file, spdhg_error *err);                   /* on failure the old file is intact */
bool spd_file_is_temporary(const char *name); /* one that a process left behind which was killed as it named its file */
/* A file to write and read back, which has no name and ends with its descriptor: in the folder of path, or, if that is
 * standard output or a device, in that for temporary files. -1: errno says why not. */
int spd_file_scratch(const char *path);
void spd_file_abort(spd_file *file); /* also after a failed commit; NULL-safe fields */

/* ---- table.c: names and NAME:ARG specifications. */
/* Compares the part of spec before ':' with name. */
bool spd_spec_is(const char *spec, const char *name);
const char *spd_spec_arg(const char *spec); /* the part after ':', or NULL */
/* Writes "a, b, c", the names in a table, for messages. stride is the size of an entry, whose first member is the name. */
void spd_names(char *text, size_t size, const void *table, int entries, size_t stride);
/* The name in such a table that word was probably meant to be; NULL if none is near. */
const char *spd_nearest(const char *word, const void *table, int64_t entries, size_t stride);
/* "; did you mean 'NAME'?", or "" if no name is near: for the end of a message. */
const char *spd_did_you_mean(char *text, size_t size, const char *word, const void *table, int64_t entries, size_t stride);
#define SPD_DID_YOU_MEAN_CHARS 96
/* SPDHG_USAGE: "unknown WHAT 'WORD'; did you mean 'NAME'? Expected one of: ...". WORD may be NAME:ARG. */
spdhg_status spd_unknown(spdhg_error *err, const char *what, const char *word, const void *table, int entries, size_t stride);

#endif

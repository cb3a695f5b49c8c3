/* checkpoint.h - a running solve on disk: a few counters, the trace so far, the solver's state, and hashes of everything that
 * determines the iterates. It knows no solver: run.c fills it. Binary, little-endian, with one XXH3 checksum over everything; two
 * generations are kept. */
#ifndef SPD_CHECKPOINT_H
#define SPD_CHECKPOINT_H
#include "core/core.h"

/* What determines the iterates, hashed by part so that a refusal can say which part changed. */
enum { SPD_HASH_DATA, SPD_HASH_PROBLEM, SPD_HASH_SOLVER, SPD_HASH_SAMPLING, SPD_HASHES };

typedef struct spd_checkpoint {
    uint64_t hash[SPD_HASHES];
    int64_t stage, k, rows_visited, iterations_before, points, numbers;
    int64_t said;  /* result of the last step, 0 while the run continues: a finished run is not continued */
    int64_t duals; /* length of `dual`: 0, or that of alpha and y together */
    int64_t known; /* the point where the state is was the last one evaluated: the next step uses what was computed there */
    int64_t fresh; /* the point before the first step has not been evaluated */
    double seconds, epochs_before, next; /* next: rows visited at which the next evaluation is due */
    spdhg_point *point;                  /* the trace so far; owned when read */
    double *number;                      /* the state arena; owned when read */
    double *
        dual; /* the dual point with the best bound so far; owned when read. The bound itself is not kept: it is computed again */
} spd_checkpoint;

/* Atomic; an existing file becomes PATH.previous. */
spdhg_status spd_checkpoint_write(const spd_checkpoint *c, const char *path, spdhg_error *err);
/* Counts are checked against the file's size before anything is allocated. If PATH is damaged, PATH.previous is read instead and
 * *previous is set. SPDHG_IO: missing; SPDHG_DATA: neither is intact. */
spdhg_status spd_checkpoint_read(spd_checkpoint *c, const char *path, bool *previous, spdhg_error *err);
/* One run at a time may write PATH: locks PATH.lock until spd_checkpoint_unlock, or until the process ends. *lock is -1 where the
 * file system has no locks. SPDHG_USAGE: another run holds it. */
spdhg_status spd_checkpoint_lock(const char *path, int *lock, spdhg_error *err);
void spd_checkpoint_unlock(const char *path, int lock);
void spd_checkpoint_free(spd_checkpoint *c); /* frees what spd_checkpoint_read allocated */
#endif

/* ranks.h - sums over rows whose bits do not depend on who computes them. Rows are cut into blocks, blocks into shards; how many
 * depends on counts of the data alone. The partial sum of a shard runs over its rows in their order. Partial sums are added
 * along a fixed tree. Threads compute shards in any order, and processes compute shards of their own. */
#ifndef SPD_RANKS_H
#define SPD_RANKS_H
#include "la/la.h"
#include "ranks/transport.h"

enum { SPD_ROWS_PER_BLOCK = 2048, SPD_SHARDS_MOST = 16 };

static inline int64_t spd_row_blocks(int64_t rows) { return (rows + SPD_ROWS_PER_BLOCK - 1) / SPD_ROWS_PER_BLOCK; }
/* The largest power of two that is at most `most`, SPD_SHARDS_MOST and the number of row blocks; at least 1. */
int64_t spd_shards(int64_t rows, int64_t most);
/* The first row of shard s of so many; s == shards: the number of rows. Shards are whole blocks. A shard of fewer is made of
 * whole shards of more. */
static inline int64_t spd_shard_first(int64_t rows, int64_t shards, int64_t s) {
    const int64_t at = s * spd_row_blocks(rows) / shards * SPD_ROWS_PER_BLOCK;
    return at < rows ? at : rows;
}

/* ---- sum.c, across.c: sums. */
/* Adds rows first..end-1 to `partial`, which starts as 0; its scratch may hold anything. */
typedef void spd_add_rows(void *context, int64_t first, int64_t end, double *partial);
/* Numbers at, at+1, ..., at+count-1 of a sum: into[q] += from[q] if there is no such function. Pointers are to number `at`. */
typedef void spd_join(void *context, int64_t at, int64_t count, const double *from, double *into);

/* A sum of `width` numbers over rows. */
typedef struct spd_row_sum {
    spdhg_ranks *ranks;    /* NULL: one process */
    int64_t rows, shards;  /* shards: from spd_shards */
    int64_t width, stride; /* numbers of a partial sum, and with the scratch that follows it */
    spd_add_rows *add;
    spd_join *join;
    int64_t lower; /* n: the numbers are an n x n matrix of which only the lower triangle is added; 0: they are not */
    void *context;
    bool in_turn; /* one shard after the other, by one thread, in little memory */
} spd_row_sum;
/* Numbers of memory that spd_row_sum_run needs. */
int64_t spd_row_sum_work(const spdhg_ranks *ranks, int64_t shards, int64_t stride, bool in_turn);
/* The sum is in the first `width` numbers of work. */
void spd_row_sum_run(const spd_row_sum *s, int threads, double *work);

/* An array of rows, `width` numbers each, into which `add` wrote: what the processes wrote is then in each. */
void spd_row_sum_share(const spd_row_sum *s, double *array, int64_t width);

/* The sum of what `add` returns for the blocks of rows; partial has spd_row_blocks(rows) numbers. */
double spd_block_sum(spdhg_ranks *ranks, int64_t rows, int threads, double (*add)(void *context, int64_t first, int64_t end),
                     void *context, double *partial);
/* Arrays with `width` numbers for each row; array[a] may be NULL. */
typedef struct spd_row_arrays {
    int64_t rows, width;
    int count;
    double *array[3];
} spd_row_arrays;
/* task(context, block) for the blocks of rows. What the tasks of all processes wrote into the arrays, and to partial[block], is
 * then in each. Returns the sum of `partial`, which may be NULL. */
double spd_row_blocks_sum(spdhg_ranks *ranks, int threads, void (*task)(void *context, int64_t block), void *context,
                          const spd_row_arrays *written, double *partial);
/* A join of sums in twice the precision: pairs of doubles. */
spd_join spd_join_twofold;

/* ---- ranks.c: processes that compute together. Each has all vectors, of rows too, and decides alike from the same numbers; only
 * the passes over entries of A are shared out. NULL: one process. */
/* The shards of this process, first..end-1: perhaps none. Their rows are the same ones for any number of shards, nearly. */
void spd_ranks_shards(const spdhg_ranks *ranks, int rank, int64_t shards, int64_t *first, int64_t *end);
/* The part of the rows that a process passes over, and its first row. */
void spd_ranks_rows(const spdhg_ranks *ranks, int rank, int64_t rows, int64_t *first, int64_t *end);
/* From here on every exchange tells all processes whether one of them wants to stop; NULL: none is asked. */
void spd_ranks_watch(spdhg_ranks *ranks, spd_stop *stop);
spd_why spd_ranks_agree(spdhg_ranks *ranks, spd_why why); /* the largest of all processes; one's own where there is one */
/* The same status for all: that of the first process that failed, with its message, or OK. */
spdhg_status spd_ranks_settle(spdhg_ranks *ranks, spdhg_status status, spdhg_error *err);
/* Not OK: a process has failed. All exchanges since were left out, and what was computed is worthless. err may be NULL. */
spdhg_status spd_ranks_good(const spdhg_ranks *ranks, spdhg_error *err);
/* Over a transport that is open already; the tests have one of threads. */
spdhg_status spd_ranks_over(spdhg_ranks **out, const spd_transport *via, spdhg_error *err);
bool spd_ranks_started(void); /* the environment says that MPI has started this process */
enum { SPD_RANKS_MOST = 4096 };
/* Before each exchange, with what it is about: false, to all, if a process has failed or does something else. */
typedef enum spd_meeting {
    SPD_MEET_SUM,
    SPD_MEET_BLOCKS,
    SPD_MEET_AGREE,
    SPD_MEET_TELL,
    SPD_MEET_SETTLE,
    SPD_MEET_END
} spd_meeting;
bool spd_ranks_meet(spdhg_ranks *ranks, spd_meeting what, int64_t size);
const spd_transport *spd_ranks_transport(const spdhg_ranks *ranks);
/* Process k has rows first[k]..first[k+1]-1 of an array, of `width` numbers each; then each has all. */
void spd_ranks_share(const spdhg_ranks *ranks, double *array, const int64_t *first, int64_t width);
/* Process `from` has the block, as large in all; then each has it. It stays what it is where a process has failed. */
void spd_ranks_tell(spdhg_ranks *ranks, int from, void *block, int64_t bytes);
#endif

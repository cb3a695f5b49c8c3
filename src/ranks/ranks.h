/* ranks.h - sums over rows whose bits do not depend on who computes them. Rows are cut into blocks, blocks into shards; how many
 * depends on counts of the data alone. The partial sum of a shard runs over its rows in their order. Partial sums are added along a
 * fixed tree. Threads compute shards in any order. */
#ifndef SPD_RANKS_H
#define SPD_RANKS_H
#include "la/la.h"

enum { SPD_ROWS_PER_BLOCK = 2048, SPD_SHARDS_MOST = 16 };

static inline int64_t spd_row_blocks(int64_t rows) { return (rows + SPD_ROWS_PER_BLOCK - 1) / SPD_ROWS_PER_BLOCK; }
/* The largest power of two that is at most `most`, SPD_SHARDS_MOST and the number of row blocks; at least 1. */
int64_t spd_shards(int64_t rows, int64_t most);
/* The first row of shard s of so many; s == shards: the number of rows. Shards are whole blocks. A shard of fewer is made of whole
 * shards of more. */
static inline int64_t spd_shard_first(int64_t rows, int64_t shards, int64_t s) {
    const int64_t at = s * spd_row_blocks(rows) / shards * SPD_ROWS_PER_BLOCK;
    return at < rows ? at : rows;
}

/* Adds rows first..end-1 to `partial`, which starts as 0; its scratch may hold anything. */
typedef void spd_add_rows(void *context, int64_t first, int64_t end, double *partial);
/* Numbers at, at+1, ..., at+count-1 of a sum: into[q] += from[q] if there is no such function. The pointers are to number `at`. */
typedef void spd_join(void *context, int64_t at, int64_t count, const double *from, double *into);

/* A sum of `width` numbers over rows. */
typedef struct spd_row_sum {
    int64_t rows, shards;  /* shards: from spd_shards */
    int64_t width, stride; /* numbers of a partial sum, and with the scratch that follows it */
    spd_add_rows *add;
    spd_join *join;
    int64_t lower; /* n: the numbers are an n x n matrix of which only the lower triangle is added; 0: they are not */
    void *context;
    bool in_turn; /* one shard after the other, by one thread, in little memory */
} spd_row_sum;
/* Numbers of memory that spd_row_sum_run needs. */
int64_t spd_row_sum_work(int64_t shards, int64_t stride, bool in_turn);
/* The sum is in the first `width` numbers of work. */
void spd_row_sum_run(const spd_row_sum *s, int threads, double *work);

/* The sum of what `add` returns for the blocks of rows; partial has spd_row_blocks(rows) numbers. */
double spd_block_sum(int64_t rows, int threads, double (*add)(void *context, int64_t first, int64_t end), void *context,
                     double *partial);
/* A join of sums in twice the precision: pairs of doubles. */
spd_join spd_join_twofold;
#endif

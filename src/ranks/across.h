/* across.h - what sum.c and across.c share. Private to the room. */
#ifndef SPD_ACROSS_H
#define SPD_ACROSS_H
#include "ranks/ranks.h"

/* ---- sum.c */
void spd_row_sum_shard(const spd_row_sum *s, int64_t shard, double *partial);
void spd_row_sum_join(const spd_row_sum *s, int threads, const double *from, double *into); /* all of its numbers */

/* ---- across.c: the same results in every process. */
int64_t spd_across_slots(const spdhg_ranks *ranks, int64_t shards); /* sums at a time if shards are taken in turn */
void spd_across_run(const spd_row_sum *s, int threads, double *work);
/* written: of rows; partial: of blocks, or NULL */
void spd_across_blocks(spdhg_ranks *ranks, int threads, void (*task)(void *context, int64_t block), void *context,
                       const spd_row_arrays *written, double *partial);
#endif

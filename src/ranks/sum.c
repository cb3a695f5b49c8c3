/* sum.c - sums over rows in a fixed order (ranks.h). The tree over shards 0..S-1: with strides 1, 2, 4, ... the sum of shard
 * i + stride is added to that of shard i, for every i that is a multiple of 2 stride. */
#include "ranks/across.h"

enum { AT_ONCE = 4096 }; /* numbers that a thread adds along the whole tree: they stay in its cache. Even, for pairs */

int64_t spd_shards(int64_t rows, int64_t most) {
    int64_t shards = 1;
    while (2 * shards <= most && 2 * shards <= SPD_SHARDS_MOST && 2 * shards <= spd_row_blocks(rows)) shards *= 2;
    return shards;
}

static int64_t depth(int64_t shards) {
    int64_t levels = 1;
    while (shards > 1) shards /= 2, levels++;
    return levels;
}

int64_t spd_row_sum_work(const spdhg_ranks *ranks, int64_t shards, int64_t stride, bool in_turn) {
    if (!in_turn) return shards * stride;
    return (spdhg_ranks_size(ranks) > 1 ? spd_across_slots(ranks, shards) : depth(shards)) * stride;
}

static void join_lower(int64_t n, int64_t at, int64_t count, const double *from, double *into) {
    for (int64_t row = at / n; row * n < at + count; row++) {
        const int64_t begin = row * n > at ? row * n : at, last = row * n + row + 1;
        const int64_t end = last < at + count ? last : at + count;
        if (begin < end) spd_axpy(end - begin, 1, from + (begin - at), into + (begin - at));
    }
}

static void join(const spd_row_sum *s, int64_t at, int64_t count, const double *from, double *into) {
    if (s->lower > 0)
        join_lower(s->lower, at, count, from + at, into + at);
    else if (s->join)
        s->join(s->context, at, count, from + at, into + at);
    else
        spd_axpy(count, 1, from + at, into + at);
}

typedef struct joining {
    const spd_row_sum *s;
    const double *from;
    double *into;
} joining;

static int64_t parts(const spd_row_sum *s) { return (s->width + AT_ONCE - 1) / AT_ONCE; }
static int64_t part_count(const spd_row_sum *s, int64_t at) { return at + AT_ONCE < s->width ? AT_ONCE : s->width - at; }

static void join_part(void *context, int64_t part) {
    const joining *a = context;
    join(a->s, part * AT_ONCE, part_count(a->s, part * AT_ONCE), a->from, a->into);
}

void spd_row_sum_join(const spd_row_sum *s, int threads, const double *from, double *into) {
    spd_parallel(threads, parts(s), join_part, &(joining){s, from, into});
}

typedef struct pass {
    const spd_row_sum *s;
    double *work;
} pass;

void spd_row_sum_shard(const spd_row_sum *s, int64_t shard, double *partial) {
    memset(partial, 0, (size_t)s->width * sizeof *partial);
    s->add(s->context, spd_shard_first(s->rows, s->shards, shard), spd_shard_first(s->rows, s->shards, shard + 1), partial);
}

static void shard_task(void *context, int64_t shard) {
    const pass *a = context;
    spd_row_sum_shard(a->s, shard, a->work + shard * a->s->stride);
}

static void tree_task(void *context, int64_t part) {
    const pass *a = context;
    const spd_row_sum *s = a->s;
    const int64_t at = part * AT_ONCE, count = part_count(s, at);
    for (int64_t stride = 1; stride < s->shards; stride *= 2)
        for (int64_t i = 0; i + stride < s->shards; i += 2 * stride)
            join(s, at, count, a->work + (i + stride) * s->stride, a->work + i * s->stride);
}

/* The same tree with one sum for each level: after shard i, as many sums are joined as i + 1 is divisible by two. */
static void in_turn(const spd_row_sum *s, double *work) {
    int64_t held = 0;
    for (int64_t shard = 0; shard < s->shards; shard++) {
        spd_row_sum_shard(s, shard, work + held++ * s->stride);
        for (int64_t rest = shard + 1; rest % 2 == 0; rest /= 2, held--)
            join(s, 0, s->width, work + (held - 1) * s->stride, work + (held - 2) * s->stride);
    }
}

void spd_row_sum_run(const spd_row_sum *s, int threads, double *work) {
    pass a = {.s = s, .work = work};
    if (spdhg_ranks_size(s->ranks) > 1) {
        spd_across_run(s, s->in_turn ? 1 : threads, work);
        return;
    }
    if (s->in_turn) {
        in_turn(s, work);
        return;
    }
    spd_parallel(threads, s->shards, shard_task, &a);
    if (s->shards > 1) spd_parallel(threads, parts(s), tree_task, &a);
}

typedef struct blocks {
    int64_t rows;
    double (*add)(void *context, int64_t first, int64_t end);
    void *context;
    double *partial;
} blocks;

static void block_task(void *context, int64_t b) {
    const blocks *a = context;
    const int64_t first = b * SPD_ROWS_PER_BLOCK, end = first + SPD_ROWS_PER_BLOCK;
    a->partial[b] = a->add(a->context, first, end < a->rows ? end : a->rows);
}

double spd_block_sum(spdhg_ranks *ranks, int64_t rows, int threads, double (*add)(void *context, int64_t first, int64_t end),
                     void *context, double *partial) {
    blocks a = {.rows = rows, .add = add, .context = context, .partial = partial};
    return spd_row_blocks_sum(ranks, threads, block_task, &a, &(spd_row_arrays){.rows = rows}, partial);
}

double spd_row_blocks_sum(spdhg_ranks *ranks, int threads, void (*task)(void *context, int64_t block), void *context,
                          const spd_row_arrays *written, double *partial) {
    const int64_t count = spd_row_blocks(written->rows);
    if (spdhg_ranks_size(ranks) > 1)
        spd_across_blocks(ranks, threads, task, context, written, partial);
    else
        spd_parallel(threads, count, task, context);
    return partial ? spd_sum(count, partial) : 0;
}

void spd_join_twofold(void *context, int64_t at, int64_t count, const double *from, double *into) {
    (void)context, (void)at;
    for (int64_t q = 0; q + 1 < count; q += 2) {
        const spd_twofold sum = spd_twofold_add(spd_twofold_add((spd_twofold){into[q], into[q + 1]}, from[q]), from[q + 1]);
        into[q] = sum.high;
        into[q + 1] = sum.low;
    }
}

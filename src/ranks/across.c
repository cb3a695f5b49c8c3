/* across.c - the sums of ranks.h where several processes each have some of the shards. The additions are those of one process,
 * along the same tree: whoever has both halves of a sum adds them, otherwise the process of the right half sends it to that of
 * the left. */
#include "ranks/across.h"

/* Partial sums that a process has: of shards first..first+size-1, size a power of two and first a multiple of it. */
typedef struct node {
    int64_t first, size;
    double *sum;
} node;

typedef struct nodes {
    int64_t count;
    node node[2 * SPD_SHARDS_MOST];
} nodes;

static bool siblings(const node *left, const node *right) {
    return left->size == right->size && left->first + left->size == right->first && left->first % (2 * left->size) == 0;
}

/* Adds the last nodes while the tree does; nothing is added where s is NULL. */
static void join_siblings(const spd_row_sum *s, int threads, nodes *own) {
    while (own->count > 1 && siblings(&own->node[own->count - 2], &own->node[own->count - 1])) {
        node *left = &own->node[own->count - 2];
        if (s) spd_row_sum_join(s, threads, left[1].sum, left[0].sum);
        left->size *= 2;
        own->count--;
    }
}

int64_t spd_across_slots(const spdhg_ranks *ranks, int64_t shards) {
    nodes own = {0};
    int64_t first, end, most = 0;
    spd_ranks_shards(ranks, spdhg_ranks_rank(ranks), shards, &first, &end);
    for (int64_t shard = first; shard < end; shard++) {
        own.node[own.count++] = (node){.first = shard, .size = 1};
        most = own.count > most ? own.count : most;
        join_siblings(NULL, 1, &own);
    }
    return most + 1; /* one that is received */
}

typedef struct pass {
    const spd_row_sum *s;
    double *work;
    int64_t first;
} pass;

static void shard_task(void *context, int64_t shard) {
    const pass *a = context;
    spd_row_sum_shard(a->s, a->first + shard, a->work + (a->first + shard) * a->s->stride);
}

/* The sums over one's own shards, as few as the tree allows. */
static void add_own(const spd_row_sum *s, int threads, double *work, nodes *own) {
    int64_t first, end;
    spd_ranks_shards(s->ranks, spdhg_ranks_rank(s->ranks), s->shards, &first, &end);
    own->count = 0;
    if (!s->in_turn) spd_parallel(threads, end - first, shard_task, &(pass){s, work, first});
    for (int64_t shard = first; shard < end; shard++) {
        double *sum = work + (s->in_turn ? own->count : shard) * s->stride;
        if (s->in_turn) spd_row_sum_shard(s, shard, sum);
        own->node[own->count++] = (node){shard, 1, sum};
        join_siblings(s, threads, own);
    }
}

static int owner(const spd_row_sum *s, int64_t shard) {
    int64_t first, end;
    int rank = -1;
    do spd_ranks_shards(s->ranks, ++rank, s->shards, &first, &end);
    while (shard >= end);
    return rank;
}

static node *find(nodes *own, int64_t first) {
    for (int64_t i = 0; i < own->count; i++)
        if (own->node[i].first == first) return &own->node[i];
    return NULL; /* not reached */
}

/* One addition of the tree: the shards from `right` on to those from `left` on. spare: room for a sum. */
static void add_pair(const spd_row_sum *s, int threads, nodes *own, int64_t left, int64_t right, double *spare) {
    const spd_transport *via = spd_ranks_transport(s->ranks);
    const int to = owner(s, left), from = owner(s, right);
    node *into = to == via->rank ? find(own, left) : NULL;
    if (into && into->size > right - left) return; /* both were one's own, and are added */
    if (from == via->rank && to != via->rank) via->send(via->context, to, find(own, right)->sum, s->width);
    if (!into) return;
    const double *sum = spare;
    if (from == to)
        sum = find(own, right)->sum;
    else
        via->receive(via->context, from, spare, s->width);
    spd_row_sum_join(s, threads, sum, into->sum);
    into->size = 2 * (right - left);
}

void spd_across_run(const spd_row_sum *s, int threads, double *work) {
    nodes own;
    if (!spd_ranks_meet(s->ranks, SPD_MEET_SUM, s->width)) {
        memset(work, 0, (size_t)s->width * sizeof *work);
        return;
    }
    add_own(s, threads, work, &own);
    for (int64_t half = 1; half < s->shards; half *= 2)
        for (int64_t left = 0; left + half < s->shards; left += 2 * half)
            add_pair(s, threads, &own, left, left + half, work + (s->in_turn ? own.count : left + half) * s->stride);
    const spd_transport *via = spd_ranks_transport(s->ranks);
    if (via->rank == 0 && own.count > 0 && own.node[0].sum != work)
        memmove(work, own.node[0].sum, (size_t)s->width * sizeof *work);
    via->broadcast(via->context, 0, work, s->width * (int64_t)sizeof *work);
}

void spd_row_sum_share(const spd_row_sum *s, double *array, int64_t width) {
    int64_t row[SPD_RANKS_MOST + 1], from, to = 0;
    if (spdhg_ranks_size(s->ranks) == 1 || !spd_ranks_meet(s->ranks, SPD_MEET_BLOCKS, width)) return;
    for (int k = 0; k < spdhg_ranks_size(s->ranks); k++) {
        spd_ranks_shards(s->ranks, k, s->shards, &from, &to);
        row[k] = spd_shard_first(s->rows, s->shards, from);
    }
    row[spdhg_ranks_size(s->ranks)] = s->rows;
    spd_ranks_share(s->ranks, array, row, width);
}

/* The first block, or row, of each process. */
static void parts(const spdhg_ranks *ranks, int64_t rows, int64_t per, int64_t *first) {
    const int size = spdhg_ranks_size(ranks);
    int64_t from, end = 0;
    for (int k = 0; k < size; k++) {
        spd_ranks_rows(ranks, k, rows, &from, &end);
        first[k] = (from + per - 1) / per;
    }
    first[size] = (end + per - 1) / per;
}

typedef struct blocks {
    void (*task)(void *context, int64_t block);
    void *context;
    int64_t first;
} blocks;

static void block_task(void *context, int64_t block) {
    const blocks *a = context;
    a->task(a->context, a->first + block);
}

void spd_across_blocks(spdhg_ranks *ranks, int threads, void (*task)(void *context, int64_t block), void *context,
                       const spd_row_arrays *written, double *partial) {
    const int rank = spdhg_ranks_rank(ranks);
    int64_t row[SPD_RANKS_MOST + 1], block[SPD_RANKS_MOST + 1];
    if (!spd_ranks_meet(ranks, SPD_MEET_BLOCKS, written->rows * written->width)) return;
    parts(ranks, written->rows, 1, row);
    parts(ranks, written->rows, SPD_ROWS_PER_BLOCK, block);
    spd_parallel(threads, block[rank + 1] - block[rank], block_task, &(blocks){task, context, block[rank]});
    for (int a = 0; a < written->count; a++)
        if (written->array[a]) spd_ranks_share(ranks, written->array[a], row, written->width);
    if (partial) spd_ranks_share(ranks, partial, block, 1);
}

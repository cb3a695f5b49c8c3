/* on_disk.c - rows whose entries stay in a file. They have addresses from the start, and contents while somebody needs them.
 * Entries come in pieces of a fixed size. One thread reads, ahead of those that go through the rows in order; whoever needs a
 * piece first checks it. A thread holds the pieces of the rows it asked for last and of those before; what nobody holds gives
 * its memory back, the piece that was asked for longest ago first. */
#include <pthread.h>
#include <stdatomic.h>

#include "data/data.h"
#include "data/pages.h"

enum { AHEAD = 2 }; /* pieces that are read before they are needed, by each thread */
typedef enum state { ABSENT, WANTED, COMING, CAME, CHECKING, READY } state;

typedef struct piece {
    state state;
    int holders;
    int64_t used; /* when it was last asked for */
} piece;
typedef struct range {
    int64_t from, to;
} range; /* of pieces */

typedef struct holder { /* what one thread holds */
    struct spd_disk *disk;
    range now, before;
    struct holder *next;
} holder;

struct spd_disk {
    spd_disk_source source;
    spd_pages idx, val;                                   /* idx: none of dense data */
    int64_t entries, size, pieces, most, resident, clock; /* size: entries of a piece */
    piece *piece;
    int64_t *queue, queued, first; /* a ring of pieces to be read */
    pthread_mutex_t lock;
    pthread_cond_t wanted, came;
    pthread_t reader;
    pthread_key_t key;
    holder *holders;
    bool started, ends, keyed;
    atomic_bool failed;
    spdhg_status status;
    spdhg_error err;
};

static int64_t count_of(const spd_disk *d, int64_t k) {
    return (k + 1) * d->size < d->entries ? d->size : d->entries - k * d->size;
}

static void turn_piece(const spd_disk *d, int64_t k, bool open) {
    spd_pages_turn(&d->idx, k * d->size, k * d->size + count_of(d, k), open);
    spd_pages_turn(&d->val, k * d->size, k * d->size + count_of(d, k), open);
}

/* The first failure is kept. */
static void remember(spd_disk *d, spdhg_status status, const spdhg_error *err) {
    if (atomic_load(&d->failed)) return;
    d->status = status;
    d->err = *err;
    atomic_store(&d->failed, true);
}

/* What could not be read or is damaged becomes zeros: indices of any value would be worse. */
static void fail(spd_disk *d, int64_t k, spdhg_status status, const spdhg_error *err) {
    const size_t first = (size_t)(k * d->size), count = (size_t)count_of(d, k);
    if (d->idx.block) memset(d->idx.block + first * sizeof(int32_t), 0, count * sizeof(int32_t));
    memset(d->val.block + first * sizeof(double), 0, count * sizeof(double));
    remember(d, status, err);
}

static void make_room(spd_disk *d) {
    while (d->resident >= d->most) {
        int64_t oldest = -1;
        for (int64_t k = 0; k < d->pieces; k++)
            if (d->piece[k].holders == 0 && (d->piece[k].state == CAME || d->piece[k].state == READY) &&
                (oldest < 0 || d->piece[k].used < d->piece[oldest].used))
                oldest = k;
        if (oldest < 0) return; /* all are held: more than `most` are needed */
        turn_piece(d, oldest, false);
        d->piece[oldest].state = ABSENT;
        d->resident--;
    }
}

static void *read_ahead(void *disk) {
    spd_disk *d = disk;
    pthread_mutex_lock(&d->lock);
    for (;;) {
        while (d->queued == 0 && !d->ends) pthread_cond_wait(&d->wanted, &d->lock);
        if (d->ends) break;
        const int64_t k = d->queue[d->first];
        d->first = (d->first + 1) % d->pieces;
        d->queued--;
        make_room(d);
        d->resident++;
        d->piece[k].state = COMING;
        turn_piece(d, k, true);
        const bool failed = atomic_load(&d->failed);
        spdhg_error err = {0};
        pthread_mutex_unlock(&d->lock);
        const spdhg_status status = failed ? SPDHG_OK : d->source.read(d->source.context, k * d->size, count_of(d, k), &err);
        pthread_mutex_lock(&d->lock);
        if (failed || status != SPDHG_OK) fail(d, k, status, &err);
        d->piece[k].state = failed || status != SPDHG_OK ? READY : CAME;
        pthread_cond_broadcast(&d->came);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

static void want(spd_disk *d, int64_t k) {
    if (d->piece[k].state != ABSENT) return;
    d->piece[k].state = WANTED;
    d->piece[k].used = ++d->clock;
    d->queue[(d->first + d->queued++) % d->pieces] = k;
    pthread_cond_signal(&d->wanted);
}

/* Waits until a piece that is held is in memory, and checks it if nobody has. */
static void await(spd_disk *d, int64_t k) {
    piece *p = &d->piece[k];
    while (p->state != READY) {
        if (p->state != CAME) {
            pthread_cond_wait(&d->came, &d->lock);
            continue;
        }
        p->state = CHECKING;
        spdhg_error err = {0};
        pthread_mutex_unlock(&d->lock);
        const spdhg_status status = d->source.check(d->source.context, k * d->size, count_of(d, k), &err);
        pthread_mutex_lock(&d->lock);
        if (status != SPDHG_OK) fail(d, k, status, &err);
        p->state = READY;
        pthread_cond_broadcast(&d->came);
    }
}

static void release(spd_disk *d, range *r) {
    for (; r->from < r->to; r->from++) d->piece[r->from].holders--;
}

static void thread_ends(void *argument) {
    holder *h = argument;
    spd_disk *d = h->disk;
    pthread_mutex_lock(&d->lock);
    release(d, &h->now);
    release(d, &h->before);
    holder **at = &d->holders;
    while (*at != h) at = &(*at)->next;
    *at = h->next;
    pthread_mutex_unlock(&d->lock);
    spd_free(h);
}

/* NULL if there is no memory for it: then nothing can be held, and everything is zeros. */
static holder *new_holder(spd_disk *d) {
    holder *h = SPD_NEW(holder, 1);
    if (!h) return NULL;
    h->disk = d;
    pthread_mutex_lock(&d->lock);
    h->next = d->holders;
    d->holders = h;
    pthread_mutex_unlock(&d->lock);
    pthread_setspecific(d->key, h);
    return h;
}

static void no_holder(spd_disk *d) {
    spdhg_error err = {0};
    pthread_mutex_lock(&d->lock);
    remember(d, spd_fail_memory(&err, sizeof(holder)), &err);
    spd_pages_turn(&d->idx, 0, d->entries, true);
    spd_pages_turn(&d->val, 0, d->entries, true);
    d->most = INT64_MAX; /* nothing is closed again */
    pthread_mutex_unlock(&d->lock);
}

void spd_disk_need(const spdhg_data *data, int64_t first, int64_t rows) {
    spd_disk *d = data->disk;
    const int64_t end = first + rows, low = data->ptr ? data->ptr[first] : first * data->features;
    const int64_t high = data->ptr ? data->ptr[end] : end * data->features;
    holder *h = pthread_getspecific(d->key);
    if (low == high || (h && low >= h->now.from * d->size && high <= h->now.to * d->size)) return;
    if (!h && !(h = new_holder(d))) no_holder(d);
    if (!h) return;
    const range next = {low / d->size, (high - 1) / d->size + 1};
    pthread_mutex_lock(&d->lock);
    for (int64_t k = next.from; k < next.to; k++) {
        d->piece[k].holders++;
        want(d, k);
        d->piece[k].used = ++d->clock;
    }
    for (int64_t k = next.to; k < next.to + AHEAD && k < d->pieces; k++) want(d, k);
    release(d, &h->before);
    h->before = h->now, h->now = next;
    for (int64_t k = next.from; k < next.to; k++) await(d, k);
    pthread_mutex_unlock(&d->lock);
}

spdhg_status spd_data_good(const spdhg_data *data, spdhg_error *err) {
    spd_disk *d = data->disk;
    const bool failed = d && atomic_load(&d->failed);
    if (failed && err) *err = d->err;
    return failed ? d->status : SPDHG_OK;
}

double spd_disk_bytes(const spd_disk *d) {
    return (double)(d->most < d->pieces ? d->most : d->pieces) * (double)d->size * (d->idx.block ? 12 : 8);
}

void spd_disk_free(spd_disk *d) {
    if (!d) return;
    pthread_mutex_lock(&d->lock);
    d->ends = true;
    pthread_cond_signal(&d->wanted);
    pthread_mutex_unlock(&d->lock);
    if (d->started) pthread_join(d->reader, NULL);
    if (d->keyed) pthread_key_delete(d->key); /* no thread ends into it any more */
    for (holder *h; (h = d->holders); spd_free(h)) d->holders = h->next;
    spd_pages_unmap(&d->idx);
    spd_pages_unmap(&d->val);
    d->source.free(d->source.context);
    SPD_FREE_ALL(d->piece, d->queue, d);
}

spdhg_status spd_disk_new(spdhg_data *data, const spd_disk_source *source, bool sparse, int64_t size, int64_t most,
                          spdhg_error *err) {
    spd_disk *d = data->disk = SPD_NEW(spd_disk, 1);
    if (!d) {
        source->free(source->context);
        return spd_fail_memory(err, sizeof *d);
    }
    d->source = *source;
    d->entries = data->nnz;
    d->size = size;
    d->pieces = (data->nnz + size - 1) / size;
    d->most = most;
    d->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    d->wanted = d->came = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    d->piece = SPD_NEW(piece, d->pieces);
    d->queue = SPD_NEW(int64_t, d->pieces);
    const bool reserved = (!sparse || spd_pages_reserve(&d->idx, data->nnz, sizeof(int32_t))) &&
                          spd_pages_reserve(&d->val, data->nnz, sizeof(double));
    data->idx = (int32_t *)(void *)d->idx.block;
    data->val = (double *)(void *)d->val.block;
    if (!d->piece || !d->queue || !reserved) return spd_fail_memory(err, (double)data->nnz * 12);
    d->keyed = pthread_key_create(&d->key, thread_ends) == 0;
    d->started = d->keyed && pthread_create(&d->reader, NULL, read_ahead, d) == 0;
    return d->started ? SPDHG_OK : spd_fail(err, SPDHG_MEMORY, "no thread can be started to read ahead");
}

/* read.c - reads a data set from its binary file (layout: layout.h) with several threads, directly into the final arrays.
 * Nothing in the file is trusted: counts must agree with the file's size before memory is allocated, and the checksum and content
 * of every block are checked as it is read. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/layout.h"

typedef struct job {
    spdhg_data *data;
    spd_stream *stream;
    int descriptor;             /* -1: the stream is read in order, by one thread */
    int64_t start, first_block; /* offset of the sections in the file; first block of this pass */
    spd_cache_layout layout;
    uint64_t *hash;
    bool stays; /* idx and val stay in the file */
    pthread_mutex_t lock;
    int64_t failed; /* the first block that failed, under the lock, and why */
    spdhg_status status;
    spdhg_error err;
} job;

static spdhg_status fetch(const job *j, void *place, int64_t bytes, int64_t offset, spdhg_error *err) {
    const char *path = spd_stream_path(j->stream);
    size_t got = 0;
    if (j->descriptor < 0) SPD_TRY(spd_stream_read(j->stream, place, (size_t)bytes, &got, err));
    while (j->descriptor >= 0 && (int64_t)got < bytes) {
        const ssize_t now = pread(j->descriptor, (char *)place + got, (size_t)bytes - got, (off_t)(offset + (int64_t)got));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return spd_fail_io(err, path, "read");
        if (now == 0) break;
        got += (size_t)now;
    }
    if ((int64_t)got < bytes)
        return spd_fail(err, SPDHG_DATA, "%s: truncated at byte %lld", path, (long long)(offset + (int64_t)got));
    return SPDHG_OK;
}

static spdhg_status check_block(const job *j, int64_t number, spdhg_error *err) {
    const spd_cache_block block = spd_cache_find(&j->layout, number);
    const int64_t offset = j->start + block.offset;
    SPD_TRY(fetch(j, block.place, block.bytes, offset, err));
    if (XXH3_64bits(block.place, (size_t)block.bytes) != j->hash[number])
        return spd_fail(err, SPDHG_DATA, "%s: corrupt: wrong checksum of bytes %lld to %lld", spd_stream_path(j->stream),
                        (long long)offset, (long long)(offset + block.bytes - 1));
    spd_cache_swap(block.place, block.count, j->layout.section[block.part].size);
    if (!spd_cache_content_good(j->data, &block))
        return spd_fail(err, SPDHG_DATA, "%s: corrupt: indices or values out of range in bytes %lld to %lld",
                        spd_stream_path(j->stream), (long long)offset, (long long)(offset + block.bytes - 1));
    return SPDHG_OK;
}

static void read_block(void *context, int64_t k) {
    job *j = context;
    const int64_t number = j->first_block + k;
    pthread_mutex_lock(&j->lock);
    const bool useless = j->failed < number;
    pthread_mutex_unlock(&j->lock);
    if (useless) return;
    spdhg_error err;
    const spdhg_status status = check_block(j, number, &err);
    if (status == SPDHG_OK) return;
    pthread_mutex_lock(&j->lock);
    if (number < j->failed) {
        j->failed = number;
        j->status = status;
        j->err = err;
    }
    pthread_mutex_unlock(&j->lock);
}

static spdhg_status read_pass(job *j, int threads, int64_t first, int64_t blocks, spdhg_error *err) {
    j->first_block = first;
    j->failed = INT64_MAX;
    spd_parallel(j->descriptor < 0 ? 1 : threads, blocks, read_block, j);
    return j->failed == INT64_MAX ? SPDHG_OK : spd_fail(err, j->status, "%s", j->err.message);
}

static spdhg_status read_header(job *j, spd_cache_header *h, spdhg_error *err) {
    const char *path = spd_stream_path(j->stream);
    SPD_TRY(fetch(j, h, sizeof *h, 0, err));
    const uint64_t hash = XXH3_64bits(h, offsetof(spd_cache_header, hash));
    spd_cache_swap(&h->version, (int64_t)(sizeof *h - sizeof h->magic) / 8, 8);
    if (memcmp(h->magic, SPD_CACHE_MAGIC, sizeof h->magic) != 0) return spd_fail(err, SPDHG_DATA, "%s: not a cache file", path);
    if (h->version != SPD_CACHE_VERSION)
        return spd_fail(err, SPDHG_DATA, "%s: cache version %lld, expected %d: convert the data again", path,
                        (long long)h->version, SPD_CACHE_VERSION);
    if (hash != h->hash || !spd_cache_lay_out(&j->layout, h)) return spd_fail(err, SPDHG_DATA, "%s: corrupt: wrong header", path);
    j->start = (int64_t)sizeof *h + 8 * j->layout.blocks;
    int64_t size;
    if (spd_stream_file(j->stream, &size) >= 0 && size != j->start + j->layout.bytes)
        return spd_fail(err, SPDHG_DATA, "%s: %lld bytes long, the header says %lld: truncated or corrupt", path, (long long)size,
                        (long long)(j->start + j->layout.bytes));
    return SPDHG_OK;
}

static spdhg_status read_hashes(job *j, const spd_cache_header *h, spdhg_error *err) {
    const int64_t bytes = 8 * j->layout.blocks;
    j->hash = spd_alloc_raw(j->layout.blocks, sizeof *j->hash);
    if (!j->hash) return spd_fail_memory(err, (double)bytes);
    SPD_TRY(fetch(j, j->hash, bytes, sizeof *h, err));
    if (XXH3_64bits(j->hash, (size_t)bytes) != h->list_hash)
        return spd_fail(err, SPDHG_DATA, "%s: corrupt: wrong list of checksums", spd_stream_path(j->stream));
    spd_cache_swap(j->hash, j->layout.blocks, 8);
    return SPDHG_OK;
}

/* Allocates the arrays of the data set, not zeroed because they are about to be overwritten completely. */
static spdhg_status make_places(job *j, const spd_cache_header *h, char **texts, spdhg_error *err) {
    spdhg_data *d = j->data;
    void *place[SPD_CACHE_PARTS] = {NULL};
    for (int s = 0; s < SPD_CACHE_PARTS; s++) {
        const spd_cache_section *section = &j->layout.section[s];
        const bool empty_but_there =
            (s == SPD_IDX && (h->flags & SPD_HAS_ROWS)) || s == SPD_VAL || (s == SPD_B && h->targets > 0);
        if ((section->count == 0 && !empty_but_there) || (j->stays && (s == SPD_IDX || s == SPD_VAL))) continue;
        place[s] = spd_alloc_raw(section->count, section->size);
        if (!place[s]) {
            while (s-- > 0) spd_free(place[s]);
            return spd_fail_memory(err, (double)section->count * (double)section->size);
        }
        j->layout.section[s].place = place[s];
    }
    *d = (spdhg_data){.rows = h->rows,
                      .features = h->features,
                      .nnz = h->nnz,
                      .ptr = place[SPD_PTR],
                      .idx = place[SPD_IDX],
                      .val = place[SPD_VAL],
                      .targets = h->targets,
                      .b = place[SPD_B],
                      .labels = h->labels,
                      .weight = place[SPD_WEIGHT],
                      .offset = place[SPD_OFFSET],
                      .offsets = h->offsets,
                      .group = place[SPD_GROUP],
                      .index_base = (int)h->index_base};
    *texts = place[SPD_TEXTS];
    memcpy(&d->notes, h->notes, sizeof h->notes);
    d->notes.byte_order_mark = h->flags & SPD_HAS_MARK;
    return SPDHG_OK;
}

/* Copies `count` strings from the texts and advances *at past them. */
static spdhg_status take_texts(char ***out, const char **at, const char *end, int64_t count, const char *path, spdhg_error *err) {
    const char *from = *at;
    for (int64_t i = 0; i < count; i++) { /* before allocating: a header can claim any count */
        const char *zero = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
        if (!zero) return spd_fail(err, SPDHG_DATA, "%s: corrupt: wrong texts", path);
        *at = zero + 1;
    }
    char **text = SPD_NEW(char *, count);
    bool good = text;
    for (int64_t i = 0; good && i < count; i++, from += strlen(from) + 1) good = (text[i] = spd_strdup(from));
    if (good) {
        *out = text;
        return SPDHG_OK;
    }
    for (int64_t i = 0; text && i < count; i++) spd_free(text[i]);
    spd_free(text);
    return spd_fail_memory(err, 8.0 * (double)count);
}

static spdhg_status split_texts(spdhg_data *d, const spd_cache_header *h, const char *texts, const char *path, spdhg_error *err) {
    if (!texts) texts = "";
    const char *at = texts, *end = texts + h->texts;
    const int64_t labels = d->labels;
    d->labels = 0; /* until the texts are there */
    if (labels > 0) SPD_TRY(take_texts(&d->label, &at, end, labels, path, err));
    d->labels = labels;
    if (h->flags & SPD_HAS_NAMES) SPD_TRY(take_texts(&d->name, &at, end, d->features, path, err));
    return at == end ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: corrupt: wrong texts", path);
}

/* Bytes of the sections that will be in memory. Entries stay in the file if that is asked for, or allowed and they would fill
 * more than half of the memory: computing needs some, too. */
static double choose_place(job *j, const spdhg_read_options *o) {
    const spd_cache_section *idx = &j->layout.section[SPD_IDX], *val = &j->layout.section[SPD_VAL];
    const double all = (double)j->layout.bytes;
    const double entries = (double)idx->count * (double)idx->size + (double)val->count * (double)val->size;
    const int ranks = spdhg_ranks_size(o->ranks);
    j->stays = j->descriptor >= 0 && val->count > 0 &&
               (o->on_disk == 2 || ranks > 1 || (o->on_disk == 1 && o->max_memory && all > 0.5 * (double)o->max_memory));
    return j->stays ? all - entries + (ranks > 1 ? entries / ranks : 0) : all;
}

static spdhg_status read_all(job *j, const spdhg_read_options *o, char **texts, spdhg_error *err) {
    spd_cache_header h;
    const char *path = spd_stream_path(j->stream);
    SPD_TRY(read_header(j, &h, err));
    spd_budget budget = {.path = path, .limit = o->max_memory};
    SPD_TRY(spd_budget_take(&budget, choose_place(j, o), err));
    SPD_TRY(read_hashes(j, &h, err));
    SPD_TRY(make_places(j, &h, texts, err));
    const int threads = spd_threads(o->threads);
    const int64_t row_blocks = j->layout.section[SPD_PTR].blocks; /* read first: the indices are checked against them */
    const int64_t next = j->stays ? j->layout.section[SPD_B].first_block : row_blocks;
    SPD_TRY(read_pass(j, threads, 0, row_blocks, err));
    if (j->data->ptr && !spd_cache_rows_good(j->data)) return spd_fail(err, SPDHG_DATA, "%s: corrupt: rows out of order", path);
    SPD_TRY(read_pass(j, threads, next, j->layout.blocks - next, err));
    if (j->stays)
        SPD_TRY(spd_cache_stay(j->data, &j->layout, j->start, &j->hash, j->descriptor, path, o, err));
    else if (j->data->ptr && !spd_cache_seams_good(j->data))
        return spd_fail(err, SPDHG_DATA, "%s: corrupt: indices out of order", path);
    char extra;
    size_t got = 0;
    if (j->descriptor < 0)
        SPD_TRY(spd_stream_read(j->stream, &extra, 1, &got, err)); /* also verifies the compressor's checksum */
    if (got > 0) return spd_fail(err, SPDHG_DATA, "%s: corrupt: more bytes than the header says", path);
    return split_texts(j->data, &h, *texts, path, err);
}

spdhg_status spd_cache_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    int64_t size;
    char *texts = NULL;
    SPD_TRY(spd_data_new(out, err));
    job j = {.data = *out, .stream = stream, .descriptor = spd_stream_file(stream, &size), .lock = PTHREAD_MUTEX_INITIALIZER};
    const spdhg_status status = read_all(&j, o, &texts, err);
    spd_free(texts);
    spd_free(j.hash);
    pthread_mutex_destroy(&j.lock);
    if (status != SPDHG_OK) {
        spdhg_data_free(*out);
        *out = NULL;
    }
    return status;
}

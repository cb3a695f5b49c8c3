/* spill.c - a cache file from rows that come a chunk at a time, in constant memory. How many rows and entries there are is
 * known only at the end, and each section of the file begins where the one before ends: so every section grows in a file of its
 * own, without a name, in the folder of the output. Blocks are hashed when they are complete. In the end everything is written
 * front to back, and what is copied is given back to the disk at once, so that the data are there once and not twice. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/layout.h"

typedef struct section {
    int file; /* -1: nothing is written yet */
    char *block;
    size_t used;
    int64_t written;       /* bytes in the file */
    uint64_t *hash, *next; /* of each block; of the same with every index one higher */
    int64_t blocks, capacity, next_capacity;
} section;

struct spd_spill {
    char *path;
    section section[SPD_CACHE_PARTS];
    int64_t rows, nnz;
    spd_budget budget;
    int32_t shift; /* while the file is written */
    int64_t bytes, copied;
    bool (*ask)(void *context, double part);
    void *context;
};

spdhg_status spd_spill_open(spd_spill **out, const char *path, spdhg_error *err) {
    spd_spill *s = *out = SPD_NEW(spd_spill, 1);
    if (!s) return spd_fail_memory(err, sizeof *s);
    for (int k = 0; k < SPD_CACHE_PARTS; k++) s->section[k].file = -1;
    s->budget.path = s->path = spd_strdup(path);
    return s->path ? SPDHG_OK : spd_fail_memory(err, (double)strlen(path));
}

void spd_spill_free(spd_spill *s) {
    if (!s) return;
    for (int k = 0; k < SPD_CACHE_PARTS; k++) {
        if (s->section[k].file >= 0) close(s->section[k].file);
        SPD_FREE_ALL(s->section[k].block, s->section[k].hash, s->section[k].next);
    }
    SPD_FREE_ALL(s->path, s);
}

static void shift_indices(char *block, size_t bytes, int32_t shift) {
    int32_t *idx = (int32_t *)(void *)block;
    for (size_t k = 0; k < bytes / sizeof *idx; k++) idx[k] += shift;
}

/* The block is stored as bytes of this machine; its checksums are those of the file's bytes. */
static uint64_t hash_block(section *t, size_t size) {
    spd_cache_swap(t->block, (int64_t)(t->used / size), size);
    const uint64_t hash = XXH3_64bits(t->block, t->used);
    spd_cache_swap(t->block, (int64_t)(t->used / size), size);
    return hash;
}

static spdhg_status write_block(spd_spill *s, spd_cache_part part, size_t size, spdhg_error *err) {
    section *t = &s->section[part];
    if (t->used == 0) return SPDHG_OK;
    SPD_TRY(spd_reserve(&t->hash, &t->capacity, t->blocks + 1, sizeof *t->hash, &s->budget, err));
    if (part == SPD_IDX) SPD_TRY(spd_reserve(&t->next, &t->next_capacity, t->blocks + 1, sizeof *t->next, &s->budget, err));
    for (size_t done = 0; done < t->used;) {
        const ssize_t now = pwrite(t->file, t->block + done, t->used - done, (off_t)(t->written + (int64_t)done));
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return spd_fail_io(err, s->path, "write");
        done += (size_t)now;
    }
    t->hash[t->blocks] = hash_block(t, size);
    if (part == SPD_IDX) {
        shift_indices(t->block, t->used, 1);
        t->next[t->blocks] = hash_block(t, size);
    }
    t->blocks++;
    t->written += (int64_t)t->used;
    t->used = 0;
    return SPDHG_OK;
}

/* Appends `count` elements; from == NULL: of bytes 0xff, which is -1. */
static spdhg_status append(spd_spill *s, spd_cache_part part, const void *from, int64_t count, size_t size, spdhg_error *err) {
    section *t = &s->section[part];
    if (t->file < 0 && (t->file = spd_file_scratch(s->path)) < 0) return spd_fail_io(err, s->path, "create");
    if (!t->block && !(t->block = spd_alloc_raw(SPD_CACHE_BLOCK, 1))) return spd_fail_memory(err, SPD_CACHE_BLOCK);
    for (size_t left = (size_t)count * size; left > 0;) {
        const size_t free = SPD_CACHE_BLOCK - t->used, now = left < free ? left : free;
        if (from)
            memcpy(t->block + t->used, (const char *)from + ((size_t)count * size - left), now);
        else
            memset(t->block + t->used, 0xff, now);
        t->used += now;
        left -= now;
        if (t->used == SPD_CACHE_BLOCK) SPD_TRY(write_block(s, part, size, err));
    }
    return SPDHG_OK;
}

static spdhg_status append_ends(spd_spill *s, const spdhg_data *rows, spdhg_error *err) {
    int64_t end[512];
    const int64_t at_once = (int64_t)(sizeof end / sizeof *end);
    if (s->rows == 0) SPD_TRY(append(s, SPD_PTR, &s->nnz, 1, sizeof s->nnz, err)); /* 0 */
    for (int64_t i = 0; i < rows->rows; i += at_once) {
        const int64_t count = rows->rows - i < at_once ? rows->rows - i : at_once;
        for (int64_t k = 0; k < count; k++) end[k] = s->nnz + rows->ptr[i + k + 1];
        SPD_TRY(append(s, SPD_PTR, end, count, sizeof *end, err));
    }
    return SPDHG_OK;
}

spdhg_status spd_spill_add(spd_spill *s, const spdhg_data *rows, spdhg_error *err) {
    const bool had_groups = s->section[SPD_GROUP].file >= 0;
    SPD_TRY(append_ends(s, rows, err));
    SPD_TRY(append(s, SPD_IDX, rows->idx, rows->nnz, sizeof *rows->idx, err));
    SPD_TRY(append(s, SPD_VAL, rows->val, rows->nnz, sizeof *rows->val, err));
    SPD_TRY(append(s, SPD_B, rows->b, rows->rows, sizeof *rows->b, err));
    if (rows->group && !had_groups) SPD_TRY(append(s, SPD_GROUP, NULL, s->rows, sizeof *rows->group, err));
    if (rows->group || had_groups) SPD_TRY(append(s, SPD_GROUP, rows->group, rows->rows, sizeof *rows->group, err));
    s->rows += rows->rows;
    s->nnz += rows->nnz;
    return SPDHG_OK;
}

static spdhg_status go_on(spd_spill *s, spdhg_error *err) {
    if (!s->ask || s->ask(s->context, s->bytes > 0 ? (double)s->copied / (double)s->bytes : 0)) return SPDHG_OK;
    return spd_fail(err, SPDHG_IO, "%s: stopped before it was complete; it is as before", s->path);
}

/* A block from the file of its section, which then gives it back to the disk. */
static spdhg_status fetch(void *context, const spd_cache_block *block, char *buffer, spdhg_error *err) {
    spd_spill *s = context;
    const section *t = &s->section[block->part];
    const off_t from = (off_t)(block->bytes / block->count * block->first);
    if (block->part == SPD_TEXTS) memcpy(buffer, block->place, (size_t)block->bytes);
    for (int64_t got = 0; got < block->bytes && block->part != SPD_TEXTS;) {
        const ssize_t now = pread(t->file, buffer + got, (size_t)(block->bytes - got), from + (off_t)got);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return spd_fail_io(err, s->path, "read back");
        got += now;
    }
    if (block->part != SPD_TEXTS)
        (void)!fallocate(t->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, (off_t)block->bytes);
    if (block->part == SPD_IDX && s->shift) shift_indices(buffer, (size_t)block->bytes, s->shift);
    spd_cache_swap(buffer, block->count, (size_t)(block->bytes / block->count));
    s->copied += block->bytes;
    return go_on(s, err);
}

spdhg_status spd_spill_commit(spd_spill *s, spdhg_data *about, int32_t shift, bool (*ask)(void *context, double part),
                              void *context, spdhg_error *err) {
    static const size_t size[SPD_CACHE_PARTS] = {8, 4, 8, 8, 8, 8, 8, 1};
    int64_t group = 0;
    for (int k = 0; k < SPD_TEXTS; k++) SPD_TRY(write_block(s, (spd_cache_part)k, size[k], err));
    about->rows = s->rows;
    about->nnz = s->nnz;
    if (s->section[SPD_GROUP].file >= 0) about->group = &group; /* there are some */
    spd_cache_parts parts;
    spdhg_status status = spd_cache_parts_make(&parts, about, s->path, err);
    about->group = NULL;
    for (int64_t k = 0; status == SPDHG_OK && k < parts.layout.blocks; k++) {
        const spd_cache_block block = spd_cache_find(&parts.layout, k);
        const section *t = &s->section[block.part];
        const int64_t number = k - parts.layout.section[block.part].first_block;
        parts.hash[k] = block.part == SPD_TEXTS ? XXH3_64bits(block.place, (size_t)block.bytes)
                                                : (block.part == SPD_IDX && shift ? t->next : t->hash)[number];
    }
    s->shift = shift;
    s->bytes = parts.layout.bytes;
    s->ask = ask;
    s->context = context;
    if (status == SPDHG_OK) status = go_on(s, err);
    if (status == SPDHG_OK) status = spd_cache_put(&parts, fetch, s, s->path, err);
    spd_cache_parts_free(&parts);
    return status;
}

/* write.c - writes a data set to its binary file (layout: layout.h): first the checksums of all blocks, then everything in
 * order. Data in memory are encoded twice so that the file is written front to back, which also works for a pipe. */
#include <xxhash.h>

#include "cache/layout.h"

static char *join_texts(const spdhg_data *d, int64_t *bytes) {
    *bytes = 0;
    for (int64_t i = 0; i < d->labels; i++) *bytes += (int64_t)strlen(d->label[i]) + 1;
    for (int64_t i = 0; d->name && i < d->features; i++) *bytes += (int64_t)strlen(d->name[i]) + 1;
    char *texts = spd_alloc(*bytes, 1), *at = texts;
    for (int64_t i = 0; texts && i < d->labels; i++) at = stpcpy(at, d->label[i]) + 1;
    for (int64_t i = 0; texts && d->name && i < d->features; i++) at = stpcpy(at, d->name[i]) + 1;
    return texts;
}

static spd_cache_header make_header(const spdhg_data *d, int64_t texts) {
    spd_cache_header h = {.version = SPD_CACHE_VERSION,
                          .rows = d->rows,
                          .features = d->features,
                          .nnz = d->nnz,
                          .targets = d->targets,
                          .labels = d->labels,
                          .offsets = d->offset ? d->offsets : 0,
                          .index_base = d->index_base,
                          .texts = texts};
    memcpy(h.magic, SPD_CACHE_MAGIC, sizeof h.magic);
    memcpy(h.notes, &d->notes, sizeof h.notes);
    h.flags = (d->idx ? SPD_HAS_ROWS : 0) | (d->weight ? SPD_HAS_WEIGHT : 0) | (d->group ? SPD_HAS_GROUP : 0) |
              (d->name ? SPD_HAS_NAMES : 0) | (d->notes.byte_order_mark ? SPD_HAS_MARK : 0);
    return h;
}

spdhg_status spd_cache_parts_make(spd_cache_parts *parts, const spdhg_data *about, const char *path, spdhg_error *err) {
    int64_t bytes;
    *parts = (spd_cache_parts){.texts = join_texts(about, &bytes)};
    if (!parts->texts) return spd_fail_memory(err, (double)bytes);
    parts->header = make_header(about, bytes);
    if (!spd_cache_lay_out(&parts->layout, &parts->header))
        return spd_fail(err, SPDHG_DATA, "%s: the data set's sizes are out of range", path);
    parts->layout.section[SPD_TEXTS].place = parts->texts;
    parts->hash = SPD_NEW(uint64_t, parts->layout.blocks);
    return parts->hash ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)parts->layout.blocks);
}

void spd_cache_parts_free(spd_cache_parts *parts) { SPD_FREE_ALL(parts->texts, parts->hash); }

/* A block of a section in memory, as it is stored in the file. */
static spdhg_status encode(void *context, const spd_cache_block *block, char *buffer, spdhg_error *err) {
    const spd_cache_layout *layout = context;
    (void)err;
    memcpy(buffer, block->place, (size_t)block->bytes);
    spd_cache_swap(buffer, block->count, layout->section[block->part].size);
    return SPDHG_OK;
}

static void seal(spd_cache_parts *parts) {
    spd_cache_header *h = &parts->header;
    spd_cache_swap(parts->hash, parts->layout.blocks, 8);
    h->list_hash = XXH3_64bits(parts->hash, (size_t)parts->layout.blocks * 8);
    spd_cache_swap(&h->version, (int64_t)(sizeof *h - sizeof h->magic) / 8, 8);
    h->hash = XXH3_64bits(h, offsetof(spd_cache_header, hash));
    spd_cache_swap(&h->hash, 1, 8);
}

spdhg_status spd_cache_put(spd_cache_parts *parts, spd_cache_fetch fetch, void *context, const char *path, spdhg_error *err) {
    spd_file file;
    char *buffer = spd_alloc_raw(SPD_CACHE_BLOCK, 1);
    if (!buffer) return spd_fail_memory(err, SPD_CACHE_BLOCK);
    spdhg_status status = spd_file_create(&file, path, err);
    if (status != SPDHG_OK) {
        spd_free(buffer);
        return status;
    }
    seal(parts);
    fwrite(&parts->header, sizeof parts->header, 1, file.stream);
    fwrite(parts->hash, 8, (size_t)parts->layout.blocks, file.stream);
    for (int64_t k = 0; k < parts->layout.blocks && !ferror(file.stream) && status == SPDHG_OK; k++) {
        const spd_cache_block block = spd_cache_find(&parts->layout, k);
        status = fetch(context, &block, buffer, err);
        if (status == SPDHG_OK) fwrite(buffer, 1, (size_t)block.bytes, file.stream);
    }
    spd_free(buffer);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

static void hash_all(spd_cache_parts *parts, char *buffer) {
    for (int64_t k = 0; k < parts->layout.blocks; k++) {
        const spd_cache_block block = spd_cache_find(&parts->layout, k);
        encode(&parts->layout, &block, buffer, NULL);
        parts->hash[k] = XXH3_64bits(buffer, (size_t)block.bytes);
    }
}

spdhg_status spd_cache_write(const spdhg_data *d, const char *path, spdhg_error *err) {
    spd_cache_parts parts;
    spdhg_status status = spd_cache_parts_make(&parts, d, path, err);
    const void *const place[SPD_CACHE_PARTS] = {d->ptr, d->idx, d->val, d->b, d->weight, d->offset, d->group, parts.texts};
    for (int s = 0; s < SPD_CACHE_PARTS; s++) parts.layout.section[s].place = (char *)(uintptr_t)place[s];
    char *buffer = spd_alloc_raw(SPD_CACHE_BLOCK, 1);
    if (status == SPDHG_OK && !buffer) status = spd_fail_memory(err, SPD_CACHE_BLOCK);
    if (status == SPDHG_OK) hash_all(&parts, buffer);
    spd_free(buffer);
    if (status == SPDHG_OK) status = spd_cache_put(&parts, encode, &parts.layout, path, err);
    spd_cache_parts_free(&parts);
    return status;
}

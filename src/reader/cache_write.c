/* cache_write.c - writes a data set to its binary file (layout: cache.h): first the checksums of all blocks, then everything in
 * order. The data are encoded twice so that the file is written front to back, which also works for a pipe. */
#include <xxhash.h>

#include "reader/cache.h"

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

/* Encodes a block into `buffer` as it is stored in the file. */
static size_t encode(const spd_cache_layout *layout, int64_t number, char *buffer) {
    const spd_cache_block block = spd_cache_find(layout, number);
    memcpy(buffer, block.place, (size_t)block.bytes);
    spd_cache_swap(buffer, block.count, layout->section[block.part].size);
    return (size_t)block.bytes;
}

static spdhg_status write_all(spd_cache_header *h, const spd_cache_layout *layout, uint64_t *hash, char *buffer, const char *path,
                              spdhg_error *err) {
    for (int64_t k = 0; k < layout->blocks; k++) hash[k] = XXH3_64bits(buffer, encode(layout, k, buffer));
    spd_cache_swap(hash, layout->blocks, 8);
    h->list_hash = XXH3_64bits(hash, (size_t)layout->blocks * 8);
    spd_cache_swap(&h->version, (int64_t)(sizeof *h - sizeof h->magic) / 8, 8);
    h->hash = XXH3_64bits(h, offsetof(spd_cache_header, hash));
    spd_cache_swap(&h->hash, 1, 8);
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fwrite(h, sizeof *h, 1, file.stream);
    fwrite(hash, 8, (size_t)layout->blocks, file.stream);
    for (int64_t k = 0; k < layout->blocks && !ferror(file.stream); k++)
        fwrite(buffer, 1, encode(layout, k, buffer), file.stream);
    return spd_file_commit(&file, err);
}

spdhg_status spd_cache_write(const spdhg_data *d, const char *path, spdhg_error *err) {
    int64_t bytes;
    char *texts = join_texts(d, &bytes);
    spd_cache_header h = make_header(d, bytes);
    spd_cache_layout layout;
    if (!texts) return spd_fail_memory(err, (double)bytes);
    if (!spd_cache_lay_out(&layout, &h)) {
        spd_free(texts);
        return spd_fail(err, SPDHG_DATA, "%s: the data set's sizes are out of range", path);
    }
    const void *const place[SPD_CACHE_PARTS] = {d->ptr, d->idx, d->val, d->b, d->weight, d->offset, d->group, texts};
    for (int s = 0; s < SPD_CACHE_PARTS; s++) layout.section[s].place = (char *)(uintptr_t)place[s];
    uint64_t *hash = SPD_NEW(uint64_t, layout.blocks);
    char *buffer = spd_alloc_raw(SPD_CACHE_BLOCK, 1);
    const spdhg_status status =
        hash && buffer ? write_all(&h, &layout, hash, buffer, path, err) : spd_fail_memory(err, SPD_CACHE_BLOCK);
    spd_free(texts);
    spd_free(hash);
    spd_free(buffer);
    return status;
}

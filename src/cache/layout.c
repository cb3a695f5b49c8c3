/* layout.c - the position of each part of a cache file: sections in the order of layout.h, cut into blocks.
 * Every count is checked before it is multiplied. */
#include "cache/layout.h"

void spd_cache_swap(void *place, int64_t count, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    char *c = place;
    for (int64_t i = 0; i < count; i++, c += size)
        for (size_t k = 0; k < size / 2; k++) {
            const char swap = c[k];
            c[k] = c[size - 1 - k];
            c[size - 1 - k] = swap;
        }
#else
    (void)place, (void)count, (void)size;
#endif
}

bool spd_cache_lay_out(spd_cache_layout *layout, const spd_cache_header *h) {
    const int64_t most = INT64_MAX / 64;
    int64_t cells, b, o;
    if (h->rows < 0 || h->rows > most || h->features < 0 || h->features > INT32_MAX || h->nnz < 0 || h->nnz > most ||
        h->targets < 0 || h->labels < 0 || h->offsets < 0 || h->texts < 0 || h->texts > most || h->index_base < 0 ||
        h->index_base > 1)
        return false;
    if (__builtin_mul_overflow(h->rows, h->features, &cells) || __builtin_mul_overflow(h->rows, h->targets, &b) || b > most ||
        __builtin_mul_overflow(h->rows, h->offsets, &o) || o > most)
        return false;
    const bool sparse = h->flags & SPD_HAS_ROWS;
    if (!sparse && h->nnz != cells) return false;
    if (h->labels > h->texts || ((h->flags & SPD_HAS_NAMES) && h->features > h->texts - h->labels)) return false;
    const int64_t count[SPD_CACHE_PARTS] = {sparse ? h->rows + 1 : 0,
                                            sparse ? h->nnz : 0,
                                            h->nnz,
                                            b,
                                            h->flags & SPD_HAS_WEIGHT ? h->rows : 0,
                                            o,
                                            h->flags & SPD_HAS_GROUP ? h->rows : 0,
                                            h->texts};
    static const size_t size[SPD_CACHE_PARTS] = {8, 4, 8, 8, 8, 8, 8, 1};
    *layout = (spd_cache_layout){0};
    for (int s = 0; s < SPD_CACHE_PARTS; s++) {
        const int64_t per_block = SPD_CACHE_BLOCK / (int64_t)size[s];
        layout->section[s] = (spd_cache_section){NULL, count[s], size[s], layout->blocks, (count[s] + per_block - 1) / per_block};
        layout->blocks += layout->section[s].blocks;
        layout->bytes += count[s] * (int64_t)size[s];
    }
    return true;
}

spd_cache_block spd_cache_find(const spd_cache_layout *layout, int64_t block) {
    int64_t offset = 0;
    int part = 0;
    const spd_cache_section *s = layout->section;
    for (; block >= s->first_block + s->blocks; part++, s++) offset += s->count * (int64_t)s->size;
    const int64_t per_block = SPD_CACHE_BLOCK / (int64_t)s->size, first = (block - s->first_block) * per_block;
    const int64_t count = s->count - first < per_block ? s->count - first : per_block, size = (int64_t)s->size;
    return (spd_cache_block){(spd_cache_part)part, s->place ? s->place + first * size : NULL, first, count, offset + first * size,
                             count * size};
}

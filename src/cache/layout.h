/* layout.h - the layout of the binary cache, shared by those who read, write and check it. Private to the room.
 *     header | checksum of each block (XXH3, 64 bit) | ptr idx val b weight offset group texts, each cut into blocks of 256 KiB
 */
#ifndef SPD_LAYOUT_H
#define SPD_LAYOUT_H

#include "cache/cache.h"

enum { SPD_CACHE_VERSION = 1, SPD_CACHE_BLOCK = 1 << 18, SPD_CACHE_NOTES = 6 };
typedef enum spd_cache_part {
    SPD_PTR,
    SPD_IDX,
    SPD_VAL,
    SPD_B,
    SPD_WEIGHT,
    SPD_OFFSET,
    SPD_GROUP,
    SPD_TEXTS,
    SPD_CACHE_PARTS
} spd_cache_part;
enum { SPD_HAS_ROWS = 1, SPD_HAS_WEIGHT = 2, SPD_HAS_GROUP = 4, SPD_HAS_NAMES = 8, SPD_HAS_MARK = 16 };

typedef struct spd_cache_header {
    char magic[8];
    int64_t version, rows, features, nnz, targets, labels, offsets, flags, index_base;
    int64_t texts; /* bytes of the label texts and names, each terminated by a zero byte */
    int64_t notes[SPD_CACHE_NOTES];
    uint64_t list_hash, hash; /* of the checksums; of the part of this header before it */
} spd_cache_header;

/* The sections in the order of the file; `place` is their address in memory. */
typedef struct spd_cache_section {
    char *place;
    int64_t count;
    size_t size; /* of an element */
    int64_t first_block, blocks;
} spd_cache_section;

typedef struct spd_cache_layout {
    spd_cache_section section[SPD_CACHE_PARTS];
    int64_t blocks, bytes; /* of all sections */
} spd_cache_layout;

typedef struct spd_cache_block {
    spd_cache_part part;
    char *place;
    int64_t first, count;  /* elements of the section */
    int64_t offset, bytes; /* from the start of the first section */
} spd_cache_block;

/* False if a count is impossible. Places are set to NULL. */
bool spd_cache_lay_out(spd_cache_layout *layout, const spd_cache_header *header);
spd_cache_block spd_cache_find(const spd_cache_layout *layout, int64_t block);
void spd_cache_swap(void *place, int64_t count, size_t size); /* little-endian to ours or back, in place */

/* ---- write.c: what a file consists of, wherever its sections are. */
typedef struct spd_cache_parts {
    spd_cache_header header;
    spd_cache_layout layout;
    char *texts;
    uint64_t *hash; /* of each block as it is stored */
} spd_cache_parts;
/* Header, layout and texts of data whose rows, nnz, targets, ... are known; its arrays are not looked at, but for whether they
 * are there. There are no checksums yet. */
spdhg_status spd_cache_parts_make(spd_cache_parts *parts, const spdhg_data *about, const char *path, spdhg_error *err);
void spd_cache_parts_free(spd_cache_parts *parts);
/* Writes the file front to back. block: brings block number `number` to the buffer, as it is stored. */
typedef spdhg_status (*spd_cache_fetch)(void *context, const spd_cache_block *block, char *buffer, spdhg_error *err);
spdhg_status spd_cache_put(spd_cache_parts *parts, spd_cache_fetch fetch, void *context, const char *path, spdhg_error *err);

/* ---- check.c: the conditions that the values of a block must satisfy. Checking entries requires ptr. */
bool spd_cache_content_good(const spdhg_data *data, const spd_cache_block *block);
bool spd_cache_rows_good(const spdhg_data *data);
/* Checks the indices where two blocks meet. */
bool spd_cache_seams_good(const spdhg_data *data);
bool spd_cache_seam_good(const spdhg_data *data, int64_t entry, int32_t before,
                         int32_t here); /* the indices before and at an entry */

/* ---- disk.c: idx and val of data whose other parts are in memory stay in the file. Takes *hash over. */
spdhg_status spd_cache_stay(spdhg_data *data, const spd_cache_layout *layout, int64_t start, uint64_t **hash, int descriptor,
                            const char *path, const spdhg_read_options *o, spdhg_error *err);

#endif

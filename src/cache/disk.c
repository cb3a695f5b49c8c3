/* disk.c - entries of a cache file that stay on the disk (data/on_disk.h). They are read a piece at a time, whole blocks of the
 * file, so that the checksum and the content of every block are checked each time it is read. What was read is dropped from the
 * system's cache of files at once: everything else that is in there would have to make room for it, and it would be gone before
 * it is read again. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache/layout.h"
#include "ranks/ranks.h"

/* Entries in a block of indices; two blocks of values have as many. */
enum { ENTRIES = SPD_CACHE_BLOCK / 4, PIECE_BYTES = 6 << 20 };

typedef struct source {
    spdhg_data *data;
    int descriptor;
    char *path;
    int64_t start; /* of the sections in the file */
    spd_cache_layout layout;
    uint64_t *hash;
    int32_t *edge; /* the first and the last index of each piece, -1: not known yet */
    int64_t piece; /* entries */
} source;

static void free_source(void *context) {
    source *s = context;
    if (s->descriptor >= 0) close(s->descriptor);
    SPD_FREE_ALL(s->path, s->hash, s->edge, s);
}

static int64_t section_offset(const source *s, spd_cache_part part) {
    const spd_cache_section *section = &s->layout.section[part];
    return section->blocks ? s->start + spd_cache_find(&s->layout, section->first_block).offset : 0;
}

static spdhg_status read_part(const source *s, spd_cache_part part, int64_t first, int64_t count, spdhg_error *err) {
    const spd_cache_section *section = &s->layout.section[part];
    const int64_t size = (int64_t)section->size, bytes = count * size, from = section_offset(s, part) + first * size;
    char *place = section->place + first * size;
    posix_fadvise(s->descriptor, (off_t)from + (off_t)bytes, (off_t)bytes, POSIX_FADV_WILLNEED); /* while this is copied */
    for (int64_t got = 0; got < bytes;) {
        const ssize_t now = pread(s->descriptor, place + got, (size_t)(bytes - got), (off_t)(from + got));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return spd_fail_io(err, s->path, "read");
        if (now == 0)
            return spd_fail(err, SPDHG_IO, "%s: became shorter while it was being used: it ends at byte %lld", s->path,
                            (long long)(from + got));
        got += now;
    }
    posix_fadvise(s->descriptor, (off_t)from, (off_t)bytes, POSIX_FADV_DONTNEED);
    return SPDHG_OK;
}

static spdhg_status read_piece(void *context, int64_t first, int64_t count, spdhg_error *err) {
    const source *s = context;
    if (s->data->idx) SPD_TRY(read_part(s, SPD_IDX, first, count, err));
    return read_part(s, SPD_VAL, first, count, err);
}

static spdhg_status check_part(const source *s, spd_cache_part part, int64_t first, int64_t count, spdhg_error *err) {
    const spd_cache_section *section = &s->layout.section[part];
    const int64_t size = (int64_t)section->size, blocks = (count * size + SPD_CACHE_BLOCK - 1) / SPD_CACHE_BLOCK;
    for (int64_t k = section->first_block + first * size / SPD_CACHE_BLOCK, last = k + blocks; k < last; k++) {
        const spd_cache_block block = spd_cache_find(&s->layout, k);
        const bool same = XXH3_64bits(block.place, (size_t)block.bytes) == s->hash[k];
        spd_cache_swap(block.place, block.count, section->size);
        if (same && spd_cache_content_good(s->data, &block)) continue;
        return spd_fail(err, SPDHG_DATA, "%s: corrupt: %s in bytes %lld to %lld", s->path,
                        same ? "indices or values out of range" : "wrong checksum: damaged, or changed while it was being used,",
                        (long long)(s->start + block.offset), (long long)(s->start + block.offset + block.bytes - 1));
    }
    return SPDHG_OK;
}

/* Indices ascend in a row that goes on behind a block, and behind a piece: the later of two pieces to be read is compared. */
static bool seams_good(const source *s, int64_t first, int64_t count) {
    const int64_t k = first / s->piece, last = (s->data->nnz - 1) / s->piece;
    int32_t *edge = s->edge + 2 * k;
    edge[0] = s->data->idx[first];
    edge[1] = s->data->idx[first + count - 1];
    bool good = true;
    for (int64_t q = first + ENTRIES; q < first + count; q += ENTRIES)
        good = good && spd_cache_seam_good(s->data, q, s->data->idx[q - 1], s->data->idx[q]);
    if (k > 0 && edge[-1] >= 0) good = good && spd_cache_seam_good(s->data, first, edge[-1], edge[0]);
    if (k < last && edge[2] >= 0) good = good && spd_cache_seam_good(s->data, first + count, edge[1], edge[2]);
    return good;
}

static spdhg_status check_piece(void *context, int64_t first, int64_t count, spdhg_error *err) {
    const source *s = context;
    if (s->data->idx) {
        SPD_TRY(check_part(s, SPD_IDX, first, count, err));
        if (!seams_good(s, first, count)) return spd_fail(err, SPDHG_DATA, "%s: corrupt: indices out of order", s->path);
    }
    return check_part(s, SPD_VAL, first, count, err);
}

/* Pieces with the rows that this process passes over, which stay in memory. */
static int64_t own_pieces(const source *s, const spdhg_ranks *ranks) {
    const spdhg_data *data = s->data;
    int64_t first, end;
    if (spdhg_ranks_size(ranks) == 1) return 0;
    spd_ranks_rows(ranks, spdhg_ranks_rank(ranks), data->rows, &first, &end);
    const int64_t from = data->ptr ? data->ptr[first] : first * data->features;
    const int64_t to = data->ptr ? data->ptr[end] : end * data->features;
    return from < to ? (to - 1) / s->piece - from / s->piece + 1 : 0;
}

spdhg_status spd_cache_stay(spdhg_data *data, const spd_cache_layout *layout, int64_t start, uint64_t **hash, int descriptor,
                            const char *path, const spdhg_read_options *o, spdhg_error *err) {
    const bool sparse = layout->section[SPD_IDX].count > 0;
    const int64_t unit = ENTRIES * (sparse ? 12 : 8), asked = o->block_bytes ? (int64_t)o->block_bytes : PIECE_BYTES;
    source *s = SPD_NEW(source, 1);
    if (!s) return spd_fail_memory(err, sizeof *s);
    *s = (source){.data = data, .start = start, .layout = *layout, .hash = *hash, .path = spd_strdup(path)};
    *hash = NULL;
    s->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    s->piece = ENTRIES * (asked > unit ? asked / unit : 1);
    const int64_t pieces = (data->nnz + s->piece - 1) / s->piece;
    s->edge = SPD_NEW(int32_t, 2 * pieces);
    for (int64_t k = 0; s->edge && k < 2 * pieces; k++) s->edge[k] = -1;
    if (s->descriptor < 0 || !s->path || !s->edge) {
        const spdhg_status status = s->descriptor < 0 ? spd_fail_io(err, path, "open") : spd_fail_memory(err, (double)pieces * 8);
        free_source(s);
        return status;
    }
    const int64_t most = 3 * (int64_t)spd_threads(o->threads) + 1 /* what each holds, and two ahead */ + own_pieces(s, o->ranks);
    const spd_disk_source disk = {.context = s, .read = read_piece, .check = check_piece, .free = free_source};
    SPD_TRY(spd_disk_new(data, &disk, sparse, s->piece, most, err));
    s->layout.section[SPD_IDX].place = (char *)data->idx;
    s->layout.section[SPD_VAL].place = (char *)data->val;
    return SPDHG_OK;
}

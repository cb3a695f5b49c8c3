/* checkpoint.c - the file format: "SPDHGCP4", a byte-order mark, hashes and counters, trace points, the solver's state, a dual
 * point, and the XXH3-64 of everything before it. */
#include "model/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char magic[8] = {'S', 'P', 'D', 'H', 'G', 'C', 'P', '4'};
static const int64_t COUNT_MOST = INT64_C(1) << 53; /* more steps than a run can take; their sums do not overflow */
static const uint64_t byte_order = 0x0102030405060708u;

/* Everything of fixed size, in the order of the file. All members are 8 bytes wide: no padding. */
typedef struct header {
    char magic[8];
    uint64_t byte_order, point_size, hash[SPD_HASHES];
    int64_t stage, k, rows_visited, iterations_before, points, numbers, duals, said, known, fresh;
    double seconds, epochs_before, next;
} header;

static bool put(FILE *stream, XXH3_state_t *sum, const void *block, size_t size) {
    if (size == 0) return true; /* block may be NULL */
    return XXH3_64bits_update(sum, block, size) == XXH_OK && fwrite(block, 1, size, stream) == size;
}

/* PATH.previous; NULL: out of memory. */
static char *name_of_previous(const char *path) {
    char *previous = spd_alloc((int64_t)strlen(path) + 16, 1);
    if (previous) sprintf(previous, "%s.previous", path);
    return previous;
}

/* Links the existing file to `previous`; it also keeps its own name until the new one is renamed over it. */
static void keep_previous(const char *path, const char *previous) {
    if (access(path, F_OK) != 0) return;
    unlink(previous);
    if (link(path, previous) != 0) unlink(previous); /* a file system without links keeps one generation */
}

spdhg_status spd_checkpoint_write(const spd_checkpoint *c, const char *path, spdhg_error *err) {
    header h = {.byte_order = byte_order,
                .point_size = sizeof(spdhg_point),
                .stage = c->stage,
                .k = c->k,
                .rows_visited = c->rows_visited,
                .iterations_before = c->iterations_before,
                .points = c->points,
                .numbers = c->numbers,
                .duals = c->duals,
                .said = c->said,
                .seconds = c->seconds,
                .known = c->known,
                .fresh = c->fresh,
                .epochs_before = c->epochs_before,
                .next = c->next};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.hash, c->hash, sizeof h.hash);
    XXH3_state_t *sum = XXH3_createState();
    char *previous = name_of_previous(path); /* before anything is written: without it a generation would be lost unseen */
    spd_file file;
    spdhg_status status = sum && previous ? spd_file_create(&file, path, err) : spd_fail_memory(err, 1e3);
    if (status == SPDHG_OK) {
        XXH3_64bits_reset(sum);
        bool good = put(file.stream, sum, &h, sizeof h) &&
                    put(file.stream, sum, c->point, (size_t)c->points * sizeof *c->point) &&
                    put(file.stream, sum, c->number, (size_t)c->numbers * sizeof *c->number) &&
                    put(file.stream, sum, c->dual, (size_t)c->duals * sizeof *c->dual);
        const uint64_t checksum = XXH3_64bits_digest(sum);
        good = good && fwrite(&checksum, sizeof checksum, 1, file.stream) == 1;
        if (good) {
            keep_previous(path, previous);
            status = spd_file_commit(&file, err);
        } else {
            status = spd_fail_io(err, path, "write");
            spd_file_abort(&file);
        }
    }
    XXH3_freeState(sum);
    spd_free(previous);
    return status;
}

static spdhg_status damaged(const char *path, const char *how, spdhg_error *err) {
    return spd_fail(err, SPDHG_DATA, "%s: not a whole checkpoint: %s", path, how);
}

/* Sizes must agree with the file's, so that no count causes allocations larger than the file. */
static spdhg_status check_header(const header *h, int64_t size, const char *path, spdhg_error *err) {
    if (memcmp(h->magic, magic, sizeof magic - 1) != 0) return damaged(path, "it does not begin with SPDHGCP", err);
    if (memcmp(h->magic, magic, sizeof magic) != 0) return damaged(path, "it was written by another version", err);
    if (h->byte_order != byte_order) return damaged(path, "it was written on a machine of other byte order", err);
    if (h->point_size != sizeof(spdhg_point)) return damaged(path, "it was written by another version", err);
    const int64_t rest = size - (int64_t)sizeof *h - (int64_t)sizeof(uint64_t), most = rest / 8;
    if (rest < 0 || h->points < 0 || h->numbers < 0 || h->duals < 0 || h->points > most || h->numbers > most || h->duals > most ||
        h->points * (int64_t)sizeof(spdhg_point) + (h->numbers + h->duals) * 8 != rest)
        return damaged(path, "its size does not fit its counts", err);
    if (h->stage < 0 || h->k < 0 || h->rows_visited < 0 || h->iterations_before < 0 || h->k > COUNT_MOST ||
        h->rows_visited > COUNT_MOST || h->iterations_before > COUNT_MOST || h->said < 0 || h->said > 2 ||
        !isfinite(h->seconds) || !isfinite(h->epochs_before) || isnan(h->next))
        return damaged(path, "a counter is out of range", err);
    return SPDHG_OK;
}

static spdhg_status read_body(spd_checkpoint *c, FILE *stream, int64_t size, const char *path, spdhg_error *err) {
    header h;
    if (fread(&h, sizeof h, 1, stream) != 1) return damaged(path, "it is too short", err);
    SPD_TRY(check_header(&h, size, path, err));
    c->point = SPD_NEW(spdhg_point, h.points);
    c->number = SPD_NEW(double, h.numbers);
    c->dual = SPD_NEW(double, h.duals);
    if (!c->point || !c->number || !c->dual) return spd_fail_memory(err, (double)size);
    uint64_t stored;
    if (fread(c->point, sizeof *c->point, (size_t)h.points, stream) != (size_t)h.points ||
        fread(c->number, sizeof *c->number, (size_t)h.numbers, stream) != (size_t)h.numbers ||
        fread(c->dual, sizeof *c->dual, (size_t)h.duals, stream) != (size_t)h.duals ||
        fread(&stored, sizeof stored, 1, stream) != 1)
        return damaged(path, "it ends too early", err);
    XXH3_state_t *sum = XXH3_createState();
    if (!sum) return spd_fail_memory(err, 1e3);
    XXH3_64bits_reset(sum);
    XXH3_64bits_update(sum, &h, sizeof h);
    XXH3_64bits_update(sum, c->point, (size_t)h.points * sizeof *c->point);
    XXH3_64bits_update(sum, c->number, (size_t)h.numbers * sizeof *c->number);
    XXH3_64bits_update(sum, c->dual, (size_t)h.duals * sizeof *c->dual);
    const bool same = XXH3_64bits_digest(sum) == stored;
    XXH3_freeState(sum);
    if (!same) return damaged(path, "its checksum is wrong", err);
    memcpy(c->hash, h.hash, sizeof h.hash);
    c->stage = h.stage;
    c->k = h.k;
    c->rows_visited = h.rows_visited;
    c->iterations_before = h.iterations_before;
    c->points = h.points;
    c->numbers = h.numbers;
    c->duals = h.duals;
    c->said = h.said;
    c->seconds = h.seconds;
    c->epochs_before = h.epochs_before;
    c->known = h.known;
    c->fresh = h.fresh;
    c->next = h.next;
    return SPDHG_OK;
}

static spdhg_status read_one(spd_checkpoint *c, const char *path, spdhg_error *err) {
    *c = (spd_checkpoint){0};
    FILE *stream = fopen(path, "re");
    if (!stream) return spd_fail_io(err, path, "open");
    struct stat info;
    spdhg_status status;
    if (fstat(fileno(stream), &info) != 0)
        status = spd_fail_io(err, path, "read");
    else
        status = S_ISREG(info.st_mode) ? read_body(c, stream, info.st_size, path, err) : damaged(path, "it is not a file", err);
    fclose(stream);
    if (status != SPDHG_OK) spd_checkpoint_free(c);
    return status;
}

spdhg_status spd_checkpoint_read(spd_checkpoint *c, const char *path, bool *previous, spdhg_error *err) {
    *previous = false;
    const spdhg_status status = read_one(c, path, err);
    if (status != SPDHG_DATA) return status;
    char *older = name_of_previous(path);
    if (!older) return spd_fail_memory(err, 1e3);
    *previous = read_one(c, older, NULL) == SPDHG_OK;
    spd_free(older);
    return *previous ? SPDHG_OK : status;
}

void spd_checkpoint_free(spd_checkpoint *c) {
    spd_free(c->point);
    spd_free(c->number);
    spd_free(c->dual);
    *c = (spd_checkpoint){0};
}

/* folds.c - the fold in which every row is held out: a pure function of (seed, repeat). Rows of a group stay together; groups go,
 * largest first, to the fold with the fewest rows. Without groups, the rows of each class are dealt out in turn in a random
 * order, so the folds differ by at most one row per class. */
#include <stdlib.h>

#include "tune/tune.h"

typedef struct place {
    int64_t key, order, row; /* sorted by key (class or group), then by a random order */
} place;

typedef struct batch {
    int64_t size, order, first; /* a group: its rows are places first..first+size-1 */
} batch;

static int by_key(const void *left, const void *right) {
    const place *a = left, *b = right;
    if (a->key != b->key) return (a->key > b->key) - (a->key < b->key);
    return (a->order > b->order) - (a->order < b->order);
}

static int by_size(const void *left, const void *right) {
    const batch *a = left, *b = right;
    if (a->size != b->size) return (a->size < b->size) - (a->size > b->size);
    return (a->order > b->order) - (a->order < b->order);
}

static spdhg_status place_groups(const place *at, int64_t n, int64_t folds, int32_t *fold, spdhg_error *err) {
    batch *group = SPD_NEW(batch, n);
    int64_t *load = SPD_NEW(int64_t, folds), groups = 0;
    spdhg_status status = group && load ? SPDHG_OK : spd_fail_memory(err, 24.0 * (double)n);
    for (int64_t i = 0; status == SPDHG_OK && i < n; i++) {
        if (i == 0 || at[i].key != at[i - 1].key) group[groups++] = (batch){.order = at[i].order, .first = i};
        group[groups - 1].size++;
    }
    if (status == SPDHG_OK && groups < folds)
        status = spd_fail(err, SPDHG_DATA, "%lld groups are too few for %lld folds", (long long)groups, (long long)folds);
    if (status == SPDHG_OK) qsort(group, (size_t)groups, sizeof *group, by_size);
    for (int64_t g = 0; status == SPDHG_OK && g < groups; g++) {
        int64_t least = 0;
        for (int64_t f = 1; f < folds; f++)
            if (load[f] < load[least]) least = f;
        load[least] += group[g].size;
        for (int64_t i = 0; i < group[g].size; i++) fold[at[group[g].first + i].row] = (int32_t)least;
    }
    spd_free(group);
    spd_free(load);
    return status;
}

static int64_t class_of(const spdhg_problem *p, int64_t i) { return p->loss->classify ? (int64_t)p->b[i * p->targets] : 0; }

static spdhg_status take_given(const spdhg_problem *p, const spdhg_path_options *o, int32_t *fold, spdhg_error *err) {
    int64_t *count = SPD_NEW(int64_t, o->folds);
    spdhg_status status = count ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)o->folds);
    for (int64_t i = 0; status == SPDHG_OK && i < p->n; i++) {
        if (o->fold[i] < 0 || o->fold[i] >= o->folds)
            status = spd_fail(err, SPDHG_DATA, "fold %lld of row %lld is outside 0..%lld", (long long)o->fold[i],
                              (long long)i + 1, (long long)o->folds - 1);
        else
            count[fold[i] = (int32_t)o->fold[i]]++;
    }
    for (int64_t f = 0; status == SPDHG_OK && f < o->folds; f++)
        if (count[f] == 0) status = spd_fail(err, SPDHG_DATA, "fold %lld has no rows", (long long)f);
    spd_free(count);
    return status;
}

/* Splits of any kind: rows may be held out by several of them, or by none. */
static spdhg_status take_parts(const spdhg_problem *p, const spdhg_path_options *o, int32_t *fold, spdhg_error *err) {
    for (int64_t f = 0; f < o->folds; f++) {
        int64_t count[2] = {0, 0};
        for (int64_t i = 0; i < p->n; i++) {
            const signed char part = o->part[f * p->n + i];
            fold[f * p->n + i] = part == 1 ? (int32_t)f : part == 0 ? (int32_t)(f == 0) : -1; /* trained on: any other number */
            if (part == 0 || part == 1) count[part == 1]++;
        }
        if (count[0] == 0 || count[1] == 0)
            return spd_fail(err, SPDHG_DATA, "split %lld has no rows to %s", (long long)f + 1,
                            count[0] == 0 ? "train on" : "hold out");
    }
    return SPDHG_OK;
}

spdhg_status spd_folds_make(const spdhg_problem *p, const spdhg_path_options *o, uint64_t seed, int32_t **out, spdhg_error *err) {
    *out = NULL;
    const int64_t n = p->n;
    if (o->part && (o->folds < 1 || o->repeats != 1 || o->fold))
        return spd_fail(err, SPDHG_USAGE, "given splits must be at least one, with one repeat and without folds");
    if (!o->part && (o->folds < 2 || o->folds > n || o->repeats < 1 || (o->fold && o->repeats > 1)))
        return spd_fail(
            err, SPDHG_USAGE,
            "cross-validation of %lld rows needs 2 to as many folds (--folds, not %lld), at least one repeat, and one for given "
            "folds",
            (long long)n, (long long)o->folds);
    int32_t *fold = SPD_NEW(int32_t, n * (o->part ? o->folds : o->repeats));
    place *at = SPD_NEW(place, n);
    spdhg_status status = fold && at ? SPDHG_OK : spd_fail_memory(err, 28.0 * (double)n);
    if (status == SPDHG_OK && o->fold) status = take_given(p, o, fold, err);
    if (status == SPDHG_OK && o->part) status = take_parts(p, o, fold, err);
    for (int64_t r = 0; status == SPDHG_OK && !o->fold && !o->part && r < o->repeats; r++) {
        for (int64_t i = 0; i < n; i++)
            at[i] = (place){.key = o->group ? o->group[i] : class_of(p, i),
                            .order = spd_permute(seed, SPD_STREAM_FOLD, (uint64_t)r, n, i),
                            .row = i};
        qsort(at, (size_t)n, sizeof *at, by_key);
        if (o->group)
            status = place_groups(at, n, o->folds, fold + r * n, err);
        else
            for (int64_t i = 0; i < n; i++) fold[r * n + at[i].row] = (int32_t)(i % o->folds);
    }
    spd_free(at);
    if (status != SPDHG_OK) {
        spd_free(fold);
        return status;
    }
    *out = fold;
    return SPDHG_OK;
}

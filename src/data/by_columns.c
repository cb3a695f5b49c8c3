/* by_columns.c - a sparse matrix given by columns, as R and others store it. Its rows have addresses from the start and
 * contents when they are read. A pass over all rows makes them from the columns a stretch at a time, and gives the memory back
 * behind it. Reading in another order makes all rows, once, and they stay. Solvers that go by columns use those that were
 * given. */
#include <pthread.h>
#include <stdatomic.h>

#include "data/data.h"
#include "data/pages.h"

enum {
    /* Entries of a stretch: so many of each column, as every column is visited for it; at least 3 MB, at most 12 MB,
     * unless one row has more. */
    EACH_AHEAD = 32,
    ENTRIES_LEAST = 1 << 18,
    ENTRIES_MOST = 1 << 20,
    ROWS_AHEAD = 1 << 16,
    ENTRIES_KEPT = 1 << 21 /* rows of no more than this, 25 MB, are made once: a pass that makes them costs several that do not */
};

struct spd_by_columns {
    spd_columns_given given;
    bool owned; /* row and val that were given are ours */
    spd_pages idx, val;
    int64_t *next;       /* d: the first entry of each column in a row that is not made yet */
    int64_t *place;      /* where the next entry goes of each row of the stretch that is being made */
    int64_t from, to;    /* the rows of the stretch that has contents */
    int passes;          /* 1: there is a pass */
    pthread_mutex_t one; /* at a time: a pass, or a thread that makes all rows */
    atomic_bool whole;
};

const spd_columns_given *spd_data_columns_given(const spdhg_data *data) { return data->by ? &data->by->given : NULL; }

void spd_by_columns_free(spd_by_columns *by) {
    if (!by) return;
    spd_pages_unmap(&by->idx);
    spd_pages_unmap(&by->val);
    if (by->owned) {
        spd_free((void *)(uintptr_t)by->given.row);
        spd_free((void *)(uintptr_t)by->given.val);
    }
    pthread_mutex_destroy(&by->one);
    SPD_FREE_ALL(by->given.ptr, by->next, by->place, by);
}

static void turn_rows(const spdhg_data *data, int64_t from, int64_t to, bool open) {
    const spd_by_columns *by = data->by;
    spd_pages_turn(&by->idx, data->ptr[from], data->ptr[to], open);
    spd_pages_turn(&by->val, data->ptr[from], data->ptr[to], open);
}

static int64_t entries_ahead(const spdhg_data *data) {
    const int64_t wanted = EACH_AHEAD * data->features;
    return wanted < ENTRIES_LEAST ? ENTRIES_LEAST : wanted > ENTRIES_MOST ? ENTRIES_MOST : wanted;
}

/* Contents of the rows that come next, a stretch of them. */
static void make(const spdhg_data *data) {
    spd_by_columns *by = data->by;
    const int64_t from = by->to, most = entries_ahead(data);
    int64_t to = from + 1;
    while (to < data->rows && to - from < ROWS_AHEAD && data->ptr[to + 1] - data->ptr[from] <= most) to++;
    turn_rows(data, from, to, true);
    memcpy(by->place, data->ptr + from, (size_t)(to - from) * sizeof *by->place);
    for (int64_t j = 0; j < data->features; j++) {
        int64_t k = by->next[j];
        for (; k < by->given.ptr[j + 1] && by->given.row[k] < to; k++) {
            const int64_t at = by->place[by->given.row[k] - from]++;
            data->idx[at] = (int32_t)j;
            data->val[at] = by->given.val[k];
        }
        by->next[j] = k;
    }
    by->to = to;
}

static void start_again(const spdhg_data *data) {
    spd_by_columns *by = data->by;
    turn_rows(data, 0, data->rows, false);
    memcpy(by->next, by->given.ptr, (size_t)data->features * sizeof *by->next);
    by->from = by->to = 0;
}

static bool is_whole(const spd_by_columns *by) { return atomic_load_explicit(&by->whole, memory_order_acquire); }

void spd_data_whole(const spdhg_data *data) {
    spd_by_columns *by = data->by;
    if (!by || is_whole(by)) return;
    pthread_mutex_lock(&by->one);
    if (!is_whole(by)) {
        start_again(data);
        while (by->to < data->rows) make(data);
        atomic_store_explicit(&by->whole, true, memory_order_release);
    }
    pthread_mutex_unlock(&by->one);
}

bool spd_data_pass_begin(const spdhg_data *data) {
    spd_by_columns *by = data->by;
    if (!by || is_whole(by)) return false;
    pthread_mutex_lock(&by->one);
    if (by->passes > 0 || data->nnz <= ENTRIES_KEPT) spd_data_whole(data); /* a pass within a pass, or hardly any memory */
    if (is_whole(by)) {
        pthread_mutex_unlock(&by->one);
        return false;
    }
    by->passes = 1;
    start_again(data);
    return true;
}

void spd_data_pass_to(const spdhg_data *data, int64_t row) {
    spd_by_columns *by = data->by;
    if (is_whole(by)) return;
    if (row < by->from) start_again(data);
    while (row >= by->to) {
        turn_rows(data, by->from, by->to, false);
        by->from = by->to;
        make(data);
    }
}

void spd_data_pass_end(const spdhg_data *data) {
    spd_by_columns *by = data->by;
    by->passes = 0;
    if (!is_whole(by)) start_again(data);
    pthread_mutex_unlock(&by->one);
}

/* Columns checked, and the entries of each row counted. */
static spdhg_status count(spdhg_data *data, const spd_columns_given *c, spdhg_error *err) {
    if (c->ptr[0] != 0) return spd_fail(err, SPDHG_DATA, "ptr[0] is %lld, expected 0", (long long)c->ptr[0]);
    for (int64_t j = 0; j < data->features; j++) {
        if (c->ptr[j + 1] < c->ptr[j]) return spd_fail(err, SPDHG_DATA, "column %lld: ptr does not ascend", (long long)j + 1);
        for (int64_t k = c->ptr[j]; k < c->ptr[j + 1]; k++) {
            const int64_t i = c->row[k];
            if (i < 0 || i >= data->rows)
                return spd_fail(err, SPDHG_DATA, "column %lld: row %lld is not in 0..%lld", (long long)j + 1, (long long)i,
                                (long long)data->rows - 1);
            if (k > c->ptr[j] && i <= c->row[k - 1])
                return spd_fail(err, SPDHG_DATA, "column %lld: row %lld does not ascend", (long long)j + 1, (long long)i);
            if (!isfinite(c->val[k]))
                return spd_fail(err, SPDHG_DATA, "row %lld, column %lld is not finite", (long long)i + 1, (long long)j + 1);
            data->ptr[i + 1]++;
        }
    }
    for (int64_t i = 0; i < data->rows; i++) data->ptr[i + 1] += data->ptr[i];
    return SPDHG_OK;
}

static bool make_room(spdhg_data *data, const spd_columns_given *c, bool copy) {
    spd_by_columns *by = data->by = SPD_NEW(spd_by_columns, 1);
    if (!by) return false;
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&by->one, &again);
    pthread_mutexattr_destroy(&again);
    by->owned = copy;
    by->given.ptr = spd_copy(c->ptr, data->features + 1, sizeof *c->ptr);
    by->given.row = copy ? spd_copy(c->row, data->nnz, sizeof *c->row) : c->row;
    by->given.val = copy ? spd_copy(c->val, data->nnz, sizeof *c->val) : c->val;
    by->next = spd_copy(c->ptr, data->features + 1, sizeof *c->ptr);
    by->place = SPD_NEW(int64_t, data->rows < ROWS_AHEAD ? data->rows + 1 : ROWS_AHEAD);
    const bool reserved =
        spd_pages_reserve(&by->idx, data->nnz, sizeof(int32_t)) && spd_pages_reserve(&by->val, data->nnz, sizeof(double));
    data->idx = (int32_t *)(void *)by->idx.block;
    data->val = (double *)(void *)by->val.block;
    return by->given.ptr && by->given.row && by->given.val && by->next && by->place && reserved;
}

spdhg_status spdhg_data_from_csc(spdhg_data **out, int64_t rows, int64_t features, const int64_t *ptr, const int32_t *row,
                                 const double *val, const double *b, int64_t targets, spdhg_ownership ownership,
                                 spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    if (rows < 0 || rows > INT32_MAX || features < 0 || features > INT32_MAX || targets < 0 || !ptr || !row || !val ||
        (targets > 0) != (b != NULL))
        return spd_fail(err, SPDHG_USAGE, "a data set by columns needs ptr, row and val, and b exactly when there are targets");
    spdhg_data *data;
    SPD_TRY(spd_data_new(&data, err));
    const spd_columns_given given = {.ptr = (int64_t *)(uintptr_t)ptr, .row = row, .val = val};
    data->rows = rows;
    data->features = features;
    data->nnz = ptr[features];
    data->targets = targets;
    data->format = "memory";
    spdhg_status status = SPDHG_OK;
    if (!(data->ptr = SPD_NEW(int64_t, rows + 1))) status = spd_fail_memory(err, 8.0 * (double)rows);
    if (status == SPDHG_OK) status = count(data, &given, err);
    if (status == SPDHG_OK && data->nnz != data->ptr[rows])
        status =
            spd_fail(err, SPDHG_DATA, "the last ptr is %lld, expected %lld", (long long)data->nnz, (long long)data->ptr[rows]);
    if (status == SPDHG_OK && !make_room(data, &given, ownership == SPDHG_COPY))
        status = spd_fail_memory(err, spd_data_bytes(data));
    if (status == SPDHG_OK && b && !(data->b = spd_copy(b, rows * targets, sizeof *b)))
        status = spd_fail_memory(err, 8.0 * (double)rows);
    if (status == SPDHG_OK) status = spd_data_check_targets(data, err);
    if (status != SPDHG_OK) {
        spdhg_data_free(data);
        return status;
    }
    *out = data;
    return SPDHG_OK;
}

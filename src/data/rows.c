/* rows.c - arrays that grow within a memory budget, and sorting a row into ascending order.
 * Equal indices keep their order (merge sort), so "last" means the last one in the file. */
#include "data/data.h"

enum { LITTLE = 1 << 26 }; /* bytes: nobody asks what is free for less */

spdhg_status spd_budget_take(spd_budget *budget, double bytes, spdhg_error *err) {
    const double held = (double)budget->held + bytes;
    if (!budget->limit && !budget->free && held > LITTLE) {
        const uint64_t left = spd_memory_free();
        budget->free = left < UINT64_MAX - budget->held ? left + budget->held : UINT64_MAX;
    }
    if (budget->free && held > (double)budget->free)
        return spd_fail(err, SPDHG_MEMORY,
                        "%s: needs at least %.4g MB; %.4g MB of memory is free (--max-memory sets another limit)", budget->path,
                        held / 1e6, (double)budget->free / 1e6);
    if (budget->limit && held > (double)budget->limit)
        return spd_fail(err, SPDHG_MEMORY, "%s: needs at least %.4g MB, the limit is %.4g MB (--max-memory)", budget->path,
                        held / 1e6, (double)budget->limit / 1e6);
    if (held >= 9e18) return spd_fail_memory(err, held);
    budget->held = (uint64_t)held;
    return SPDHG_OK;
}

spdhg_status spd_reserve(void *array, int64_t *capacity, int64_t need, size_t size, spd_budget *budget, spdhg_error *err) {
    if (need <= *capacity) return SPDHG_OK;
    int64_t wish = *capacity + *capacity / 2 + 64;
    if (wish < need) wish = need;
    SPD_TRY(spd_budget_take(budget, (double)(wish - *capacity) * (double)size, err));
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = spd_grow_raw(old, wish, size);
    if (!grown) return spd_fail_memory(err, (double)wish * (double)size);
    memcpy(array, &grown, sizeof grown);
    *capacity = wish;
    return SPDHG_OK;
}

typedef struct entry {
    int32_t index;
    double value;
} entry;

/* Bottom-up merge sort; returns the array that holds the result. */
static entry *merge_sort(entry *from, entry *to, int64_t n) {
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            const int64_t middle = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
            int64_t a = low, b = middle;
            for (int64_t k = low; k < high; k++)
                to[k] = a < middle && (b >= high || from[a].index <= from[b].index) ? from[a++] : from[b++];
        }
        entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

spdhg_status spd_sort_row(int32_t *idx, double *val, int64_t *count, spdhg_duplicates duplicates, int64_t *twice,
                          spdhg_error *err) {
    const int64_t n = *count;
    *twice = -1;
    entry *work = spd_alloc_raw(2 * n, sizeof *work);
    if (!work) return spd_fail_memory(err, 2 * (double)n * sizeof *work);
    for (int64_t k = 0; k < n; k++) work[k] = (entry){idx[k], val[k]};
    const entry *sorted = merge_sort(work, work + n, n);
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++) {
        if (kept > 0 && idx[kept - 1] == sorted[k].index) {
            if (*twice < 0) *twice = sorted[k].index;
            val[kept - 1] = duplicates == SPDHG_DUPLICATES_SUM ? val[kept - 1] + sorted[k].value : sorted[k].value;
        } else {
            idx[kept] = sorted[k].index;
            val[kept++] = sorted[k].value;
        }
    }
    *count = kept;
    spd_free(work);
    return SPDHG_OK;
}

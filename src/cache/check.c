/* check.c - checks the invariants of data.h on a block of a cache file while it is still in the processor's cache.
 * The loops have no branches so that they do not slow down reading. */
#include "cache/layout.h"

/* An exponent of all ones carries into the sign bit: no branch is needed, so the loop runs at memory speed. */
static bool all_finite(const double *value, int64_t count) {
    uint64_t carry = 0;
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &value[k], sizeof bits);
        carry |= (bits & 0x7ff0000000000000u) + 0x0010000000000000u;
    }
    return carry >> 63 == 0;
}

static int64_t first_row_behind(const spdhg_data *data, int64_t entry) { /* the first row that starts after this entry */
    int64_t low = 0, high = data->rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (data->ptr[middle] > entry)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Indices must be in range and ascending except where a row starts: the places that do not ascend are counted, and all of them
 * must be row starts. */
static bool indices_good(const spdhg_data *data, int64_t first, int64_t count) {
    const int32_t *idx = data->idx + first;
    const int32_t most = (int32_t)(data->features - 1);
    int32_t outside = idx[0] < 0 || idx[0] > most, falls = 0;
    for (int64_t k = 1; k < count; k++) {
        outside |= (idx[k] < 0) | (idx[k] > most);
        falls += idx[k] <= idx[k - 1];
    }
    for (int64_t r = first_row_behind(data, first), start = -1; r < data->rows && data->ptr[r] < first + count; r++) {
        if (data->ptr[r] != start)
            falls -= data->idx[data->ptr[r]] <= data->idx[data->ptr[r] - 1]; /* empty rows start at the same place */
        start = data->ptr[r];
    }
    return !outside && falls == 0;
}

static bool codes_good(const spdhg_data *data, int64_t first, int64_t count) {
    for (int64_t k = first; data->labels > 0 && k < first + count; k++)
        if (!(data->b[k] >= 0 && data->b[k] < (double)data->labels && data->b[k] == floor(data->b[k]))) return false;
    return all_finite(data->b + first, count);
}

static bool weights_good(const double *weight, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (!(weight[k] >= 0)) return false;
    return all_finite(weight, count);
}

bool spd_cache_content_good(const spdhg_data *data, const spd_cache_block *block) {
    switch (block->part) {
    case SPD_IDX: return indices_good(data, block->first, block->count);
    case SPD_VAL: return all_finite(data->val + block->first, block->count);
    case SPD_B: return codes_good(data, block->first, block->count);
    case SPD_WEIGHT: return weights_good(data->weight + block->first, block->count);
    case SPD_OFFSET: return all_finite(data->offset + block->first, block->count);
    default: return true;
    }
}

bool spd_cache_rows_good(const spdhg_data *data) {
    bool good = data->ptr[0] == 0 && data->ptr[data->rows] == data->nnz;
    for (int64_t i = 0; i < data->rows; i++) good &= data->ptr[i] <= data->ptr[i + 1];
    return good;
}

bool spd_cache_seam_good(const spdhg_data *data, int64_t entry, int32_t before, int32_t here) {
    return here > before || data->ptr[first_row_behind(data, entry - 1)] == entry;
}

bool spd_cache_seams_good(const spdhg_data *data) {
    const int64_t per_block = SPD_CACHE_BLOCK / (int64_t)sizeof *data->idx;
    for (int64_t k = per_block; k < data->nnz; k += per_block)
        if (!spd_cache_seam_good(data, k, data->idx[k - 1], data->idx[k])) return false;
    return true;
}

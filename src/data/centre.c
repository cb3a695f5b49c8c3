/* centre.c - columns whose values lie far from 0 relative to their spread (time stamps, years) are shifted by a point s_j within
 * their range:
 *     a'x + c = sum_j (a_j - s_j) x_j + c~,   c~ = c + sum_j s_j x_j
 * Both sides are equal in exact arithmetic; the right one does not lose digits to cancellation. */
#include "data/data.h"

spdhg_status spd_centre_new(spd_centre *out, int64_t count, spdhg_error *err) {
    *out = (spd_centre){.count = count, .column = SPD_NEW(int32_t, count), .value = SPD_NEW(double, count)};
    if (out->column && out->value) return SPDHG_OK;
    spd_centre_free(out);
    return spd_fail_memory(err, 12.0 * (double)count);
}

spdhg_status spd_centre_copy(spd_centre *out, const spd_centre *from, spdhg_error *err) {
    *out = (spd_centre){0};
    if (from->count == 0) return SPDHG_OK;
    SPD_TRY(spd_centre_new(out, from->count, err));
    memcpy(out->column, from->column, (size_t)from->count * sizeof *out->column);
    memcpy(out->value, from->value, (size_t)from->count * sizeof *out->value);
    return SPDHG_OK;
}

void spd_centre_free(spd_centre *centre) {
    spd_free(centre->column);
    spd_free(centre->value);
    *centre = (spd_centre){0};
}

void spd_centre_constant(const spd_centre *centre, int64_t K, const double *x, double sign, double *c) {
    for (int64_t e = 0; e < centre->count; e++)
        for (int64_t k = 0; k < K; k++) c[k] += sign * centre->value[e] * x[centre->column[e] * K + k];
}

void spd_centre_score(const spd_centre *centre, const spdhg_data *data, int64_t i, int64_t renumber, int64_t features, int64_t K,
                      const double *x, double *z) {
    const int64_t first = data->idx ? data->ptr[i] : i * data->features;
    const int64_t entries = data->idx ? data->ptr[i + 1] - first : data->features;
    int64_t at = 0;
    for (int64_t q = 0; q <= entries; q++) {
        const int64_t j = q < entries ? (data->idx ? data->idx[first + q] : q) + renumber : features;
        for (; at < centre->count && centre->column[at] < j; at++) /* absent: 0 - s_j */
            for (int64_t k = 0; k < K; k++) z[k] -= centre->value[at] * x[centre->column[at] * K + k];
        if (j >= features) return; /* indices ascend: the remaining ones are unknown too */
        double a = data->val[first + q];
        if (at < centre->count && centre->column[at] == j) a -= centre->value[at++];
        for (int64_t k = 0; k < K; k++) z[k] += a * x[j * K + k];
    }
}

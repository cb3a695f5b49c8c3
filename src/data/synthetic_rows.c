/* synthetic_rows.c - rows a_i of synthetic data: normal series (dense or thinned), correlated clusters, text-like sparse rows.
 *     series:    a_j = rho a_(j-1) + sqrt(1-rho^2) e_j, so that corr(a_j, a_k) = rho^|j-k|
 *     clusters:  a_j = sqrt(rho) g_cluster(j) + sqrt(1-rho) e_j
 *     words:     as many draws as a document has words; word j has probability log((j+2)/(j+1)) / log(d+1) (Zipf)
 * A series with density < 1 keeps each entry with that probability. Rows of words are tf-idf-like, with unit norm. */
#include <stdlib.h>

#include "data/synthetic.h"

void spd_draw_bits(uint64_t seed, spd_draw what, uint64_t position, uint64_t bits[2]) {
    spd_random(seed, SPD_STREAM_SYNTHETIC | (uint64_t)what << 32, position, bits);
}

double spd_draw_normal(uint64_t seed, spd_draw what, uint64_t position) {
    uint64_t bits[2];
    double pair[2];
    spd_draw_bits(seed, what, position / 2, bits);
    spd_normal(bits, pair);
    return pair[position % 2];
}

static void series_row(const spd_synthetic_options *o, int64_t i, double *a) {
    const double rho = o->correlation, rest = sqrt(1 - rho * rho);
    for (int64_t j = 0; j < o->features; j++) {
        const double e = spd_draw_normal(o->seed, SPD_DRAW_VALUE, (uint64_t)i * (uint64_t)o->features + (uint64_t)j);
        a[j] = j == 0 ? e : rho * a[j - 1] + rest * e;
    }
}

static void clusters_row(const spd_synthetic_options *o, int64_t i, double *a) {
    const double common = sqrt(o->correlation), own = sqrt(1 - o->correlation);
    const uint64_t first = (uint64_t)i * (uint64_t)o->features;
    for (int64_t j = 0; j < o->features; j++)
        a[j] = common * spd_draw_normal(o->seed, SPD_DRAW_FACTOR, first + (uint64_t)(j / SPD_CLUSTER)) +
               own * spd_draw_normal(o->seed, SPD_DRAW_VALUE, first + (uint64_t)j);
}

/* The columns of a thinned row by geometric gaps: the cost is proportional to the entries, not to the features. Returns their
 * number. */
static int64_t thinned_row(const spd_synthetic_options *o, int64_t i, int32_t *idx, double *val) {
    const double log_miss = log1p(-o->density);
    const uint64_t first = (uint64_t)i * (uint64_t)o->features;
    int64_t count = 0;
    for (int64_t j = -1;; count++) {
        uint64_t bits[2];
        spd_draw_bits(o->seed, SPD_DRAW_GAP, first + (uint64_t)count, bits);
        const double gap = 1 + floor(log1p(-spd_uniform(bits[0])) / log_miss);
        if (gap >= (double)(o->features - j)) return count;
        j += (int64_t)gap;
        idx[count] = (int32_t)j;
        val[count] = spd_draw_normal(o->seed, SPD_DRAW_VALUE, first + (uint64_t)j);
    }
}

static int by_index(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* A document: its length is log-normal around density * features; at most `features` words are drawn. */
static int64_t words_row(const spd_synthetic_options *o, int64_t i, int32_t *idx, double *val) {
    const double spread = 0.5, d = (double)o->features;
    const double mean =
        o->density * d * exp(spread * spd_draw_normal(o->seed, SPD_DRAW_LENGTH, (uint64_t)i) - spread * spread / 2);
    const int64_t length = (int64_t)fmin(d, fmax(1, round(mean)));
    for (int64_t t = 0; t < length; t++) {
        uint64_t bits[2];
        spd_draw_bits(o->seed, SPD_DRAW_GAP, (uint64_t)i * (uint64_t)o->features + (uint64_t)t, bits);
        idx[t] = (int32_t)fmin(d - 1, floor(exp(spd_uniform(bits[0]) * log(d + 1))) - 1);
    }
    qsort(idx, (size_t)length, sizeof *idx, by_index);
    int64_t count = 0;
    double square = 0;
    for (int64_t t = 0, next; t < length; t = next, count++) {
        for (next = t + 1; next < length && idx[next] == idx[t];) next++;
        idx[count] = idx[t];
        val[count] = (1 + log((double)(next - t))) * (1 + log1p((double)idx[count]));
        square += val[count] * val[count];
    }
    for (int64_t t = 0; t < count; t++) /* six decimals, as usual in files of this kind */
        val[t] = fmax(1, round(1e6 * val[t] / sqrt(square))) / 1e6;
    return count;
}

static spdhg_status dense_rows(spdhg_data *data, const spd_recipe *recipe, const spd_synthetic_options *o, spdhg_error *err) {
    if (__builtin_mul_overflow(o->rows, o->features, &data->nnz) || !(data->val = SPD_NEW(double, data->nnz)))
        return spd_fail_memory(err, 8.0 * (double)o->rows * (double)o->features);
    for (int64_t i = 0; i < o->rows; i++)
        (recipe->rows == SPD_ROWS_CLUSTERS ? clusters_row : series_row)(o, i, data->val + i * o->features);
    return SPDHG_OK;
}

/* Makes room for one more row of at most `row_room` entries. */
static bool make_room(spdhg_data *data, int64_t used, int64_t row_room, int64_t *room) {
    int64_t need;
    if (__builtin_add_overflow(used, row_room, &need)) return false;
    if (need <= *room) return true;
    const int64_t wanted = need > INT64_MAX / 2 ? need : need + need / 2;
    int32_t *idx = spd_grow(data->idx, *room, wanted, sizeof *idx);
    if (idx) data->idx = idx;
    double *val = spd_grow(data->val, *room, wanted, sizeof *val);
    if (val) data->val = val;
    if (idx && val) *room = wanted;
    return idx && val;
}

spdhg_status spd_synthetic_rows(spdhg_data *data, const spd_recipe *recipe, const spd_synthetic_options *o, spdhg_error *err) {
    if (recipe->rows != SPD_ROWS_WORDS && o->density == 1) return dense_rows(data, recipe, o, err);
    int64_t room = 0;
    if (!(data->ptr = SPD_NEW(int64_t, o->rows + 1))) return spd_fail_memory(err, 8.0 * (double)o->rows);
    for (int64_t i = 0; i < o->rows; i++) {
        const int64_t used = data->ptr[i];
        if (!make_room(data, used, o->features, &room)) return spd_fail_memory(err, 12.0 * ((double)used + (double)o->features));
        data->ptr[i + 1] =
            used + (recipe->rows == SPD_ROWS_WORDS ? words_row : thinned_row)(o, i, data->idx + used, data->val + used);
    }
    data->nnz = data->ptr[o->rows];
    return SPDHG_OK;
}

double spd_synthetic_variance(const spd_recipe *recipe, const spd_synthetic_options *o, const double *x, int64_t K) {
    const double rho = o->correlation;
    double sum = 0, before = 0, square = 0, cluster = 0, clusters = 0;
    for (int64_t j = 0; j < o->features; j++) {
        const double now = x[j * K];
        square += now * now;
        sum += now * (now + 2 * rho * before); /* x'Rx with R_jk = rho^|j-k| in one pass */
        before = now + rho * before;
        cluster = j % SPD_CLUSTER == 0 ? now : cluster + now;
        if (j % SPD_CLUSTER == SPD_CLUSTER - 1 || j + 1 == o->features) clusters += cluster * cluster;
    }
    switch (recipe->rows) {
    case SPD_ROWS_SERIES: return o->density < 1 ? o->density * square : sum;
    case SPD_ROWS_CLUSTERS: return rho * clusters + (1 - rho) * square;
    case SPD_ROWS_WORDS: break; /* unit rows: the mean square of the coefficients, as if all words were equally likely */
    }
    return square / (double)o->features;
}

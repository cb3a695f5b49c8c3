/* columns.h - what columns.c and moments.c share. Private to the room. */
#ifndef SPD_GRAPH_COLUMNS_H
#define SPD_GRAPH_COLUMNS_H
#include "graph/graph.h"
#include "ranks/ranks.h"

typedef struct spd_columns_source {
    const spdhg_data *data;
    int64_t *row;   /* the rows of positive weight */
    double *weight; /* scaled by N / sum of the weights; NULL: all 1 */
    int64_t rows, nnz, shards;
    int threads;
    double *mean, *spread; /* spread: sum of squared deviations */
    int64_t *entries;      /* nonzero entries of each column */
} spd_columns_source;

/* Iterates over the nonzero entries of a row, in order; `at` starts at 0. */
static inline bool spd_columns_next(const spd_columns_source *s, int64_t k, int64_t *at, int64_t *column, double *value) {
    const spdhg_data *data = s->data;
    const int64_t i = s->row[k], from = data->idx ? data->ptr[i] : i * data->features;
    const int64_t count = data->idx ? data->ptr[i + 1] - from : data->features;
    while (*at < count) {
        const int64_t p = from + (*at)++;
        if (data->val[p] == 0) continue;
        *column = data->idx ? data->idx[p] : *at - 1;
        *value = data->val[p];
        return true;
    }
    return false;
}

static inline double spd_columns_weight(const spd_columns_source *s, int64_t k) { return s->weight ? s->weight[k] : 1; }

/* ---- moments.c */
spdhg_status spd_columns_measure(spd_columns_source *s, spdhg_error *err);
#endif

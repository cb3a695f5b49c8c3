/* sparse_aside.c - the results of an analysis (sparse_pattern.c): numbering of the rows, setting aside, freeing. An order of
 * elimination takes long, so that one that may still be wanted is not computed twice. */
#include "la/sparse_system.h"

static const double INDEX_MOST = 2147483000; /* the libraries use int32_t indices */

/* Numbers the long rows and counts the products of the short ones. */
bool spd_sparse_number_rows(spd_sparse_pattern *s, int64_t most) {
    int64_t nodes = s->n;
    s->slot_ptr[0] = 0;
    for (int64_t r = 0; r < s->rows; r++) {
        const int64_t size = s->ptr[r + 1] - s->ptr[r];
        s->node[r] = size > most ? (int32_t)nodes++ : -1;
        s->slot_ptr[r + 1] = s->slot_ptr[r] + (size > most ? size : size * (size + 1) / 2);
        if ((double)s->slot_ptr[r + 1] > INDEX_MOST || (double)nodes > INDEX_MOST) return false;
    }
    s->nodes = (int32_t)nodes;
    return true;
}

enum { RESULTS = 6 };
static void results_of(spd_sparse_pattern *s, int32_t **out[RESULTS]) {
    int32_t **const all[RESULTS] = {&s->place, &s->column, &s->above, &s->slot, &s->factor_column, &s->parent};
    memcpy(out, all, sizeof all);
}

void spd_sparse_forget(spd_sparse_pattern *s) {
    int32_t **made[RESULTS];
    results_of(s, made);
    for (int i = 0; i < RESULTS; i++) {
        spd_free(*made[i]);
        *made[i] = NULL;
    }
    s->fill = 0;
    s->work = 0;
}

void spd_sparse_set_aside(spd_sparse_pattern *s, spd_sparse_pattern *results) {
    int32_t **made[RESULTS];
    *results = *s;
    results_of(s, made);
    for (int i = 0; i < RESULTS; i++) *made[i] = NULL;
}

void spd_sparse_take_back(spd_sparse_pattern *s, spd_sparse_pattern *results, int64_t most) {
    int32_t **made[RESULTS];
    spd_sparse_forget(s);
    *s = *results;
    spd_sparse_number_rows(s, most); /* it could be done before */
    results_of(results, made);
    for (int i = 0; i < RESULTS; i++) *made[i] = NULL;
}

/* largest.c - the coefficients of a model in the order in which a reader wants them: those that matter most first. */
#include <stdlib.h>

#include "model/model.h"

typedef struct place {
    double size;
    int64_t at;
} place;

static int by_size(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

spdhg_status spd_model_largest(const spdhg_model *m, int64_t **at, int64_t *count, spdhg_error *err) {
    const int64_t all = m->features * m->outputs;
    int64_t found = 0;
    place *p = SPD_NEW(place, all);
    *at = SPD_NEW(int64_t, all);
    if (!p || !*at) {
        SPD_FREE_ALL(p, *at);
        return spd_fail_memory(err, 24.0 * (double)all);
    }
    for (int64_t i = 0; i < all; i++)
        if (m->x[i] != 0) p[found++] = (place){fabs(m->x[i]) * (m->spread ? m->spread[i / m->outputs] : 1), i};
    qsort(p, (size_t)found, sizeof *p, by_size);
    for (int64_t e = 0; e < found; e++) (*at)[e] = p[e].at;
    spd_free(p);
    *count = found;
    return SPDHG_OK;
}

/* nearest.c - graphs of the correlations themselves: all pairs above a threshold, or the k nearest neighbours of each feature.
 * The nearest features are those with the largest |S_ij| (covariances are divided by the standard deviations first). */
#include <stdlib.h>

#include "graph/graph.h"

static spdhg_status take_all(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err) {
    (void)floor;
    for (int64_t e = 0; e < pairs; e++) SPD_TRY(spd_pair_add(context, pair[e].i, pair[e].j, pair[e].s, err));
    return SPDHG_OK;
}

static spdhg_status learn_correlation(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out,
                                      spdhg_error *err) {
    SPD_TRY(spd_pairs(c, spd_threads(o->threads), fmax(rho, o->threshold), take_all, &out->edge, err));
    if (out->edge.count > 0) qsort(out->edge.pair, (size_t)out->edge.count, sizeof *out->edge.pair, spd_pair_by_place);
    out->converged = true;
    return SPDHG_OK;
}

typedef struct job {
    const spd_columns *c;
    int64_t neighbours;
    spd_pair *best; /* features x neighbours; unused places have i < 0 */
    spdhg_status *status;
} job;

enum { NODES = 16 };

/* The nearest features of j by insertion into a short sorted list; ties go to the smaller index. */
static void nearest(const job *w, int64_t j, const double *S, spd_pair *best) {
    int64_t count = 0;
    for (int64_t k = 0; k < w->c->features; k++) {
        if (k == j || !(w->c->variance[k] > 0) || S[k] == 0) continue;
        const double s = S[k] / sqrt(w->c->variance[k] * w->c->variance[j]);
        if (count == w->neighbours && !(fabs(s) > fabs(best[count - 1].s))) continue;
        int64_t at = count < w->neighbours ? count++ : count - 1;
        for (; at > 0 && fabs(s) > fabs(best[at - 1].s); at--) best[at] = best[at - 1];
        best[at] = (spd_pair){(int32_t)(j < k ? j : k), (int32_t)(j < k ? k : j), s};
    }
    for (; count < w->neighbours; count++) best[count].i = -1;
}

static void block(void *context, int64_t b) {
    const job *w = context;
    const double one = 1;
    double *S = SPD_NEW(double, w->c->features), *t = SPD_NEW(double, w->c->rows);
    w->status[b] = S && t ? SPDHG_OK : SPDHG_MEMORY;
    for (int64_t j = b * NODES; j < (b + 1) * NODES && j < w->c->features && w->status[b] == SPDHG_OK; j++) {
        const int32_t feature = (int32_t)j;
        spd_covariance_times(w->c, 1, &feature, &one, t, S);
        if (!(w->c->variance[j] > 0)) memset(S, 0, (size_t)w->c->features * sizeof *S);
        nearest(w, j, S, w->best + j * w->neighbours);
    }
    spd_free(S);
    spd_free(t);
}

static spdhg_status unite(const job *w, spd_graph *out, spdhg_error *err) {
    const int64_t count = w->c->features * w->neighbours;
    qsort(w->best, (size_t)count, sizeof *w->best, spd_pair_by_place);
    for (int64_t e = 0; e < count; e++)
        if (w->best[e].i >= 0 && (e == 0 || spd_pair_by_place(&w->best[e - 1], &w->best[e]) != 0))
            SPD_TRY(spd_pair_add(&out->edge, w->best[e].i, w->best[e].j, w->best[e].s, err));
    out->converged = true;
    return SPDHG_OK;
}

static spdhg_status learn_knn(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out, spdhg_error *err) {
    (void)rho;
    const int64_t blocks = (c->features + NODES - 1) / NODES, most = c->features > 1 ? c->features - 1 : 1;
    job w = {c, o->neighbours < most ? o->neighbours : most, NULL, SPD_NEW(spdhg_status, blocks)};
    int64_t count;
    if (!__builtin_mul_overflow(c->features, w.neighbours, &count)) w.best = SPD_NEW(spd_pair, count);
    spdhg_status status = w.best && w.status ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)c->features * (double)w.neighbours);
    if (status == SPDHG_OK) spd_parallel(spd_threads(o->threads), blocks, block, &w);
    for (int64_t b = 0; b < blocks && status == SPDHG_OK; b++)
        if (w.status[b] != SPDHG_OK) status = spd_fail_memory(err, 8.0 * (double)c->features);
    if (status == SPDHG_OK) status = unite(&w, out, err);
    spd_free(w.best);
    spd_free(w.status);
    return status;
}

const spd_graph_method spd_method_correlation = {
    .name = "correlation", .help = "an edge where |S_ij| is above rho", .uses_rho = true, .learn = learn_correlation};
const spd_graph_method spd_method_knn = {
    .name = "knn", .help = "each feature and the --neighbours with the largest correlations", .learn = learn_knn};

/* from_precision.c - the matrix F of a learned graph, one row for each edge i < j, ordered by i, then j:
 *     edge       x_i - sign x_j, with the sign of the partial correlation: features that rise together are pulled together
 *     edge+I     the same rows, stacked on the identity
 *     skew       d x d, row i: sum over neighbours j > i of x_j minus those j < i (the paper's code: -tril + triu of the pattern)
 *     precision  Theta itself, d x d. */
#include "graph/graph.h"
#include "structure/structure.h"

static spdhg_status edges(const spd_graph *graph, int64_t extra, spd_csr *F, spdhg_error *err) {
    const int64_t m = graph->edge.count;
    SPD_TRY(spd_csr_new(F, m + extra, graph->nodes, 2 * m + extra, err));
    for (int64_t e = 0; e < m; e++) {
        const spd_pair *pair = &graph->edge.pair[e];
        F->idx[2 * e] = pair->i;
        F->idx[2 * e + 1] = pair->j;
        F->val[2 * e] = 1;
        F->val[2 * e + 1] = pair->s < 0 ? 1 : -1;
        F->ptr[e + 1] = 2 * (e + 1);
    }
    for (int64_t j = 0; j < extra; j++) {
        F->idx[2 * m + j] = (int32_t)j;
        F->val[2 * m + j] = 1;
        F->ptr[m + j + 1] = 2 * m + j + 1;
    }
    return SPDHG_OK;
}

/* A symmetric pattern by rows: columns below i come first and in ascending order, because the edges are sorted. */
static spdhg_status square(const spd_graph *graph, bool precision, spd_csr *F, spdhg_error *err) {
    const int64_t d = graph->nodes, m = graph->edge.count;
    int64_t diagonal = 0, *fill = SPD_NEW(int64_t, d);
    for (int64_t j = 0; precision && j < d; j++) diagonal += graph->diagonal[j] != 0;
    const spdhg_status status = fill ? spd_csr_new(F, d, d, 2 * m + diagonal, err) : spd_fail_memory(err, 8.0 * (double)d);
    for (int64_t j = 0; status == SPDHG_OK && j < d; j++) F->ptr[j + 1] = precision && graph->diagonal[j] != 0;
    for (int64_t e = 0; status == SPDHG_OK && e < m; e++) {
        F->ptr[graph->edge.pair[e].i + 1]++;
        F->ptr[graph->edge.pair[e].j + 1]++;
    }
    for (int64_t j = 0; status == SPDHG_OK && j < d; j++) {
        F->ptr[j + 1] += F->ptr[j];
        fill[j] = F->ptr[j];
    }
    for (int64_t e = 0; status == SPDHG_OK && e < m; e++) { /* below the diagonal */
        const spd_pair *pair = &graph->edge.pair[e];
        F->idx[fill[pair->j]] = pair->i;
        F->val[fill[pair->j]++] = precision ? graph->theta[e] : -1;
    }
    for (int64_t j = 0; status == SPDHG_OK && precision && j < d; j++)
        if (graph->diagonal[j] != 0) {
            F->idx[fill[j]] = (int32_t)j;
            F->val[fill[j]++] = graph->diagonal[j];
        }
    for (int64_t e = 0; status == SPDHG_OK && e < m; e++) {
        const spd_pair *pair = &graph->edge.pair[e];
        F->idx[fill[pair->i]] = pair->j;
        F->val[fill[pair->i]++] = precision ? graph->theta[e] : 1;
    }
    spd_free(fill);
    return status;
}

spdhg_status spd_structure_from_graph(spdhg_structure **out, const spd_graph *graph, const char *form, const char *spec,
                                      spdhg_error *err) {
    SPD_TRY(spd_structure_begin(out, spec, graph->nodes, err));
    spd_csr *F = &(*out)->F;
    const spdhg_status status = strcmp(form, "edge") == 0        ? edges(graph, 0, F, err)
                                : strcmp(form, "edge+I") == 0    ? edges(graph, graph->nodes, F, err)
                                : strcmp(form, "precision") == 0 ? square(graph, true, F, err)
                                                                 : square(graph, false, F, err);
    return spd_structure_finish(out, status, err);
}

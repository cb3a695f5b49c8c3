/* stars.c - stability selection of rho (Liu, Roeder & Wasserman 2010). Let theta_ij be the fraction of the SUBSAMPLES subsamples
 * in which the edge (i, j) is found. The instability is
 *     D(rho) = sum_{i<j} 2 theta_ij (1 - theta_ij) / (d (d-1)/2).
 * The smallest rho is taken for which D <= UNSTABLE there and at all larger rho. */
#include <stdlib.h>

#include "graph/graph.h"

#define UNSTABLE 0.05
enum { SUBSAMPLES = 20 };

/* The size of a subsample: 10 sqrt(N) rows, or 4/5 of them when there are few, as the authors do. */
static int64_t part_of(int64_t rows) { return rows > 144 ? (int64_t)(10 * sqrt((double)rows)) : 4 * rows / 5; }

static spdhg_status add_edges(const spd_graph_request *r, double rho, int64_t *row, int sample, spd_pair_list *found,
                              bool *possible, spdhg_error *err) {
    const int64_t all = r->row ? r->rows : r->data->rows, part = part_of(all);
    for (int64_t k = 0; k < part; k++) {
        const int64_t at = spd_permute(r->o->seed, SPD_STREAM_SPLIT, (uint64_t)sample + 1, all, k);
        row[k] = r->row ? r->row[at] : at;
    }
    spd_columns *c;
    SPD_TRY(spd_columns_new(&c, r->data, row, part, r->o->covariance, spd_threads(r->o->threads), err));
    spd_graph graph = {0};
    spdhg_status status = r->method->learn(c, rho, r->o, &graph, err);
    if (status == SPDHG_USAGE) { /* a subsample has too large a component at this rho, so rho is small enough already */
        *possible = false;
        status = SPDHG_OK;
    }
    for (int64_t e = 0; e < graph.edge.count && status == SPDHG_OK; e++)
        status = spd_pair_add(found, graph.edge.pair[e].i, graph.edge.pair[e].j, 1, err);
    spd_graph_free(&graph);
    spd_columns_free(c);
    return status;
}

static double instability(spd_pair_list *found, int64_t d) {
    double sum = 0;
    if (found->count > 0) qsort(found->pair, (size_t)found->count, sizeof *found->pair, spd_pair_by_place);
    for (int64_t e = 0, next; e < found->count; e = next) {
        for (next = e + 1; next < found->count && spd_pair_by_place(&found->pair[e], &found->pair[next]) == 0;) next++;
        const double theta = (double)(next - e) / SUBSAMPLES;
        sum += 2 * theta * (1 - theta);
    }
    return sum / fmax(1, (double)d * ((double)d - 1) / 2);
}

spdhg_status spd_choose_stars(const spd_graph_request *r, const double grid[SPD_RHO_GRID], double *rho, spdhg_error *err) {
    int64_t *row = SPD_NEW(int64_t, r->data->rows);
    spd_pair_list found = {0};
    spdhg_status status = row ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)r->data->rows);
    bool stable = true;
    *rho = grid[0];
    for (int k = 0; k < SPD_RHO_GRID && stable && status == SPDHG_OK; k++) {
        found.count = 0;
        for (int s = 0; s < SUBSAMPLES && stable && status == SPDHG_OK; s++)
            status = add_edges(r, grid[k], row, s, &found, &stable, err);
        stable = stable && instability(&found, r->c->features) <= UNSTABLE;
        if (stable && status == SPDHG_OK) *rho = grid[k];
    }
    spd_free(found.pair);
    spd_free(row);
    return status;
}

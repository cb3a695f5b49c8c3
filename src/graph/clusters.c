/* clusters.c - parts of a graph with many edges inside and few between them: modularity is raised by moving one node at a time,
 * then clusters become the nodes of a smaller graph (Blondel, Guillaume, Lambiotte & Lefebvre 2008). For a node i and a cluster C
 * the gain is, with m edges in all, e(i, C) between them and degrees k,
 *     e(i, C) - k_i k_C / 2m
 * Nodes are visited in their order, and a tie keeps the first: the same graph always gives the same clusters. */
#include <stdlib.h>

#include "graph/graph.h"

enum { SWEEPS = 20 };

/* A graph of clusters: every pair once, s counts its edges; i = j: edges inside. */
typedef struct level {
    int64_t nodes, pairs;
    spd_pair *pair;
    int64_t *first;   /* nodes + 1: where the neighbours of a node start */
    int32_t *other;   /* neighbours */
    double *weight;   /* edges to each of them */
    double *degree;   /* of a node */
    double *inside;   /* degrees in each cluster, summed */
    double *to;       /* edges from one node to each cluster; 0 between visits */
    int32_t *cluster; /* of each node */
    double all;       /* 2m */
} level;

static bool open_level(level *l, int64_t nodes, spd_pair *pair, int64_t pairs) {
    *l = (level){.nodes = nodes,
                 .pairs = pairs,
                 .pair = pair,
                 .first = SPD_NEW(int64_t, nodes + 2),
                 .other = SPD_NEW(int32_t, 2 * pairs),
                 .weight = SPD_NEW(double, 2 * pairs),
                 .degree = SPD_NEW(double, nodes),
                 .inside = SPD_NEW(double, nodes),
                 .to = SPD_NEW(double, nodes),
                 .cluster = SPD_NEW(int32_t, nodes)};
    if (!(l->first && l->other && l->weight && l->degree && l->inside && l->to && l->cluster)) return false;
    for (int64_t e = 0; e < pairs; e++) {
        l->degree[pair[e].i] += pair[e].s;
        l->degree[pair[e].j] += pair[e].s;
        l->all += 2 * pair[e].s;
        if (pair[e].i == pair[e].j) continue;
        l->first[pair[e].i + 2]++;
        l->first[pair[e].j + 2]++;
    }
    for (int64_t a = 0; a < nodes; a++) l->first[a + 2] += l->first[a + 1];
    for (int64_t e = 0; e < pairs; e++) {
        const int32_t end[2] = {pair[e].i, pair[e].j};
        for (int k = 0; k < 2 && end[0] != end[1]; k++) {
            const int64_t at = l->first[end[k] + 1]++;
            l->other[at] = end[1 - k];
            l->weight[at] = pair[e].s;
        }
    }
    for (int64_t a = 0; a < nodes; a++) {
        l->cluster[a] = (int32_t)a;
        l->inside[a] = l->degree[a];
    }
    return true;
}

static void close_level(level *l) { SPD_FREE_ALL(l->first, l->other, l->weight, l->degree, l->inside, l->to, l->cluster); }

/* Moves node a to the cluster of greatest gain; whether it moved. */
static bool move_node(level *l, int64_t a) {
    const int32_t from = l->cluster[a];
    int32_t best = from;
    for (int64_t p = l->first[a]; p < l->first[a + 1]; p++) l->to[l->cluster[l->other[p]]] += l->weight[p];
    l->inside[from] -= l->degree[a];
    double most = l->to[from] - l->degree[a] * l->inside[from] / l->all;
    for (int64_t p = l->first[a]; p < l->first[a + 1]; p++) {
        const int32_t c = l->cluster[l->other[p]];
        const double gain = l->to[c] - l->degree[a] * l->inside[c] / l->all;
        if (gain > most + 1e-9) {
            most = gain;
            best = c;
        }
    }
    for (int64_t p = l->first[a]; p < l->first[a + 1]; p++) l->to[l->cluster[l->other[p]]] = 0;
    l->inside[best] += l->degree[a];
    l->cluster[a] = best;
    return best != from;
}

/* Numbers the clusters from 0 and makes them the nodes: pairs between the same two are added up. */
static void merge(level *l, int64_t *nodes, int64_t *pairs) {
    int64_t *number = l->first; /* not needed any more */
    for (int64_t a = 0; a < l->nodes; a++) number[a] = -1;
    *nodes = 0;
    for (int64_t a = 0; a < l->nodes; a++) {
        if (number[l->cluster[a]] < 0) number[l->cluster[a]] = (*nodes)++;
        l->cluster[a] = (int32_t)number[l->cluster[a]];
    }
    for (int64_t e = 0; e < l->pairs; e++) {
        const int32_t i = l->cluster[l->pair[e].i], j = l->cluster[l->pair[e].j];
        l->pair[e] = (spd_pair){i < j ? i : j, i < j ? j : i, l->pair[e].s};
    }
    if (l->pairs > 0) qsort(l->pair, (size_t)l->pairs, sizeof *l->pair, spd_pair_by_place);
    *pairs = 0;
    for (int64_t e = 0; e < l->pairs; e++) {
        spd_pair *last = *pairs > 0 ? &l->pair[*pairs - 1] : NULL;
        if (last && last->i == l->pair[e].i && last->j == l->pair[e].j)
            last->s += l->pair[e].s;
        else
            l->pair[(*pairs)++] = l->pair[e];
    }
}

spdhg_status spd_clusters_of(int64_t nodes, const spd_pair *pair, int64_t pairs, int32_t *home, int64_t *count,
                             spdhg_error *err) {
    spd_pair *left = spd_copy(pair, pairs, sizeof *pair);
    bool good = left != NULL, moved = true;
    for (int64_t e = 0; good && e < pairs; e++) left[e].s = 1;
    for (int64_t a = 0; a < nodes; a++) home[a] = (int32_t)a;
    *count = nodes;
    while (good && moved && *count > 0) {
        level l;
        int64_t fewer;
        good = open_level(&l, *count, left, pairs);
        bool more = good;
        for (int sweep = 0; more && sweep < SWEEPS; sweep++) {
            more = false;
            for (int64_t a = 0; a < l.nodes; a++) more = (l.all > 0 && move_node(&l, a)) || more;
        }
        if (good) {
            merge(&l, &fewer, &pairs);
            for (int64_t a = 0; a < nodes; a++) home[a] = l.cluster[home[a]];
            moved = fewer < *count;
            *count = fewer;
        }
        close_level(&l);
    }
    spd_free(left);
    return good ? SPDHG_OK : spd_fail_memory(err, 40.0 * (double)(nodes + pairs));
}

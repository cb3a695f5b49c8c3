/* layout.c - places a graph by springs and charges (Fruchterman & Reingold 1991): the ends of an edge attract each other with
 * force r^2, all nodes of a component repel each other with 1/r, everything is pulled gently to the middle, and steps shrink.
 * Edges between clusters pull less, so that clusters are drawn apart.
 * Components are drawn one by one, each starting from a spiral, and placed side by side on shelves. Nothing is random: the same
 * graph always gives the same picture. */
#include <stdlib.h>

#include "graph/graph.h"

enum { ROUNDS_MOST = 400, ROUNDS_LEAST = 120, SMALL = 400 }; /* rounds for a graph of up to SMALL nodes, and for large ones */
#define BETWEEN 0.1                                          /* the pull of an edge between clusters, as part of one inside */
#define GOLDEN_ANGLE 2.399963229728653
#define APART 2.0 /* distance between components, in units of the distance between neighbours */

static spdhg_status choose(spd_layout *out, const spd_graph *graph, int64_t most, spdhg_error *err) {
    int32_t *node = SPD_NEW(int32_t, graph->nodes); /* index in the drawing plus 1 */
    out->pair = spd_copy(graph->edge.pair, graph->edge.count, sizeof *out->pair);
    out->feature = SPD_NEW(int32_t, most + 1);
    out->degree = SPD_NEW(int64_t, most + 1);
    const bool good = node && out->pair && out->feature && out->degree;
    if (good && graph->edge.count > 0) qsort(out->pair, (size_t)graph->edge.count, sizeof *out->pair, spd_pair_by_size);
    for (int64_t e = 0; good && e < graph->edge.count; e++) {
        spd_pair pair = out->pair[e];
        if (out->nodes + (node[pair.i] == 0) + (node[pair.j] == 0) > most) continue; /* later edges may join drawn nodes */
        int32_t *const end[2] = {&pair.i, &pair.j};
        for (int k = 0; k < 2; k++) {
            if (node[*end[k]] == 0) {
                out->feature[out->nodes++] = *end[k];
                node[*end[k]] = (int32_t)out->nodes;
            }
            *end[k] = node[*end[k]] - 1;
            out->degree[*end[k]]++;
        }
        out->pair[out->edges++] = pair;
    }
    spd_free(node);
    return good ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)graph->edge.count + 4.0 * (double)graph->nodes);
}

/* The forces in one component: its nodes are list[0..count); fx and fy have entries for all nodes. */
static void forces(const spd_layout *l, const int32_t *list, int64_t count, double *fx, double *fy) {
    for (int64_t p = 0; p < count; p++) {
        fx[list[p]] = -0.08 * l->x[list[p]];
        fy[list[p]] = -0.08 * l->y[list[p]];
    }
    for (int64_t p = 0; p < count; p++)
        for (int64_t q = p + 1; q < count; q++) {
            const int32_t a = list[p], b = list[q];
            const double dx = l->x[a] - l->x[b], dy = l->y[a] - l->y[b], push = 1 / fmax(1e-6, dx * dx + dy * dy);
            fx[a] += push * dx;
            fy[a] += push * dy;
            fx[b] -= push * dx;
            fy[b] -= push * dy;
        }
}

/* Adds the pull of every edge. */
static void springs(const spd_layout *l, double *fx, double *fy) {
    for (int64_t e = 0; e < l->edges; e++) {
        const int32_t a = l->pair[e].i, b = l->pair[e].j;
        const double dx = l->x[a] - l->x[b], dy = l->y[a] - l->y[b], near = l->cluster[a] == l->cluster[b] ? 1 : BETWEEN;
        const double pull = near * sqrt(dx * dx + dy * dy);
        fx[a] -= pull * dx;
        fy[a] -= pull * dy;
        fx[b] += pull * dx;
        fy[b] += pull * dy;
    }
}

static void relax(spd_layout *l, const spd_components *parts, double *fx, double *fy) {
    for (int64_t at = 0; at < l->nodes; at++) {
        const double turn = (double)parts->place[at], radius = sqrt(turn + 0.5);
        l->x[at] = radius * cos(GOLDEN_ANGLE * turn);
        l->y[at] = radius * sin(GOLDEN_ANGLE * turn);
    }
    const int64_t fewer = (int64_t)ROUNDS_MOST * SMALL / (l->nodes + 1);
    const int64_t rounds = l->nodes <= SMALL ? ROUNDS_MOST : fewer > ROUNDS_LEAST ? fewer : ROUNDS_LEAST;
    for (int64_t round_ = 0; round_ < rounds; round_++) {
        const double most = 2 * pow(1 - (double)round_ / (double)rounds, 1.5) + 1e-3;
        for (int64_t p = 0; p < parts->count; p++)
            forces(l, parts->list + parts->first[p], parts->first[p + 1] - parts->first[p], fx, fy);
        springs(l, fx, fy);
        for (int64_t a = 0; a < l->nodes; a++) {
            const double size = sqrt(fx[a] * fx[a] + fy[a] * fy[a]), step = size > most ? most / size : 1;
            l->x[a] += step * fx[a];
            l->y[a] += step * fy[a];
        }
    }
}

typedef struct box {
    double low[2], size[2];
} box;

static box bounds(const spd_layout *l, const int32_t *list, int64_t count) {
    box b = {{INFINITY, INFINITY}, {0, 0}};
    for (int64_t p = 0; p < count; p++) {
        b.low[0] = fmin(b.low[0], l->x[list[p]]);
        b.low[1] = fmin(b.low[1], l->y[list[p]]);
    }
    for (int64_t p = 0; p < count; p++) {
        b.size[0] = fmax(b.size[0], l->x[list[p]] - b.low[0]);
        b.size[1] = fmax(b.size[1], l->y[list[p]] - b.low[1]);
    }
    return b;
}

/* Scales a component so that the average distance to the nearest neighbour is 1: dense ones get the space they need. */
static void spread(spd_layout *l, const int32_t *list, int64_t count) {
    double sum = 0;
    for (int64_t p = 0; p < count; p++) {
        double nearest = INFINITY;
        for (int64_t q = 0; q < count; q++)
            if (q != p) nearest = fmin(nearest, hypot(l->x[list[p]] - l->x[list[q]], l->y[list[p]] - l->y[list[q]]));
        sum += isfinite(nearest) ? nearest : 0;
    }
    for (int64_t p = 0; p < count && sum > 0; p++) {
        l->x[list[p]] *= (double)count / sum;
        l->y[list[p]] *= (double)count / sum;
    }
}

/* Places components side by side, the largest first, on shelves whose width gives the picture its aspect ratio; each is centred
 * vertically on its shelf. */
static void shelve(spd_layout *l, const spd_components *parts, double aspect) {
    double area = 0, right = 0, top = 0, high = 0;
    for (int64_t p = 0; p < parts->count; p++) {
        const int32_t *list = parts->list + parts->first[p];
        const int64_t count = parts->first[p + 1] - parts->first[p];
        spread(l, list, count);
        const box b = bounds(l, list, count);
        area += (b.size[0] + APART) * (b.size[1] + APART);
    }
    const double wide = sqrt(area * aspect);
    for (int64_t p = 0; p < parts->count; p++) {
        const int32_t *list = parts->list + parts->first[p];
        const int64_t count = parts->first[p + 1] - parts->first[p];
        const box b = bounds(l, list, count);
        if (right > 0 && right + 0.5 * b.size[0] > wide) {
            top += high + APART;
            right = high = 0;
        }
        if (high == 0) high = b.size[1];
        for (int64_t q = 0; q < count; q++) {
            l->x[list[q]] += right - b.low[0];
            l->y[list[q]] += top + 0.5 * (high - b.size[1]) - b.low[1];
        }
        right += b.size[0] + APART;
    }
}

static double fit_box(const spd_layout *l, double *x, double length) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t a = 0; a < l->nodes; a++) {
        low = fmin(low, x[a]);
        high = fmax(high, x[a]);
    }
    for (int64_t a = 0; a < l->nodes; a++) x[a] = high > low ? length * (x[a] - low) / (high - low) : length / 2;
    return high > low ? length / (high - low) : length;
}

spdhg_status spd_layout_new(spd_layout *out, const spd_graph *graph, int64_t most, double width, double height,
                            spdhg_error *err) {
    *out = (spd_layout){0};
    spd_components parts = {0};
    spdhg_status status = choose(out, graph, most, err);
    double *fx = SPD_NEW(double, out->nodes), *fy = SPD_NEW(double, out->nodes);
    int64_t clusters;
    out->cluster = SPD_NEW(int32_t, out->nodes);
    out->x = SPD_NEW(double, out->nodes);
    out->y = SPD_NEW(double, out->nodes);
    if (status == SPDHG_OK && !(fx && fy && out->cluster && out->x && out->y))
        status = spd_fail_memory(err, 32.0 * (double)out->nodes);
    if (status == SPDHG_OK) status = spd_clusters_of(out->nodes, out->pair, out->edges, out->cluster, &clusters, err);
    if (status == SPDHG_OK) status = spd_components_of(out->nodes, out->pair, out->edges, &parts, err);
    if (status == SPDHG_OK) {
        relax(out, &parts, fx, fy);
        shelve(out, &parts, width / height);
        out->unit = fmin(fit_box(out, out->x, width), fit_box(out, out->y, height));
        spd_components_free(&parts);
    } else
        spd_layout_free(out);
    spd_free(fx);
    spd_free(fy);
    return status;
}

void spd_layout_free(spd_layout *layout) {
    spd_free(layout->feature);
    spd_free(layout->degree);
    spd_free(layout->cluster);
    spd_free(layout->x);
    spd_free(layout->y);
    spd_free(layout->pair);
    *layout = (spd_layout){0};
}

spdhg_status spd_graph_of_rows(const spd_csr *F, spd_graph *graph, spdhg_error *err) {
    graph->nodes = F->n;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_row row;
        spd_csr_take(F, e, &row);
        if (row.n == 2) SPD_TRY(spd_pair_add(&graph->edge, row.idx[0], row.idx[1], -row.val[0] * row.val[1], err));
    }
    return SPDHG_OK;
}

/* layout.c - a drawing of a graph by springs and charges (Fruchterman & Reingold 1991): ends of an edge attract with force r^2/k,
 * all nodes repel with k^2/r, everything is drawn gently to the middle; steps shrink. It starts on a spiral, components in turn,
 * and nothing in it is random: the same graph is the same picture. */
#include <stdlib.h>

#include "report/graph_page.h"

enum { ROUNDS = 400 };
#define GOLDEN_ANGLE 2.399963229728653

static spdhg_status choose(spd_layout *out, const spd_graph *graph, int64_t most, spdhg_error *err) {
    int32_t *node = SPD_NEW(int32_t, graph->nodes); /* its number in the drawing plus 1 */
    out->pair = spd_copy(graph->edge.pair, graph->edge.count, sizeof *out->pair);
    out->feature = SPD_NEW(int32_t, most + 1);
    out->degree = SPD_NEW(int64_t, most + 1);
    const bool good = node && out->pair && out->feature && out->degree;
    if (good && graph->edge.count > 0) qsort(out->pair, (size_t)graph->edge.count, sizeof *out->pair, spd_pair_by_size);
    for (int64_t e = 0; good && e < graph->edge.count; e++) {
        spd_pair pair = out->pair[e];
        if (out->nodes + (node[pair.i] == 0) + (node[pair.j] == 0) > most) continue; /* later edges may lie within the drawing */
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

/* On a spiral, component after component, so that they do not start entangled. */
static spdhg_status place(spd_layout *l, double k, spdhg_error *err) {
    spd_components parts;
    SPD_TRY(spd_components_of(l->nodes, l->pair, l->edges, &parts, err));
    for (int64_t at = 0; at < l->nodes; at++) {
        const double radius = k * sqrt((double)at + 0.5);
        l->x[parts.list[at]] = radius * cos(GOLDEN_ANGLE * (double)at);
        l->y[parts.list[at]] = radius * sin(GOLDEN_ANGLE * (double)at);
    }
    spd_components_free(&parts);
    return SPDHG_OK;
}

static void forces(const spd_layout *l, double k, double *fx, double *fy) {
    for (int64_t a = 0; a < l->nodes; a++) {
        fx[a] = -0.08 * l->x[a];
        fy[a] = -0.08 * l->y[a];
    }
    for (int64_t a = 0; a < l->nodes; a++)
        for (int64_t b = a + 1; b < l->nodes; b++) {
            const double dx = l->x[a] - l->x[b], dy = l->y[a] - l->y[b], push = k * k / fmax(1e-6, dx * dx + dy * dy);
            fx[a] += push * dx;
            fy[a] += push * dy;
            fx[b] -= push * dx;
            fy[b] -= push * dy;
        }
    for (int64_t e = 0; e < l->edges; e++) {
        const int32_t a = l->pair[e].i, b = l->pair[e].j;
        const double dx = l->x[a] - l->x[b], dy = l->y[a] - l->y[b], pull = sqrt(dx * dx + dy * dy) / k;
        fx[a] -= pull * dx;
        fy[a] -= pull * dy;
        fx[b] += pull * dx;
        fy[b] += pull * dy;
    }
}

static void relax(spd_layout *l, double k, double *fx, double *fy) {
    for (int round_ = 0; round_ < ROUNDS; round_++) {
        const double most = 2 * k * pow(1 - (double)round_ / ROUNDS, 1.5) + 1e-3;
        forces(l, k, fx, fy);
        for (int64_t a = 0; a < l->nodes; a++) {
            const double size = sqrt(fx[a] * fx[a] + fy[a] * fy[a]), step = size > most ? most / size : 1;
            l->x[a] += step * fx[a];
            l->y[a] += step * fy[a];
        }
    }
}

static void fit_box(const spd_layout *l, double *x, double length) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t a = 0; a < l->nodes; a++) {
        low = fmin(low, x[a]);
        high = fmax(high, x[a]);
    }
    for (int64_t a = 0; a < l->nodes; a++) x[a] = high > low ? length * (x[a] - low) / (high - low) : length / 2;
}

spdhg_status spd_layout_new(spd_layout *out, const spd_graph *graph, int64_t most, double width, double height,
                            spdhg_error *err) {
    *out = (spd_layout){0};
    spdhg_status status = choose(out, graph, most, err);
    const double k = 1; /* the length of a spring; the box scales it */
    double *fx = SPD_NEW(double, out->nodes), *fy = SPD_NEW(double, out->nodes);
    out->x = SPD_NEW(double, out->nodes);
    out->y = SPD_NEW(double, out->nodes);
    if (status == SPDHG_OK && !(fx && fy && out->x && out->y)) status = spd_fail_memory(err, 32.0 * (double)out->nodes);
    if (status == SPDHG_OK) status = place(out, k, err);
    if (status == SPDHG_OK) {
        relax(out, k, fx, fy);
        fit_box(out, out->x, width);
        fit_box(out, out->y, height);
    } else
        spd_layout_free(out);
    spd_free(fx);
    spd_free(fy);
    return status;
}

void spd_layout_free(spd_layout *layout) {
    spd_free(layout->feature);
    spd_free(layout->degree);
    spd_free(layout->x);
    spd_free(layout->y);
    spd_free(layout->pair);
    *layout = (spd_layout){0};
}

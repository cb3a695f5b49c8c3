/* graph_drawing.c - a graph as inline SVG: edges by sign and strength, nodes by degree, hubs with their names; of a large graph
 * the strongest edges. */
#include "report/graph_page.h"

enum { MOST_NODES = 400, NAMED_NODES = 40, WIDE = 1160, HIGH = 760, MARGIN = 40 };

const char *spd_node_name(const spd_node_names *names, int64_t feature, char text[SPD_SHORT]) {
    if (names->name) return names->name[feature];
    return spd_html_count(text, feature + names->index_base);
}

static void draw_nodes(FILE *out, const spd_node_names *names, const spd_layout *l) {
    char text[SPD_SHORT];
    const double small = l->nodes > 150 ? 2.5 : 4;
    int64_t named = 0;
    for (int64_t a = 0; a < l->nodes; a++)
        spd_html(out, "<circle class='dot a' cx='~' cy='~' r='~'><title>@</title></circle>", l->x[a], l->y[a],
                 small + 1.2 * sqrt((double)l->degree[a]), spd_node_name(names, l->feature[a], text));
    int64_t least = 1; /* the degree from which on a node is named: few enough of them */
    for (;; least++) {
        named = 0;
        for (int64_t a = 0; a < l->nodes; a++) named += l->degree[a] >= least;
        if (named <= NAMED_NODES) break;
    }
    for (int64_t a = 0; a < l->nodes; a++)
        if (l->degree[a] >= least)
            spd_html(out, "<text class='title' text-anchor='middle' x='~' y='~'>@</text>", l->x[a],
                     l->y[a] - 4 - small - 1.2 * sqrt((double)l->degree[a]), spd_node_name(names, l->feature[a], text));
}

spdhg_status spd_graph_draw(FILE *out, const spd_graph *graph, const spd_node_names *names, spdhg_error *err) {
    if (graph->edge.count == 0) {
        spd_html(out, "<p>There is no edge to draw.</p>\n");
        return SPDHG_OK;
    }
    spd_layout l;
    SPD_TRY(spd_layout_new(&l, graph, MOST_NODES, WIDE - 2 * MARGIN, HIGH - 2 * MARGIN, err));
    char drawn[SPD_SHORT], nodes[SPD_SHORT], all[SPD_SHORT];
    if (l.edges < graph->edge.count)
        spd_html(out,
                 "<p>It is too large to look at as a whole: drawn are @ of its @ edges, between the @ features of the strongest "
                 "ones.</p>\n",
                 spd_html_count(drawn, l.edges), spd_html_count(all, graph->edge.count), spd_html_count(nodes, l.nodes));
    spd_html(out, "<svg class='network' viewBox='~ ~ ~ ~' role='img' aria-label='the learned graph'>", -(double)MARGIN,
             -(double)MARGIN, (double)WIDE, (double)HIGH);
    const double strongest = fmax(1e-300, fabs(l.pair[0].s)); /* layouts list the strongest edge first */
    for (int64_t e = 0; e < l.edges; e++) {
        const spd_pair *pair = &l.pair[e];
        spd_html(out, "<line class='curve @' stroke-opacity='~' x1='~' y1='~' x2='~' y2='~'/>", pair->s < 0 ? "b" : "a",
                 0.2 + 0.6 * fabs(pair->s) / strongest, l.x[pair->i], l.y[pair->i], l.x[pair->j], l.y[pair->j]);
    }
    draw_nodes(out, names, &l);
    spd_html(out, "</svg>\n<p class='faint'>Blue edges: the features rise together. Orange: one rises as the other falls. "
                  "Strong edges are darker, hubs are larger; point at a node to see its name.</p>\n");
    spd_layout_free(&l);
    return SPDHG_OK;
}

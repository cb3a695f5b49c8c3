/* graph_page.c - the page about a learned graph: size in one sentence, numbers, the drawing, hubs, degrees, settings, command. */
#include "report/graph_page.h"

#include "report/page.h"

enum { MOST_NODES = 400, NAMED_NODES = 40, WIDE = 1160, HIGH = 760, MARGIN = 40, DEGREES = 64 };

static void sentence(FILE *out, const spd_graph_page *p) {
    const spdhg_graph_report *r = p->report;
    char nodes[SPD_SHORT], edges[SPD_SHORT], rows[SPD_SHORT], components[SPD_SHORT], alone[SPD_SHORT];
    spd_html(out, "<p>@ edges between @ features, learned from @ rows by the method @. ", spd_html_count(edges, r->edges),
             spd_html_count(nodes, r->nodes), spd_html_count(rows, r->rows), p->options->method);
    spd_html(out, "Components of at least two features: @; features without an edge: @.</p></header>\n",
             spd_html_count(components, r->components), spd_html_count(alone, r->isolated));
}

static void tiles(FILE *out, const spd_graph_page *p) {
    const spdhg_graph_report *r = p->report;
    spd_html(out, "<section class='tiles'>");
    spd_page_tile(out, "edges", (double)r->edges, 7, 1, "");
    spd_page_tile(out, "largest component", r->edges ? (double)r->largest : 0, 7, 1, "");
    spd_page_tile(out, "mean degree", r->mean_degree, 3, 1, "");
    spd_page_tile(out, "largest degree", r->hubs ? (double)r->hub_degree[0] : 0, 7, 1, "");
    spd_page_tile(out, "rho", r->rho, 4, 1, "");
    spd_page_tile(out, "duality gap", r->gap, 3, 1, "");
    spd_page_tile(out, "norm of F", r->norm, 4, 1, "");
    spd_html(out, "</section>\n");
}

static const char *name_of(const spd_graph_page *p, int64_t feature, char text[SPD_SHORT]) {
    if (p->data->name) return p->data->name[feature];
    return spd_html_count(text, feature + p->data->index_base);
}

static void draw_nodes(FILE *out, const spd_graph_page *p, const spd_layout *l) {
    char text[SPD_SHORT];
    const double small = l->nodes > 150 ? 2.5 : 4;
    int64_t named = 0;
    for (int64_t a = 0; a < l->nodes; a++)
        spd_html(out, "<circle class='dot a' cx='~' cy='~' r='~'><title>@</title></circle>", l->x[a], l->y[a],
                 small + 1.2 * sqrt((double)l->degree[a]), name_of(p, l->feature[a], text));
    int64_t least = 1; /* the degree from which on a node is named: few enough of them */
    for (;; least++) {
        named = 0;
        for (int64_t a = 0; a < l->nodes; a++) named += l->degree[a] >= least;
        if (named <= NAMED_NODES) break;
    }
    for (int64_t a = 0; a < l->nodes; a++)
        if (l->degree[a] >= least)
            spd_html(out, "<text class='title' text-anchor='middle' x='~' y='~'>@</text>", l->x[a],
                     l->y[a] - 4 - small - 1.2 * sqrt((double)l->degree[a]), name_of(p, l->feature[a], text));
}

static spdhg_status drawing(FILE *out, const spd_graph_page *p, spdhg_error *err) {
    if (p->graph->edge.count == 0) {
        spd_html(out, "<p>There is no edge to draw.</p>\n");
        return SPDHG_OK;
    }
    spd_layout l;
    SPD_TRY(spd_layout_new(&l, p->graph, MOST_NODES, WIDE - 2 * MARGIN, HIGH - 2 * MARGIN, err));
    char drawn[SPD_SHORT], nodes[SPD_SHORT], all[SPD_SHORT];
    spd_html(out, "<h2>The graph</h2>\n");
    if (l.edges < p->graph->edge.count)
        spd_html(out,
                 "<p>It is too large to look at as a whole: drawn are @ of its @ edges, between the @ features of the strongest "
                 "ones.</p>\n",
                 spd_html_count(drawn, l.edges), spd_html_count(all, p->graph->edge.count), spd_html_count(nodes, l.nodes));
    spd_html(out, "<svg class='network' viewBox='~ ~ ~ ~' role='img' aria-label='the learned graph'>", -(double)MARGIN,
             -(double)MARGIN, (double)WIDE, (double)HIGH);
    const double strongest = fmax(1e-300, fabs(l.pair[0].s)); /* layouts list the strongest edge first */
    for (int64_t e = 0; e < l.edges; e++) {
        const spd_pair *pair = &l.pair[e];
        spd_html(out, "<line class='curve @' stroke-opacity='~' x1='~' y1='~' x2='~' y2='~'/>", pair->s < 0 ? "b" : "a",
                 0.2 + 0.6 * fabs(pair->s) / strongest, l.x[pair->i], l.y[pair->i], l.x[pair->j], l.y[pair->j]);
    }
    draw_nodes(out, p, &l);
    spd_html(out, "</svg>\n<p class='faint'>Blue edges: the features rise together. Orange: one rises as the other falls. "
                  "Strong edges are darker, hubs are larger; point at a node to see its name.</p>\n");
    spd_layout_free(&l);
    return SPDHG_OK;
}

static void hubs(FILE *out, const spd_graph_page *p) {
    const spdhg_graph_report *r = p->report;
    char text[SPD_SHORT];
    if (r->hubs == 0) return;
    spd_html(out, "<h2>Hubs</h2>\n<table class='narrow'>");
    for (int64_t k = 0; k < r->hubs; k++) {
        spd_html(out, "<tr><th>@<bdi>@</bdi></th>", p->data->name ? "" : "feature ", name_of(p, r->hub[k], text));
        spd_html(out, "<td class='r'>@ edges</td></tr>\n", spd_html_count(text, r->hub_degree[k]));
    }
    spd_html(out, "</table>\n");
}

/* How many features have so many edges, in classes 1, 2, 3, 4-7, 8-15, ... */
static spdhg_status degrees(FILE *out, const spd_graph_page *p, spdhg_error *err) {
    int64_t count[DEGREES] = {0}, *degree = SPD_NEW(int64_t, p->graph->nodes);
    if (!degree) return spd_fail_memory(err, 8.0 * (double)p->graph->nodes);
    for (int64_t e = 0; e < p->graph->edge.count; e++) {
        degree[p->graph->edge.pair[e].i]++;
        degree[p->graph->edge.pair[e].j]++;
    }
    for (int64_t j = 0; j < p->graph->nodes; j++) count[degree[j] < 4 ? degree[j] : 2 + ilogb((double)degree[j])]++;
    spd_free(degree);
    char from[SPD_SHORT], to[SPD_SHORT], features[SPD_SHORT];
    spd_html(out, "<h2>Degrees</h2>\n<table class='narrow'>");
    for (int64_t k = 0; k < DEGREES; k++) {
        const int64_t low = k < 4 ? k : (int64_t)1 << (k - 2), high = k < 4 ? k : 2 * low - 1;
        if (count[k] == 0) continue;
        spd_html(out, "<tr><th>@@@ edges</th><td class='r'>@ features</td></tr>\n", spd_html_count(from, low),
                 low < high ? " to " : "", low < high ? spd_html_count(to, high) : "", spd_html_count(features, count[k]));
    }
    spd_html(out, "</table>\n");
    return SPDHG_OK;
}

static void settings(FILE *out, const spd_graph_page *p) {
    char text[SPD_SHORT];
    const spdhg_graph_options *o = p->options;
    const spdhg_graph_report *r = p->report;
    spd_html(out, "<h2>Settings</h2>\n<div class='row'><table>");
    spd_page_setting(out, "method", o->method);
    spd_page_setting(out, "form", o->form);
    spd_page_setting(out, "of", o->covariance ? "covariances" : "correlations");
    spd_page_setting(out, "rho", isnan(r->rho) ? "" : spd_html_number(text, r->rho, 8));
    spd_page_setting(out, "rho chosen by", isnan(r->rho) || o->rho > 0 ? "" : o->choose);
    spd_page_setting(out, "diagonal penalised", o->penalize_diagonal ? "yes" : "no");
    spd_html(out, "</table><table>");
    spd_page_setting(out, "constant features", spd_html_count(text, r->constant));
    spd_page_setting(out, "norm at most", spd_html_number(text, r->norm_bound, 6));
    spd_page_setting(out, "objective", isnan(r->objective) ? "" : spd_html_number(text, r->objective, 10));
    spd_page_setting(out, "iterations", spd_html_count(text, r->iterations));
    spd_page_setting(out, "seconds", spd_html_number(text, r->seconds, 3));
    spd_page_setting(out, "spdhg", spdhg_version());
    spd_html(out, "</table></div>\n");
    if (p->command) spd_html(out, "<h2>Command</h2>\n<pre><bdi>@</bdi></pre>\n", p->command);
}

spdhg_status spd_graph_page_write(const spd_graph_page *page, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spd_page_head(file.stream, page->title);
    sentence(file.stream, page);
    tiles(file.stream, page);
    spdhg_status status = drawing(file.stream, page, err);
    hubs(file.stream, page);
    if (status == SPDHG_OK) status = degrees(file.stream, page, err);
    settings(file.stream, page);
    fputs("</body></html>\n", file.stream);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

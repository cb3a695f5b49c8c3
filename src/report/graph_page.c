/* graph_page.c - the page about a learned graph: its size in a sentence, numbers, a drawing, hubs, degrees, settings, command. */
#include "report/graph_page.h"

enum { DEGREES = 64 };

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
    spd_page_tile(out, "duality gap", spd_round_towards(INFINITY, r->gap, 3), 3, 1, "");
    spd_page_tile(out, "norm of F", r->norm, 4, 1, "");
    spd_html(out, "</section>\n");
}

static void hubs(FILE *out, const spd_graph_page *p) {
    const spdhg_graph_report *r = p->report;
    const spd_node_names names = {p->data->name, p->data->index_base};
    char text[SPD_SHORT];
    if (r->hubs == 0) return;
    spd_html(out, "<h2>Hubs</h2>\n<table class='narrow'>");
    for (int64_t k = 0; k < r->hubs; k++) {
        spd_html(out, "<tr><th>@<bdi>@</bdi></th>", p->data->name ? "" : "feature ", spd_node_name(&names, r->hub[k], text));
        spd_html(out, "<td class='r'>@ edges</td></tr>\n", spd_html_count(text, r->hub_degree[k]));
    }
    spd_html(out, "</table>\n");
}

/* The distribution of the number of edges per feature, in classes 1, 2, 3, 4-7, 8-15, ... */
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
    spd_page_command(out, p->command);
}

spdhg_status spd_graph_page_write(const spd_graph_page *page, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spd_page_head(file.stream, page->title, SPD_PAGE_STILL);
    sentence(file.stream, page);
    tiles(file.stream, page);
    const spd_node_names names = {page->data->name, page->data->index_base};
    spd_html(file.stream, "<h2>The graph</h2>\n");
    spdhg_status status = spd_graph_draw(file.stream, page->graph, &names, err);
    hubs(file.stream, page);
    if (status == SPDHG_OK) status = degrees(file.stream, page, err);
    settings(file.stream, page);
    spd_page_foot(file.stream, SPD_PAGE_STILL);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

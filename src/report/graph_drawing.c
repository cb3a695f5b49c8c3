/* graph_drawing.c - draws a graph as inline SVG. For a learned graph, edges show sign and strength, nodes their degree and
 * cluster. For a graph of coefficients, nodes have the colours of picture.c. The most prominent nodes are labelled where there is
 * room. Of a large graph the SVG shows a part; more of it follows as data that network.js draws on a canvas. */
#include "report/graph_page.h"

enum { MOST_STILL = 300, MOST_NODES = 1500, MOST_EDGES = 30000, NAMED_NODES = 40, COLOURS = 8 };
enum { WIDE = 1160, HIGH = 760, LOW = 240, MARGIN = 40, LETTER = 10, LINE = 16, NAME_MOST = 240 };

/* Few edges need no tall picture. */
static double height_of(const spd_graph *graph) { return fmin(HIGH, LOW + 20.0 * (double)graph->edge.count); }

const char *spd_node_name(const spd_node_names *names, int64_t feature, char text[SPD_SHORT]) {
    if (names->name) return names->name[feature];
    return spd_html_count(text, feature + names->index_base);
}

/* The content of a drawing: a layout, names, and a coefficient for every feature (x NULL: none). */
typedef struct drawing {
    const spd_layout *l;
    const spd_node_names *names;
    const double *x;
    int64_t stride; /* distance between the coefficients of consecutive features */
    double scale, high;
} drawing;

static double value_of(const drawing *d, int64_t a) { return d->x[d->l->feature[a] * d->stride]; }

static double radius(const drawing *d, int64_t a) {
    if (d->x) return fmin(fmax(0.3 * d->l->unit, 3), 13);
    return fmin(fmax(0.1 * d->l->unit, 2.5), 4) + (d->l->nodes > MOST_STILL ? 0.4 : 1.2) * sqrt((double)d->l->degree[a]);
}

static void draw_node(FILE *out, const drawing *d, int64_t a) {
    const spd_layout *l = d->l;
    char text[SPD_SHORT], number[SPD_SHORT];
    const char *name = spd_node_name(d->names, l->feature[a], text);
    if (!d->x) {
        snprintf(number, sizeof number, "f%d", l->cluster[a] % COLOURS);
        spd_html(out, "<circle class='@' cx='~' cy='~' r='~'><title>@</title></circle>", number, l->x[a], l->y[a], radius(d, a),
                 name);
        return;
    }
    const double value = value_of(d, a), r = radius(d, a);
    spd_html(out, "<g><title>@: @</title><circle class='node' cx='~' cy='~' r='~'/>", name, spd_html_number(number, value, 4),
             l->x[a], l->y[a], r);
    spd_html(out, "<circle class='@' fill-opacity='~' cx='~' cy='~' r='~'/></g>", value < 0 ? "n" : "p",
             spd_picture_depth(value, d->scale), l->x[a], l->y[a], r);
}

/* How important it is to label a node; 0: not at all. */
static double prominence(const drawing *d, int64_t a) {
    if (!d->x) return (double)d->l->degree[a];
    return fabs(value_of(d, a)) >= 0.05 * d->scale ? fabs(value_of(d, a)) : 0;
}

/* The most prominent remaining node, or -1. */
static int64_t next_node(const drawing *d, const bool *done) {
    int64_t best = -1;
    for (int64_t a = 0; a < d->l->nodes; a++)
        if (!done[a] && prominence(d, a) > (best < 0 ? 0 : prominence(d, best))) best = a;
    return best;
}

typedef struct place {
    double x, y, half; /* bottom centre of a label, half its width */
} place;

/* Whether a label covers no other label and no node. */
static bool is_free(const drawing *d, const place *at, const place *placed, int64_t named) {
    for (int64_t k = 0; k < named; k++)
        if (fabs(at->x - placed[k].x) < at->half + placed[k].half && fabs(at->y - placed[k].y) < LINE) return false;
    for (int64_t a = 0; a < d->l->nodes; a++) {
        const double r = radius(d, a), below = d->l->y[a] - at->y;
        if (fabs(at->x - d->l->x[a]) < at->half + r && below < r + 1 && below > -LETTER - r) return false;
    }
    return 2 * at->half <= NAME_MOST; /* longer names appear only in the tooltip */
}

static double half_width(const char *name) {
    int64_t letters = 0;
    for (; *name; name++) letters += (*name & 0xC0) != 0x80; /* of UTF-8 */
    return 0.5 * LETTER * (double)letters;
}

/* Labels the most prominent nodes, where there is room. */
static void draw_names(FILE *out, const drawing *d) {
    const spd_layout *l = d->l;
    place placed[NAMED_NODES];
    bool done[MOST_STILL] = {false};
    char text[SPD_SHORT];
    for (int64_t named = 0, a; named < NAMED_NODES && (a = next_node(d, done)) >= 0;) {
        const char *name = spd_node_name(d->names, l->feature[a], text);
        const double half = half_width(name);
        const double x = fmin(fmax(l->x[a], half - MARGIN), WIDE - MARGIN - half), r = radius(d, a);
        const place above = {x, l->y[a] - 4 - r, half}, below = {x, l->y[a] + LINE - 2 + r, half};
        const bool over = is_free(d, &above, placed, named);
        const place at = over ? above : below;
        done[a] = true;
        if (!over && !is_free(d, &at, placed, named)) continue;
        placed[named++] = at;
        spd_html(out, "<text class='title' text-anchor='middle' x='~' y='~'>@</text>", at.x, at.y, name);
    }
}

static void draw(FILE *out, const drawing *d, const char *label) {
    const spd_layout *l = d->l;
    spd_html(out, "<svg class='network' viewBox='~ ~ ~ ~' role='img' aria-label='@'>", -(double)MARGIN, -(double)MARGIN,
             (double)WIDE, d->high, label);
    const double strongest = fmax(1e-300, fabs(l->pair[0].s)); /* layouts list the strongest edge first */
    for (int64_t e = 0; e < l->edges; e++) {
        const spd_pair *pair = &l->pair[e];
        spd_html(out, "<line class='@' stroke-opacity='~' x1='~' y1='~' x2='~' y2='~'/>",
                 d->x          ? "edge"
                 : pair->s < 0 ? "curve b"
                               : "curve a",
                 d->x ? 1.0 : 0.2 + 0.6 * fabs(pair->s) / strongest, l->x[pair->i], l->y[pair->i], l->x[pair->j], l->y[pair->j]);
    }
    for (int64_t a = 0; a < l->nodes; a++) draw_node(out, d, a);
    draw_names(out, d);
    spd_html(out, "</svg>\n");
}

/* {wide, high, x, y, r, shade, name, edge}: shade is the cluster of a node, or of coefficients the sign and depth of its colour;
 * edge lists both ends and the strength, in hundredths of the strongest. */
static void put_data(FILE *out, const drawing *d, const char *label) {
    const spd_layout *l = d->l;
    char text[SPD_SHORT];
    const double strongest = fmax(1e-300, fabs(l->pair[0].s));
    spd_html(out, "<script type='application/json' class='network-data'>");
    fprintf(out, "{\"wide\":%d,\"high\":%g,\"margin\":%d,\"coefficients\":%s,\"label\":", WIDE, d->high, MARGIN,
            d->x ? "true" : "false");
    spd_put_json_text(out, label);
    fputs(",\"node\":[", out);
    for (int64_t a = 0; a < l->nodes; a++) {
        const double shade =
            d->x ? copysign(spd_picture_depth(value_of(d, a), d->scale), value_of(d, a)) : l->cluster[a] % COLOURS;
        fprintf(out, "%s%.1f,%.1f,%.1f,%.3g", a ? "," : "", l->x[a], l->y[a], radius(d, a), shade);
    }
    fputs("],\"name\":[", out);
    for (int64_t a = 0; a < l->nodes; a++) {
        if (a > 0) fputc(',', out);
        spd_put_json_text(out, spd_node_name(d->names, l->feature[a], text));
    }
    fputs("],\"edge\":[", out);
    for (int64_t e = 0; e < l->edges && e < MOST_EDGES; e++)
        fprintf(out, "%s%d,%d,%.0f", e ? "," : "", l->pair[e].i, l->pair[e].j, 100 * l->pair[e].s / strongest);
    fputs("]}</script>\n", out);
}

static spdhg_status lay_out(FILE *out, const spd_graph *graph, const char *of_which, spd_layout *l, spdhg_error *err) {
    SPD_TRY(spd_layout_new(l, graph, MOST_NODES, WIDE - 2 * MARGIN, height_of(graph) - 2 * MARGIN, err));
    char drawn[SPD_SHORT], nodes[SPD_SHORT], all[SPD_SHORT];
    if (l->edges < graph->edge.count)
        spd_html(out, "<p>It is too large to draw as a whole. Shown are @ of its @ edges, between the @ features @.</p>\n",
                 spd_html_count(drawn, l->edges), spd_html_count(all, graph->edge.count), spd_html_count(nodes, l->nodes),
                 of_which);
    return SPDHG_OK;
}

/* Draws what fits into an SVG; of a larger graph also more of it as data. */
static spdhg_status draw_both(FILE *out, drawing d, const spd_graph *graph, const char *label, spdhg_error *err) {
    const bool large = d.l->nodes > MOST_STILL;
    spd_layout part;
    d.high = height_of(graph);
    if (!large) {
        draw(out, &d, label);
        return SPDHG_OK;
    }
    put_data(out, &d, label);
    SPD_TRY(spd_layout_new(&part, graph, MOST_STILL, WIDE - 2 * MARGIN, d.high - 2 * MARGIN, err));
    d.l = &part;
    spd_html(out, "<div class='network-still'>");
    draw(out, &d, label);
    spd_html(out, "</div>\n");
    spd_layout_free(&part);
    return SPDHG_OK;
}

spdhg_status spd_graph_draw(FILE *out, const spd_graph *graph, const spd_node_names *names, spdhg_error *err) {
    if (graph->edge.count == 0) {
        spd_html(out, "<p>The graph has no edges.</p>\n");
        return SPDHG_OK;
    }
    spd_layout l;
    SPD_TRY(lay_out(out, graph, "of the strongest ones", &l, err));
    const spdhg_status status = draw_both(out, (drawing){.l = &l, .names = names}, graph, "the learned graph", err);
    spd_html(out, "<p class='faint'>Blue edges: the features rise together. Orange: one rises as the other falls. "
                  "Strong edges are darker, hubs are larger, and nodes of one colour belong to one cluster; point at a node to "
                  "see its name.</p>\n");
    spd_layout_free(&l);
    return status;
}

/* Features without edges are not drawn: says how many there are and whether they matter. */
static spdhg_status tell_alone(FILE *out, const spd_graph *graph, const spdhg_model *m, spdhg_error *err) {
    bool *touched = SPD_NEW(bool, graph->nodes);
    if (!touched) return spd_fail_memory(err, (double)graph->nodes);
    int64_t alone = 0, matter = 0;
    for (int64_t e = 0; e < graph->edge.count; e++) touched[graph->edge.pair[e].i] = touched[graph->edge.pair[e].j] = true;
    for (int64_t j = 0; j < graph->nodes; j++) {
        alone += !touched[j];
        matter += !touched[j] && spd_max_abs(m->outputs, m->x + j * m->outputs) > 0;
    }
    spd_free(touched);
    char features[SPD_SHORT], some[SPD_SHORT];
    if (alone > 0)
        spd_html(out, " Features without an edge are not drawn: @, of which @ have a nonzero coefficient.",
                 spd_html_count(features, alone), spd_html_count(some, matter));
    return SPDHG_OK;
}

spdhg_status spd_graph_draw_coefficients(FILE *out, const spd_graph *graph, const spdhg_model *m, int64_t pictures,
                                         spdhg_error *err) {
    const spd_node_names names = {m->name, m->index_base};
    const double most = spd_max_abs(m->features * m->outputs, m->x);
    spd_layout l;
    char label[SPD_NUMBER_CHARS], caption[SPD_NUMBER_CHARS + 48];
    SPD_TRY(lay_out(out, graph, "around the largest coefficients", &l, err));
    spdhg_status status = SPDHG_OK;
    for (int64_t k = 0; k < m->outputs && k < pictures && status == SPDHG_OK; k++) {
        const drawing d = {.l = &l, .names = &names, .x = m->x + k, .stride = m->outputs, .scale = most > 0 ? most : 1};
        const bool named = spd_model_names_outputs(m);
        if (named) spd_html(out, "<p>Class <bdi>@</bdi></p>", spd_model_label(m, k, label));
        snprintf(caption, sizeof caption, "coefficients on their graph%s%s", named ? ", class " : "", named ? label : "");
        status = draw_both(out, d, graph, caption, err);
    }
    spd_layout_free(&l);
    SPD_TRY(status);
    spd_picture_legend(out, most > 0 ? most : 1);
    spd_html(out,
             "<p class='faint'>Lines join the features whose coefficients the penalty draws together; point at a node to see "
             "its name and coefficient.");
    SPD_TRY(tell_alone(out, graph, m, err));
    spd_html(out, "</p>\n");
    return SPDHG_OK;
}

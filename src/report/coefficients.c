/* coefficients.c - the coefficients of a model on a page: as images if they form a grid, otherwise as stems; on their graph; and
 * as a table by name. */
#include <stdlib.h>

#include "report/graph_page.h"

/* rows of the tables on a page; members that a row of the second names */
enum { MOST_PICTURES = 6, MOST_ROWS = 5000, MOST_GROUPS = 500, MOST_MEMBERS = 60, FEW = 25 };

static void title(FILE *out, const char *heading, const char *text) { fprintf(out, "<%s>%s</%s>\n", heading, text, heading); }

static double largest(const double *x, int64_t count, double floor_value) {
    for (int64_t i = 0; x && i < count; i++) floor_value = fmax(floor_value, fabs(x[i]));
    return floor_value;
}

static void pictures(FILE *out, const char *heading, const spdhg_model *m, const double *truth) {
    const int64_t depth = m->side[2] > 0 ? m->side[2] : 1, panels = depth * m->outputs;
    double scale = largest(truth, m->features * m->outputs, largest(m->x, m->features * m->outputs, 0));
    if (scale == 0) scale = 1;
    char which[80], caption[120];
    title(out, heading, "Coefficients on their grid");
    spd_html(out, "<div class='images'>");
    for (int64_t p = 0; p < panels && p < MOST_PICTURES; p++) {
        const int64_t slice = p % depth, output = p / depth;
        which[0] = '\0';
        if (panels > 1) snprintf(which, sizeof which, ", output %d, slice %d", (int)output + 1, (int)slice + 1);
        if (truth) {
            snprintf(caption, sizeof caption, "truth%s", which);
            spd_picture_grid(out, caption, m, truth, slice, output, scale);
        }
        snprintf(caption, sizeof caption, "estimate%s", which);
        spd_picture_grid(out, caption, m, m->x, slice, output, scale);
    }
    spd_html(out, "</div>\n");
    spd_picture_legend(out, scale);
}

/* A coupled loss has an output for each class; several targets have no names. */
bool spd_model_names_outputs(const spdhg_model *m) { return m->outputs > 1 && spd_model_coupled(m); }

spdhg_status spd_page_largest(const spdhg_model *m, int64_t *feature, int most, int *found, spdhg_error *err) {
    int64_t count, *largest;
    *found = 0;
    SPD_TRY(spd_model_largest(m, &largest, &count, err));
    for (int64_t e = 0; e < count && *found < most; e++) {
        bool known = false;
        for (int f = 0; f < *found; f++) known = known || feature[f] == largest[e] / m->outputs;
        if (!known) feature[(*found)++] = largest[e] / m->outputs;
    }
    spd_free(largest);
    return SPDHG_OK;
}

static void class_cell(FILE *out, const spdhg_model *m, int64_t k) {
    char label[SPD_NUMBER_CHARS];
    if (m->outputs > 1) spd_html(out, "<td><bdi>@</bdi></td>", spd_model_output(m, k, label));
}

static void row(FILE *out, const spdhg_model *m, int64_t i, bool groups) {
    char value[SPD_SHORT], scaled[SPD_SHORT], name[SPD_SHORT], number[SPD_SHORT] = "";
    const int64_t j = i / m->outputs;
    spd_html(out, "<tr><th><bdi>@</bdi></th>", spd_page_feature(m, j, name));
    class_cell(out, m, i % m->outputs);
    spd_html(out, "<td class='r'>@</td>", spd_html_number(value, m->x[i], 6));
    if (m->spread) spd_html(out, "<td class='r'>@</td>", spd_html_number(scaled, m->x[i] * m->spread[j], 6));
    if (groups && m->group[i] > 0) spd_html_count(number, m->group[i]);
    if (groups) spd_html(out, "<td class='r'>@</td>", number);
    spd_html(out, "</tr>\n");
}

static spdhg_status coefficient_table(FILE *out, const char *heading, const spdhg_model *m, spdhg_error *err) {
    int64_t count, *largest;
    bool groups = false;
    char shown[SPD_SHORT], all[SPD_SHORT];
    SPD_TRY(spd_model_largest(m, &largest, &count, err));
    for (int64_t e = 0; m->group && e < count; e++) groups = groups || m->group[largest[e]] > 0;
    fprintf(out, "<%s>All coefficients</%s>\n<p class='faint'>", heading, heading);
    if (m->spread) spd_html(out, "Largest first, by the value times the standard deviation of the feature (standardized). ");
    if (groups) spd_html(out, "Coefficients of one group were made equal by the structure. ");
    if (count > MOST_ROWS)
        spd_html(out, "The @ largest of @; fit --coefficients writes all.", spd_html_count(shown, MOST_ROWS),
                 spd_html_count(all, count));
    spd_html(out,
             "</p>\n<div class='scroll'><table class='numbers sortable' data-name='coefficients'><thead><tr><th>feature</th>");
    if (m->outputs > 1) spd_html(out, "<th>@</th>", spd_model_names_outputs(m) ? "class" : "target");
    spd_html(out, "<th class='r'>value</th>");
    if (m->spread) spd_html(out, "<th class='r'>standardized</th>");
    if (groups) spd_html(out, "<th class='r'>group</th>");
    spd_html(out, "</tr></thead><tbody>\n");
    for (int64_t k = 0; m->intercept && k < m->outputs; k++) {
        spd_html(out, "<tr><th>(intercept)</th>");
        class_cell(out, m, k);
        spd_html(out, "<td class='r'>@</td>", spd_html_number(shown, m->c[k], 6));
        if (m->spread) spd_html(out, "<td></td>");
        if (groups) spd_html(out, "<td></td>");
        spd_html(out, "</tr>\n");
    }
    for (int64_t e = 0; e < count && e < MOST_ROWS; e++) row(out, m, largest[e], groups);
    spd_html(out, "</tbody></table></div>\n");
    spd_free(largest);
    return SPDHG_OK;
}

typedef struct member {
    int64_t group, at;
} member;

static int by_group(const void *a, const void *b) {
    const member *p = a, *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

/* The members of one group: names, or numbers with runs of neighbours written as one. */
static void group_row(FILE *out, const spdhg_model *m, const member *p, int64_t count) {
    char text[SPD_SHORT], value[SPD_SHORT], members[SPD_SHORT];
    spd_html(out, "<tr><td class='r'>@</td>", spd_html_count(text, p->group));
    class_cell(out, m, p->at % m->outputs);
    spd_html(out, "<td class='r'>@</td><td class='r'>@</td><td class='members'>", spd_html_number(value, m->x[p->at], 6),
             spd_html_count(members, count));
    int64_t shown = 0, e = 0;
    for (int64_t end; e < count && shown < MOST_MEMBERS; e = end, shown++) {
        for (end = e + 1; !m->name && end < count && p[end].at == p[end - 1].at + m->outputs;) end++;
        spd_html(out, e ? ", <bdi>@</bdi>" : "<bdi>@</bdi>", spd_page_feature(m, p[e].at / m->outputs, text));
        if (end > e + 1) spd_html(out, " to @", spd_html_count(text, p[end - 1].at / m->outputs + m->index_base));
    }
    if (e < count) spd_html(out, " and @ more", spd_html_count(text, count - e));
    spd_html(out, "</td></tr>\n");
}

/* The coefficients that the structure made equal, a row for each value. */
static spdhg_status group_table(FILE *out, const char *heading, const spdhg_model *m, spdhg_error *err) {
    int64_t count = 0, groups = 0;
    const int64_t all = m->features * m->outputs;
    for (int64_t i = 0; m->group && i < all; i++) count += m->group[i] > 0;
    if (count == 0) return SPDHG_OK;
    member *p = SPD_NEW(member, count);
    if (!p) return spd_fail_memory(err, 16.0 * (double)count);
    for (int64_t i = 0, e = 0; i < all; i++)
        if (m->group[i] > 0) p[e++] = (member){m->group[i], i};
    qsort(p, (size_t)count, sizeof *p, by_group);
    title(out, heading, "Groups of equal coefficients");
    spd_html(out, "<div class='scroll'><table class='numbers sortable' data-name='groups'><thead><tr><th class='r'>group</th>");
    if (m->outputs > 1) spd_html(out, "<th>@</th>", spd_model_names_outputs(m) ? "class" : "target");
    spd_html(out, "<th class='r'>value</th><th class='r'>members</th><th>features</th></tr></thead><tbody>\n");
    for (int64_t e = 0, end; e < count && groups < MOST_GROUPS; e = end, groups++) {
        for (end = e + 1; end < count && p[end].group == p[e].group;) end++;
        group_row(out, m, p + e, end - e);
    }
    spd_html(out, "</tbody></table></div>\n");
    spd_free(p);
    return SPDHG_OK;
}

static void stems(FILE *out, const char *heading, const spdhg_model *m, const double *truth) {
    char label[SPD_NUMBER_CHARS];
    title(out, heading, "Coefficients");
    if (truth) spd_html(out, "<p class='faint'>Bars: the estimate. Marks: the truth.</p>\n");
    for (int64_t k = 0; k < m->outputs && k < MOST_PICTURES; k++) {
        if (spd_model_names_outputs(m)) spd_html(out, "<p>Class <bdi>@</bdi></p>", spd_model_label(m, k, label));
        if (m->name && !truth) spd_picture_bars(out, m, k);
        if (!m->name || truth || m->features > FEW) spd_picture_stems(out, m, m->x, truth, k);
    }
}

/* Rows have one or two entries and do not all join neighbouring features: the links of a chain are visible in the stems. */
static bool is_graph(const spd_csr *F) {
    bool chain = true;
    int64_t edges = 0;
    for (int64_t e = 0; e < F->m; e++) {
        spd_csr_row row;
        spd_csr_take(F, e, &row);
        if (row.n > 2) return false;
        edges += row.n == 2;
        chain = chain && (row.n < 2 || row.idx[0] + 1 == row.idx[1]);
    }
    return edges > 0 && !chain;
}

static spdhg_status on_graph(FILE *out, const char *heading, const spdhg_model *m, const spd_csr *F, spdhg_error *err) {
    spd_graph graph = {0};
    spdhg_status status = spd_graph_of_rows(F, &graph, err);
    for (int64_t e = 0; e < graph.edge.count; e++) { /* of a large graph, draw what surrounds the largest coefficients */
        spd_pair *pair = &graph.edge.pair[e];
        pair->s =
            fmax(spd_max_abs(m->outputs, m->x + pair->i * m->outputs), spd_max_abs(m->outputs, m->x + pair->j * m->outputs));
    }
    title(out, heading, "Coefficients on their graph");
    if (status == SPDHG_OK) status = spd_graph_draw_coefficients(out, &graph, m, MOST_PICTURES, err);
    spd_graph_free(&graph);
    return status;
}

spdhg_status spd_page_coefficients(FILE *out, const char *heading, const spdhg_model *model, const double *truth,
                                   const spdhg_structure *F, spdhg_error *err) {
    if (model->side[0] > 0 && model->side[1] > 0)
        pictures(out, heading, model, truth);
    else {
        if (F && F->F.n == model->features && is_graph(&F->F)) SPD_TRY(on_graph(out, heading, model, &F->F, err));
        stems(out, heading, model, truth);
    }
    SPD_TRY(group_table(out, heading, model, err));
    return coefficient_table(out, heading, model, err);
}

/* coefficients.c - the coefficients of a model on a page: as images if they form a grid, otherwise as stems; on their graph; and
 * as a table by name. */
#include <stdlib.h>

#include "report/graph_page.h"

enum { MOST_PICTURES = 6, MOST_ROWS = 5000 }; /* rows of the table on a page */

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

typedef struct place {
    double size;
    int64_t at;
} place;

static int by_size(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

/* The coefficients that are not 0 by their size on the standard scale; NULL: out of memory. */
static place *sorted(const spdhg_model *m, int64_t *count) {
    const int64_t all = m->features * m->outputs;
    *count = 0;
    place *p = SPD_NEW(place, all);
    for (int64_t i = 0; p && i < all; i++)
        if (m->x[i] != 0) p[(*count)++] = (place){fabs(m->x[i]) * (m->spread ? m->spread[i / m->outputs] : 1), i};
    if (p) qsort(p, (size_t)*count, sizeof *p, by_size);
    return p;
}

int spd_page_largest(const spdhg_model *m, int64_t *feature, int most) {
    int64_t count;
    int found = 0;
    place *p = sorted(m, &count);
    for (int64_t e = 0; p && e < count && found < most; e++) {
        bool known = false;
        for (int f = 0; f < found; f++) known = known || feature[f] == p[e].at / m->outputs;
        if (!known) feature[found++] = p[e].at / m->outputs;
    }
    spd_free(p);
    return found;
}

static void class_cell(FILE *out, const spdhg_model *m, int64_t k) {
    char label[SPD_NUMBER_CHARS];
    if (m->outputs == 1) return;
    const bool named = m->columns && k < m->columns->targets;
    snprintf(label, sizeof label, "%lld", (long long)k + 1);
    const char *text = spd_model_names_outputs(m) ? spd_model_label(m, k, label) : named ? m->columns->target[k] : label;
    spd_html(out, "<td><bdi>@</bdi></td>", text);
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
    int64_t count;
    bool groups = false;
    char shown[SPD_SHORT], all[SPD_SHORT];
    place *p = sorted(m, &count);
    if (!p) return spd_fail_memory(err, 16.0 * (double)m->features * (double)m->outputs);
    for (int64_t e = 0; m->group && e < count; e++) groups = groups || m->group[p[e].at] > 0;
    fprintf(out, "<%s>All coefficients</%s>\n<p class='faint'>", heading, heading);
    if (m->spread) spd_html(out, "Largest first, by the value times the standard deviation of the feature (standardized). ");
    if (groups) spd_html(out, "Coefficients of one group were made equal by the structure. ");
    if (count > MOST_ROWS)
        spd_html(out, "The @ largest of @; fit --coefficients writes all.", spd_html_count(shown, MOST_ROWS),
                 spd_html_count(all, count));
    spd_html(out,
             "</p>\n<div class='scroll'><table class='numbers sortable' data-name='coefficients'><thead><tr><th>feature</th>@",
             "");
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
    for (int64_t e = 0; e < count && e < MOST_ROWS; e++) row(out, m, p[e].at, groups);
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
        spd_picture_stems(out, m, m->x, truth, k);
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
    if (model->side[0] > 0 && model->side[1] > 0) {
        pictures(out, heading, model, truth);
        return coefficient_table(out, heading, model, err);
    }
    if (F && F->F.n == model->features && is_graph(&F->F)) SPD_TRY(on_graph(out, heading, model, &F->F, err));
    stems(out, heading, model, truth);
    return coefficient_table(out, heading, model, err);
}

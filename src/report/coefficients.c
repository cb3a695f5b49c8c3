/* coefficients.c - the coefficients of a model on a page: as images if they form a grid, otherwise as stems; on their graph; and
 * as a table by name. */
#include "report/graph_page.h"

enum { MOST_PICTURES = 6 };

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
        return spd_page_coefficient_table(out, heading, model, err);
    }
    if (F && F->F.n == model->features && is_graph(&F->F)) SPD_TRY(on_graph(out, heading, model, &F->F, err));
    stems(out, heading, model, truth);
    return spd_page_coefficient_table(out, heading, model, err);
}

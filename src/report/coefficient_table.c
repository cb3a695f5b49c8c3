/* coefficient_table.c - the table of coefficients on a page: name, level, class, value, value on the standard scale, group of equal
 * ones; largest first, the intercept before them. A page holds at most MOST_ROWS of them. */
#include <stdlib.h>

#include "report/graph_page.h"

enum { MOST_ROWS = 5000 };

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

spdhg_status spd_page_coefficient_table(FILE *out, const char *heading, const spdhg_model *m, spdhg_error *err) {
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

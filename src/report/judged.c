/* judged.c - how well a model predicts the rows of a data set: for labels the confusion of classes, the curve of true against
 * false positives (ROC) and whether probabilities are true (calibration); for numbers see residuals.c. */
#include "report/page.h"

enum { MOST_CURVES = 8, MOST_CLASSES = 12, CURVE_POINTS = 300, LETTERS = 10 };

/* Rows by falling score: after each, the share of class 1 that was met, against that of the others. Rows of equal score are one
 * step; points nearer than 1/CURVE_POINTS to the one before are left out. row: sorted by rising score. Returns the number of
 * points, at most 2 CURVE_POINTS + 2. */
static int64_t trace_roc(const spd_ranked *row, int64_t rows, double *false_share, double *true_share) {
    double all[2] = {0, 0}, met[2] = {0, 0};
    int64_t points = 1;
    for (int64_t i = 0; i < rows; i++) all[row[i].positive]++;
    false_share[0] = true_share[0] = 0;
    for (int64_t i = rows; i > 0;) {
        const double score = row[i - 1].score;
        for (; i > 0 && row[i - 1].score == score; i--) met[row[i - 1].positive]++;
        const double x = met[0] / all[0], y = met[1] / all[1];
        if (i > 0 && x + y - false_share[points - 1] - true_share[points - 1] < 1.0 / CURVE_POINTS) continue;
        false_share[points] = x;
        true_share[points++] = y;
    }
    return points;
}

typedef struct roc {
    double x[2 * CURVE_POINTS + 2], y[2 * CURVE_POINTS + 2], area;
    char name[SPD_SHORT], hover[2 * SPD_SHORT];
} roc;

/* The curve of class k against the others, by its probability (several classes) or by the score; false: a class is missing. */
static bool make_roc(const spd_judged *j, const spdhg_model *m, const int64_t *truth, int64_t k, spd_ranked *rank, double *chance,
                     roc *out, spd_curve *curve) {
    int64_t rows = 0;
    char label[SPD_NUMBER_CHARS], area[SPD_SHORT];
    for (int64_t i = 0; i < j->data->rows; i++) {
        if (truth[i] < 0) continue;
        const double *score = j->score + i * m->outputs;
        if (m->outputs > 1) spd_model_probability(m, score, chance);
        rank[rows++] = (spd_ranked){m->outputs > 1 ? chance[k] : score[0], 1, truth[i] == k};
    }
    out->area = spd_auc(rank, rows); /* sorts */
    if (isnan(out->area)) return false;
    spd_page_cut(spd_model_label(m, k, label), LETTERS, out->name, sizeof out->name);
    snprintf(out->hover, sizeof out->hover, "%s: area %s", out->name, spd_html_number(area, out->area, 4));
    *curve = (spd_curve){.label = out->name, .x = out->x, .y = out->y, .stride = 1, .plain = true, .hover = out->hover};
    curve->points = trace_roc(rank, rows, out->x, out->y);
    return true;
}

/* For two classes one curve, of the second class; for more, one for each of the first MOST_CURVES. */
static spdhg_status draw_roc(FILE *out, const spd_judged *j, const spdhg_model *m, const int64_t *truth, spdhg_error *err) {
    static const char *const look[MOST_CURVES] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};
    static const double ends[] = {0, 1};
    const bool two = m->outputs == 1;
    spd_ranked *rank = SPD_NEW(spd_ranked, j->data->rows);
    double *chance = SPD_NEW(double, m->classes + 1);
    roc *rocs = SPD_NEW(roc, MOST_CURVES);
    spd_curve curve[MOST_CURVES + 1] = {
        {.label = "", .style = "chance", .x = ends, .y = ends, .points = 2, .stride = 1, .plain = true}};
    int curves = 1;
    char title[160];
    const bool good = rank && chance && rocs;
    for (int64_t k = two; good && k < m->classes && curves <= MOST_CURVES; k++)
        if (make_roc(j, m, truth, k, rank, chance, &rocs[curves - 1], &curve[curves])) {
            curve[curves].style = look[curves - 1];
            curves++;
        }
    snprintf(title, sizeof title, "Share found (ROC)%s%s", good && two ? " of " : "", good && two ? rocs[0].hover : "");
    if (two) curve[1].label = "";
    if (curves > 1)
        spd_svg_plot(out, &(spd_plot){.title = title,
                                      .x_label = "share of the others that is taken for the class",
                                      .curve = curve,
                                      .curves = curves,
                                      .tall = true});
    spd_free(rank);
    spd_free(chance);
    spd_free(rocs);
    return good ? SPDHG_OK : spd_fail_memory(err, 24.0 * (double)j->data->rows);
}

/* The share of rows of class 1 among those whose probability is near the same, with its standard error. */
static spdhg_status draw_calibration(FILE *out, const spd_judged *j, const spdhg_model *m, spdhg_error *err) {
    static const double ends[] = {0, 1};
    spd_calibration bin[SPD_CALIBRATION_BINS];
    bool known;
    SPD_TRY(spd_model_calibration(m, j->data, j->score, bin, &known, err));
    if (!known) return SPDHG_OK;
    double x[SPD_CALIBRATION_BINS], y[SPD_CALIBRATION_BINS], error[SPD_CALIBRATION_BINS];
    int64_t points = 0;
    for (int b = 0; b < SPD_CALIBRATION_BINS; b++) {
        if (bin[b].rows == 0) continue;
        x[points] = bin[b].predicted;
        y[points] = bin[b].observed;
        error[points++] = sqrt(bin[b].observed * (1 - bin[b].observed) / (double)bin[b].rows);
    }
    char label[SPD_NUMBER_CHARS], title[120];
    snprintf(title, sizeof title, "Share of %.40s, against its probability (calibration)", spd_model_label(m, 1, label));
    const spd_curve curve[] = {
        {.label = "", .style = "chance", .x = ends, .y = ends, .points = 2, .stride = 1, .plain = true},
        {.label = "", .style = "a", .x = x, .y = y, .points = points, .stride = 1, .error = error, .bars = true}};
    spd_svg_plot(out,
                 &(spd_plot){.title = title, .x_label = "mean probability in tenths", .curve = curve, .curves = 2, .tall = true});
    return SPDHG_OK;
}

static void draw_confusion(FILE *out, const spdhg_model *m, const spd_metrics *metrics) {
    char text[SPD_NUMBER_CHARS], count[SPD_SHORT], share[SPD_SHORT];
    const int64_t classes = m->classes;
    if (classes > MOST_CLASSES) {
        spd_html(out,
                 "<p class='faint'>There are too many classes for a table of their confusion (predict --json has it).</p>\n");
        return;
    }
    spd_html(
        out,
        "<div><h3>Confusion</h3>\n<div class='scroll'><table class='numbers confusion'><thead><tr><th>true, predicted:</th>");
    for (int64_t k = 0; k < classes; k++) spd_html(out, "<th class='r'><bdi>@</bdi></th>", spd_model_label(m, k, text));
    spd_html(out, "<th class='r'>right</th></tr></thead><tbody>\n");
    for (int64_t t = 0; t < classes; t++) {
        double all = 0;
        for (int64_t k = 0; k < classes; k++) all += (double)metrics->confusion[t * classes + k];
        spd_html(out, "<tr><th><bdi>@</bdi></th>", spd_model_label(m, t, text));
        for (int64_t k = 0; k < classes; k++)
            spd_html(out, "<td class='r@'>@</td>", k == t ? " best" : "",
                     spd_html_count(count, metrics->confusion[t * classes + k]));
        spd_html(out, "<td class='r'>@ %</td></tr>\n",
                 spd_html_number(share, 100 * (double)metrics->confusion[t * classes + t] / all, 3));
    }
    spd_html(out, "</tbody></table></div></div>\n");
}

static void put_measure(FILE *out, const char *before, double value, double factor, int digits, const char *behind) {
    char text[SPD_SHORT];
    if (!isnan(value)) spd_html(out, "@ @@", before, spd_html_number(text, factor * value, digits), behind);
}

static spdhg_status draw_classes(FILE *out, const spd_judged *j, const spdhg_model *m, const spd_metrics *metrics,
                                 spdhg_error *err) {
    int64_t *truth = SPD_NEW(int64_t, j->data->rows * j->data->targets);
    if (!truth || !spd_model_classes_of(m, j->data, truth)) {
        spd_free(truth);
        return spd_fail_memory(err, 8.0 * (double)j->data->rows);
    }
    spd_html(out, "<div class='row'>");
    spdhg_status status = SPDHG_OK;
    if (j->data->targets == 1 && m->classes > 1) status = draw_roc(out, j, m, truth, err);
    if (status == SPDHG_OK) status = draw_calibration(out, j, m, err);
    draw_confusion(out, m, metrics);
    spd_html(out, "</div>\n");
    spd_free(truth);
    return status;
}

spdhg_status spd_page_judged(FILE *out, const spd_judged *j, const spdhg_model *m, spdhg_error *err) {
    spd_metrics metrics;
    char rows[SPD_SHORT], unknown[SPD_SHORT];
    SPD_TRY(spd_model_metrics(m, j->data, j->score, &metrics, err));
    spd_html(out, "<h2>How well it predicts</h2>\n<p>Judged by @ @ @. ", spd_html_count(rows, metrics.rows),
             m->classify && j->data->targets > 1 ? "labels" : "rows", j->which);
    put_measure(out, "Loss", metrics.loss, 1, 4, "");
    put_measure(out, ", accuracy", metrics.accuracy, 100, 4, " %");
    put_measure(out, ", area under the ROC curve", metrics.auc, 1, 4, "");
    put_measure(out, ", mean deviance", metrics.deviance, 1, 4, "");
    put_measure(out, ", root mean square error", metrics.rmse, 1, 4, "");
    put_measure(out, ", R²", metrics.r2, 1, 4, "");
    spd_html(out, ".");
    if (metrics.unknown > 0)
        spd_html(out, " @ have a label or target unknown to the model.", spd_html_count(unknown, metrics.unknown));
    spd_html(out, "</p>\n");
    const spdhg_status status = metrics.rows == 0 ? SPDHG_OK
                                : m->classify     ? draw_classes(out, j, m, &metrics, err)
                                                  : spd_page_residuals(out, j, m, err);
    spd_free(metrics.confusion);
    return status;
}

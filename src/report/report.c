/* report.c - the page about a fit: the result in a sentence, numbers, coefficients, curves, settings, command. One HTML 5 file.
 * Its security policy allows only its own style sheet and script, so it cannot access the network. */
#include "report/page.h"

static double final_of(const spd_report *r, size_t member) {
    return r->points > 0 ? *(const double *)(const void *)((const char *)&r->point[r->points - 1] + member) : NAN;
}
#define FINAL(r, member) final_of((r), offsetof(spdhg_point, member))

static int64_t nonzeros(const spdhg_model *m) {
    int64_t count = 0;
    for (int64_t i = 0; i < m->features * m->outputs; i++) count += m->x[i] != 0;
    return count;
}

/* What the reader wants first: what was chosen, how well it predicts, what matters most. */
static spdhg_status answer(FILE *out, const spd_report *r, spdhg_error *err) {
    const spdhg_model *m = r->model;
    char a[SPD_SHORT], b[SPD_SHORT], name[SPD_SHORT];
    spd_html(out, "<p>");
    if (r->path) {
        int64_t points;
        const spdhg_path_point *p = spdhg_path_points(r->path, &points), *here = &p[spdhg_path_chosen(r->path)];
        if (spdhg_path_outcome(r->path) == SPDHG_OUTCOME_INTERRUPTED)
            spd_html(out, "The path was interrupted before its @ values of lambda were compared: this is the model of @. ",
                     spd_html_count(a, points), spd_html_number(b, here->lambda, 4));
        else
            spd_html(out, "Of @ values of lambda, @ was chosen. ", spd_html_count(a, points),
                     spd_html_number(b, here->lambda, 4));
        if (!isnan(here->accuracy))
            spd_html(out, "In cross-validation it predicts @ % of the labels correctly. ",
                     spd_html_number(a, 100 * here->accuracy, 4));
        if (!isnan(here->loss) && isnan(here->accuracy))
            spd_html(out, "Its loss in cross-validation is @ (one standard error: @). ", spd_html_number(a, here->loss, 4),
                     spd_html_number(b, here->loss_error, 2));
    }
    const double score = r->solution ? r->solution->test_score : FINAL(r, test_score);
    if (!isnan(score) && m->classify)
        spd_html(out, "It predicts @ % of the held-out labels correctly. ", spd_html_number(a, 100 * score, 4));
    if (!isnan(score) && !m->classify) spd_html(out, "On held-out rows R² is @. ", spd_html_number(a, score, 4));
    int64_t feature[3];
    int found;
    SPD_TRY(spd_page_largest(m, feature, 3, &found, err));
    for (int f = 0; f < found; f++)
        spd_html(out, "@<b><bdi>@</bdi></b>",
                 f == 0           ? "What matters most: "
                 : f + 1 == found ? " and "
                                  : ", ",
                 spd_page_feature(m, feature[f], name));
    if (found > 0) spd_html(out, ". ");
    if (m->classify && m->classes == 2 && m->outputs == 1) {
        char label[SPD_NUMBER_CHARS];
        spd_html(out, "Positive coefficients speak for <bdi>@</bdi>. ", spd_model_label(m, 1, label));
    }
    if (m->rows > 0) spd_html(out, "Fitted to @ rows.", spd_html_count(a, m->rows));
    spd_html(out, "</p>\n");
    return SPDHG_OK;
}

/* "The objective fell from 0.69 to 0.21 in 20 epochs of spdhg (3.1 seconds; ...). 81 of 1,024 coefficients are not zero." */
static void sentence(FILE *out, const spd_report *r) {
    const spdhg_model *m = r->model;
    char from[SPD_SHORT], to[SPD_SHORT], epochs[SPD_SHORT], seconds[SPD_SHORT], some[SPD_SHORT], all[SPD_SHORT];
    const double first = r->points > 1 ? r->point[0].objective : NAN;
    spd_html(out, "<p>The objective ");
    if (first > m->objective)
        spd_html(out, "fell from @ to @", spd_html_number(from, first, 4), spd_html_number(to, m->objective, 4));
    else
        spd_html(out, "is @", spd_html_number(to, m->objective, 4));
    if (!r->path) /* the effort of a path is not that of its last step */
        spd_html(out, " in @ epochs of @ (@ seconds; @)", spd_html_number(epochs, m->epochs, 4), m->solver,
                 spd_html_number(seconds, m->seconds, 3), m->outcome);
    if (r->path) spd_html(out, " (@; @)", m->solver, m->outcome);
    spd_html(out, ". @ of @ coefficients are nonzero.</p></header>\n", spd_html_count(some, nonzeros(m)),
             spd_html_count(all, m->features * m->outputs));
}

static void tiles(FILE *out, const spd_report *r) {
    const spdhg_model *m = r->model;
    const spdhg_solution *s = r->solution;
    const double score = s ? s->test_score : FINAL(r, test_score);
    spd_html(out, "<section class='tiles'>");
    spd_page_tile(out, "objective", m->objective, 4, 1, "");
    spd_page_tile(out, "training loss", m->train_loss, 4, 1, "");
    spd_page_tile(out, "test loss", s ? s->test_loss : FINAL(r, test_loss), 4, 1, "");
    spd_page_tile(out, m->classify ? "test accuracy" : "test R²", score, 4, m->classify ? 100 : 1, m->classify ? " %" : "");
    spd_page_tile(out, "duality gap", spd_round_towards(INFINITY, m->gap, 2), 2, 1, "");
    const double zeros = 1 - (double)nonzeros(m) / (double)(m->features * m->outputs);
    const bool fused = s && s->dual > 0 && strcmp(m->structure, "identity") != 0; /* then the zeros are those of F x */
    if (zeros > 0 || !fused) spd_page_tile(out, "zero coefficients", zeros, 3, 100, " %");
    if (fused) spd_page_tile(out, "zeros of F x", 1 - (double)s->structure_nonzeros / (double)s->dual, 3, 100, " %");
    spd_html(out, "</section>\n");
}

/* Logarithmic if the values are positive and their ratio exceeds `ratio`. */
static bool wants_log(const spd_report *r, size_t member, double ratio, bool skip_zero) {
    double low = INFINITY, high = 0;
    for (int64_t i = 0; i < r->points; i++) {
        const double value = *(const double *)(const void *)((const char *)&r->point[i] + member);
        if (isnan(value) || (skip_zero && value == 0)) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return low > 0 && isfinite(high) && high / low > ratio;
}

static void curves(FILE *out, const spd_report *r) {
    if (r->points < 2) return;
    const int64_t stride = (int64_t)(sizeof(spdhg_point) / sizeof(double));
    const spdhg_point *p = r->point;
    const bool log_x = wants_log(r, offsetof(spdhg_point, epoch), 30, true);
    bool test = false, gap = false;
    for (int64_t i = 0; i < r->points; i++) {
        test = test || isfinite(p[i].test_loss);
        gap = gap || p[i].gap > 0;
    }
#define CURVE(name, look, member)                                                                                                \
    { .label = name, .style = look, .x = &p->epoch, .y = &p->member, .points = r->points, .stride = stride }
    const spd_curve objective = CURVE("objective", "a", objective), gaps = CURVE("gap", "a", gap);
    const spd_curve loss[] = {CURVE("training rows", "a", train_loss), CURVE("held-out rows", "b", test_loss)};
    const spd_plot base = {.x_label = "epochs (passes over the data)", .curves = 1, .log_x = log_x};
    spd_plot plot = base;
    spd_html(out, "<h2>Progress</h2>\n<div class='row'>");
    plot.title = "Objective";
    plot.curve = &objective;
    plot.log_y = wants_log(r, offsetof(spdhg_point, objective), 5, false);
    spd_svg_plot(out, &plot);
    plot.title = "Loss per row";
    plot.curve = loss;
    plot.curves = test ? 2 : 1;
    plot.log_y = wants_log(r, offsetof(spdhg_point, train_loss), 5, false);
    spd_svg_plot(out, &plot);
    plot = base;
    plot.title = "Duality gap";
    plot.curve = &gaps;
    plot.log_y = true;
    if (gap) spd_svg_plot(out, &plot);
    spd_html(out, "</div>\n");
    char text[SPD_SHORT];
    if (log_x && p->epoch == 0)
        spd_html(out, "<p class='faint'>The start, where the objective is @, cannot be shown on a logarithmic axis.</p>\n",
                 spd_html_number(text, p->objective, 4));
}

static void settings(FILE *out, const spd_report *r) {
    const spdhg_model *m = r->model;
    char text[SPD_SHORT];
    spd_html(out, "<h2>Settings</h2>\n<div class='row'><table>");
    spd_page_setting(out, "loss", m->loss);
    spd_page_setting(out, "penalty", m->penalty);
    spd_page_setting(out, "structure", m->structure);
    spd_page_setting(out, "lambda", spd_html_number(text, m->lambda, 8));
    spd_page_setting(out, "gamma", spd_html_number(text, m->gamma, 8));
    spd_page_setting(out, "set", m->set);
    spd_page_setting(out, "intercept", m->intercept ? "yes" : "no");
    spd_html(out, "</table><table>");
    spd_page_setting(out, "standardised", m->standardized ? "yes" : "no");
    spd_page_setting(out, "features", spd_html_count(text, m->features));
    spd_page_setting(out, "outputs", spd_html_count(text, m->outputs));
    spd_page_setting(out, "solver", m->solver);
    snprintf(text, sizeof text, "%llu", (unsigned long long)m->seed);
    spd_page_setting(out, "seed", text);
    spd_page_setting(out, "penalty's value", spd_html_number(text, m->penalty_value, 6));
    spd_page_setting(out, "spdhg", m->version);
    spd_html(out, "</table></div>\n");
    spd_page_command(out, r->command);
}

spdhg_status spd_report_write(const spd_report *report, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spd_page_head(file.stream, report->title, SPD_PAGE_STILL);
    spdhg_status status = answer(file.stream, report, err);
    sentence(file.stream, report);
    tiles(file.stream, report);
    if (status == SPDHG_OK && report->judged) status = spd_page_judged(file.stream, report->judged, report->model, err);
    if (status == SPDHG_OK)
        status = spd_page_coefficients(file.stream, "h2", report->model, report->truth, report->structure, err);
    if (status == SPDHG_OK && report->path) status = spd_page_path(file.stream, report->path, report->model, err);
    curves(file.stream, report);
    settings(file.stream, report);
    spd_page_foot(file.stream, SPD_PAGE_STILL);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

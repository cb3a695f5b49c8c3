/* path_page.c - the section about a path: loss on held-out rows with its standard error, the fraction explained, nonzeros, and
 * the coefficients against lambda (the largest within the range shown; red if positive at its end, blue if negative). Dashed
 * lines mark the best and the chosen lambda. The coefficients at every lambda follow as data, for the slider of path.js. */
#include "report/page.h"

enum { MOST_LINES = 40, MOST_KEPT = 300, STRIDE = sizeof(spdhg_path_point) / sizeof(double) };
_Static_assert(sizeof(spdhg_path_point) % sizeof(double) == 0, "points are walked as doubles");

/* Selects the coefficients of largest size over the first `points` of the path, at most `most`; returns their number. */
static int largest_lines(const spdhg_path *path, int64_t points, int64_t count, int most, double *size, int64_t *line) {
    int lines = 0;
    for (int64_t q = 0; q < count; q++) size[q] = 0;
    for (int64_t i = 0; i < points; i++)
        for (int64_t q = 0; q < count; q++) size[q] = fmax(size[q], fabs(spdhg_path_coefficients(path, i, NULL)[q]));
    for (int64_t q = 0; q < count; q++) {
        if (size[q] == 0 || (lines == most && size[q] <= size[line[lines - 1]])) continue;
        int at = lines < most ? lines++ : lines - 1;
        for (; at > 0 && size[line[at - 1]] < size[q]; at--) line[at] = line[at - 1];
        line[at] = q;
    }
    return lines;
}

static spdhg_status coefficient_plot(FILE *out, const spdhg_path *path, int64_t points, const spdhg_path_point *point,
                                     const spdhg_model *model, spd_plot plot, spdhg_error *err) {
    const int64_t count = model->features * model->outputs;
    char name[MOST_LINES][SPD_SHORT];
    double *size = SPD_NEW(double, count), *x = SPD_NEW(double, points), *y = SPD_NEW(double, points *MOST_LINES);
    int64_t line[MOST_LINES];
    spd_curve curve[MOST_LINES];
    const bool good = size && x && y;
    if (good) {
        plot.curves = largest_lines(path, points, count, MOST_LINES, size, line);
        for (int64_t i = 0; i < points; i++) {
            x[i] = point[i].lambda;
            for (int l = 0; l < plot.curves; l++) y[l * points + i] = spdhg_path_coefficients(path, i, NULL)[line[l]];
        }
        for (int l = 0; l < plot.curves; l++) {
            const char *text = spd_page_feature(model, line[l] / model->outputs, name[l]);
            curve[l] = (spd_curve){.label = "",
                                   .style = y[(l + 1) * points - 1] >= 0 ? "p" : "n",
                                   .x = x,
                                   .y = y + l * points,
                                   .points = points,
                                   .stride = 1,
                                   .plain = true,
                                   .name = text,
                                   .hover = text};
        }
        plot.title = "Coefficients along the path";
        plot.curve = curve;
        plot.tall = true;
        spd_svg_plot(out, &plot);
    }
    SPD_FREE_ALL(size, x, y);
    return good ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(count + points * (1 + MOST_LINES)));
}

static void put_column(FILE *out, const char *name, const double *first, int64_t points, int digits) {
    fprintf(out, "\"%s\":[", name);
    for (int64_t i = 0; i < points; i++) {
        if (i > 0) fputc(',', out);
        spd_put_json_number(out, first[i * STRIDE], digits);
    }
    fputs("],", out);
}

/* {lambda, loss, error, explained, chosen, features, outputs, at, name, class, x}: x[i] lists which of the coefficients `at`, and
 * their values, at lambda[i]. */
static spdhg_status slider_data(FILE *out, const spdhg_path *path, int64_t points, const spdhg_path_point *p,
                                const spdhg_model *m, spdhg_error *err) {
    const int64_t count = m->features * m->outputs;
    double *size = SPD_NEW(double, count);
    int64_t line[MOST_KEPT];
    char text[SPD_SHORT > SPD_NUMBER_CHARS ? SPD_SHORT : SPD_NUMBER_CHARS];
    if (!size) return spd_fail_memory(err, 8.0 * (double)count);
    const int lines = largest_lines(path, points, count, MOST_KEPT, size, line);
    spd_html(out, "<script type='application/json' id='path'>{");
    put_column(out, "lambda", &p->lambda, points, 6);
    put_column(out, "loss", &p->loss, points, 5);
    put_column(out, "error", &p->loss_error, points, 3);
    put_column(out, "explained", &p->explained, points, 4);
    fprintf(out, "\"chosen\":%lld,\"features\":%lld,\"outputs\":%lld,\"named\":%s,\"at\":[", (long long)spdhg_path_chosen(path),
            (long long)m->features, (long long)m->outputs, m->name ? "true" : "false");
    for (int l = 0; l < lines; l++) fprintf(out, l ? ",%lld" : "%lld", (long long)line[l]);
    fputs("],\"name\":[", out);
    for (int l = 0; l < lines; l++) {
        if (l > 0) fputc(',', out);
        spd_put_json_text(out, spd_page_feature(m, line[l] / m->outputs, text));
    }
    fputs("],\"class\":[", out);
    for (int64_t k = 0; k < m->outputs && m->outputs > 1; k++) {
        if (k > 0) fputc(',', out);
        spd_put_json_text(out, spd_model_output(m, k, text));
    }
    fputs("],\"x\":[", out);
    for (int64_t i = 0; i < points; i++) {
        const double *x = spdhg_path_coefficients(path, i, NULL);
        bool first = true;
        fputs(i ? ",\n[" : "\n[", out);
        for (int l = 0; l < lines; l++) {
            if (x[line[l]] == 0) continue;
            fprintf(out, first ? "%d," : ",%d,", l);
            spd_put_json_number(out, x[line[l]], 4);
            first = false;
        }
        fputc(']', out);
    }
    fputs("]}</script>\n<div id='slider'></div>\n", out);
    spd_free(size);
    return SPDHG_OK;
}

/* Curves of numbers that are the same kind for every lambda. */
static void curve_over_lambda(FILE *out, const char *title, const double *value, const double *error, int64_t points,
                              const spdhg_path_point *p, spd_plot plot) {
    const spd_curve curve = {
        .label = "", .style = "a", .x = &p->lambda, .y = value, .points = points, .stride = STRIDE, .error = error, .bars = true};
    plot.title = title;
    plot.curve = &curve;
    plot.curves = 1;
    spd_svg_plot(out, &plot);
}

spdhg_status spd_page_path(FILE *out, const spdhg_path *path, const spdhg_model *model, spdhg_error *err) {
    int64_t points;
    const spdhg_path_point *p = spdhg_path_points(path, &points);
    const int64_t best = spdhg_path_best(path), chosen = spdhg_path_chosen(path);
    const bool complete = spdhg_path_outcome(path) != SPDHG_OUTCOME_INTERRUPTED;
    const double mark[] = {p[chosen].lambda, p[best].lambda};
    const char *const label[] = {complete ? "chosen" : "the model", "best"};
    const spd_plot base = {.x_label = "lambda",
                           .log_x = points > 1 && p[points - 1].lambda > 0,
                           .mark = mark,
                           .mark_label = label,
                           .marks = best == chosen ? 1 : 2,
                           .follows = true};
    const bool validated = !isnan(p->loss);
    char lambda[SPD_SHORT], count[SPD_SHORT], loss[SPD_SHORT], error[SPD_SHORT];
    int64_t unconverged = 0;
    for (int64_t i = 0; i < points; i++) unconverged += p[i].unconverged;
    spd_html(out,
             complete ? "<h2>The path</h2>\n<p>Lambda @ was chosen from @ values."
                      : "<h2>The path</h2>\n<p>Interrupted: lambda @ is one of the @ values that were reached.",
             spd_html_number(lambda, p[chosen].lambda, 5), spd_html_count(count, points));
    if (validated)
        spd_html(out, " Its loss on held-out rows is @, with a standard error of @.", spd_html_number(loss, p[chosen].loss, 5),
                 spd_html_number(error, p[chosen].loss_error, 2));
    if (unconverged > 0) spd_html(out, " @ solves in folds did not reach the tolerance.", spd_html_count(count, unconverged));
    spd_html(out, "</p>\n<div class='row three'>");
    if (validated)
        curve_over_lambda(out, "Loss on held-out rows, with one standard error", &p->loss, &p->loss_error, points, p, base);
    curve_over_lambda(out, "Fraction of the loss explained", &p->explained, NULL, points, p, base);
    double *nonzeros = SPD_NEW(double, points *STRIDE); /* the same stride as lambda */
    if (!nonzeros) return spd_fail_memory(err, 8.0 * (double)(points * STRIDE));
    for (int64_t i = 0; i < points; i++) nonzeros[i * STRIDE] = (double)p[i].structure_nonzeros;
    curve_over_lambda(out, "Entries of F x that are not 0", nonzeros, NULL, points, p, base);
    spd_free(nonzeros);
    spd_html(out, "</div>\n<div class='row'>");
    int64_t shown = points; /* far below the best lambda, coefficients only grow and would hide the rest */
    while (shown > 2 && p[shown - 2].lambda < 0.1 * fmin(p[best].lambda, p[chosen].lambda)) shown--;
    SPD_TRY(coefficient_plot(out, path, shown, p, model, base, err));
    SPD_TRY(slider_data(out, path, points, p, model, err));
    spd_html(out, "</div>\n");
    return SPDHG_OK;
}

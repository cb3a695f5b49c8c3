/* path_page.c - the section about a path: validation loss with a band of one standard error, the fraction explained, and the
 * coefficients against lambda (the largest within the range shown; red if positive at its end, blue if negative). Dashed lines
 * mark the best and the chosen lambda. */
#include "report/page.h"

enum { MOST_LINES = 40, STRIDE = sizeof(spdhg_path_point) / sizeof(double) };
_Static_assert(sizeof(spdhg_path_point) % sizeof(double) == 0, "points are walked as doubles");

/* Selects the coefficients of largest size over the whole path, at most MOST_LINES; returns their number. */
static int largest_lines(const double *size, int64_t count, int64_t *line) {
    int lines = 0;
    for (int64_t q = 0; q < count; q++) {
        if (size[q] == 0 || (lines == MOST_LINES && size[q] <= size[line[lines - 1]])) continue;
        int at = lines < MOST_LINES ? lines++ : lines - 1;
        for (; at > 0 && size[line[at - 1]] < size[q]; at--) line[at] = line[at - 1];
        line[at] = q;
    }
    return lines;
}

static void coefficient_plot(FILE *out, const spdhg_path *path, int64_t points, const spdhg_path_point *point,
                             const spdhg_model *model, spd_plot plot) {
    const int64_t count = model->features * model->outputs;
    char name[MOST_LINES][SPD_SHORT];
    double *size = SPD_NEW(double, count), *x = SPD_NEW(double, points), *y = SPD_NEW(double, points *MOST_LINES);
    int64_t line[MOST_LINES];
    spd_curve curve[MOST_LINES];
    if (size && x && y) { /* if out of memory, the page omits this picture */
        for (int64_t i = 0; i < points; i++)
            for (int64_t q = 0; q < count; q++) size[q] = fmax(size[q], fabs(spdhg_path_coefficients(path, i, NULL)[q]));
        plot.curves = largest_lines(size, count, line);
        for (int64_t i = 0; i < points; i++) {
            x[i] = point[i].lambda;
            for (int l = 0; l < plot.curves; l++) y[l * points + i] = spdhg_path_coefficients(path, i, NULL)[line[l]];
        }
        for (int l = 0; l < plot.curves; l++)
            curve[l] = (spd_curve){.label = "",
                                   .style = y[(l + 1) * points - 1] >= 0 ? "p" : "n",
                                   .x = x,
                                   .y = y + l * points,
                                   .points = points,
                                   .stride = 1,
                                   .plain = true,
                                   .hover = spd_page_feature(model, line[l] / model->outputs, name[l])};
        plot.title = "Coefficients along the path";
        plot.curve = curve;
        spd_svg_plot(out, &plot);
    }
    spd_free(size);
    spd_free(x);
    spd_free(y);
}

void spd_page_path(FILE *out, const spdhg_path *path, const spdhg_model *model) {
    int64_t points;
    const spdhg_path_point *p = spdhg_path_points(path, &points);
    const int64_t best = spdhg_path_best(path), chosen = spdhg_path_chosen(path);
    const double mark[] = {p[chosen].lambda, p[best].lambda};
    const char *const label[] = {"chosen", "best"};
    const bool many = points > 1, validated = !isnan(p->loss);
    const spd_plot base = {
        .x_label = "lambda", .curves = 1, .log_x = many, .mark = mark, .mark_label = label, .marks = best == chosen ? 1 : 2};
    char lambda[SPD_SHORT], count[SPD_SHORT], loss[SPD_SHORT], error[SPD_SHORT];
    int64_t unconverged = 0;
    for (int64_t i = 0; i < points; i++) unconverged += p[i].unconverged;
    spd_html(out, "<h2>The path</h2>\n<p>Lambda @ was chosen from @ values.", spd_html_number(lambda, p[chosen].lambda, 5),
             spd_html_count(count, points));
    if (validated)
        spd_html(out, " Its loss on held-out rows is @, with a standard error of @.", spd_html_number(loss, p[chosen].loss, 5),
                 spd_html_number(error, p[chosen].loss_error, 2));
    if (unconverged > 0) spd_html(out, " @ solves in folds did not reach the tolerance.", spd_html_count(count, unconverged));
    spd_html(out, "</p>\n<div class='row'>");
    if (validated) {
        const spd_curve curve = {.label = "loss",
                                 .style = "a",
                                 .x = &p->lambda,
                                 .y = &p->loss,
                                 .points = points,
                                 .stride = STRIDE,
                                 .error = &p->loss_error};
        spd_plot plot = base;
        plot.title = "Loss on held-out rows, with one standard error";
        plot.curve = &curve;
        spd_svg_plot(out, &plot);
    }
    const spd_curve explained = {
        .label = "explained", .style = "a", .x = &p->lambda, .y = &p->explained, .points = points, .stride = STRIDE};
    spd_plot plot = base;
    plot.title = "Fraction of the loss explained";
    plot.curve = &explained;
    spd_svg_plot(out, &plot);
    double *nonzeros = SPD_NEW(double, points *STRIDE); /* the same stride as lambda */
    for (int64_t i = 0; nonzeros && i < points; i++) nonzeros[i * STRIDE] = (double)p[i].structure_nonzeros;
    const spd_curve count_curve = {
        .label = "nonzeros", .style = "a", .x = &p->lambda, .y = nonzeros, .points = points, .stride = STRIDE};
    plot.title = "Entries of F x that are not 0";
    plot.curve = &count_curve;
    if (nonzeros) spd_svg_plot(out, &plot);
    spd_free(nonzeros);
    int64_t shown = points; /* far below the best lambda, coefficients only grow and would hide the rest */
    while (shown > 2 && p[shown - 2].lambda < 0.1 * fmin(p[best].lambda, p[chosen].lambda)) shown--;
    coefficient_plot(out, path, shown, p, model, base);
    spd_html(out, "</div>\n");
}

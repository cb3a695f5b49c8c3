/* residuals.c - what a model of numbers leaves over: residuals against predictions, and their quantiles against those of a normal
 * distribution (Q-Q). The residual of a row is target - prediction; where scores are not the predictions themselves (counts),
 * it is the deviance residual
 *     sign(b - mean) sqrt(2 phi(z, b)),      phi = half the deviance */
#include <stdlib.h>

#include "report/page.h"

enum { MOST_TARGETS = 4, MOST_DOTS = 1500, QUANTILES = 300 };

static int rising(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The quantile of the standard normal distribution: Newton's method on erfc, which is exact far into the tails, from the left
 * half by symmetry. 0 < p < 1. */
static double normal_quantile(double p) {
    if (p > 0.5) return -normal_quantile(1 - p);
    double z = p < 0.02 ? -sqrt(-2 * log(p)) : 0;
    for (int k = 0; k < 60; k++) {
        const double value = 0.5 * erfc(-z / sqrt(2)), slope = exp(-z * z / 2) / sqrt(2 * acos(-1));
        const double step = (value - p) / slope;
        z -= fmax(-1, fmin(1, step));
        if (fabs(step) < 1e-12) break;
    }
    return z;
}

/* Residuals against predictions; of many rows every so many-th. */
static void draw_scatter(FILE *out, const char *title, const double *mean, const double *residual, int64_t rows) {
    const int64_t thin = (rows + MOST_DOTS - 1) / MOST_DOTS;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < rows; i++) {
        low = fmin(low, mean[i]);
        high = fmax(high, mean[i]);
    }
    const double ends[] = {low, high}, zero[] = {0, 0};
    const spd_curve curve[] = {{.label = "",
                                .style = "a",
                                .x = mean,
                                .y = residual,
                                .points = (rows + thin - 1) / thin,
                                .stride = thin,
                                .scatter = true},
                               {.label = "", .style = "chance", .x = ends, .y = zero, .points = 2, .stride = 1, .plain = true}};
    spd_svg_plot(out, &(spd_plot){.title = title, .x_label = "prediction", .curve = curve, .curves = 2, .tall = true});
}

/* The line goes through the quartiles. residual: sorted here. */
static void draw_quantiles(FILE *out, const char *title, double *residual, int64_t rows) {
    double x[QUANTILES], y[QUANTILES];
    const int64_t points = rows < QUANTILES ? rows : QUANTILES;
    qsort(residual, (size_t)rows, sizeof *residual, rising);
    for (int64_t k = 0; k < points; k++) {
        const int64_t at = points > 1 ? (int64_t)llround((double)k * (double)(rows - 1) / (double)(points - 1)) : 0;
        x[k] = normal_quantile(((double)at + 0.5) / (double)rows);
        y[k] = residual[at];
    }
    const double first = residual[rows / 4], third = residual[3 * rows / 4],
                 slope = (third - first) / (2 * normal_quantile(0.75));
    const double ends[] = {normal_quantile(0.5 / (double)rows), normal_quantile(((double)rows - 0.5) / (double)rows)},
                 middle = (first + third) / 2;
    const double line[] = {middle + slope * ends[0], middle + slope * ends[1]};
    const spd_curve curve[] = {{.label = "", .style = "a", .x = x, .y = y, .points = points, .stride = 1, .scatter = true},
                               {.label = "", .style = "chance", .x = ends, .y = line, .points = 2, .stride = 1, .plain = true}};
    spd_svg_plot(out, &(spd_plot){.title = title, .x_label = "normal quantile", .curve = curve, .curves = 2, .tall = true});
}

/* Predictions and residuals of target k in the rows whose targets the loss accepts; returns their number. */
static int64_t collect(const spd_judged *j, const spdhg_model *m, int64_t k, double *mean, double *residual) {
    double arg;
    const spdhg_loss *loss = spd_model_loss(m, &arg);
    int64_t rows = 0;
    for (int64_t i = 0; loss && i < j->data->rows; i++) {
        const double z = j->score[i * m->outputs + k], b = j->data->b[i * m->outputs + k];
        if (loss->wrong_target && loss->wrong_target(b)) continue;
        mean[rows] = spd_loss_mean(loss, arg, z);
        const double left = b - mean[rows];
        residual[rows++] = loss->mean ? copysign(sqrt(fmax(0, 2 * spd_loss_value(loss, arg, 1, &z, &b))), left) : left;
    }
    return rows;
}

spdhg_status spd_page_residuals(FILE *out, const spd_judged *j, const spdhg_model *m, spdhg_error *err) {
    double *mean = SPD_NEW(double, j->data->rows), *residual = SPD_NEW(double, j->data->rows), arg;
    const spdhg_loss *loss = spd_model_loss(m, &arg);
    const bool deviance = loss && loss->mean, named = m->columns && m->columns->targets == m->outputs;
    char title[160], of[80] = "", rows[SPD_SHORT];
    spd_html(out, "<div class='row'>");
    for (int64_t k = 0; mean && residual && k < m->outputs && k < MOST_TARGETS; k++) {
        const int64_t count = collect(j, m, k, mean, residual);
        if (count == 0) continue;
        if (m->outputs > 1 && named) snprintf(of, sizeof of, " of %.60s", m->columns->target[k]);
        if (m->outputs > 1 && !named) snprintf(of, sizeof of, " of target %lld", (long long)k + 1);
        snprintf(title, sizeof title, "%s%s, against predictions", deviance ? "Deviance residuals" : "Residuals", of);
        draw_scatter(out, title, mean, residual, count);
        snprintf(title, sizeof title, "%s%s, against normal quantiles (Q-Q)", deviance ? "Deviance residuals" : "Residuals", of);
        draw_quantiles(out, title, residual, count);
    }
    spd_html(out, "</div>\n");
    if (j->data->rows > MOST_DOTS)
        spd_html(out, "<p class='faint'>Of the residuals, one row in @ is drawn.</p>\n",
                 spd_html_count(rows, (j->data->rows + MOST_DOTS - 1) / MOST_DOTS));
    const bool good = mean && residual;
    spd_free(mean);
    spd_free(residual);
    return good ? SPDHG_OK : spd_fail_memory(err, 16.0 * (double)j->data->rows);
}

/* signal_page.c - a page about signals: the problem, how lambda was chosen, data and fit of every line with its knots, an image
 * before and after. */
#include "report/page.h"

enum { SIGNALS_SHOWN = 8, DOTS_MOST = 2000, LINE_MOST = 4000, SIDE_MOST = 1024, KNOTS_LISTED = 60 };
enum { STRIDE = sizeof(spdhg_path_point) / sizeof(double) };

static const char *name_of(const spd_signal_report *r, int64_t s, char text[SPD_SHORT]) {
    if (r->name) return r->name[s];
    snprintf(text, SPD_SHORT, "signal %lld", (long long)s + 1);
    return text;
}

static void tiles(FILE *out, const spd_signal_report *r) {
    const spdhg_denoised_view *v = r->view;
    spd_html(out, "<section class='tiles'>");
    spd_page_tile(out, "lambda (mean loss)", v->lambda, 4, 1, "");
    spd_page_tile(out, "lambda (sum of losses)", v->lambda_sum, 4, 1, "");
    spd_page_tile(out, "degrees of freedom", v->degrees, 6, 1, "");
    spd_page_tile(out, "differences not 0", (double)v->differences, 6, 1, "");
    spd_page_tile(out, "missing values", (double)(v->points - v->observed), 6, 1, "");
    spd_page_tile(out, "relative gap", spd_round_towards(INFINITY, v->gap_relative, 2), 2, 1, "");
    spd_html(out, "</section>\n");
}

/* How lambda was chosen: the held-out loss, or the criterion, and the degrees of freedom. */
static void choice(FILE *out, const spd_signal_report *r, int64_t s) {
    const spdhg_path *path = r->view[s].path;
    if (!path) return;
    int64_t points;
    const spdhg_path_point *p = spdhg_path_points(path, &points);
    const struct {
        const char *name, *title;
        const double *value;
    } all[] = {{"cv", "Loss at points held out, with one standard error", &p->loss},
               {"cp", "Cp: estimate of the squared error", &p->cp},
               {"aic", "AIC", &p->aic},
               {"bic", "BIC", &p->bic},
               {"ebic", "Extended BIC", &p->ebic}};
    const double mark = p[spdhg_path_chosen(path)].lambda;
    const char *const label = "chosen";
    spd_plot plot = {.x_label = "lambda", .curves = 1, .log_x = points > 1, .mark = &mark, .mark_label = &label, .marks = 1};
    spd_html(out, "<div class='row'>");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, r->choose) != 0) continue;
        const spd_curve curve = {.label = "",
                                 .style = "a",
                                 .x = &p->lambda,
                                 .y = all[i].value,
                                 .points = points,
                                 .stride = STRIDE,
                                 .error = i == 0 ? &p->loss_error : NULL,
                                 .bars = true};
        plot.title = all[i].title;
        plot.curve = &curve;
        spd_svg_plot(out, &plot);
    }
    const spd_curve degrees = {.label = "", .style = "a", .x = &p->lambda, .y = &p->degrees, .points = points, .stride = STRIDE};
    plot.title = "Degrees of freedom";
    plot.curve = &degrees;
    spd_svg_plot(out, &plot);
    spd_html(out, "</div>\n");
}

/* Draws every n-th point of a long line, but all of its knots. */
static spdhg_status line_plot(FILE *out, const spd_signal_report *r, int64_t s, spdhg_error *err) {
    const spdhg_denoised_view *v = &r->view[s];
    const int64_t n = v->points, thin = (n + DOTS_MOST - 1) / DOTS_MOST, fine = (n + LINE_MOST - 1) / LINE_MOST;
    const double *value = r->value + s * n;
    double *t = SPD_NEW(double, n + 2 * v->knots), *knot = t ? t + n : NULL;
    char text[SPD_SHORT];
    if (!t) return spd_fail_memory(err, 8.0 * (double)(n + 2 * v->knots));
    for (int64_t i = 0; i < n; i++) t[i] = r->position ? r->position[i] : (double)(i + 1);
    for (int64_t k = 0; k < v->knots; k++) {
        knot[2 * k] = t[v->knot[k]];
        knot[2 * k + 1] = v->x[v->knot[k]];
    }
    const spd_curve curve[] = {
        {.label = "data", .style = "a", .x = t, .y = value, .points = (n + thin - 1) / thin, .stride = thin, .scatter = true},
        {.label = "fit", .style = "b", .x = t, .y = v->x, .points = (n + fine - 1) / fine, .stride = fine, .plain = true},
        {.label = "knots", .style = "b", .x = knot, .y = knot + 1, .points = v->knots, .stride = 2, .scatter = true}};
    spd_svg_plot(out, &(spd_plot){.title = "Data and fit",
                                  .x_label = r->position ? "position" : "number",
                                  .curve = curve,
                                  .curves = v->knots > 0 ? 3 : 2});
    if (v->knots > 0) {
        spd_html(out, "<p class='faint'>@ at ", v->segments > 0 ? "New levels" : "Knots");
        for (int64_t k = 0; k < v->knots && k < KNOTS_LISTED; k++)
            spd_html(out, k ? ", @" : "@", spd_html_number(text, t[v->knot[k]], 8));
        if (v->knots > KNOTS_LISTED) spd_html(out, ", ... (@ in all)", spd_html_count(text, v->knots));
        spd_html(out, "</p>\n");
    }
    spd_free(t);
    return SPDHG_OK;
}

static spdhg_status lines(FILE *out, const spd_signal_report *r, spdhg_error *err) {
    char text[SPD_SHORT];
    for (int64_t s = 0; s < r->signals && s < SIGNALS_SHOWN; s++) {
        spd_html(out, "<h2><bdi>@</bdi></h2>\n<div class='signal'>", name_of(r, s, text));
        SPD_TRY(line_plot(out, r, s, err));
        spd_html(out, "</div>\n");
        choice(out, r, s);
    }
    if (r->signals > SIGNALS_SHOWN) spd_html(out, "<p>... and @ more.</p>\n", spd_html_count(text, r->signals - SIGNALS_SHOWN));
    return SPDHG_OK;
}

/* Maps the values of all channels to bytes, dark to light from low to high; every step-th pixel of the middle slice. */
typedef struct frame {
    int64_t height, width, step, signals;
    double low, high;
    unsigned char *pixel;
} frame;

static void fill(const spd_signal_report *r, const frame *f, bool fitted) {
    const int64_t n = r->view->points, *side = r->side, slice = side[2] / 2;
    for (int64_t i = 0; i < f->height * f->width; i++)
        for (int64_t s = 0; s < f->signals; s++) {
            const int64_t at = (i / f->width * f->step * side[1] + i % f->width * f->step) * side[2] + slice;
            const double value = fitted ? r->view[s].x[at] : r->value[s * n + at];
            const double part = 255 * (value - f->low) / (f->high - f->low);
            f->pixel[i * f->signals + s] = part > 0 ? part < 255 ? (unsigned char)lround(part) : 255 : 0; /* NAN: 0 */
        }
}

static spdhg_status pictures(FILE *out, const spd_signal_report *r, spdhg_error *err) {
    const int64_t *side = r->side, n = r->view->points, longest = side[0] > side[1] ? side[0] : side[1];
    frame f = {
        .step = (longest + SIDE_MOST - 1) / SIDE_MOST, .signals = r->signals == 3 ? 3 : 1, .low = INFINITY, .high = -INFINITY};
    f.height = (side[0] + f.step - 1) / f.step;
    f.width = (side[1] + f.step - 1) / f.step;
    f.pixel = spd_alloc(f.height * f.width * f.signals, 1);
    if (!f.pixel) return spd_fail_memory(err, (double)(f.height * f.width * f.signals));
    for (int64_t i = 0; i < f.signals * n; i++) {
        f.low = fmin(f.low, r->value[i]); /* fmin and fmax ignore NAN */
        f.high = fmax(f.high, r->value[i]);
    }
    if (!(f.high > f.low)) f.high = f.low + 1;
    spd_html(out, "<h2>The image</h2>\n<div class='images'>");
    fill(r, &f, false);
    spdhg_status status = spd_page_pixels(out, "before", f.height, f.width, (int)f.signals, f.pixel, err);
    fill(r, &f, true);
    if (status == SPDHG_OK) status = spd_page_pixels(out, "after", f.height, f.width, (int)f.signals, f.pixel, err);
    spd_html(out, "</div>\n");
    spd_free(f.pixel);
    for (int64_t s = 0; status == SPDHG_OK && s < r->signals && s < SIGNALS_SHOWN; s++) choice(out, r, s);
    return status;
}

static void settings(FILE *out, const spd_signal_report *r) {
    const spdhg_denoised_view *v = r->view;
    char text[SPD_SHORT];
    spd_html(out, "<h2>Settings</h2>\n<table class='narrow'>");
    spd_page_setting(out, "structure", r->structure);
    spd_page_setting(out, "loss", r->loss);
    spd_page_setting(out, "lambda", v->path ? r->choose : "given");
    spd_page_setting(out, "solver", v->solver);
    spd_page_setting(out, "objective", spd_html_number(text, v->objective, 8));
    spd_page_setting(out, "spdhg", spdhg_version());
    spd_html(out, "</table>\n");
    spd_page_command(out, r->command);
}

spdhg_status spd_report_signals(const spd_signal_report *r, const char *path, spdhg_error *err) {
    if (r->signals == 0) return spd_fail(err, SPDHG_USAGE, "there is no signal to report");
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    FILE *out = file.stream;
    char signals[SPD_SHORT], points[SPD_SHORT];
    spd_page_head(out, r->title, SPD_PAGE_STILL);
    spd_html(out, "<p>@ of @ values, denoised", r->signals == 1 ? "A signal" : spd_html_count(signals, r->signals),
             spd_html_count(points, r->view->points));
    spd_html(out, r->signals == 1 ? ".</p></header>\n" : "; the numbers below are of the first.</p></header>\n");
    tiles(out, r);
    const bool image = r->side[0] * r->side[1] * r->side[2] == r->view->points && r->side[1] > 1;
    const spdhg_status status = image ? pictures(out, r, err) : lines(out, r, err);
    settings(out, r);
    spd_page_foot(out, SPD_PAGE_STILL);
    if (status == SPDHG_OK) return spd_file_commit(&file, err);
    spd_file_abort(&file);
    return status;
}

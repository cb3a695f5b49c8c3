/* svg.c - curves over two axes as inline SVG: grid lines, round ticks, linear or logarithmic. Colours come from the style sheet.
 */
#include "report/page.h"

enum { WIDTH = 640, HEIGHT = 300, TALL = 460, LEFT = 74, RIGHT = 18, TOP = 46, BOTTOM = 46, NAMED = 14, LINE = 14, ROOM = 60 };

static double bottom_of(const spd_plot *plot) { return (plot->tall ? TALL : HEIGHT) - BOTTOM; }

typedef struct axis {
    double low, high; /* of the values, or of their logarithms */
    double from, to;  /* the pixel range they map to */
    bool logarithmic;
} axis;

static bool usable(const axis *a, double value) { return isfinite(value) && (!a->logarithmic || value > 0); }

static double place(const axis *a, double value) {
    const double at = a->logarithmic ? log10(value) : value;
    return a->from + (at - a->low) / (a->high - a->low) * (a->to - a->from);
}

static int log_ticks(double low, double high, int wanted, double *tick) {
    const double decades = log10(high / low);
    static const double few[] = {1}, some[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
    const bool tall = decades > 3, middling = decades > 0.8;
    const double *part = tall ? few : middling ? some : many;
    const int parts = tall ? 1 : middling ? 3 : 8;
    const int step = decades > wanted ? (int)ceil(decades / wanted) : 1;
    int count = 0;
    for (int power = (int)floor(log10(low)) / step * step - step; power <= log10(high); power += step)
        for (int p = 0; p < parts && count < SPD_TICKS; p++) {
            const double value = part[p] * pow(10, power);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) tick[count++] = value;
        }
    return count;
}

static int linear_ticks(double low, double high, int wanted, double *tick) {
    const double rough = (high - low) / wanted, power = pow(10, floor(log10(rough)));
    const double step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    int count = 0;
    for (double at = ceil(low / step - 1e-9); at * step <= high + 1e-9 * step && count < SPD_TICKS; at++)
        tick[count++] = at == 0 ? 0 : at * step; /* never -0 */
    return count;
}

int spd_ticks(double low, double high, bool logarithmic, int wanted, double tick[SPD_TICKS]) {
    if (!(high > low) || !isfinite(high - low)) return 0;
    if (!logarithmic) return linear_ticks(low, high, wanted, tick);
    const int count = log_ticks(low, high, wanted, tick);
    return count >= 2 ? count : linear_ticks(low, high, wanted, tick); /* less than one log tick: linear ones are good enough */
}

/* The range of all curves in one coordinate; false if there is nothing to show. */
static bool span(const spd_plot *plot, axis *a, bool vertical) {
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < plot->curves; c++)
        for (int64_t i = 0; i < plot->curve[c].points; i++) {
            const double value = (vertical ? plot->curve[c].y : plot->curve[c].x)[i * plot->curve[c].stride];
            if (!usable(a, value)) continue;
            const double *error = vertical ? plot->curve[c].error : NULL, margin = error ? error[i * plot->curve[c].stride] : 0;
            low = fmin(low, isfinite(margin) && usable(a, value - margin) ? value - margin : value);
            high = fmax(high, isfinite(margin) ? value + margin : value);
        }
    if (!(low <= high)) return false;
    if (low == high) { /* one value: leave a margin around it */
        const double margin = low == 0 ? 1 : 0.1 * fabs(low);
        low -= margin;
        high += margin;
    }
    a->low = a->logarithmic ? log10(low) : low;
    a->high = a->logarithmic ? log10(high) : high;
    const double margin = vertical ? 0.05 * (a->high - a->low) : 0;
    a->low -= margin;
    a->high += margin;
    return true;
}

static double end_of(const axis *a, double at) { return a->logarithmic ? pow(10, at) : at; }

static void draw_axes(FILE *out, const spd_plot *plot, const axis *x, const axis *y) {
    double tick[SPD_TICKS];
    char text[SPD_SHORT];
    int ticks = spd_ticks(end_of(y, y->low), end_of(y, y->high), y->logarithmic, 5, tick);
    for (int i = 0; i < ticks; i++) {
        const double at = place(y, tick[i]);
        spd_html(out, "<line class='grid' x1='~' x2='~' y1='~' y2='~'/>", (double)LEFT, (double)WIDTH - RIGHT, at, at);
        spd_html(out, "<text class='tick' text-anchor='end' x='~' y='~'>@</text>", LEFT - 8.0, at + 4,
                 spd_html_number(text, tick[i], 6));
    }
    ticks = spd_ticks(end_of(x, x->low), end_of(x, x->high), x->logarithmic, 7, tick);
    for (int i = 0; i < ticks; i++) {
        const double at = place(x, tick[i]);
        spd_html(out, "<line class='grid' x1='~' x2='~' y1='~' y2='~'/>", at, at, (double)TOP, bottom_of(plot));
        spd_html(out, "<text class='tick' text-anchor='middle' x='~' y='~'>@</text>", at, bottom_of(plot) + 18,
                 spd_html_number(text, tick[i], 6));
    }
    spd_html(out, "<line class='axis' x1='~' x2='~' y1='~' y2='~'/>", (double)LEFT, (double)WIDTH - RIGHT, bottom_of(plot),
             bottom_of(plot));
    spd_html(out, "<text class='label' text-anchor='end' x='~' y='~'>@</text>", (double)WIDTH - RIGHT,
             bottom_of(plot) + BOTTOM - 8, plot->x_label);
}

/* y + error forwards, y - error backwards. */
static void draw_band(FILE *out, const spd_curve *curve, const axis *x, const axis *y) {
    int64_t drawn = 0;
    spd_html(out, "<path class='band' d='");
    for (int64_t k = 0; k < 2 * curve->points; k++) {
        const int64_t i = (k < curve->points ? k : 2 * curve->points - 1 - k) * curve->stride;
        const double at = curve->y[i] + (k < curve->points ? 1 : -1) * curve->error[i];
        if (usable(x, curve->x[i]) && usable(y, at))
            spd_html(out, drawn++ ? "L~ ~" : "M~ ~", place(x, curve->x[i]), place(y, at));
    }
    spd_html(out, "'/>");
}

/* A bar with caps from y - error to y + error at every point. */
static void draw_bars(FILE *out, const spd_curve *curve, const axis *x, const axis *y) {
    spd_html(out, "<path class='bars' d='");
    for (int64_t i = 0; i < curve->points * curve->stride; i += curve->stride) {
        const double low = curve->y[i] - curve->error[i], high = curve->y[i] + curve->error[i];
        if (!usable(x, curve->x[i]) || !usable(y, low) || !usable(y, high)) continue;
        const double at = place(x, curve->x[i]);
        spd_html(out, "M~ ~h4m-2 0V~m-2 0h4", at - 2, place(y, high), place(y, low));
    }
    spd_html(out, "'/>");
}

static void draw_marks(FILE *out, const spd_plot *plot, const axis *x) {
    for (int i = 0; i < plot->marks; i++) {
        if (!usable(x, plot->mark[i])) continue;
        const double at = place(x, plot->mark[i]);
        spd_html(out, "<line class='mark' x1='~' x2='~' y1='~' y2='~'/>", at, at, (double)TOP, bottom_of(plot));
        spd_html(out, "<text class='tick' x='~' y='~'>@</text>", at + 4, TOP + 12.0 + 14 * i, plot->mark_label[i]);
    }
}

static void draw_scatter(FILE *out, const spd_curve *curve, const axis *x, const axis *y) {
    for (int64_t i = 0; i < curve->points; i++) {
        const double px = curve->x[i * curve->stride], py = curve->y[i * curve->stride];
        if (usable(x, px) && usable(y, py))
            spd_html(out, "<circle class='seen @' cx='~' cy='~' r='~'/>", curve->style, place(x, px), place(y, py),
                     strcmp(curve->style, "a") == 0 ? 1.8 : 3.2);
    }
}

static void draw_curve(FILE *out, const spd_curve *curve, const axis *x, const axis *y) {
    if (curve->scatter) {
        draw_scatter(out, curve, x, y);
        return;
    }
    int64_t drawn = 0, last = -1;
    spd_html(out, "<path class='curve @' d='", curve->style);
    for (int64_t i = 0; i < curve->points; i++) {
        const double px = curve->x[i * curve->stride], py = curve->y[i * curve->stride];
        if (!usable(x, px) || !usable(y, py)) continue;
        spd_html(out, drawn++ ? "L~ ~" : "M~ ~", place(x, px), place(y, py));
        last = i;
    }
    if (curve->hover)
        spd_html(out, "'><title>@</title></path>", curve->hover);
    else
        spd_html(out, "'/>");
    if (last < 0 || curve->plain) return;
    char at[SPD_SHORT], value[SPD_SHORT];
    const bool few = drawn <= 60; /* mark each measured point as long as there are few enough to tell apart */
    for (int64_t i = few ? 0 : last; i <= last; i++) {
        const double px = curve->x[i * curve->stride], py = curve->y[i * curve->stride];
        if (usable(x, px) && usable(y, py))
            spd_html(out, "<circle class='dot @' cx='~' cy='~' r='~'><title>@: @</title></circle>", curve->style, place(x, px),
                     place(y, py), i == last ? 4.0 : 2.2, spd_html_number(at, px, 6), spd_html_number(value, py, 6));
    }
}

/* What the script needs to find x on the axis: its range (of logarithms) and the pixels of its ends. */
static void draw_axis_data(FILE *out, const axis *x, const axis *y) {
    char low[SPD_NUMBER_CHARS], high[SPD_NUMBER_CHARS];
    spd_print_double(low, x->low);
    spd_print_double(high, x->high);
    spd_html(out, " data-axis='@ @ ~ ~ ~ ~ @'", low, high, x->from, x->to, y->to, y->from, x->logarithmic ? "log" : "linear");
}

/* Whether the label of a mark at the left end would be under a name at this height. */
static bool below_mark(const spd_plot *plot, const axis *x, double from, double height) {
    bool under = false;
    for (int i = 0; i < plot->marks; i++)
        under = under || (usable(x, plot->mark[i]) && fabs(place(x, plot->mark[i]) - from) < ROOM &&
                          fabs(height - (TOP + 12.0 + 14 * i)) < LINE);
    return under;
}

/* Writes the names of curves at their left ends, each where no other text is. */
static void draw_curve_names(FILE *out, const spd_plot *plot, const axis *x, const axis *y) {
    double taken[NAMED];
    int named = 0;
    for (int c = 0; c < plot->curves && named < NAMED; c++) {
        const spd_curve *curve = &plot->curve[c];
        int64_t at = 0;
        for (int64_t i = 1; i < curve->points; i++)
            if (curve->x[i * curve->stride] < curve->x[at * curve->stride]) at = i;
        if (!curve->name || curve->points == 0 || !usable(y, curve->y[at * curve->stride])) continue;
        const double from = place(x, curve->x[at * curve->stride]) + 4;
        double height = place(y, curve->y[at * curve->stride]) - 4;
        for (int tries = 0; tries < plot->marks && below_mark(plot, x, from, height); tries++) height += LINE;
        bool is_free = true;
        for (int k = 0; k < named; k++) is_free = is_free && fabs(height - taken[k]) >= LINE;
        if (!is_free) continue;
        taken[named++] = height;
        spd_html(out, "<text class='name' x='~' y='~'>@</text>", from, height, curve->name);
    }
}

void spd_svg_plot(FILE *out, const spd_plot *plot) {
    axis x = {.from = LEFT, .to = WIDTH - RIGHT, .logarithmic = plot->log_x};
    axis y = {.from = bottom_of(plot), .to = TOP, .logarithmic = plot->log_y};
    if (!span(plot, &x, false) || !span(plot, &y, true)) return;
    spd_html(out, "<svg class='plot' viewBox='0 0 ~ ~' role='img' aria-label='@'", (double)WIDTH, bottom_of(plot) + BOTTOM,
             plot->title);
    if (plot->follows) draw_axis_data(out, &x, &y);
    spd_html(out, ">");
    spd_html(out, "<text class='title' x='~' y='18'>@</text>", 8.0, plot->title);
    double at = LEFT;
    for (int c = 0; c < plot->curves && plot->curves > 1; c++) {
        if (!plot->curve[c].label[0] || at + 28 + 8.5 * (double)strlen(plot->curve[c].label) > WIDTH) continue;
        if (plot->curve[c].scatter)
            spd_html(out, "<circle class='seen @' cx='~' cy='34' r='3'/>", plot->curve[c].style, at + 11);
        else
            spd_html(out, "<line class='curve @' x1='~' x2='~' y1='34' y2='34'/>", plot->curve[c].style, at, at + 22);
        spd_html(out, "<text class='label' x='~' y='38'>@</text>", at + 28, plot->curve[c].label);
        at += 60 + 8.5 * (double)strlen(plot->curve[c].label);
    }
    draw_axes(out, plot, &x, &y);
    for (int c = 0; c < plot->curves; c++)
        if (plot->curve[c].error) (plot->curve[c].bars ? draw_bars : draw_band)(out, &plot->curve[c], &x, &y);
    draw_marks(out, plot, &x);
    for (int c = 0; c < plot->curves; c++) draw_curve(out, &plot->curve[c], &x, &y);
    draw_curve_names(out, plot, &x, &y);
    spd_html(out, "</svg>\n");
}

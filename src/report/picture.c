/* picture.c - coefficients as an image of their grid (red above zero, blue below, colour depth for size), as stems in order, or
 * the largest as bars.
 * Large arrays are pooled: a cell of an image shows the mean of its block, a stem the largest coefficient of its range. */
#include "report/page.h"

enum { MOST_CELLS = 128, CELLS_WIDE = 320, MOST_STEMS = 2000, POOLED_STEMS = 1000 };

static double clamp01(double value) { return fmax(0, fmin(1, value)); }

/* A concave map, so that small coefficients stay visible; the legend uses it too. */
double spd_picture_depth(double value, double scale) { return pow(clamp01(fabs(value) / scale), 0.6); }

static void cell(FILE *out, double x, double y, double width, double height, double value, double scale) {
    const double depth = spd_picture_depth(value, scale);
    if (depth < 0.005) return; /* zero has the background colour */
    spd_html(out, "<rect class='@' x='~' y='~' width='~' height='~' fill-opacity='~'/>", value > 0 ? "p" : "n", x, y, width,
             height, depth);
}

/* Mean over the pixels of a block, so that a large image fits the page. */
static double pooled(const spdhg_model *m, const double *x, int64_t h, int64_t w, int64_t block, int64_t slice, int64_t output) {
    const int64_t depth = m->side[2] > 0 ? m->side[2] : 1;
    double sum = 0, count = 0;
    for (int64_t i = h * block; i < (h + 1) * block && i < m->side[0]; i++)
        for (int64_t j = w * block; j < (w + 1) * block && j < m->side[1]; j++, count++)
            sum += x[((i * m->side[1] + j) * depth + slice) * m->outputs + output];
    return sum / count;
}

void spd_picture_grid(FILE *out, const char *title, const spdhg_model *m, const double *x, int64_t slice, int64_t output,
                      double scale) {
    const int64_t longest = m->side[0] > m->side[1] ? m->side[0] : m->side[1];
    const int64_t block = (longest + MOST_CELLS - 1) / MOST_CELLS;
    const int64_t high = (m->side[0] + block - 1) / block, wide = (m->side[1] + block - 1) / block;
    const double unit = (double)CELLS_WIDE / (double)(high > wide ? high : wide);
    const double width = unit * (double)wide, height = unit * (double)high;
    spd_html(out, "<figure><svg class='image' viewBox='0 0 ~ ~' role='img' aria-label='@' shape-rendering='crispEdges'>", width,
             height, title);
    spd_html(out, "<rect class='ground' x='0' y='0' width='~' height='~'/>", width, height);
    for (int64_t h = 0; h < high; h++)
        for (int64_t w = 0; w < wide; w++)
            cell(out, unit * (double)w, unit * (double)h, unit, unit, pooled(m, x, h, w, block, slice, output), scale);
    spd_html(out, "</svg><figcaption>@", title);
    char count[SPD_SHORT];
    if (block > 1) spd_html(out, " (a cell is the mean of @ pixels)", spd_html_count(count, block * block));
    spd_html(out, "</figcaption></figure>\n");
}

void spd_picture_legend(FILE *out, double scale) {
    enum { STEPS = 40, STEP = 7 };
    char low[SPD_SHORT], high[SPD_SHORT];
    spd_html(out, "<svg class='legend' viewBox='0 0 ~ 34' role='img' aria-label='colour scale'>", (double)STEPS * STEP);
    spd_html(out, "<rect class='ground' x='0' y='0' width='~' height='14'/>", (double)STEPS * STEP);
    for (int s = 0; s < STEPS; s++) cell(out, s * (double)STEP, 0, STEP, 14, (s + 0.5) * 2 / STEPS - 1, 1);
    spd_html(out, "<text class='tick' x='0' y='30'>@</text>", spd_html_number(low, -scale, 3));
    spd_html(out, "<text class='tick' text-anchor='middle' x='~' y='30'>0</text>", STEPS * STEP / 2.0);
    spd_html(out, "<text class='tick' text-anchor='end' x='~' y='30'>@</text></svg>\n", (double)STEPS * STEP,
             spd_html_number(high, scale, 3));
}

/* The coefficient of largest size among those represented by stem s of `stems`, and its feature (may be NULL). */
static double tallest(const double *x, int64_t features, int64_t K, int64_t stems, int64_t s, int64_t *feature) {
    const int64_t from = (int64_t)((double)features * (double)s / (double)stems);
    const int64_t to = s + 1 == stems ? features : (int64_t)((double)features * (double)(s + 1) / (double)stems);
    double best = 0;
    for (int64_t j = from; j < to; j++)
        if (fabs(x[j * K]) > fabs(best)) {
            best = x[j * K];
            if (feature) *feature = j;
        }
    return best;
}

const char *spd_page_feature(const spdhg_model *m, int64_t j, char text[SPD_SHORT]) {
    if (m->name) return m->name[j];
    snprintf(text, SPD_SHORT, "feature %lld", (long long)j + m->index_base);
    return text;
}

const char *spd_page_cut(const char *text, int letters, char *out, size_t size) {
    size_t at = 0;
    int seen = 0;
    for (; text[at] && at + 4 < size; at++) {
        seen += (text[at] & 0xC0) != 0x80; /* of UTF-8 */
        if (seen > letters) break;
        out[at] = text[at];
    }
    memcpy(out + at, text[at] ? "\xE2\x80\xA6" : "", text[at] ? 4 : 1); /* an ellipsis */
    return out;
}

void spd_picture_stems(FILE *out, const spdhg_model *m, const double *x, const double *truth, int64_t output) {
    enum { WIDTH = 1000, HEIGHT = 260, LEFT = 70, MIDDLE = 125, HALF = 105 };
    const int64_t K = m->outputs, stems = m->features > MOST_STEMS ? POOLED_STEMS : m->features;
    double scale = 0;
    for (int64_t j = 0; j < m->features; j++)
        scale = fmax(scale, fmax(fabs(x[j * K + output]), truth ? fabs(truth[j * K + output]) : 0));
    double tick[SPD_TICKS];
    char text[SPD_SHORT], name[SPD_SHORT];
    const int ticks = spd_ticks(-scale, scale, false, 4, tick);
    spd_html(out, "<svg class='stems' viewBox='0 0 ~ ~' role='img' aria-label='coefficients in their order'>", (double)WIDTH,
             (double)HEIGHT);
    for (int i = 0; i < ticks; i++) {
        const double y = MIDDLE - HALF * tick[i] / scale;
        spd_html(out, "<line class='@' x1='~' x2='~' y1='~' y2='~'/>", tick[i] == 0 ? "axis" : "grid", (double)LEFT,
                 (double)WIDTH, y, y);
        spd_html(out, "<text class='tick' text-anchor='end' x='~' y='~'>@</text>", LEFT - 8.0, y + 4,
                 spd_html_number(text, tick[i], 6));
    }
    const double step = (double)(WIDTH - LEFT) / (double)stems, thick = fmin(6, fmax(0.6, 0.6 * step));
    for (int64_t s = 0; s < stems && scale > 0; s++) {
        int64_t j = 0;
        const double value = tallest(x + output, m->features, K, stems, s, &j), at = LEFT + step * ((double)s + 0.5);
        const double y = MIDDLE - HALF * value / scale;
        if (value != 0)
            spd_html(out, "<rect class='@' x='~' y='~' width='~' height='~'><title>@: @</title></rect>", value > 0 ? "p" : "n",
                     at - thick / 2, fmin(y, MIDDLE), thick, fabs(y - MIDDLE), spd_page_feature(m, j, name),
                     spd_html_number(text, value, 5));
    }
    for (int64_t s = 0; s < stems && truth; s++) { /* drawn after the bars, on top of them */
        const double known = tallest(truth + output, m->features, K, stems, s, NULL), at = LEFT + step * ((double)s + 0.5);
        const double y = MIDDLE - HALF * known / scale, half = fmax(step, 4) / 2;
        if (known != 0) spd_html(out, "<line class='truth' x1='~' x2='~' y1='~' y2='~'/>", at - half, at + half, y, y);
    }
    const int numbers = spd_ticks(0, (double)(m->features - 1), false, 8, tick); /* which feature a bar belongs to */
    for (int i = 0; i < numbers; i++)
        if (tick[i] == floor(tick[i]) && tick[i] + 0.5 < 0.9 * (double)m->features)
            spd_html(out, "<text class='tick' text-anchor='middle' x='~' y='~'>@</text>",
                     LEFT + (double)(WIDTH - LEFT) * (tick[i] + 0.5) / (double)m->features, HEIGHT - 6.0,
                     spd_html_count(text, (int64_t)tick[i] + m->index_base));
    spd_html(out, "<text class='label' text-anchor='end' x='~' y='~'>feature</text></svg>\n", (double)WIDTH, HEIGHT - 6.0);
}

/* The features of largest coefficients of one output, by value times spread; returns how many, at most `most`. */
static int largest_of(const spdhg_model *m, int64_t output, int most, int64_t *feature, double *size) {
    int found = 0;
    for (int64_t j = 0; j < m->features; j++) {
        const double value = m->x[j * m->outputs + output] * (m->spread ? m->spread[j] : 1);
        if (value == 0 || (found == most && fabs(value) <= fabs(size[most - 1]))) continue;
        int at = found < most ? found++ : most - 1;
        for (; at > 0 && fabs(size[at - 1]) < fabs(value); at--) {
            size[at] = size[at - 1];
            feature[at] = feature[at - 1];
        }
        size[at] = value;
        feature[at] = j;
    }
    return found;
}

void spd_picture_bars(FILE *out, const spdhg_model *m, int64_t output) {
    enum { MOST = 20, WIDTH = 640, LEFT = 210, RIGHT = 66, ROW = 21, TOP = 26, LETTERS = 27 };
    int64_t feature[MOST];
    double size[MOST], low = 0, high = 0, tick[SPD_TICKS];
    char text[SPD_SHORT], name[SPD_SHORT], shown[4 * LETTERS + 8];
    const int bars = largest_of(m, output, MOST, feature, size);
    if (bars == 0) {
        spd_html(out, "<p class='faint'>All are 0.</p>\n");
        return;
    }
    for (int b = 0; b < bars; b++) {
        low = fmin(low, size[b]);
        high = fmax(high, size[b]);
    }
    const double scale = (WIDTH - LEFT - RIGHT) / (high - low), zero = LEFT - low * scale, bottom = TOP + ROW * (double)bars;
    spd_html(out, "<svg class='bar-list plot' viewBox='0 0 ~ ~' role='img' aria-label='largest coefficients'>", (double)WIDTH,
             bottom + 24);
    spd_html(out, "<text class='title' x='8' y='16'>@</text>",
             m->spread ? "Largest coefficients, standardized" : "Largest coefficients");
    const int ticks = spd_ticks(low, high, false, 5, tick);
    for (int i = 0; i < ticks; i++) {
        const double at = zero + tick[i] * scale;
        spd_html(out, "<line class='@' x1='~' x2='~' y1='~' y2='~'/>", tick[i] == 0 ? "axis" : "grid", at, at, (double)TOP,
                 bottom);
        spd_html(out, "<text class='tick' text-anchor='middle' x='~' y='~'>@</text>", at, bottom + 16,
                 spd_html_number(text, tick[i], 6));
    }
    for (int b = 0; b < bars; b++) {
        const double at = zero + size[b] * scale, y = TOP + ROW * (double)b;
        const char *full = spd_page_feature(m, feature[b], name);
        spd_html(out, "<g><title>@: @</title>", full, spd_html_number(text, m->x[feature[b] * m->outputs + output], 5));
        spd_html(out, "<text class='name' text-anchor='end' x='~' y='~'>@</text>", LEFT - 8.0, y + 15,
                 spd_page_cut(full, LETTERS, shown, sizeof shown));
        spd_html(out, "<rect class='@' x='~' y='~' width='~' height='~'/>", size[b] > 0 ? "p" : "n", fmin(at, zero), y + 3,
                 fabs(at - zero), (double)ROW - 6);
        spd_html(out, "<text class='tick' x='~' y='~'>@</text></g>", fmax(at, zero) + 5, y + 15,
                 spd_html_number(text, size[b], 3));
    }
    spd_html(out, "</svg>\n");
}

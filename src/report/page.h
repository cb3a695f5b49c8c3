/* page.h - the parts of a report page. Everything is written to a stream; only short texts are allocated. */
#ifndef SPD_PAGE_H
#define SPD_PAGE_H
#include "report/report.h"

/* ---- html.c: texts and numbers of a block of JSON: no '<' that could end its element; what is not finite is null. */
void spd_put_json_text(FILE *out, const char *text);
void spd_put_json_number(FILE *out, double value, int digits);
/* Writes template text. Every '~' is replaced by the next argument, a double, printed for SVG (two decimals, never
 * a comma); every '@' by the next argument, a text, escaped. */
void spd_html(FILE *out, const char *template, ...);
void spd_put_byte(FILE *out, char byte, bool utf8); /* of a UTF-8 text, otherwise read as Latin-1 */
#define SPD_SHORT 48
const char *spd_html_number(char text[SPD_SHORT], double value, int digits); /* "1.234e-05", "-" if not known */
const char *spd_html_count(char text[SPD_SHORT], int64_t value);             /* "1,234,567" */

/* ---- parts.c: everything up to the title; a tile with a number (omitted if not finite); a row in a table of settings (omitted
 * if empty); the end. Every page contains our script; pages with interactive curves also contain dygraphs. */
typedef enum spd_page_kind { SPD_PAGE_STILL, SPD_PAGE_CURVES } spd_page_kind;
void spd_page_head(FILE *out, const char *title, spd_page_kind kind);
void spd_page_command(FILE *out, const char *command); /* NULL: nothing */
void spd_page_foot(FILE *out, spd_page_kind kind);
void spd_page_tile(FILE *out, const char *name, double value, int digits, double factor, const char *unit);
void spd_page_setting(FILE *out, const char *name, const char *value);

/* ---- svg.c: curves over a pair of axes. */
typedef struct spd_curve {
    const char *label, *style; /* "": no entry in the legend; class of the style sheet: "a" or "b" */
    const double *x, *y;       /* points that are not finite, or not positive on a logarithmic axis, are omitted */
    int64_t points, stride;    /* stride: doubles from one point to the next */
    const double *error;       /* same stride: a band from y - error to y + error is drawn behind the curve; NULL: none */
    bool plain;                /* no dots */
    bool scatter;              /* dots, no line */
    const char *hover;         /* shown at the pointer, or NULL */
    const char *name;          /* written at its first point where there is room, or NULL */
    bool bars;                 /* the error as a bar at every point, instead of a band */
} spd_curve;
typedef struct spd_plot {
    const char *title, *x_label;
    const spd_curve *curve;
    int curves;
    bool log_x, log_y;
    const double *mark; /* values of x with a vertical line, and their labels */
    const char *const *mark_label;
    int marks;
    bool tall;
    bool follows; /* the script moves a line over it (path.js) */
} spd_plot;
void spd_svg_plot(FILE *out, const spd_plot *plot);
enum { SPD_TICKS = 40 };
/* About `wanted` round numbers in [low, high]. Logarithmic: powers of ten, with 2 and 5 between them if there is room. */
int spd_ticks(double low, double high, bool logarithmic, int wanted, double tick[SPD_TICKS]);

/* ---- picture.c: coefficients as an image of their grid, as stems in their order, or the largest as bars with names. */
void spd_picture_grid(FILE *out, const char *title, const spdhg_model *model, const double *x, int64_t slice, int64_t output,
                      double scale);
void spd_picture_legend(FILE *out, double scale);
double spd_picture_depth(double value, double scale);                                    /* colour depth, 0 to 1 */
const char *spd_page_feature(const spdhg_model *model, int64_t j, char text[SPD_SHORT]); /* its name, or "feature N" */
/* text, or its first letters and an ellipsis. */
const char *spd_page_cut(const char *text, int letters, char *out, size_t size);
void spd_picture_bars(FILE *out, const spdhg_model *model, int64_t output); /* the largest by name */
void spd_picture_stems(FILE *out, const spdhg_model *model, const double *x, const double *truth, int64_t output);

/* ---- pixels.c: an 8-bit image, grey (1 channel) or colour (3), as an <img> with embedded PNG data. */
spdhg_status spd_page_pixels(FILE *out, const char *caption, int64_t height, int64_t width, int channels,
                             const unsigned char *pixel, spdhg_error *err);

/* ---- coefficients.c: a model's coefficients, on their grid or as stems with a table of the largest, and on their graph if F is
 * one. truth is drawn next to them; it may be NULL, as may F. heading: "h2" or "h3". */
spdhg_status spd_page_coefficients(FILE *out, const char *heading, const spdhg_model *model, const double *truth,
                                   const spdhg_structure *F, spdhg_error *err);

/* ---- judged.c: measures, and plots for labels; residuals.c: plots for numbers. */
spdhg_status spd_page_judged(FILE *out, const spd_judged *judged, const spdhg_model *model, spdhg_error *err);
spdhg_status spd_page_residuals(FILE *out, const spd_judged *judged, const spdhg_model *model, spdhg_error *err);

/* ---- path_page.c: the section about a path: validation curve with its band, fraction explained, coefficients against lambda. */
spdhg_status spd_page_path(FILE *out, const spdhg_path *path, const spdhg_model *model, spdhg_error *err);

/* ---- coefficients.c: the features of the largest coefficients, by value times spread; *found, at most `most`, are there. */
spdhg_status spd_page_largest(const spdhg_model *model, int64_t *feature, int most, int *found, spdhg_error *err);

/* ---- assets.c, generated by cmake/embed.cmake from web/ and the distribution's dygraphs: text and its SHA-256 in base64, which
 * a page's security policy requires. */
typedef struct spd_asset {
    const char *text, *hash;
} spd_asset;
extern const spd_asset spd_asset_style, spd_asset_script, spd_asset_chart_style, spd_asset_chart_script;
#endif

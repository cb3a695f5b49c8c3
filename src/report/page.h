/* page.h - the parts a report page is made of. Everything goes to a stream; nothing is allocated but short texts. */
#ifndef SPD_PAGE_H
#define SPD_PAGE_H
#include "report/report.h"

/* ---- html.c: template text in which every '~' is replaced by the next argument, a double, printed for SVG (two decimals, never
 * a comma), and every '@' by the next argument, a text, escaped. */
void spd_html(FILE *out, const char *template, ...);
void spd_put_byte(FILE *out, char byte, bool utf8); /* of a text that is UTF-8, else it is taken as Latin-1 */
#define SPD_SHORT 48
const char *spd_html_number(char text[SPD_SHORT], double value, int digits); /* "1.234e-05", "-" if not known */
const char *spd_html_count(char text[SPD_SHORT], int64_t value);             /* "1,234,567" */

/* ---- parts.c: up to the title; a number worth a tile (left out if it is not finite); a row of a table of settings (if not
 * empty); the end. Every page carries our script, one with curves to play with also dygraphs. */
typedef enum spd_page_kind { SPD_PAGE_STILL, SPD_PAGE_CURVES } spd_page_kind;
void spd_page_head(FILE *out, const char *title, spd_page_kind kind);
void spd_page_command(FILE *out, const char *command); /* NULL: nothing */
void spd_page_foot(FILE *out, spd_page_kind kind);
void spd_page_tile(FILE *out, const char *name, double value, int digits, double factor, const char *unit);
void spd_page_setting(FILE *out, const char *name, const char *value);

/* ---- svg.c: curves over a pair of axes. */
typedef struct spd_curve {
    const char *label, *style; /* "": no entry in the legend; class of the style sheet: "a" or "b" */
    const double *x, *y;       /* points that are not finite, or not positive on a logarithmic axis, are left out */
    int64_t points, stride;    /* of doubles from one point to the next */
    const double *error;       /* same stride: a band of y - error to y + error is drawn behind; NULL: none */
    bool plain;                /* no dots */
    bool scatter;              /* dots, no line */
} spd_curve;
typedef struct spd_plot {
    const char *title, *x_label;
    const spd_curve *curve;
    int curves;
    bool log_x, log_y;
    const double *mark; /* values of x with a vertical line and their texts */
    const char *const *mark_label;
    int marks;
} spd_plot;
void spd_svg_plot(FILE *out, const spd_plot *plot);
enum { SPD_TICKS = 40 };
/* Round numbers in [low, high]; about `wanted` of them. Logarithmic: powers of ten, with 2 and 5 between them where there is
 * room. */
int spd_ticks(double low, double high, bool logarithmic, int wanted, double tick[SPD_TICKS]);

/* ---- picture.c: coefficients as they lie on a grid, or as stems. */
void spd_picture_grid(FILE *out, const char *title, const spdhg_model *model, const double *x, int64_t slice, int64_t output,
                      double scale);
void spd_picture_legend(FILE *out, double scale);
double spd_picture_depth(double value, double scale); /* of its colour, 0 to 1 */
void spd_picture_stems(FILE *out, const spdhg_model *model, const double *x, const double *truth, int64_t output);

/* ---- pixels.c: a picture of 8 bits, grey (1 channel) or colour (3), as an <img> that carries its bytes (PNG). */
spdhg_status spd_page_pixels(FILE *out, const char *caption, int64_t height, int64_t width, int channels,
                             const unsigned char *pixel, spdhg_error *err);

/* ---- coefficients.c: a model's coefficients, on their grid or as stems with a table of the largest, and on their graph if F is
 * one; truth: drawn beside them, or NULL, as F. heading: "h2" or "h3". */
spdhg_status spd_page_coefficients(FILE *out, const char *heading, const spdhg_model *model, const double *truth,
                                   const spdhg_structure *F, spdhg_error *err);

/* ---- path_page.c: the part of a path: validation curve with its band, what is explained, coefficients against lambda. */
void spd_page_path(FILE *out, const spdhg_path *path, const spdhg_model *model);

/* ---- assets.c, written by cmake/embed.cmake from web/ and the distribution's dygraphs: text and its SHA-256 in base64, which is
 * what a page's security policy admits. */
typedef struct spd_asset {
    const char *text, *hash;
} spd_asset;
extern const spd_asset spd_asset_style, spd_asset_script, spd_asset_chart_style, spd_asset_chart_script;
#endif

/* parts.c - parts common to all pages: the head with the security policy, tiles of numbers, rows of settings, the foot with the
 * script. */
#include "report/page.h"

/* Allows nothing from outside and, inside the page, only the texts with these hashes. Images are made by the script. */
static void policy(FILE *out, spd_page_kind kind) {
    const bool curves = kind == SPD_PAGE_CURVES;
    spd_html(out,
             "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
             "img-src data:; style-src 'sha256-@'",
             spd_asset_style.hash);
    if (curves) spd_html(out, " 'sha256-@'", spd_asset_chart_style.hash);
    spd_html(out, "; script-src 'sha256-@'", spd_asset_script.hash);
    if (curves) spd_html(out, " 'sha256-@'", spd_asset_chart_script.hash);
    spd_html(out, "\">\n");
}

static void element(FILE *out, const char *name, const spd_asset *asset) {
    fprintf(out, "<%s>%s</%s>\n", name, asset->text, name);
}

void spd_page_head(FILE *out, const char *title, spd_page_kind kind) {
    spd_html(out, "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n");
    policy(out, kind);
    spd_html(out,
             "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
             "<meta name='referrer' content='no-referrer'>\n<title>@</title>\n",
             title);
    if (kind == SPD_PAGE_CURVES) element(out, "style", &spd_asset_chart_style);
    element(out, "style", &spd_asset_style); /* last, so that our rules take precedence */
    spd_html(out, "</head><body@>\n<header><h1><bdi>@</bdi></h1>\n", kind == SPD_PAGE_CURVES ? " class=wide" : "", title);
}

void spd_page_command(FILE *out, const char *command) {
    if (command && *command) spd_html(out, "<h2>Command</h2>\n<pre><bdi>@</bdi></pre>\n", command);
}

void spd_page_foot(FILE *out, spd_page_kind kind) {
    if (kind == SPD_PAGE_CURVES) {
        spd_html(out, "<p class='faint'>Curves are drawn by dygraphs (MIT licence), which is part of this page.</p>\n");
        element(out, "script", &spd_asset_chart_script);
    }
    element(out, "script", &spd_asset_script);
    spd_html(out, "</body></html>\n");
}

void spd_page_tile(FILE *out, const char *name, double value, int digits, double factor, const char *unit) {
    char text[SPD_SHORT];
    if (isfinite(value))
        spd_html(out, "<div class='tile'><b>@@</b><span>@</span></div>", spd_html_number(text, factor * value, digits), unit,
                 name);
}

void spd_page_setting(FILE *out, const char *name, const char *value) {
    if (value && *value) spd_html(out, "<tr><th>@</th><td><bdi>@</bdi></td></tr>\n", name, value);
}

/* parts.c - what every page has: its head with the security policy, tiles of numbers, rows of settings. */
#include "report/page.h"

void spd_page_head(FILE *out, const char *title) {
    spd_html(out,
             "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n"
             "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'sha256-@'; base-uri 'none'; "
             "form-action 'none'\">\n<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
             "<meta name='referrer' content='no-referrer'>\n<title>@</title>\n<style>",
             spd_style_hash(), title);
    fputs(spd_style_sheet(), out);
    spd_html(out, "</style></head><body>\n<header><h1><bdi>@</bdi></h1>\n", title);
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

/* html.c - writes text and numbers to a page. Titles, names and commands are escaped, so they are shown and never interpreted. */
#include <inttypes.h>
#include <stdarg.h>

#include "report/page.h"

void spd_put_byte(FILE *out, char byte, bool utf8) {
    const unsigned code = (unsigned char)byte;
    if (code >= 0x80 && !utf8) fputc((int)(0xC0 | code >> 6), out);
    fputc((int)(code >= 0x80 && !utf8 ? 0x80 | (code & 0x3F) : code), out);
}

static void put_escaped(FILE *out, const char *text) {
    const bool utf8 = text && spd_is_utf8(text);
    for (const char *at = text; at && *at; at++) {
        switch (*at) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        case '\t':
        case '\n': fputc(' ', out); break;
        default:
            if ((unsigned char)*at < 0x20 || *at == 0x7f) /* not allowed in HTML: the replacement character */
                fputs("\xEF\xBF\xBD", out);
            else
                spd_put_byte(out, *at, utf8);
        }
    }
}

void spd_html(FILE *out, const char *template, ...) {
    va_list arguments;
    va_start(arguments, template);
    for (; *template; template ++) {
        if (*template == '~') {
            char number[SPD_NUMBER_CHARS];
            spd_print_double(number, round(100 * va_arg(arguments, double)) / 100);
            fputs(number, out);
        } else if (*template == '@')
            put_escaped(out, va_arg(arguments, const char *));
        else
            fputc(*template, out);
    }
    va_end(arguments);
}

const char *spd_html_number(char text[SPD_SHORT], double value, int digits) {
    if (isfinite(value))
        snprintf(text, SPD_SHORT, "%.*g", digits, value);
    else
        snprintf(text, SPD_SHORT, "%s", "–");
    for (char *at = text; *at; at++)
        if (*at == ',') *at = '.'; /* a locale's decimal comma */
    char *exponent = isfinite(value) ? strchr(text, 'e') : NULL;
    if (exponent && exponent[2] == '0') memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1); /* 1e-05: 1e-5 */
    return text;
}

const char *spd_html_count(char text[SPD_SHORT], int64_t value) {
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-') *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

void spd_put_json_text(FILE *out, const char *text) {
    const bool utf8 = spd_is_utf8(text);
    fputc('"', out);
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f || strchr("\"\\<>&'", *text))
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            spd_put_byte(out, *text, utf8);
    fputc('"', out);
}

void spd_put_json_number(FILE *out, double value, int digits) {
    char text[SPD_SHORT];
    fputs(isfinite(value) ? spd_html_number(text, value, digits) : "null", out);
}

/* cells.c - reads a CSV file cell by cell (RFC 4180): quoted cells may contain separators, newlines and doubled quotes. Blanks as
 * a separator count as one, however many there are. */
#include "table/cells.h"

char spd_csv_separator(const spd_text *t) {
    static const char candidate[] = ",;\t|";
    int64_t count[sizeof candidate] = {0}, blanks = 0;
    bool quoted = false;
    for (const char *c = t->at; c < t->end && (quoted || *c != '\n'); c++) {
        quoted ^= *c == '"';
        const char *which = quoted || !*c ? NULL : strchr(candidate, *c);
        if (which) count[which - candidate]++;
        blanks += !quoted && *c == ' ' && c > t->at && c[-1] != ' ' && c + 1 < t->end && c[1] != '\n' && c[1] != '\r';
    }
    int best = 0;
    for (int i = 1; i < (int)sizeof candidate - 1; i++)
        if (count[i] > count[best]) best = i;
    return count[best] == 0 && blanks > 0 ? ' ' : candidate[best];
}

/* The position of the separator or newline that ends the cell starting at t->at. NULL: not in this window. */
static const char *cell_end(const spd_text *t, char separator, bool quoted) {
    const char *c = t->at + quoted;
    for (; quoted && c < t->end; c++)
        if (*c == '"') {
            if (c + 1 == t->end) return NULL;
            if (c[1] != '"') break;
            c++;
        }
    for (; c < t->end; c++)
        if (*c == separator || *c == '\n') return c;
    return NULL;
}

spdhg_status spd_csv_cell(spd_text *t, char separator, spd_cell *cell, spdhg_error *err) {
    while (t->at < t->end && *t->at == ' ') t->at++;
    if (t->at == t->end && !t->over) SPD_TRY(spd_text_fill(t, err));
    *cell = (spd_cell){.token = {SPD_TOKEN, t->at, t->at, t->line, spd_text_column(t, t->at)}, .last = true};
    if (t->at == t->end) {
        cell->token.kind = SPD_TEXT_END;
        return SPDHG_OK;
    }
    cell->quoted = *t->at == '"';
    const char *end;
    while (!(end = cell_end(t, separator, cell->quoted))) {
        if (t->over)
            return spd_text_fail(t, &cell->token, err, "a quote that is never closed: close it, or write it twice inside quotes");
        if (t->end - t->at > SPD_TOKEN_BYTES)
            return spd_text_fail(t, &cell->token, err, "a cell of more than %d bytes%s", SPD_TOKEN_BYTES,
                                 cell->quoted ? ": is its quote closed?" : "");
        SPD_TRY(spd_text_fill(t, err));
    }
    const char *from = t->at, *to = end;
    while (to > from && spd_is_blank(to[-1])) to--;
    if (cell->quoted) {
        if (to - from < 2 || to[-1] != '"')
            return spd_text_fail(t, &cell->token, err, "text after a closing quote: a quote inside a cell is written twice");
        for (const char *c = from; (c = memchr(c, '\n', (size_t)(to - c))); c++) {
            t->line++;
            t->line_start = spd_text_offset(t, c + 1);
        }
        from++;
        to--;
    }
    cell->token.at = from;
    cell->token.end = to;
    while (separator == ' ' && *end == ' ' && end + 1 < t->end && (end[1] == ' ' || end[1] == '\r' || end[1] == '\n')) end++;
    cell->last = *end == '\n';
    t->at += end + 1 - t->at;
    if (cell->last) spd_text_newline(t);
    return SPDHG_OK;
}

char *spd_csv_text(const spd_cell *cell) {
    char *text = spd_alloc(cell->token.end - cell->token.at + 1, 1), *to = text;
    for (const char *c = cell->token.at; text && c < cell->token.end; c++) {
        *to++ = *c;
        if (cell->quoted && *c == '"') c++; /* the second of a doubled quote */
    }
    return text;
}

/* csv_cells.c - reads a CSV file cell by cell (RFC 4180): quoted cells may contain separators, newlines and doubled quotes.
 * Also decides, by name, which columns are targets. */
#include <strings.h>

#include "reader/csv.h"

char spd_csv_separator(const spd_text *t) {
    int64_t commas = 0, semicolons = 0, tabs = 0;
    bool quoted = false;
    for (const char *c = t->at; c < t->end && (quoted || *c != '\n'); c++) {
        quoted ^= *c == '"';
        commas += !quoted && *c == ',';
        semicolons += !quoted && *c == ';';
        tabs += !quoted && *c == '\t';
    }
    return tabs > commas && tabs > semicolons ? '\t' : semicolons > commas ? ';' : ',';
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
        if (t->over) return spd_text_fail(t, &cell->token, err, "a quote that is never closed");
        if (t->end - t->at > SPD_TOKEN_BYTES)
            return spd_text_fail(t, &cell->token, err, "a cell of more than %d bytes", SPD_TOKEN_BYTES);
        SPD_TRY(spd_text_fill(t, err));
    }
    const char *from = t->at, *to = end;
    while (to > from && spd_is_blank(to[-1])) to--;
    if (cell->quoted) {
        if (to - from < 2 || to[-1] != '"') return spd_text_fail(t, &cell->token, err, "text after a closing quote");
        for (const char *c = from; (c = memchr(c, '\n', (size_t)(to - c))); c++) {
            t->line++;
            t->line_start = spd_text_offset(t, c + 1);
        }
        from++;
        to--;
    }
    cell->token.at = from;
    cell->token.end = to;
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

static int64_t find_column(const spd_csv_columns *k, const char *name, size_t length, bool any_case) {
    for (int64_t c = 0; k->name && c < k->columns; c++)
        if (strlen(k->name[c]) == length && (any_case ? strncasecmp : strncmp)(k->name[c], name, length) == 0) return c;
    return -1;
}

/* The columns of "NAME,NAME,..." become targets 0, 1, ... */
static spdhg_status named_targets(spd_csv_columns *k, const char *path, const spdhg_read_options *o, spdhg_error *err) {
    for (const char *name = o->label; name;) {
        const char *comma = strchr(name, ',');
        const size_t length = comma ? (size_t)(comma - name) : strlen(name);
        const int64_t c = find_column(k, name, length, false);
        if (c < 0 && !o->unlabelled_ok)
            return spd_fail(err, SPDHG_DATA, "%s:1:1: no column is called '%.*s'", path, (int)length, name);
        if (c >= 0 && k->role[c] < 0)
            return spd_fail(err, SPDHG_USAGE, "%s: column '%.*s' is named twice", path, (int)length, name);
        if (c >= 0) k->role[c] = -1 - k->targets++;
        name = comma ? comma + 1 : NULL;
    }
    return SPDHG_OK;
}

spdhg_status spd_csv_assign(spd_csv_columns *k, const char *path, const spdhg_read_options *o, spdhg_error *err) {
    static const char *const usual[] = {"label", "target", "y", "class"};
    k->role = SPD_NEW(int64_t, k->columns);
    if (!k->role) return spd_fail_memory(err, 8 * (double)k->columns);
    if (o->label)
        SPD_TRY(named_targets(k, path, o, err));
    else if (!o->targets) {
        int64_t c = -1;
        for (size_t i = 0; c < 0 && i < sizeof usual / sizeof *usual; i++) c = find_column(k, usual[i], strlen(usual[i]), true);
        if (c < 0 && !o->unlabelled_ok) c = k->columns - 1;
        if (c >= 0) k->role[c] = -1 - k->targets++;
    }
    for (int64_t c = 0; c < k->columns; c++)
        if (k->role[c] == 0) k->role[c] = k->features++;
    return SPDHG_OK;
}

/* header.c - the first rows of a table: byte order mark, comments, the separator, whether the first row has the names.
 * A first row of numbers is data. If its cells are numbers and words in the same places as those of the second row, it can be
 * either, and the user has to say; only a usual name of a target tells. */
#include <strings.h>

#include "table/table.h"

static const char *line_end(const char *at, const char *end) {
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return newline ? newline : end;
}

/* Behind a # and the blanks after it. */
static const char *after_mark(const char *at, const char *end) {
    if (at < end && *at == '#') at++;
    while (at < end && *at == ' ') at++;
    return at;
}

/* How many separators a line has; words if it has none. */
static int64_t count_cells(const char *at, const char *end) {
    int64_t separators = 0, words = 0;
    for (at = after_mark(at, end); at < end; at++) {
        separators += *at == ',' || *at == ';' || *at == '\t' || *at == '|';
        words += *at > ' ' && (at + 1 == end || at[1] <= ' ');
    }
    return separators > 0 ? separators : -words;
}

/* The first line from `at` on that does not start with #. */
static const char *uncommented(const char *at, const char *end) {
    while (at < end && *at == '#') {
        at = line_end(at, end);
        at += at < end;
    }
    return at;
}

/* Skips blank lines, and lines that start with # if they have other cells than the first line without it: # may also start the
 * name of the first column. */
static void skip_preamble(spd_table *t, spd_text *text) {
    for (;;) {
        const char *stop = line_end(text->at, text->end);
        if (stop == text->end) return;
        const bool blank = stop == text->at || (stop == text->at + 1 && *text->at == '\r');
        const char *plain = uncommented(text->at, text->end);
        const bool comment = *text->at == '#' && count_cells(text->at, stop) != count_cells(plain, line_end(plain, text->end));
        if (!blank && !comment) return;
        if (comment) t->notes.comment_lines++;
        text->at += stop + 1 - text->at;
        spd_text_newline(text);
    }
}

static bool is_number(const char *text) {
    double number;
    return spd_to_double(text, &number);
}

/* Where the row that begins at `at` ends, newlines in quotes left aside; NULL: not in this window. */
static const char *row_end(const char *at, const char *end) {
    for (bool quoted = false; at < end; at++) {
        quoted ^= *at == '"';
        if (*at == '\n' && !quoted) return at;
    }
    return NULL;
}

/* How many cells the second row has, how many of them are numbers or not as the first row's, and how many of the last ones are
 * empty; *cells is 0 if the row is not in this window. *quoted: its first cell is in quotes. */
static spdhg_status look_ahead(const spd_table *t, const spd_text *text, int64_t *cells, int64_t *alike, int64_t *empty,
                               bool *quoted, spdhg_error *err) {
    spd_text look = *text;
    *cells = *alike = *empty = 0;
    if (!row_end(look.at, look.end)) return SPDHG_OK;
    for (spd_cell cell = {.last = false}; !cell.last; ++*cells) {
        SPD_TRY(spd_csv_cell(&look, t->separator, &cell, err));
        if (*cells == 0) *quoted = cell.quoted;
        *empty = cell.token.at < cell.token.end ? 0 : *empty + 1;
        double number;
        const bool numeric =
            cell.token.at < cell.token.end && spd_parse_double(cell.token.at, cell.token.end, &number) == cell.token.end;
        *alike += *cells < t->columns && numeric == is_number(t->column[*cells].name);
    }
    return SPDHG_OK;
}

spdhg_status spd_table_add_column(spd_table *t, char *name, spdhg_error *err) {
    if (!name) return spd_fail_memory(err, 1);
    const spdhg_status status = spd_reserve(&t->column, &t->columns_room, t->columns + 1, sizeof *t->column, &t->budget, err);
    if (status != SPDHG_OK) {
        spd_free(name);
        return status;
    }
    t->column[t->columns++] = (spd_file_column){.name = name, .reference = -1, .fill = NAN};
    return SPDHG_OK;
}

static spdhg_status read_names(spd_table *t, spd_text *text, spdhg_error *err) {
    for (spd_cell cell = {.last = false}; !cell.last;) {
        SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
        if (cell.token.kind == SPD_TEXT_END) break;
        char *bytes = spd_csv_text(&cell), *name = bytes ? spd_to_utf8(bytes) : NULL;
        spd_free(bytes);
        SPD_TRY(spd_table_add_column(t, name, err));
    }
    return t->columns > 0 ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: has no rows", text->path);
}

static spdhg_status decide(spd_table *t, const spd_text *text, spdhg_error *err) {
    static const char *const usual[] = {"label", "target", "y", "class"};
    int64_t numbers = 0, cells, alike, empty;
    bool named = false, quoted = false;
    for (int64_t c = 0; c < t->columns; c++) {
        numbers += is_number(t->column[c].name);
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) named = named || !strcasecmp(t->column[c].name, usual[i]);
    }
    SPD_TRY(look_ahead(t, text, &cells, &alike, &empty, &quoted, err));
    t->header = t->o->header == 1 || (t->o->header < 0 && numbers < t->columns);
    if (t->o->header < 0 && numbers > 0 && numbers < t->columns && !named && cells == t->columns && alike == cells)
        return spd_fail(err, SPDHG_DATA,
                        "%s:1:1: is the first row data or names? '%.40s' and the others look like the cells below them: give "
                        "--no-header if it is data, --header if it has the names",
                        text->path, t->column[0].name);
    /* a spreadsheet's separators behind the last column */
    while (t->header && cells == t->columns && t->empty < empty && !t->column[t->columns - 1 - t->empty].name[0])
        t->column[t->columns - 1 - t->empty++].role = SPD_ROLE_EMPTY;
    /* R's write.table: the row names are quoted and have no name */
    if (t->header && cells == t->columns + 1 && quoted) t->row_names = true;
    return SPDHG_OK;
}

/* The names as the user will see them: x1, x2, ... where there are none. */
static spdhg_status settle_names(spd_table *t, spdhg_error *err) {
    if (t->row_names) {
        SPD_TRY(spd_table_add_column(t, spd_strdup(""), err));
        const spd_file_column first = t->column[t->columns - 1];
        memmove(t->column + 1, t->column, (size_t)(t->columns - 1) * sizeof *t->column);
        t->column[0] = first;
    }
    t->row_names = t->header && t->columns > 1 && t->column[0].name[0] == '\0';
    for (int64_t c = 0; c < t->columns; c++) {
        if (t->header && t->column[c].name[0]) continue;
        char number[40];
        snprintf(number, sizeof number, c == 0 && t->row_names ? "row" : "x%lld", (long long)c + 1);
        spd_free(t->column[c].name);
        if (!(t->column[c].name = spd_strdup(number))) return spd_fail_memory(err, 40);
    }
    return SPDHG_OK;
}

static spdhg_status check_duplicates(spd_table *t, spdhg_error *err) {
    char all[600] = "";
    size_t used = 0;
    for (int64_t c = 0; c < t->columns; c++) {
        double code;
        const int64_t before = t->names.count;
        SPD_TRY(spd_labels_code(&t->names, t->column[c].name, &t->budget, &code, err));
        if (t->names.count == before && used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s'%.60s' (columns %lld and %lld)", used ? ", " : "",
                                     t->column[c].name, (long long)code + 1, (long long)c + 1);
        if (t->names.count == before) /* keeps codes equal to positions for what follows */
            return spd_fail(err, SPDHG_DATA,
                            "%s:1:1: two columns have the same name: %s; rename one, or give --no-header if the "
                            "first row is data",
                            t->path, all);
    }
    return SPDHG_OK;
}

/* Excel's first line "sep=;" names the separator; 0: there is none. */
static char named_separator(spd_table *t, spd_text *text) {
    const char *stop = line_end(text->at, text->end);
    const ptrdiff_t length = stop - text->at - (stop > text->at && stop[-1] == '\r');
    if (stop == text->end || length != 5 || strncasecmp(text->at, "sep=", 4) != 0) return 0;
    const char separator = text->at[4];
    text->at += stop + 1 - text->at;
    spd_text_newline(text);
    t->notes.comment_lines++;
    return separator;
}

spdhg_status spd_table_header(spd_table *t, spd_text *text, spdhg_error *err) {
    if (text->end - text->at >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) {
        text->at += 3;
        t->notes.byte_order_mark = true;
    }
    const char named = named_separator(t, text);
    skip_preamble(t, text);
    const spd_text before = *text;
    if (text->end - text->at > 2 && memcmp(text->at, "# ", 2) == 0) /* NumPy writes names as a comment */
        text->at += after_mark(text->at, text->end) - text->at;
    t->separator = named ? named : spd_csv_separator(text);
    SPD_TRY(read_names(t, text, err));
    SPD_TRY(decide(t, text, err));
    if (!t->header) {
        if (text->offset != before.offset)
            return spd_fail(err, SPDHG_DATA, "%s:1:1: a first row of numbers of more than %d bytes needs a header before it",
                            text->path, SPD_TEXT_BYTES);
        *text = before;
    }
    SPD_TRY(settle_names(t, err));
    return t->header ? check_duplicates(t, err) : SPDHG_OK;
}

/* signal_table.c - tables and columns of text: CSV (RFC 4180; commas, semicolons or tabs) with or without a header. Every column
 * that begins with a number is a signal, except those with positions or weights; all other cells are written back unchanged.
 * Missing values: an empty cell, NA, N/A, NaN, null or none. */
#include <strings.h>

#include "signal_file.h"

typedef struct cell {
    int64_t at;           /* offset of its zero-terminated text in `text` */
    int64_t line, column; /* its position in the file */
    bool quoted;
} cell;

typedef struct table {
    int64_t columns, rows; /* rows include the header */
    bool header;
    char separator;
    cell *cells;
    int64_t cells_room;
    char *text;
    int64_t used, text_room;
    int64_t *signal; /* for every column: the index of its signal; -1: none; -2: positions or weights */
    spd_budget budget;
} table;

static const cell *at(const table *t, int64_t row, int64_t column) { return &t->cells[row * t->columns + column]; }
static const char *text_of(const table *t, int64_t row, int64_t column) { return t->text + at(t, row, column)->at; }
static int64_t first_row(const table *t) { return t->header ? 1 : 0; }

static bool recognise(const char *head, size_t size) { /* the last kind: accepts everything */
    (void)head;
    (void)size;
    return true;
}

static bool is_missing(const char *text) {
    static const char *const word[] = {"", "na", "n/a", "nan", "null", "none"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcasecmp(text, word[i]) == 0) return true;
    return false;
}

static spdhg_status keep(table *t, const spd_cell *c, spdhg_error *err) {
    const int64_t length = c->token.end - c->token.at;
    SPD_TRY(spd_reserve(&t->text, &t->text_room, t->used + length + 1, 1, &t->budget, err));
    memcpy(t->text + t->used, c->token.at, (size_t)length);
    t->text[t->used + length] = '\0';
    t->used += length + 1;
    return SPDHG_OK;
}

static spdhg_status read_cells(signal_file *f, table *t, spd_text *text, spdhg_error *err) {
    int64_t count = 0, here = 0;
    if (text->end - text->at >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) text->at += 3;
    t->separator = spd_csv_separator(text);
    for (;;) {
        spd_cell c;
        SPD_TRY(spd_csv_cell(text, t->separator, &c, err));
        if (c.token.kind == SPD_TEXT_END) break;
        if (c.last && here == 0 && !c.quoted && c.token.at == c.token.end) continue; /* a blank line */
        SPD_TRY(spd_reserve(&t->cells, &t->cells_room, count + 1, sizeof *t->cells, &t->budget, err));
        t->cells[count++] = (cell){t->used, c.token.line, c.token.column, c.quoted};
        SPD_TRY(keep(t, &c, err));
        here++;
        if (t->rows > 0 && (here > t->columns || (c.last && here < t->columns)))
            return spd_text_fail(text, &c.token, err, "%lld cells in this row so far, expected %lld", (long long)here,
                                 (long long)t->columns);
        if (!c.last) continue;
        t->columns = here;
        t->rows++;
        here = 0;
    }
    return t->rows > 0 ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: no rows in it", f->path);
}

/* The first row has names unless every cell in it is a number or missing. */
static void find_header(table *t) {
    double number;
    for (int64_t c = 0; c < t->columns; c++)
        t->header = t->header || !(spd_to_double(text_of(t, 0, c), &number) || is_missing(text_of(t, 0, c)));
}

/* -1: no column has that name. */
static int64_t find_column(const table *t, const char *name, size_t length) {
    for (int64_t c = 0; t->header && c < t->columns; c++)
        if (strlen(text_of(t, 0, c)) == length && memcmp(text_of(t, 0, c), name, length) == 0) return c;
    return -1;
}

/* Reads a column into out; missing values become NAN where they are allowed. */
static spdhg_status read_column(const signal_file *f, const table *t, int64_t column, bool gaps, double *out, spdhg_error *err) {
    for (int64_t r = first_row(t); r < t->rows; r++, out++) {
        const char *text = text_of(t, r, column);
        if (spd_to_double(text, out)) continue;
        *out = NAN;
        if (gaps && is_missing(text)) continue;
        const cell *c = at(t, r, column);
        return spd_fail(err, SPDHG_DATA, "%s:%lld:%lld: expected a finite number, found '%s'", f->path, (long long)c->line,
                        (long long)c->column, spd_show(text, text + strlen(text)).text);
    }
    return SPDHG_OK;
}

/* Reads the column of positions or weights, if the name given is that of a column. */
static spdhg_status read_role(const signal_file *f, table *t, const char *name, double **out, spdhg_error *err) {
    const int64_t column = name ? find_column(t, name, strlen(name)) : -1;
    if (column < 0) return SPDHG_OK;
    t->signal[column] = -2;
    *out = SPD_NEW(double, t->rows);
    return *out ? read_column(f, t, column, false, *out, err) : spd_fail_memory(err, 8.0 * (double)t->rows);
}

/* The named columns, otherwise those that begin with a number. */
static spdhg_status choose_columns(const signal_file *f, table *t, int64_t *signals, spdhg_error *err) {
    *signals = 0;
    for (const char *name = f->columns; name;) {
        const char *comma = strchr(name, ',');
        const size_t length = comma ? (size_t)(comma - name) : strlen(name);
        const int64_t column = find_column(t, name, length);
        if (column < 0) return spd_fail(err, SPDHG_DATA, "%s:1:1: no column is called '%.*s'", f->path, (int)length, name);
        if (t->signal[column] == -1) t->signal[column] = (*signals)++;
        name = comma ? comma + 1 : NULL;
    }
    for (int64_t c = 0; !f->columns && c < t->columns; c++) {
        double number;
        int64_t r = first_row(t);
        while (r < t->rows && is_missing(text_of(t, r, c))) r++;
        if (t->signal[c] == -1 && r < t->rows && (f->grid || spd_to_double(text_of(t, r, c), &number)))
            t->signal[c] = (*signals)++;
    }
    return *signals > 0 ? SPDHG_OK : spd_fail(err, SPDHG_DATA, "%s: no column of numbers in it", f->path);
}

static spdhg_status take_names(signal_file *f, const table *t, spdhg_error *err) {
    if (!t->header) return SPDHG_OK;
    if (!(f->name = SPD_NEW(char *, f->signals))) return spd_fail_memory(err, 8.0 * (double)f->signals);
    for (int64_t c = 0; c < t->columns; c++)
        if (t->signal[c] >= 0 && !(f->name[t->signal[c]] = spd_strdup(text_of(t, 0, c)))) return spd_fail_memory(err, 100);
    return SPDHG_OK;
}

static spdhg_status take_values(signal_file *f, table *t, spdhg_error *err) {
    const int64_t rows = t->rows - first_row(t);
    int64_t signals;
    t->signal = SPD_NEW(int64_t, t->columns);
    if (!t->signal) return spd_fail_memory(err, 8.0 * (double)t->columns);
    for (int64_t c = 0; c < t->columns; c++) t->signal[c] = -1;
    SPD_TRY(read_role(f, t, f->positions, &f->position, err));
    SPD_TRY(read_role(f, t, f->weights, &f->weight, err));
    SPD_TRY(choose_columns(f, t, &signals, err));
    SPD_TRY(signal_make_values(f, signals, rows, err));
    for (int64_t c = 0; c < t->columns; c++)
        if (t->signal[c] >= 0) SPD_TRY(read_column(f, t, c, true, f->value + t->signal[c] * rows, err));
    return take_names(f, t, err);
}

/* Joins all columns into one signal, row by row. */
static spdhg_status as_image(signal_file *f, spdhg_error *err) {
    const int64_t side[] = {f->points, f->signals, 1};
    double *turned = SPD_NEW(double, side[0] * side[1]);
    if (!turned) return spd_fail_memory(err, 8.0 * (double)side[0] * (double)side[1]);
    for (int64_t i = 0; i < side[0] * side[1]; i++) turned[i] = f->value[i % side[1] * side[0] + i / side[1]];
    spd_free(f->value);
    f->value = turned;
    for (int64_t s = 0; f->name && s < f->signals; s++) spd_free(f->name[s]);
    spd_free(f->name);
    f->name = NULL;
    memcpy(f->side, side, sizeof side);
    f->points = side[0] * side[1];
    f->signals = 1;
    return SPDHG_OK;
}

static spdhg_status read(signal_file *f, spd_stream *stream, spdhg_error *err) {
    table *t = SPD_NEW(table, 1);
    if (!t) return spd_fail_memory(err, sizeof *t);
    f->rest = t;
    t->budget.path = f->path;
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_cells(f, t, &text, err);
    spd_text_close(&text);
    SPD_TRY(status);
    find_header(t);
    SPD_TRY(take_values(f, t, err));
    f->grid = f->grid && f->signals > 1; /* a single column has no sides */
    return f->grid ? as_image(f, err) : SPDHG_OK;
}

static spdhg_status write(const signal_file *f, FILE *out, spdhg_error *err) {
    (void)err;
    const table *t = f->rest;
    const int64_t first = first_row(t);
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t c = 0; c < t->columns; c++) {
            char number[SPD_NUMBER_CHARS];
            const cell *old = at(t, r, c);
            const int64_t s = t->signal[c];
            if (s >= 0 && r >= first) {
                spd_print_double(number, f->value[f->grid ? (r - first) * f->side[1] + s : s * f->points + r - first]);
                fputs(number, out);
            } else
                fprintf(out, old->quoted ? "\"%s\"" : "%s", t->text + old->at);
            fputc(c + 1 < t->columns ? t->separator : '\n', out);
        }
    return SPDHG_OK;
}

static void close(signal_file *f) {
    table *t = f->rest;
    spd_free(t->cells);
    spd_free(t->text);
    spd_free(t->signal);
}

static const char *const ending[] = {".csv", ".tsv", ".txt", ".dat", NULL};
const signal_kind signal_kind_table = {"text", ending, recognise, read, write, close};

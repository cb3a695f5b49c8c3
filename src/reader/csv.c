/* csv.c - reads a table with a header row into a dense data set; every cell except the target's must be a finite number.
 * A first row with only numbers is a row of data: then there are no names. Without the option label, the target is the column
 * called label, target, y or class, otherwise the last one (none, if rows may be unlabelled). Targets that are words get codes in
 * sorted order. */
#include <strings.h>

#include "reader/csv.h"
#include "reader/labels.h"

typedef struct table {
    spd_csv_columns k;
    char separator;
    double *val, *b;
    int64_t rows, val_room, b_room;
    int64_t first_line; /* line of row 0 if every row is one line; otherwise 0 */
    bool words;         /* the target is words */
    spd_labels labels;
    spd_notes notes;
    spd_budget budget;
} table;

static bool is_missing(const char *text) {
    static const char *const missing[] = {"",     "na",  "n/a",  "nan",  "+nan",     "-nan",     "null",
                                          "none", "inf", "+inf", "-inf", "infinity", "-infinity"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (strcasecmp(text, missing[i]) == 0) return true;
    return false;
}

/* Switches from numbers to words: the numbers read so far become words too. */
static spdhg_status turn_to_words(table *t, spdhg_error *err) {
    t->words = true;
    for (int64_t i = 0; i < t->rows; i++) {
        char text[SPD_NUMBER_CHARS];
        spd_print_double(text, t->b[i]);
        SPD_TRY(spd_labels_code(&t->labels, text, &t->budget, &t->b[i], err));
    }
    return SPDHG_OK;
}

static spdhg_status read_word(table *t, const spd_text *text, const spd_cell *cell, double *code, spdhg_error *err) {
    char *word = spd_csv_text(cell);
    if (!word) return spd_fail_memory(err, (double)(cell->token.end - cell->token.at));
    spdhg_status status = SPDHG_OK;
    if (is_missing(word))
        status = spd_text_fail(text, &cell->token, err, "expected a label, found '%s'",
                               spd_show(cell->token.at, cell->token.end).text);
    if (status == SPDHG_OK && !t->words) status = turn_to_words(t, err);
    double number; /* 1 and 1.0 are the same label */
    char text_of_number[SPD_NUMBER_CHARS];
    const bool numeric = spd_to_double(word, &number);
    if (numeric) spd_print_double(text_of_number, number);
    if (status == SPDHG_OK) status = spd_labels_code(&t->labels, numeric ? text_of_number : word, &t->budget, code, err);
    spd_free(word);
    return status;
}

static spdhg_status store(table *t, const spd_text *text, const spd_cell *cell, int64_t column, spdhg_error *err) {
    const int64_t role = t->k.role[column];
    const spd_token *token = &cell->token;
    if (role >= 0) return spd_text_number(text, token, &t->val[t->rows * t->k.features + role], err);
    double *b = &t->b[t->rows * t->k.targets + (-1 - role)];
    if (t->k.targets > 1) return spd_text_number(text, token, b, err);
    if (t->words || spd_parse_double(token->at, token->end, b) != token->end) return read_word(t, text, cell, b, err);
    return spd_text_number(text, token, b, err);
}

static spdhg_status make_row(table *t, spdhg_error *err) {
    SPD_TRY(spd_reserve(&t->val, &t->val_room, (t->rows + 1) * t->k.features, sizeof *t->val, &t->budget, err));
    return spd_reserve(&t->b, &t->b_room, (t->rows + 1) * t->k.targets, sizeof *t->b, &t->budget, err);
}

static bool is_blank_line(const spd_cell *cell) { return cell->last && !cell->quoted && cell->token.at == cell->token.end; }

static spdhg_status read_rows(table *t, spd_text *text, spdhg_error *err) {
    for (;;) {
        spd_cell cell;
        SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
        if (cell.token.kind == SPD_TEXT_END) return SPDHG_OK;
        t->notes.lines++;
        if (is_blank_line(&cell)) {
            t->notes.blank_lines++;
            continue;
        }
        SPD_TRY(make_row(t, err));
        for (int64_t c = 0;; c++) {
            if (c == t->k.columns || (cell.last && c + 1 < t->k.columns)) {
                int64_t found = c + 1;
                const spd_token place = cell.token;
                for (; !cell.last; found++) SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
                return spd_text_fail(text, &place, err, "%lld cells in this row, expected %lld", (long long)found,
                                     (long long)t->k.columns);
            }
            SPD_TRY(store(t, text, &cell, c, err));
            if (cell.last) break;
            SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
        }
        t->rows++;
    }
}

/* Reads the first row: names, or numbers, which are then read again as data by rewinding the text. */
static spdhg_status read_header(table *t, spd_text *text, spdhg_error *err) {
    int64_t room = 0;
    bool numbers = true;
    if (text->end - text->at >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) {
        text->at += 3;
        t->notes.byte_order_mark = true;
    }
    while (text->at < text->end && (*text->at == '\n' || *text->at == '\r')) {
        text->at++;
        if (text->at[-1] == '\n') spd_text_newline(text);
    }
    const spd_text before = *text;
    t->separator = spd_csv_separator(text);
    for (spd_cell cell = {.last = false}; !cell.last; t->k.columns++) {
        SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
        if (cell.token.kind == SPD_TEXT_END) break;
        SPD_TRY(spd_reserve(&t->k.name, &room, t->k.columns + 1, sizeof *t->k.name, &t->budget, err));
        if (!(t->k.name[t->k.columns] = spd_csv_text(&cell))) return spd_fail_memory(err, 1);
        double number;
        numbers = numbers && spd_to_double(t->k.name[t->k.columns], &number);
    }
    if (t->k.columns == 0) return spd_fail(err, SPDHG_DATA, "%s: has no rows", text->path);
    if (!numbers) return SPDHG_OK;
    if (text->offset != before.offset)
        return spd_fail(err, SPDHG_DATA, "%s:1:1: a first row of numbers of more than %d bytes needs a header before it",
                        text->path, SPD_TEXT_BYTES);
    *text = before;
    for (int64_t c = 0; c < t->k.columns; c++) spd_free(t->k.name[c]);
    spd_free(t->k.name);
    t->k.name = NULL;
    return SPDHG_OK;
}

static spdhg_status read_table(table *t, spd_text *text, const spdhg_read_options *o, spdhg_error *err) {
    SPD_TRY(read_header(t, text, err));
    SPD_TRY(spd_csv_assign(&t->k, text->path, o, err));
    const int64_t from = text->line;
    SPD_TRY(read_rows(t, text, err));
    t->first_line = t->notes.blank_lines == 0 && text->line <= from + t->rows ? from : 0;
    return t->words ? spd_labels_sort(&t->labels, t->b, t->rows, err) : SPDHG_OK;
}

/* Moves the names of the feature columns to the data set and drops those of the targets. */
static spdhg_status take_names(table *t, spdhg_data *data, spdhg_error *err) {
    if (!t->k.name) return SPDHG_OK;
    data->name = SPD_NEW(char *, t->k.features);
    if (!data->name) return spd_fail_memory(err, 8 * (double)t->k.features);
    for (int64_t c = 0; c < t->k.columns; c++)
        if (t->k.role[c] >= 0) {
            data->name[t->k.role[c]] = t->k.name[c];
            t->k.name[c] = NULL;
        }
    return SPDHG_OK;
}

static spdhg_status to_data(table *t, spdhg_data *data, spdhg_error *err) {
    data->rows = t->rows;
    data->features = t->k.features;
    data->nnz = t->rows * t->k.features;
    data->targets = t->k.targets;
    data->notes = t->notes;
    data->first_line = t->first_line;
    if (!t->val && !(t->val = SPD_NEW(double, 0))) return spd_fail_memory(err, 1); /* a table of targets only */
    SPD_TRY(take_names(t, data, err));
    data->val = t->val;
    data->b = t->b;
    data->label = t->words ? t->labels.text : NULL;
    data->labels = t->words ? t->labels.count : 0;
    t->val = t->b = NULL;
    if (t->words) {
        t->labels.text = NULL;
        t->labels.count = 0;
    }
    return SPDHG_OK;
}

spdhg_status spd_csv_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    table t = {.budget = {.path = spd_stream_path(stream), .limit = o->max_memory}};
    SPD_TRY(spd_data_new(out, err));
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_table(&t, &text, o, err);
    if (status == SPDHG_OK) status = to_data(&t, *out, err);
    spd_text_close(&text);
    for (int64_t c = 0; t.k.name && c < t.k.columns; c++) spd_free(t.k.name[c]);
    spd_free(t.k.name);
    spd_free(t.k.role);
    spd_labels_free(&t.labels);
    spd_free(t.val);
    spd_free(t.b);
    if (status != SPDHG_OK) {
        spdhg_data_free(*out);
        *out = NULL;
    }
    return status;
}

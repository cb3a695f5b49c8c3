/* csv.c - reads a table into a data set: header.c finds the names, roles.c says what each column is for, the rows are read here,
 * features.c makes features of columns. Targets that are words get codes in sorted order. */
#include "table/table.h"

/* Switches from numbers to words: the numbers read so far become words too. */
static spdhg_status turn_to_words(spd_table *t, spdhg_error *err) {
    t->words = true;
    for (int64_t i = 0; i < t->rows; i++) {
        char text[SPD_NUMBER_CHARS];
        spd_print_double(text, t->b[i]);
        SPD_TRY(spd_labels_code(&t->labels, text, &t->budget, &t->b[i], err));
    }
    return SPDHG_OK;
}

static spdhg_status read_word(spd_table *t, const spd_text *text, const spd_cell *cell, const char *name, double *code,
                              spdhg_error *err) {
    if (spd_table_is_gap(cell, true)) return spd_table_gap(t, text, cell, name, "a label", err);
    char *word = spd_csv_text(cell);
    if (!word) return spd_fail_memory(err, (double)(cell->token.end - cell->token.at));
    spdhg_status status = SPDHG_OK;
    if (spd_table_is_infinity(cell)) status = spd_text_fail(text, &cell->token, err, "expected a label, found '%s'", word);
    if (status == SPDHG_OK && !t->words) status = turn_to_words(t, err);
    double number; /* 1 and 1.0 are the same label */
    char text_of_number[SPD_NUMBER_CHARS];
    const bool numeric = spd_to_double(word, &number);
    if (numeric) spd_print_double(text_of_number, number);
    if (status == SPDHG_OK) status = spd_labels_code(&t->labels, numeric ? text_of_number : word, &t->budget, code, err);
    spd_free(word);
    return status;
}

static spdhg_status store_target(spd_table *t, const spd_text *text, const spd_cell *cell, spd_file_column *k, spdhg_error *err) {
    double *b = &t->b[t->rows * t->targets + k->at];
    const spd_token *token = &cell->token;
    const bool comma = !t->words && t->separator != ',' && memchr(token->at, ',', (size_t)(token->end - token->at));
    spdhg_error not_a_number;
    if (t->targets > 1) return spd_table_value(t, text, cell, k, b, err);
    if (comma && spd_table_value(t, text, cell, k, b, &not_a_number) == SPDHG_OK) return SPDHG_OK;
    if (t->words || spd_parse_double(token->at, token->end, b) != token->end) return read_word(t, text, cell, k->name, b, err);
    return isfinite(*b) ? SPDHG_OK : spd_table_too_large(text, token, k->name, err);
}

static spdhg_status store_id(spd_table *t, const spd_cell *cell, spdhg_error *err) {
    char *bytes = spd_csv_text(cell);
    t->id[t->rows] = bytes ? spd_to_utf8(bytes) : NULL;
    spd_free(bytes);
    return t->id[t->rows] ? SPDHG_OK : spd_fail_memory(err, 1);
}

static spdhg_status store(spd_table *t, const spd_text *text, const spd_cell *cell, int64_t column, spdhg_error *err) {
    spd_file_column *k = &t->column[column];
    double *place;
    switch (k->role) {
    case SPD_ROLE_FEATURE: place = &t->val[t->rows * t->features + k->at]; break;
    case SPD_ROLE_TARGET: return store_target(t, text, cell, k, err);
    case SPD_ROLE_WEIGHT: place = &t->weight[t->rows]; break;
    case SPD_ROLE_OFFSET: place = &t->offset[t->rows]; break;
    case SPD_ROLE_EMPTY: return spd_table_nothing(text, cell, column, err);
    case SPD_ROLE_ID: return store_id(t, cell, err);
    default: return SPDHG_OK;
    }
    const spd_token *token = &cell->token;
    if (k->cells == SPD_CELLS_NUMBERS && t->separator == ',' && spd_parse_double(token->at, token->end, place) == token->end &&
        isfinite(*place))
        return SPDHG_OK;
    return spd_table_value(t, text, cell, k, place, err);
}

static bool has_role(const spd_table *t, spd_role role) {
    for (int64_t c = 0; c < t->columns; c++)
        if (t->column[c].role == role) return true;
    return false;
}

static spdhg_status make_row(spd_table *t, bool id, bool weight, bool offset, spdhg_error *err) {
    const int64_t n = t->rows + 1;
    SPD_TRY(spd_reserve(&t->val, &t->val_room, n * t->features, sizeof *t->val, &t->budget, err));
    if (id) SPD_TRY(spd_reserve(&t->id, &t->id_room, n, sizeof *t->id, &t->budget, err));
    if (weight) SPD_TRY(spd_reserve(&t->weight, &t->weight_room, n, sizeof *t->weight, &t->budget, err));
    if (offset) SPD_TRY(spd_reserve(&t->offset, &t->offset_room, n, sizeof *t->offset, &t->budget, err));
    if (id) t->id[t->rows] = NULL;
    return spd_reserve(&t->b, &t->b_room, n * t->targets, sizeof *t->b, &t->budget, err);
}

static bool is_blank_line(const spd_cell *cell) { return cell->last && !cell->quoted && cell->token.at == cell->token.end; }

static void end_row(spd_table *t, bool id) {
    if (!t->gap_here) {
        t->rows++;
        return;
    }
    if (id) spd_free(t->id[t->rows]);
    t->dropped++;
    t->gap_here = false;
}

/* The cells of a row, of which CELL is the first. */
static spdhg_status read_cells(spd_table *t, spd_text *text, spd_cell cell, spdhg_error *err) {
    for (int64_t c = 0;; c++) {
        if (c == t->columns || (cell.last && c + 1 < t->columns)) {
            int64_t found = c + 1;
            const spd_token place = cell.token;
            for (; !cell.last; found++) SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
            return spd_table_uneven(t, text, &place, found, cell.token.at == cell.token.end, err);
        }
        SPD_TRY(store(t, text, &cell, c, err));
        if (cell.last) return SPDHG_OK;
        SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
    }
}

static spdhg_status read_rows(spd_table *t, spd_text *text, spdhg_error *err) {
    const bool id = has_role(t, SPD_ROLE_ID), weight = has_role(t, SPD_ROLE_WEIGHT), offset = has_role(t, SPD_ROLE_OFFSET);
    for (;;) {
        spd_cell cell;
        SPD_TRY(spd_csv_cell(text, t->separator, &cell, err));
        if (cell.token.kind == SPD_TEXT_END) return SPDHG_OK;
        t->notes.lines++;
        if (is_blank_line(&cell)) {
            t->notes.blank_lines++;
            continue;
        }
        SPD_TRY(make_row(t, id, weight, offset, err));
        const spdhg_status status = read_cells(t, text, cell, err);
        if (status != SPDHG_OK && id) spd_free(t->id[t->rows]); /* of a row that does not count */
        SPD_TRY(status);
        end_row(t, id);
    }
}

spdhg_status spd_table_choose_gaps(spd_table *t, spdhg_error *err) {
    static const char *const name[] = {"error", "drop", "mean", "median"};
    const char *asked = t->o->missing ? t->o->missing : "error";
    for (int i = 0; i < 4; i++)
        if (strcmp(asked, name[i]) == 0) {
            t->missing = (spd_gaps)i;
            t->fills = i >= SPD_GAPS_MEAN && !t->o->like;
            return SPDHG_OK;
        }
    return spd_fail(err, SPDHG_USAGE, "missing '%s': expected error, drop, mean or median", asked);
}

static spdhg_status read_table(spd_table *t, spd_text *text, spdhg_error *err) {
    SPD_TRY(spd_table_choose_gaps(t, err));
    SPD_TRY(spd_table_header(t, text, err));
    SPD_TRY(spd_table_roles(t, err));
    SPD_TRY(spd_table_categories(t, err));
    const int64_t from = text->line;
    SPD_TRY(read_rows(t, text, err));
    if (t->rows == 0 && t->dropped > 0)
        return spd_fail(err, SPDHG_DATA, "%s: every row has a missing value: --missing drop leaves none", t->path);
    t->first_line = t->notes.blank_lines == 0 && t->dropped == 0 && text->line <= from + t->rows ? from : 0;
    return t->words ? spd_labels_sort(&t->labels, false, t->b, 1, t->rows, err) : SPDHG_OK;
}

static spdhg_status name_targets(spd_table *t, spdhg_columns *columns, spdhg_error *err) {
    if (!(columns->target = SPD_NEW(char *, t->targets))) return spd_fail_memory(err, 1);
    columns->targets = t->targets;
    bool good = true;
    for (int64_t c = 0; good && c < t->columns; c++) {
        const spd_file_column *k = &t->column[c];
        if (k->role == SPD_ROLE_TARGET) good = (columns->target[k->at] = spd_strdup(k->name)) != NULL;
        if (k->role == SPD_ROLE_ID) good = (columns->id = spd_strdup(k->name)) != NULL;
        if (k->role == SPD_ROLE_OFFSET) good = (columns->offset = spd_strdup(k->name)) != NULL;
    }
    columns->named = t->header;
    columns->width = t->header ? 0 : t->columns;
    columns->extra = t->extra;
    columns->extras = t->extras;
    columns->dropped_rows = t->dropped;
    columns->unseen = t->unseen;
    columns->empty = t->empty;
    columns->row_names = t->row_names && !t->o->id;
    columns->decimal_comma = t->comma;
    columns->like = t->o->like != NULL;
    columns->weighted = t->weight != NULL;
    columns->last_is_target = t->last_is_target;
    t->extra = NULL;
    t->extras = 0;
    return good ? SPDHG_OK : spd_fail_memory(err, 1);
}

spdhg_status spd_table_to_data(spd_table *t, spdhg_data *data, spdhg_error *err) {
    data->rows = t->rows;
    data->targets = t->targets;
    data->notes = t->notes;
    data->first_line = t->first_line;
    SPD_TRY(spd_table_features(t, data, err));
    SPD_TRY(name_targets(t, data->columns, err));
    if (!(data->name = spd_schema_names(data->columns))) return spd_fail_memory(err, 8.0 * (double)data->features);
    if (t->weight) SPD_TRY(spdhg_data_set_weights(data, t->weight, err));
    data->offset = t->offset;
    data->offsets = t->offset ? 1 : 0;
    data->b = t->b;
    data->id = t->id;
    data->label = t->words ? t->labels.text : NULL;
    data->labels = t->words ? t->labels.count : 0;
    t->b = t->offset = NULL;
    t->id = NULL;
    if (t->words) {
        t->labels.text = NULL;
        t->labels.count = 0;
    }
    return SPDHG_OK;
}

void spd_table_clear(spd_table *t) {
    for (int64_t c = 0; c < t->columns; c++) {
        spd_free(t->column[c].name);
        spd_labels_free(&t->column[c].level);
    }
    spd_labels_free(&t->names);
    spd_labels_free(&t->labels);
    if (t->id) spd_texts_free(t->id, t->rows);
    spd_texts_free(t->extra, t->extras);
    SPD_FREE_ALL(t->column, t->val, t->b, t->weight, t->offset);
}

spdhg_status spd_csv_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    spd_table t = {.o = o, .path = spd_stream_path(stream)};
    t.budget = (spd_budget){.path = t.path, .limit = o->max_memory};
    SPD_TRY(spd_data_new(out, err));
    spd_text text;
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_table(&t, &text, err);
    if (status == SPDHG_OK) status = spd_table_to_data(&t, *out, err);
    spd_text_close(&text);
    spd_table_clear(&t);
    if (status != SPDHG_OK) {
        spdhg_data_free(*out);
        *out = NULL;
    }
    return status;
}

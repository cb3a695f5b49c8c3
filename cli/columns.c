/* columns.c - what was made of the columns of a table, in sentences: people must see what became of text, gaps and names. */
#include "cli.h"
#include "loss/loss.h"

static void print_names(FILE *to, char *const *name, int64_t count) {
    enum { SHOWN = 8 };
    char plain[CLI_TEXT_CHARS];
    for (int64_t i = 0; i < count && i < SHOWN; i++) fprintf(to, "%s%s", i ? ", " : "", cli_plain(plain, name[i]));
    if (count > SHOWN) fprintf(to, ", ...");
}

static void print_column(FILE *to, const char *lead, const spd_table_column *c) {
    char plain[CLI_TEXT_CHARS];
    cli_plain(plain, c->name);
    if (c->category) {
        fprintf(to, "%scolumn '%s' %s: %lld levels (", lead, plain,
                c->automatic ? "is text, used as a category" : "is a category", (long long)c->levels);
        print_names(to, c->level, c->levels);
        fprintf(to, c->ordered ? "), in this order" : ")");
        if (c->reference >= 0) fprintf(to, ", compared with '%s'", cli_plain(plain, c->level[c->reference]));
        fprintf(to, "\n");
    }
    if (!c->category && c->gaps > 0)
        fprintf(to, "%scolumn '%s': %lld missing %s replaced by %.6g%s\n", lead, plain, (long long)c->gaps,
                c->gaps == 1 ? "value" : "values", c->fill, c->indicator ? " and marked by a feature of their own" : "");
}

void cli_print_columns(FILE *to, const char *lead, const spdhg_data *data) {
    const spdhg_columns *k = data->columns;
    char plain[CLI_TEXT_CHARS];
    enum { SHOWN = 20 };
    if (!to || !k) return;
    if (k->last_is_target)
        fprintf(to, "%starget: '%s', the last column (--label names another)\n", lead, cli_plain(plain, k->target[0]));
    if (k->row_names) fprintf(to, "%sthe first column has no name: used as the names of the rows, not as a feature\n", lead);
    if (k->empty > 0)
        fprintf(to, "%sthe last %s neither name nor values: left out\n", lead, k->empty == 1 ? "column has" : "columns have");
    if (k->decimal_comma) fprintf(to, "%snumbers have a decimal comma\n", lead);
    int64_t told = 0;
    for (int64_t i = 0; i < k->count; i++) {
        const spd_table_column *c = &k->column[i];
        const bool filled = !c->category && c->gaps > 0 && !isnan(c->fill);
        if (((c->category && !k->like) || filled) && told++ < SHOWN) print_column(to, lead, c);
    }
    if (told > SHOWN) fprintf(to, "%sand %lld more columns of this kind\n", lead, (long long)(told - SHOWN));
    if (k->dropped_rows > 0)
        fprintf(to, "%s%lld %s a missing value %s left out\n", lead, (long long)k->dropped_rows,
                k->dropped_rows == 1 ? "row with" : "rows with", k->dropped_rows == 1 ? "was" : "were");
    if (k->unseen > 0)
        fprintf(to, "%s%lld cells have a level that the model does not know: no level's coefficient applies\n", lead,
                (long long)k->unseen);
    if (k->extras > 0) {
        fprintf(to, "%signored: %lld column%s that the model does not use (", lead, (long long)k->extras,
                k->extras == 1 ? "" : "s");
        print_names(to, k->extra, k->extras);
        fprintf(to, ")\n");
    }
}

bool cli_print_trivial(FILE *to, const char *lead, const spdhg_data *data, const char *loss) {
    const spdhg_loss *kind;
    double arg;
    spdhg_error unknown; /* told elsewhere, as a single class is */
    bool same = data->targets == 1 && spd_loss_find(loss, &kind, &arg, &unknown) == SPDHG_OK && !kind->classify;
    for (int64_t i = 1; same && i < data->rows; i++) same = data->b[i] == data->b[0];
    if (to && same) fprintf(to, "%severy target is %g: there is nothing to predict\n", lead, data->b[0]);
    if (to && data->features == 0) fprintf(to, "%sno features are left: the model is its intercept alone\n", lead);
    return same || data->features == 0;
}

int64_t cli_print_row_numbers(FILE *to, const char *lead, const spdhg_data *data) {
    int64_t found = 0;
    for (int64_t i = 0; to && data->columns && i < data->columns->count; i++) {
        const spd_table_column *c = &data->columns->column[i];
        char plain[CLI_TEXT_CHARS];
        if (c->category || c->features != 1 || !spd_data_counts_rows(data, c->feature)) continue;
        cli_plain(plain, c->name);
        fprintf(to, "%scolumn '%s' counts the rows: if it is their number, leave it out: --drop '%s', or --id '%s'\n", lead,
                plain, plain, plain);
        found++;
    }
    return found;
}

bool cli_print_repeated_ids(FILE *to, const char *lead, const spdhg_data *data) {
    int64_t row[2];
    const int64_t repeated = to ? spd_data_repeated_ids(data, row) : 0;
    char plain[CLI_TEXT_CHARS];
    if (repeated <= 0) return false;
    fprintf(to, "%s%lld %s the id of an earlier row: rows %lld and %lld are both '%s'\n", lead, (long long)repeated,
            repeated == 1 ? "row has" : "rows have", (long long)row[0] + 1, (long long)row[1] + 1,
            cli_plain(plain, data->id[row[0]]));
    return true;
}

spdhg_status cli_check_width(const char *verb, const char *path, const spdhg_data *data, int64_t features, int index_base,
                             spdhg_error *err) {
    if (data->features <= features) return SPDHG_OK;
    if (data->columns || !data->idx)
        return spd_fail(err, SPDHG_DATA,
                        "%s: %lld features, but the model has %lld, by their number: leave out what is no feature (--drop NAME, "
                        "--id NAME; --label NAME is the target)",
                        path, (long long)data->features, (long long)features);
    if (verb)
        fprintf(stderr, "%s: ignored: features that the model does not have, with indices from %lld to %lld\n", verb,
                (long long)features + index_base, (long long)data->features - 1 + index_base);
    return SPDHG_OK;
}

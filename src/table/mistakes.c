/* mistakes.c - what is wrong with a cell or a row, and what to do about it. */
#include "table/table.h"

spdhg_status spd_table_gap(spd_table *t, const spd_text *text, const spd_cell *cell, const char *name, const char *expected,
                           spdhg_error *err) {
    t->gap_here = true;
    if (t->missing == SPD_GAPS_DROP) return SPDHG_OK;
    const spd_shown shown = spd_show(cell->token.at, cell->token.end);
    const char *more = strcmp(expected, "a label") == 0 ? ""
                       : t->o->like                     ? "; a model fitted with --missing mean or median fills them in"
                                                        : ", --missing mean or median fills them in";
    return spd_text_fail(text, &cell->token, err,
                         "expected %s, found %s%s%s: column '%.60s' has no value here; --missing drop "
                         "leaves out such rows%s",
                         expected, shown.text[0] ? "'" : "nothing", shown.text, shown.text[0] ? "'" : "", name, more);
}

spdhg_status spd_table_too_large(const spd_text *text, const spd_token *token, const char *name, spdhg_error *err) {
    return spd_text_fail(
        text, token, err,
        "number out of range: '%s' in column '%.60s': write one that is less than 1.79e308 in size, or NA and give "
        "--missing",
        spd_show(token->at, token->end).text, name);
}

spdhg_status spd_table_nothing(const spd_text *text, const spd_cell *cell, int64_t column, spdhg_error *err) {
    if (cell->token.at == cell->token.end) return SPDHG_OK;
    return spd_text_fail(text, &cell->token, err,
                         "found '%s' in column %lld, which has no name and no value in the first row: name it, or delete it",
                         spd_show(cell->token.at, cell->token.end).text, (long long)column + 1);
}

/* A row with another number of cells. If it is the first one, what was taken as the header may be a title. */
spdhg_status spd_table_uneven(const spd_table *t, const spd_text *text, const spd_token *place, int64_t found, bool empty,
                              spdhg_error *err) {
    char hint[100] = "; a cell without a value needs its separator too";
    if (found == t->columns + 1 && empty)
        snprintf(hint, sizeof hint, "; the row ends with a separator: delete it, or end the header with one");
    else if (t->header && t->rows + t->dropped == 0)
        snprintf(hint, sizeof hint, "; if a title stands above the names, delete it or put # before it");
    else if (found > t->columns)
        snprintf(hint, sizeof hint, "; a cell that contains the separator, %s, needs quotes",
                 t->separator == '\t'  ? "a tab"
                 : t->separator == ' ' ? "a blank"
                                       : (char[]){'\'', t->separator, '\'', '\0'});
    return spd_text_fail(text, place, err, "%lld cell%s in this row, expected %lld as in the %s%s", (long long)found,
                         found == 1 ? "" : "s", (long long)t->columns, t->header ? "header" : "first row", hint);
}

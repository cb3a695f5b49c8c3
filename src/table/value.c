/* value.c - the value of a cell that is not simply a number: a gap, a level of a category, a number with a decimal comma, or a
 * mistake whose message names the remedy. The first cell with a value decides whether a column holds numbers or levels. */
#include <ctype.h>

#include "table/table.h"

static bool is_word(const spd_cell *cell, const char *const *word, size_t count) {
    const size_t length = (size_t)(cell->token.end - cell->token.at);
    for (size_t i = 0; i < count; i++)
        if (strlen(word[i]) == length && memcmp(word[i], cell->token.at, length) == 0) return true;
    return false;
}

/* The words that R, Python and spreadsheets write for no value; marks that are a gap only where numbers are expected. */
bool spd_table_is_gap(const spd_cell *cell, bool number) {
    static const char *const always[] = {"",     "NA",   "N/A", "n/a",  "NaN",  "nan",  "Nan",  "NAN", "na",   "null",
                                         "NULL", "None", "nil", "+nan", "-nan", "-NaN", "#N/A", "#NA", "<NA>", "(null)"};
    static const char *const marks[] = {"?",       ".",     "-",     "--",     "none",    "missing", "#DIV/0!",
                                        "#VALUE!", "#REF!", "#NUM!", "#NAME?", "-1.#IND", "1.#QNAN"};
    return is_word(cell, always, sizeof always / sizeof *always) ||
           (number && is_word(cell, marks, sizeof marks / sizeof *marks));
}

bool spd_table_is_infinity(const spd_cell *cell) {
    static const char *const name[] = {"inf", "+inf", "-inf", "Inf", "-Inf", "infinity", "-infinity"};
    return is_word(cell, name, sizeof name / sizeof *name);
}

/* Two or three groups of digits, separated by - / or . or : as dates and times have them. */
static bool is_date(const char *at, const char *end) {
    int groups = 0, digits = 0;
    char mark = 0;
    for (; at < end; at++) {
        if (isdigit((unsigned char)*at)) {
            groups += digits++ == 0;
            if (digits > 4) return false;
        } else if (strchr("-/.:", *at) && digits > 0 && (!mark || mark == *at)) {
            mark = *at;
            digits = 0;
        } else if ((*at == 'T' || *at == ' ') && groups == 3)
            return true; /* a time follows */
        else
            return false;
    }
    return digits > 0 && (groups == 3 || (groups == 2 && mark == ':'));
}

static bool is_currency(char c) { return c == '$' || (unsigned char)c >= 0x80; }

/* A number with a sign, unit or separator that only people read: 12%, $5, 5 $, 1 234, 1,234 and, between commas, 1,5. */
static bool is_dressed(const char *at, const char *end) {
    double number;
    const bool currency = at < end && is_currency(*at);
    const char *from = at;
    while (from < end && currency && !isdigit((unsigned char)*from)) from++;
    const char *stop = spd_parse_double(from, end, &number);
    if (!stop) return false;
    if (stop == end) return currency;
    int digits = 0;
    while (stop + digits + 1 < end && isdigit((unsigned char)stop[digits + 1])) digits++;
    const bool thousands = (*stop == ',' || *stop == ' ' || *stop == '\'') && digits >= 3;
    const bool comma = *stop == ',' && digits > 0 && stop + digits + 1 == end;
    if (*stop == ' ' && stop + 1 < end) stop++;
    return thousands || comma || is_currency(*stop) || (*stop == '%' && stop + 1 == end);
}

/* A number with a decimal comma: only where the comma does not separate cells, and not beside points. */
static bool with_comma(spd_table *t, const spd_token *token, double *place) {
    char copy[64];
    const size_t length = (size_t)(token->end - token->at);
    const char *comma = memchr(token->at, ',', length);
    if (t->separator == ',' || !comma || length >= sizeof copy || memchr(token->at, '.', length)) return false;
    memcpy(copy, token->at, length);
    copy[comma - token->at] = '.';
    if (spd_parse_double(copy, copy + length, place) != copy + length || !isfinite(*place)) return false;
    t->comma = true;
    return true;
}

static spdhg_status as_number(spd_table *t, const spd_text *text, const spd_cell *cell, const spd_file_column *k, double *place,
                              spdhg_error *err) {
    const spd_token *token = &cell->token;
    const bool plain = spd_parse_double(token->at, token->end, place) == token->end;
    const bool good = plain || with_comma(t, token, place);
    if (plain && t->separator != ',') t->point = t->point || memchr(token->at, '.', (size_t)(token->end - token->at));
    if (good && t->comma && t->point)
        return spd_text_fail(text, token, err, "'%s' in a table with both decimal commas and points: write all numbers one way",
                             spd_show(token->at, token->end).text);
    if (plain) return isfinite(*place) ? SPDHG_OK : spd_table_too_large(text, token, k->name, err);
    if (good) return SPDHG_OK;
    const spd_shown shown = spd_show(token->at, token->end);
    if (spd_table_is_infinity(cell))
        return spd_text_fail(text, token, err,
                             "expected a finite number, found '%s' in column '%.60s': write a number, or NA and give --missing",
                             shown.text, k->name);
    if (is_dressed(token->at, token->end))
        return spd_text_fail(
            text, token, err,
            "expected a number, found '%s' in column '%.60s': write it with a decimal point, without separators, "
            "signs and units",
            shown.text, k->name);
    if (is_date(token->at, token->end))
        return spd_text_fail(text, token, err,
                             "expected a number, found '%s', a date or time, in column '%.60s': turn it into a "
                             "number (days since a start, month, hour), or leave it out: --drop '%.60s'",
                             shown.text, k->name, k->name);
    const bool digits = strpbrk(shown.text, "0123456789") != NULL; /* 1_000, (5), 0x10, 1.5D2 */
    char hint[200];
    snprintf(hint, sizeof hint, t->o->like ? "; the model has numbers there" : "; if it has categories: --categorical '%.60s'",
             k->name);
    return spd_text_fail(text, token, err, "expected a number, found '%s' in column '%.60s'%s%s", shown.text, k->name,
                         digits ? ": write it plainly, as 1234.5 or 1e-3" : "", hint);
}

static spdhg_status unknown_level(spd_table *t, const spd_text *text, const spd_cell *cell, const spd_file_column *k,
                                  const char *word, double *place, spdhg_error *err) {
    if (t->o->like && t->o->unseen && strcmp(t->o->unseen, "other") == 0) {
        t->unseen++;
        *place = -1;
        return SPDHG_OK;
    }
    char meant[SPD_DID_YOU_MEAN_CHARS];
    spd_did_you_mean(meant, sizeof meant, word, k->level.text, k->level.count, sizeof *k->level.text);
    return spd_text_fail(text, &cell->token, err, "'%.40s' is not one of the %lld levels of column '%.60s'%s%s", word,
                         (long long)k->level.count, k->name, meant,
                         t->o->like ? meant[0] ? " Otherwise: --unseen other" : "; --unseen other gives it no level's coefficient"
                         : meant[0] ? " --ordered has to name every level"
                                    : "; --ordered has to name every level");
}

static spdhg_status as_level(spd_table *t, const spd_text *text, const spd_cell *cell, spd_file_column *k, bool gap,
                             double *place, spdhg_error *err) {
    char number_text[SPD_NUMBER_CHARS], *bytes = gap ? spd_strdup(SPD_GAP_LEVEL) : spd_csv_text(cell);
    char *word = bytes ? spd_to_utf8(bytes) : NULL;
    spd_free(bytes);
    if (!word) return spd_fail_memory(err, (double)(cell->token.end - cell->token.at));
    double number; /* levels that are numbers are compared as numbers: 1 and 1.0 are the same */
    const bool numeric = spd_to_double(word, &number);
    if (numeric) spd_print_double(number_text, number);
    const char *level = numeric ? number_text : word;
    const bool closed = k->closed && !(gap && t->fills); /* an order that was given does not name the gaps */
    const int64_t known = closed ? spd_labels_find(&k->level, level) : 0;
    spdhg_status status = SPDHG_OK;
    if (known < 0 && gap && !t->o->unseen)
        status = spd_table_gap(t, text, cell, k->name, "a level", err);
    else if (known < 0)
        status = unknown_level(t, text, cell, k, level, place, err);
    else if (closed)
        *place = (double)known;
    else
        status = spd_labels_code(&k->level, level, &t->budget, place, err);
    spd_free(word);
    return status;
}

spdhg_status spd_table_value(spd_table *t, const spd_text *text, const spd_cell *cell, spd_file_column *k, double *place,
                             spdhg_error *err) {
    const spd_token *token = &cell->token;
    const bool feature = k->role == SPD_ROLE_FEATURE, fills = feature && (t->fills || !isnan(k->fill));
    if (spd_table_is_gap(cell, k->cells != SPD_CELLS_LEVELS)) {
        k->gaps++;
        *place = NAN;
        if (k->cells == SPD_CELLS_LEVELS && (fills || k->closed)) return as_level(t, text, cell, k, true, place, err);
        return fills ? SPDHG_OK
                     : spd_table_gap(t, text, cell, k->name, k->cells == SPD_CELLS_LEVELS ? "a level" : "a number", err);
    }
    double number;
    if (k->cells == SPD_CELLS_OPEN) {
        const bool numeric = spd_parse_double(token->at, token->end, &number) == token->end || with_comma(t, token, &number);
        k->automatic = !numeric && feature && !is_date(token->at, token->end) && !is_dressed(token->at, token->end) &&
                       !spd_table_is_infinity(cell);
        k->cells = k->automatic ? SPD_CELLS_LEVELS : SPD_CELLS_NUMBERS;
    }
    return k->cells == SPD_CELLS_LEVELS ? as_level(t, text, cell, k, false, place, err) : as_number(t, text, cell, k, place, err);
}

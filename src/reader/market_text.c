/* market_text.c - the Matrix Market exchange format (Boisvert, Pozo, Remington 1996): banner, comments, sizes, entries.
 * Supported: coordinate or array; real, integer or pattern (all ones); general, symmetric or skew-symmetric. Counts must agree
 * with the header. */
#include <strings.h>

#include "reader/market.h"

static bool is_word(const spd_token *token, const char *word) {
    const size_t length = strlen(word);
    return token->kind == SPD_TOKEN && (size_t)(token->end - token->at) == length && strncasecmp(token->at, word, length) == 0;
}

static spdhg_status read_banner(spd_text *text, spd_market *m, spdhg_error *err) {
    spd_token token;
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    if (!is_word(&token, "%%MatrixMarket")) return spd_text_fail(text, &token, err, "expected %%%%MatrixMarket");
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    if (!is_word(&token, "matrix")) return spd_text_fail(text, &token, err, "expected the object 'matrix'");
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    m->array = is_word(&token, "array");
    if (!m->array && !is_word(&token, "coordinate")) return spd_text_fail(text, &token, err, "expected coordinate or array");
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    m->pattern = is_word(&token, "pattern");
    if (!m->pattern && !is_word(&token, "real") && !is_word(&token, "integer") && !is_word(&token, "double"))
        return spd_text_fail(text, &token, err, "expected real, integer or pattern");
    if (m->pattern && m->array) return spd_text_fail(text, &token, err, "an array cannot be a pattern");
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    m->symmetry = is_word(&token, "symmetric") ? SPD_SYMMETRIC : is_word(&token, "skew-symmetric") ? SPD_SKEW : SPD_GENERAL;
    if (m->symmetry == SPD_GENERAL && !is_word(&token, "general"))
        return spd_text_fail(text, &token, err, "expected general, symmetric or skew-symmetric");
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    if (token.kind != SPD_LINE_END) return spd_text_fail(text, &token, err, "expected the end of the banner");
    return SPDHG_OK;
}

/* The next token that is not a line end; '%' lines are comments. */
static spdhg_status next(spd_text *text, spd_token *token, spdhg_error *err) {
    do SPD_TRY(spd_text_token(text, 0, '%', token, err));
    while (token->kind == SPD_LINE_END);
    return SPDHG_OK;
}

static spdhg_status read_sizes(spd_text *text, spd_market *m, spdhg_error *err) {
    spd_token token;
    SPD_TRY(next(text, &token, err));
    SPD_TRY(spd_text_count(text, &token, "the number of rows", 0, INT64_MAX / 16, &m->rows, err));
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    SPD_TRY(spd_text_count(text, &token, "the number of columns", 0, INT32_MAX, &m->columns, err));
    if (m->symmetry != SPD_GENERAL && m->rows != m->columns)
        return spd_text_fail(text, &token, err, "a symmetric matrix is square, not %lld x %lld", (long long)m->rows,
                             (long long)m->columns);
    if (!m->array) {
        SPD_TRY(spd_text_token(text, 0, 0, &token, err));
        return spd_text_count(text, &token, "the number of entries", 0, INT64_MAX / 16, &m->declared, err);
    }
    const int64_t n = m->columns;
    m->declared = m->symmetry == SPD_SYMMETRIC ? n * (n + 1) / 2 : n * (n - 1) / 2;
    if (m->symmetry == SPD_GENERAL && __builtin_mul_overflow(m->rows, n, &m->declared))
        return spd_text_fail(text, &token, err, "%lld x %lld numbers are too many", (long long)m->rows, (long long)n);
    return SPDHG_OK;
}

static spdhg_status add(spd_market *m, int64_t row, int64_t column, double value, spdhg_error *err) {
    SPD_TRY(spd_reserve(&m->row, &m->row_room, m->count + 1, sizeof *m->row, &m->budget, err));
    SPD_TRY(spd_reserve(&m->column, &m->column_room, m->count + 1, sizeof *m->column, &m->budget, err));
    SPD_TRY(spd_reserve(&m->value, &m->value_room, m->count + 1, sizeof *m->value, &m->budget, err));
    m->row[m->count] = row;
    m->column[m->count] = (int32_t)column;
    m->value[m->count++] = value;
    return SPDHG_OK;
}

static spdhg_status read_entry(spd_text *text, spd_market *m, spd_token *token, spdhg_error *err) {
    double value = 1;
    if (m->array) {
        SPD_TRY(spd_text_number(text, token, &value, err));
        SPD_TRY(spd_reserve(&m->value, &m->value_room, m->count + 1, sizeof *m->value, &m->budget, err));
        m->value[m->count++] = value;
        return SPDHG_OK;
    }
    int64_t row, column;
    SPD_TRY(spd_text_count(text, token, "a row", 1, m->rows, &row, err));
    SPD_TRY(spd_text_token(text, 0, 0, token, err));
    SPD_TRY(spd_text_count(text, token, "a column", 1, m->columns, &column, err));
    if (m->symmetry == SPD_SKEW && row == column)
        return spd_text_fail(text, token, err, "a skew-symmetric matrix has no diagonal entries");
    if (!m->pattern) {
        SPD_TRY(spd_text_token(text, 0, 0, token, err));
        if (token->kind != SPD_TOKEN) return spd_text_fail(text, token, err, "expected a value");
        SPD_TRY(spd_text_number(text, token, &value, err));
    }
    SPD_TRY(spd_text_token(text, 0, '%', token, err));
    if (token->kind == SPD_TOKEN) return spd_text_fail(text, token, err, "expected the end of the line");
    SPD_TRY(add(m, row - 1, column - 1, value, err));
    if (m->symmetry != SPD_GENERAL && row != column)
        return add(m, column - 1, row - 1, m->symmetry == SPD_SKEW ? -value : value, err);
    return SPDHG_OK;
}

static spdhg_status read_content(spd_text *text, spd_market *m, spdhg_error *err) {
    SPD_TRY(read_banner(text, m, err));
    SPD_TRY(read_sizes(text, m, err));
    spd_token token;
    for (int64_t entries = 0;; entries++) {
        SPD_TRY(next(text, &token, err));
        if (token.kind == SPD_TEXT_END) {
            if (entries == m->declared) return SPDHG_OK;
            return spd_text_fail(text, &token, err, "ends after %lld entries, the header says %lld", (long long)entries,
                                 (long long)m->declared);
        }
        if (entries == m->declared)
            return spd_text_fail(text, &token, err, "more entries than the %lld of the header", (long long)m->declared);
        SPD_TRY(read_entry(text, m, &token, err));
    }
}

spdhg_status spd_market_parse(spd_stream *stream, spd_market *m, spdhg_error *err) {
    spd_text text;
    m->budget.path = spd_stream_path(stream);
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_content(&text, m, err);
    spd_text_close(&text);
    /* A row takes 8 bytes even if it is empty: a header must not cause allocations that the content does not justify. */
    if (status == SPDHG_OK && !m->array && m->rows > 16 * m->count + (1 << 24))
        status = spd_fail(err, SPDHG_DATA, "%s: the header claims %lld rows for %lld entries", m->budget.path, (long long)m->rows,
                          (long long)m->count);
    if (status == SPDHG_OK)
        status = spd_budget_take(
            &m->budget, 8 * (double)m->rows + (m->array ? 8 * (double)m->rows * (double)m->columns : 12 * (double)m->count), err);
    return status;
}

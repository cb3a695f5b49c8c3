/* matrix_market.c - Matrix Market exchange format (Boisvert, Pozo, Remington 1996), read into rows.
 * coordinate or array, real, integer or pattern (all ones), general, symmetric or skew-symmetric (both expanded to the full matrix).
 * As a data set the rows are samples without labels; written labels go to FILE.targets, to be read with the option targets. */
#include <strings.h>

#include "data/reader.h"
#include "la/la.h"

typedef struct market {
    bool array, pattern;
    enum { GENERAL, SYMMETRIC, SKEW } symmetry;
    int64_t rows, columns, declared, count, row_room, column_room, value_room;
    int64_t *row; /* coordinate only, as are the columns; array: values column by column */
    int32_t *column;
    double *value;
    spd_budget budget;
} market;

static bool is_word(const spd_token *token, const char *word) {
    const size_t length = strlen(word);
    return token->kind == SPD_TOKEN && (size_t)(token->end - token->at) == length && strncasecmp(token->at, word, length) == 0;
}

static spdhg_status read_banner(spd_text *text, market *m, spdhg_error *err) {
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
    m->symmetry = is_word(&token, "symmetric") ? SYMMETRIC : is_word(&token, "skew-symmetric") ? SKEW : GENERAL;
    if (m->symmetry == GENERAL && !is_word(&token, "general"))
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

static spdhg_status read_sizes(spd_text *text, market *m, spdhg_error *err) {
    spd_token token;
    SPD_TRY(next(text, &token, err));
    SPD_TRY(spd_text_count(text, &token, "the number of rows", 0, INT64_MAX / 16, &m->rows, err));
    SPD_TRY(spd_text_token(text, 0, 0, &token, err));
    SPD_TRY(spd_text_count(text, &token, "the number of columns", 0, INT32_MAX, &m->columns, err));
    if (m->symmetry != GENERAL && m->rows != m->columns)
        return spd_text_fail(text, &token, err, "a symmetric matrix is square, not %lld x %lld", (long long)m->rows, (long long)m->columns);
    if (!m->array) {
        SPD_TRY(spd_text_token(text, 0, 0, &token, err));
        return spd_text_count(text, &token, "the number of entries", 0, INT64_MAX / 16, &m->declared, err);
    }
    const int64_t n = m->columns;
    m->declared = m->symmetry == SYMMETRIC ? n * (n + 1) / 2 : n * (n - 1) / 2;
    if (m->symmetry == GENERAL && __builtin_mul_overflow(m->rows, n, &m->declared))
        return spd_text_fail(text, &token, err, "%lld x %lld numbers are too many", (long long)m->rows, (long long)n);
    return SPDHG_OK;
}

static spdhg_status add(market *m, int64_t row, int64_t column, double value, spdhg_error *err) {
    SPD_TRY(spd_reserve(&m->row, &m->row_room, m->count + 1, sizeof *m->row, &m->budget, err));
    SPD_TRY(spd_reserve(&m->column, &m->column_room, m->count + 1, sizeof *m->column, &m->budget, err));
    SPD_TRY(spd_reserve(&m->value, &m->value_room, m->count + 1, sizeof *m->value, &m->budget, err));
    m->row[m->count] = row;
    m->column[m->count] = (int32_t)column;
    m->value[m->count++] = value;
    return SPDHG_OK;
}

static spdhg_status read_entry(spd_text *text, market *m, spd_token *token, spdhg_error *err) {
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
    if (m->symmetry == SKEW && row == column) return spd_text_fail(text, token, err, "a skew-symmetric matrix has no diagonal entries");
    if (!m->pattern) {
        SPD_TRY(spd_text_token(text, 0, 0, token, err));
        if (token->kind != SPD_TOKEN) return spd_text_fail(text, token, err, "expected a value");
        SPD_TRY(spd_text_number(text, token, &value, err));
    }
    SPD_TRY(spd_text_token(text, 0, '%', token, err));
    if (token->kind == SPD_TOKEN) return spd_text_fail(text, token, err, "expected the end of the line");
    SPD_TRY(add(m, row - 1, column - 1, value, err));
    if (m->symmetry != GENERAL && row != column) return add(m, column - 1, row - 1, m->symmetry == SKEW ? -value : value, err);
    return SPDHG_OK;
}

static spdhg_status read_content(spd_text *text, market *m, spdhg_error *err) {
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

/* The array, row by row. The values came column by column; of a symmetric matrix only the lower triangle. */
static double *array_rows(const market *m) {
    double *dense = SPD_NEW(double, m->rows * m->columns);
    const double *value = m->value;
    for (int64_t j = 0; dense && j < m->columns; j++)
        for (int64_t i = m->symmetry == GENERAL ? 0 : m->symmetry == SYMMETRIC ? j : j + 1; i < m->rows; i++, value++) {
            dense[i * m->columns + j] = *value;
            if (m->symmetry != GENERAL) dense[j * m->columns + i] = m->symmetry == SKEW && i != j ? -*value : *value;
        }
    return dense;
}

static void array_to_entries(const double *dense, const market *m, spd_csr *A) {
    int64_t count = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t j = 0; j < m->columns; j++)
            if (dense[i * m->columns + j] != 0) {
                A->idx[count] = (int32_t)j;
                A->val[count++] = dense[i * m->columns + j];
            }
        A->ptr[i + 1] = count;
    }
}

/* Coordinates into rows: counting sort by row, which keeps their order, then each row by column. */
static spdhg_status coordinates_to_rows(const market *m, spdhg_duplicates duplicates, spd_csr *A, spdhg_error *err) {
    for (int64_t k = 0; k < m->count; k++) A->ptr[m->row[k] + 1]++;
    for (int64_t i = 0; i < m->rows; i++) A->ptr[i + 1] += A->ptr[i];
    for (int64_t k = 0; k < m->count; k++) { /* ptr[i] walks to the end of row i and is set back below */
        const int64_t place = A->ptr[m->row[k]]++;
        A->idx[place] = m->column[k];
        A->val[place] = m->value[k];
    }
    memmove(A->ptr + 1, A->ptr, (size_t)m->rows * sizeof *A->ptr);
    A->ptr[0] = 0;
    int64_t kept = 0;
    for (int64_t i = 0, from = 0; i < m->rows; i++) {
        const int64_t to = A->ptr[i + 1];
        int64_t here = to - from, twice = -1;
        bool ascending = true;
        for (int64_t k = from + 1; k < to; k++) ascending = ascending && A->idx[k] > A->idx[k - 1];
        if (!ascending) SPD_TRY(spd_sort_row(A->idx + from, A->val + from, &here, duplicates, &twice, err));
        if (twice >= 0 && duplicates == SPDHG_DUPLICATES_ERROR)
            return spd_fail(err, SPDHG_DATA, "%s: entry (%lld, %lld) occurs twice", m->budget.path, (long long)i + 1, (long long)twice + 1);
        memmove(A->idx + kept, A->idx + from, (size_t)here * sizeof *A->idx);
        memmove(A->val + kept, A->val + from, (size_t)here * sizeof *A->val);
        A->ptr[i + 1] = kept += here;
        from = to;
    }
    return SPDHG_OK;
}

static spdhg_status parse(spd_stream *stream, market *m, spdhg_error *err) {
    spd_text text;
    m->budget.path = spd_stream_path(stream);
    spdhg_status status = spd_text_open(&text, stream, err);
    if (status == SPDHG_OK) status = read_content(&text, m, err);
    spd_text_close(&text);
    /* A row costs 8 bytes even when it is empty: no header may ask for memory the content does not account for. */
    if (status == SPDHG_OK && !m->array && m->rows > 16 * m->count + (1 << 24))
        status = spd_fail(err, SPDHG_DATA, "%s: the header claims %lld rows for %lld entries", m->budget.path, (long long)m->rows,
                          (long long)m->count);
    if (status == SPDHG_OK)
        status = spd_budget_take(&m->budget, 8 * (double)m->rows + (m->array ? 8 * (double)m->rows * (double)m->columns : 12 * (double)m->count), err);
    return status;
}

static void release(market *m) {
    spd_free(m->row);
    spd_free(m->column);
    spd_free(m->value);
}

static spdhg_status to_rows(const market *m, spdhg_duplicates duplicates, spd_csr *A, spdhg_error *err) {
    *A = (spd_csr){.m = m->rows, .n = m->columns};
    double *dense = m->array ? array_rows(m) : NULL;
    const int64_t most = m->array ? m->rows * m->columns : m->count;
    A->ptr = SPD_NEW(int64_t, m->rows + 1);
    A->idx = SPD_NEW(int32_t, most);
    A->val = SPD_NEW(double, most);
    spdhg_status status = SPDHG_OK;
    if (!A->ptr || !A->idx || !A->val || (m->array && !dense))
        status = spd_fail_memory(err, 12 * (double)most);
    else if (m->array)
        array_to_entries(dense, m, A);
    else
        status = coordinates_to_rows(m, duplicates, A, err);
    spd_free(dense);
    if (status == SPDHG_OK) return SPDHG_OK;
    spd_free(A->ptr);
    spd_free(A->idx);
    spd_free(A->val);
    *A = (spd_csr){0};
    return status;
}

spdhg_status spd_matrix_market_read(const char *path, struct spd_csr *out, spdhg_error *err) {
    *out = (spd_csr){0};
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    market m = {0};
    spdhg_status status = parse(stream, &m, err);
    if (status == SPDHG_OK) status = to_rows(&m, SPDHG_DUPLICATES_ERROR, out, err);
    release(&m);
    spd_stream_close(stream);
    return status;
}

spdhg_status spd_market_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    market m = {.budget = {.limit = o->max_memory}};
    spdhg_data *data = NULL;
    spd_csr A = {0};
    spdhg_status status = parse(stream, &m, err);
    if (status == SPDHG_OK && !m.array) status = to_rows(&m, o->duplicates, &A, err);
    if (status == SPDHG_OK) status = spd_data_new(&data, err);
    if (status == SPDHG_OK) {
        data->rows = m.rows;
        data->features = m.columns;
        data->ptr = A.ptr;
        data->idx = A.idx;
        data->val = m.array ? array_rows(&m) : A.val;
        data->nnz = m.array ? m.rows * m.columns : A.ptr[m.rows];
        data->index_base = 1;
        if (!data->val) status = spd_fail_memory(err, 8 * (double)data->nnz);
        if (status != SPDHG_OK) {
            spdhg_data_free(data);
            data = NULL;
        }
    } else {
        spd_free(A.ptr);
        spd_free(A.idx);
        spd_free(A.val);
    }
    release(&m);
    *out = data;
    return status;
}

/* matrix_market.c - a Matrix Market file (market_text.c) arranged in rows: for structures F, and as a data set.
 * Symmetric and skew-symmetric matrices are expanded. In a data set the rows are samples without labels; the labels come from a
 * file of targets. */
#include "la/la.h"
#include "reader/market.h"

/* The array row by row. The file stores values column by column, and only the lower triangle of a symmetric matrix. */
static double *array_rows(const spd_market *m) {
    double *dense = SPD_NEW(double, m->rows * m->columns);
    const double *value = m->value;
    for (int64_t j = 0; dense && j < m->columns; j++)
        for (int64_t i = m->symmetry == SPD_GENERAL ? 0 : m->symmetry == SPD_SYMMETRIC ? j : j + 1; i < m->rows; i++, value++) {
            dense[i * m->columns + j] = *value;
            if (m->symmetry != SPD_GENERAL) dense[j * m->columns + i] = m->symmetry == SPD_SKEW && i != j ? -*value : *value;
        }
    return dense;
}

static void array_to_entries(const double *dense, const spd_market *m, spd_csr *A) {
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

/* Arranges coordinates in rows: a stable counting sort by row, then each row is sorted by column. */
static spdhg_status coordinates_to_rows(const spd_market *m, spdhg_duplicates duplicates, spd_csr *A, spdhg_error *err) {
    for (int64_t k = 0; k < m->count; k++) A->ptr[m->row[k] + 1]++;
    for (int64_t i = 0; i < m->rows; i++) A->ptr[i + 1] += A->ptr[i];
    for (int64_t k = 0; k < m->count; k++) { /* ptr[i] advances to the end of row i and is reset below */
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
            return spd_fail(err, SPDHG_DATA, "%s: entry (%lld, %lld) occurs twice", m->budget.path, (long long)i + 1,
                            (long long)twice + 1);
        memmove(A->idx + kept, A->idx + from, (size_t)here * sizeof *A->idx);
        memmove(A->val + kept, A->val + from, (size_t)here * sizeof *A->val);
        A->ptr[i + 1] = kept += here;
        from = to;
    }
    return SPDHG_OK;
}

static void release(spd_market *m) {
    spd_free(m->row);
    spd_free(m->column);
    spd_free(m->value);
}

static spdhg_status to_rows(const spd_market *m, spdhg_duplicates duplicates, spd_csr *A, spdhg_error *err) {
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
    spd_market m = {0};
    spdhg_status status = spd_market_parse(stream, &m, err);
    if (status == SPDHG_OK) status = to_rows(&m, SPDHG_DUPLICATES_ERROR, out, err);
    release(&m);
    spd_stream_close(stream);
    return status;
}

spdhg_status spd_market_read(spdhg_data **out, spd_stream *stream, const spdhg_read_options *o, spdhg_error *err) {
    spd_market m = {.budget = {.limit = o->max_memory}};
    spdhg_data *data = NULL;
    spd_csr A = {0};
    spdhg_status status = spd_market_parse(stream, &m, err);
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

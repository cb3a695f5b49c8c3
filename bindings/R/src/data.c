/* data.c - data for the library from R's matrices. A dgRMatrix and a dgCMatrix are borrowed; a dense matrix, which R keeps by columns,
 * is copied by rows. Copies are freed with the handle. */
#include "glue.h"

#include <stdlib.h>

typedef struct rows {
    spdhg_data *data;
    int64_t *ptr; /* NULL: dense */
    double *val;  /* NULL: borrowed */
} rows;

static void rows_free(rows *r) {
    if (!r) return;
    spdhg_data_free(r->data);
    free(r->ptr);
    free(r->val);
    free(r);
}
GLUE_RELEASE(data_release, rows, rows_free)

spdhg_data *glue_data(SEXP handle) { return ((rows *)glue_pointer(handle))->data; }

static void *room(size_t count, size_t size) {
    void *block = calloc(count > 0 ? count : 1, size);
    if (!block) {
        spdhg_error err = {.status = SPDHG_MEMORY};
        snprintf(err.message, sizeof err.message, "out of memory: %.3g GB for the rows of x",
                 1e-9 * (double)count * (double)size);
        glue_check(SPDHG_MEMORY, &err);
    }
    return block;
}

static void broken(const char *what) {
    spdhg_error err = {.status = SPDHG_DATA};
    snprintf(err.message, sizeof err.message, "x is broken: %s", what);
    glue_check(SPDHG_DATA, &err);
}

/* R's pointers, checked: from 0 upwards to the number of entries. */
static void check_pointers(const int *p, R_xlen_t lines, R_xlen_t given, R_xlen_t entries) {
    if (given != lines + 1 || p[0] != 0 || p[lines] > entries) broken("its pointers do not fit its entries");
    for (R_xlen_t i = 0; i < lines; i++)
        if (p[i + 1] < p[i]) broken("its pointers do not ascend");
}

/* The pointers as the library takes them; index: the slot with the numbers of columns, or of rows. */
static void take_pointers(rows *r, SEXP x, R_xlen_t lines, const char *index) {
    SEXP p = R_do_slot(x, Rf_install("p")), at = R_do_slot(x, Rf_install(index)), val = R_do_slot(x, Rf_install("x"));
    check_pointers(INTEGER(p), lines, Rf_xlength(p), Rf_xlength(at) < Rf_xlength(val) ? Rf_xlength(at) : Rf_xlength(val));
    r->ptr = room((size_t)lines + 1, sizeof *r->ptr);
    for (R_xlen_t i = 0; i <= lines; i++) r->ptr[i] = INTEGER(p)[i];
}

/* In squares that fit the processor's cache. */
static void dense_rows(rows *r, SEXP x, R_xlen_t n, R_xlen_t d) {
    enum { SIDE = 32 };
    r->val = room((size_t)(n * d), sizeof *r->val);
    const double *from = REAL(x);
    for (R_xlen_t i0 = 0; i0 < n; i0 += SIDE)
        for (R_xlen_t j0 = 0; j0 < d; j0 += SIDE)
            for (R_xlen_t i = i0; i < i0 + SIDE && i < n; i++)
                for (R_xlen_t j = j0; j < j0 + SIDE && j < d; j++) r->val[i * d + j] = from[j * n + i];
}

static void texts(spdhg_data *data, SEXP words, bool labels) {
    if (TYPEOF(words) != STRSXP || Rf_xlength(words) == 0) return;
    const R_xlen_t n = Rf_xlength(words);
    const char **text = (const char **)R_alloc((size_t)n, sizeof *text);
    spdhg_error err;
    for (R_xlen_t i = 0; i < n; i++) text[i] = Rf_translateCharUTF8(STRING_ELT(words, i));
    glue_check(labels ? spdhg_data_set_labels(data, text, n, &err) : spdhg_data_set_names(data, text, &err), &err);
}

/* x: a double matrix, a dgRMatrix or a dgCMatrix of size[0] x size[1]; extra: y (by rows), targets, weights, offset (by rows),
 * offsets, labels, names. */
SEXP glue_data_new(SEXP x, SEXP size, SEXP extra) {
    const R_xlen_t n = (R_xlen_t)REAL(size)[0], d = (R_xlen_t)REAL(size)[1];
    SEXP keep = PROTECT(Rf_list2(x, extra));
    SEXP handle = PROTECT(glue_handle(data_release, keep));
    rows *r = room(1, sizeof *r);
    R_SetExternalPtrAddr(handle, r);
    const double *b = glue_doubles(extra, "y", NULL);
    const int64_t targets = b ? (int64_t)glue_number(extra, "targets", 1) : 0;
    spdhg_error err;
    if (Rf_isReal(x)) {
        dense_rows(r, x, n, d);
        glue_check(spdhg_data_from_csr(&r->data, n, d, NULL, NULL, r->val, b, targets, SPDHG_BORROW, &err), &err);
    } else {
        const bool by_rows = R_has_slot(x, Rf_install("j"));
        const char *index = by_rows ? "j" : "i";
        take_pointers(r, x, by_rows ? n : d, index);
        glue_check((by_rows ? spdhg_data_from_csr : spdhg_data_from_csc)(
                       &r->data, n, d, r->ptr, (const int32_t *)INTEGER(R_do_slot(x, Rf_install(index))),
                       REAL(R_do_slot(x, Rf_install("x"))), b, targets, SPDHG_BORROW, &err),
                   &err);
    }
    const double *weight = glue_doubles(extra, "weights", NULL), *offset = glue_doubles(extra, "offset", NULL);
    if (weight) glue_check(spdhg_data_set_weights(r->data, weight, &err), &err);
    if (offset) glue_check(spdhg_data_set_offsets(r->data, offset, (int64_t)glue_number(extra, "offsets", 1), &err), &err);
    texts(r->data, glue_entry(extra, "labels"), true);
    texts(r->data, glue_entry(extra, "names"), false);
    UNPROTECT(2);
    return handle;
}

/* values.c - R's vectors as numbers, texts and options of the library, and back. */
#include "glue.h"

SEXP glue_entry(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
    return R_NilValue;
}

double glue_number(SEXP list, const char *name, double standard) {
    SEXP entry = glue_entry(list, name);
    return Rf_isNull(entry) ? standard : Rf_asReal(entry);
}

const char *glue_text(SEXP list, const char *name, const char *standard) {
    SEXP entry = glue_entry(list, name);
    return TYPEOF(entry) == STRSXP && Rf_xlength(entry) == 1 ? Rf_translateCharUTF8(STRING_ELT(entry, 0)) : standard;
}

const double *glue_doubles(SEXP list, const char *name, int64_t *count) {
    SEXP entry = glue_entry(list, name);
    if (count) *count = Rf_xlength(entry);
    return TYPEOF(entry) == REALSXP ? REAL(entry) : NULL;
}

int64_t *glue_longs(SEXP list, const char *name, int64_t *count) {
    SEXP entry = glue_entry(list, name);
    const R_xlen_t n = Rf_xlength(entry);
    if (count) *count = n;
    if (TYPEOF(entry) != REALSXP && TYPEOF(entry) != INTSXP) return NULL;
    int64_t *out = (int64_t *)R_alloc((size_t)(n > 0 ? n : 1), sizeof *out);
    for (R_xlen_t i = 0; i < n; i++) out[i] = TYPEOF(entry) == REALSXP ? (int64_t)REAL(entry)[i] : (int64_t)INTEGER(entry)[i];
    return out;
}

SEXP glue_list(const char *const *names) {
    R_xlen_t n = 0;
    while (names[n]) n++;
    SEXP list = PROTECT(Rf_allocVector(VECSXP, n)), words = PROTECT(Rf_allocVector(STRSXP, n));
    for (R_xlen_t i = 0; i < n; i++) SET_STRING_ELT(words, i, Rf_mkChar(names[i]));
    Rf_setAttrib(list, R_NamesSymbol, words);
    UNPROTECT(2);
    return list;
}

SEXP glue_copy(const double *value, int64_t count) {
    SEXP out = PROTECT(Rf_allocVector(REALSXP, value ? (R_xlen_t)count : 0));
    if (value && count > 0) memcpy(REAL(out), value, (size_t)count * sizeof *value);
    UNPROTECT(1);
    return out;
}

SEXP glue_word(const char *text) { return text ? Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)) : Rf_ScalarString(NA_STRING); }

#define TAKE_NUMBER(name, type)                                                                                                  \
    void name(SEXP list, const char *entry, type *to) { *to = (type)glue_number(list, entry, (double)*to); }
TAKE_NUMBER(glue_take_double, double)
TAKE_NUMBER(glue_take_int, int)
TAKE_NUMBER(glue_take_long, int64_t)
TAKE_NUMBER(glue_take_count, uint64_t)
TAKE_NUMBER(glue_take_flag, bool)
void glue_take_text(SEXP list, const char *entry, const char **to) { *to = glue_text(list, entry, *to); }

spdhg_options glue_solve_options(SEXP list) {
    spdhg_options o = SPDHG_OPTIONS;
    GLUE_TAKE(list, "epochs", o.epochs);
    GLUE_TAKE(list, "time", o.seconds);
    GLUE_TAKE(list, "tol", o.tol);
    GLUE_TAKE(list, "every", o.every);
    GLUE_TAKE(list, "batch", o.batch);
    o.sampling = (spdhg_sampling)glue_number(list, "sampling", (double)o.sampling);
    GLUE_TAKE(list, "seed", o.seed);
    GLUE_TAKE(list, "threads", o.threads);
    GLUE_TAKE(list, "max.memory", o.max_memory);
    GLUE_TAKE(list, "checkpoint", o.checkpoint);
    GLUE_TAKE(list, "checkpoint.every", o.checkpoint_every);
    GLUE_TAKE(list, "resume", o.resume);
    return o;
}

spdhg_graph_options glue_graph_options(SEXP list) {
    spdhg_graph_options o = SPDHG_GRAPH_OPTIONS;
    GLUE_TAKE(list, "method", o.method);
    GLUE_TAKE(list, "form", o.form);
    GLUE_TAKE(list, "choose", o.choose);
    GLUE_TAKE(list, "rho", o.rho);
    GLUE_TAKE(list, "edges", o.edges);
    GLUE_TAKE(list, "neighbours", o.neighbours);
    GLUE_TAKE(list, "max.component", o.max_component);
    GLUE_TAKE(list, "tol", o.tol);
    GLUE_TAKE(list, "threshold", o.threshold);
    GLUE_TAKE(list, "cov", o.covariance);
    GLUE_TAKE(list, "penalize.diagonal", o.penalize_diagonal);
    GLUE_TAKE(list, "both", o.both);
    GLUE_TAKE(list, "seed", o.seed);
    GLUE_TAKE(list, "threads", o.threads);
    GLUE_TAKE(list, "max.memory", o.max_memory);
    return o;
}

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

spdhg_options glue_solve_options(SEXP list) {
    spdhg_options o = SPDHG_OPTIONS;
    o.epochs = glue_number(list, "epochs", o.epochs);
    o.seconds = glue_number(list, "time", o.seconds);
    o.tol = glue_number(list, "tol", o.tol);
    o.every = glue_number(list, "every", o.every);
    o.batch = (int64_t)glue_number(list, "batch", (double)o.batch);
    o.sampling = (spdhg_sampling)glue_number(list, "sampling", (double)o.sampling);
    o.seed = (uint64_t)glue_number(list, "seed", (double)o.seed);
    o.threads = (int)glue_number(list, "threads", o.threads);
    o.max_memory = (uint64_t)glue_number(list, "max.memory", (double)o.max_memory);
    o.checkpoint = glue_text(list, "checkpoint", NULL);
    o.checkpoint_every = glue_number(list, "checkpoint.every", o.checkpoint_every);
    o.resume = glue_text(list, "resume", NULL);
    return o;
}

spdhg_graph_options glue_graph_options(SEXP list) {
    spdhg_graph_options o = SPDHG_GRAPH_OPTIONS;
    o.method = glue_text(list, "method", o.method);
    o.form = glue_text(list, "form", o.form);
    o.choose = glue_text(list, "choose", o.choose);
    o.rho = glue_number(list, "rho", o.rho);
    o.edges = (int64_t)glue_number(list, "edges", (double)o.edges);
    o.neighbours = (int64_t)glue_number(list, "neighbours", (double)o.neighbours);
    o.max_component = (int64_t)glue_number(list, "max.component", (double)o.max_component);
    o.tol = glue_number(list, "tol", o.tol);
    o.threshold = glue_number(list, "threshold", o.threshold);
    o.covariance = glue_number(list, "cov", o.covariance) != 0;
    o.penalize_diagonal = glue_number(list, "penalize.diagonal", o.penalize_diagonal) != 0;
    o.both = glue_number(list, "both", o.both) != 0;
    o.seed = (uint64_t)glue_number(list, "seed", (double)o.seed);
    o.threads = (int)glue_number(list, "threads", o.threads);
    o.max_memory = (uint64_t)glue_number(list, "max.memory", (double)o.max_memory);
    return o;
}

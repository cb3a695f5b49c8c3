/* init.c - the functions that R may call, and the library's tables. */
#include "glue.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

/* Names and help of a topic, or names of the outcomes for "outcomes". */
static SEXP glue_catalog(SEXP topic) {
    static const char *const names[] = {"name", "help", NULL};
    static const char *const outcomes[] = {
#define X(name, status, text) #name,
        SPDHG_OUTCOME_LIST(X)
#undef X
    };
    static const char *const texts[] = {
#define X(name, status, text) text,
        SPDHG_OUTCOME_LIST(X)
#undef X
    };
    const char *of = CHAR(STRING_ELT(topic, 0));
    const bool ends = strcmp(of, "outcomes") == 0;
    spdhg_entry entry;
    int64_t count = 0;
    if (ends)
        count = sizeof outcomes / sizeof *outcomes;
    else
        while (spdhg_list(of, count, &entry)) count++;
    SEXP out = PROTECT(glue_list(names)), name = PROTECT(Rf_allocVector(STRSXP, count)),
         help = PROTECT(Rf_allocVector(STRSXP, count));
    for (int64_t i = 0; i < count; i++) {
        if (!ends) spdhg_list(of, i, &entry);
        SET_STRING_ELT(name, i, Rf_mkChar(ends ? outcomes[i] : entry.name));
        SET_STRING_ELT(help, i, Rf_mkCharCE(ends ? texts[i] : entry.help, CE_UTF8));
    }
    SET_VECTOR_ELT(out, 0, name);
    SET_VECTOR_ELT(out, 1, help);
    UNPROTECT(3);
    return out;
}

/* Whether a loss (by name, without its argument) has labels as targets. */
static SEXP glue_classifies(SEXP loss) {
    const char *name = CHAR(STRING_ELT(loss, 0));
    const size_t length = strcspn(name, ":");
    spdhg_entry entry;
    for (int64_t i = 0; spdhg_list("losses", i, &entry); i++)
        if (strlen(entry.name) == length && strncmp(entry.name, name, length) == 0) return Rf_ScalarLogical(entry.classify);
    return Rf_ScalarLogical(NA_LOGICAL);
}

static SEXP glue_version(void) { return Rf_mkString(spdhg_version()); }

#define FUNCTIONS(X)                                                                                                             \
    X(glue_data_new, (SEXP, SEXP, SEXP), 3)                                                                                      \
    X(glue_structure_new, (SEXP, SEXP), 2)                                                                                       \
    X(glue_structure_view, (SEXP), 1)                                                                                            \
    X(glue_structure_learn, (SEXP, SEXP), 2)                                                                                     \
    X(glue_problem_new, (SEXP, SEXP), 2)                                                                                         \
    X(glue_problem_view, (SEXP), 1)                                                                                              \
    X(glue_problem_null, (SEXP), 1)                                                                                              \
    X(glue_duality_gap, (SEXP, SEXP, SEXP, SEXP, SEXP), 5)                                                                       \
    X(glue_lambda_max, (SEXP, SEXP), 2)                                                                                          \
    X(glue_solve, (SEXP, SEXP), 2)                                                                                               \
    X(glue_certificate, (SEXP, SEXP), 2)                                                                                         \
    X(glue_model_write, (SEXP, SEXP), 2)                                                                                         \
    X(glue_model_read, (SEXP), 1)                                                                                                \
    X(glue_path, (SEXP, SEXP), 2)                                                                                                \
    X(glue_denoise, (SEXP, SEXP), 2)

#define X(name, arguments, count) SEXP name arguments;
FUNCTIONS(X)
#undef X

void attribute_visible R_init_spdhg(DllInfo *dll) {
    static const R_CallMethodDef table[] = {
#define X(name, arguments, count) {#name, (DL_FUNC)&name, count},
        FUNCTIONS(X)
#undef X
            {"glue_release", (DL_FUNC)&glue_release, 1},
        {"glue_catalog", (DL_FUNC)&glue_catalog, 1},
        {"glue_classifies", (DL_FUNC)&glue_classifies, 1},
        {"glue_version", (DL_FUNC)&glue_version, 0},
        {NULL, NULL, 0}};
    R_registerRoutines(dll, NULL, table, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}

/* structure.c - the matrix F: from a name, edges, positions or rows; learned from data; and back to R. */
#include "glue.h"

GLUE_RELEASE(structure_release, spdhg_structure, spdhg_structure_free)

spdhg_structure *glue_structure(SEXP handle) { return Rf_isNull(handle) ? NULL : glue_pointer(handle); }

/* what: spec (a text); ends (pairs, from 0) and weight; order and position; or p, j, x of a dgRMatrix and its rows. */
SEXP glue_structure_new(SEXP what, SEXP features) {
    const int64_t d = (int64_t)Rf_asReal(features);
    SEXP handle = PROTECT(glue_handle(structure_release, R_NilValue));
    spdhg_structure *F = NULL;
    spdhg_error err;
    int64_t count = 0, pointers = 0;
    const char *spec = glue_text(what, "spec", NULL);
    const int64_t *end = glue_longs(what, "ends", &count);
    if (spec)
        glue_check(spdhg_structure_new(&F, spec, d, &err), &err);
    else if (end)
        glue_check(spdhg_structure_from_edges(&F, d, count / 2, end, glue_doubles(what, "weight", NULL), &err), &err);
    else if (!Rf_isNull(glue_entry(what, "order")))
        glue_check(
            spdhg_structure_trend(&F, (int64_t)glue_number(what, "order", 0), d, glue_doubles(what, "position", NULL), &err),
            &err);
    else {
        const int64_t *ptr = glue_longs(what, "p", &pointers);
        glue_check(spdhg_structure_from_csr(&F, pointers - 1, d, ptr, (const int32_t *)INTEGER(glue_entry(what, "j")),
                                            glue_doubles(what, "x", NULL), &err),
                   &err);
    }
    R_SetExternalPtrAddr(handle, F);
    UNPROTECT(1);
    return handle;
}

SEXP glue_structure_view(SEXP handle) {
    static const char *const names[] = {"rows", "features", "spec", "p", "j", "x", NULL};
    spdhg_structure_view v;
    spdhg_structure_get_view(glue_structure(handle), &v);
    const int64_t rows = v.rows, nonzeros = v.ptr ? v.ptr[rows] : v.features;
    SEXP out = PROTECT(glue_list(names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarReal((double)rows));
    SET_VECTOR_ELT(out, 1, Rf_ScalarReal((double)v.features));
    SET_VECTOR_ELT(out, 2, glue_word(v.spec));
    SEXP p = PROTECT(Rf_allocVector(INTSXP, rows + 1)), j = PROTECT(Rf_allocVector(INTSXP, nonzeros)),
         x = PROTECT(Rf_allocVector(REALSXP, nonzeros));
    for (int64_t i = 0; i <= rows; i++) INTEGER(p)[i] = (int)(v.ptr ? v.ptr[i] : i);
    for (int64_t k = 0; k < nonzeros; k++) {
        INTEGER(j)[k] = v.idx ? v.idx[k] : (int)k;
        REAL(x)[k] = v.val ? v.val[k] : 1;
    }
    SET_VECTOR_ELT(out, 3, p);
    SET_VECTOR_ELT(out, 4, j);
    SET_VECTOR_ELT(out, 5, x);
    UNPROTECT(4);
    return out;
}

typedef struct learning {
    spdhg_structure *F;
    const spdhg_data *data;
    spdhg_graph_options options;
    spdhg_graph_report report;
} learning;

static spdhg_status learn(void *argument, spdhg_error *err) {
    learning *l = argument;
    return spdhg_structure_learn(&l->F, l->data, NULL, 0, &l->options, &l->report, err);
}

static SEXP report_of(const spdhg_graph_report *r) {
    static const char *const names[] = {"rows",        "nodes",   "edges", "components", "largest",   "isolated", "constant",
                                        "mean.degree", "rho",     "norm",  "norm.bound", "objective", "gap",      "iterations",
                                        "converged",   "seconds", "hub",   "hub.degree", NULL};
    const double value[] = {(double)r->rows,
                            (double)r->nodes,
                            (double)r->edges,
                            (double)r->components,
                            (double)r->largest,
                            (double)r->isolated,
                            (double)r->constant,
                            r->mean_degree,
                            r->rho,
                            r->norm,
                            r->norm_bound,
                            r->objective,
                            r->gap,
                            (double)r->iterations};
    SEXP out = PROTECT(glue_list(names));
    int at = 0;
    for (; at < (int)(sizeof value / sizeof *value); at++) SET_VECTOR_ELT(out, at, Rf_ScalarReal(value[at]));
    SET_VECTOR_ELT(out, at++, Rf_ScalarLogical(r->converged));
    SET_VECTOR_ELT(out, at++, Rf_ScalarReal(r->seconds));
    SEXP hub = PROTECT(Rf_allocVector(INTSXP, r->hubs)), degree = PROTECT(Rf_allocVector(INTSXP, r->hubs));
    for (int64_t i = 0; i < r->hubs; i++) {
        INTEGER(hub)[i] = (int)r->hub[i] + 1;
        INTEGER(degree)[i] = (int)r->hub_degree[i];
    }
    SET_VECTOR_ELT(out, at++, hub);
    SET_VECTOR_ELT(out, at++, degree);
    UNPROTECT(3);
    return out;
}

/* list(handle, report, interrupted) */
SEXP glue_structure_learn(SEXP data, SEXP options) {
    static const char *const names[] = {"handle", "report", "interrupted", NULL};
    SEXP out = PROTECT(glue_list(names)), handle = PROTECT(glue_handle(structure_release, R_NilValue));
    learning l = {.data = glue_data(data), .options = glue_graph_options(options)};
    glue_job job = {.call = learn, .argument = &l};
    const bool stopped = glue_run(&job, &l.options.callback, &l.options.user);
    R_SetExternalPtrAddr(handle, l.F);
    SET_VECTOR_ELT(out, 0, handle);
    SET_VECTOR_ELT(out, 1, report_of(&l.report));
    SET_VECTOR_ELT(out, 2, Rf_ScalarLogical(stopped));
    UNPROTECT(2);
    return out;
}

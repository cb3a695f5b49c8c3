/* solve.c - one solve, as the command's fit does it: a solver, its answer, its model, its proof as a file. */
#include "glue.h"

GLUE_RELEASE(solver_release, spdhg_solver, spdhg_solver_free)
GLUE_RELEASE(model_release, spdhg_model, spdhg_model_free)

typedef struct solving {
    spdhg_solver *solver;
    spdhg_problem *problem;
    const char *name;
    spdhg_options options;
    int64_t params;
    const char **param, **word; /* word NULL: a number */
    const double *value, *x, *c, *y;
    spdhg_outcome outcome;
} solving;

static spdhg_status solve(void *argument, spdhg_error *err) {
    solving *s = argument;
    spdhg_status status = spdhg_solver_new(&s->solver, s->name, s->problem, &s->options, err);
    for (int64_t k = 0; status == SPDHG_OK && k < s->params; k++)
        status = s->word[k] ? spdhg_solver_choose(s->solver, s->param[k], s->word[k], err)
                            : spdhg_solver_set(s->solver, s->param[k], s->value[k], err);
    if (status == SPDHG_OK && s->x) status = spdhg_solver_start(s->solver, s->x, s->c, s->y, err);
    return status == SPDHG_OK ? spdhg_solver_run(s->solver, &s->outcome, err) : status;
}

/* param: a named list of numbers and words. */
static void take_params(solving *s, SEXP param) {
    s->params = Rf_xlength(param);
    const size_t room = (size_t)s->params + 1;
    s->param = (const char **)R_alloc(room, sizeof *s->param);
    s->word = (const char **)R_alloc(room, sizeof *s->word);
    double *value = (double *)R_alloc(room, sizeof *value);
    SEXP names = Rf_getAttrib(param, R_NamesSymbol);
    for (int64_t k = 0; k < s->params; k++) {
        SEXP entry = VECTOR_ELT(param, k);
        s->param[k] = CHAR(STRING_ELT(names, k));
        s->word[k] = TYPEOF(entry) == STRSXP ? CHAR(STRING_ELT(entry, 0)) : NULL;
        value[k] = s->word[k] ? 0 : Rf_asReal(entry);
    }
    s->value = value;
}

static SEXP trace_of(const spdhg_solver *solver) {
    static const char *const names[] = {"epoch", "seconds", "objective", "train.loss", "penalty", "gap", NULL};
    int64_t points;
    const spdhg_point *point = spdhg_solver_trace(solver, &points);
    SEXP out = PROTECT(glue_list(names));
    for (int column = 0; column < 6; column++) {
        SEXP values = Rf_allocVector(REALSXP, points);
        SET_VECTOR_ELT(out, column, values);
        for (int64_t i = 0; i < points; i++) {
            const double all[] = {point[i].epoch,      point[i].seconds, point[i].objective,
                                  point[i].train_loss, point[i].penalty, point[i].gap};
            REAL(values)[i] = all[column];
        }
    }
    UNPROTECT(1);
    return out;
}

/* x and c of the model: on the original scale; y as the solver left it. */
static SEXP answer_of(SEXP handle, const spdhg_solver *solver, spdhg_outcome outcome, bool stopped) {
    static const char *const names[] = {
        "handle",       "x",        "c",       "y",      "objective",          "train.loss", "penalty", "gap",
        "gap.relative", "gap.kind", "outcome", "solver", "structure.nonzeros", "epochs",     "seconds", "interrupted",
        "trace",        NULL};
    const spdhg_solution *s = spdhg_solver_solution(solver);
    SEXP out = PROTECT(glue_list(names)), holder = PROTECT(glue_handle(model_release, R_NilValue));
    spdhg_model *model = NULL;
    spdhg_model_view v;
    spdhg_error err;
    glue_check(spdhg_model_from_solver(&model, solver, &err), &err);
    R_SetExternalPtrAddr(holder, model);
    spdhg_model_get_view(model, &v);
    SET_VECTOR_ELT(out, 1, glue_copy(v.x, v.features * v.outputs));
    SET_VECTOR_ELT(out, 2, glue_copy(v.c, v.outputs));
    glue_release(holder);
    SET_VECTOR_ELT(out, 0, handle);
    SET_VECTOR_ELT(out, 3, glue_copy(s->y, s->dual));
    const double value[] = {s->objective, s->train_loss, s->penalty, s->gap, s->gap_relative};
    for (int i = 0; i < 5; i++) SET_VECTOR_ELT(out, 4 + i, Rf_ScalarReal(value[i]));
    SET_VECTOR_ELT(out, 9, glue_word(s->gap_kind));
    SET_VECTOR_ELT(out, 10, Rf_ScalarInteger((int)outcome));
    SET_VECTOR_ELT(out, 11, glue_word(s->solver));
    SET_VECTOR_ELT(out, 12, Rf_ScalarReal((double)s->structure_nonzeros));
    SET_VECTOR_ELT(out, 13, Rf_ScalarReal(s->epochs));
    SET_VECTOR_ELT(out, 14, Rf_ScalarReal(s->seconds));
    SET_VECTOR_ELT(out, 15, Rf_ScalarLogical(stopped));
    SET_VECTOR_ELT(out, 16, trace_of(solver));
    UNPROTECT(2);
    return out;
}

/* options: those of a solve, solver, param, verbose, and where to start: x, c, y on the penalised scale. */
SEXP glue_solve(SEXP problem, SEXP options) {
    SEXP handle = PROTECT(glue_handle(solver_release, problem));
    solving s = {
        .problem = glue_pointer(problem), .name = glue_text(options, "solver", "auto"), .options = glue_solve_options(options)};
    take_params(&s, glue_entry(options, "param"));
    s.x = glue_doubles(options, "x", NULL);
    s.c = glue_doubles(options, "c", NULL);
    s.y = glue_doubles(options, "y", NULL);
    glue_job job = {.call = solve, .argument = &s, .verbose = (int)glue_number(options, "verbose", 0)};
    const bool stopped = glue_run(&job, &s.options.callback, &s.options.user);
    R_SetExternalPtrAddr(handle, s.solver);
    SEXP out = answer_of(handle, s.solver, s.outcome, stopped);
    UNPROTECT(1);
    return out;
}

SEXP glue_certificate(SEXP solver, SEXP path) {
    spdhg_error err;
    glue_check(spdhg_solver_certificate(glue_pointer(solver), R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0))), &err),
               &err);
    return R_NilValue;
}

SEXP glue_model_write(SEXP solver, SEXP path) {
    spdhg_error err;
    spdhg_model *model = NULL;
    const char *file = R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0)));
    glue_check(spdhg_model_from_solver(&model, glue_pointer(solver), &err), &err);
    const spdhg_status status = spdhg_model_write(model, file, &err);
    spdhg_model_free(model);
    glue_check(status, &err);
    return R_NilValue;
}

static SEXP words(const char *const *text, int64_t count) {
    if (!text) return R_NilValue;
    SEXP out = PROTECT(Rf_allocVector(STRSXP, count));
    for (int64_t i = 0; i < count; i++) SET_STRING_ELT(out, i, Rf_mkCharCE(text[i], CE_UTF8));
    UNPROTECT(1);
    return out;
}

SEXP glue_model_read(SEXP path) {
    static const char *const names[] = {"x",     "c",       "features",  "outputs",  "class.value", "class.text",
                                        "names", "loss",    "structure", "lambda",   "gamma",       "objective",
                                        "gap",   "outcome", "intercept", "classify", NULL};
    SEXP handle = PROTECT(glue_handle(model_release, R_NilValue)), out = PROTECT(glue_list(names));
    spdhg_model *model = NULL;
    spdhg_model_view v;
    spdhg_error err;
    glue_check(spdhg_model_read(&model, R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0))), &err), &err);
    R_SetExternalPtrAddr(handle, model);
    spdhg_model_get_view(model, &v);
    SET_VECTOR_ELT(out, 0, glue_copy(v.x, v.features * v.outputs));
    SET_VECTOR_ELT(out, 1, glue_copy(v.c, v.outputs));
    SET_VECTOR_ELT(out, 2, Rf_ScalarReal((double)v.features));
    SET_VECTOR_ELT(out, 3, Rf_ScalarReal((double)v.outputs));
    SET_VECTOR_ELT(out, 4, glue_copy(v.class_value, v.classes));
    SET_VECTOR_ELT(out, 5, words(v.class_text, v.classes));
    SET_VECTOR_ELT(out, 6, words(v.name, v.features));
    SET_VECTOR_ELT(out, 7, glue_word(v.loss));
    SET_VECTOR_ELT(out, 8, glue_word(v.structure));
    const double value[] = {v.lambda, v.gamma, v.objective, v.gap};
    for (int i = 0; i < 4; i++) SET_VECTOR_ELT(out, 9 + i, Rf_ScalarReal(value[i]));
    SET_VECTOR_ELT(out, 13, glue_word(v.outcome));
    SET_VECTOR_ELT(out, 14, Rf_ScalarLogical(v.intercept));
    SET_VECTOR_ELT(out, 15, Rf_ScalarLogical(v.classify));
    UNPROTECT(2);
    return out;
}

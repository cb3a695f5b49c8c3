/* problem.c - a problem over data: loss, terms, ridge, set, intercept, scaling; its sizes; its value and its gap anywhere. */
#include "glue.h"

GLUE_RELEASE(problem_release, spdhg_problem, spdhg_problem_free)

/* term: penalty, F, lambda, row.weight, groups or group. */
static void add_term(spdhg_problem *p, SEXP term) {
    spdhg_term_options o = SPDHG_TERM_OPTIONS;
    spdhg_error err;
    o.row_weight = glue_doubles(term, "row.weight", &o.row_weights);
    if (!o.row_weight) o.row_weights = 0;
    o.groups = glue_text(term, "groups", NULL);
    o.group = glue_longs(term, "group", &o.group_rows);
    if (!o.group) o.group_rows = 0;
    glue_check(spdhg_problem_term(p, glue_text(term, "penalty", "l1"), glue_structure(glue_entry(term, "F")),
                                  glue_number(term, "lambda", 1), &o, &err),
               &err);
}

SEXP glue_problem_new(SEXP data, SEXP what) {
    SEXP keep = PROTECT(Rf_list2(data, what)); /* what holds the handles of F */
    SEXP handle = PROTECT(glue_handle(problem_release, keep)), terms = glue_entry(what, "terms");
    spdhg_error err;
    spdhg_problem *p = NULL;
    glue_check(spdhg_problem_new(&p, glue_data(data), glue_text(what, "loss", "squared"), &err), &err);
    R_SetExternalPtrAddr(handle, p);
    for (R_xlen_t t = 0; t < Rf_xlength(terms); t++) add_term(p, VECTOR_ELT(terms, t));
    const double ridge = glue_number(what, "ridge", 0);
    const bool follows = glue_number(what, "follows", 0) != 0;
    if (ridge > 0 || follows) {
        glue_check(spdhg_problem_ridge(p, ridge, &err), &err);
        glue_check(spdhg_problem_ridge_follows(p, follows, &err), &err);
    }
    const char *set = glue_text(what, "set", "all"), *weight = glue_text(what, "class.weight", NULL);
    if (strcmp(set, "all") != 0) glue_check(spdhg_problem_set(p, set, &err), &err);
    glue_check(spdhg_problem_intercept(p, glue_number(what, "intercept", 1) != 0, &err), &err);
    glue_check(spdhg_problem_standardize(p, glue_number(what, "standardize", 0) != 0, &err), &err);
    if (weight) glue_check(spdhg_problem_class_weight(p, weight, &err), &err);
    glue_check(spdhg_problem_allow_one_class(p, glue_number(what, "allow.one.class", 0) != 0, &err), &err);
    UNPROTECT(2);
    return handle;
}

/* Sizes, class values, and what the columns were divided by. */
SEXP glue_problem_view(SEXP handle) {
    static const char *const names[] = {"rows", "features", "outputs", "dual", "class.value", "scale", NULL};
    spdhg_problem_view v;
    spdhg_error err;
    glue_check(spdhg_problem_get_view(glue_pointer(handle), &v, &err), &err);
    SEXP out = PROTECT(glue_list(names));
    const int64_t size[] = {v.rows, v.features, v.outputs, v.dual};
    for (int i = 0; i < 4; i++) SET_VECTOR_ELT(out, i, Rf_ScalarReal((double)size[i]));
    SET_VECTOR_ELT(out, 4, glue_copy(v.class_value, v.classes));
    SET_VECTOR_ELT(out, 5, glue_copy(v.scale, v.features));
    UNPROTECT(1);
    return out;
}

/* The loss at x = 0 with the best intercept: the null model. */
SEXP glue_problem_null(SEXP handle) {
    spdhg_problem *p = glue_pointer(handle);
    spdhg_problem_view v;
    spdhg_error err;
    glue_check(spdhg_problem_get_view(p, &v, &err), &err);
    double *x = (double *)R_alloc((size_t)(v.features * v.outputs + v.outputs) + 1, sizeof *x), objective, loss, penalty;
    memset(x, 0, (size_t)(v.features * v.outputs + v.outputs) * sizeof *x);
    glue_check(spdhg_problem_evaluate(p, x, x + v.features * v.outputs, &objective, &loss, &penalty, &err), &err);
    return Rf_ScalarReal(loss);
}

typedef struct proof {
    spdhg_problem *problem;
    int threads;
    const double *x, *y;
    double *c;
    spdhg_gap gap;
    spdhg_callback callback; /* not asked: a proof is short */
    void *user;
} proof;

static spdhg_status prove(void *argument, spdhg_error *err) {
    proof *q = argument;
    return spdhg_duality_gap(q->problem, q->threads, q->x, q->c, q->y, &q->gap, err);
}

/* x (features x outputs, by rows), c and y on the penalised scale. */
SEXP glue_duality_gap(SEXP handle, SEXP threads, SEXP x, SEXP c, SEXP y) {
    static const char *const names[] = {"gap", "relative", "kind", "radius", "objective", "train.loss", "penalty", NULL};
    SEXP copy = PROTECT(Rf_duplicate(c));
    proof q = {.problem = glue_pointer(handle),
               .threads = Rf_asInteger(threads),
               .x = REAL(x),
               .c = REAL(copy),
               .y = Rf_isNull(y) ? NULL : REAL(y)};
    glue_job job = {.call = prove, .argument = &q};
    glue_run(&job, &q.callback, &q.user);
    SEXP out = PROTECT(glue_list(names));
    const double value[] = {q.gap.gap, q.gap.relative, 0, q.gap.radius, q.gap.objective, q.gap.train_loss, q.gap.penalty};
    for (int i = 0; i < 7; i++) SET_VECTOR_ELT(out, i, i == 2 ? glue_word(q.gap.kind) : Rf_ScalarReal(value[i]));
    UNPROTECT(2);
    return out;
}

typedef struct largest {
    spdhg_problem *problem;
    int threads;
    double lower, upper;
    spdhg_callback callback;
    void *user;
} largest;

static spdhg_status find_largest(void *argument, spdhg_error *err) {
    largest *l = argument;
    return spdhg_lambda_max(l->problem, l->threads, &l->lower, &l->upper, NULL, NULL, err);
}

SEXP glue_lambda_max(SEXP handle, SEXP threads) {
    largest l = {.problem = glue_pointer(handle), .threads = Rf_asInteger(threads)};
    glue_job job = {.call = find_largest, .argument = &l};
    glue_run(&job, &l.callback, &l.user);
    return Rf_ScalarReal(l.upper);
}

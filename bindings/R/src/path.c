/* path.c - a path over lambda as the command's path computes it: its table, its coefficients as sparse matrices, its folds. */
#include "glue.h"

GLUE_RELEASE(path_release, spdhg_path, spdhg_path_free)

typedef struct walking {
    spdhg_path *path;
    spdhg_problem *problem;
    spdhg_path_options options;
    spdhg_options solve;
} walking;

static spdhg_status walk(void *argument, spdhg_error *err) {
    walking *w = argument;
    return spdhg_path_new(&w->path, w->problem, &w->options, &w->solve, err);
}

typedef const double *(*coefficients_at)(const spdhg_path *path, int64_t fold, int64_t point, const double **c);

static const double *of_all(const spdhg_path *path, int64_t fold, int64_t point, const double **c) {
    (void)fold;
    return spdhg_path_coefficients(path, point, c);
}

/* A dgCMatrix, features x points, of one output on the original scale. */
static SEXP sparse_of(const spdhg_path *path, coefficients_at at, int64_t fold, int64_t points, const spdhg_problem_view *v,
                      int64_t k) {
    const int64_t d = v->features, K = v->outputs;
    SEXP class = PROTECT(R_do_MAKE_CLASS("dgCMatrix")), out = PROTECT(R_do_new_object(class));
    SEXP p = PROTECT(Rf_allocVector(INTSXP, points + 1));
    INTEGER(p)[0] = 0;
    for (int64_t i = 0; i < points; i++) {
        const double *x = at(path, fold, i, NULL);
        int count = 0;
        for (int64_t j = 0; j < d; j++) count += x[j * K + k] != 0;
        INTEGER(p)[i + 1] = INTEGER(p)[i] + count;
    }
    SEXP row = PROTECT(Rf_allocVector(INTSXP, INTEGER(p)[points])), val = PROTECT(Rf_allocVector(REALSXP, INTEGER(p)[points]));
    SEXP size = PROTECT(Rf_allocVector(INTSXP, 2));
    int64_t to = 0;
    for (int64_t i = 0; i < points; i++) {
        const double *x = at(path, fold, i, NULL);
        for (int64_t j = 0; j < d; j++)
            if (x[j * K + k] != 0) {
                INTEGER(row)[to] = (int)j;
                REAL(val)[to++] = v->scale ? x[j * K + k] / v->scale[j] : x[j * K + k];
            }
    }
    INTEGER(size)[0] = (int)d;
    INTEGER(size)[1] = (int)points;
    R_do_slot_assign(out, Rf_install("p"), p);
    R_do_slot_assign(out, Rf_install("i"), row);
    R_do_slot_assign(out, Rf_install("x"), val);
    R_do_slot_assign(out, Rf_install("Dim"), size);
    UNPROTECT(6);
    return out;
}

/* list(beta: a matrix for each output, a0: outputs x points) */
static SEXP answers(const spdhg_path *path, coefficients_at at, int64_t fold, int64_t points, const spdhg_problem_view *v) {
    static const char *const names[] = {"beta", "a0", NULL};
    SEXP out = PROTECT(glue_list(names)), beta = PROTECT(Rf_allocVector(VECSXP, v->outputs));
    SEXP a0 = PROTECT(Rf_allocMatrix(REALSXP, (int)v->outputs, (int)points));
    for (int64_t k = 0; k < v->outputs; k++) SET_VECTOR_ELT(beta, k, sparse_of(path, at, fold, points, v, k));
    for (int64_t i = 0; i < points; i++) {
        const double *c;
        at(path, fold, i, &c);
        memcpy(REAL(a0) + i * v->outputs, c, (size_t)v->outputs * sizeof *c);
    }
    SET_VECTOR_ELT(out, 0, beta);
    SET_VECTOR_ELT(out, 1, a0);
    UNPROTECT(3);
    return out;
}

static SEXP table_of(const spdhg_path *path, int64_t points) {
    static const char *const names[] = {
        "lambda", "objective",   "train.loss", "penalty",  "gap.relative",       "seconds", "degrees", "aic",
        "bic",    "ebic",        "cp",         "nonzeros", "structure.nonzeros", "outcome", "loss",    "accuracy",
        "auc",    "unconverged", NULL};
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    SEXP out = PROTECT(glue_list(names));
    for (int column = 0; column < Rf_length(out); column++) {
        SEXP values = Rf_allocVector(REALSXP, points);
        SET_VECTOR_ELT(out, column, values);
        for (int64_t i = 0; i < points; i++) {
            const spdhg_path_point *q = &point[i];
            const double all[] = {q->lambda,
                                  q->objective,
                                  q->train_loss,
                                  q->penalty,
                                  q->gap_relative,
                                  q->seconds,
                                  q->degrees,
                                  q->aic,
                                  q->bic,
                                  q->ebic,
                                  q->cp,
                                  (double)q->nonzeros,
                                  (double)q->structure_nonzeros,
                                  (double)q->outcome,
                                  q->loss,
                                  q->accuracy,
                                  q->auc,
                                  (double)q->unconverged};
            REAL(values)[i] = all[column];
        }
    }
    UNPROTECT(1);
    return out;
}

/* The mean loss of the held-out rows, folds x points, and the weight of these rows as the last column. */
static SEXP scores_of(const spdhg_path *path, int64_t folds, int64_t points) {
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)folds, (int)points + 1));
    for (int64_t f = 0; f < folds; f++) {
        const double *score = spdhg_path_fold_scores(path, f, REAL(out) + points * folds + f);
        for (int64_t i = 0; i < points; i++) REAL(out)[i * folds + f] = score[3 * i];
    }
    UNPROTECT(1);
    return out;
}

static SEXP held_out(const spdhg_path *path, int64_t repeats, int64_t rows) {
    if (!spdhg_path_held_out(path, 0)) return R_NilValue;
    SEXP out = PROTECT(Rf_allocMatrix(INTSXP, (int)rows, (int)repeats));
    for (int64_t r = 0; r < repeats; r++)
        memcpy(INTEGER(out) + r * rows, spdhg_path_held_out(path, r), (size_t)rows * sizeof(int32_t));
    UNPROTECT(1);
    return out;
}

static spdhg_path_options path_options(SEXP list, const spdhg_graph_options *learn) {
    spdhg_path_options o = SPDHG_PATH_OPTIONS;
    int64_t given = 0, rows = 0;
    GLUE_TAKE(list, "nlambda", o.lambdas);
    GLUE_TAKE(list, "lambda.min.ratio", o.ratio);
    GLUE_TAKE(list, "lambda.max", o.lambda_max);
    GLUE_TAKE(list, "saturation", o.saturation);
    o.folds = (int64_t)glue_number(list, "nfolds", 0);
    GLUE_TAKE(list, "repeats", o.repeats);
    o.group = glue_longs(list, "fold.groups", &rows);
    o.fold = glue_longs(list, "foldid", &rows);
    GLUE_TAKE(list, "choose", o.choose);
    GLUE_TAKE(list, "rule", o.rule);
    GLUE_TAKE(list, "solver", o.solver);
    GLUE_TAKE(list, "noise", o.noise);
    o.lambda = glue_doubles(list, "lambda", &given);
    if (o.lambda) o.lambdas = given;
    o.keep_folds = o.folds > 0;
    if (glue_number(list, "learned", 0) != 0) o.learn = learn;
    return o;
}

/* list(table, all, folds (a list), held.out, outcome, best, one.se, chosen, interrupted) */
SEXP glue_path(SEXP problem, SEXP options) {
    static const char *const names[] = {"table",  "all",    "folds",       "held.out", "outcome", "best",
                                        "one.se", "chosen", "interrupted", "scores",   NULL};
    SEXP handle = PROTECT(glue_handle(path_release, problem)), out = PROTECT(glue_list(names));
    const spdhg_graph_options learn = SPDHG_GRAPH_OPTIONS;
    walking w = {
        .problem = glue_pointer(problem), .options = path_options(options, &learn), .solve = glue_solve_options(options)};
    glue_job job = {.call = walk, .argument = &w, .verbose = (int)glue_number(options, "verbose", 0)};
    const bool stopped = glue_run(&job, &w.solve.callback, &w.solve.user);
    R_SetExternalPtrAddr(handle, w.path);
    spdhg_problem_view v;
    spdhg_error err;
    int64_t points, folds = 0;
    glue_check(spdhg_problem_get_view(w.problem, &v, &err), &err);
    spdhg_path_points(w.path, &points);
    SET_VECTOR_ELT(out, 0, table_of(w.path, points));
    SET_VECTOR_ELT(out, 1, answers(w.path, of_all, 0, points, &v));
    while (points > 0 && spdhg_path_fold_coefficients(w.path, folds, 0, NULL)) folds++;
    SEXP parts = Rf_allocVector(VECSXP, folds);
    SET_VECTOR_ELT(out, 2, parts);
    for (int64_t f = 0; f < folds; f++) SET_VECTOR_ELT(parts, f, answers(w.path, spdhg_path_fold_coefficients, f, points, &v));
    SET_VECTOR_ELT(out, 3, held_out(w.path, w.options.repeats, v.rows));
    SET_VECTOR_ELT(out, 4, Rf_ScalarInteger((int)spdhg_path_outcome(w.path)));
    SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)spdhg_path_best(w.path)));
    SET_VECTOR_ELT(out, 6, Rf_ScalarReal((double)spdhg_path_one_se(w.path)));
    SET_VECTOR_ELT(out, 7, Rf_ScalarReal((double)spdhg_path_chosen(w.path)));
    SET_VECTOR_ELT(out, 8, Rf_ScalarLogical(stopped));
    SET_VECTOR_ELT(out, 9, scores_of(w.path, folds, points));
    glue_release(handle);
    UNPROTECT(2);
    return out;
}

/* denoise.c - one signal without its noise: spdhg_denoise. */
#include "glue.h"

GLUE_RELEASE(denoised_release, spdhg_denoised, spdhg_denoised_free)

typedef struct denoising {
    spdhg_denoised *out;
    spdhg_signal signal;
    spdhg_denoise_options options;
    spdhg_options solve;
} denoising;

static spdhg_status denoise(void *argument, spdhg_error *err) {
    denoising *d = argument;
    return spdhg_denoise(&d->out, &d->signal, &d->options, &d->solve, err);
}

static SEXP knots_of(const spdhg_denoised_view *v) {
    SEXP out = PROTECT(Rf_allocVector(INTSXP, v->knots));
    for (int64_t i = 0; i < v->knots; i++) INTEGER(out)[i] = (int)v->knot[i] + 1;
    UNPROTECT(1);
    return out;
}

static SEXP segments_of(const spdhg_denoised_view *v) {
    static const char *const names[] = {"first", "last", "points", "start", "end", "level", NULL};
    SEXP out = PROTECT(glue_list(names));
    for (int column = 0; column < 6; column++) {
        SEXP values = Rf_allocVector(REALSXP, v->segments);
        SET_VECTOR_ELT(out, column, values);
        for (int64_t i = 0; i < v->segments; i++) {
            const spdhg_segment *s = &v->segment[i];
            const double all[] = {(double)s->first + 1, (double)s->last + 1, (double)s->points, s->start, s->end, s->level};
            REAL(values)[i] = all[column];
        }
    }
    UNPROTECT(1);
    return out;
}

static SEXP tried(const spdhg_path *path) {
    static const char *const names[] = {"lambda", "loss", "loss.error", "degrees", "aic", "bic", "ebic", "cp", NULL};
    int64_t points = 0;
    const spdhg_path_point *point = path ? spdhg_path_points(path, &points) : NULL;
    SEXP out = PROTECT(glue_list(names));
    for (int column = 0; column < 8; column++) {
        SEXP values = Rf_allocVector(REALSXP, points);
        SET_VECTOR_ELT(out, column, values);
        for (int64_t i = 0; i < points; i++) {
            const spdhg_path_point *q = &point[i];
            const double all[] = {q->lambda, q->loss, q->loss_error, q->degrees, q->aic, q->bic, q->ebic, q->cp};
            REAL(values)[i] = all[column];
        }
    }
    UNPROTECT(1);
    return out;
}

/* signal: value, position, weight, F (a handle); options: those of denoising and of a solve. */
SEXP glue_denoise(SEXP signal, SEXP options) {
    static const char *const names[] = {"x",        "lambda",  "lambda.sum",  "objective", "gap.relative", "gap.kind",
                                        "solver",   "outcome", "degrees",     "settled",   "differences",  "knots",
                                        "segments", "tried",   "interrupted", NULL};
    SEXP handle = PROTECT(glue_handle(denoised_release, signal)), out = PROTECT(glue_list(names));
    spdhg_denoise_options o = SPDHG_DENOISE_OPTIONS;
    GLUE_TAKE(options, "structure", o.structure);
    GLUE_TAKE(options, "loss", o.loss);
    GLUE_TAKE(options, "isotropic", o.isotropic);
    GLUE_TAKE(options, "lambda", o.lambda);
    GLUE_TAKE(options, "choose", o.choose);
    GLUE_TAKE(options, "rule", o.rule);
    GLUE_TAKE(options, "noise", o.noise);
    GLUE_TAKE(options, "nfolds", o.folds);
    GLUE_TAKE(options, "nlambda", o.lambdas);
    GLUE_TAKE(options, "lambda.min.ratio", o.ratio);
    GLUE_TAKE(options, "solver", o.solver);
    denoising d = {.options = o, .solve = glue_solve_options(options)};
    d.signal.value = glue_doubles(signal, "value", &d.signal.points);
    d.signal.position = glue_doubles(signal, "position", NULL);
    d.signal.weight = glue_doubles(signal, "weight", NULL);
    d.signal.F = glue_structure(glue_entry(signal, "F"));
    glue_job job = {.call = denoise, .argument = &d, .verbose = (int)glue_number(options, "verbose", 0)};
    const bool stopped = glue_run(&job, &d.solve.callback, &d.solve.user);
    R_SetExternalPtrAddr(handle, d.out);
    spdhg_denoised_view v;
    spdhg_denoised_get_view(d.out, &v);
    SET_VECTOR_ELT(out, 0, glue_copy(v.x, v.points));
    const double value[] = {v.lambda, v.lambda_sum, v.objective, v.gap_relative};
    for (int i = 0; i < 4; i++) SET_VECTOR_ELT(out, 1 + i, Rf_ScalarReal(value[i]));
    SET_VECTOR_ELT(out, 5, glue_word(v.gap_kind));
    SET_VECTOR_ELT(out, 6, glue_word(v.solver));
    SET_VECTOR_ELT(out, 7, Rf_ScalarInteger((int)v.outcome));
    SET_VECTOR_ELT(out, 8, Rf_ScalarReal(v.degrees));
    SET_VECTOR_ELT(out, 9, Rf_ScalarLogical(v.settled));
    SET_VECTOR_ELT(out, 10, Rf_ScalarReal((double)v.differences));
    SET_VECTOR_ELT(out, 11, knots_of(&v));
    SET_VECTOR_ELT(out, 12, segments_of(&v));
    SET_VECTOR_ELT(out, 13, tried(v.path));
    SET_VECTOR_ELT(out, 14, Rf_ScalarLogical(stopped));
    glue_release(handle);
    UNPROTECT(2);
    return out;
}

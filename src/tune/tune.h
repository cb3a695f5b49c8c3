/* tune.h - from a problem to a chosen model: where the path of lambda starts, the path, its cross-validation, the choice. */
#ifndef SPD_TUNE_H
#define SPD_TUNE_H
#include <stdatomic.h>

#include "face/nullspace.h"
#include "graph/graph.h"
#include "run/run.h"

/* ---- restricted.c: minimises loss + ridge over x = N u and c. found: false if there is no minimiser. */
spdhg_status spd_restricted_minimum(const spdhg_problem *p, const spd_nullspace *null, int threads, double *x, double *c,
                                    bool *found, spdhg_error *err);
/* The solver that a chain of warm starts uses: name itself; for "auto" its exact last stage, without the stochastic pass of a
 * cold start. */
spdhg_status spd_tune_solver(const spdhg_problem *p, const char *name, const char **out, spdhg_error *err);

/* ---- lambda_max.c: spdhg_lambda_max, and y (m x K, may be NULL): the dual that proves x. */
spdhg_status spd_lambda_max(spdhg_problem *p, int threads, double *lower, double *upper, double *x, double *c, double *y,
                            spdhg_error *err);

/* ---- warm_path.c: a chain of solves of one problem by falling lambda, each started where the last one ended. */
typedef struct spd_warm_path {
    spdhg_problem *problem;
    const char *solver;
    spdhg_options options;
    double *x, *c, *y;
    double *before;        /* x and c of the step before the last one */
    double lambda, fallen; /* of the last step, and by how much it fell there; 0: not known */
    spdhg_solver *last;    /* of the last step; NULL before the first */
    spdhg_outcome outcome;
    bool once; /* a single solve, set before it: its gap is proven by x and y alone */
} spd_warm_path;
/* x, c and y: where to start, may be NULL. options are copied. */
spdhg_status spd_warm_path_new(spd_warm_path *warm, spdhg_problem *p, const char *solver, const spdhg_options *options,
                               const double *x, const double *c, const double *y, spdhg_error *err);
spdhg_status spd_warm_path_step(spd_warm_path *warm, double lambda, spdhg_error *err);
void spd_warm_path_free(spd_warm_path *warm);

/* ---- folds.c: fold[repeat * n + i] of every row. Groups stay together, the largest placed first; else classes are dealt out
 * evenly. */
spdhg_status spd_folds_make(const spdhg_problem *p, const spdhg_path_options *o, uint64_t seed, int32_t **fold, spdhg_error *err);

struct spdhg_path {
    spdhg_problem *problem;
    spdhg_path_options options; /* group, fold: the caller's, only used while it runs */
    spdhg_options solve;
    spdhg_graph_options learn; /* where options.learn is set: how a fold learns its F, on one thread */
    int64_t points;
    spdhg_path_point *point;
    double *x, *c; /* points x dK, points x K */
    double *given; /* c as the caller knows it, for columns that are not centred */
    spdhg_outcome outcome;
    int64_t best, one_se;
    spdhg_solver *solver;
};
/* ---- fold.c: one fold. score and reached are made by the caller. */
enum { SPD_FOLD_LOSS, SPD_FOLD_ACCURACY, SPD_FOLD_AUC, SPD_FOLD_SCORES };
typedef struct spd_fold {
    double *score; /* points x SPD_FOLD_SCORES */
    double weight; /* of the rows held out */
    bool *reached; /* of each point: the tolerance was */
    spdhg_status status;
    spdhg_error err;
} spd_fold;
/* fold: of every row; f: this one. Ends early once *stop. */
spdhg_status spd_fold_run(spd_fold *t, const spdhg_path *path, const int32_t *fold, int64_t f, const spdhg_options *solve,
                          atomic_bool *stop, spdhg_error *err);
/* ---- cross_validate.c: fills loss, accuracy, auc, their errors and unconverged of every point. *stopped: the callback asked to
 * stop. */
spdhg_status spd_cross_validate(spdhg_path *path, bool *stopped, spdhg_error *err);
/* ---- choose.c */
spdhg_status spd_path_degrees(const spdhg_problem *p, const double *x, double *degrees, spdhg_error *err);
void spd_path_criteria(const spdhg_problem *p, spdhg_path_point *point); /* aic, bic, ebic from train_loss and degrees */
spdhg_status spd_path_check(const spdhg_path *path, spdhg_error *err);   /* criterion and rule exist and fit the problem */
void spd_path_choose(spdhg_path *path);                                  /* best, one_se */
#endif

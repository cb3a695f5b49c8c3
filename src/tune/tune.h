/* tune.h - from a problem to a chosen model: where the path of lambda starts, the path, its cross-validation, the choice. */
#ifndef SPD_TUNE_H
#define SPD_TUNE_H
#include <stdatomic.h>

#include "blocks/blocks.h"
#include "face/answer.h"
#include "face/nullspace.h"
#include "graph/graph.h"
#include "run/run.h"

/* ---- restricted.c: minimises loss + ridge over x = N u and c. found: false if there is no minimiser. */
spdhg_status spd_restricted_minimum(const spdhg_problem *p, const spd_nullspace *null, int threads, double *x, double *c,
                                    bool *found, spdhg_error *err);
/* The solver for a chain of warm starts: the named one, or for "auto" its exact last stage without the stochastic pass of a
 * cold start. */
spdhg_status spd_tune_solver(const spdhg_problem *p, const char *name, const char **out, spdhg_error *err);

/* ---- lambda_max.c: as spdhg_lambda_max, whatever X is, and also y (m x K, may be NULL), which proves x optimal. */
spdhg_status spd_lambda_max(spdhg_problem *p, int threads, double *lower, double *upper, double *x, double *c, double *y,
                            spdhg_error *err);
/* ---- dinkelbach.c: for g = grad l(x0) + gamma x0, where y is not unique. rough: an upper bound only, y is unchanged; once `rough`
 * says stop, an estimate. */
spdhg_status spd_dinkelbach(const spdhg_problem *p, int threads, const double *g, spd_stop *rough, double *y, double *lower,
                            double *upper, spdhg_error *err);
/* ---- corner_lambda.c: for a loss with corners; guess: any number of the right order; rough: bounds within 1 %. */
spdhg_status spd_corner_lambda_max(spdhg_problem *p, int threads, const double *x0, const double *c0, double guess, bool rough,
                                   double *y, double *lower, double *upper, spdhg_error *err);
double spd_terms_polar(const spdhg_problem *p, const double *y, double *work); /* max over the terms of r_t(y_t) polar / lambda */
/* Where a path may start: lambda_max or, where computing it would take long, only an upper bound. If the caller of `solve` asks to
 * stop meanwhile, an estimate: the path will end at once. */
spdhg_status spd_lambda_max_bound(spdhg_problem *p, const spdhg_options *solve, double *upper, spdhg_error *err);

/* ---- warm_path.c
 * Whether the caller of these options wants to stop. */
bool spd_tune_asked(void *options);
/* Solves one problem for decreasing lambda, each time starting from the previous solution. The zeros of
 * F x are settled if, as far as can be told, they are those of the optimum (spd_answer_settled). */
typedef enum spd_settling {
    SPD_SETTLE_NOTHING, /* the zeros are not needed */
    SPD_SETTLE_ASK,     /* check whether they are settled */
    SPD_SETTLE          /* and continue until they are, whatever the tolerance */
} spd_settling;
/* A small gap alone does not determine the zeros of F x. If they are not settled after an exact solver has converged, it runs
 * again with smaller tolerances. */
spdhg_status spd_tune_settle(spdhg_solver *solver, spd_settling zeros, bool *settled, spdhg_outcome *outcome, spdhg_error *err);
typedef struct spd_warm_answer {
    double objective, train_loss, penalty, gap, gap_relative, gap_radius, seconds;
    const char *gap_kind;
    int64_t nonzeros, structure_nonzeros;
} spd_warm_answer;
typedef struct spd_warm_path {
    spdhg_problem *problem;
    const char *asked, *solver; /* a solver's name or auto; the one that does the work */
    spdhg_options options;
    double *x, *c, *y;
    double *before;         /* x and c of the step before the last one */
    double lambda, fallen;  /* of the last step, and its decrease there; 0: not known */
    spd_lasso *lasso;       /* solves the path where it can; NULL: `last` does */
    spd_blocks *blocks;     /* the same for blocks of columns and several outputs */
    spdhg_solver *last;     /* of the last step that it solved; NULL before the first */
    spd_warm_answer answer; /* of the last step */
    spdhg_outcome outcome;
    spd_settling zeros;
    bool settled; /* the zeros of F x at the last step are those of the optimum; checked if `zeros` says so */
    bool known;   /* the start is expected to be the solution */
    bool once;    /* the last step: its gap is proven by x and y alone */
} spd_warm_path;
/* x, c and y: the starting point, may be NULL. options are copied. */
spdhg_status spd_warm_path_new(spd_warm_path *warm, spdhg_problem *p, const char *solver, const spdhg_options *options,
                               const double *x, const double *c, const double *y, spdhg_error *err);
spdhg_status spd_warm_path_step(spd_warm_path *warm, double lambda, spdhg_error *err);
/* Before the last step, which returns to an earlier lambda and its solution (x, c). Its gap will be proven by x and y alone;
 * where the path was solved by columns, the solution is made accurate enough for that. */
spdhg_status spd_warm_path_back(spd_warm_path *warm, double lambda, const double *x, const double *c, spdhg_error *err);
void spd_warm_path_free(spd_warm_path *warm);

/* ---- folds.c: fold[repeat * n + i] for every row i. Groups stay together, the largest placed first; without groups, classes are
 * dealt out evenly. With options.part fold[f * n + i] is f for the rows that split f holds out, -1 for those it leaves out. */
spdhg_status spd_folds_make(const spdhg_problem *p, const spdhg_path_options *o, uint64_t seed, int32_t **fold, spdhg_error *err);

/* What callers inside the library may change. */
typedef struct spd_path_ways {
    spdhg_status (*validate)(spdhg_path *path, void *context, bool *stopped,
                             spdhg_error *err); /* cross_validate.c; its context */
    void *context;
    double degrees_most; /* the path ends after the first point with more degrees of freedom */
} spd_path_ways;
spdhg_status spd_path_new(spdhg_path **out, spdhg_problem *problem, const spdhg_path_options *options, const spdhg_options *solve,
                          const spd_path_ways *ways, spdhg_error *err);

/* ---- fold_results.c: what is kept of every fold. */
enum { SPD_FOLD_LOSS, SPD_FOLD_ACCURACY, SPD_FOLD_AUC, SPD_FOLD_SCORES };
typedef struct spd_fold {
    double *score; /* points x SPD_FOLD_SCORES */
    double weight; /* of the held-out rows */
    bool *reached; /* for each point, whether the tolerance was reached */
    double *held;  /* rows of the data x K: the scores of the held-out rows at the last point go there; NULL: they are not kept */
    double *x, *c; /* points x dK on the scale of the whole problem, points x K in the caller's terms; NULL: not kept */
    spdhg_status status;
    spdhg_error err;
} spd_fold;
spdhg_status spd_fold_results_new(spdhg_path *path, int64_t folds, spdhg_error *err);
void spd_fold_results_free(spdhg_path *path);

struct spdhg_path {
    spd_path_ways ways;
    spdhg_problem *problem;
    spdhg_path_options options; /* group, fold: owned by the caller, used only during the run */
    spdhg_options solve;        /* its callback adds how far the path is, and asks `caller` */
    spdhg_ranks *ranks; /* the processes that share the work (dealt.c); a solve is the work of one, so solve.ranks is NULL */
    spdhg_callback caller;
    void *caller_user;
    spdhg_graph_options learn; /* if options.learn is set: how a fold learns its F, on one thread */
    int64_t points;
    double part; /* of the work of the path and its folds, as the caller was told */
    spdhg_path_point *point;
    double *x, *c; /* points x dK, points x K */
    double *given; /* c in the caller's terms, for columns that are not centred */
    spdhg_outcome outcome;
    int64_t best, one_se;
    spdhg_solver *solver;
    int64_t folds;  /* cross-validated, over all repeats */
    spd_fold *fold; /* their scores, and their coefficients if options.keep_folds says so */
    int32_t *held;  /* the fold of every row, from folds.c */
};
/* ---- dealt.c: several processes. The first solves the path; the others then learn of its points, and of the first solution. */
spdhg_status spd_path_share_points(spdhg_path *path, spdhg_status status, spdhg_error *err);
/* Task k of a cross-validation is done by process k mod their number; then all know the results. stopped: in any of them. */
void spd_path_deal(const spdhg_path *path, int threads, int64_t tasks, void (*task)(void *context, int64_t k), void *context);
spdhg_status spd_path_share_folds(spdhg_path *path, bool *stopped, spdhg_status status, spdhg_error *err);
/* ---- progress.c: the stage of an asker that validates a path; a sentence for -v; takes the callback of path->solve. */
#define SPD_STAGE_FOLDS "cross-validation"
void spd_path_listen(spdhg_path *path);
double spd_path_part(const spdhg_path_point *point, int64_t k, int64_t n);
void spd_path_tell(const spdhg_path *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* ---- path_start.c: the first lambda, with its solution in x, c and y, which stay 0 if it is the caller's; then lambda i. */
spdhg_status spd_path_start(spdhg_path *path, double *x, double *c, double *y, double *lambda, spdhg_error *err);
double spd_path_lambda(const spdhg_path_options *o, double first, int64_t i);
/* What asks the caller while folds run (cross_validate.c). */
typedef struct spd_asker {
    spdhg_callback callback;
    void *user;
    pthread_mutex_t lock;
    atomic_bool stop;
    atomic_int_fast64_t done; /* solves of folds that are over */
    int64_t solves;           /* all of them */
    const char *stage;
} spd_asker;
/* ---- fold.c: one fold, made by spd_fold_results_new. fold: the fold of every row, -1: not used; f: this fold. Ends early once
 * asker says so. */
spdhg_status spd_fold_run(spd_fold *t, const spdhg_path *path, const int32_t *fold, int64_t f, const spdhg_options *solve,
                          spd_asker *asker, spdhg_error *err);
/* ---- cross_validate.c: folds run in parallel, but only one thread at a time calls the caller's callback. Once it asks to stop,
 * every fold stops. spd_asker_open gives the options for the solves of a fold. */
spdhg_options spd_asker_open(spd_asker *asker, const spdhg_options *solve, int64_t solves, const char *stage);
int spd_fold_ask(void *asker, const spdhg_event *event);
void spd_asker_close(spd_asker *asker);
/* Fills loss, accuracy, auc, their errors and unconverged of every point. *stopped: the callback asked to stop. */
spdhg_status spd_cross_validate(spdhg_path *path, void *unused, bool *stopped, spdhg_error *err);
/* The score of every row of the data (rows x K) by the fold of the first repeat that holds it out, at one point of the path; NAN:
 * no fold does. Solved anew, each fold from the point's solution: scores of all points would not fit into memory. */
spdhg_status spd_path_scores_held_out(const spdhg_path *path, int64_t point, double *score, bool *stopped, spdhg_error *err);
/* ---- choose.c */
spdhg_status spd_path_degrees(const spdhg_problem *p, const double *x, double *degrees, spdhg_error *err);
/* aic, bic, ebic, cp from train_loss and degrees. */
void spd_path_criteria(const spdhg_problem *p, double noise, spdhg_path_point *point);
spdhg_status spd_path_check(const spdhg_path *path, spdhg_error *err); /* criterion and rule exist and fit the problem */
bool spd_path_chooses(const spdhg_path *path);                         /* false: the criterion is none */
bool spd_path_counts_degrees(const spdhg_path *path);                  /* the criterion needs degrees of freedom */
void spd_path_choose(spdhg_path *path);                                /* best, one_se */
#endif

/* spdhg.h - structured-sparse linear models, fitted by stochastic primal-dual hybrid gradient methods.
 *
 *     minimise over x in X, c    (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x)
 *     r(z) = max { <y,z> : y in Y },   W = sum_i w_i
 *
 * Three grades: 1. fit a model   2. build a problem   3. extend. A newcomer needs the first, see examples/.
 *
 * Conventions. x is d x K, feature-major: the K outputs of a feature are contiguous (K = 1 but for softmax and several targets).
 * Functions that can fail return spdhg_status and take a spdhg_error as last argument, which may be NULL. On failure everything
 * is freed and *out is NULL. X_free(NULL) is fine. Handles are independent: two threads may use two handles at the same time.
 * The library never prints, exits, installs signal handlers or keeps global state. Call openblas_set_num_threads(1) once if
 * results must not depend on the BLAS library's own threads; the command does. */
#ifndef SPDHG_H
#define SPDHG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SPDHG_API __attribute__((visibility("default")))
#else
#define SPDHG_API
#endif

#define SPDHG_VERSION "0.1.0"
SPDHG_API const char *spdhg_version(void); /* of the library that is linked; SPDHG_VERSION is that of this header */

/* ------------------------------------------------------------------------------------------------ errors and outcomes */

/* What became of a call. The number is the command's exit status. */
#define SPDHG_STATUS_LIST(X)                                                                                                     \
    X(OK, 0, "ok")                                                                                                               \
    X(INTERNAL, 1, "internal error")                                                                                             \
    X(USAGE, 2, "wrong argument")                                                                                                \
    X(DATA, 3, "bad data")                                                                                                       \
    X(IO, 5, "input/output error")                                                                                               \
    X(MEMORY, 6, "out of memory")                                                                                                \
    X(NUMERICAL, 7, "numerical failure")

/* What became of a solve: X(name, exit status, text). A solve that ended is not an error of the call. */
#define SPDHG_OUTCOME_LIST(X)                                                                                                    \
    X(CONVERGED, 0, "converged to the tolerance")                                                                                \
    X(DONE, 0, "ran the epochs or the time asked for")                                                                           \
    X(LIMIT, 4, "a limit was reached before the tolerance")                                                                      \
    X(STALLED, 4, "no further progress was possible before the tolerance")                                                       \
    X(INFIMUM, 4, "proven to the tolerance, but of an infimum: no minimiser exists, some coefficients grow without end")         \
    X(INTERRUPTED, 130, "stopped by the caller")                                                                                 \
    X(DIVERGED, 7, "an iterate was not finite; the last finite one is kept")

typedef enum spdhg_status {
#define X(name, number, text) SPDHG_##name = number,
    SPDHG_STATUS_LIST(X)
#undef X
} spdhg_status;

typedef enum spdhg_outcome {
#define X(name, number, text) SPDHG_OUTCOME_##name,
    SPDHG_OUTCOME_LIST(X)
#undef X
} spdhg_outcome;

SPDHG_API const char *spdhg_status_text(spdhg_status status);
SPDHG_API const char *spdhg_outcome_text(spdhg_outcome outcome);
SPDHG_API int spdhg_outcome_exit_status(spdhg_outcome outcome);

typedef struct spdhg_error {
    spdhg_status status;
    char message[1000]; /* what, where (file:line:column where there is one) and what was expected; always terminated */
} spdhg_error;

/* ----------------------------------------------------------------------------------------------------- 1. fit a model */

typedef struct spdhg_data spdhg_data;           /* rows a_i, targets, offsets, weights, names */
typedef struct spdhg_structure spdhg_structure; /* the matrix F */
typedef struct spdhg_problem spdhg_problem;     /* data + loss + terms + set */
typedef struct spdhg_solver spdhg_solver;
typedef struct spdhg_model spdhg_model; /* what is saved and predicts */

typedef enum spdhg_duplicates { SPDHG_DUPLICATES_ERROR, SPDHG_DUPLICATES_SUM, SPDHG_DUPLICATES_LAST } spdhg_duplicates;

typedef struct spdhg_read_options {
    size_t size;         /* sizeof(spdhg_read_options): lets the struct grow */
    const char *format;  /* NULL or "auto" (by content), libsvm, csv, matrix-market, cluto, cache */
    const char *label;   /* CSV: the target column(s), "NAME[,NAME...]"; NULL: "label", "target", "y" or the last column */
    const char *targets; /* NULL, or a file with an N x K matrix of targets (Matrix Market array, CSV or LIBSVM-less text) */
    int64_t features;    /* at least so many columns; 0: what the file has */
    int index_base;      /* LIBSVM: 0, 1, or -1 = find out (0 only if an index 0 occurs) */
    spdhg_duplicates duplicates; /* an index twice in one row */
    bool unlabelled_ok;          /* predict: rows may come without a label */
    int threads;                 /* 0: the cores this process may use */
    uint64_t max_memory;         /* refuse with SPDHG_MEMORY rather than hold more bytes than this; 0: no limit */
    const char *names;           /* NULL, or a file with the names of the features, a line for each */
} spdhg_read_options;
#define SPDHG_READ_OPTIONS                                                                                                       \
    { sizeof(spdhg_read_options), NULL, NULL, NULL, 0, -1, SPDHG_DUPLICATES_ERROR, false, 0, 0, NULL }

/* Read a file ("-" is standard input), plain or .gz .bz2 .xz .zst; options may be NULL.
 *     spdhg_data_read(&data, "a9a.svm.xz", NULL, &err);
 * SPDHG_IO missing or unreadable; SPDHG_DATA malformed, with file:line:column; SPDHG_MEMORY over the limit. */
SPDHG_API spdhg_status spdhg_data_read(spdhg_data **out, const char *path, const spdhg_read_options *options, spdhg_error *err);

typedef enum spdhg_ownership { SPDHG_COPY, SPDHG_BORROW } spdhg_ownership;

/* From memory. CSR: ptr[rows+1], idx ascending in each row and below features, finite values; idx == NULL: dense, row-major, then
 * ptr may be NULL. b is rows x targets. With SPDHG_BORROW the arrays must outlive the data set and are never written. */
SPDHG_API spdhg_status spdhg_data_from_csr(spdhg_data **out, int64_t rows, int64_t features, const int64_t *ptr,
                                           const int32_t *idx, const double *val, const double *b, int64_t targets,
                                           spdhg_ownership ownership, spdhg_error *err);
/* Weights w_i >= 0, one per row, not all 0; offsets o, rows x K. Copied. */
SPDHG_API spdhg_status spdhg_data_set_weights(spdhg_data *data, const double *weight, spdhg_error *err);
SPDHG_API spdhg_status spdhg_data_set_offsets(spdhg_data *data, const double *offset, int64_t outputs, spdhg_error *err);
/* Texts of labels that are no numbers; b has their positions 0..labels-1. Names of the features, one for each. UTF-8; copied. */
SPDHG_API spdhg_status spdhg_data_set_labels(spdhg_data *data, const char *const *text, int64_t labels, spdhg_error *err);
SPDHG_API spdhg_status spdhg_data_set_names(spdhg_data *data, const char *const *name, spdhg_error *err);
/* What is in it, the data set's own; NULL where it has none. */
typedef struct spdhg_data_view {
    int64_t rows, features, nonzeros, targets, offsets, labels;
    const int64_t *ptr; /* rows + 1; NULL: dense, row-major */
    const int32_t *idx;
    const double *val, *b, *weight, *offset;
    const int64_t *group; /* qid of each row */
    const char *const *label, *const *name;
} spdhg_data_view;
SPDHG_API void spdhg_data_look(const spdhg_data *data, spdhg_data_view *out);
/* Write in a format (NULL: by the name's ending, .spd is the cache); atomic. SPDHG_IO when it cannot. */
SPDHG_API spdhg_status spdhg_data_write(const spdhg_data *data, const char *path, const char *format, spdhg_error *err);
SPDHG_API int64_t spdhg_data_rows(const spdhg_data *data);
SPDHG_API int64_t spdhg_data_features(const spdhg_data *data);
SPDHG_API int64_t spdhg_data_nonzeros(const spdhg_data *data);
SPDHG_API void spdhg_data_free(spdhg_data *data);

/* One measured point of a run, as raw as it is: never a best-so-far. NAN stands for "not known". */
typedef struct spdhg_point {
    double epoch; /* rows visited / N */
    int64_t iteration;
    double seconds;   /* in the solver, evaluation excluded */
    double objective; /* f at the solver's output */
    double train_loss;
    double penalty; /* sum_t lambda_t r_t(F_t x) */
    double test_loss;
    double test_score; /* accuracy, or R^2 for regression losses */
    double gap;        /* certified: f - f* is at most this; NAN where nothing is proven for all x */
    double dual_norm;  /* ||y|| */
} spdhg_point;

typedef enum spdhg_event_kind { SPDHG_EVENT_POINT, SPDHG_EVENT_LOG, SPDHG_EVENT_POLL } spdhg_event_kind;

typedef struct spdhg_event {
    spdhg_event_kind kind;
    const spdhg_point *point; /* POINT: a trace point was measured; POLL: only epoch, iteration and seconds are current */
    const char *message;      /* LOG: a sentence for -v */
    double epochs_asked;      /* for a progress bar; 0 if unlimited */
} spdhg_event;

/* Called on the thread that called run, also in the middle of long steps. A non-zero answer stops the run, the iterate is kept. */
typedef int (*spdhg_callback)(void *user, const spdhg_event *event);

typedef enum spdhg_sampling { SPDHG_SAMPLING_IID, SPDHG_SAMPLING_SHUFFLE } spdhg_sampling;
#define SPDHG_BATCH_AUTO 0
#define SPDHG_BATCH_DEFAULT (-1)
#define SPDHG_TOL_DEFAULT (-1.0)

typedef struct spdhg_options {
    size_t size; /* sizeof(spdhg_options): lets the struct grow */
    double
        epochs; /* passes over the data; 0: not limited (no limit and no tol: auto runs to its tolerance, the others 10 epochs) */
    double seconds; /* wall time, set-up included; 0: not limited */
    double tol;     /* stop at this relative certified gap; 0: never; SPDHG_TOL_DEFAULT: auto and exact solvers stop at 1e-6, the
                     * others never, and a limit that is reached first is no failure */
    double every;   /* epochs between trace points; 0: chosen */
    int64_t batch;  /* rows per iteration; SPDHG_BATCH_AUTO: sample half and dual half cost about the same;
                     * SPDHG_BATCH_DEFAULT: the solver's own choice, 1 or, for saga-pd3o and lsvrg-pd3o, as AUTO */
    spdhg_sampling sampling; /* iid (what the theory is about) or shuffle */
    uint64_t seed;
    int threads;         /* 0: the cores this process may use. The result does not depend on it */
    uint64_t max_memory; /* refuse early with the estimate; 0: no limit */
    spdhg_callback callback;
    void *user;
    const char *checkpoint;  /* file the running solve is saved to, atomically: now and then, and at the end; NULL: never */
    double checkpoint_every; /* seconds between */
    const char *resume; /* checkpoint to go on from: the result is that of the uninterrupted run, bit for bit; NULL: none. Refused
                           with SPDHG_USAGE and the reason if data, problem, solver, parameters, seed or batch changed */
} spdhg_options;
#define SPDHG_OPTIONS                                                                                                            \
    {                                                                                                                            \
        sizeof(spdhg_options), 0, 0, SPDHG_TOL_DEFAULT, 0, SPDHG_BATCH_DEFAULT, SPDHG_SAMPLING_IID, 0, 0, 0, NULL, NULL, NULL,   \
            60, NULL                                                                                                             \
    }

typedef struct spdhg_solution {
    int64_t features, outputs, dual; /* sizes: x is features x outputs, c outputs, y dual */
    const double *x, *c, *y;         /* x, c on the scale that was penalised (the standardised one if asked for) */
    double objective, train_loss, penalty, gap, gap_relative, gap_radius;
    const char *gap_kind; /* "certified", "within_radius" or "none" */
    double test_loss, test_score, epochs, seconds;
    int64_t iterations, nonzeros /* of x */, structure_nonzeros /* of F x */;
    const char *solver;      /* the last stage that ran, never "auto" */
    double x_radius;         /* gamma > 0: ||x - x*|| is at most this, proven by the gap; NAN: not known */
    int64_t certified_signs; /* numbers of F x whose sign is therefore that of F x*; 0: none */
} spdhg_solution;

/* solver: a name of `spdhg list solvers`. options are copied, NULL means SPDHG_OPTIONS. The problem is frozen from here on and
 * must outlive the solver. SPDHG_USAGE: unknown name, or a problem this solver does not accept (the message says why). */
SPDHG_API spdhg_status spdhg_solver_new(spdhg_solver **out, const char *solver, spdhg_problem *problem,
                                        const spdhg_options *options, spdhg_error *err);
/* A parameter of the solver's table, before the first run. SPDHG_USAGE: unknown name or out of range, the valid ones are listed.
 */
SPDHG_API spdhg_status spdhg_solver_set(spdhg_solver *solver, const char *name, double value, spdhg_error *err);
/* Where to start: x features x outputs, c outputs, y dual numbers; each may be NULL (0). Copied. Before the first run. */
SPDHG_API spdhg_status spdhg_solver_start(spdhg_solver *solver, const double *x, const double *c, const double *y,
                                          spdhg_error *err);
/* Held-out rows for test_loss and test_score; must outlive the solver. */
SPDHG_API spdhg_status spdhg_solver_test(spdhg_solver *solver, const spdhg_data *test, spdhg_error *err);
SPDHG_API spdhg_status spdhg_solver_run(spdhg_solver *solver, spdhg_outcome *outcome, spdhg_error *err);
/* Valid until the next run or free. */
SPDHG_API const spdhg_solution *spdhg_solver_solution(const spdhg_solver *solver);
SPDHG_API const spdhg_point *spdhg_solver_trace(const spdhg_solver *solver, int64_t *points);
/* The proof of the solution's gap as a JSON file that needs no trust in this library: problem, x, c, and the dual point that bounds
 * f from below; atomic. The gap in it is proven anew, and can be smaller than the solution's. bench/check-certificate checks it
 * against the data in exact arithmetic; docs/certificate.md has the format. SPDHG_USAGE: before a run; SPDHG_NUMERICAL: nothing is
 * proven; SPDHG_IO.
 *     spdhg_solver_certificate(solver, "proof.json", &err); */
SPDHG_API spdhg_status spdhg_solver_certificate(spdhg_solver *solver, const char *path, spdhg_error *err);
SPDHG_API void spdhg_solver_free(spdhg_solver *solver);

/* The smallest factor of spdhg_problem_scale_lambda at which some x with F_t x = 0 for all terms is optimal, with terms of lambda
 * 1 the smallest such lambda: proven to lie in [*lower, *upper]; upper - lower is at most 1e-6 upper unless SPDHG_NUMERICAL says
 * that this could not be had. x and c (each may be NULL) get that solution. Freezes the problem; its lambdas are as before
 * afterwards. X must be all of R^d (SPDHG_USAGE). Both are +INFINITY when the loss has no minimiser among these x (separable
 * data), err then has the sentence though the answer is SPDHG_OK. */
SPDHG_API spdhg_status spdhg_lambda_max(spdhg_problem *problem, int threads, double *lower, double *upper, double *x, double *c,
                                        spdhg_error *err);

/* ---- A path over lambda: from lambda_max downwards, each solution the start of the next, each proven to the tolerance;
 * cross-validated; one chosen. */
typedef struct spdhg_path spdhg_path;

typedef struct spdhg_path_options {
    size_t size;       /* sizeof(spdhg_path_options): lets the struct grow */
    int64_t lambdas;   /* how many, evenly spaced in their logarithms */
    double ratio;      /* smallest over largest; 0: 1e-4 for more rows than features, else 1e-2 */
    double lambda_max; /* the largest; 0: that of spdhg_lambda_max */
    double saturation; /* end early when this part of the loss at the largest lambda is explained, or no more than 1e-5 is gained;
                          0: never */
    int64_t folds;     /* of the cross-validation; 0: none */
    int64_t repeats;   /* cross-validations with different folds, averaged */
    const int64_t *group; /* one per row of the problem: rows of a group stay in one fold; NULL: folds are balanced by class */
    const int64_t *fold;  /* or the fold of each row, 0..folds-1 (then repeats is 1); NULL: chosen by the seed */
    const char *choose;   /* loss, accuracy, auc (by cross-validation), aic, bic, ebic */
    const char *rule; /* "1se": the largest lambda within one standard error of the best; "min": the best. aic, bic, ebic: always
                         the best */
    const char *solver;
    const struct spdhg_graph_options *learn; /* how the F of the first term was learned: it is learned again from the training
                                                rows of every fold; NULL: F is the same in all */
} spdhg_path_options;
#define SPDHG_PATH_OPTIONS                                                                                                       \
    { sizeof(spdhg_path_options), 100, 0, 0, 0.999, 5, 1, NULL, NULL, "loss", "1se", "auto", NULL }

typedef struct spdhg_path_point {
    double lambda, objective, train_loss, penalty, gap_relative, seconds;
    double explained;      /* 1 - train_loss / train_loss at the largest lambda */
    double degrees;        /* degrees of freedom: dimension of the x that have these zeros of F x; NAN for linf and nuclear */
    double aic, bic, ebic; /* NAN where degrees is */
    int64_t nonzeros, structure_nonzeros;
    spdhg_outcome outcome;                        /* of the solve with all rows */
    double loss, accuracy, auc;                   /* means over the folds, rows by weight; NAN: not known */
    double loss_error, accuracy_error, auc_error; /* standard errors of these means */
    int64_t unconverged;                          /* solves in folds that did not reach the tolerance */
} spdhg_path_point;

/* Runs the whole of it. Terms with lambda 1 make the path's lambda the lambda of each term; else it is a factor. solve: tolerance
 * (0: 1e-6), seed, threads, callback (also from other threads, one at a time), limits: epochs of each solve, seconds of the
 * whole. Either may be NULL. The result does not depend on the number of threads. SPDHG_USAGE: lambda_max is infinite or not
 * known for this problem and none was given. */
SPDHG_API spdhg_status spdhg_path_new(spdhg_path **out, spdhg_problem *problem, const spdhg_path_options *options,
                                      const spdhg_options *solve, spdhg_error *err);
SPDHG_API const spdhg_path_point *spdhg_path_points(const spdhg_path *path, int64_t *points); /* by falling lambda */
/* Coefficients and intercept of a point, on the scale that was penalised. */
SPDHG_API const double *spdhg_path_coefficients(const spdhg_path *path, int64_t point, const double **c);
/* CONVERGED: every solve with all rows did; LIMIT: some did not; INTERRUPTED: the points so far are there, nothing is
 * cross-validated. */
SPDHG_API spdhg_outcome spdhg_path_outcome(const spdhg_path *path);
SPDHG_API int64_t spdhg_path_best(const spdhg_path *path); /* the point with the best value of the criterion */
/* Of the one-standard-error rule; the best where there are no errors. */
SPDHG_API int64_t spdhg_path_one_se(const spdhg_path *path);
SPDHG_API int64_t spdhg_path_chosen(const spdhg_path *path); /* by the rule asked for */
SPDHG_API double spdhg_path_value(const spdhg_path *path,
                                  int64_t point); /* of the criterion, turned so that smaller is better: to compare paths */
/* Solved at the chosen lambda with all rows: for spdhg_model_from_solver; the path's own. */
SPDHG_API spdhg_solver *spdhg_path_solver(spdhg_path *path);
SPDHG_API void spdhg_path_free(spdhg_path *path);

/* ---- A race: solvers compared on data sets, the way of the SPDHG paper or fairly. Two tasks, gglr: mean loss + lambda r(F x),
 * and ggrlr: the same + (gamma/2)||x||^2. Every repeat has its own split, its own F where that is learned (from the training
 * rows), and its own certified optimum; all solvers get the same rows, start, sampling stream, clock and evaluation. The clock of
 * a run is the processor time of its one thread, evaluation excluded. */
typedef struct spdhg_race_event {
    const char *data, *task, *solver; /* what has ended; NULL: nothing has, the caller is only asked whether to stop */
    int64_t repeat;
    const char *what;    /* "done", "time-out", "diverged", "refused", "failed", "tuned", "optimum" */
    const char *message; /* a sentence, or NULL */
    double part;         /* of all the work that is done, 0 to 1 */
    double seconds_left; /* NAN: not known yet */
} spdhg_race_event;
/* Called from any thread, from one at a time. A non-zero answer stops the race: it can be gone on with. */
typedef int (*spdhg_race_callback)(void *user, const spdhg_race_event *event);

typedef struct spdhg_race_options {
    size_t size;          /* sizeof(spdhg_race_options): lets the struct grow */
    const char *tasks;    /* "gglr,ggrlr" or one of them */
    const char *solvers;  /* names of `spdhg list solvers` with commas */
    const char *protocol; /* "paper": spdhg's parameters by theory, the others' tuned by cross-validation on the training rows by
                             held-out loss; "fair": everybody's tuned, by the objective reached */
    const char *preset;   /* NULL, or "matlab": spdhg and lpdhg as in the published scripts, rows shuffled, 1 repeat */
    bool quick;           /* 3 repeats, 3 epochs, 10 s a run, tuned with a fifth of the rows, where nothing else is said below */
    int64_t repeats;      /* 0: 10 */
    double epochs;        /* 0: 10 */
    double every;         /* epochs between measured points */
    double run_time;      /* seconds a run may take; 0: 300 */
    int64_t time_outs;    /* a solver whose first so many repeats were time-outs is not started for the others, nor is one for
                             the rest of its grid whose first so many points were too slow; 0: it is */
    double test_fraction; /* of the rows that is held out */
    double tune_fraction; /* part of the training rows that parameters are tuned with; 0: 1 */
    int64_t tune_folds;   /* of the cross-validation that tunes */
    const char *tune_by;  /* "loss" of held-out rows or "objective" reached; NULL: by the protocol */
    const char *loss, *penalty, *groups, *structure, *set, *class_weight; /* structure: {} in it is the name of the data set */
    const char *weights, *offset, *penalty_weights;                       /* files, or NULL */
    double lambda, gamma, also_sparse;
    bool intercept, standardize, allow_one_class;
    int64_t batch; /* as in spdhg_options */
    spdhg_sampling sampling;
    uint64_t seed;       /* repeat r is what spdhg fit --seed (seed + r) --test-fraction sees */
    int jobs;            /* runs at the same time; 0: the cores this process may use. The results do not depend on it */
    uint64_t max_memory; /* of a run, as in spdhg_options */
    const spdhg_read_options *read;
    const char *command; /* how this was asked for, kept in the summary; may be NULL */
    spdhg_race_callback callback;
    void *user;
    const char *reuse; /* NULL, or the folder of a race with the same settings but for the tuning: a run that was done there with
                          the same parameters is taken over, its times too, instead of being done again */
} spdhg_race_options;
#define SPDHG_RACE_SOLVERS                                                                                                       \
    "spdhg,spdhg-sc1,spdhg-sc2,lpdhg,sadmm,opg-admm,rda-admm,fsadmm,ada-sadmm-diag,ada-sadmm-full,saga-pd3o,auto"
#define SPDHG_RACE_OPTIONS                                                                                                       \
    {                                                                                                                            \
        .size = sizeof(spdhg_race_options), .tasks = "gglr,ggrlr", .solvers = SPDHG_RACE_SOLVERS, .protocol = "paper",           \
        .every = 0.25, .test_fraction = 0.2, .tune_folds = 2, .loss = "logistic", .penalty = "l1", .structure = "learned",       \
        .set = "all", .lambda = 1e-5, .gamma = 1e-2, .batch = SPDHG_BATCH_DEFAULT                                                \
    }

/* Races in `folder`, which is made if need be: summary.json, summary.csv, NAME.TASK.csv (traces), NAME.TASK.model.json,
 * NAME.structure.mtx, and runs/, from which the same call goes on after a crash. data: file names; NAME is what is before the
 * endings. DONE; INTERRUPTED: the callback asked to stop. SPDHG_USAGE: another race at work there, or one with other settings. */
SPDHG_API spdhg_status spdhg_race(const char *const *data, int64_t count, const char *folder, const spdhg_race_options *options,
                                  spdhg_outcome *outcome, spdhg_error *err);

/* A model: coefficients on the original scale, label map, index base, names, how it was made. JSON on disk. Columns far from 0
 * for their width are centred inside: scores of a model have all their digits also where c, being minus a large sum, has few. */
SPDHG_API spdhg_status spdhg_model_from_solver(spdhg_model **out, const spdhg_solver *solver, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_read(spdhg_model **out, const char *path, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_write(const spdhg_model *model, const char *path, spdhg_error *err);
SPDHG_API int64_t spdhg_model_outputs(const spdhg_model *model);
SPDHG_API int64_t spdhg_model_features(const spdhg_model *model);
/* What is in it, the model's own; class_text, name: NULL where there are none. */
typedef struct spdhg_model_view {
    int64_t features, outputs, classes; /* classes 0: regression */
    const double *x, *c;                /* original scale; features x outputs, outputs */
    const double *class_value;          /* raw labels, sorted */
    const char *const *class_text, *const *name;
    const char *loss, *penalty, *structure, *set, *solver, *outcome, *version;
    double lambda, gamma, objective, train_loss, penalty_value, gap, epochs, seconds;
    bool classify, intercept, standardized;
    int index_base;
    int64_t side[3]; /* shape of the grid the coefficients live on, or 0 */
    uint64_t seed;
} spdhg_model_view;
SPDHG_API void spdhg_model_look(const spdhg_model *model, spdhg_model_view *out);
/* Other coefficients (each may be NULL: as they are), finite. Copied. */
SPDHG_API spdhg_status spdhg_model_change(spdhg_model *model, const double *x, const double *c, spdhg_error *err);
/* The text that spdhg_model_write writes, and back; free it with spdhg_text_free. */
SPDHG_API spdhg_status spdhg_model_to_text(const spdhg_model *model, char **text, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_from_text(spdhg_model **out, const char *text, size_t size, spdhg_error *err);
SPDHG_API void spdhg_text_free(char *text);
/* The chance of every class, rows x classes, from scores; SPDHG_USAGE for losses that model none (logistic and softmax do). */
SPDHG_API spdhg_status spdhg_model_probabilities(const spdhg_model *model, int64_t rows, const double *scores,
                                                 double *probability, spdhg_error *err);
/* Linear scores a'x + c (+ o), rows x outputs. Features the model does not know count as absent; the base of the indices is the
 * model's. */
SPDHG_API spdhg_status spdhg_model_scores(const spdhg_model *model, const spdhg_data *data, double *scores, spdhg_error *err);
SPDHG_API void spdhg_model_free(spdhg_model *model);

/* ------------------------------------------------------------------------------------------------- 2. build a problem */

/* loss: "NAME" or "NAME:ARG" of `spdhg list losses`. Uses all rows of data, which must outlive the problem. */
SPDHG_API spdhg_status spdhg_problem_new(spdhg_problem **out, const spdhg_data *data, const char *loss, spdhg_error *err);
/* Use these rows only (ids below spdhg_data_rows, copied): folds and splits share the storage. */
SPDHG_API spdhg_status spdhg_problem_rows(spdhg_problem *problem, const int64_t *row, int64_t rows, spdhg_error *err);

typedef struct spdhg_term_options {
    size_t size;
    const double *row_weight; /* one per row of F, >= 0, 0 drops the row; NULL: all 1 */
    int64_t row_weights;      /* how many; must be the rows of F */
    const char *groups;       /* NULL, "size:G", "grid" (differences at one pixel), or a file with a group number per row of F */
    const int64_t *group;     /* or the numbers themselves, one per row of F */
    int64_t group_rows;
} spdhg_term_options;

/* Append lambda r(F x). penalty: a name of `spdhg list penalties`. F must outlive the problem. options may be NULL. */
SPDHG_API spdhg_status spdhg_problem_term(spdhg_problem *problem, const char *penalty, const spdhg_structure *F, double lambda,
                                          const spdhg_term_options *options, spdhg_error *err);
/* The lambdas of all terms become factor times what spdhg_problem_term said. Also on a frozen problem, which is not prepared
 * anew: for a path over lambda. Solvers made before must not run again: make a new one, started where the last one ended. */
SPDHG_API spdhg_status spdhg_problem_scale_lambda(spdhg_problem *problem, double factor, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_ridge(spdhg_problem *problem, double gamma, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_intercept(spdhg_problem *problem, bool on, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_standardize(spdhg_problem *problem, bool on, spdhg_error *err);
/* X: "all", "ball:R", "box:LO,HI", "nonneg", "l1ball:R", "simplex:R". */
SPDHG_API spdhg_status spdhg_problem_set(spdhg_problem *problem, const char *set, spdhg_error *err);
/* "balanced" or "LABEL=W,..."; multiplies the row weights. */
SPDHG_API spdhg_status spdhg_problem_class_weight(spdhg_problem *problem, const char *spec, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_allow_one_class(spdhg_problem *problem, bool on, spdhg_error *err);
/* f, its parts and the best intercept at x (features x outputs, the scale that is penalised). Freezes the problem. c may be NULL.
 */
SPDHG_API spdhg_status spdhg_problem_evaluate(spdhg_problem *problem, const double *x, double *c, double *objective,
                                              double *train_loss, double *penalty, spdhg_error *err);
/* What it came to; the problem's own. Freezes it. */
typedef struct spdhg_problem_view {
    int64_t rows, features, outputs, dual, classes; /* dual: numbers of y */
    const double *class_value;                      /* raw labels, sorted; NULL for regression */
    const double *scale; /* what each column was divided by, the penalised x is scale times the original; NULL: nothing was */
} spdhg_problem_view;
SPDHG_API spdhg_status spdhg_problem_look(spdhg_problem *problem, spdhg_problem_view *out, spdhg_error *err);
/* How far x can be from the best possible: f(x) - f* <= gap if kind is "certified". y: any dual point, the better the smaller the
 * gap; NULL: 0. c: the best intercept is put there; may be NULL. Freezes the problem. Sizes and scale as in spdhg_solver_start.
 */
typedef struct spdhg_gap {
    double gap, relative, radius; /* NAN: not known; radius: of "within_radius" */
    const char *kind;             /* "certified", "within_radius" or "none" */
    double objective, train_loss, penalty;
} spdhg_gap;
SPDHG_API spdhg_status spdhg_duality_gap(spdhg_problem *problem, int threads, const double *x, double *c, const double *y,
                                         spdhg_gap *out, spdhg_error *err);
SPDHG_API void spdhg_problem_free(spdhg_problem *problem);

/* F by specification: identity, chain, trend:ORDER, grid:HxW[xD], edges:FILE, matrix:FILE.mtx; d features. */
SPDHG_API spdhg_status spdhg_structure_new(spdhg_structure **out, const char *spec, int64_t features, spdhg_error *err);
SPDHG_API spdhg_status spdhg_structure_from_csr(spdhg_structure **out, int64_t rows, int64_t features, const int64_t *ptr,
                                                const int32_t *idx, const double *val, spdhg_error *err);

/* Differences along edges: end has two features for each edge, counted from 0; weight NULL: all 1. w > 0: w (x_i - x_j),
 * w < 0: |w| (x_i + x_j), as in the files of edges:FILE. SPDHG_DATA: an edge twice, a self-loop, an end or weight out of range.
 */
SPDHG_API spdhg_status spdhg_structure_from_edges(spdhg_structure **out, int64_t features, int64_t edges, const int64_t *end,
                                                  const double *weight, spdhg_error *err);
/* The rows of F, its own; ptr, idx and val NULL: the identity. */
typedef struct spdhg_structure_view {
    int64_t rows, features;
    const int64_t *ptr;
    const int32_t *idx;
    const double *val;
    const char *spec;
} spdhg_structure_view;
SPDHG_API void spdhg_structure_look(const spdhg_structure *F, spdhg_structure_view *out);

typedef struct spdhg_graph_options {
    size_t size;        /* sizeof(spdhg_graph_options): lets the struct grow */
    const char *method; /* "quic", "alm", "neighbourhood", "correlation" or "knn"; see `spdhg list methods` */
    const char *form;   /* rows of F: "edge" x_i - sign x_j, "edge+I", "skew" (d x d, 0 and +-1); or "precision": Theta itself */
    const char *choose; /* how rho is found when it is 0: "auto", "edges", "ebic" or "stars" */
    double rho;         /* weight of |Theta_ij|, or the threshold of a correlation; 0: see choose */
    int64_t edges;      /* "edges": so many, or the next fewer that a rho gives */
    int64_t neighbours; /* "knn": of each feature */
    int64_t max_component;  /* "auto": the largest component allowed, in features */
    double tol;             /* stop at a duality gap of tol times the features of a component */
    double threshold;       /* entries with |Theta_ij| at most this are no edges */
    bool covariance;        /* of covariances, not of correlations */
    bool penalize_diagonal; /* rho Theta_ii too */
    bool both;              /* neighbourhood: an edge needs both ends to choose it, not one */
    uint64_t seed;          /* "stars": of the subsamples */
    int threads;            /* 0: the cores this process may use. The result does not depend on it */
    uint64_t max_memory;    /* refuse with SPDHG_MEMORY rather than hold more bytes than this for a component; 0: no limit */
} spdhg_graph_options;
#define SPDHG_GRAPH_OPTIONS                                                                                                      \
    { sizeof(spdhg_graph_options), "quic", "edge", "auto", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0 }

enum { SPDHG_HUBS = 10 };
typedef struct spdhg_graph_report {
    int64_t rows, nodes, edges;
    int64_t components, largest,
        isolated;     /* components of at least two features; features in the largest; features without an edge */
    int64_t constant; /* features of which no correlation is defined; they have no edge */
    int64_t hubs, hub[SPDHG_HUBS], hub_degree[SPDHG_HUBS]; /* features of the highest degrees, counted from 0 */
    double mean_degree;                                    /* of the features that have an edge */
    double rho;                                            /* NAN for knn */
    double norm, norm_bound;                               /* ||F||: from below by power iterations, and from above */
    double objective, gap;         /* of the precision matrix, summed over its components; NAN for other methods */
    int64_t iterations;            /* the most any component took */
    bool converged;                /* every component reached tol; true for methods without a gap */
    double seconds, solve_seconds; /* all of it; of a processor in QUIC or ALM at the final rho, summed over components */
} spdhg_graph_report;

/* Learn F from some rows of the data (row NULL: all), labels unseen. options NULL: SPDHG_GRAPH_OPTIONS; report may be NULL.
 *     spdhg_structure_learn(&F, data, NULL, 0, NULL, &report, &err);
 * No edge is no error: F has then no rows (form "edge"). SPDHG_DATA: fewer than two rows or only constant features; SPDHG_USAGE:
 * an option out of range, or a rho at which a component is too large for the method. */
SPDHG_API spdhg_status spdhg_structure_learn(spdhg_structure **out, const spdhg_data *data, const int64_t *row, int64_t rows,
                                             const spdhg_graph_options *options, spdhg_graph_report *report, spdhg_error *err);
/* F as a Matrix Market file; atomic. */
SPDHG_API spdhg_status spdhg_structure_write(const spdhg_structure *F, const char *path, spdhg_error *err);
SPDHG_API int64_t spdhg_structure_rows(const spdhg_structure *F);
SPDHG_API double spdhg_structure_norm_bound(const spdhg_structure *F); /* >= ||F||_2 */
SPDHG_API void spdhg_structure_free(spdhg_structure *F);

/* ---- What there is: names, defaults and help, for programs that offer a choice. All texts are static. */
typedef enum spdhg_kind { SPDHG_KIND_FLAG, SPDHG_KIND_NUMBER, SPDHG_KIND_WHOLE, SPDHG_KIND_TEXT, SPDHG_KIND_FILE } spdhg_kind;

typedef struct spdhg_param {
    const char *name;
    double value, min, max; /* default (NAN: "by rule", the help says which) and range */
    const char *help;
} spdhg_param;

typedef struct spdhg_entry {
    const char *name, *help, *reference; /* reference: the paper of a solver; NULL */
    spdhg_kind kind;                     /* of its value; FLAG: takes none */
    bool classify;                       /* a loss of labels, not of numbers */
    bool probabilities;                  /* a loss that models the chance of each label */
    const char *argument;                /* what stands behind the name, such as "NUMBER"; NULL: nothing */
    const char *topic;                   /* whose names are the values of this option; NULL */
    const char *text;                    /* default, where it is not a number; NULL: none, or the help says which */
    double value, min, max;              /* default of a number or a flag, and range; NAN: none */
    const spdhg_param *param;            /* of a solver */
    int64_t params;
} spdhg_entry;

/* Topic 0, 1, ...: losses, penalties, structures, sets, solvers, formats, kinds, methods; NULL behind the last. */
SPDHG_API const char *spdhg_topic(int64_t at);
/* Entry `at` of a topic; false behind the last:
 *     for (int64_t i = 0; spdhg_list("solvers", i, &entry); i++) puts(entry.name); */
SPDHG_API bool spdhg_list(const char *topic, int64_t at, spdhg_entry *out);
/* The same for the options of the command: group problem, solve, path, graph, race or data. */
SPDHG_API bool spdhg_option(const char *group, int64_t at, spdhg_entry *out);

/* ----------------------------------------------------------------------------------------------------------- 3. extend */

/* A loss phi(z, b). Scalar losses fill the first four functions and act on every output by itself; a loss that couples the K
 * outputs (softmax) fills the _k ones, b is then the class number 0..K-1. arg is the number behind NAME:ARG. */
typedef struct spdhg_loss {
    const char *name, *help;
    bool classify;                   /* labels are mapped: two sorted values to -1, +1; softmax: to 0..K-1 */
    double arg, arg_min, arg_max;    /* default and range of ARG; arg_max < arg_min: takes none */
    double (*curvature)(double arg); /* kappa: bound on phi'' (on the largest eigenvalue for _k losses) */
    double (*value)(double z, double b, double arg);
    double (*slope)(double z, double b, double arg);  /* phi' */
    double (*second)(double z, double b, double arg); /* phi'' (any element of its generalised derivative) */
    double (*conjugate)(double alpha, double b,
                        double arg); /* phi*(alpha) = max_z alpha z - phi(z); +INFINITY outside its domain */
    double (*room)(double alpha, double b,
                   double arg); /* distance of alpha to the boundary of phi*'s domain, at most 1; NULL: 1 */
    double (*value_k)(const double *z, int64_t K, double b);
    void (*slope_k)(const double *z, int64_t K, double b, double *slope);
    void (*second_k)(const double *z, int64_t K, double b, const double *p, double *hp); /* hp = phi''(z) p */
    double (*conjugate_k)(const double *alpha, int64_t K, double b);
    bool quadratic;      /* phi*(alpha) = b alpha + alpha^2/(2 kappa) wherever it is finite */
    bool falls_for_ever; /* in a direction of z in which phi never rises it has no minimum: it falls for ever */
    bool steady;         /* |phi'''| <= phi'': its curvature grows at most e times when z moves by 1 */
    double (*chance)(double z, double b, double arg);             /* of label b; NULL: phi models no probabilities */
    void (*chance_k)(const double *z, int64_t K, double *chance); /* the same of every class; then phi' = chance - e_b and
                                                                        phi'' = diag(chance) - chance chance' */
} spdhg_loss;

/* Replace the problem's loss by one of your own; it must outlive the problem. arg is ignored if the loss takes none. */
SPDHG_API spdhg_status spdhg_problem_loss(spdhg_problem *problem, const spdhg_loss *loss, double arg, spdhg_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* spdhg.h - structured-sparse linear models, fitted by stochastic primal-dual hybrid gradient methods.
 *
 *     minimise over x in X, c    (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x)
 *     r(z) = max { <y,z> : y in Y },   W = sum_i w_i
 *
 * In the order you need it: 1. data, structure, problem   2. solver and solution   3. model   4. path over lambda
 * 5. denoising   6. graph learned from data   7. race of solvers   8. a loss or a penalty of your own   9. views and tables
 * for bindings. To fit a model you need 1 to 3; examples/ has complete programs.
 *
 * Conventions. x is d x K, feature-major: the K outputs of a feature are contiguous. K = 1 except for softmax and
 * several targets. A function that can fail returns spdhg_status and takes a spdhg_error as its last argument, which
 * may be NULL. On failure everything is freed and *out is NULL. X_free(NULL) is allowed. Handles are independent:
 * two threads may use two handles at the same time. The library never prints, exits, installs signal handlers or
 * keeps global state. Call openblas_set_num_threads(1) once if results must not depend on the BLAS library's own
 * threads; the command does. Functions that compute do so in the default floating-point environment, callbacks
 * included, and give the caller's own back: traps, rounding and flags.
 *
 * Options structs begin with their size, so that they can grow. Start from the default value and change what you
 * need:
 *     spdhg_options options = SPDHG_OPTIONS;
 *     options.epochs = 2;
 * A struct whose size was never set is refused with SPDHG_USAGE. Structs that the library fills have no size
 * and stay as they are within a minor release (points come as arrays); one that it owns and returns by a pointer, as
 * spdhg_solution, may grow at its end. */
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
SPDHG_API const char *spdhg_version(void); /* the linked library's; SPDHG_VERSION is this header's */

/* ------------------------------------------------------------------------------------------------ errors and outcomes */

/* The result of a call. The number is the command's exit status. */
#define SPDHG_STATUS_LIST(X)                                                                                                     \
    X(OK, 0, "ok")                                                                                                               \
    X(INTERNAL, 1, "internal error")                                                                                             \
    X(USAGE, 2, "wrong argument")                                                                                                \
    X(DATA, 3, "bad data")                                                                                                       \
    X(IO, 5, "input/output error")                                                                                               \
    X(MEMORY, 6, "out of memory")                                                                                                \
    X(NUMERICAL, 7, "numerical failure")

/* How a solve ended: X(name, exit status, text). The call itself succeeded, whatever the outcome. */
#define SPDHG_OUTCOME_LIST(X)                                                                                                    \
    X(CONVERGED, 0, "converged to the tolerance")                                                                                \
    X(DONE, 0, "ran the requested epochs or time")                                                                               \
    X(LIMIT, 4, "a limit was reached before the tolerance")                                                                      \
    X(STALLED, 4, "no further progress was possible before the tolerance")                                                       \
    X(INFIMUM, 4, "proven to the tolerance, but of an infimum: no minimiser exists, some coefficients grow without end")         \
    X(INTERRUPTED, 130, "stopped by the caller")                                                                                 \
    X(DIVERGED, 7, "the objective rose far above the start, or was not finite; the last iterate before that is kept")

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
    char message[1000]; /* what happened, where (file:line:column if known), what was expected; always terminated */
} spdhg_error;

/* -------------------------------------------------------------------------------------- 1. data, structure, problem */

typedef struct spdhg_data spdhg_data;           /* rows a_i, targets, offsets, weights, names */
typedef struct spdhg_structure spdhg_structure; /* the matrix F */
typedef struct spdhg_problem spdhg_problem;     /* data + loss + terms + set */
typedef struct spdhg_solver spdhg_solver;
typedef struct spdhg_model spdhg_model;     /* what is saved and makes predictions */
typedef struct spdhg_columns spdhg_columns; /* the columns of a table by name, and the features that they become */
typedef struct spdhg_ranks spdhg_ranks;     /* the processes of a parallel program (MPI) that work on one problem together */

typedef enum spdhg_event_kind { SPDHG_EVENT_POINT, SPDHG_EVENT_LOG, SPDHG_EVENT_POLL, SPDHG_EVENT_NOTICE } spdhg_event_kind;

typedef struct spdhg_event {
    spdhg_event_kind kind;
    const struct spdhg_point *point; /* POINT: a trace point was measured; POLL of a solve: only epoch, iteration and seconds are
                                        current; otherwise NULL */
    const char *message;             /* LOG: a sentence, as printed by -v; NOTICE: one for the user */
    double epochs_asked;             /* for a progress bar; 0 if the caller gave no number */
    const char *stage;               /* POLL: what takes its time, "reading", "path", ...; NULL: a solve */
    double part;                     /* of the whole that is done, 0 to 1; 0: not known */
} spdhg_event;

/* Called on the thread that called run, also during long steps. A nonzero result stops the run; the iterate is kept. */
typedef int (*spdhg_callback)(void *user, const spdhg_event *event);

typedef enum spdhg_duplicates { SPDHG_DUPLICATES_ERROR, SPDHG_DUPLICATES_SUM, SPDHG_DUPLICATES_LAST } spdhg_duplicates;

typedef struct spdhg_read_options {
    size_t size;        /* sizeof(spdhg_read_options) */
    const char *format; /* NULL or "auto" (by content), libsvm, csv, matrix-market, cluto, cache */
    const char *label; /* CSV: the target column(s), "NAME[,NAME...]"; NULL: "label", "target", "y", "class" or the last column */
    const char *targets; /* NULL, or a file with an N x K matrix of targets (Matrix Market array, CSV or LIBSVM-less text) */
    int64_t features;    /* at least this many columns; 0: as many as the file has */
    int index_base;      /* LIBSVM: 0, 1, or -1: 0 if an index 0 occurs, else 1 */
    spdhg_duplicates duplicates; /* what to do if an index occurs twice in one row */
    bool unlabelled_ok;          /* rows may come without a label (LIBSVM, Matrix Market; CSV with like or no_label) */
    int threads;                 /* 0: the cores this process may use */
    uint64_t max_memory;         /* SPDHG_MEMORY rather than more bytes than this; 0: than are free */
    const char *names;           /* NULL, or a file with one feature name per line */
    /* The columns of a CSV table. Lists are "NAME[,NAME...]"; NULL: none. */
    const char *columns;     /* use only these as features */
    const char *drop;        /* do not use these */
    const char *id;          /* names the rows; not a feature, kept for predictions */
    const char *categorical; /* categories: a feature for each level. A column whose cells are text is one anyway */
    const char *ordered;     /* categories in an order, "NAME[=LEVEL<LEVEL<...]"; without levels: numbers, ascending */
    const char *reference;   /* "first", "NAME=LEVEL,...": that level of a category has no feature */
    const char
        *missing;       /* cells without a value: "error", "drop" (the row), "mean", "median" (filled, and marked by a feature) */
    const char *unseen; /* with like: a level that the model does not know: "error", "other" (no level's coefficient) */
    const char *weight_column, *offset_column; /* used as weights and offsets if the table has them */
    int header;                                /* 1: the first row has the names; 0: it is data; -1: decided by content */
    bool no_label;                             /* no column is the target */
    const spdhg_columns *like;                 /* make the features of these columns, of a model or other data; matched by name */
    int hash; /* LIBSVM text whose features are words, NAME[:VALUE]: 2^hash features, 1 to 30, found by hashing; 0: numbers */
    spdhg_callback callback; /* told how far reading is (SPDHG_EVENT_POLL); its result is not used */
    void *user;
    int on_disk; /* cache: 1: the entries stay in the file if they would fill more than half of max_memory; 2: always; 0: never */
    uint64_t block_bytes; /* and are read so many bytes at a time; 0: 6 MB */
    const spdhg_ranks
        *ranks; /* cache: each process keeps the entries of its own rows in memory, and no others; NULL: one process */
} spdhg_read_options;
#define SPDHG_READ_OPTIONS                                                                                                       \
    {                                                                                                                            \
        sizeof(spdhg_read_options), NULL, NULL, NULL, 0, -1, SPDHG_DUPLICATES_ERROR, false, 0, 0, NULL, NULL, NULL, NULL, NULL,  \
            NULL, NULL, NULL, NULL, NULL, NULL, -1, false, NULL, 0, NULL, NULL, 0, 0, NULL                                       \
    }

/* Read a file ("-" is standard input), plain or .gz .bz2 .xz .zst; options may be NULL.
 *     spdhg_data_read(&data, "a9a.svm.xz", NULL, &err);
 * SPDHG_IO missing or unreadable; SPDHG_DATA malformed, with file:line:column; SPDHG_MEMORY over the limit. */
SPDHG_API spdhg_status spdhg_data_read(spdhg_data **out, const char *path, const spdhg_read_options *options, spdhg_error *err);

typedef enum spdhg_ownership { SPDHG_COPY, SPDHG_BORROW } spdhg_ownership;

/* Data in memory. CSR: ptr[rows+1], idx ascending in each row and below features, finite values; idx == NULL: dense,
 * row-major, then ptr may be NULL. b is rows x targets. With SPDHG_BORROW the arrays must outlive the data set and
 * are never written. */
SPDHG_API spdhg_status spdhg_data_from_csr(spdhg_data **out, int64_t rows, int64_t features, const int64_t *ptr,
                                           const int32_t *idx, const double *val, const double *b, int64_t targets,
                                           spdhg_ownership ownership, spdhg_error *err);
/* The same by columns: ptr[features+1], row ascending in each column. b is copied. The same bits come out. Solvers that go by
 * columns (lasso, cd-newton and a path with l1 of the coefficients, without standardisation) use those that were given; others,
 * and all with up to two million entries, make rows of them once, 12 bytes for each entry, which stay until the data is freed. */
SPDHG_API spdhg_status spdhg_data_from_csc(spdhg_data **out, int64_t rows, int64_t features, const int64_t *ptr,
                                           const int32_t *row, const double *val, const double *b, int64_t targets,
                                           spdhg_ownership ownership, spdhg_error *err);
/* A column of a table in memory. */
typedef struct spdhg_column {
    const char *name;
    const double *number; /* its cells, NAN: no value; NULL: it is a category */
    const int64_t *code;  /* category: the position of each cell's level, negative: no value */
    const char *const *level;
    int64_t levels;
    bool ordered; /* the levels are in their order, and all of them count, also those that no row has */
    bool text;    /* it was not declared a category: a level for most rows is refused, as it names the rows */
} spdhg_column;

/* Features from a table in memory as spdhg_data_read makes them of a file, without targets. Of the options, columns, drop,
 * reference, missing (but not "drop"), unseen, like and max_memory count. Nothing of the arguments is kept. */
SPDHG_API spdhg_status spdhg_data_from_table(spdhg_data **out, int64_t rows, const spdhg_column *column, int64_t columns,
                                             const spdhg_read_options *options, spdhg_error *err);
/* Says which columns the features of this data set come from, so that its models know; copied. target: the name of the target, or
 * NULL. SPDHG_USAGE: the columns make another number of features. */
SPDHG_API spdhg_status spdhg_data_set_columns(spdhg_data *data, const spdhg_columns *columns, const char *target,
                                              spdhg_error *err);
/* The columns: how many, their names (NULL: past the end), and the column a feature comes from (-1: past the end), with its level
 * if that is a category (otherwise NULL). Texts are valid as long as the columns. */
SPDHG_API int64_t spdhg_columns_count(const spdhg_columns *columns);
SPDHG_API const char *spdhg_columns_name(const spdhg_columns *columns, int64_t column);
SPDHG_API int64_t spdhg_columns_of(const spdhg_columns *columns, int64_t feature, const char **level);
/* Weights w_i >= 0, one per row, not all 0; offsets o, rows x K. Copied. */
SPDHG_API spdhg_status spdhg_data_set_weights(spdhg_data *data, const double *weight, spdhg_error *err);
SPDHG_API spdhg_status spdhg_data_set_offsets(spdhg_data *data, const double *offset, int64_t outputs, spdhg_error *err);
/* Labels that are text: b holds their positions 0..labels-1. Names of the features, one for each. UTF-8; copied. */
SPDHG_API spdhg_status spdhg_data_set_labels(spdhg_data *data, const char *const *text, int64_t labels, spdhg_error *err);
SPDHG_API spdhg_status spdhg_data_set_names(spdhg_data *data, const char *const *name, spdhg_error *err);
/* Write in a format (NULL: by the name's ending, .spd is the cache); atomic. SPDHG_IO on failure. */
SPDHG_API spdhg_status spdhg_data_write(const spdhg_data *data, const char *path, const char *format, spdhg_error *err);
/* The columns of a table that was read, for the option like; NULL: they have no names. Valid as long as the data. */
SPDHG_API const spdhg_columns *spdhg_data_columns(const spdhg_data *data);
SPDHG_API int64_t spdhg_data_rows(const spdhg_data *data);
SPDHG_API int64_t spdhg_data_features(const spdhg_data *data);
SPDHG_API int64_t spdhg_data_nonzeros(const spdhg_data *data);
SPDHG_API void spdhg_data_free(spdhg_data *data);

/* F by specification: identity, chain, trend:ORDER, grid:HxW[xD], edges:FILE, matrix:FILE.mtx; d features. */
SPDHG_API spdhg_status spdhg_structure_new(spdhg_structure **out, const char *spec, int64_t features, spdhg_error *err);
SPDHG_API spdhg_status spdhg_structure_from_csr(spdhg_structure **out, int64_t rows, int64_t features, const int64_t *ptr,
                                                const int32_t *idx, const double *val, spdhg_error *err);

/* Differences along edges: end has two features for each edge, counted from 0; weight NULL: all 1. w > 0: w (x_i -
 * x_j), w < 0: |w| (x_i + x_j), as in the files of edges:FILE. SPDHG_DATA: a repeated edge, a self-loop, or an end
 * or weight out of range. */
SPDHG_API spdhg_status spdhg_structure_from_edges(spdhg_structure **out, int64_t features, int64_t edges, const int64_t *end,
                                                  const double *weight, spdhg_error *err);
/* Levels of categories that belong together: neighbours of ordered levels, all pairs of unordered ones; the reference
 * level counts as 0. columns: of the data. SPDHG_USAGE: there are no categories. */
SPDHG_API spdhg_status spdhg_structure_categories(spdhg_structure **out, const spdhg_columns *columns, spdhg_error *err);
/* chain (order 0) or trend:ORDER of coefficients at these rising positions: divided differences, scaled as in genlasso,
 * which vanish on polynomials of degree ORDER in the position. position NULL: 1, 2, ...; those of a chain do not depend
 * on it. */
SPDHG_API spdhg_status spdhg_structure_trend(spdhg_structure **out, int64_t order, int64_t features, const double *position,
                                             spdhg_error *err);
/* Writes F as a Matrix Market file; atomic. */
SPDHG_API spdhg_status spdhg_structure_write(const spdhg_structure *F, const char *path, spdhg_error *err);
SPDHG_API int64_t spdhg_structure_rows(const spdhg_structure *F);
SPDHG_API double spdhg_structure_norm_bound(const spdhg_structure *F); /* >= ||F||_2 */
SPDHG_API void spdhg_structure_free(spdhg_structure *F);

/* loss: "NAME" or "NAME:ARG" of `spdhg list losses`. Uses all rows of data, which must outlive the problem. */
SPDHG_API spdhg_status spdhg_problem_new(spdhg_problem **out, const spdhg_data *data, const char *loss, spdhg_error *err);
/* Use only these rows (numbers below spdhg_data_rows, copied): folds and splits share the storage. */
SPDHG_API spdhg_status spdhg_problem_rows(spdhg_problem *problem, const int64_t *row, int64_t rows, spdhg_error *err);

typedef struct spdhg_term_options {
    size_t size;              /* sizeof(spdhg_term_options) */
    const double *row_weight; /* one per row of F, >= 0, 0 drops the row; NULL: all 1 */
    int64_t row_weights;      /* how many; must be the rows of F */
    const char *groups;       /* NULL, "size:G", "grid" (differences at one pixel), or a file with a group number per row of F */
    const int64_t *group;     /* or the numbers themselves, one per row of F */
    int64_t group_rows;
} spdhg_term_options;
#define SPDHG_TERM_OPTIONS                                                                                                       \
    { sizeof(spdhg_term_options), NULL, 0, NULL, NULL, 0 }

/* Add a term lambda r(F x). penalty: a name of `spdhg list penalties`. F must outlive the problem. options may be
 * NULL. */
SPDHG_API spdhg_status spdhg_problem_term(spdhg_problem *problem, const char *penalty, const spdhg_structure *F, double lambda,
                                          const spdhg_term_options *options, spdhg_error *err);
/* Sets the lambda of every term to factor times the lambda given to spdhg_problem_term. Works on a frozen problem
 * too, without preparing it again: for a path over lambda. Solvers made before must not run again; make a new one
 * that starts where the last one ended. */
SPDHG_API spdhg_status spdhg_problem_scale_lambda(spdhg_problem *problem, double factor, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_ridge(spdhg_problem *problem, double gamma, spdhg_error *err);
/* on: spdhg_problem_scale_lambda scales gamma too. A path then keeps the ratio of penalty and ridge, as an elastic net does. */
SPDHG_API spdhg_status spdhg_problem_ridge_follows(spdhg_problem *problem, bool on, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_intercept(spdhg_problem *problem, bool on, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_standardize(spdhg_problem *problem, bool on, spdhg_error *err);
/* X: "all", "ball:R", "box:LO,HI", "nonneg", "l1ball:R", "simplex:R". */
SPDHG_API spdhg_status spdhg_problem_set(spdhg_problem *problem, const char *set, spdhg_error *err);
/* "balanced" or "LABEL=W,..."; multiplies the row weights. */
SPDHG_API spdhg_status spdhg_problem_class_weight(spdhg_problem *problem, const char *spec, spdhg_error *err);
SPDHG_API spdhg_status spdhg_problem_allow_one_class(spdhg_problem *problem, bool on, spdhg_error *err);
/* f, its parts and the best intercept at x (features x outputs, on the penalised scale). Freezes the problem. c may
 * be NULL. */
SPDHG_API spdhg_status spdhg_problem_evaluate(spdhg_problem *problem, const double *x, double *c, double *objective,
                                              double *train_loss, double *penalty, spdhg_error *err);
SPDHG_API void spdhg_problem_free(spdhg_problem *problem);

/* ------------------------------------------------------------------------------------------- 2. solver and solution */

/* One measured point of a run: raw values, never the best so far. NAN: not known. */
typedef struct spdhg_point {
    double epoch; /* rows visited / N */
    int64_t iteration;
    double seconds;   /* spent in the solver, without evaluation */
    double objective; /* f at the solver's output */
    double train_loss;
    double penalty; /* sum_t lambda_t r_t(F_t x) */
    double test_loss;
    double test_score; /* accuracy, or R^2 for regression losses */
    double gap;        /* certified: f - f* is at most this; NAN where nothing is proven for all x */
    double dual_norm;  /* ||y|| */
} spdhg_point;

/* norm: rows are drawn in proportion to m + ||a_i||, m the mean of the ||a_i||, and weighted so that gradients stay unbiased. */
typedef enum spdhg_sampling { SPDHG_SAMPLING_IID, SPDHG_SAMPLING_SHUFFLE, SPDHG_SAMPLING_NORM } spdhg_sampling;
#define SPDHG_BATCH_AUTO 0
#define SPDHG_BATCH_DEFAULT (-1)
#define SPDHG_TOL_DEFAULT (-1.0)

typedef struct spdhg_options {
    size_t size;    /* sizeof(spdhg_options) */
    double epochs;  /* passes over the data; 0: no limit (no limit and no tol: auto runs to its tolerance, others 10 epochs) */
    double seconds; /* wall time, set-up included; 0: no limit */
    double tol;     /* stop at this relative certified gap; 0: never. SPDHG_TOL_DEFAULT: auto and exact solvers stop at 1e-6,
                     * the others never, and reaching a limit first is not a failure */
    double every;   /* epochs between trace points; 0: chosen automatically */
    int64_t batch;  /* rows per iteration. SPDHG_BATCH_AUTO: the sample half and the dual half of a step cost about the same.
                     * SPDHG_BATCH_DEFAULT: the solver's own choice, which is 1, or AUTO for saga-pd3o and lsvrg-pd3o */
    spdhg_sampling sampling; /* iid or norm, which the theory covers, or shuffle */
    uint64_t seed;
    int threads;         /* 0: the cores this process may use. The result does not depend on it */
    uint64_t max_memory; /* SPDHG_MEMORY, with the estimate, before the work begins; 0: no limit */
    spdhg_callback callback;
    void *user;
    const char *checkpoint;  /* file to save the running solve to, atomically, at intervals and at the end; NULL: never */
    double checkpoint_every; /* seconds between two checkpoints */
    const char *resume;      /* checkpoint to continue from: the result is that of the uninterrupted run, bit for bit; NULL: none.
                           SPDHG_USAGE, with the reason, if data, problem, solver, parameters, seed or batch changed */
    spdhg_ranks *ranks; /* sums over rows are shared out among these processes: same bits for any number; NULL: one process */
} spdhg_options;
#define SPDHG_OPTIONS                                                                                                            \
    {                                                                                                                            \
        sizeof(spdhg_options), 0, 0, SPDHG_TOL_DEFAULT, 0, SPDHG_BATCH_DEFAULT, SPDHG_SAMPLING_IID, 0, 0, 0, NULL, NULL, NULL,   \
            60, NULL, NULL                                                                                                       \
    }

/* Processes that MPI has started (mpirun, srun) and that all make the same calls with the same data, problem and options.
 * kind: "openmpi" or "mpich", the implementation that started them; NULL: as their environment says. comm: a pointer to an
 * MPI_Comm of a program that has called MPI_Init; NULL: all processes, and MPI is begun and ended here. SPDHG_USAGE: not
 * started by MPI; SPDHG_IO: this build or machine lacks the plug-in. All calls that compute with these ranks must come from one
 * thread. */
SPDHG_API spdhg_status spdhg_ranks_open(spdhg_ranks **out, const char *kind, const void *comm, spdhg_error *err);
SPDHG_API int spdhg_ranks_rank(const spdhg_ranks *ranks); /* this process's number: 0, 1, ...; 0 where ranks is NULL */
SPDHG_API int spdhg_ranks_size(const spdhg_ranks *ranks); /* how many there are; 1 where ranks is NULL */
/* To be called by every process, with its own status, also after a failure: the others learn of it wherever they are. Returns the
 * status of the first that failed, whose message is then in err, or SPDHG_OK. Frees ranks. */
SPDHG_API spdhg_status spdhg_ranks_close(spdhg_ranks *ranks, spdhg_status status, spdhg_error *err);

typedef struct spdhg_solution {
    int64_t features, outputs, dual; /* sizes: x is features x outputs, c outputs, y dual */
    const double *x, *c, *y;         /* x, c on the scale that was penalised (the standardised one if asked for) */
    double objective, train_loss, penalty, gap, gap_relative, gap_radius;
    const char *gap_kind; /* "certified", "within_radius" or "none" */
    double test_loss, test_score, epochs, seconds;
    int64_t iterations, nonzeros /* entries of x */, structure_nonzeros /* entries of Fx */;
    const char *solver;      /* the last stage that ran, never "auto" */
    double x_radius;         /* gamma > 0: the gap proves ||x - x*|| <= this; NAN: not known */
    int64_t certified_signs; /* entries of Fx whose sign is therefore proven to be that of Fx*; 0: none */
} spdhg_solution;

/* solver: a name of `spdhg list solvers`. options are copied, NULL means SPDHG_OPTIONS. The problem is frozen from
 * here on and must outlive the solver. SPDHG_USAGE: unknown name, or a problem this solver does not accept (the
 * message says why). */
SPDHG_API spdhg_status spdhg_solver_new(spdhg_solver **out, const char *solver, spdhg_problem *problem,
                                        const spdhg_options *options, spdhg_error *err);
/* A parameter of the solver, before the first run. SPDHG_USAGE: unknown name or out of range; the message lists what
 * is valid. */
SPDHG_API spdhg_status spdhg_solver_set(spdhg_solver *solver, const char *name, double value, spdhg_error *err);
/* The same with a word as the value: L of spdhg and others may be "expected", "max" or "mean" (docs/theory.md). */
SPDHG_API spdhg_status spdhg_solver_choose(spdhg_solver *solver, const char *name, const char *word, spdhg_error *err);
/* Where to start: x features x outputs, c outputs, y dual entries; each may be NULL (0). Copied. Before the first
 * run. */
SPDHG_API spdhg_status spdhg_solver_start(spdhg_solver *solver, const double *x, const double *c, const double *y,
                                          spdhg_error *err);
/* Held-out rows for test_loss and test_score. They must outlive the solver. */
SPDHG_API spdhg_status spdhg_solver_test(spdhg_solver *solver, const spdhg_data *test, spdhg_error *err);
SPDHG_API spdhg_status spdhg_solver_run(spdhg_solver *solver, spdhg_outcome *outcome, spdhg_error *err);
/* Valid until the next run or free. */
SPDHG_API const spdhg_solution *spdhg_solver_solution(const spdhg_solver *solver);
SPDHG_API const spdhg_point *spdhg_solver_trace(const spdhg_solver *solver, int64_t *points);
/* Writes the proof of the solution's gap as a JSON file: problem, x, c, and the dual point that bounds f from below;
 * atomic. Checking it requires no trust in this library: bench/check-certificate does so against the data in exact
 * arithmetic, and docs/certificate.md has the format. The gap is proven again for the file and can be smaller than
 * the solution's. SPDHG_USAGE: before a run; SPDHG_NUMERICAL: nothing is proven; SPDHG_IO.
 *     spdhg_solver_certificate(solver, "proof.json", &err); */
SPDHG_API spdhg_status spdhg_solver_certificate(spdhg_solver *solver, const char *path, spdhg_error *err);
SPDHG_API void spdhg_solver_free(spdhg_solver *solver);

/* How far any x can be from the optimum: f(x) - f* <= gap if kind is "certified". y: any dual point (a better one
 * gives a smaller gap); NULL: 0. c receives the best intercept; may be NULL. Freezes the problem. Sizes and scale as
 * in spdhg_solver_start. */
typedef struct spdhg_gap {
    double gap, relative, radius; /* NAN: not known; radius: for "within_radius" */
    const char *kind;             /* "certified", "within_radius" or "none" */
    double objective, train_loss, penalty;
} spdhg_gap;
SPDHG_API spdhg_status spdhg_duality_gap(spdhg_problem *problem, int threads, const double *x, double *c, const double *y,
                                         spdhg_gap *out, spdhg_error *err);

/* --------------------------------------------------------------------------------------------------------- 3. model */

/* A model: coefficients on the original scale, label map, index base, names, how it was made. JSON on disk. Columns
 * far from 0 compared with their range are centred internally, so scores are accurate even where c, the negative of a
 * large sum, has few digits. */
SPDHG_API spdhg_status spdhg_model_from_solver(spdhg_model **out, const spdhg_solver *solver, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_read(spdhg_model **out, const char *path, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_write(const spdhg_model *model, const char *path, spdhg_error *err);
/* The columns the model was fitted to, for the option like of spdhg_data_read; NULL: they have no names. Valid as long
 * as the model. */
SPDHG_API const spdhg_columns *spdhg_model_columns(const spdhg_model *model);
SPDHG_API int64_t spdhg_model_outputs(const spdhg_model *model);
SPDHG_API int64_t spdhg_model_features(const spdhg_model *model);
/* Expected targets, rows x outputs, from scores: the scores themselves for most losses. SPDHG_USAGE for labels. mean may
 * be scores. */
SPDHG_API spdhg_status spdhg_model_means(const spdhg_model *model, int64_t rows, const double *scores, double *mean,
                                         spdhg_error *err);
/* Class probabilities, rows x classes, from scores. SPDHG_USAGE if the loss models none (logistic and softmax do). */
SPDHG_API spdhg_status spdhg_model_probabilities(const spdhg_model *model, int64_t rows, const double *scores,
                                                 double *probability, spdhg_error *err);
/* Linear scores a'x + c (+ o), rows x outputs. Features the model does not know are ignored; indices start where the
 * model's do. */
SPDHG_API spdhg_status spdhg_model_scores(const spdhg_model *model, const spdhg_data *data, double *scores, spdhg_error *err);
SPDHG_API void spdhg_model_free(spdhg_model *model);

/* ---------------------------------------------------------------------------------------------- 4. path over lambda */

/* The smallest factor of spdhg_problem_scale_lambda at which some x with F_t x = 0 for all terms is optimal. If
 * every term has lambda 1, this is the smallest such lambda. It is proven to lie in [*lower, *upper], and upper -
 * lower is at most 1e-6 upper; SPDHG_NUMERICAL: that could not be reached. x and c (each may be NULL) receive that
 * solution. Freezes the problem; its lambdas do not change. X must be all of R^d (SPDHG_USAGE). If the loss has no
 * minimiser among these x (separable data), both bounds are +INFINITY, the status is SPDHG_OK and err->message
 * explains it. */
SPDHG_API spdhg_status spdhg_lambda_max(spdhg_problem *problem, int threads, double *lower, double *upper, double *x, double *c,
                                        spdhg_error *err);

/* Solutions from lambda_max downwards, each started from the one before and proven to the tolerance;
 * cross-validation; the choice of one lambda. */
typedef struct spdhg_path spdhg_path;

typedef struct spdhg_path_options {
    size_t size;       /* sizeof(spdhg_path_options) */
    int64_t lambdas;   /* how many, evenly spaced on a logarithmic scale */
    double ratio;      /* smallest over largest; 0: 1e-4 for more rows than features, else 1e-2 */
    double lambda_max; /* the largest lambda; 0: that of spdhg_lambda_max */
    double saturation; /* stop when this fraction of the loss at the largest lambda is explained, or when a step explains at most
                          1e-5 more; 0: never */
    int64_t folds;     /* of the cross-validation; 0: none */
    int64_t repeats;   /* cross-validations with different folds, averaged */
    const int64_t *group; /* one per row of the problem: rows of a group stay in one fold; NULL: folds are balanced by class */
    const int64_t *fold;  /* or the fold of each row, 0..folds-1 (then repeats is 1); NULL: chosen by the seed */
    const char
        *choose; /* loss, accuracy, auc (by cross-validation), aic, bic, ebic, cp (squared loss, noise known); none: the last
                             point counts as chosen, and there is no spdhg_path_solver unless spdhg_path_choose makes one */
    const char
        *rule; /* "1se": the largest lambda within one standard error of the best; "min": the best. aic, bic, ebic, cp: always
                         the best */
    const char *solver;
    const struct spdhg_graph_options *learn; /* how the F of the first term was learned: it is learned again from the training
                                                rows of every fold; NULL: F is the same in all */
    double noise;                            /* cp: standard deviation of a target of weight 1 around its mean */
    const double *lambda;    /* these lambdas (`lambdas` of them, decreasing, at least 0), all of them; ratio, lambda_max and
                             saturation are then not used. NULL: chosen as above */
    const signed char *part; /* splits of any kind instead of folds: folds x rows, 0: the row is trained on, 1: held out,
                                -1: neither (then repeats is 1); NULL: folds */
    bool keep_folds;         /* keep the coefficients of every fold, for spdhg_path_fold_coefficients */
} spdhg_path_options;
#define SPDHG_PATH_OPTIONS                                                                                                       \
    { sizeof(spdhg_path_options), 100, 0, 0, 0.999, 5, 1, NULL, NULL, "loss", "1se", "auto", NULL, 0, NULL, NULL, false }

typedef struct spdhg_path_point {
    double lambda, objective, train_loss, penalty, gap_relative, seconds;
    double explained;      /* 1 - train_loss / train_loss at the largest lambda */
    double degrees;        /* degrees of freedom: dimension of the set of x with these zeros of Fx; NAN for linf and nuclear,
                              and if the zeros are not settled (choose aic, bic, ebic or cp: the solver goes on until they are) */
    double aic, bic, ebic; /* NAN where degrees is */
    int64_t nonzeros, structure_nonzeros;
    spdhg_outcome outcome;                        /* of the solve with all rows */
    double loss, accuracy, auc;                   /* means over the folds, rows by weight; NAN: not known */
    double loss_error, accuracy_error, auc_error; /* standard errors of these means */
    int64_t unconverged;                          /* solves in folds that did not reach the tolerance */
    /* Mallows' Cp, which is Stein's estimate of the squared error (1/W) sum_i w_i (z_i - E b_i)^2; NAN: noise not known */
    double cp;
    double gap;           /* f(x, c) at this lambda is at most so much above the least f; INFINITY: nothing is proven */
    const char *gap_kind; /* as in spdhg_solution */
    double gap_radius;    /* within_radius: the gap is proven for ||x|| up to this only; NAN: for all x, or nothing is proven */
} spdhg_path_point;

/* Computes the whole path. If the terms have lambda 1, the path's lambda is the lambda of each term; otherwise it is
 * a factor. solve: tolerance (0: 1e-6), seed, threads, callback (also called from other threads, one at a time),
 * epochs of each solve, seconds in total. Either struct may be NULL. The result does not depend on the number of
 * threads. With solve.ranks folds are dealt out: all processes, each with all of the data, make the same call and have the
 * points with their scores; the first one also has the coefficients and the solver. SPDHG_USAGE: no lambda_max was given, and
 * for this problem it is infinite or not known. */
SPDHG_API spdhg_status spdhg_path_new(spdhg_path **out, spdhg_problem *problem, const spdhg_path_options *options,
                                      const spdhg_options *solve, spdhg_error *err);
SPDHG_API const spdhg_path_point *spdhg_path_points(const spdhg_path *path, int64_t *points); /* by decreasing lambda */
/* Coefficients and intercept of a point, on the scale that was penalised. */
SPDHG_API const double *spdhg_path_coefficients(const spdhg_path *path, int64_t point, const double **c);
/* CONVERGED: every solve with all rows did; LIMIT: some did not; INTERRUPTED: only the points so far, not
 * cross-validated; the best is then that of bic, if degrees are known. */
SPDHG_API spdhg_outcome spdhg_path_outcome(const spdhg_path *path);
SPDHG_API int64_t spdhg_path_best(const spdhg_path *path); /* the point with the best value of the criterion */
/* The choice of the one-standard-error rule; the best point if there are no standard errors. */
SPDHG_API int64_t spdhg_path_one_se(const spdhg_path *path);
SPDHG_API int64_t spdhg_path_chosen(const spdhg_path *path); /* the choice of options.rule */
/* The criterion's value at a point, with its sign such that smaller is better: to compare paths. */
SPDHG_API double spdhg_path_value(const spdhg_path *path, int64_t point);
/* Makes another point the best and the chosen one, and solves there again with all rows. */
SPDHG_API spdhg_status spdhg_path_choose(spdhg_path *path, int64_t point, spdhg_error *err);
/* Scores of fold 0, 1, ... (repeat 0 first): points x 3 numbers, which are loss, accuracy and auc of the held-out rows (NAN: not
 * known), and the weight of these rows. NULL after the last fold, and if there was no cross-validation. */
SPDHG_API const double *spdhg_path_fold_scores(const spdhg_path *path, int64_t fold, double *weight);
/* The fold, 0..folds-1, that holds out each row of the problem in a repeat. NULL: no cross-validation, or by options.part. */
SPDHG_API const int32_t *spdhg_path_held_out(const spdhg_path *path, int64_t repeat);
/* Coefficients and intercept of a fold at a point, if options.keep_folds was set (else NULL): as spdhg_path_coefficients. */
SPDHG_API const double *spdhg_path_fold_coefficients(const spdhg_path *path, int64_t fold, int64_t point, const double **c);
/* The solver at the chosen lambda, run on all rows, for spdhg_model_from_solver. The path owns it. */
SPDHG_API spdhg_solver *spdhg_path_solver(spdhg_path *path);
SPDHG_API void spdhg_path_free(spdhg_path *path);

/* ------------------------------------------------------------------------------------------------------ 5. denoising */

/* A signal, an image or a function on a graph, in which every value is a coefficient and is seen by itself.
 *     minimise over x    (1/W) sum_i w_i phi(x_i, y_i) + lambda r(F x),   sums over the values that are there, W = sum_i w_i
 * lambda belongs to the mean loss, as everywhere here; lambda_sum = W lambda is that of the sum, which genlasso, glmgen and
 * scikit-image take. On a line (chain, trend:ORDER) values that are missing are left out, the divided differences bridge the gap,
 * and each is filled by the polynomial of degree ORDER through the fitted values around it; on a grid or a graph F fills them. */
typedef struct spdhg_denoised spdhg_denoised;

typedef struct spdhg_signal {
    int64_t points;
    const double *value;      /* NAN: missing */
    const double *position;   /* of a line, in any order; NULL: 1, 2, ... Differences of a chain do not depend on it */
    const double *weight;     /* >= 0, 0: as if missing; NULL: all 1 */
    const spdhg_structure *F; /* over all points; NULL: as the options say */
} spdhg_signal;

typedef struct spdhg_denoise_options {
    size_t size;           /* sizeof(spdhg_denoise_options): lets the struct grow */
    const char *structure; /* "chain", "trend:ORDER", "grid:HxW[xD]", "edges:FILE" or "matrix:FILE.mtx" */
    const char *loss;      /* a loss of numbers */
    bool isotropic;        /* grid: r is the sum of the lengths of the gradients at the pixels, not of their entries */
    double lambda;         /* SPDHG_LAMBDA_CHOSEN: along a path */
    const char *choose;    /* "cv", "cp" (noise is known), "aic", "bic" or "ebic" */
    const char *rule;      /* of cv: "min" or "1se" */
    double noise;          /* standard deviation of a value of weight 1 */
    int64_t folds;         /* of cv. On a line every folds-th point is held out, never the first or the last, and judged by the
                              line between its neighbours, at the same lambda_sum (genlasso's cv.trendfilter); on a grid every
                              folds-th of a lattice; on a graph every folds-th node */
    int64_t lambdas;       /* of the path, evenly spaced in their logarithms; it ends where half of the values are free */
    double ratio;          /* smallest over largest lambda */
    const char *solver;
} spdhg_denoise_options;
#define SPDHG_LAMBDA_CHOSEN (-1.0)
#define SPDHG_DENOISE_OPTIONS                                                                                                    \
    { sizeof(spdhg_denoise_options), "chain", "squared", false, SPDHG_LAMBDA_CHOSEN, "cv", "min", 0, 5, 60, 1e-6, "auto" }

typedef struct spdhg_segment {
    int64_t first, last, points; /* numbers of its ends in the signal, from 0; how many of its values are there */
    double start, end, level;    /* positions of its ends */
} spdhg_segment;

typedef struct spdhg_denoised_view {
    int64_t points, observed;
    const double *x; /* points: fitted, or filled in */
    double lambda, lambda_sum;
    double objective, train_loss, penalty, gap, gap_relative; /* of the solve at lambda */
    const char *gap_kind, *solver;
    spdhg_outcome outcome;
    double degrees;      /* of freedom; NAN: not known */
    bool settled;        /* the zeros of F x are those of the optimum */
    int64_t differences; /* nonzero entries of F x */
    int64_t knots;       /* on a line: points where a new piece begins, or that a trend bends at, in order of position */
    const int64_t *knot;
    int64_t segments; /* of a chain: where it is constant, in order of position */
    const spdhg_segment *segment;
    const spdhg_path *path; /* lambda was chosen along it; NULL: it was given */
} spdhg_denoised_view;

/* options and solve may be NULL. SPDHG_DATA: values, positions or weights that do not fit; SPDHG_USAGE: options.
 *     spdhg_denoise(&out, &(spdhg_signal){.points = n, .value = y}, NULL, NULL, &err); */
SPDHG_API spdhg_status spdhg_denoise(spdhg_denoised **out, const spdhg_signal *signal, const spdhg_denoise_options *options,
                                     const spdhg_options *solve, spdhg_error *err);
SPDHG_API void spdhg_denoised_get_view(const spdhg_denoised *denoised, spdhg_denoised_view *out);
SPDHG_API void spdhg_denoised_free(spdhg_denoised *denoised);

/* --------------------------------------------------------------------------------------- 6. graph learned from data */

typedef struct spdhg_graph_options {
    size_t size;        /* sizeof(spdhg_graph_options) */
    const char *method; /* "quic", "alm", "neighbourhood", "correlation" or "knn"; see `spdhg list methods` */
    const char *form;   /* rows of F: "edge" x_i - sign x_j, "edge+I", "skew" (d x d, 0 and +-1); or "precision": Theta itself */
    const char *choose; /* how rho is found when it is 0: "auto", "edges", "ebic" or "stars" */
    double rho;         /* weight of |Theta_ij|, or the threshold of a correlation; 0: see choose */
    int64_t edges;      /* "edges": this many, or the next smaller number that some rho gives */
    int64_t neighbours; /* "knn": neighbours of each feature */
    int64_t max_component;   /* "auto": the largest component allowed, in features */
    double tol;              /* stop at a duality gap of tol times the features of a component */
    double threshold;        /* entries with |Theta_ij| <= threshold are not edges */
    bool covariance;         /* use covariances instead of correlations */
    bool penalize_diagonal;  /* penalise Theta_ii too */
    bool both;               /* neighbourhood: an edge needs both ends to choose it, not one */
    uint64_t seed;           /* "stars": seed of the subsamples */
    int threads;             /* 0: the cores this process may use. The result does not depend on it */
    uint64_t max_memory;     /* SPDHG_MEMORY rather than more bytes than this for a component; 0: no limit */
    spdhg_callback callback; /* asked (SPDHG_EVENT_POLL) before every step of quic and alm, from any thread; nonzero: they end
                                with what they have reached, and report.converged is false */
    void *user;
} spdhg_graph_options;
#define SPDHG_GRAPH_OPTIONS                                                                                                      \
    { sizeof(spdhg_graph_options), "quic", "edge", "auto", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL }

enum { SPDHG_HUBS = 10 };
typedef struct spdhg_graph_report {
    int64_t rows, nodes, edges;
    int64_t components;                                    /* with at least two features */
    int64_t largest;                                       /* features of the largest component */
    int64_t isolated;                                      /* features without an edge */
    int64_t constant;                                      /* features whose correlations are undefined; they have no edge */
    int64_t hubs, hub[SPDHG_HUBS], hub_degree[SPDHG_HUBS]; /* features with the highest degrees, counted from 0 */
    double mean_degree;                                    /* over the features that have an edge */
    double rho;                                            /* NAN for knn */
    double norm, norm_bound;                               /* ||F||: a lower bound by power iterations, and an upper bound */
    double objective, gap;         /* for the precision matrix, summed over components; NAN for other methods */
    int64_t iterations;            /* largest number over the components */
    bool converged;                /* every component reached tol; true for methods without a gap */
    double seconds, solve_seconds; /* total; processor time in QUIC or ALM at the final rho, summed over components */
} spdhg_graph_report;

/* Learns F from some rows of the data (row NULL: all) without looking at labels. options NULL: SPDHG_GRAPH_OPTIONS;
 * report may be NULL.
 *     spdhg_structure_learn(&F, data, NULL, 0, NULL, &report, &err);
 * A graph without edges is not an error; F then has no rows (form "edge"). SPDHG_DATA: fewer than two rows or only
 * constant features; SPDHG_USAGE: an option out of range, or a rho at which a component is too large for the method. */
SPDHG_API spdhg_status spdhg_structure_learn(spdhg_structure **out, const spdhg_data *data, const int64_t *row, int64_t rows,
                                             const spdhg_graph_options *options, spdhg_graph_report *report, spdhg_error *err);

/* ----------------------------------------------------------------------------------------------- 7. race of solvers */

/* Compares solvers on data sets by the SPDHG paper's protocol or by a fair one. There are two tasks. gglr: mean loss
 * + lambda r(F x); ggrlr: the same + (gamma/2)||x||^2. Every repeat has its own split, its own certified optimum
 * and, if F is learned (from the training rows), its own F. All solvers get the same rows, start, sampling stream,
 * clock and evaluation. The clock of a run is the processor time of its one thread, without evaluation. Exact solvers and
 * auto, whose steps are many passes, run until their gap is proven and are compared at the median time of the others. */
typedef struct spdhg_race_event {
    const char *data, *task, *solver; /* what has ended; NULL: nothing, this call only asks whether to stop */
    int64_t repeat;
    const char *what;    /* "done", "time-out", "diverged", "refused", "failed", "tuned", "optimum" */
    const char *message; /* a sentence, or NULL */
    double part;         /* fraction of the work that is done, 0 to 1 */
    double seconds_left; /* NAN: not known yet */
} spdhg_race_event;
/* Called from any thread, one at a time. A nonzero result stops the race; the same call later continues it. */
typedef int (*spdhg_race_callback)(void *user, const spdhg_race_event *event);

typedef struct spdhg_race_options {
    size_t size;          /* sizeof(spdhg_race_options) */
    const char *tasks;    /* "gglr,ggrlr" or one of them */
    const char *solvers;  /* names of `spdhg list solvers`, separated by commas */
    const char *protocol; /* "paper": spdhg's parameters by theory with L = max, the others' tuned by cross-validation on the
                             training rows by held-out loss; "theory": the same with L of Assumption 1; "fair": all tuned, by
                             the objective reached */
    const char *preset;   /* NULL, or "matlab": spdhg and lpdhg as in the published scripts, rows shuffled, 1 repeat */
    bool quick;           /* 3 repeats, 3 epochs, 10 s per run, tuning on a fifth of the rows, unless set below */
    int64_t repeats;      /* 0: 10 */
    double epochs;        /* 0: 10 */
    double every;         /* epochs between measured points */
    double run_time;      /* seconds a run may take; 0: 300 */
    int64_t time_outs;    /* if this many of a solver's first repeats time out, the others are not started; if this many of its
                             first grid points are too slow, the rest are not tried; 0: no such limit */
    double test_fraction; /* fraction of the rows that is held out */
    double tune_fraction; /* fraction of the training rows used for tuning; 0: 1 */
    int64_t tune_folds;   /* folds of the cross-validation that tunes */
    const char *tune_by;  /* "loss" of held-out rows or "objective" reached; NULL: by the protocol */
    const char *loss, *penalty, *groups, *structure, *set, *class_weight; /* structure: {} stands for the name of the data set */
    const char *weights, *offset, *penalty_weights;                       /* files, or NULL */
    double lambda, gamma, also_sparse;
    bool intercept, standardize, allow_one_class;
    int64_t batch; /* as in spdhg_options */
    spdhg_sampling sampling;
    uint64_t seed;       /* repeat r is what spdhg fit --seed (seed + r) --test-fraction sees */
    int jobs;            /* runs at the same time; 0: the cores this process may use. The results do not depend on it */
    uint64_t max_memory; /* of a run, as in spdhg_options */
    const spdhg_read_options *read;
    const char *command; /* the command line, kept in the summary; may be NULL */
    spdhg_race_callback callback;
    void *user;
    const char *reuse; /* NULL, or the folder of a race whose settings differ only in the tuning: a run done there with the same
                          parameters is taken over with its times instead of being repeated */
} spdhg_race_options;
#define SPDHG_RACE_SOLVERS                                                                                                       \
    "spdhg,spdhg-sc1,spdhg-sc2,lpdhg,sadmm,opg-admm,rda-admm,fsadmm,ada-sadmm-diag,ada-sadmm-full,saga-pd3o,auto"
#define SPDHG_RACE_OPTIONS                                                                                                       \
    {                                                                                                                            \
        .size = sizeof(spdhg_race_options), .tasks = "gglr,ggrlr", .solvers = SPDHG_RACE_SOLVERS, .protocol = "paper",           \
        .every = 0.25, .test_fraction = 0.2, .tune_folds = 2, .loss = "logistic", .penalty = "l1", .structure = "learned",       \
        .set = "all", .lambda = 1e-5, .gamma = 1e-2, .batch = SPDHG_BATCH_DEFAULT                                                \
    }

/* Runs the race in `folder`, which is created if needed: summary.json, summary.csv, NAME.TASK.csv (traces),
 * NAME.TASK.model.json, NAME.structure.mtx, and runs/, from which the same call continues after a crash. data: file
 * names; NAME is the file name without its endings. DONE; INTERRUPTED: the callback asked to stop. SPDHG_USAGE:
 * another race is running in that folder, or it has other settings. */
SPDHG_API spdhg_status spdhg_race(const char *const *data, int64_t count, const char *folder, const spdhg_race_options *options,
                                  spdhg_outcome *outcome, spdhg_error *err);

/* ------------------------------------------------------------------------------- 8. a loss or a penalty of your own */

/* A loss phi(z, b). Scalar losses fill the first four functions and act on every output by itself; a loss that
 * couples the K outputs (softmax) fills the _k ones; b is then the class number 0..K-1. arg is the number ARG of
 * NAME:ARG. */
typedef struct spdhg_loss {
    const char *name, *help;
    bool classify;                   /* labels are mapped: two sorted values to -1, +1; softmax: to 0..K-1 */
    double arg, arg_min, arg_max;    /* default and range of ARG; arg_max < arg_min: the loss has no argument */
    double (*curvature)(double arg); /* kappa: bound on phi'' (on the largest eigenvalue for _k losses); INFINITY: none */
    double (*value)(double z, double b, double arg);
    double (*slope)(double z, double b, double arg);  /* phi' */
    double (*second)(double z, double b, double arg); /* phi'' (any element of its generalised derivative) */
    double (*conjugate)(double alpha, double b,
                        double arg); /* phi*(alpha) = max_z alpha z - phi(z); +INFINITY outside its domain */
    double (*slack)(double alpha, double b,
                    double arg); /* distance of alpha to the boundary of phi*'s domain, or less; NULL: infinite */
    double (*value_k)(const double *z, int64_t K, double b);
    void (*slope_k)(const double *z, int64_t K, double b, double *slope);
    void (*second_k)(const double *z, int64_t K, double b, const double *p, double *hp); /* hp = phi''(z) p */
    double (*conjugate_k)(const double *alpha, int64_t K, double b);
    /* Properties; each may be left out. */
    bool quadratic;      /* phi*(alpha) = b alpha + alpha^2/(2 kappa) wherever it is finite; kappa = INFINITY: it is linear there,
                            and phi has a corner at z = b */
    bool falls_for_ever; /* if phi never rises in a direction of z, it has no minimum there: it falls forever */
    bool steady;         /* |phi'''| <= phi'': the curvature grows at most e times when z moves by 1 */
    double (*bracket)(double z, double b, double alpha,
                      double arg);                    /* phi(z) + phi*(alpha) - alpha z without cancellation; NULL: the sum */
    double (*mean)(double z, double arg);             /* the target expected at z; NULL: z */
    const char *(*wrong_target)(double b);            /* NULL, or what was expected instead of b; NULL: any target will do */
    double (*chance)(double z, double b, double arg); /* probability of label b; NULL: phi models none */
    void (*chance_k)(const double *z, int64_t K, double *chance); /* of every class; then phi' = chance - e_b and
                                                                     phi'' = diag(chance) - chance chance' */
} spdhg_loss;

/* Replaces the problem's loss; *loss must outlive the problem. arg is ignored if the loss has no argument. */
SPDHG_API spdhg_status spdhg_problem_loss(spdhg_problem *problem, const spdhg_loss *loss, double arg, spdhg_error *err);

/* Rows of F x whose y constrain each other: every row (its K outputs together), the groups given with the term (a row for K > 1
 * without groups), or all rows (the groups if given). */
typedef enum spdhg_block { SPDHG_BLOCK_ROW, SPDHG_BLOCK_GROUP, SPDHG_BLOCK_WHOLE } spdhg_block;

/* Which entries of F x vanish together at a minimiser. NONE claims nothing and is always right. NUMBER: entry i is 0 exactly
 * where |y_i| < lambda. BLOCK: the block is 0 exactly where ||y||_2 < lambda. */
typedef enum spdhg_zeros { SPDHG_ZEROS_NONE, SPDHG_ZEROS_NUMBER, SPDHG_ZEROS_BLOCK } spdhg_zeros;

/* A penalty r(z) = max { <y,z> : y in Y } on one block z of rows x K numbers, row-major; Y is closed, convex, bounded and
 * contains 0. The functions get the penalty itself, so that `data` can hold what they need. They are called from several
 * threads at once, with memory of their own (work doubles). A proof of optimality is as true as these functions: polar and value
 * within `units`, inner not too large, radius not too small. docs/certificate.md says what is made of them. */
typedef struct spdhg_penalty spdhg_penalty;
struct spdhg_penalty {
    const char *name, *help;
    const void *data; /* yours; not read by the library */
    spdhg_block block;
    bool groups_ok; /* accepts groups */
    double units;   /* value and polar are accurate to this many units of 2^-53, relatively; 0: as a sum over the block is */
    double (*value)(const spdhg_penalty *r, int64_t rows, int64_t K, const double *z, double *work); /* r(z) */
    void (*project)(const spdhg_penalty *r, int64_t rows, int64_t K, double lambda, double *y,
                    double *work); /* y becomes the nearest point of lambda Y */
    double (*polar)(const spdhg_penalty *r, int64_t rows, int64_t K, const double *y,
                    double *work);                                     /* smallest t >= 0 with y in t Y; INFINITY: none */
    double (*radius)(const spdhg_penalty *r, int64_t rows, int64_t K); /* max ||y||_2 over Y, or more */
    double (*inner)(const spdhg_penalty *r, int64_t rows, int64_t K); /* every y with ||y||_2 <= inner is in Y; 0: none need be */
    int64_t (*work)(const spdhg_penalty *r, int64_t rows, int64_t K); /* doubles of work; NULL: 0 */
    /* Properties; each may be left out. At most one of the four forms. */
    bool sum_of_sizes;    /* r(z) = sum |z_i| */
    bool length;          /* r(z) = ||z||_2 */
    bool largest_size;    /* r(z) = max |z_i| */
    bool singular_values; /* r(z) = sum of the singular values of z, rows x K: the length of z if either is 1 */
    spdhg_zeros zeros;
    void (*project_derivative)(
        const spdhg_penalty *r, int64_t rows, int64_t K, double lambda, const double *v, const double *dir, double *out,
        double *work); /* out = DPi(v) dir, the (generalised) derivative of the projection at v; out may be dir */
};

/* spdhg_problem_term with a penalty of your own; *penalty must outlive the problem. */
SPDHG_API spdhg_status spdhg_problem_own_term(spdhg_problem *problem, const spdhg_penalty *penalty, const spdhg_structure *F,
                                              double lambda, const spdhg_term_options *options, spdhg_error *err);

/* ------------------------------------------------------------------- 9. for bindings: views, models as text, tables */

/* The arrays of a data set, which owns them; NULL where it has none. */
typedef struct spdhg_data_view {
    int64_t rows, features, nonzeros, targets, offsets, labels;
    const int64_t *ptr; /* rows + 1; NULL: dense, row-major */
    const int32_t *idx;
    const double *val, *b, *weight, *offset;
    const int64_t *group; /* qid of each row */
    const char *const *label, *const *name;
} spdhg_data_view;
SPDHG_API void spdhg_data_get_view(const spdhg_data *data, spdhg_data_view *out);

/* The rows of F, which owns them; ptr, idx and val NULL: the identity. */
typedef struct spdhg_structure_view {
    int64_t rows, features;
    const int64_t *ptr;
    const int32_t *idx;
    const double *val;
    const char *spec;
} spdhg_structure_view;
SPDHG_API void spdhg_structure_get_view(const spdhg_structure *F, spdhg_structure_view *out);

/* Sizes and scaling of a problem, which owns the arrays. Freezes it. */
typedef struct spdhg_problem_view {
    int64_t rows, features, outputs, dual, classes; /* dual: entries of y */
    const double *class_value;                      /* raw labels, sorted; NULL for regression */
    const double *scale; /* each column was divided by this; penalised x = scale * original x; NULL: not scaled */
} spdhg_problem_view;
SPDHG_API spdhg_status spdhg_problem_get_view(spdhg_problem *problem, spdhg_problem_view *out, spdhg_error *err);

/* The contents of a model, which owns them; class_text, name: NULL if there are none. */
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
SPDHG_API void spdhg_model_get_view(const spdhg_model *model, spdhg_model_view *out);
/* Replaces the coefficients by finite ones (NULL: unchanged). Copied. */
SPDHG_API spdhg_status spdhg_model_change(spdhg_model *model, const double *x, const double *c, spdhg_error *err);
/* The text that spdhg_model_write writes, and back; free it with spdhg_text_free. */
SPDHG_API spdhg_status spdhg_model_to_text(const spdhg_model *model, char **text, spdhg_error *err);
SPDHG_API spdhg_status spdhg_model_from_text(spdhg_model **out, const char *text, size_t size, spdhg_error *err);
SPDHG_API void spdhg_text_free(char *text);

/* Tables of names, defaults and help, for programs that offer a choice. All texts are static. */
typedef enum spdhg_kind { SPDHG_KIND_FLAG, SPDHG_KIND_NUMBER, SPDHG_KIND_WHOLE, SPDHG_KIND_TEXT, SPDHG_KIND_FILE } spdhg_kind;

typedef struct spdhg_param {
    const char *name;
    double value, min, max; /* default (NAN: "by rule", the help says which) and range */
    const char *help;
} spdhg_param;

typedef struct spdhg_entry {
    const char *name, *help, *reference; /* reference: the paper of a solver; NULL */
    spdhg_kind kind;                     /* of its value; FLAG: has none */
    bool classify;                       /* a loss: its targets are labels, not numbers */
    bool probabilities;                  /* a loss that models the probability of each label */
    const char *argument;                /* placeholder of its value, such as "NUMBER"; NULL: none */
    const char *topic;                   /* the values are the names of this topic; NULL: no topic */
    const char *text;                    /* default, if not a number; NULL: none, or described in the help */
    double value, min, max;              /* default of a number or flag, and its range; NAN: none */
    const spdhg_param *param;            /* of a solver */
    int64_t params;
    bool stochastic; /* a solver that draws the rows of each step: which ones depends on how many there are */
} spdhg_entry;

/* Topics 0, 1, ...: losses, penalties, structures, sets, solvers, formats, kinds, methods; NULL after the last. */
SPDHG_API const char *spdhg_topic(int64_t at);
/* Entry `at` of a topic; false after the last:
 *     for (int64_t i = 0; spdhg_list("solvers", i, &entry); i++) puts(entry.name); */
SPDHG_API bool spdhg_list(const char *topic, int64_t at, spdhg_entry *out);
/* The same for the options of the command. group: problem, solve, path, graph, race, denoise or data. */
SPDHG_API bool spdhg_option(const char *group, int64_t at, spdhg_entry *out);

#ifdef __cplusplus
}
#endif
#endif

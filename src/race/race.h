/* race.h - shared by the files of a race: settings, the data set in progress, results. Private to this room. */
#ifndef SPD_RACE_H
#define SPD_RACE_H
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "model/json_file.h"
#include "reader/read.h"
#include "run/run.h"
#include "trace/trace.h"
#include "tune/recipe.h"

enum { SPD_RACE_FORM = JSON_INDENT(1) | JSON_REAL_PRECISION(17) }; /* of its JSON files */

enum { SPD_RACE_SOLVERS_MAX = 40, SPD_RACE_PARAMS_MAX = 4, SPD_RACE_TASKS = 2, SPD_RACE_LEVELS = 6, SPD_GRID_MAX = 18 + 6 };
extern const char *const spd_race_task_name[SPD_RACE_TASKS]; /* gglr, ggrlr */
extern const char *const spd_race_sampling_word[];           /* in the order of spdhg_sampling */
extern const double spd_race_level[SPD_RACE_LEVELS];         /* levels of relative suboptimality */

/* How a run ended: X(name, word). */
#define SPD_RACE_STATUS_LIST(X)                                                                                                  \
    X(DONE, "done") X(TIME_OUT, "time-out") X(DIVERGED, "diverged") X(REFUSED, "refused") X(FAILED, "failed")
typedef enum spd_race_status {
#define X(name, word) SPD_RACE_##name,
    SPD_RACE_STATUS_LIST(X)
#undef X
        SPD_RACE_STATUSES
} spd_race_status;
extern const char *const spd_race_status_word[SPD_RACE_STATUSES];

typedef struct spd_race_param {
    const char *name;
    double value;
} spd_race_param;

typedef struct spd_race_params {
    int count;
    spd_race_param param[SPD_RACE_PARAMS_MAX];
} spd_race_params;

/* A different build may learn a different structure, and hence a different problem. A run belongs to an optimum if the hashes of
 * their problems are equal. 0: not known. */
typedef struct spd_race_run {
    bool known;
    bool by_seconds; /* of an exact solver: compared by seconds, so that all its points are kept */
    uint64_t problem;
    spd_race_status status;
    char message[sizeof((spdhg_error *)0)->message]; /* "": none */
    spd_trace trace;
} spd_race_run;

typedef struct spd_race_optimum {
    bool known, certified;
    uint64_t problem;
    double objective, lower, gap, start; /* start: f(0) */
    int64_t structure_rows, structure_nonzeros;
} spd_race_optimum;

/* One solver on one problem. */
typedef struct spd_race_entry {
    const char *solver, *tuned;     /* "theory", "grid", "default", "preset" */
    int points;                     /* number of points in its grid; 0: not tuned */
    double factor[SPD_GRID_MAX][2]; /* of the step and of the dual step or penalty, times what the rules give */
    spd_race_params grid[SPD_GRID_MAX];
    double score[SPD_GRID_MAX]; /* smaller is better; NAN: not known yet */
    bool late[SPD_GRID_MAX];    /* timed out, or was skipped after too many time-outs */
    spd_race_params chosen;
    spd_race_run *run; /* one per repeat */
} spd_race_entry;

typedef struct spd_race_problem {
    char *data;
    int task;
    int64_t samples, features, tests;
    bool has_model, has_structure;
    spd_race_optimum *optimum; /* one per repeat */
    spd_race_entry *entry;     /* one per solver */
} spd_race_problem;

typedef struct spd_race_source {
    const char *path;
    char *name, *structure; /* structure: as requested, with {} replaced by the name */
    uint64_t hash;          /* of the content */
    int64_t rows, features;
    double weight; /* approximate cost of one run on it */
} spd_race_source;

/* Work in units of spd_race_piece_weight: the total, the part done or found on disk, the part done in this run, its seconds. */
typedef struct spd_race_work {
    double total, done, here, seconds;
} spd_race_work;

typedef struct spd_race {
    spdhg_race_options o; /* resolved: no 0 that means "by mode" is left */
    spd_recipe recipe;
    char *folder;
    int tasks, solvers;
    int task[SPD_RACE_TASKS];
    const char *solver[SPD_RACE_SOLVERS_MAX];
    int64_t sources;
    spd_race_source *source;
    uint64_t settings_hash, reused_hash; /* hashes of the settings here and in o.reuse */
    spd_race_problem *problem;           /* sources x tasks; filled for finished sources */
    int64_t problems;
    int lock; /* descriptor that locks the folder */

    pthread_mutex_t mutex; /* protects everything below and the callback */
    atomic_bool stop;
    spdhg_status status; /* the first failure */
    spdhg_error err;
    spd_race_work work[SPD_RACE_SOLVERS_MAX + 1]; /* of each solver; the last is for the optima */
} spd_race;

/* ---- race.c */
/* Records a finished piece of work (its seconds; 0: found on disk) of the solver with this number; race->solvers: an optimum. */
void spd_race_did(spd_race *race, int solver, double weight, double seconds);
void spd_race_tell(spd_race *race, const spdhg_race_event *event);
bool spd_race_asked_to_stop(spd_race *race);
void spd_race_failed(spd_race *race, spdhg_status status, const spdhg_error *err);
/* ---- race_settings.c, race_open.c, race_kept.c: the requested settings; the folder and its lock; the folder's own settings. */
spdhg_status spd_race_resolve(spd_race *race, const spdhg_race_options *options, spdhg_error *err);
spdhg_status spd_race_open(spd_race *race, const char *const *path, int64_t count, spdhg_error *err);
spdhg_status spd_race_settle(spd_race *race, spdhg_error *err);
char *spd_race_structure(const char *spec, const char *name); /* spec with {} replaced by name; NULL: out of memory */
spd_recipe spd_race_recipe(const spd_race *race, const spd_race_source *source); /* the problem solved on this source, as ggrlr */
/* ---- race_set.c: does all work on one data set and fills its problems. */
spdhg_status spd_race_set_run(spd_race *race, int64_t source, spdhg_error *err);
/* ---- race_run.c */
/* Runs one solver. Only errors of the race itself are failures; how the run ended is in out. */
spdhg_status spd_race_solve(spd_race *race, const char *solver, spdhg_problem *p, const spdhg_data *test,
                            const spd_race_params *params, uint64_t seed, double run_time, spd_race_run *out, spdhg_error *err);
/* Computes the optimum with auto and proves it; model: where to write it, or NULL. */
spdhg_status spd_race_solve_optimum(spd_race *race, spdhg_problem *p, uint64_t seed, const char *model, spd_race_optimum *out,
                                    spdhg_error *err);
/* ---- race_grid.c: the parameters to try, from the table of grids; the first point has the solver's defaults. */
void spd_race_grid(const spd_race *race, spd_race_entry *entry); /* for entry->solver; the values are not known yet */
void spd_race_grid_values(const spd_race *race, const spdhg_problem *p, spd_race_entry *entry); /* p NULL: only the names */
int spd_race_grid_best(const spd_race_entry *entry); /* the best point, the first among equals; -1: no point has a result */
/* Adds a point beyond the edge of the grid if the best point has the longest or shortest step; false: no need, or no place
 * left. */
bool spd_race_widen(const spd_race *race, spd_race_entry *entry);
bool spd_race_by_theory(const char *solver);
/* Exact solvers and auto: a step may take many passes over the data, so that epochs do not measure their work. They run until
 * their gap is proven and are compared at the median of the seconds that the others' runs took (spd_race_budget). */
bool spd_race_by_seconds(const char *solver);
bool spd_race_of_paper(const char *solver); /* raced in the paper's Section 5 */
/* ---- race_preset.c: true if --preset gives this solver's parameters for the data set of that name; then it is not tuned. */
bool spd_race_preset(const spd_race *race, const char *data, spd_race_entry *entry);
/* ---- race_store.c: results in DIR/runs, one file each. */
char *spd_race_path(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));
spdhg_status spd_race_hash(spdhg_problem *p, uint64_t *hash, spdhg_error *err); /* of the data and of the problem posed on them */
uint64_t spd_race_mark(uint64_t settings, const spd_race_source *source, const char *what, const spd_race_params *params);
/* The object in the file if it has this mark; otherwise NULL. */
json_t *spd_race_load(const char *file, uint64_t mark);
spdhg_status spd_race_save(const char *file, uint64_t mark, json_t *object, spdhg_error *err); /* takes ownership of the object */
json_t *spd_race_run_json(const spd_race_run *run);
bool spd_race_run_from(const spd_race *race, const json_t *object, spd_race_run *run);
json_t *spd_race_optimum_json(const spd_race_optimum *optimum);
bool spd_race_optimum_from(const json_t *object, spd_race_optimum *optimum);
/* ---- race_measure.c: measures the runs. */
double spd_race_best(const spd_race *race, const spd_race_problem *p, int64_t repeat); /* f*: certified, or the smallest seen */
double spd_race_suboptimality(const spd_race *race, const spd_race_problem *p, int64_t repeat, double objective);
/* Adds a point to the trace of the run if it is within the epochs of the race. */
spdhg_status spd_race_add_point(const spd_race *race, spd_race_run *run, const spdhg_point *point, spdhg_error *err);
const spdhg_point *spd_race_last(const spd_race_run *run); /* NULL: no points */
double spd_race_budget(const spd_race *race, const spd_race_problem *p,
                       int64_t repeat); /* seconds; INFINITY: nothing to compare with */
/* The point at which a run is compared: its last, or for solvers compared by seconds the last within the budget. NULL: no
 * points. */
const spdhg_point *spd_race_end(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat);
/* The first point at or below that level; NULL: never. */
const spdhg_point *spd_race_reached(const spd_race *race, const spd_race_problem *p, int solver, int64_t repeat, double level);
json_t *spd_race_statistics(const spd_race *race, spdhg_error *err); /* NULL: out of memory */
/* ---- race_summary.c: DIR/summary.json, summary.csv, the traces of one problem. */
spdhg_status spd_race_write_summary(const spd_race *race, spdhg_error *err);
spdhg_status spd_race_write_traces(const spd_race *race, const spd_race_problem *p, spdhg_error *err);
#endif

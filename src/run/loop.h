/* loop.h - the handle spdhg_solver and the state of a running loop; shared by handle.c, solve.c, run.c and their helpers. */
#ifndef SPD_LOOP_H
#define SPD_LOOP_H
#include "model/checkpoint.h"
#include "problem/sample.h"
#include "run/run.h"
#include "trace/trace.h"

enum { SPD_PARAMS_MAX = 16, SPD_SETTINGS_MAX = 32 };

typedef struct spd_setting {
    char name[32];
    double value;
} spd_setting;

struct spdhg_solver {
    spdhg_problem *problem;
    spdhg_options options;
    int threads;
    spd_plan plan;
    spd_setting setting[SPD_SETTINGS_MAX]; /* the calls of spdhg_solver_set */
    int settings;
    bool counted;  /* the caller limits the epochs */
    bool may_miss; /* the tolerance is a default: missing it is not a failure */
    bool has_run;
    double setup; /* seconds spent in construction, counted in the first run */
    double started;
    spd_stop stop;           /* for the current work; once a run has to end: for the work that remains */
    spd_why ended;           /* why a run ends early */
    double deadline, latest; /* when steps end; when all remaining work must end */
    spdhg_point at;          /* epoch, iteration and seconds, for polls */
    bool compared;           /* spd_solver_compare was called */
    double (*clock)(void);   /* clock of point.seconds; limits use spd_now */
    double *x, *c, *y;       /* where the next stage starts: the start, then the last finite output */
    double *given;           /* c for the columns before centring, as the caller knows it */
    spd_evaluator evaluator;
    bool expects; /* the start may be the solution: spd_solver_expect */
    bool settled; /* what the last step said of its point */
    bool keeps;   /* runs repeatedly on the same problem, with only lambda changing */
    spd_run kept; /* if so: the instance of the last stage, for the next run */
    spd_trace trace;
    spdhg_solution solution;
    spdhg_outcome outcome;
};

typedef struct spd_loop {
    spdhg_solver *solver;
    spd_run run;
    spdhg_problem *thin; /* the sample of rows a stage works on, or NULL: all rows */
    spd_sampler sampler;
    spd_row *rows; /* two batches, for this and the next iteration; NULL for full-information solvers */
    double param[SPD_PARAMS_MAX];
    double *x, *c, *y; /* the solver's output, as evaluated */
    int64_t k, iterations_before;
    double seconds, epochs_before;
    bool unready;     /* the stage was called off before it could make a step */
    bool astray;      /* the last point evaluated is not the answer so far */
    int64_t measured; /* k of the last point */
    bool far;         /* the last point was far above the start */
    double next;      /* rows visited at which the next evaluation is due */
    /* What a checkpoint stores of a run that ends: the moment before its last step, if the method is exact, else before its last
     * evaluation. Resumed, the run takes both again and ends with the same bits; with other limits it goes on as if it had never
     * ended. */
    double *before;        /* the state before the last step; NULL: not kept, or no step yet */
    double *before_memory; /* for it */
    int64_t rows_before;
    bool known_before;     /* the last step began at the last point evaluated */
    bool cut;              /* the last step was cut short */
    double *dual;          /* spd_loop_dual_numbers: the dual point that was best before the last evaluation */
    bool dual_known;       /* there was one */
    int64_t points_before; /* the trace then */
    double next_before;
    bool restored, fresh; /* continued from a checkpoint; its first point has not been evaluated */
    spd_step said;        /* result of the last step */
    int stage;
    uint64_t hash[SPD_HASHES]; /* hash of what determines the iterates, once computed */
    bool hashed;
    double saved_at; /* when the last checkpoint was written */
} spd_loop;

/* ---- limits.c: when a run must end. Long steps and proofs also ask the caller and read the clock. */
void spd_limits_start(spdhg_solver *s);
bool spd_limits_reached(spdhg_solver *s); /* if so, s->ended says why and does not change again */
/* From here on s->stop gives the remaining work, the last proof and exact zeros, a little more time and no longer asks the
 * caller. */
void spd_limits_grant(spdhg_solver *s);
spdhg_status spd_loop_good(const spdhg_solver *s, spdhg_error *err); /* not OK: what was computed is worthless */
double spd_epochs_asked(const spdhg_solver *s);                      /* 0: none, the run ends by its tolerance or its time */
bool spd_tell(const spdhg_solver *s, spdhg_event_kind kind, const spdhg_point *point); /* true: the caller wants to stop */

/* ---- outcome.c */
/* State of a stage after a few steps; DONE while it should continue. over: its passes or limits are used up. */
spdhg_outcome spd_outcome_of_stage(const spd_loop *l, bool over);
/* The outcome where the last point is of no use, by the answer that was kept before it: CONVERGED if it is proven to the
 * tolerance, as where the start was optimal and a step left it; STALLED if a stage that this one was to rescue found it; else
 * DIVERGED, after which the next stage of the plan may run. */
spdhg_outcome spd_outcome_of_kept(const spd_loop *l);
/* No stage follows this one: it is the last of the plan, or the next is only for the case that it gives up. */
bool spd_outcome_is_last(const spd_loop *l);
/* After a stage that gave up: if no minimiser exists, the next stage may move anywhere, and the earlier answer is better. */
bool spd_outcome_astray(const spd_loop *l, double objective);
bool spd_outcome_starts_well(const spd_loop *l);
/* A finite objective that is a divergence if the run ends there; one from which no run recovers. */
bool spd_outcome_far(const spd_loop *l, double objective);
bool spd_outcome_hopeless(const spd_loop *l, double objective);
spdhg_outcome spd_outcome_of_rest(const spdhg_solver *s); /* for stages that have no budget left */
bool spd_outcome_is_open(spdhg_outcome outcome);          /* a proof may still turn it into CONVERGED */
/* The outcome once the answer is final: polishing may have proven what the steps had not. A run stopped by its caller stays
 * interrupted. A gap within a radius suffices here, because no better proof can follow. */
void spd_outcome_conclude(spdhg_solver *s);

/* ---- run.c */
void spd_loop_log(void *solver, const char *sentence);             /* passes it to the caller */
void spd_loop_notice(const spdhg_solver *s, const char *sentence); /* the same, of what the user should know */
/* Runs stage l->stage of the plan to its end, from the checkpoint if there is one, which it frees; stores the outcome in the
 * solver. */
spdhg_status spd_loop_stage(spd_loop *l, double epochs, spd_checkpoint *saved, spdhg_error *err);

/* ---- finish.c: exact zeros of Fx in the solution and its last digits, kept if the objective does not rise, or if the method is
 * not exact and the tolerance still holds. */
spdhg_status spd_solver_finish(spdhg_solver *s, spdhg_error *err);

/* ---- infimum.c */
/* Unless the caller gave a start, an exact solver starts far along the directions in which f never rises. */
void spd_solver_start_far(spdhg_solver *s);
/* ---- start.c: a start with a small f, where the point of X nearest to 0 has none. */
spdhg_status spd_solver_start_low(spdhg_solver *s, spdhg_error *err);
/* If the iterate shows that a plane separates the rows there is no minimiser: sets the answer and the outcome. */
spdhg_status spd_loop_separate(spd_loop *l, spdhg_outcome *outcome, spdhg_error *err);

/* ---- proof_budget.c */
void spd_loop_proof_budget(spd_loop *l, bool final); /* before the evaluation of a point */

/* ---- resume.c */
int64_t spd_loop_dual_numbers(const spd_loop *l); /* n K + m K: of all rows, even if the stage works on a sample of them */
void spd_loop_note(spd_loop *l);                  /* before an evaluation: what a checkpoint may need of the moment before it */
spdhg_status spd_loop_save(spd_loop *l, spdhg_error *err); /* to options.checkpoint */
spdhg_status spd_loop_open(const spdhg_solver *s, spd_checkpoint *c, bool *previous, spdhg_error *err); /* reads options.resume */
spdhg_status spd_loop_restore(spd_loop *l, const spd_checkpoint *c,
                              spdhg_error *err); /* after start: state and counters of the checkpoint */

/* ---- params.c */
void spd_solver_params(const spdhg_solver *s, const spd_solver_kind *kind, double *param); /* defaults overridden by settings */
/* ---- handle.c */
int64_t spd_solver_batch(const spdhg_solver *s,
                         const spd_solver_kind *kind); /* rows per iteration: asked for, or chosen by counts */
void spd_solver_keep(spdhg_solver *s, const spd_solver_kind *kind, const double *x, const double *c, const double *y,
                     const spdhg_point *point);
double spd_trace_interval(double epochs); /* default, in epochs between points: at most 50 points, whole epochs */
#endif

/* loop.h - the handle spdhg_solver and the state of a running loop; shared by handle.c, solve.c, run.c and what they call. */
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
    spd_setting setting[SPD_SETTINGS_MAX]; /* what spdhg_solver_set said */
    int settings;
    bool may_miss; /* the tolerance was not asked for: not to reach it is no failure */
    bool has_run;
    double setup; /* seconds its making took: of the first run's time */
    double started;
    spd_stop stop;           /* of the work under way; once a run is to end: of what is left to do */
    spd_why ended;           /* why a run ends before its time */
    double deadline, latest; /* when steps end; when all that is left to do then must be done */
    spdhg_point at;          /* epoch, iteration and seconds, for polls */
    bool compared;           /* spd_solver_compare was called */
    double (*clock)(void);   /* that point.seconds is read from; limits are of spd_now */
    double *x, *c, *y;       /* where the next stage starts: the start, then the last finite output */
    double *given;           /* c as the caller knows it, for columns that are not centred */
    spd_evaluator evaluator;
    bool keeps;   /* runs again and again on the same problem, but for lambda */
    spd_run kept; /* then: the last stage's instance, for the next run */
    spd_trace trace;
    spdhg_solution solution;
    spdhg_outcome outcome;
};

typedef struct spd_loop {
    spdhg_solver *solver;
    spd_run run;
    spdhg_problem *thin; /* the rows a stage works on if not all */
    spd_sampler sampler;
    spd_row *rows; /* two batches, of this and of the next iteration; NULL for full-information solvers */
    double param[SPD_PARAMS_MAX];
    double *x, *c, *y; /* the solver's output, as evaluated */
    int64_t k, iterations_before;
    double seconds, epochs_before;
    int64_t measured; /* k of the last point */
    double *before;   /* the state before the last step, and ... */
    int64_t rows_before;
    bool cut;      /* ... the step was cut short: a checkpoint is of before */
    spd_step said; /* by the last step */
    int stage;
    uint64_t hash[SPD_HASHES]; /* of what determines the iterates, once computed */
    bool hashed;
    double saved_at; /* when the last checkpoint was written */
} spd_loop;

/* ---- limits.c: when a run must end. The caller is asked and the clock read inside of long steps and proofs. */
void spd_limits_start(spdhg_solver *s);
bool spd_limits_reached(spdhg_solver *s); /* then s->ended says why, and stays */
/* From here on s->stop grants what is left to do, the last proof and exact zeros, a little more time and asks nobody. */
void spd_limits_grant(spdhg_solver *s);
bool spd_tell(const spdhg_solver *s, spdhg_event_kind kind, const spdhg_point *point); /* true: the caller wants to stop */

/* ---- outcome.c */
/* What a stage has come to after a few steps; DONE while it should go on. over: its passes or its limits are used up. */
spdhg_outcome spd_outcome_of_stage(const spd_loop *l, bool over);
/* No stage comes after this one: it is the last of the plan, or what follows is only for when it gives up. */
bool spd_outcome_is_last(const spd_loop *l);
/* Behind a stage that gave up: where no minimiser exists the next may go anywhere, and what there was is better. */
bool spd_outcome_astray(const spd_loop *l, double objective);
spdhg_outcome spd_outcome_of_rest(const spdhg_solver *s); /* of stages for which nothing is left */
bool spd_outcome_is_open(spdhg_outcome outcome);          /* a proof may still turn it into CONVERGED */
/* The outcome, once the answer is final: polishing may have proven what the steps had not. A run that its caller stopped stays so.
 * Within a radius will do: more cannot be had any more. */
void spd_outcome_conclude(spdhg_solver *s);

/* ---- run.c */
void spd_loop_log(void *solver, const char *sentence); /* to the caller */
/* Stage l->stage of the plan to its end, from the checkpoint if there is one, which it frees; the outcome is the solver's. */
spdhg_status spd_loop_stage(spd_loop *l, double epochs, spd_checkpoint *saved, spdhg_error *err);

/* ---- finish.c: exact zeros of F x in the solution and its last digits, kept if the objective does not rise, or the method is
 * not exact and the tolerance still holds. */
spdhg_status spd_solver_finish(spdhg_solver *s, spdhg_error *err);

/* ---- infimum.c */
/* Where nothing else was asked for, an exact solver starts far along the directions that f never rises along. */
void spd_solver_start_far(spdhg_solver *s);
/* Where the iterate shows that a plane separates the rows there is no minimiser; the answer and outcome then. */
spdhg_status spd_loop_separate(spd_loop *l, spdhg_outcome *outcome, spdhg_error *err);

/* ---- proof_budget.c */
void spd_loop_proof_budget(spd_loop *l, bool final); /* before the evaluation of a point */

/* ---- resume.c */
spdhg_status spd_loop_save(spd_loop *l, spdhg_error *err); /* to options.checkpoint */
spdhg_status spd_loop_open(const spdhg_solver *s, spd_checkpoint *c, bool *previous, spdhg_error *err); /* reads options.resume */
spdhg_status spd_loop_restore(spd_loop *l, const spd_checkpoint *c,
                              spdhg_error *err); /* after start: state and counters of the checkpoint */

/* ---- handle.c */
void spd_solver_params(const spdhg_solver *s, const spd_solver_kind *kind, double *param); /* defaults overridden by settings */
int64_t spd_solver_batch(const spdhg_solver *s,
                         const spd_solver_kind *kind); /* rows per iteration: asked for, or chosen by counts */
void spd_solver_keep(spdhg_solver *s, const spd_solver_kind *kind, const double *x, const double *c, const double *y,
                     const spdhg_point *point);
double spd_trace_interval(double epochs); /* epochs between points when the caller has no wish: at most 50 points, whole epochs */
#endif

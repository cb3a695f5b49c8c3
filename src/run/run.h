/* run.h - what other rooms see of a run beyond spdhg.h: its problem and outcome, the table of solvers, the plan. */
#ifndef SPD_RUN_H
#define SPD_RUN_H
#include "solver/solver.h"

/* ---- handle.c, for the model and the checkpoint */
const spdhg_problem *spd_solver_problem(const spdhg_solver *solver);
/* Start and end in the problem's own c, for centred columns: no digits are lost by conversion to the caller's c and back. */
spdhg_status spd_solver_start(spdhg_solver *solver, const double *x, const double *c, const double *y, spdhg_error *err);
const double *spd_solver_intercept(const spdhg_solver *solver);
/* As spdhg_solver_new, for a start near the solution: without the stages that only lead to the main one. */
spdhg_status spd_solver_new_near(spdhg_solver **out, const char *solver, spdhg_problem *problem, const spdhg_options *options,
                                 spdhg_error *err);
const double *spd_solver_slopes(const spdhg_solver *solver); /* phi' at the solution; NULL: not known */
/* From now on each run of this solver starts where the last one ended, with what it has learned about the loss; only lambda may
 * change. Gaps may be proven with the alpha that the solver offers. For paths. */
void spd_solver_keep_running(spdhg_solver *solver, double seconds);
/* The start is expected to be the solution, to its last digits: the next run evaluates it before
 * it prepares a stage, and needs none if it is. */
void spd_solver_expect(spdhg_solver *solver);
void spd_solver_tolerate(spdhg_solver *solver, double tol); /* applies to later runs */
const spdhg_options *spd_solver_options(const spdhg_solver *solver);
bool spd_limits_late(const spdhg_solver *solver); /* options.seconds ended the last run, and not the passes of its solver */
spdhg_outcome spd_solver_outcome(const spdhg_solver *solver);
void spd_solver_interrupted(spdhg_solver *solver); /* its answer belongs to a path that was interrupted: a model says so */
/* For a comparison with solvers whose optimum is known. point.seconds is read from this clock; a costly proof is made only where
 * the gap is small; the run starts at the given start, even if there is no minimiser and an exact solver would start far out. */
void spd_solver_compare(spdhg_solver *solver, double (*clock)(void));

/* ---- table.c */
const spd_solver_kind *const *spd_solver_table(int *entries);
const spd_solver_kind *spd_solver_find(const char *name); /* NULL if unknown */

/* ---- plan.c: a list of stages; each hands x, c, y to the next. The name of a solver is a plan with one stage; "auto" decides by
 * counts. */
typedef struct spd_stage {
    const spd_solver_kind *kind;
    double epochs;     /* 0: all that are left */
    int64_t stride;    /* works on one row drawn from every `stride`; 1: on all rows */
    spd_rescue rescue; /* SPD_RESCUED: the next stage runs only if this one gives up; SPD_RELIEVED: also if it stalls */
    bool cold;         /* starts at x = 0, not where the stage before has stalled */
} spd_stage;
enum { SPD_STAGES_MAX = 10 };
typedef struct spd_plan {
    int stages;
    spd_stage stage[SPD_STAGES_MAX];
    char why[300]; /* a sentence for -v */
} spd_plan;
enum { SPD_SHORT_ROW = 16 }; /* entries, on average: each coefficient interacts with few others */
/* ---- plan_main.c */
const spd_stage *spd_plan_main(const spd_plan *plan);
void spd_plan_leave_out(spd_plan *plan, int stage);
void spd_plan_begin_with_main(spd_plan *plan); /* for a start that is good */
/* ---- plan_counts.c */
/* Nanoseconds of Newton's method with a dense factor and of a pass of saga-pd3o, as measured by bench/scaling. Newton: writing
 * out H five times, inner iterations, factors. Pass: entries and rows. Only the ratio of the two matters. */
int64_t spd_plan_thin_stride(const spdhg_problem *p); /* of the sample of rows to start on; 1: all */
double spd_plan_newton_cost(const spdhg_problem *p);
double spd_plan_pass_cost(const spdhg_problem *p);
/* Chains and graphs: the flow along many edges makes semismooth Newton slow, with or without ridge. */
bool spd_plan_has_pairs(const spdhg_problem *p);
/* Groups of several differences (isotropic total variation): few groups are zero, so that a working set grows large and
 * expensive. */
bool spd_plan_has_groups_of_pairs(const spdhg_problem *p);
bool spd_plan_is_separable(const spdhg_problem *p);         /* every row of F has one entry: methods by columns are best */
bool spd_plan_by_columns(const spdhg_problem *p, bool few); /* a solve by columns takes least work */
/* Whether chain-alm, which takes p, goes first. few: a dense factor of all coefficients is possible. */
bool spd_plan_is_wide(const spdhg_problem *p, bool few);
/* ---- plan_sparse.c: whether a sparse factor costs less than the other method (nanoseconds). */
bool spd_plan_sparse_pays(const spdhg_problem *p, double other);
double spd_plan_dual_cost(const spdhg_problem *p); /* nanoseconds of fgp to 1e-6 on an image */
double spd_plan_row_cost(const spdhg_problem *p);  /* nanoseconds of one row of a stochastic pass: its entries, and all of F */
/* ---- meaning.c: fills spread, group and rows of a model from the problem and its solution x; false: out of memory. */
struct spdhg_model;
bool spd_coefficient_groups(const spdhg_problem *p, const double *x, int64_t *group); /* those of x alone, dK numbers */
bool spd_model_describe(struct spdhg_model *model, const spdhg_problem *p, int threads, const double *x);
/* ---- to_model.c: the model of a solution s of p; c: its intercept in the problem's own columns. */
spdhg_status spd_model_make(struct spdhg_model **out, const spdhg_problem *p, const spdhg_solution *s, const double *c,
                            spdhg_outcome outcome, uint64_t seed, int threads, spdhg_error *err);
spdhg_status spd_plan_make(spd_plan *plan, const char *name, const spdhg_problem *p, spdhg_error *err);
#endif

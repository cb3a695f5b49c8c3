/* run.h - what other rooms see of a run beyond spdhg.h: its problem and outcome, the table of solvers, the plan. */
#ifndef SPD_RUN_H
#define SPD_RUN_H
#include "solver/solver.h"

/* ---- handle.c, for the model and the checkpoint */
const spdhg_problem *spd_solver_problem(const spdhg_solver *solver);
/* Start and end in the problem's own c, where columns are centred: no digits are lost on the way to a caller and back. */
spdhg_status spd_solver_start(spdhg_solver *solver, const double *x, const double *c, const double *y, spdhg_error *err);
const double *spd_solver_intercept(const spdhg_solver *solver);
/* From now on each run of this solver starts where the last one ended and with what it had learnt of the loss; only lambda may
 * change. An alpha that the solver offers may prove its gaps. For a path. */
void spd_solver_keep_running(spdhg_solver *solver, double seconds);
void spd_solver_tolerate(spdhg_solver *solver, double tol); /* of the runs from here on */
const spdhg_options *spd_solver_options(const spdhg_solver *solver);
spdhg_outcome spd_solver_outcome(const spdhg_solver *solver);
/* For a comparison with others whose optimum is known: point.seconds by this clock, a costly proof of a gap only where the gap is
 * small, and the start is the one that was given also where there is no minimiser and an exact solver would start far out. */
void spd_solver_compare(spdhg_solver *solver, double (*clock)(void));

/* ---- table.c */
const spd_solver_kind *const *spd_solver_table(int *entries);
const spd_solver_kind *spd_solver_find(const char *name); /* NULL if unknown */

/* ---- plan.c: a list of stages; a stage hands x, c, y to the next. A solver's name is the plan of one stage; "auto" decides by
 * counts. */
typedef struct spd_stage {
    const spd_solver_kind *kind;
    double epochs;  /* 0: the rest */
    int64_t stride; /* works on one row drawn of every so many; 1: on all */
    spd_rescue
        rescue; /* other than SPD_ALONE: where it stalls there is nothing more to gain, the next stage is for when it gives up */
} spd_stage;
enum { SPD_STAGES_MAX = 4 };
typedef struct spd_plan {
    int stages;
    spd_stage stage[SPD_STAGES_MAX];
    char why[200]; /* a sentence for -v */
} spd_plan;
const spd_stage *spd_plan_main(const spd_plan *plan); /* the first that others wait behind, or the last */
/* ---- plan_sparse.c: a sparse factor costs less than the other method does (nanoseconds). */
bool spd_plan_sparse_pays(const spdhg_problem *p, double other);
spdhg_status spd_plan_make(spd_plan *plan, const char *name, const spdhg_problem *p, spdhg_error *err);
#endif

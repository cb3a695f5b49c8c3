/* solver.h - the interface of an algorithm: a parameter table, a state of numbers, and four functions that run.c calls. */
#ifndef SPD_SOLVER_H
#define SPD_SOLVER_H
#include "certify/certify.h"
#include "problem/lipschitz.h"
#include "recession/recession.h"

typedef spdhg_param spd_param;

/* GIVES_UP: this method cannot go on, but another may. */
typedef enum spd_step { SPD_CONTINUE, SPD_STALLED, SPD_GIVES_UP, SPD_FAILED } spd_step;

typedef struct spd_batch {
    int64_t size;
    const spd_row *row; /* NULL for full-information solvers */
} spd_batch;

/* ---- batch.c: the stochastic gradient (1/B) sum over the batch of weight_i phi'(z_i) a_i, in two halves. */
/* slope (K) = phi'(a_i'x + c + o_i) of one row, unweighted; z: scratch of length K. */
void spd_row_slope(const spdhg_problem *p, const spd_row *row, const double *x, const double *c, double *z, double *slope);
/* slope (B x K, followed by scratch of length K) = weight_i phi'(a_i'x + c + o_i) / B. */
void spd_batch_slopes(const spdhg_problem *p, const spd_batch *batch, const double *x, const double *c, double *slope);
void spd_batch_add(const spdhg_problem *p, const spd_batch *batch, const double *slope, double factor,
                   double *g); /* g += factor sum_i a_i slope_i */
void spd_batch_sum(const spdhg_problem *p, const spd_batch *batch, const double *slope, double *gc); /* gc = sum_i slope_i */

/* ---- row_prox.c: the proximal step of one row's loss. */
/* slope (K) = argmin over alpha of  phi*(alpha) - <a_i'x + c + o_i, alpha> + (q/2)||alpha - old||^2
 * that is phi'(z) at the z with     z + q phi'(z) = a_i'x + c + o_i + q old
 * work: spd_row_prox_work doubles. */
void spd_row_prox(const spdhg_problem *p, const spd_row *row, double q, const double *x, const double *c, const double *old,
                  double *slope, double *work);
int64_t spd_row_prox_work(const spdhg_problem *p);
/* alpha_i = next_i for the rows of the batch, and g += sum_i share_i a_i (next_i - alpha_i), gc the same for the intercept.
 * next (B x K) is used up. */
void spd_batch_replace(const spdhg_problem *p, const spd_batch *batch, double *next, double *alpha, double *g, double *gc);

/* Results of an evaluation at the point from which the solver continues, so that it need not repeat them. c is the best for x. */
typedef struct spd_evaluation {
    const double *z, *curve; /* scores including c; NULL: nothing is known. phi'' (coupled losses: z) */
    const double *slope;     /* phi' */
    const double *g, *gc;    /* gradient of the loss, or NULL */
    const double *c;
    double loss;
} spd_evaluation;

typedef struct spd_solver_kind spd_solver_kind;

/* What waits behind a run in the plan: nothing; another method; a method better suited to hard problems, so that this one can
 * give up early and is followed even if it stalls. */
typedef enum spd_rescue { SPD_ALONE, SPD_RESCUED, SPD_RELIEVED } spd_rescue;

/* One running algorithm, owned by run.c. */
typedef struct spd_run {
    const spd_solver_kind *kind;
    const spdhg_problem *problem;
    const double *param; /* values in the order of kind->param */
    spdhg_sampling sampling;
    int64_t batch;
    uint64_t seed; /* for the algorithm's own random choices; set by the creator of the run */
    int threads;
    void *prepared; /* made by kind->prepare, freed by kind->release; NULL: nothing */
    double prepared_bytes;
    void *self;      /* kind->self_size bytes: pointers into the arenas and constants, set by layout and start; never state */
    spd_arena state; /* numbers only, saved by a checkpoint; all later iterates are a function of (state, k) */
    spd_arena work;  /* scratch that is not kept between steps */
    bool blank;      /* state is still 0, as it was allocated: pages that were never written take no memory */
    bool again;      /* start keeps the state of the previous run except for what it is given */
    spd_evaluation evaluation; /* at the point where the next step starts; cleared after that step */
    const double *own_alpha;   /* set by a step: a dual alpha of the loss for its new point, n x K; NULL: none */
    bool far;                  /* set by a step: its new point is too far off to be worth evaluating unless asked for */
    double rows_left;     /* of the epochs asked for; a step that is a whole solve ends early when they are used up, and sets: */
    bool cut;             /* its new point is that of an unfinished step */
    bool settled;         /* set by a step: its new point is the minimiser on its face, no digits are missing */
    double goal;          /* relative gap at which the run ends; 0: none */
    double enough;        /* relative gap at which own_alpha may end the run; 0: own_alpha is not wanted */
    spd_rescue rescue;    /* what waits if this one gives up */
    bool followed;        /* the plan has a stage after this one */
    int64_t rows_visited; /* counted by full-information solvers; run.c counts batches */
    spd_stop *stop;       /* polled in loops inside a step, which then ends early; NULL: none */
    void (*log)(void *context, const char *sentence); /* for -v, during start */
    void *log_context;
} spd_run;

struct spd_solver_kind {
    const char *name, *what, *reference;
    const spd_param *param;
    int params;
    const void *variant;       /* distinguishes kinds that share their functions, such as a step rule; NULL */
    bool full_information;     /* gets no batch, calls the problem's collectives */
    bool holds_rows;           /* makes a matrix of all rows for itself: they must fit in memory */
    bool any_curvature;        /* needs no bound on the curvature of the loss */
    bool corners;              /* takes a loss that has no slope at z = b */
    bool gradient_only;        /* needs of a batch only an unbiased gradient, so that any way of sampling will do */
    spd_smoothness smoothness; /* default of its parameter L, which may then be a word; SPD_L_NUMBER: numbers only */
    bool exact;                /* x and y become accurate together: exact zeros can be read off y */
    size_t self_size;
    /* NULL or the reason why this problem is refused. */
    const char *(*refuses)(const spdhg_problem *p);
    /* NULL, or refuses impossible parameters or batches before any array exists. */
    spdhg_status (*check)(const spd_run *run, spdhg_error *err);
    /* NULL, or make and free run->prepared, before layout: a function of the problem that determines the sizes of the arrays. */
    spdhg_status (*prepare)(spd_run *run, spdhg_error *err);
    void (*release)(void *prepared);
    /* Takes its arrays from run->state and run->work; called twice, see spd_arena. */
    void (*layout)(spd_run *run);
    /* Sets the constants, then x0, c0, y0 (each may be NULL: 0). Allocates nothing. */
    void (*start)(spd_run *run, const double *x0, const double *c0, const double *y0);
    spd_step (*step)(spd_run *run, int64_t k, const spd_batch *batch);
    /* Copies out the iterate that the algorithm's theory is about; changes no state. c has K entries. */
    void (*output)(const spd_run *run, double *x, double *c, double *y);
    /* NULL, or returns the Hessian of the loss that the solver holds (lower triangle) and its curvatures; NULL: none now. */
    const double *(*hessian)(const spd_run *run, const double **curve);
    int64_t (*dual_cost)(const spdhg_problem *p); /* numbers a step's dual half touches, for --batch auto; NULL: batch 1 */
    bool batch_auto;                              /* default batch: as --batch auto; false: 1 */
};

/* The middle of a table entry: an exact solver for losses of any curvature, whose file defines layout and start. */
#define SPD_EXACT_KIND(type)                                                                                                     \
    .full_information = true, .any_curvature = true, .exact = true, .self_size = sizeof(type), .layout = layout, .start = start
/* The same for one whose file also defines prepare, release, step and output. */
#define SPD_PREPARED_KIND(type) SPD_EXACT_KIND(type), .prepare = prepare, .release = release, .step = step, .output = output

/* NULL or the reason why a solver refuses a problem. */
static inline const char *spd_solver_refuses(const spd_solver_kind *kind, const spdhg_problem *p) {
    if (p->data->disk && (!kind->full_information || kind->holds_rows))
        return "the entries of the data stay on disk, and it needs them in memory; auto, fista, pd3o, condat-vu, lpdhg, "
               "prox-newton, ws-newton and alm-ssn work by passes over the rows";
    if (spd_problem_has_corners(p) && !kind->corners)
        return "this loss has a corner, where it has no slope; auto and ipm solve it exactly, spdhg-free takes subgradient "
               "steps; smooth-hinge and huber are smooth losses like it";
    if (!isfinite(p->kappa) && !kind->any_curvature)
        return "its steps need a bound on the curvature of the loss, and this loss has none; the Newton solvers and interior "
               "need none";
    return kind->refuses(p);
}

/* ---- instance.c: one algorithm with its arenas. new measures them, allocate makes them; then the run can start and step. */
spdhg_status spd_run_new(spd_run *run, const spd_solver_kind *kind, const spdhg_problem *p, const double *param,
                         spdhg_sampling sampling, int64_t batch, int threads, spd_stop *stop, spdhg_error *err);
double spd_run_bytes(const spd_run *run); /* its arenas and what was prepared */
spdhg_status spd_run_allocate(spd_run *run, spdhg_error *err);
void spd_run_again(spd_run *run, spd_run *before, const double *param); /* takes over the previous run, to be started again */
/* At every start: clear sets the state to 0; take copies x0, c0, y0, where given, to x, c, y, which are arrays of the state, and
 * projects y onto lambda Y. term: scratch of the penalties. */
void spd_run_clear(spd_run *run);
void spd_run_take(const spd_run *run, const double *x0, const double *c0, const double *y0, double *x, double *c, double *y,
                  double *term);
/* For solvers whose output is the last iterate. */
void spd_run_give(const spd_run *run, const double *x_now, const double *c_now, const double *y_now, double *x, double *c,
                  double *y);
/* The L of a run: the number or word given as its parameter, or by the kind's rule (docs/theory.md, The constant L); a full
 * gradient has no noise and depends on no sampling. work: spd_problem_smoothness_work doubles. */
double spd_run_smoothness(const spd_run *run, double given, double *work);
void spd_run_free(spd_run *run);
void spd_run_log(const spd_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- evaluate.c: evaluates an iterate independently of the solver; never touches its state. */
typedef struct spd_evaluator {
    const spdhg_problem *problem;
    spdhg_problem *test; /* held-out rows as a problem with the same loss, or NULL */
    double *test_x;      /* coefficients on the scale of the test data, at least as many as it has features */
    double *scratch;
    int threads;
    spd_recession recession;
    spd_certifier certifier;
    spd_gap gap;             /* of the last evaluation */
    double *slope, *curve;   /* phi' and phi'' of every row at that point */
    const double *own_alpha; /* the solver's own alpha for the next point; NULL: none */
    spd_evaluation evaluation;
} spd_evaluator;
spdhg_status spd_evaluator_new(spd_evaluator *e, const spdhg_problem *p, const spdhg_data *test, int threads, spdhg_error *err);
/* Fills in objective, losses, gap, test scores and dual norm of the point; sets c to the best intercept for x. */
void spd_evaluate(spd_evaluator *e, const double *x, double *c, const double *y, spdhg_point *point);
double spd_evaluate_gap(const spd_evaluator *e); /* of the last evaluation, of any kind; NAN: none */
double spd_evaluate_relative(const spd_evaluator *e, const spdhg_point *point); /* its gap relative to the objective */
const char *spd_gap_kind_name(spd_gap_kind kind);
/* gamma > 0 and a certified gap: an upper bound on ||x - x*||. */
double spd_evaluate_radius(const spd_evaluator *e, const double *x);
/* Number of entries of Fx larger than ||F_e|| radius: no x* within the radius has a different sign there. */
int64_t spd_evaluate_signs(const spd_evaluator *e, const double *x, double radius);
int64_t spd_evaluate_structure_nonzeros(const spd_evaluator *e,
                                        const double *x); /* number of entries of Fx that are not zero (docs/problem.md) */
void spd_evaluator_free(spd_evaluator *e);

#endif

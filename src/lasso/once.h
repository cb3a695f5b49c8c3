/* once.h - one fit by an engine of paths, lasso/solve.c by columns or blocks/solve.c by blocks of them: from a start of the
 * caller's to the problem's own lambda.
 *
 *   from x = 0, where the loss is not quadratic: lambda_max/2, lambda_max/4, ... down to lambda, each roughly. A model made far
 *   from the answer takes in columns that leave again; one made at twice the lambda rarely does
 *   then lambda itself, proven by phi'(z), and after the proof to all digits
 *
 * One step is the whole solve: it usually ends the run. */
#ifndef SPD_ONCE_H
#define SPD_ONCE_H
#include "lasso/lasso.h"
#include "solver/solver.h"

/* An engine that was started at the run's x. The pointers lead into it. */
typedef struct spd_once {
    void *engine;
    void (*solve)(void *engine, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out);
    bool (*is_exact)(const void *engine); /* NULL, or whether an answer to a quadratic loss has all its digits */
    double *times, *lambda;               /* the lambda it solves for, in multiples of the problem's; that of its last solution */
    const double *touched, *swept;        /* its multiplications without those of the last sweeps; those */
    double *most, *allowed;               /* limits on their sum: of the plan, of the epochs */
    const double *z, *z0;                 /* scores at its answer, and where its last model was made */
    double largest;                       /* lambda_max at x = 0, NAN: it starts elsewhere */
    double pass;                          /* multiplications of a pass over the data */
    double others;                        /* what another solver would take, which is next in the plan */
} spd_once;
spd_step spd_once_step(spd_run *run, int64_t k, const spd_once *o);

#endif

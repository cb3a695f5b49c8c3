/* start.c - where a run starts if X does not contain 0 and the loss has no curvature bound (poisson). At the point of X nearest
 * to 0 its exponentials may be of any size, or infinite, and Newton's method reduces a score by only about 1 a step. The
 * corners R e_j of a simplex are then tried as well, until one has a moderate f. */
#include "run/loop.h"

static const double STEPS = 200;     /* of Newton's method, each of which divides a large f by about e */
static const double WORK_MOST = 1e8; /* entries of the data visited by all trials together */

static double loss_at(spdhg_solver *s, const double *x, double *z, double *work) {
    const spdhg_problem *p = s->problem;
    spd_problem_scores(p, s->threads, x, z);
    if (p->constant) spd_problem_shift(p, p->constant, z);
    const double loss = spd_problem_losses(p, s->threads, &(spd_scores){.z = z}, NULL, NULL, work);
    return isnan(loss) ? INFINITY : loss;
}

/* x: 0 before; leaves the best start there. */
static void choose_corner(spdhg_solver *s, double *x, double *z, double *work) {
    const spdhg_problem *p = s->problem;
    const double R = p->set.arg[0];
    for (int64_t q = 0; q < p->dK; q++) x[q] = R / (double)p->dK; /* the point nearest to 0 */
    double least = loss_at(s, x, z, work);
    int64_t best = -1;
    memset(x, 0, (size_t)p->dK * sizeof *x);
    for (int64_t q = 0; q < p->dK && log(least) > STEPS; q++) {
        x[q] = R;
        const double loss = loss_at(s, x, z, work);
        if (loss < least) {
            least = loss;
            best = q;
        }
        x[q] = 0;
    }
    if (best >= 0) x[best] = R;
}

spdhg_status spd_solver_start_low(spdhg_solver *s, spdhg_error *err) {
    const spdhg_problem *p = s->problem;
    const bool started = s->has_run || s->options.resume || spd_max_abs(p->dK, s->x) > 0;
    if (started || s->compared || isfinite(p->kappa) || !p->set.kind->sum || (double)p->dK * (double)p->nnz > WORK_MOST)
        return SPDHG_OK;
    double *z = SPD_NEW(double, p->n * p->K), *work = SPD_NEW(double, spd_problem_blocks(p) * (1 + p->K));
    if (z && work) choose_corner(s, s->x, z, work);
    const spdhg_status status = z && work ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)(p->n * p->K));
    SPD_FREE_ALL(z, work);
    return status;
}

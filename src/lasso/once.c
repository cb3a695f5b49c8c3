/* once.c - one fit by an engine of paths (once.h). */
#include "lasso/once.h"

enum { STEPS_MOST = 3, HALVINGS_MOST = 20, DIGITS_MOST = 5 }; /* below a millionth of lambda_max all columns have come in */
static const double ROUGH = 1e-2;                             /* relative gap on the way down */
static const double TIGHTER = 1e-2; /* times the tolerance: the next step, if rounding has made the last proof too weak */
static const double USUAL = 1e-6;   /* without a tolerance */
static const double STILL = 1e-8;   /* a step that moves the scores by less leaves the square of it */

static double work(const spd_once *o) { return *o->touched + *o->swept; }
static bool is_over(const spd_once *o, const spd_run *run) {
    return work(o) > fmin(*o->most, *o->allowed) || spd_stop_now(run->stop);
}

/* Halves lambda from where x = 0 is optimal; the strong rule leaves out no column in longer steps. */
static void come_down(const spd_once *o, const spd_run *run) {
    const double lambda = *o->times * run->problem->term[0].lambda;
    spd_lasso_answer answer;
    *o->lambda = o->largest;
    const int all = (int)fmin(floor(log2(o->largest / lambda)), 1000), least = all > HALVINGS_MOST ? all - HALVINGS_MOST : 0;
    for (int halvings = all; halvings > least && !is_over(o, run); halvings--) {
        *o->times = ldexp(1, halvings);
        o->solve(o->engine, ROUGH, false, run->stop, &answer);
    }
    *o->times = 1;
}

/* Whether the last model has moved the scores. */
static bool has_moved(const spd_once *o, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(o->z[i] - o->z0[i]));
    return most > STILL * (1 + spd_max_abs(count, o->z));
}

spd_step spd_once_step(spd_run *run, int64_t k, const spd_once *o) {
    const spdhg_problem *p = run->problem;
    spd_lasso_answer answer, finer;
    *o->most = run->followed ? o->others : INFINITY;
    *o->allowed = run->rows_left * (o->pass / (double)p->n);
    if (!isnan(o->largest) && !p->loss->quadratic) come_down(o, run);
    o->solve(o->engine, (run->goal > 0 ? run->goal : USUAL) * pow(TIGHTER, (double)k), true, run->stop, &answer);
    bool moves = answer.proven && !(p->loss->quadratic && o->is_exact && o->is_exact(o->engine)); /* one step on the right face */
    for (int i = 0; i < DIGITS_MOST && moves; i++) {
        o->solve(o->engine, 0, true, run->stop, &finer);
        moves = !p->loss->quadratic && has_moved(o, p->n * p->K);
    }
    run->settled = answer.proven && !moves && !is_over(o, run);
    run->cut = work(o) > *o->allowed;
    const double rows = *o->touched / fmax(o->pass, 1) * (double)p->n;
    run->rows_visited += (int64_t)ceil(run->cut ? fmax(rows, run->rows_left) : rows); /* other work counts as rows at the limit */
    if (run->cut || spd_stop_now(run->stop)) return SPD_CONTINUE;                     /* what was stopped shows nothing */
    return answer.proven && k + 1 < STEPS_MOST ? SPD_CONTINUE : SPD_GIVES_UP;
}

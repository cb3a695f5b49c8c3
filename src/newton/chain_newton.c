/* chain_newton.c - Newton's method for signals on lines and trees: the models of signal_newton.c by dynamic programming.
 *
 *   u = argmin over X of the model: messages from the leaves to the root, then x from the root to the leaves (variation.c)
 *   y: forces along the edges, by elimination from the leaves (dual.c)
 *
 * With the squared loss the model is exact and one step suffices, in linear time. */
#include "newton/signal_newton.h"

typedef struct chain_newton {
    spd_signal_newton signal;
    spd_forest forest;
    spd_variation variation;
    double *t, *s; /* work: by nodes */
    double *range; /* work: 4 d */
} chain_newton;

static const char *refuses(const spdhg_problem *p) {
    const char *why = spd_signal_newton_refuses(p);
    return why ? why : spd_forest_refuses(p);
}

static void minimise(spd_signal_newton *signal, const spd_unary *f, double low, double high, double *u, spd_stop *stop) {
    (void)stop;
    spd_variation_prox(&((chain_newton *)signal)->variation, f, low, high, u);
}

static void groups(spd_signal_newton *signal, double low, double high, const double *u, int32_t *group) {
    spd_variation_groups(&((chain_newton *)signal)->forest, u, low, high, group);
}

static void dual(spd_signal_newton *signal, const spdhg_problem *p, int64_t k, const spd_unary *model, double low, double high,
                 const double *u, double *y) {
    chain_newton *self = (chain_newton *)signal;
    spd_variation_dual(&self->forest, model, low, high, u, self->t, self->s, self->range);
    spd_forest_write_dual(&self->forest, p, k, self->t, self->s, y);
}

static const spd_signal_way by_dynamic_programming = {.minimise = minimise, .groups = groups, .dual = dual};

static void layout(spd_run *run) {
    chain_newton *self = run->self;
    const spdhg_problem *p = run->problem;
    spd_signal_newton_layout(run, &self->signal, &by_dynamic_programming);
    spd_forest_layout(&self->forest, p, &run->work);
    spd_variation_layout(&self->variation, &self->forest, &run->work);
    self->t = spd_arena_take(&run->work, p->d);
    self->s = spd_arena_take(&run->work, p->d);
    self->range = spd_arena_take(&run->work, 4 * p->d);
    self->signal.column = self->forest.column;
    self->signal.flip = self->forest.flip;
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_signal_newton_start(run, x0, c0, y0);
    spd_forest_fill(&((chain_newton *)run->self)->forest, run->problem);
}

const spd_solver_kind spd_solver_chain_newton = {
    .name = "chain-newton",
    .what = "Newton by dynamic programming; exact, for signals on lines and trees, in linear time",
    .reference = "Johnson: A dynamic programming algorithm for the fused lasso and L0-segmentation, JCGS 2013",
    SPD_EXACT_KIND(chain_newton),
    .refuses = refuses,
    .step = spd_signal_newton_step,
    .output = spd_newton_output};

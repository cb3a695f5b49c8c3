/* cut_newton.c - Newton's method for signals on any graph: the models of signal_newton.c by maximum flows.
 *
 *   u = argmin over X of the model: the nodes are divided by minimum cuts until every part is flat (chain/cuts.c)
 *   y: the flow along the edges
 *
 * With the squared loss the model is exact and one step suffices. The flow of a step, and that of the previous lambda of a path,
 * is where the next one starts. Images, volumes and maps: the time grows a little faster than the number of edges. */
#include "chain/network.h"
#include "newton/signal_newton.h"

typedef struct cut_newton {
    spd_signal_newton signal;
    spd_network network;
    spd_cuts cuts;
    double *s; /* work: by nodes */
} cut_newton;

static const char *refuses(const spdhg_problem *p) {
    const char *why = spd_signal_newton_refuses(p);
    return why ? why : spd_network_refuses(p);
}

static void begin(spd_signal_newton *signal, const spdhg_problem *p, int64_t k, const double *y) {
    spd_network_begin(&((cut_newton *)signal)->network, p, k, y);
}

static void minimise(spd_signal_newton *signal, const spd_unary *f, double low, double high, double *u, spd_stop *stop) {
    spd_cuts_solve(&((cut_newton *)signal)->cuts, f, low, high, u, stop);
}

static void groups(spd_signal_newton *signal, double low, double high, const double *u, int32_t *group) {
    (void)low;
    (void)high;
    (void)u;
    memcpy(group, ((cut_newton *)signal)->cuts.group, (size_t)((cut_newton *)signal)->network.d * sizeof *group);
}

static void dual(spd_signal_newton *signal, const spdhg_problem *p, int64_t k, const spd_unary *model, double low, double high,
                 const double *u, double *y) {
    (void)low;
    (void)high;
    cut_newton *self = (cut_newton *)signal;
    spd_cuts_single(&self->cuts, model, u, self->s);
    spd_network_dual(&self->network, p, k, self->s, y);
}

static const spd_signal_way by_cuts = {.begin = begin, .minimise = minimise, .groups = groups, .dual = dual};

static void layout(spd_run *run) {
    cut_newton *self = run->self;
    spd_signal_newton_layout(run, &self->signal, &by_cuts);
    spd_network_layout(&self->network, run->problem, &run->work);
    spd_cuts_layout(&self->cuts, &self->network, &run->work);
    self->s = spd_arena_take(&run->work, run->problem->d);
}

static void start(spd_run *run, const double *x0, const double *c0, const double *y0) {
    spd_signal_newton_start(run, x0, c0, y0);
    spd_network_fill(&((cut_newton *)run->self)->network, run->problem);
}

const spd_solver_kind spd_solver_cut_newton = {
    .name = "cut-newton",
    .what = "Newton by maximum flows; exact, for signals on graphs: images, volumes, maps",
    .reference = "Hochbaum: An efficient algorithm for image segmentation, Markov random fields and related problems, JACM 2001",
    SPD_EXACT_KIND(cut_newton),
    .refuses = refuses,
    .step = spd_signal_newton_step,
    .output = spd_newton_output};

/* denoise.c - the handle spdhg_denoised: a solve at the given lambda, or a path of lambdas from which one is chosen; then the fit
 * at every point, its knots and its segments. */
#include "signal/signal.h"

static const double FREE_MOST = 0.5; /* degrees of freedom per value above which a fit removes little noise */

struct spdhg_denoised {
    spd_signal signal; /* the caller's arrays are no longer read */
    spd_signal_problem problem;
    spdhg_path *path;
    spdhg_solver *solver; /* lambda was given */
    double *x;
    int64_t *knot;
    spdhg_segment *segment;
    spdhg_denoised_view view;
};

/* The caller's struct may be older and shorter: missing members keep their defaults. */
static spdhg_status take_options(spdhg_denoise_options *o, const spdhg_denoise_options *given, spdhg_error *err) {
    *o = (spdhg_denoise_options)SPDHG_DENOISE_OPTIONS;
    SPD_TRY(SPD_OPTIONS_TAKE(spdhg_denoise_options, o, given, err));
    static const char *const criterion[] = {"cv", "cp", "aic", "bic", "ebic"};
    bool known = false;
    for (size_t i = 0; i < sizeof criterion / sizeof *criterion; i++) known = known || strcmp(o->choose, criterion[i]) == 0;
    if (!known)
        return spd_fail(err, SPDHG_USAGE, "unknown way to choose lambda, '%s'; expected cv, cp, aic, bic, ebic", o->choose);
    if (o->lambda != SPDHG_LAMBDA_CHOSEN && !(o->lambda >= 0 && isfinite(o->lambda)))
        return spd_fail(err, SPDHG_USAGE, "lambda %g: expected a finite number of at least 0", o->lambda);
    return SPDHG_OK;
}

static spdhg_status solve_at(spdhg_denoised *d, double lambda, const spdhg_options *solve, spdhg_error *err) {
    SPD_TRY(spdhg_problem_scale_lambda(d->problem.problem, lambda, err));
    SPD_TRY(spdhg_solver_new(&d->solver, d->signal.options.solver, d->problem.problem, solve, err));
    SPD_TRY(spdhg_solver_run(d->solver, &d->view.outcome, err));
    const spd_settling zeros = d->signal.order >= 0 ? SPD_SETTLE : SPD_SETTLE_ASK; /* knots matter, edges of an image do not */
    SPD_TRY(spd_tune_settle(d->solver, zeros, &d->view.settled, &d->view.outcome, err));
    d->view.lambda = lambda;
    d->view.degrees = NAN;
    return d->view.settled ? spd_path_degrees(d->problem.problem, spdhg_solver_solution(d->solver)->x, &d->view.degrees, err)
                           : SPDHG_OK;
}

static spdhg_status choose(spdhg_denoised *d, const spdhg_options *solve, spdhg_error *err) {
    const spdhg_denoise_options *o = &d->signal.options;
    const bool validated = strcmp(o->choose, "cv") == 0;
    spdhg_path_options along = SPDHG_PATH_OPTIONS;
    if (strcmp(o->choose, "none") == 0) return spd_fail(err, SPDHG_USAGE, "lambda is neither given nor chosen");
    SPD_TRY(spd_lambda_max_bound(d->problem.problem, solve, &along.lambda_max, err));
    if (along.lambda_max == 0) return solve_at(d, 0, solve, err); /* F y = 0: the fit is the data for every lambda */
    along.lambda_max *= 1 + 1e-6;
    along.lambdas = o->lambdas;
    along.ratio = o->ratio;
    along.saturation = 0;
    along.folds = validated ? o->folds : 0;
    along.choose = validated ? "loss" : o->choose;
    along.rule = o->rule;
    along.noise = o->noise;
    along.solver = o->solver;
    spd_held_out held = {&d->signal, &d->problem};
    const spd_path_ways ways = {spd_signal_validate, &held, FREE_MOST * (double)d->problem.count};
    SPD_TRY(spd_path_new(&d->path, d->problem.problem, &along, solve, &ways, err));
    const spdhg_path_point *point = &d->path->point[spdhg_path_chosen(d->path)];
    d->view.path = d->path;
    d->view.lambda = point->lambda;
    d->view.degrees = point->degrees;
    d->view.settled = !isnan(point->degrees);
    d->view.outcome = spdhg_path_outcome(d->path);
    return SPDHG_OK;
}

/* Converts scores to means: poisson fits logarithms of means. */
static void to_means(spdhg_denoised *d) {
    const spdhg_problem *p = d->problem.problem;
    if (!p->loss->mean) return;
    for (int64_t i = 0; i < d->signal.given.points; i++) d->x[i] = p->loss->mean(d->x[i], p->loss_arg);
    for (int64_t i = 0; i < d->view.segments; i++) d->segment[i].level = p->loss->mean(d->segment[i].level, p->loss_arg);
}

/* Fills in the view of x. */
static spdhg_status describe(spdhg_denoised *d, spdhg_error *err) {
    const spdhg_problem *p = d->problem.problem;
    const spdhg_solution *s = spdhg_solver_solution(d->path ? spdhg_path_solver(d->path) : d->solver);
    spdhg_denoised_view *v = &d->view;
    double *Fx = SPD_NEW(double, p->m);
    bool *zero = SPD_NEW(bool, p->m);
    d->x = SPD_NEW(double, d->signal.given.points);
    spdhg_status status = Fx && zero && d->x ? SPDHG_OK : spd_fail_memory(err, 17.0 * (double)d->signal.given.points);
    if (status == SPDHG_OK) {
        spd_problem_apply(p, s->x, Fx);
        spd_zero_rows(p, s->x, Fx, 0, zero);
        spd_signal_fill(&d->signal, &d->problem, s->x, d->x);
        status = spd_line_knots(&d->signal, &d->problem, zero, &d->knot, &v->knots, err);
    }
    if (status == SPDHG_OK) status = spd_chain_segments(&d->signal, &d->problem, zero, s->x, &d->segment, &v->segments, err);
    if (status == SPDHG_OK) to_means(d);
    spd_free(Fx);
    spd_free(zero);
    v->points = d->signal.given.points;
    v->observed = d->problem.count;
    v->x = d->x;
    v->knot = d->knot;
    v->segment = d->segment;
    v->lambda_sum = v->lambda * d->problem.W;
    v->objective = s->objective;
    v->train_loss = s->train_loss;
    v->penalty = s->penalty;
    v->gap = s->gap;
    v->gap_relative = s->gap_relative;
    v->gap_kind = s->gap_kind;
    v->solver = s->solver;
    v->differences = s->structure_nonzeros;
    return status;
}

static spdhg_status run(spdhg_denoised *d, const spdhg_signal *signal, const spdhg_denoise_options *options,
                        const spdhg_options *solve, spdhg_error *err) {
    spdhg_denoise_options o;
    SPD_TRY(take_options(&o, options, err));
    SPD_TRY(spd_signal_open(&d->signal, signal, &o, err));
    SPD_TRY(spd_signal_problem_new(&d->problem, &d->signal, NULL, 0, err));
    SPD_TRY(o.lambda == SPDHG_LAMBDA_CHOSEN ? choose(d, solve, err) : solve_at(d, o.lambda, solve, err));
    return describe(d, err);
}

spdhg_status spdhg_denoise(spdhg_denoised **out, const spdhg_signal *signal, const spdhg_denoise_options *options,
                           const spdhg_options *solve, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    spdhg_denoised *d = SPD_NEW(spdhg_denoised, 1);
    if (!d) return spd_fail_memory(err, sizeof *d);
    const spdhg_status status = run(d, signal, options, solve, err);
    if (status != SPDHG_OK) {
        spdhg_denoised_free(d);
        return status;
    }
    *out = d;
    return SPDHG_OK;
}

void spdhg_denoised_get_view(const spdhg_denoised *d, spdhg_denoised_view *out) { *out = d->view; }

void spdhg_denoised_free(spdhg_denoised *d) {
    if (!d) return;
    spdhg_path_free(d->path);
    spdhg_solver_free(d->solver);
    spd_signal_problem_free(&d->problem);
    spd_signal_close(&d->signal);
    spd_free(d->x);
    spd_free(d->knot);
    spd_free(d->segment);
    spd_free(d);
}

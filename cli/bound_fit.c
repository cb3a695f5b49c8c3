/* bound_fit.c - `fit --bound`: which theorem applies to this run, with which constants; or why none does. */
#include "cli.h"
#include "problem/sample.h"

static double told(const cli_solve_options *o,
                   const char *name) { /* --param NAME=VALUE, the last one, a word as its number; NAN: not given */
    double value = NAN;
    for (int i = 0; i < o->params; i++)
        if (strncmp(o->param[i].name, name, strlen(name)) == 0 && o->param[i].name[strlen(name)] == '=')
            value =
                isnan(o->param[i].value) ? (double)spd_smoothness_find(o->param[i].name + strlen(name) + 1) : o->param[i].value;
    return value;
}

void cli_bound_option(const struct argp_state *state, const char *arg, cli_bound *b) {
    b->asked = true;
    if (arg) b->omega = spd_bound_omega(cli_number(state, "--bound", arg, 0, 0.999999999));
}

spdhg_status cli_bound_of_fit(cli_bound *b, const cli_solve_options *o, const spdhg_problem *p, spdhg_error *err) {
    b->rule = spd_bound_of_solver(o->solver);
    if (!b->rule)
        return spd_fail(
            err, SPDHG_USAGE,
            "--bound: no theorem covers --solver %s; there are theorems for spdhg, spdhg-sc1, spdhg-sc2, spdhg-sc1h, spdhg-sc2h",
            o->solver);
    if (o->options.sampling == SPDHG_SAMPLING_SHUFFLE)
        return spd_fail(err, SPDHG_USAGE, "--bound: the theorems assume rows drawn independently; use --sampling iid or norm");
    if (o->options.tol > 0)
        return spd_fail(err, SPDHG_USAGE,
                        "--bound: the theorems assume a number of iterations that does not depend on the draws; use --epochs "
                        "without --tol");
    if (told(o, "scale") != 1 && !isnan(told(o, "scale")))
        return spd_fail(err, SPDHG_USAGE, "--bound: the theorems assume their own step sizes; omit --param scale");
    const spd_solver_kind *kind = spd_solver_find(o->solver);
    const int64_t asked = o->options.batch, batch = asked == SPDHG_BATCH_AUTO ? spd_batch_auto(p, kind->dual_cost(p)) : asked;
    const spd_bound_question question = {.distance = NAN,
                                         .L = told(o, "L"),
                                         .s = told(o, "s"),
                                         .batch = batch > 0 ? batch : 1,
                                         .sampling = o->options.sampling,
                                         .threads = spd_threads(o->options.threads)};
    spdhg_error why = {0};
    const spdhg_status status = spd_bound_constants_of(&b->setting, p, &question, &why);
    return status == SPDHG_OK ? SPDHG_OK : spd_fail(err, status, "--bound: %s", why.message);
}

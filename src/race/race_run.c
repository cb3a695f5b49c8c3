/* race_run.c - one run of a race, and the certified optimum it is compared with. A run uses one thread and is timed by that
 * thread's processor time, so other processes do not affect it. Evaluating its points is not counted. */
#include "race/race.h"

#define OPTIMUM_TOLERANCE 1e-9

typedef struct watch {
    spd_race *race;
    double limit; /* seconds on the run's clock */
    bool late;
} watch;

static int at_event(void *user, const spdhg_event *event) {
    watch *w = user;
    if (event->kind == SPDHG_EVENT_LOG || event->kind == SPDHG_EVENT_NOTICE) return 0;
    if (spd_race_asked_to_stop(w->race)) return 1;
    const bool unfinished = event->epochs_asked == 0 || event->point->epoch < event->epochs_asked;
    if (event->point->seconds >= w->limit && unfinished) w->late = true;
    return w->late;
}

static void note(spd_race_run *out, spd_race_status status, const char *message) {
    out->known = true;
    out->status = status;
    snprintf(out->message, sizeof out->message, "%s", message);
}

/* It is a result if a solver does not support the problem, or not within the memory limit. Running out of memory is not: memory
 * may be available another time. */
static spdhg_status refused(spd_race_run *out, spdhg_status status, const spdhg_error *why, spdhg_error *err) {
    if (spd_ran_out(why)) {
        if (err) *err = *why;
        return status;
    }
    note(out, status == SPDHG_USAGE || status == SPDHG_MEMORY ? SPD_RACE_REFUSED : SPD_RACE_FAILED, why->message);
    return SPDHG_OK;
}

static spdhg_status keep_trace(const spd_race *race, const spdhg_solver *solver, spd_race_run *out, spdhg_error *err) {
    int64_t points;
    const spdhg_point *point = spdhg_solver_trace(solver, &points);
    spd_trace_clear(&out->trace);
    for (int64_t i = 0; i < points; i++) SPD_TRY(spd_race_add_point(race, out, &point[i], err));
    return SPDHG_OK;
}

static spdhg_status set_param(spdhg_solver *solver, const spd_race_param *param, spdhg_error *err) {
    const char *word = spd_smoothness_word(param->value);
    return word ? spdhg_solver_choose(solver, param->name, word, err) : spdhg_solver_set(solver, param->name, param->value, err);
}

static spdhg_status run_it(watch *w, spdhg_solver *solver, const spdhg_data *test, const spd_race_params *params,
                           spd_race_run *out, spdhg_error *err) {
    spdhg_error own = {0};
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    spdhg_status status = spdhg_solver_test(solver, test, &own);
    for (int i = 0; i < params->count && status == SPDHG_OK; i++) status = set_param(solver, &params->param[i], &own);
    spd_solver_compare(solver, spd_thread_seconds);
    if (status == SPDHG_OK) status = spdhg_solver_run(solver, &outcome, &own);
    if (status != SPDHG_OK) return refused(out, status, &own, err);
    if (w->late)
        note(out, SPD_RACE_TIME_OUT, "");
    else if (outcome == SPDHG_OUTCOME_DIVERGED)
        note(out, SPD_RACE_DIVERGED, spdhg_outcome_text(outcome));
    else
        note(out, SPD_RACE_DONE, "");
    return keep_trace(w->race, solver, out, err);
}

spdhg_status spd_race_solve(spd_race *race, const char *solver, spdhg_problem *p, const spdhg_data *test,
                            const spd_race_params *params, uint64_t seed, double run_time, spd_race_run *out, spdhg_error *err) {
    watch w = {.race = race, .limit = run_time};
    spdhg_options o = SPDHG_OPTIONS;
    out->by_seconds = spd_race_by_seconds(solver);
    o.epochs = out->by_seconds ? 0 : race->o.epochs;
    o.tol = out->by_seconds ? OPTIMUM_TOLERANCE : 0; /* 0: all run equally long */
    o.every = race->o.every;
    o.batch = race->o.batch;
    o.sampling = race->o.sampling;
    o.seed = seed;
    o.threads = 1;
    o.max_memory = race->o.max_memory;
    o.callback = at_event;
    o.user = &w;
    spdhg_solver *s;
    spdhg_error own = {0};
    const spdhg_status made = spdhg_solver_new(&s, solver, p, &o, &own);
    if (made != SPDHG_OK) return refused(out, made, &own, err);
    const spdhg_status status = run_it(&w, s, test, params, out, err);
    spdhg_solver_free(s);
    return status;
}

enum { OPTIMUM_TIMES_LONGER = 10 };
#define OPTIMUM_GOOD_ENOUGH 1e-7 /* relative to f(0) - f*: a tenth of the finest level */

static spdhg_status write_model(const spdhg_solver *solver, const char *path, spdhg_error *err) {
    spdhg_model *model;
    SPD_TRY(spdhg_model_from_solver(&model, solver, err));
    const spdhg_status status = spdhg_model_write(model, path, err);
    spdhg_model_free(model);
    return status;
}

static void take_optimum(const spdhg_solver *solver, spd_race_optimum *out) {
    const spdhg_solution *x = spdhg_solver_solution(solver);
    const bool proven = strcmp(x->gap_kind, "certified") == 0;
    out->known = true;
    out->objective = x->objective;
    out->gap = proven ? x->gap : NAN;
    out->lower = proven ? x->objective - x->gap : NAN;
    out->certified = proven && x->gap <= OPTIMUM_GOOD_ENOUGH * (out->start - x->objective);
}

spdhg_status spd_race_solve_optimum(spd_race *race, spdhg_problem *p, uint64_t seed, const char *model, spd_race_optimum *out,
                                    spdhg_error *err) {
    watch w = {.race = race, .limit = OPTIMUM_TIMES_LONGER * race->o.run_time};
    spdhg_options o = SPDHG_OPTIONS;
    o.tol = OPTIMUM_TOLERANCE;
    o.seed = seed;
    o.threads = 1;
    o.callback = at_event;
    o.user = &w;
    double *zero = SPD_NEW(double, p->dK);
    if (!zero) return spd_fail_memory(err, 8.0 * (double)p->dK);
    spdhg_solver *solver = NULL;
    spdhg_outcome outcome;
    spdhg_status status = spdhg_problem_evaluate(p, zero, NULL, &out->start, NULL, NULL, err);
    spd_free(zero);
    if (status == SPDHG_OK) status = spdhg_solver_new(&solver, "auto", p, &o, err);
    if (status == SPDHG_OK) status = spdhg_solver_run(solver, &outcome, err);
    if (status == SPDHG_OK) take_optimum(solver, out);
    if (status == SPDHG_OK && model && !atomic_load(&race->stop)) status = write_model(solver, model, err);
    for (int64_t t = 0; t < p->terms; t++) {
        out->structure_rows += p->term[t].m;
        out->structure_nonzeros += spd_csr_nnz(&p->term[t].F->F);
    }
    spdhg_solver_free(solver);
    return status;
}

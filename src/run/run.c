/* run.c - the one loop, which runs one stage of a plan. It alone handles sampling, the clock, stopping, the trace, divergence and
 * interruption; solvers only step.
 *   draw a batch -> step -> at every trace interval: pause the clock, evaluate, record, tell the caller, stop? */
#include "run/loop.h"

void spd_loop_log(void *context, const char *sentence) {
    const spdhg_solver *s = context;
    const spdhg_event event = {.kind = SPDHG_EVENT_LOG, .message = sentence, .epochs_asked = spd_epochs_asked(s)};
    if (s->options.callback) s->options.callback(s->options.user, &event);
}

void spd_loop_notice(const spdhg_solver *s, const char *sentence) {
    const spdhg_event event = {.kind = SPDHG_EVENT_NOTICE, .message = sentence, .epochs_asked = spd_epochs_asked(s)};
    if (s->options.callback) s->options.callback(s->options.user, &event);
}

/* Steps between polls, from the numbers that one iteration touches: the caller is asked about every ten milliseconds. */
static int64_t steps_between_polls(const spdhg_solver *s, const spd_solver_kind *kind, int64_t batch) {
    const spdhg_problem *p = s->problem;
    const double dual = kind->dual_cost ? (double)kind->dual_cost(p) : 0;
    const double rows = kind->full_information ? (double)p->n : (double)batch;
    const double cost = dual + (double)p->K * rows * (2.0 * (double)p->nnz / (double)p->n + 50);
    const double steps = 1e7 / cost;
    return steps > 1 ? (int64_t)steps : 1;
}

static double epochs_of(const spd_loop *l) { return (double)l->run.rows_visited / (double)l->solver->problem->n; }

/* Evaluates the solver's output; keeps it as the solution if it is finite and not far above the start. Returns false when the
 * run cannot recover. */
static bool measure(spd_loop *l, bool final, spdhg_status *status, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    const spdhg_problem *p = s->problem;
    spd_limits_grant(s);
    spd_loop_note(l);
    l->measured = l->k;
    l->run.kind->output(&l->run, l->x, l->c, l->y);
    if (p->set.kind->separable) p->set.kind->project(p->dK, p->set.arg, l->x, NULL); /* rounding may put an average outside */
    spdhg_point point = {
        .epoch = l->epochs_before + epochs_of(l), .iteration = l->iterations_before + l->k, .seconds = l->seconds};
    bool finite = spd_all_finite(p->dK, l->x) && spd_all_finite(p->K, l->c) && spd_all_finite(p->m * p->K, l->y);
    spd_loop_proof_budget(l, final);
    if (finite) {
        s->evaluator.own_alpha = l->thin ? NULL : l->run.own_alpha; /* of other rows, on a sample */
        spd_evaluate(&s->evaluator, l->x, l->c, l->y, &point);
        s->evaluator.own_alpha = NULL;
        finite = !spd_outcome_hopeless(l, point.objective);
    } else
        point.objective = point.train_loss = point.penalty = point.test_loss = point.test_score = point.gap = point.dual_norm =
            NAN;
    *status = spd_trace_add(&s->trace, &point, err);
    l->far = finite && spd_outcome_far(l, point.objective);
    l->astray = !finite || l->far || spd_outcome_astray(l, point.objective);
    if (!l->astray) {
        spd_solver_keep(s, l->run.kind, l->x, l->c, l->y, &point);
        if (!l->thin) l->run.evaluation = s->evaluator.evaluation;
    }
    if (spd_tell(s, SPDHG_EVENT_POINT, &point)) spd_stop_call_off(&s->stop);
    return finite;
}

/* Evaluates the point of a checkpoint again, as it was evaluated before: for what the next step takes from there. */
static void look_again(spd_loop *l) {
    spdhg_solver *s = l->solver;
    spdhg_point point = {0};
    l->run.kind->output(&l->run, l->x, l->c, l->y);
    if (l->solver->problem->set.kind->separable) s->problem->set.kind->project(s->problem->dK, s->problem->set.arg, l->x, NULL);
    s->trace.points--;
    spd_loop_proof_budget(l, false);
    s->trace.points++;
    spd_evaluate(&s->evaluator, l->x, l->c, l->y, &point);
    if (!l->thin) l->run.evaluation = s->evaluator.evaluation;
}

/* Rows are drawn one iteration ahead: the next step's data is prefetched into the cache while this step computes. */
static void draw_ahead(spd_loop *l, int64_t k) {
    const int64_t batch = l->run.batch;
    spd_row *rows = l->rows + (k % 2) * batch;
    spd_sampler_draw(&l->sampler, k, rows);
    for (int64_t i = 0; i < batch; i++) {
        for (int64_t byte = 0; byte < (int64_t)sizeof(double) * rows[i].nnz && byte < 512; byte += 64)
            __builtin_prefetch((const char *)rows[i].val + byte);
        if (rows[i].idx) __builtin_prefetch(rows[i].idx);
    }
}

/* A few steps, up to the next point or poll; none after a step that said it is the last or was cut short. */
static void advance(spd_loop *l, int64_t steps, double until, double last) {
    const int64_t batch = l->run.batch;
    if (l->rows) draw_ahead(l, l->k);
    for (int64_t i = 0; i < steps && l->said == SPD_CONTINUE && !l->cut && (double)l->run.rows_visited < until; i++) {
        spd_batch rows = {0};
        if (l->rows) {
            rows = (spd_batch){.size = batch, .row = l->rows + (l->k % 2) * batch};
            draw_ahead(l, l->k + 1);
            l->run.rows_visited += batch;
        }
        l->run.own_alpha = NULL;
        l->run.far = l->run.settled = l->run.cut = false;
        if (l->solver->counted) l->run.rows_left = last - (double)l->run.rows_visited;
        l->rows_before = l->run.rows_visited;
        l->known_before = l->run.evaluation.z != NULL;
        if (l->before_memory)
            l->before = memcpy(l->before_memory, l->run.state.base, (size_t)l->run.state.size * sizeof *l->before);
        l->said = l->run.kind->step(&l->run, l->k++, &rows);
        l->cut = l->run.cut || spd_stop_why(&l->solver->stop) != SPD_GO_ON;
        l->solver->settled = l->run.settled;
        l->run.evaluation = (spd_evaluation){0};
    }
}

/* A checkpoint that cannot be written does not end the run: the caller is told, and the next one may succeed. */
static void save_now_and_then(spd_loop *l) {
    const spdhg_options *o = &l->solver->options;
    if (!o->checkpoint || spd_now() - l->saved_at < o->checkpoint_every) return;
    if (spd_loop_good(l->solver, NULL) != SPDHG_OK) return; /* the last step is worthless */
    spdhg_error err;
    if (spd_loop_save(l, &err) != SPDHG_OK) spd_loop_notice(l->solver, err.message);
}

/* Rows until the next evaluation. A run to a tolerance evaluates every epoch at first, then after every tenth of its length. The
 * cost of evaluations stays in proportion, and the end is not missed by much. */
static double next_point(const spd_loop *l, double every) {
    const double now = (double)l->run.rows_visited, n = (double)l->solver->problem->n;
    if (l->thin && l->solver->options.every == 0) return INFINITY; /* a stage on a sample is short: only at its end */
    if (l->solver->options.tol > 0 && l->solver->options.every == 0) return now + fmax(n, 0.1 * now);
    return every * (floor(now / every) + 1);
}

/* Runs one stage to its end; the outcome is what ended it. */
static spdhg_status run_stage(spd_loop *l, double epochs, spdhg_outcome *outcome, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    const double n = (double)s->problem->n, last = epochs > 0 ? epochs * n : INFINITY;
    const double every = n * (s->options.every > 0 ? s->options.every : spd_trace_interval(epochs));
    const int64_t steps = steps_between_polls(s, l->run.kind, l->run.batch);
    spdhg_status status = SPDHG_OK;
    const bool first = l->k == 0 && (l->restored ? l->fresh : !l->run.evaluation.z);
    bool over = false;
    if (!l->restored || s->options.tol == 0 || s->options.every > 0) l->next = next_point(l, every);
    if (first && !measure(l, false, &status, err)) *outcome = SPDHG_OUTCOME_DIVERGED;
    if (first && status == SPDHG_OK && spd_outcome_starts_well(l)) *outcome = SPDHG_OUTCOME_CONVERGED;
    while (status == SPDHG_OK && *outcome == SPDHG_OUTCOME_DONE && !over) {
        const double from = s->clock(), until = l->next < last ? l->next : last;
        if (!spd_limits_reached(s)) advance(l, steps, until, last);
        l->seconds += s->clock() - from;
        s->at = (spdhg_point){
            .epoch = l->epochs_before + epochs_of(l), .iteration = l->iterations_before + l->k, .seconds = l->seconds};
        save_now_and_then(l);
        over = spd_limits_reached(s) || (double)l->run.rows_visited >= last || l->said != SPD_CONTINUE;
        if ((double)l->run.rows_visited >= until || over) {
            const bool far = l->run.far && !over && s->options.every == 0 && !s->compared;
            const double now = l->next; /* an evaluation that only the end of the run asks for does not put off the next one */
            if (far) l->next = next_point(l, every);
            if (far) continue;
            const bool known = l->measured == l->k && (l->k == 0 || s->evaluator.gap.kind == SPD_GAP_CERTIFIED);
            const bool final = (over && spd_outcome_is_last(l)) || s->ended != SPD_GO_ON;
            *outcome = known || measure(l, final, &status, err) ? spd_outcome_of_stage(l, over) : spd_outcome_of_kept(l);
            if ((double)l->run.rows_visited >= now) l->next = next_point(l, every);
            if (status == SPDHG_OK) status = spd_loop_separate(l, outcome, err);
        }
    }
    return status;
}

static spdhg_status prepare_stage(spd_loop *l, const spd_solver_kind *kind, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    const int64_t batch = spd_solver_batch(s, kind), stride = s->plan.stage[l->stage].stride;
    if (stride > 1) SPD_TRY(spd_problem_thin(&l->thin, s->problem, stride, s->options.seed, err));
    const spdhg_problem *p = l->thin ? l->thin : s->problem;
    spd_solver_params(s, kind, l->param);
    const bool again = s->kept.kind == kind && !l->thin;
    if (again)
        spd_run_again(&l->run, &s->kept, l->param);
    else {
        SPD_TRY(spd_run_new(&l->run, kind, p, l->param, s->options.sampling, batch, s->threads, &s->stop, err));
        SPD_TRY(spd_run_allocate(&l->run, err));
    }
    l->x = SPD_NEW(double, p->dK);
    l->c = SPD_NEW(double, p->K);
    l->y = SPD_NEW(double, p->m * p->K);
    if (!l->x || !l->c || !l->y) return spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
    if (!kind->full_information) {
        l->rows = SPD_NEW(spd_row, 2 * batch);
        if (!l->rows) return spd_fail_memory(err, 2.0 * (double)sizeof(spd_row) * (double)batch);
        SPD_TRY(spd_sampler_new(&l->sampler, p, s->options.sampling, s->options.seed, batch, err));
    }
    l->run.seed = s->options.seed;
    l->run.goal = s->options.tol;
    l->run.enough = s->keeps ? s->options.tol : 0;
    l->run.own_alpha = NULL;
    l->run.stop = s->options.checkpoint && !kind->exact ? NULL : &s->stop; /* a checkpoint holds whole steps only */
    l->before_memory = s->options.checkpoint && kind->exact ? SPD_NEW(double, l->run.state.size) : NULL;
    l->dual = s->options.checkpoint ? SPD_NEW(double, spd_loop_dual_numbers(l)) : NULL;
    if (s->options.checkpoint && (!l->dual || (kind->exact && !l->before_memory)))
        return spd_fail_memory(err, 8.0 * (double)(l->run.state.size + spd_loop_dual_numbers(l)));
    l->measured = -1;
    l->cut = l->restored = l->fresh = false;
    l->run.rescue = s->plan.stage[l->stage].rescue;
    l->run.followed = l->stage + 1 < s->plan.stages;
    l->run.log = spd_loop_log;
    l->run.log_context = s;
    const double from = s->clock();
    const bool cold = s->plan.stage[l->stage].cold; /* l->x, l->c and l->y are still 0 */
    if (cold && p->constant) memcpy(l->c, p->constant, (size_t)p->K * sizeof *l->c);
    kind->start(&l->run, cold ? l->x : s->x, cold ? l->c : s->c, cold ? l->y : s->y);
    if ((l->iterations_before > 0 || again) && !l->thin && !cold && !l->astray)
        l->run.evaluation = s->evaluator.evaluation; /* from the earlier evaluation */
    l->seconds += s->clock() - from;
    return SPDHG_OK;
}

static void clear_stage(spd_loop *l) {
    l->epochs_before += (double)l->run.rows_visited / (double)l->solver->problem->n;
    l->iterations_before += l->k;
    l->k = 0;
    l->said = SPD_CONTINUE;
    l->hashed = false; /* the next stage may use another solver */
    if (l->solver->keeps && !l->thin) spd_run_again(&l->solver->kept, &l->run, NULL);
    l->solver->evaluator.certifier.lent = NULL;
    spd_run_free(&l->run);
    spdhg_problem_free(l->thin);
    l->thin = NULL;
    spd_sampler_free(&l->sampler);
    spd_free(l->rows);
    spd_free(l->before_memory);
    spd_free(l->dual);
    spd_free(l->x);
    spd_free(l->c);
    spd_free(l->y);
    l->rows = NULL;
    l->before = l->before_memory = l->dual = l->x = l->c = l->y = NULL;
}

spdhg_status spd_loop_stage(spd_loop *l, double epochs, spd_checkpoint *saved, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    spdhg_status status = prepare_stage(l, s->plan.stage[l->stage].kind, err);
    l->unready = status != SPDHG_OK && spd_limits_reached(s);
    if (status == SPDHG_OK && saved->number) {
        status = spd_loop_restore(l, saved, err);
        if (status == SPDHG_OK && saved->known && s->trace.points > 0) look_again(l);
    }
    spd_checkpoint_free(saved);
    if (status == SPDHG_OK) status = run_stage(l, epochs, &s->outcome, err);
    if (status == SPDHG_OK) status = spd_loop_good(s, err);
    if (status == SPDHG_OK && s->options.checkpoint) status = spd_loop_save(l, err);
    clear_stage(l);
    return status;
}

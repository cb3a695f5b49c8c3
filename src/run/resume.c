/* resume.c - checkpoints of a running solve. Everything that determines the iterates is hashed, part by part; only the state
 * arena is saved. After a resume the run continues as the uninterrupted one would have, bit for bit, because the batch of
 * iteration k is a function of (seed, k). */
#include "model/checkpoint.h"
#include "problem/hash.h"
#include "run/loop.h"

static void hash_solver(XXH3_state_t *h, const spd_loop *l) {
    spd_mix_text(h, l->run.kind->name);
    spd_mix(h, l->param, l->run.kind->params, sizeof *l->param);
    spd_mix(h, &l->run.state.size, 1, sizeof l->run.state.size);
}

static void hash_sampling(XXH3_state_t *h, const spd_loop *l) {
    const spdhg_options *o = &l->solver->options;
    spd_mix(h, &o->seed, 1, sizeof o->seed);
    spd_mix(h, &l->run.batch, 1, sizeof l->run.batch);
    spd_mix(h, &o->sampling, 1, sizeof o->sampling);
}

static spdhg_status hashes(const spd_loop *l, uint64_t out[SPD_HASHES], spdhg_error *err) {
    XXH3_state_t *h = XXH3_createState();
    if (!h) return spd_fail_memory(err, 1e3);
    for (int part = 0; part < SPD_HASHES; part++) {
        XXH3_64bits_reset(h);
        if (part == SPD_HASH_DATA) spd_hash_data(h, l->solver->problem);
        if (part == SPD_HASH_PROBLEM) spd_hash_problem(h, l->solver->problem);
        if (part == SPD_HASH_SOLVER) hash_solver(h, l);
        if (part == SPD_HASH_SAMPLING) hash_sampling(h, l);
        out[part] = XXH3_64bits_digest(h);
    }
    XXH3_freeState(h);
    return SPDHG_OK;
}

int64_t spd_loop_dual_numbers(const spd_loop *l) {
    const spdhg_problem *p = l->solver->problem;
    return (p->n + p->m) * p->K;
}

void spd_loop_note(spd_loop *l) {
    const spd_certifier *c = &l->solver->evaluator.certifier;
    if (!l->dual || l->measured == l->k) return; /* a second evaluation of the same point: both will be made again */
    l->points_before = l->solver->trace.points;
    l->next_before = l->next;
    l->dual_known = isfinite(c->best_dual);
    if (l->dual_known) memcpy(l->dual, c->best_alpha, (size_t)spd_loop_dual_numbers(l) * sizeof *l->dual);
}

spdhg_status spd_loop_save(spd_loop *l, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    if (spdhg_ranks_rank(s->options.ranks) > 0) return SPDHG_OK; /* all have the same numbers: one writes */
    const bool ended = l->said != SPD_CONTINUE || s->outcome != SPDHG_OUTCOME_DONE || s->ended != SPD_GO_ON;
    const bool undone = l->before && (l->cut || ended); /* the last step will be repeated */
    const bool unseen = l->measured == l->k;            /* and the last evaluation */
    const spd_certifier *known = &s->evaluator.certifier;
    spd_checkpoint c = {.stage = l->stage,
                        .k = l->k - undone,
                        .rows_visited = undone ? l->rows_before : l->run.rows_visited,
                        .iterations_before = l->iterations_before,
                        .points = unseen ? l->points_before : s->trace.points,
                        .numbers = l->run.state.size,
                        .said = (int64_t)(undone ? SPD_CONTINUE : l->said),
                        .known = undone && l->known_before,
                        .fresh = unseen && l->k == 0,
                        .seconds = l->seconds,
                        .epochs_before = l->epochs_before,
                        .next = unseen ? l->next_before : l->next,
                        .point = s->trace.point,
                        .number = undone ? l->before : l->run.state.base,
                        .dual = unseen ? l->dual : known->best_alpha};
    if (unseen ? l->dual_known : isfinite(known->best_dual)) c.duals = spd_loop_dual_numbers(l);
    if (!l->hashed) SPD_TRY(hashes(l, l->hash, err));
    l->hashed = true;
    memcpy(c.hash, l->hash, sizeof c.hash);
    l->saved_at = spd_now();
    return spd_checkpoint_write(&c, s->options.checkpoint, err);
}

static spdhg_status refuse(const char *path, int part, spdhg_error *err) {
    static const char *const what[SPD_HASHES] = {"the data (rows, labels, weights, offsets or scaling)",
                                                 "the problem (loss, penalty, structure, lambda, gamma, set or intercept)",
                                                 "the solver or one of its parameters",
                                                 "the seed, the batch or the way of sampling"};
    return spd_fail(err, SPDHG_USAGE,
                    "%s belongs to another run: %s changed; epochs, time, tolerance and threads may change, this may not", path,
                    what[part]);
}

spdhg_status spd_loop_open(const spdhg_solver *s, spd_checkpoint *c, bool *previous, spdhg_error *err) {
    SPD_TRY(spd_checkpoint_read(c, s->options.resume, previous, err));
    if (c->stage < s->plan.stages) return SPDHG_OK;
    spd_checkpoint_free(c);
    return refuse(s->options.resume, SPD_HASH_SOLVER, err);
}

spdhg_status spd_loop_restore(spd_loop *l, const spd_checkpoint *c, spdhg_error *err) {
    spdhg_solver *s = l->solver;
    SPD_TRY(hashes(l, l->hash, err));
    l->hashed = true;
    for (int part = 0; part < SPD_HASHES; part++)
        if (c->hash[part] != l->hash[part]) return refuse(s->options.resume, part, err);
    if (c->numbers != l->run.state.size || (c->duals != 0 && c->duals != spd_loop_dual_numbers(l)))
        return refuse(s->options.resume, SPD_HASH_SOLVER, err);
    memcpy(l->run.state.base, c->number, (size_t)c->numbers * sizeof *c->number);
    l->k = c->k;
    l->said = (spd_step)c->said;
    l->restored = true;
    l->fresh = c->fresh != 0;
    l->next = c->next;
    l->run.rows_visited = c->rows_visited;
    l->iterations_before = c->iterations_before;
    l->epochs_before = c->epochs_before;
    l->seconds = c->seconds;
    if (c->duals > 0) spd_certify_known(&s->evaluator.certifier, c->dual, c->dual + s->problem->n * s->problem->K);
    spd_trace_clear(&s->trace);
    for (int64_t i = 0; i < c->points; i++) SPD_TRY(spd_trace_add(&s->trace, &c->point[i], err));
    return SPDHG_OK;
}

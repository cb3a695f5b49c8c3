/* online_save.c - checkpoints of a single pass: the state of the solver, then what a resume must know before it can build the
 * problem: the labels, sums of the scores, batch, index base and the number of labels. What must not change is hashed: the
 * problem, the solver, the features. */
#include "model/checkpoint.h"
#include "online/online_private.h"
#include "problem/hash.h"

enum { LOSS_SUM, RIGHT_SUM, BATCH, INDEX_BASE, CLASSES, EXTRA };

static spdhg_status hashes(const spd_online *o, uint64_t out[SPD_HASHES], spdhg_error *err) {
    const spdhg_problem *p = o->made.problem;
    XXH3_state_t *h = XXH3_createState();
    if (!h) return spd_fail_memory(err, 1e3);
    for (int part = 0; part < SPD_HASHES; part++) {
        XXH3_64bits_reset(h);
        spd_mix_text(h, "single pass");
        if (part == SPD_HASH_DATA) {
            spd_mix(h, &p->d, 1, sizeof p->d);
            spd_mix(h, &o->hash, 1, sizeof o->hash);
        }
        if (part == SPD_HASH_PROBLEM) spd_hash_problem(h, p);
        if (part == SPD_HASH_SOLVER) spd_mix(h, o->param, SPD_ONLINE_PARAMS, sizeof *o->param);
        out[part] = XXH3_64bits_digest(h);
    }
    XXH3_freeState(h);
    return SPDHG_OK;
}

spdhg_status spd_online_save(spd_online *o, double seconds, const char *path, spdhg_error *err) {
    const spdhg_problem *p = o->made.problem;
    const int64_t size = o->run.state.size, numbers = size + EXTRA + p->classes;
    spd_checkpoint c = {
        .k = o->k, .rows_visited = o->score.rows, .numbers = numbers, .seconds = seconds, .number = SPD_NEW(double, numbers)};
    if (!c.number) return spd_fail_memory(err, 8.0 * (double)numbers);
    double *extra = c.number + size + p->classes;
    memcpy(c.number, o->run.state.base, (size_t)size * sizeof *c.number);
    extra[LOSS_SUM] = o->loss_sum;
    extra[RIGHT_SUM] = o->right_sum;
    extra[BATCH] = (double)o->run.batch;
    extra[INDEX_BASE] = o->index_base;
    extra[CLASSES] = (double)p->classes;
    if (p->classes > 0) memcpy(c.number + size, p->class_value, (size_t)p->classes * sizeof *extra);
    spdhg_status status = hashes(o, c.hash, err);
    if (status == SPDHG_OK) status = spd_checkpoint_write(&c, path, err);
    spd_free(c.number);
    return status;
}

static spdhg_status refuse(const char *path, int part, spdhg_error *err) {
    static const char *const what[SPD_HASHES] = {"the number of features, or --hash,",
                                                 "the problem (loss, penalty, structure, lambda, gamma, set or intercept)",
                                                 "a parameter of the solver", "the way of learning"};
    return spd_fail(err, SPDHG_USAGE, "%s belongs to another single pass: %s changed", path, what[part]);
}

static spdhg_status check_extra(const spd_checkpoint *c, const double *e, const char *path, spdhg_error *err) {
    if (c->numbers >= EXTRA && e[BATCH] >= 1 && e[BATCH] <= INT32_MAX && (e[INDEX_BASE] == 0 || e[INDEX_BASE] == 1) &&
        e[CLASSES] >= 0 && e[CLASSES] <= (double)(c->numbers - EXTRA) && c->rows_visited > 0)
        return SPDHG_OK;
    return spd_fail(err, SPDHG_DATA, "%s: not the checkpoint of a single pass", path);
}

static spdhg_status restore(spd_online *o, const spd_checkpoint *c, const double *extra, const char *path, spdhg_error *err) {
    const int64_t size = o->run.state.size;
    uint64_t hash[SPD_HASHES];
    SPD_TRY(hashes(o, hash, err));
    for (int part = 0; part < SPD_HASHES; part++)
        if (hash[part] != c->hash[part]) return refuse(path, part, err);
    if (c->numbers != size + o->made.problem->classes + EXTRA) return refuse(path, SPD_HASH_SOLVER, err);
    memcpy(o->run.state.base, c->number, (size_t)size * sizeof *c->number);
    o->k = c->k;
    o->loss_sum = extra[LOSS_SUM];
    o->right_sum = extra[RIGHT_SUM];
    spd_online_count(o, c->rows_visited);
    return SPDHG_OK;
}

spdhg_status spd_online_resume(spd_online **out, const spd_online_start *start, const char *path, double *seconds, bool *previous,
                               spdhg_error *err) {
    *out = NULL;
    spd_checkpoint c = {0};
    SPD_TRY(spd_checkpoint_read(&c, path, previous, err));
    const double *extra = c.number + (c.numbers > EXTRA ? c.numbers - EXTRA : 0);
    spdhg_status status = check_extra(&c, extra, path, err);
    if (status == SPDHG_OK) {
        spd_online_start known = *start;
        known.batch = (int64_t)extra[BATCH];
        known.index_base = (int)extra[INDEX_BASE];
        known.classes = (int64_t)extra[CLASSES];
        known.class_value = known.classes > 0 ? extra - known.classes : NULL;
        status = spd_online_new(out, &known, err);
    }
    if (status == SPDHG_OK) status = restore(*out, &c, extra, path, err);
    *seconds = c.seconds;
    spd_checkpoint_free(&c);
    if (status != SPDHG_OK) {
        spd_online_free(*out);
        *out = NULL;
    }
    return status;
}

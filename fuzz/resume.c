/* resume.c - bytes as changes to the checkpoint of a tiny run, with a right checksum: the run that goes on from it is refused
 * with a message, or what it ends with keeps its promises (tiny.h). */
#include <stdlib.h>
#include <unistd.h>

#include "model/checkpoint.h"
#include "tiny.h"

static double strange(tiny_source *s) {
    static const double value[] = {0, -1, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY, 1, 0x1p53};
    const int b = tiny_byte(s);
    return b < 128 ? tiny_number(s) : value[b % (int)(sizeof value / sizeof *value)];
}

static void change_numbers(tiny_source *s, double *number, int64_t count) {
    const int b = tiny_byte(s);
    if (count > 0) number[b % count] = strange(s);
}

static void change_count(tiny_source *s, spd_checkpoint *c) {
    int64_t *const count[] = {&c->stage, &c->k, &c->rows_visited, &c->iterations_before, &c->said, &c->known, &c->fresh};
    static const int64_t value[] = {0, 1, 2, 3, -1, 1000, INT64_C(1) << 53, INT64_MAX};
    int64_t *which = TINY_PICK(s, count);
    *which = TINY_PICK(s, value);
}

static void change(tiny_source *s, spd_checkpoint *c) {
    double *const real[] = {&c->seconds, &c->epochs_before, &c->next};
    switch (tiny_choice(s, 6)) {
    case 0: change_numbers(s, c->number, c->numbers); break;
    case 1: change_numbers(s, c->dual, c->duals); break;
    case 2: change_count(s, c); break;
    case 3: *TINY_PICK(s, real) = strange(s); break;
    case 4: change_numbers(s, (double *)c->point, c->points * (int64_t)(sizeof *c->point / sizeof(double))); break;
    default: /* a shorter state than the solver's */
        if (tiny_byte(s) % 2)
            c->duals /= 2;
        else
            c->numbers /= 2;
    }
}

static spdhg_status run(const tiny *t, const char *name, const spdhg_options *o, double start, bool *taken) {
    spdhg_solver *solver = NULL;
    spdhg_error err = {0};
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    spdhg_status status = spdhg_solver_new(&solver, name, t->problem, o, &err);
    *taken = status == SPDHG_OK;
    if (*taken) status = spdhg_solver_run(solver, &outcome, &err);
    FUZZ_MUST(status == SPDHG_OK || (err.status == status && err.message[0] && status != SPDHG_INTERNAL));
    const spdhg_solution *s = status == SPDHG_OK ? spdhg_solver_solution(solver) : NULL;
    if (s && s->gap_kind && outcome != SPDHG_OUTCOME_DIVERGED) (void)tiny_promises(s, outcome, start, o->tol);
    spdhg_solver_free(solver);
    return status;
}

static void forge(tiny_source *s, const char *path) {
    spd_checkpoint c;
    bool previous;
    spdhg_error err = {0};
    FUZZ_MUST(spd_checkpoint_read(&c, path, &previous, &err) == SPDHG_OK && !previous);
    for (int changes = 1 + tiny_choice(s, 4); changes > 0; changes--) change(s, &c);
    FUZZ_MUST(spd_checkpoint_write(&c, path, &err) == SPDHG_OK);
    spd_checkpoint_free(&c);
}

void fuzz_resume(const uint8_t *bytes, size_t size) {
    tiny_source s = {bytes, bytes + size};
    tiny t = {0};
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    const char *name = table[tiny_choice(&s, entries)]->name;
    char folder[] = "/dev/shm/spdhg_fuzz_XXXXXX", path[64], older[80], lock[80];
    FUZZ_MUST(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run", folder);
    snprintf(older, sizeof older, "%s.previous", path);
    snprintf(lock, sizeof lock, "%s.lock", path);
    spdhg_options o = tiny_options((uint64_t)tiny_byte(&s));
    o.epochs = 1 + tiny_choice(&s, 8);
    if (tiny_make(&s, &t)) {
        const double start = tiny_start_value(&t);
        bool taken;
        o.checkpoint = path;
        if (run(&t, name, &o, start, &taken) == SPDHG_OK) {
            forge(&s, path);
            o.epochs *= 2, o.checkpoint = NULL, o.resume = path;
            (void)run(&t, name, &o, start, &taken);
        }
    }
    tiny_free(&t);
    unlink(path), unlink(older), unlink(lock);
    rmdir(folder);
}

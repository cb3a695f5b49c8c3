/* online.c - one pass of spdhg-free (primal_dual/spdhg_free.c) over rows that arrive in blocks, with progressive validation:
 *
 *   for every part of a block of rows
 *     (xbar, cbar) = the average so far;   score every row of the part with it        Blum, Kalai, Langford (COLT 1999)
 *     for every batch of the part, in order:   step
 *
 * A part is a block, but at first as many rows as have been learned before: the untrained model scores few rows.
 *
 * No row is scored after it was learned, so that the mean of the scores estimates the loss on new rows. The theory of the steps
 * asks for rows in random order. The problem is made of a prototype, a few rows with every label in them: nothing else about
 * the data has to be known beforehand. */
#include <stdlib.h>

#include "online/online_private.h"
#include "problem/prepare.h"
#include "problem/sample.h"

enum { PART_LEAST = 128, BATCH_MOST = 256 }; /* larger ones would cost less, but learn too little from a short stream */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

spdhg_status spd_online_classes(const spdhg_data *block, double **value, int64_t *classes, spdhg_error *err) {
    *classes = 0;
    *value = spd_copy(block->b, block->rows * block->targets, sizeof **value);
    if (!*value) return spd_fail_memory(err, 8.0 * (double)block->rows);
    qsort(*value, (size_t)(block->rows * block->targets), sizeof **value, ascending);
    for (int64_t i = 0; i < block->rows * block->targets; i++)
        if (*classes == 0 || (*value)[i] != (*value)[*classes - 1]) (*value)[(*classes)++] = (*value)[i];
    return SPDHG_OK;
}

static spdhg_status refuse(const spd_recipe *o, spdhg_error *err) {
    const char *what = o->standardize                                              ? "--standardize"
                       : o->class_weight                                           ? "--class-weight"
                       : o->weights                                                ? "--weights"
                       : o->offset                                                 ? "--offset"
                       : o->structure && strcmp(o->structure, SPD_LEARNED) == 0    ? "--structure learned"
                       : o->structure && strcmp(o->structure, SPD_CATEGORIES) == 0 ? "--structure categories"
                                                                                   : NULL;
    if (!what) return SPDHG_OK;
    return spd_fail(err, SPDHG_USAGE, "%s: needs all rows at once, which a single pass never has", what);
}

/* Its value 0.5 says that values are not all 1. */
static spdhg_status make_prototype(spd_online *o, const spd_online_start *start, spdhg_error *err) {
    static const double numbers[] = {0, 1}; /* targets that every loss accepts, and that have no slope to one side only */
    const int64_t rows = start->class_value ? start->classes : 2;
    int64_t *ptr = SPD_NEW(int64_t, rows + 1);
    if (!ptr) return spd_fail_memory(err, 8.0 * (double)rows);
    for (int64_t i = 1; i <= rows; i++) ptr[i] = 1;
    const spdhg_status status =
        spdhg_data_from_csr(&o->prototype, rows, start->features, ptr, (const int32_t[]){0}, (const double[]){0.5},
                            start->class_value ? start->class_value : numbers, 1, SPDHG_COPY, err);
    spd_free(ptr);
    SPD_TRY(status);
    o->prototype->index_base = start->index_base == 0 ? 0 : 1;
    o->prototype->hash = start->hash;
    return SPDHG_OK;
}

/* As many rows as make the two halves of a step cost the same (spd_batch_auto), but not so many that steps become rare. */
static int64_t choose_batch(const spd_online *o, const spd_solver_kind *kind, const spd_online_start *start) {
    const spdhg_problem *p = o->made.problem;
    const double row = (double)p->K * (2 * start->row_entries + 20), batch = round((double)kind->dual_cost(p) / row);
    return start->batch > 0 ? start->batch : batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : (int64_t)batch;
}

static spdhg_status make_run(spd_online *o, const spd_online_start *start, spdhg_error *err) {
    const spd_solver_kind *kind = spd_solver_find("spdhg-free");
    const spdhg_problem *p = o->made.problem;
    const char *reason = spd_solver_refuses(kind, p);
    if (reason) return spd_fail(err, SPDHG_USAGE, "spdhg-free: %s", reason);
    const int64_t batch = choose_batch(o, kind, start);
    o->param[0] = start->s;
    o->param[1] = start->reach;
    SPD_TRY(spd_run_new(&o->run, kind, p, o->param, SPDHG_SAMPLING_IID, batch, 1, NULL, err));
    SPD_TRY(spd_run_allocate(&o->run, err));
    o->row = SPD_NEW(spd_row, batch);
    o->x = SPD_NEW(double, p->dK);
    o->c = SPD_NEW(double, 2 * p->K);
    o->y = SPD_NEW(double, p->m * p->K);
    if (!o->row || !o->x || !o->c || !o->y) return spd_fail_memory(err, 8.0 * (double)(p->dK + p->m * p->K));
    kind->start(&o->run, NULL, NULL, NULL);
    return SPDHG_OK;
}

spdhg_status spd_online_new(spd_online **out, const spd_online_start *start, spdhg_error *err) {
    *out = NULL;
    SPD_TRY(refuse(start->recipe, err));
    spd_online *o = SPD_NEW(spd_online, 1);
    if (!o) return spd_fail_memory(err, sizeof *o);
    o->index_base = start->index_base;
    o->hash = start->hash;
    o->seed = start->seed;
    spdhg_status status = make_prototype(o, start, err);
    if (status == SPDHG_OK) status = spd_recipe_build(&o->made, start->recipe, o->prototype, NULL, 0, err);
    if (status == SPDHG_OK) status = spd_problem_freeze(o->made.problem, err);
    if (status == SPDHG_OK) status = make_run(o, start, err);
    if (status == SPDHG_OK)
        *out = o;
    else
        spd_online_free(o);
    return status;
}

static void take_row(const spdhg_data *block, const double *b, int64_t i, spd_row *row) {
    const int64_t from = block->ptr[i];
    *row = (spd_row){
        .nnz = block->ptr[i + 1] - from, .idx = block->idx + from, .val = block->val + from, .b = b + i, .weight = 1, .id = i};
}

static bool predicted(const spdhg_problem *p, const double *z, double b) {
    int64_t best = 0;
    for (int64_t k = 1; k < p->K; k++)
        if (z[k] > z[best]) best = k;
    return p->loss->value ? (z[0] > 0) == (b > 0) : (double)best == b;
}

static void score(spd_online *o, const spdhg_data *block, const double *b, int64_t from, int64_t to) {
    const spdhg_problem *p = o->made.problem;
    double *z = o->c + p->K;
    o->run.kind->output(&o->run, o->x, o->c, o->y);
    for (int64_t i = from; i < to; i++) {
        take_row(block, b, i, o->row);
        spd_row_score(p, o->row, o->x, z);
        for (int64_t k = 0; k < p->K; k++) z[k] += o->c[k];
        o->loss_sum += spd_loss_value(p->loss, p->loss_arg, p->K, z, o->row->b);
        o->right_sum += p->loss->classify && predicted(p, z, *o->row->b);
    }
}

static void learn(spd_online *o, const spdhg_data *block, const double *b, int64_t from, int64_t to) {
    for (int64_t i = from; i < to;) {
        spd_batch batch = {.row = o->row};
        for (; i < to && batch.size < o->run.batch; i++) take_row(block, b, i, &o->row[batch.size++]);
        o->run.kind->step(&o->run, o->k++, &batch);
    }
}

void spd_online_count(spd_online *o, int64_t rows) {
    o->score.rows += rows;
    o->score.iterations = o->k;
    o->score.loss = o->loss_sum / (double)o->score.rows;
    o->score.right = o->made.problem->loss->classify ? o->right_sum / (double)o->score.rows : NAN;
}

/* At least so many rows as have been learned, and a few, in whole batches. */
static int64_t whole_batches(const spd_online *o, int64_t rows) {
    return ((rows > PART_LEAST ? rows : PART_LEAST) + o->run.batch - 1) / o->run.batch * o->run.batch;
}

spdhg_status spd_online_learn(spd_online *o, const spdhg_data *block, spdhg_error *err) {
    double *b;
    SPD_TRY(spd_map_targets(o->made.problem, block, &b, err));
    for (int64_t from = 0, to; from < block->rows; from = to) {
        const int64_t part = whole_batches(o, o->score.rows);
        to = block->rows - from <= part ? block->rows : from + part;
        score(o, block, b, from, to);
        learn(o, block, b, from, to);
        spd_online_count(o, to - from);
    }
    spd_free(b);
    return SPDHG_OK;
}

bool spd_online_diverged(const spd_online *o) { return !spd_all_finite(o->run.state.size, o->run.state.base); }
const spd_online_score *spd_online_all(const spd_online *o) { return &o->score; }
const spdhg_problem *spd_online_problem(const spd_online *o) { return o->made.problem; }
int64_t spd_online_batch(const spd_online *o) { return o->run.batch; }
int spd_online_index_base(const spd_online *o) { return o->index_base; }
double spd_online_bytes(const spd_online *o) { return spd_run_bytes(&o->run); }

/* At o->x. y is not needed any more, and has room for F x. */
static double penalty(spd_online *o) {
    const spdhg_problem *p = o->made.problem;
    double *work = SPD_NEW(double, spd_problem_term_work(p));
    spd_problem_apply(p, o->x, o->y);
    const double value = work ? spd_problem_penalty(p, o->y, work) + 0.5 * p->gamma * spd_dot(p->dK, o->x, o->x) : NAN;
    spd_free(work);
    return value;
}

spdhg_status spd_online_model(spdhg_model **out, spd_online *o, spdhg_outcome outcome, double seconds, spdhg_error *err) {
    const spdhg_problem *p = o->made.problem;
    o->run.kind->output(&o->run, o->x, o->c, o->y);
    if (p->set.kind->separable) p->set.kind->project(p->dK, p->set.arg, o->x, NULL); /* rounding may put an average outside */
    const spdhg_solution s = {.features = p->d,
                              .outputs = p->K,
                              .dual = p->m * p->K,
                              .x = o->x,
                              .c = o->c,
                              .y = o->y,
                              .objective = NAN,
                              .train_loss = o->score.loss,
                              .penalty = penalty(o),
                              .gap = NAN,
                              .gap_kind = "none",
                              .epochs = 1,
                              .seconds = seconds,
                              .iterations = o->k,
                              .solver = o->run.kind->name};
    SPD_TRY(spd_model_make(out, p, &s, o->c, outcome, o->seed, 1, err));
    spdhg_model *m = *out;
    m->rows = o->score.rows;
    spd_free(m->spread); /* of the prototype */
    m->spread = NULL;
    return SPDHG_OK;
}

void spd_online_free(spd_online *o) {
    if (!o) return;
    spd_run_free(&o->run);
    spd_recipe_clear(&o->made);
    spdhg_data_free(o->prototype);
    SPD_FREE_ALL(o->row, o->x, o->c, o->y);
    spd_free(o);
}

/* cross_validate.c - solves the path once for every fold without the fold's rows and evaluates it on them. A fold is one task on
 * one thread and writes to its own memory, so the result does not depend on the number of threads. Means over rows are weighted.
 * The standard error comes from the spread over the folds of a repeat, averaged over the repeats:
 *     error^2 = (sum_f W_f (v_f - mean)^2 / sum_f W_f) / (folds - 1) */
#include "tune/tune.h"

typedef struct validation {
    const spdhg_path *path;
    const int32_t *fold;
    spd_asker asker;
    spdhg_options solve;
} validation;

int spd_fold_ask(void *asker, const spdhg_event *event) {
    spd_asker *a = asker;
    if (event->kind == SPDHG_EVENT_LOG || event->kind == SPDHG_EVENT_NOTICE || !a->callback) return atomic_load(&a->stop);
    const spdhg_event poll = {.kind = SPDHG_EVENT_POLL,
                              .point = event->point,
                              .epochs_asked = event->epochs_asked,
                              .stage = a->stage,
                              .part = (double)atomic_load(&a->done) / (double)a->solves};
    pthread_mutex_lock(&a->lock);
    if (a->callback(a->user, &poll) != 0) atomic_store(&a->stop, true);
    pthread_mutex_unlock(&a->lock);
    return atomic_load(&a->stop);
}

spdhg_options spd_asker_open(spd_asker *a, const spdhg_options *solve, int64_t solves, const char *stage) {
    *a = (spd_asker){.callback = solve->callback, .user = solve->user, .solves = solves, .stage = stage};
    atomic_init(&a->done, 0);
    atomic_init(&a->stop, false);
    pthread_mutex_init(&a->lock, NULL);
    spdhg_options of_a_fold = *solve;
    of_a_fold.threads = 1;
    of_a_fold.callback = spd_fold_ask;
    of_a_fold.user = a;
    of_a_fold.seconds = 0;
    return of_a_fold;
}

void spd_asker_close(spd_asker *a) { pthread_mutex_destroy(&a->lock); }

static void run_fold(void *context, int64_t number) {
    validation *v = context;
    const int64_t folds = v->path->options.folds;
    spd_fold *t = &v->path->fold[number];
    const int64_t at = v->path->options.part ? number : number / folds;
    t->status = spd_fold_run(t, v->path, v->fold + at * v->path->problem->n, number % folds, &v->solve, &v->asker, &t->err);
}

/* Mean and standard error of one score over the folds of all repeats; folds in which the score is unknown do not count. */
static void summarise(const validation *v, int64_t point, int which, double *mean, double *error) {
    const int64_t folds = v->path->options.folds, repeats = v->path->options.repeats;
    double means = 0, errors = 0;
    for (int64_t r = 0; r < repeats; r++) {
        double W = 0, sum = 0, square = 0, known = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t f = 0; f < folds; f++) {
                const spd_fold *t = &v->path->fold[r * folds + f];
                const double value = t->weight > 0 ? t->score[point * SPD_FOLD_SCORES + which] : NAN;
                if (isnan(value)) continue;
                if (pass == 0) {
                    W += t->weight;
                    sum += t->weight * value;
                    known++;
                } else
                    square += t->weight * (value - sum / W) * (value - sum / W);
            }
        means += sum / W;
        errors += sqrt(square / W / (known - 1));
    }
    *mean = means / (double)repeats;
    *error = errors / (double)repeats;
}

static spdhg_status first_failure(const validation *v, int64_t tasks, spdhg_error *err) {
    for (int64_t k = 0; k < tasks; k++)
        if (v->path->fold[k].status != SPDHG_OK)
            return spd_fail(err, v->path->fold[k].status, "fold %lld: %s", (long long)k + 1, v->path->fold[k].err.message);
    return SPDHG_OK;
}

static spdhg_status gather(spdhg_path *path, const validation *v, int64_t tasks, spdhg_error *err) {
    SPD_TRY(first_failure(v, tasks, err));
    for (int64_t i = 0; i < path->points; i++) {
        spdhg_path_point *point = &path->point[i];
        summarise(v, i, SPD_FOLD_LOSS, &point->loss, &point->loss_error);
        summarise(v, i, SPD_FOLD_ACCURACY, &point->accuracy, &point->accuracy_error);
        summarise(v, i, SPD_FOLD_AUC, &point->auc, &point->auc_error);
        point->unconverged = 0;
        for (int64_t k = 0; k < tasks; k++) point->unconverged += v->path->fold[k].weight > 0 && !v->path->fold[k].reached[i];
    }
    return SPDHG_OK;
}

spdhg_status spd_cross_validate(spdhg_path *path, void *unused, bool *stopped, spdhg_error *err) {
    (void)unused;
    *stopped = false;
    const int64_t tasks = path->options.folds * path->options.repeats;
    int32_t *fold;
    SPD_TRY(spd_folds_make(path->problem, &path->options, path->solve.seed, &fold, err));
    validation v = {.path = path, .fold = fold};
    spd_fold_results_free(path);
    spdhg_status status = spd_fold_results_new(path, tasks, err);
    v.solve = spd_asker_open(&v.asker, &path->solve, tasks * path->points, SPD_STAGE_FOLDS);
    if (status == SPDHG_OK) spd_path_deal(path, spd_threads(path->solve.threads), tasks, run_fold, &v);
    *stopped = atomic_load(&v.asker.stop);
    status = spd_path_share_folds(path, stopped, status, err);
    if (status == SPDHG_OK && !*stopped) status = gather(path, &v, tasks, err);
    spd_asker_close(&v.asker);
    path->held = fold;
    if (*stopped || status != SPDHG_OK) spd_fold_results_free(path);
    return status;
}

spdhg_status spd_path_scores_held_out(const spdhg_path *path, int64_t point, double *score, bool *stopped, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    spdhg_path one = *path; /* a path of this point alone, by this process; the folds are its own */
    one.ranks = NULL;
    one.points = 1;
    one.point += point;
    one.x += point * p->dK;
    one.c += point * p->K;
    one.fold = NULL;
    one.held = NULL;
    one.options.repeats = 1;
    one.options.keep_folds = false;
    const int64_t folds = one.options.folds;
    for (int64_t i = 0; i < p->data->rows * p->K; i++) score[i] = NAN;
    int32_t *fold;
    SPD_TRY(spd_folds_make(p, &one.options, one.solve.seed, &fold, err));
    validation v = {.path = &one, .fold = fold};
    spdhg_status status = spd_fold_results_new(&one, folds, err);
    for (int64_t k = 0; k < one.folds; k++) one.fold[k].held = score;
    v.solve = spd_asker_open(&v.asker, &path->solve, folds, "predicting held-out rows");
    if (status == SPDHG_OK) spd_parallel(spd_threads(path->solve.threads), folds, run_fold, &v);
    *stopped = atomic_load(&v.asker.stop);
    if (status == SPDHG_OK && !*stopped) status = first_failure(&v, folds, err);
    spd_asker_close(&v.asker);
    spd_fold_results_free(&one);
    spd_free(fold);
    return status;
}

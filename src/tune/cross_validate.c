/* cross_validate.c - the path once for every fold without its rows, judged on them. A fold is one task on one thread and writes
 * its own places, so the result does not depend on the threads. Means over rows by weight; the standard error from the spread
 * over the folds of a repeat, error^2 = (sum_f W_f (v_f - mean)^2 / sum_f W_f) / (folds - 1),   averaged over the repeats. */
#include <pthread.h>
#include <stdatomic.h>

#include "model/model.h"
#include "tune/tune.h"

enum { LOSS, ACCURACY, AUC, SCORES };

typedef struct task {
    double *score; /* points x SCORES */
    double weight; /* of the rows held out */
    bool *reached; /* of each point: the tolerance was */
    spdhg_status status;
    spdhg_error err;
} task;

typedef struct validation {
    const spdhg_path *path;
    const int32_t *fold;
    task *task;
    pthread_mutex_t lock; /* of the caller's callback */
    atomic_bool stop;
} validation;

/* The caller is asked from one thread at a time; once it says stop, every fold does. */
static int ask(void *user, const spdhg_event *event) {
    validation *v = user;
    const spdhg_options *solve = &v->path->solve;
    if (event->kind == SPDHG_EVENT_LOG || !solve->callback) return atomic_load(&v->stop);
    const spdhg_event poll = {.kind = SPDHG_EVENT_POLL, .point = event->point, .epochs_asked = event->epochs_asked};
    pthread_mutex_lock(&v->lock);
    if (solve->callback(solve->user, &poll) != 0) atomic_store(&v->stop, true);
    pthread_mutex_unlock(&v->lock);
    return atomic_load(&v->stop);
}

/* Positions of the rows inside and outside of a fold; both arrays have n places. */
static int64_t part(const spdhg_problem *p, const int32_t *fold, int64_t f, int64_t *train, int64_t *test) {
    int64_t trains = 0, tests = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (fold[i] == f)
            test[tests++] = i;
        else
            train[trains++] = i;
    return trains;
}

static bool is_right(const spdhg_problem *p, const double *z, double b) {
    if (p->loss->value) return (z[0] > 0) == (b > 0);
    int64_t best = 0;
    for (int64_t k = 1; k < p->K; k++)
        if (z[k] > z[best]) best = k;
    return (double)best == b;
}

/* Scores of the base problem's rows `test` with the fold's coefficients; z has K numbers, rank as many places as rows. */
static void judge(const spdhg_problem *p, const int64_t *test, int64_t tests, const double *x, const double *c, double *z,
                  spd_ranked *rank, double *score) {
    double loss = 0, right = 0, W = 0;
    for (int64_t i = 0; i < tests; i++) {
        const double w = p->weight ? p->weight[test[i]] : 1;
        spd_row row;
        spd_problem_row(p, test[i], &row);
        spd_row_score(p, &row, x, z);
        spd_axpy(p->K, 1, c, z);
        rank[i] = (spd_ranked){z[0], w, row.b[0] > 0};
        if (w == 0) continue;
        loss += w * spd_loss_value(p->loss, p->loss_arg, p->K, z, row.b);
        if (p->loss->classify && is_right(p, z, row.b[0])) right += w;
        W += w;
    }
    score[LOSS] = loss / W;
    score[ACCURACY] = p->loss->classify ? right / W : NAN;
    score[AUC] = p->loss->classify && p->loss->value && p->K == 1 ? spd_auc(rank, tests) : NAN;
}

static spdhg_status walk_fold(validation *v, task *t, spdhg_problem *fold, const int64_t *test, int64_t tests, double *z,
                              spd_ranked *rank, spdhg_error *err) {
    const spdhg_path *path = v->path;
    const spdhg_problem *p = path->problem;
    spdhg_options options = path->solve;
    options.threads = 1;
    options.callback = ask;
    options.user = v;
    options.seconds = 0;
    spd_walk walk;
    SPD_TRY(spd_walk_new(&walk, fold, path->options.solver, &options, path->x, path->c, NULL, err));
    spdhg_status status = SPDHG_OK;
    for (int64_t i = 0; i < path->points && status == SPDHG_OK && !atomic_load(&v->stop); i++) {
        status = spd_walk_step(&walk, path->point[i].lambda, err);
        if (status != SPDHG_OK) break;
        t->reached[i] = walk.outcome == SPDHG_OUTCOME_CONVERGED;
        judge(p, test, tests, walk.x, walk.c, z, rank, t->score + i * SCORES);
    }
    spd_walk_free(&walk);
    return status;
}

static void run_fold(void *context, int64_t number) {
    validation *v = context;
    const spdhg_problem *p = v->path->problem;
    task *t = &v->task[number];
    const int64_t folds = v->path->options.folds, n = p->n;
    int64_t *train = SPD_NEW(int64_t, n), *test = SPD_NEW(int64_t, n);
    double *z = SPD_NEW(double, p->K);
    spd_ranked *rank = SPD_NEW(spd_ranked, n);
    spdhg_problem *fold = NULL;
    t->status = train && test && z && rank ? SPDHG_OK : spd_fail_memory(&t->err, 40.0 * (double)n);
    if (t->status == SPDHG_OK) {
        const int64_t trains = part(p, v->fold + number / folds * n, number % folds, train, test);
        for (int64_t i = 0; i < n - trains; i++) t->weight += p->weight ? p->weight[test[i]] : 1;
        if (t->weight > 0) t->status = spd_problem_subset(&fold, p, train, trains, &t->err);
        if (fold) t->status = walk_fold(v, t, fold, test, n - trains, z, rank, &t->err);
    }
    spdhg_problem_free(fold);
    spd_free(train);
    spd_free(test);
    spd_free(z);
    spd_free(rank);
}

/* Mean and standard error of one score over the folds of all repeats; folds where it is not known do not count. */
static void summarise(const validation *v, int64_t point, int which, double *mean, double *error) {
    const int64_t folds = v->path->options.folds, repeats = v->path->options.repeats;
    double means = 0, errors = 0;
    for (int64_t r = 0; r < repeats; r++) {
        double W = 0, sum = 0, square = 0, known = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t f = 0; f < folds; f++) {
                const task *t = &v->task[r * folds + f];
                const double value = t->weight > 0 ? t->score[point * SCORES + which] : NAN;
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

static spdhg_status gather(spdhg_path *path, const validation *v, int64_t tasks, spdhg_error *err) {
    for (int64_t k = 0; k < tasks; k++)
        if (v->task[k].status != SPDHG_OK)
            return spd_fail(err, v->task[k].status, "fold %lld: %s", (long long)k + 1, v->task[k].err.message);
    for (int64_t i = 0; i < path->points; i++) {
        spdhg_path_point *point = &path->point[i];
        summarise(v, i, LOSS, &point->loss, &point->loss_error);
        summarise(v, i, ACCURACY, &point->accuracy, &point->accuracy_error);
        summarise(v, i, AUC, &point->auc, &point->auc_error);
        point->unconverged = 0;
        for (int64_t k = 0; k < tasks; k++) point->unconverged += v->task[k].weight > 0 && !v->task[k].reached[i];
    }
    return SPDHG_OK;
}

spdhg_status spd_cross_validate(spdhg_path *path, bool *stopped, spdhg_error *err) {
    *stopped = false;
    const int64_t tasks = path->options.folds * path->options.repeats;
    int32_t *fold;
    SPD_TRY(spd_folds_make(path->problem, &path->options, path->solve.seed, &fold, err));
    validation v = {.path = path, .fold = fold, .task = SPD_NEW(task, tasks)};
    bool good = v.task != NULL;
    for (int64_t k = 0; good && k < tasks; k++) {
        v.task[k].score = SPD_NEW(double, path->points *SCORES);
        v.task[k].reached = SPD_NEW(bool, path->points);
        good = v.task[k].score && v.task[k].reached;
    }
    atomic_init(&v.stop, false);
    pthread_mutex_init(&v.lock, NULL);
    spdhg_status status = good ? SPDHG_OK : spd_fail_memory(err, 25.0 * (double)tasks * (double)path->points);
    if (good) spd_parallel(spd_threads(path->solve.threads), tasks, run_fold, &v);
    *stopped = atomic_load(&v.stop);
    if (good && !*stopped) status = gather(path, &v, tasks, err);
    pthread_mutex_destroy(&v.lock);
    for (int64_t k = 0; v.task && k < tasks; k++) {
        spd_free(v.task[k].score);
        spd_free(v.task[k].reached);
    }
    spd_free(v.task);
    spd_free(fold);
    return status;
}

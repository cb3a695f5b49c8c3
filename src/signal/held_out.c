/* held_out.c - cross-validation of a signal. Evenly spaced points are held out, the others are fitted along the path's lambdas
 * (the same lambda relative to the sum of losses), and the fit is judged at the points held out. A line is treated as in
 * genlasso's cv.trendfilter: every folds-th point except the two ends is held out and predicted by linear interpolation between
 * its neighbours. Each fold is one task on one thread and writes only its own results. The mean and standard error give every
 * fold the same weight. */
#include "signal/signal.h"

/* Neighbours on a grid belong to different folds: h, w, l each shift the fold by their own step. */
static int64_t lattice(const int64_t side[3], int64_t point, int64_t folds) {
    const int64_t l = point % side[2], w = point / side[2] % side[1], h = point / side[2] / side[1];
    return (w + folds / 2 * h + (folds / 2 + 1) * l) % folds;
}

spdhg_status spd_signal_folds(const spd_signal *s, int32_t **out, spdhg_error *err) {
    const int64_t n = s->given.points, folds = s->options.folds;
    int64_t observed = 0, seen = 0;
    *out = NULL;
    for (int64_t i = 0; i < n; i++) observed += spd_signal_observed(s, i);
    const int64_t inner = s->order >= 0 ? observed - 2 : observed;
    if (folds < 2 || folds > inner)
        return spd_fail(err, SPDHG_USAGE, "%lld folds of %lld values that can be held out: expected from 2 to as many",
                        (long long)folds, (long long)(inner > 0 ? inner : 0));
    int32_t *fold = SPD_NEW(int32_t, n);
    if (!fold) return spd_fail_memory(err, 4.0 * (double)n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t point = s->place[i];
        if (!spd_signal_observed(s, point)) continue;
        const bool end = s->order >= 0 && (seen == 0 || seen == observed - 1);
        const int64_t turn = s->order >= 0 ? seen - 1 : s->F->side[0] > 0 ? lattice(s->F->side, point, folds) : seen;
        fold[point] = end ? 0 : 1 + (int32_t)(turn % folds);
        seen++;
    }
    *out = fold;
    return SPDHG_OK;
}

typedef struct task {
    double *loss; /* for every point of the path */
    bool *reached;
    spdhg_status status;
    spdhg_error err;
} task;

typedef struct validation {
    const spd_held_out *held;
    const spdhg_path *path;
    const int32_t *fold;
    task *task;
    spdhg_options solve;
    spd_asker asker;
} validation;

/* Mean loss at the held-out points. */
static double judge(const validation *v, const spd_signal_problem *p, int32_t f, const double *x) {
    const spd_signal *s = v->held->signal;
    double sum = 0, W = 0;
    int64_t after = -1;
    for (int64_t i = 0; i < s->given.points; i++) {
        const int64_t point = s->place[i];
        if (after + 1 < p->count && p->point[after + 1] == point) after++;
        if (v->fold[point] != f) continue;
        const double w = spd_signal_weight(s, point), b = s->given.value[point];
        const double z = s->order >= 0 ? spd_line_between(s, p, x, after, point) : x[point];
        sum += w * spd_loss_value(p->problem->loss, p->problem->loss_arg, 1, &z, &b);
        W += w;
    }
    return sum / W;
}

static spdhg_status follow(validation *v, task *t, int32_t f, spd_signal_problem *p, spdhg_error *err) {
    const spdhg_path *path = v->path;
    spd_warm_path warm;
    SPD_TRY(spd_problem_freeze(p->problem, err));
    SPD_TRY(spd_warm_path_new(&warm, p->problem, path->options.solver, &v->solve, NULL, NULL, NULL, err));
    spdhg_status status = SPDHG_OK;
    for (int64_t i = 0; i < path->points && status == SPDHG_OK && !atomic_load(&v->asker.stop); i++) {
        status = spd_warm_path_step(&warm, path->point[i].lambda * v->held->whole->W / p->W, err);
        if (status != SPDHG_OK) break;
        atomic_fetch_add(&v->asker.done, 1);
        t->reached[i] = warm.outcome == SPDHG_OUTCOME_CONVERGED;
        t->loss[i] = judge(v, p, f, warm.x);
    }
    spd_warm_path_free(&warm);
    return status;
}

static void run_fold(void *context, int64_t number) {
    validation *v = context;
    task *t = &v->task[number];
    spd_signal_problem p;
    t->status = spd_signal_problem_new(&p, v->held->signal, v->fold, (int32_t)number + 1, &t->err);
    if (t->status == SPDHG_OK) t->status = follow(v, t, (int32_t)number + 1, &p, &t->err);
    spd_signal_problem_free(&p);
}

static spdhg_status gather(spdhg_path *path, const validation *v, int64_t folds, spdhg_error *err) {
    for (int64_t f = 0; f < folds; f++)
        if (v->task[f].status != SPDHG_OK)
            return spd_fail(err, v->task[f].status, "fold %lld: %s", (long long)f + 1, v->task[f].err.message);
    for (int64_t i = 0; i < path->points; i++) {
        spdhg_path_point *point = &path->point[i];
        double sum = 0, square = 0;
        point->unconverged = 0;
        for (int64_t f = 0; f < folds; f++) sum += v->task[f].loss[i];
        point->loss = sum / (double)folds;
        for (int64_t f = 0; f < folds; f++) {
            square += (v->task[f].loss[i] - point->loss) * (v->task[f].loss[i] - point->loss);
            point->unconverged += !v->task[f].reached[i];
        }
        point->loss_error = sqrt(square / (double)(folds - 1) / (double)folds);
    }
    return SPDHG_OK;
}

spdhg_status spd_signal_validate(spdhg_path *path, void *held_out, bool *stopped, spdhg_error *err) {
    const spd_held_out *held = held_out;
    const int64_t folds = held->signal->options.folds;
    int32_t *fold;
    *stopped = false;
    SPD_TRY(spd_signal_folds(held->signal, &fold, err));
    validation v = {.held = held, .path = path, .fold = fold, .task = SPD_NEW(task, folds)};
    bool good = v.task != NULL;
    for (int64_t f = 0; good && f < folds; f++) {
        v.task[f].loss = SPD_NEW(double, path->points);
        v.task[f].reached = SPD_NEW(bool, path->points);
        good = v.task[f].loss && v.task[f].reached;
    }
    v.solve = spd_asker_open(&v.asker, &path->solve, v.held->signal->options.folds * path->points, SPD_STAGE_FOLDS);
    spdhg_status status = good ? SPDHG_OK : spd_fail_memory(err, 9.0 * (double)folds * (double)path->points);
    if (good) spd_parallel(spd_threads(path->solve.threads), folds, run_fold, &v);
    *stopped = atomic_load(&v.asker.stop);
    if (good && !*stopped) status = gather(path, &v, folds, err);
    spd_asker_close(&v.asker);
    for (int64_t f = 0; v.task && f < folds; f++) {
        spd_free(v.task[f].loss);
        spd_free(v.task[f].reached);
    }
    spd_free(v.task);
    spd_free(fold);
    return status;
}

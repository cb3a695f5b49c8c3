/* fold_results.c - what a path keeps of its cross-validation: the scores of every fold and, if asked for, its coefficients. */
#include "tune/tune.h"

spdhg_status spd_fold_results_new(spdhg_path *path, int64_t folds, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    const bool keep = path->options.keep_folds;
    path->fold = SPD_NEW(spd_fold, folds);
    bool good = path->fold != NULL;
    path->folds = good ? folds : 0;
    for (int64_t k = 0; good && k < folds; k++) {
        spd_fold *f = &path->fold[k];
        f->score = SPD_NEW(double, path->points *SPD_FOLD_SCORES);
        f->reached = SPD_NEW(bool, path->points);
        if (keep) f->x = SPD_NEW(double, path->points * p->dK), f->c = SPD_NEW(double, path->points * p->K);
        good = f->score && f->reached && (!keep || (f->x && f->c));
    }
    if (good) return SPDHG_OK;
    const double each = 25.0 + (keep ? 8.0 * (double)(p->dK + p->K) : 0);
    return spd_fail_memory(err, each * (double)folds * (double)path->points);
}

void spd_fold_results_free(spdhg_path *path) {
    for (int64_t k = 0; k < path->folds; k++) {
        spd_free(path->fold[k].score);
        spd_free(path->fold[k].reached);
        spd_free(path->fold[k].x);
        spd_free(path->fold[k].c);
    }
    spd_free(path->fold);
    spd_free(path->held);
    path->fold = NULL;
    path->held = NULL;
    path->folds = 0;
}

const double *spdhg_path_fold_scores(const spdhg_path *path, int64_t fold, double *weight) {
    if (fold < 0 || fold >= path->folds) return NULL;
    if (weight) *weight = path->fold[fold].weight;
    return path->fold[fold].score;
}

const double *spdhg_path_fold_coefficients(const spdhg_path *path, int64_t fold, int64_t point, const double **c) {
    if (fold < 0 || fold >= path->folds || !path->fold[fold].x || point < 0 || point >= path->points) return NULL;
    if (c) *c = path->fold[fold].c + point * path->problem->K;
    return path->fold[fold].x + point * path->problem->dK;
}

const int32_t *spdhg_path_held_out(const spdhg_path *path, int64_t repeat) {
    const bool known = path->held && !path->options.part && repeat >= 0 && repeat < path->options.repeats;
    return known ? path->held + repeat * path->problem->n : NULL;
}

/* progress.c - what a path tells its caller: sentences, and how far it is. */
#include <stdarg.h>

#include "tune/tune.h"

void spd_path_tell(const spdhg_path *path, const char *format, ...) {
    if (!path->solve.callback) return;
    char sentence[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    path->solve.callback(path->solve.user, &(spdhg_event){.kind = SPDHG_EVENT_LOG, .message = sentence});
}

/* How much of the whole the path itself is: a lambda costs as much as one of a fold, but folds run side by side. */
static double share_of_path(const spdhg_path *path) {
    const int64_t tasks = path->options.folds * path->options.repeats, threads = spd_threads(path->solve.threads);
    const double beside = (double)(tasks < threads ? tasks : threads);
    return tasks > 0 ? beside / (beside + (double)tasks) : 1;
}

/* How much of the path's work is done after k of n lambdas. A later lambda has more coefficients and takes longer: the time of
 * the first k grows like k^p, where k and k/2 of them tell p. It is at least 1, and what comes is not taken for more than
 * cubic. */
double spd_path_part(const spdhg_path_point *point, int64_t k, int64_t n) {
    double half = 0, all = 0, power = 1;
    for (int64_t i = 0; i < k; i++) {
        if (i < k / 2) half += point[i].seconds;
        all += point[i].seconds;
    }
    if (k >= 4 && half > 0) power = fmin(fmax(log(all / half) / log((double)k / (double)(k / 2)), 1), 3);
    return k < n ? pow((double)k / (double)n, power) : 1;
}

/* The caller's callback, told how far the path and its cross-validation are. */
static int ask_caller(void *user, const spdhg_event *event) {
    spdhg_path *path = user;
    const double share = share_of_path(path);
    spdhg_event more = *event;
    const bool folds = event->stage && strcmp(event->stage, SPD_STAGE_FOLDS) == 0;
    if (folds || (event->kind == SPDHG_EVENT_POLL && !event->stage)) {
        const double part =
            folds ? share + (1 - share) * event->part : share * spd_path_part(path->point, path->points, path->options.lambdas);
        if (!folds) more.stage = path->part > share ? "model" : "path"; /* after the folds, the chosen lambda is solved again */
        more.part = path->part = fmax(path->part, part);                /* never back */
    }
    return path->caller(path->caller_user, &more);
}

void spd_path_listen(spdhg_path *path) {
    path->caller = path->solve.callback;
    path->caller_user = path->solve.user;
    if (path->caller) path->solve.callback = ask_caller, path->solve.user = path;
}

/* dealt.c - a path by several processes, each of which has all of the data. The first solves the path, since every lambda
 * starts from the one before; the folds, which are independent, are dealt out. Every fold is the work of one process and starts
 * from numbers that the first has told, so that the bits do not depend on how many there are. */
#include "tune/tune.h"

/* The names of kinds are texts of this process. */
static const char *kind_of(const spdhg_path_point *point) {
    return spd_gap_kind_name(!isfinite(point->gap)      ? SPD_GAP_NONE
                             : isnan(point->gap_radius) ? SPD_GAP_CERTIFIED
                                                        : SPD_GAP_WITHIN_RADIUS);
}

spdhg_status spd_path_share_points(spdhg_path *path, spdhg_status status, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    int64_t count = path->points, outcome = (int64_t)path->outcome;
    if (spdhg_ranks_size(path->ranks) == 1) return status;
    SPD_TRY(spd_ranks_settle(path->ranks, status, err));
    spd_ranks_tell(path->ranks, 0, &count, sizeof count);
    spd_ranks_tell(path->ranks, 0, &outcome, sizeof outcome);
    spd_ranks_tell(path->ranks, 0, path->point, count * (int64_t)sizeof *path->point);
    spd_ranks_tell(path->ranks, 0, path->x, p->dK * (int64_t)sizeof *path->x); /* a fold starts from the first solution */
    spd_ranks_tell(path->ranks, 0, path->c, p->K * (int64_t)sizeof *path->c);
    SPD_TRY(spd_ranks_good(path->ranks, err));
    path->points = count;
    path->outcome = (spdhg_outcome)outcome;
    for (int64_t i = 0; i < count; i++) path->point[i].gap_kind = kind_of(&path->point[i]);
    return SPDHG_OK;
}

typedef struct hand {
    void (*task)(void *context, int64_t k);
    void *context;
    int rank, size;
} hand;

static void play(void *context, int64_t i) {
    const hand *h = context;
    h->task(h->context, h->rank + i * h->size);
}

void spd_path_deal(const spdhg_path *path, int threads, int64_t tasks, void (*task)(void *context, int64_t k), void *context) {
    const int rank = spdhg_ranks_rank(path->ranks), size = spdhg_ranks_size(path->ranks);
    const int64_t own = tasks > rank ? (tasks - rank + size - 1) / size : 0;
    spd_parallel(threads, own, play, &(hand){task, context, rank, size});
}

static void tell_fold(const spdhg_path *path, int64_t k) {
    const spdhg_problem *p = path->problem;
    spd_fold *f = &path->fold[k];
    const int from = (int)(k % spdhg_ranks_size(path->ranks));
    const struct {
        void *block;
        int64_t bytes;
    } parts[] = {{&f->weight, sizeof f->weight},
                 {&f->status, sizeof f->status},
                 {&f->err, sizeof f->err},
                 {f->score, path->points * SPD_FOLD_SCORES * (int64_t)sizeof *f->score},
                 {f->reached, path->points * (int64_t)sizeof *f->reached},
                 {f->x, f->x ? path->points * p->dK * (int64_t)sizeof *f->x : 0},
                 {f->c, f->c ? path->points * p->K * (int64_t)sizeof *f->c : 0}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) spd_ranks_tell(path->ranks, from, parts[i].block, parts[i].bytes);
}

spdhg_status spd_path_share_folds(spdhg_path *path, bool *stopped, spdhg_status status, spdhg_error *err) {
    if (spdhg_ranks_size(path->ranks) == 1) return status;
    SPD_TRY(spd_ranks_settle(path->ranks, status, err));
    *stopped = spd_ranks_agree(path->ranks, *stopped ? SPD_CALLED_OFF : SPD_GO_ON) != SPD_GO_ON;
    for (int64_t k = 0; k < path->folds && !*stopped; k++) tell_fold(path, k);
    return spd_ranks_good(path->ranks, err);
}

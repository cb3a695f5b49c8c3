/* race_set.h - one data set of a race while it is at work: its splits, problems and tuning parts. */
#ifndef SPD_RACE_SET_H
#define SPD_RACE_SET_H
#include "race/race.h"

/* One repeat: its own split, its own F where that is learned. */
typedef struct spd_race_split {
    bool needed;
    int64_t *train, trains, *test_row, tests;
    spdhg_data *test;
    spdhg_structure *F;
    spd_recipe_problem made[SPD_RACE_TASKS]; /* in the order of race->task */
    uint64_t hash[SPD_RACE_TASKS];           /* of these problems */
} spd_race_split;

/* One fold of the tuning: rows of the first repeat's training part. */
typedef struct spd_race_fold {
    spdhg_problem *problem[SPD_RACE_TASKS];
    spdhg_data *test;
    double part; /* its rows over those of a run */
} spd_race_fold;

typedef struct spd_race_set {
    spd_race *race;
    const spd_race_source *source;
    spd_race_problem *problem; /* race->tasks of them: results */
    spdhg_data *data;
    spd_race_split *split; /* one per repeat */
    spd_race_fold *fold;   /* NULL: nothing is left to tune */
} spd_race_set;

typedef enum spd_piece_kind { SPD_PIECE_OPTIMUM, SPD_PIECE_TUNE, SPD_PIECE_RUN } spd_piece_kind;
typedef struct spd_race_piece {
    spd_piece_kind kind;
    int task, solver, point; /* task: position in race->task; point: of the grid */
    int64_t repeat;
} spd_race_piece;

/* ---- race_piece.c */
int spd_race_piece_worker(const spd_race_set *set, const spd_race_piece *p); /* number of the solver; race->solvers: an optimum */
double spd_race_piece_weight(const spd_race_set *set, const spd_race_piece *p); /* its part of the work */
bool spd_race_piece_found(spd_race_set *set, const spd_race_piece *p);          /* then the results have it */
spdhg_status spd_race_piece_save(const spd_race_set *set, const spd_race_piece *p, json_t *object,
                                 spdhg_error *err); /* takes object over */
json_t *spd_race_tune_json(const spd_race_entry *entry, int point);
/* ---- race_split.c */
/* Reads the data and makes the splits that are needed and not there yet; with tuning also the folds of the first. */
spdhg_status spd_race_set_prepare(spd_race_set *set, bool tuning, spdhg_error *err);
void spd_race_set_clear(spd_race_set *set);
#endif
